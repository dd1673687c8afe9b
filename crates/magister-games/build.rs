//! The folders of the games become part of the program, so a change there is a change of it.

fn main() {
    println!("cargo::rerun-if-changed=../../games");
}
