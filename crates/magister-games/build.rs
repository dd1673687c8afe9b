//! The folders of the games are part of the program, so a change there requires a rebuild.

fn main() {
    println!("cargo::rerun-if-changed=../../games");
}
