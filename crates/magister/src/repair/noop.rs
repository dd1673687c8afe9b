//! A move without effect for roles that have no legal move: while another role is in control, or
//! whenever no rule gives them one.

use magister_gdl::{Dialect, Options, Rulesheet, Syntax, Term, TermKind, read};

use super::{Candidate, Change};

/// Rules with such a move, for each fluent that marks the turn.
pub(super) fn candidates(text: &str, options: &Options) -> Vec<Candidate> {
    let read = read(text, options);
    let rules = &read.rules;
    if rules.dialect == Dialect::Operations {
        return Vec::new();
    }
    let roles = roles(rules);
    let chance = roles.iter().any(|role| role == "random");
    let declares = |of: &dyn Fn(&Term) -> bool| {
        rules.rules().any(|(rule, _)| rule.head.is("input", 2) && of(&rule.head.args()[1]))
    };
    let is_noop = |term: &Term| constant(term).is_some_and(|name| name == "noop");
    let inputs = declares(&|_| true) && !declares(&is_noop);
    let mut all = Vec::new();
    for control in controls(rules, &roles) {
        for only_players in if chance { &[true, false][..] } else { &[false][..] } {
            let added = match rules.syntax {
                Syntax::Kif => kif(&control, *only_players, inputs),
                Syntax::Infix => infix(&control, *only_players, inputs),
            };
            let line = text.lines().count() + 2;
            let what = "added a move `noop` for roles that are not in control".to_owned();
            let text = format!("{}\n\n{added}", text.trim_end());
            all.push(Candidate { text, change: Change { line, what } });
        }
    }
    all.extend(without_control(text, rules, inputs));
    all
}

/// Rules with such a move for every role to which no rule for `legal` gives a move, regardless of
/// how the turn is determined: the conditions of these rules are repeated.
fn without_control(text: &str, rules: &Rulesheet, inputs: bool) -> Option<Candidate> {
    let kif = rules.syntax == Syntax::Kif;
    let mut name = if kif { "has-move" } else { "hasmove" }.to_owned();
    while text.contains(&name) {
        name.push('x');
    }
    let mut added = String::new();
    for (rule, _) in rules.rules().filter(|(rule, _)| rule.head.is("legal", 2)) {
        let span = rule.head.args()[0].span;
        let role = text.get(span.start as usize..span.end as usize)?;
        let body = match (rule.body.first(), rule.body.last()) {
            (Some(first), Some(last)) => {
                text.get(first.span.start as usize..last.span.end as usize)?
            }
            _ => "",
        };
        let acts = match (kif, body) {
            (true, "") => format!("({name} {role})\n"),
            (true, _) => format!("(<= ({name} {role})\n    {body})\n"),
            (false, "") => format!("{name}({role})\n"),
            (false, _) => format!("{name}({role}) :- {body}\n"),
        };
        added.push_str(&acts);
    }
    let legal = if kif {
        format!("(<= (legal ?role noop)\n    (role ?role)\n    (not ({name} ?role)))\n")
    } else {
        format!("legal(Role,noop) :- role(Role) & ~{name}(Role)\n")
    };
    added.push_str(&legal);
    if inputs {
        added += if kif {
            "(<= (input ?role noop) (role ?role))\n"
        } else {
            "input(Role,noop) :- role(Role)\n"
        };
    }
    let line = text.lines().count() + 2;
    let what = "added a move `noop` for roles without another legal move".to_owned();
    let text = format!("{}\n\n{added}", text.trim_end());
    Some(Candidate { text, change: Change { line, what } })
}

fn kif(control: &str, only_players: bool, inputs: bool) -> String {
    let player = if only_players { "\n    (distinct ?role random)" } else { "" };
    let mut text = format!(
        "(<= (legal ?role noop)\n    (role ?role){player}\n    (not (true ({control} ?role))))\n"
    );
    if inputs {
        text += "(<= (input ?role noop) (role ?role))\n";
    }
    text
}

fn infix(control: &str, only_players: bool, inputs: bool) -> String {
    let player = if only_players { " & distinct(Role,random)" } else { "" };
    let mut text = format!("legal(Role,noop) :- role(Role){player} & ~true({control}(Role))\n");
    if inputs {
        text += "input(Role,noop) :- role(Role)\n";
    }
    text
}

fn roles(rules: &Rulesheet) -> Vec<String> {
    let heads = rules.rules().filter(|(rule, _)| rule.head.is("role", 1));
    heads.filter_map(|(rule, _)| constant(&rule.head.args()[0])).collect()
}

/// The fluents with one argument that is initially a role, such as `control`.
fn controls(rules: &Rulesheet, roles: &[String]) -> Vec<String> {
    let mut names = Vec::new();
    for (rule, _) in rules.rules().filter(|(rule, _)| rule.head.is("init", 1)) {
        let fluent = &rule.head.args()[0];
        let [argument] = fluent.args() else { continue };
        let is_role = constant(argument).is_some_and(|name| roles.contains(&name));
        if let Some(name) = fluent.name().filter(|_| is_role) {
            let name = name.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn constant(term: &Term) -> Option<String> {
    match &term.kind {
        TermKind::Constant(name) => Some(name.to_string()),
        _ => None,
    }
}
