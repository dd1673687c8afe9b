//! The metrics of `CardStock` for game designers, as text, JSON or an HTML report.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::{Context as _, Result};
use magister::Playable;
use magister_arena::{Measured, Metrics, Page};
use magister_core::{Seed, Stop};
use serde_json::json;

use crate::CLEAN;
use crate::args::Analyze;
use crate::terminal::fitted;

pub(super) fn run(args: &Analyze, playable: &Playable) -> Result<u8> {
    let metrics = Metrics {
        game: playable.game.clone(),
        games: args.games,
        playouts: PLAYOUTS,
        max_steps: args.max_steps,
        seed: Seed::from(args.seed).derive("designer"),
    };
    let measured = metrics.run(&Stop::never())?;
    let mut out = anstream::stdout().lock();
    if args.json {
        writeln!(out, "{}", json!({ "game": playable.name, "metrics": measured }))?;
    } else {
        let mut text = format!(
            "{}: {} random games, {} with one searching player, {} with searching players only\n",
            playable.name, measured.games[0], measured.games[1], measured.games[2]
        );
        for (name, value, what) in lines(&measured) {
            let _ = writeln!(text, "{name}: {value:.3} ({what})");
        }
        write!(out, "{}", fitted(&text))?;
    }
    if let Some(path) = &args.html {
        std::fs::write(path, html(&playable.name, &measured))
            .with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.svg {
        std::fs::write(path, svg(&playable.name, &measured))
            .with_context(|| path.display().to_string())?;
    }
    Ok(CLEAN)
}

/// The metrics and both charts as one picture.
fn svg(name: &str, m: &Measured) -> String {
    let mut page = Page::new(name);
    for (metric, value, what) in lines(m) {
        page.line(&format!("{metric}: {value:.3} ({what})"));
    }
    if has_leads(m) {
        page.heading(LEADS);
        leads(m, &mut page);
    }
    if m.branching.len() > 1 {
        page.heading(OPTIONS);
        options(m, &mut page);
    }
    page.to_string()
}

/// The headings of the charts.
const LEADS: &str = "Estimated lead of the first seat, game by game (1: first, 0: last)";
const OPTIONS: &str = "Options by decision in random games";

fn has_leads(m: &Measured) -> bool {
    m.leads.iter().any(|curve| curve.len() > 1)
}

fn leads(m: &Measured, page: &mut Page) {
    page.shares(&m.leads, ("first decision", "last decision"));
}

fn options(m: &Measured, page: &mut Page) {
    let points: Vec<(f64, f64)> =
        (1..).zip(&m.branching).map(|(number, &options)| (f64::from(number), options)).collect();
    page.plot(&points, "decisions");
}

/// The number of playouts per option, as in `CardStock`.
const PLAYOUTS: u32 = 10;

/// The metrics with their names and meanings.
fn lines(m: &Measured) -> [(&'static str, f64, &'static str); 13] {
    [
        ("fairness", m.fairness, "1 if the first seat wins as often as the others at random"),
        ("order", m.order, "share of wins of a searching player among random ones; 0 is no skill"),
        ("gain", m.gain, "share of wins that the first seat gains by searching"),
        ("spread", m.spread, "mean difference between the best and the worst option"),
        ("convergence", m.convergence, "above 0.5 if options become fewer"),
        ("drama", m.drama, "how far the winner was behind, at all decisions"),
        ("own drama", m.drama_own, "how far the winner was behind, at its own decisions"),
        ("security", m.security, "share of decisions at which the winner was ahead"),
        ("decisiveness", m.decisiveness, "how late the winner was nearly certain to win"),
        ("coolness", m.coolness, "share of own decisions at which the winner did not fall back"),
        ("lead changes", m.lead_changes, "per game"),
        ("decisions", m.decisions, "with at least two options, per random game"),
        ("options", m.options, "per decision in random games"),
    ]
}

/// A report as a single file.
fn html(name: &str, m: &Measured) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let name = escape(name);
    let mut rows = String::new();
    for (metric, value, what) in lines(m) {
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{metric}</th><td>{value:.3}</td><td>{}</td></tr>",
            escape(what)
        );
    }
    let chart = |drawn: bool, heading: &str, draw: fn(&Measured, &mut Page)| {
        if !drawn {
            return String::new();
        }
        let mut page = Page::new(heading);
        draw(m, &mut page);
        page.to_string()
    };
    let leads = chart(has_leads(m), LEADS, leads);
    let options = chart(m.branching.len() > 1, OPTIONS, options);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{name}: metrics</title>\n<style>body{{font-family:sans-serif;max-width:60em;\
         margin:2em auto;padding:0 1em}}td,th{{text-align:left;padding:0.2em 1em 0.2em 0}}\
         svg{{max-width:100%;height:auto}}</style>\n</head>\n<body>\n<h1>{name}</h1>\n\
         <p>{} random games, {} with one searching player, {} with searching players only.</p>\n\
         <table>\n{rows}</table>\n{leads}\n{options}\n</body>\n</html>\n",
        m.games[0], m.games[1], m.games[2]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_one_file_with_all_metrics() {
        let measured = Measured {
            leads: vec![vec![0.5, 0.75, 1.0]],
            branching: vec![4.0, 2.0],
            ..Measured::default()
        };
        let page = html("<hearts>", &measured);
        assert!(page.contains("&lt;hearts&gt;") && !page.contains("<hearts>"));
        for (name, ..) in lines(&measured) {
            assert!(page.contains(&format!(">{name}<")), "{name}");
        }
        assert_eq!(page.matches("<svg").count(), 2);
        let picture = svg("<hearts>", &measured);
        assert_eq!(picture.matches("<svg").count(), 1);
        for (name, ..) in lines(&measured) {
            assert!(picture.contains(&format!("{name}: ")), "{name}");
        }
        assert!(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"));
    }
}
