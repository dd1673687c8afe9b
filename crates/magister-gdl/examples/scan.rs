use magister_gdl::*;
fn main() {
    for p in std::env::args().skip(1) {
        let t = String::from_utf8_lossy(&std::fs::read(&p).unwrap()).into_owned();
        let r = read(&t, &Options::default());
        let n = r.diagnostics.as_slice().len();
        if n > 0 || std::env::var("V").is_ok() { println!("{p}: {:?} {:?} {} statements {} comments {:?}", r.rules.syntax, r.rules.dialect, r.rules.statements.len(), r.rules.comments.len(), r.rules.style); }
        for d in r.diagnostics.as_slice().iter().take(3) { println!("  {:?} {} {}", d.span, d.code, d.message); }
    }
}
