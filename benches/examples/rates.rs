use magister_benches::*;
use std::time::Instant;
fn rate(name:&str, mut f: impl FnMut()->Counts){
  let mut best=0f64; let mut last=Counts::default();
  for _ in 0..7 { let t=clock::thread_time().unwrap(); let w=Instant::now(); let mut steps=0; while w.elapsed().as_secs_f64()<0.25 { let c=f(); steps+=c.steps; last.playouts+=c.playouts; last.steps+=c.steps; last.first+=c.first; last.second+=c.second; }
    best=best.max(steps as f64/(clock::thread_time().unwrap()-t).as_secs_f64()); }
  println!("{name} {:.1} M/s, length {:.4}, {:.4?}", best/1e6, last.mean_length(), last.shares());
}
fn main(){
  let mut r=Random::new(1);
  rate("ttt",||playouts::<tictactoe::TicTacToe>(100_000,&mut r));
  rate("c4",||playouts::<connect_four::ConnectFour>(30_000,&mut r));
  rate("bt",||playouts::<breakthrough::Breakthrough>(10_000,&mut r));
  rate("oth",||playouts::<othello::Othello>(3_000,&mut r));
  let mut s=sliced::Sliced::new(1);
  rate("sliced",||s.sweeps(10_000));
}
