use magister_gdl::*;
fn main() {
    for p in std::env::args().skip(1) {
        let t = String::from_utf8_lossy(&std::fs::read(&p).unwrap()).into_owned();
        let r = read(&t, &Options::default());
        let lines = Lines::new(&t);
        for d in r
            .diagnostics
            .as_slice()
            .iter()
            .chain(check(&r.rules).as_slice())
        {
            let at = lines.place(&t, d.span.start);
            println!(
                "{p}:{}:{}: {} {} {} [{}]",
                at.line,
                at.column,
                d.severity.name(),
                d.code,
                d.message,
                d.help.as_deref().unwrap_or("")
            );
        }
    }
}
