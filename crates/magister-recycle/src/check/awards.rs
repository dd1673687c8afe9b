//! Point maps: awards for cards with given values.

use super::{Checker, expr};
use crate::ir::{Arg, Award, Given, MapText, Str};
use crate::tree::{Node, NodeKind};

impl Checker<'_> {
    pub(super) fn awards(&mut self, node: &Node) -> Option<MapText> {
        let Some(list) = node.list() else {
            self.malformed(node, "a list of awards");
            return None;
        };
        let mut text = MapText { awards: Vec::new(), given: Vec::new() };
        let mut sound = true;
        for award in list {
            match self.award(award, &mut text.given) {
                Some(award) => text.awards.push(award),
                None => sound = false,
            }
        }
        sound.then_some(text)
    }

    /// `((ATTRIBUTE : VALUE) .. POINTS)`.
    fn award(&mut self, node: &Node, given: &mut Vec<Given>) -> Option<Award> {
        let shape = "an award: `((ATTRIBUTE : VALUE) .. POINTS)`";
        let Some((points, pairs)) = node.list().and_then(|l| l.split_last()) else {
            self.malformed(node, shape);
            return None;
        };
        if pairs.is_empty() {
            self.malformed(node, shape);
            return None;
        }
        let mut award = Award { pairs: Vec::new(), points: Arg::Const(0) };
        for pair in pairs {
            let Some([name, mark, value]) = pair.list() else {
                self.malformed(pair, shape);
                return None;
            };
            if mark.mark() != Some(":") {
                self.malformed(pair, shape);
                return None;
            }
            let (name_span, value_span) = (name.span, value.span);
            let name = self.str(name);
            let value = match &value.kind {
                NodeKind::Name(value) => Str::Const(self.string(value)),
                _ => self.str(value)?,
            };
            if let Some(Str::Const(name)) = name
                && self.known_attribute(name, name_span)
                && let Str::Const(value) = value
            {
                self.unknown_values.push((name, value, value_span));
            }
            award.pairs.push((str_arg(name?, given), str_arg(value, given)));
        }
        let points = self.int(points)?;
        award.points = match expr::fold(&points) {
            Some(number) => Arg::Const(number),
            None => argument(Given::Int(points), given),
        };
        Some(award)
    }
}

fn str_arg(str: Str, given: &mut Vec<Given>) -> Arg {
    match str {
        Str::Const(id) => Arg::Const(id as i32),
        str => argument(Given::Str(str), given),
    }
}

/// The number of a computed argument; equal arguments share a number.
fn argument(wanted: Given, given: &mut Vec<Given>) -> Arg {
    let at = given.iter().position(|g| *g == wanted).unwrap_or_else(|| {
        given.push(wanted);
        given.len() - 1
    });
    Arg::Given(at as u32)
}
