//! Variants of the games of the thesis: drafts, releases and peculiarities that its table may have
//! been measured with.

use anyhow::{Result, bail};

use crate::args::Variant;

impl Variant {
    /// Its name in the catalogue.
    pub(super) fn name(self) -> &'static str {
        match self {
            Variant::AgramProse => "thesis-agram-prose",
            Variant::GolfMeasured => "golf-measured",
            Variant::NinetyEightMeasured => "ninety-eight-measured",
            Variant::NinetyEightReleased => "ninety-eight-released",
            Variant::HeartsBroken => "thesis-hearts-broken",
            Variant::BottleImpReleased => "bottle-imp-released",
        }
    }

    /// The game of the table that it replaces.
    fn of(self) -> &'static str {
        match self {
            Variant::AgramProse => "thesis-agram",
            Variant::GolfMeasured => "golf",
            Variant::NinetyEightMeasured | Variant::NinetyEightReleased => "ninety-eight",
            Variant::HeartsBroken => "thesis-hearts",
            Variant::BottleImpReleased => "bottle-imp",
        }
    }

    /// What is different.
    pub(super) fn difference(self) -> &'static str {
        match self {
            Variant::AgramProse => "the lowest card wins, and a card of another suit counts 10",
            Variant::GolfMeasured => "every second turn finds no card",
            Variant::NinetyEightMeasured => "the mover of turn 30 loses as well",
            Variant::NinetyEightReleased => "the deck never ends",
            Variant::HeartsBroken => "hearts may be led after one has been discarded",
            Variant::BottleImpReleased => "the coins on the cards won are the score",
        }
    }
}

/// A game of the table: itself, or a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Played {
    /// The game of the table.
    pub(super) game: &'static str,
    pub(super) variant: Option<Variant>,
}

impl Played {
    /// Its name in the catalogue.
    pub(super) fn name(self) -> &'static str {
        self.variant.map_or(self.game, Variant::name)
    }
}

/// The games to play: the variants of each game, or the game itself if there are none.
pub(super) fn played(games: &[&'static str], variants: &[Variant]) -> Result<Vec<Played>> {
    if let Some(left) = variants.iter().find(|variant| !games.contains(&variant.of())) {
        bail!("{} is a variant of {}, which --only leaves out", left.name(), left.of());
    }
    let mut all = Vec::new();
    for &game in games {
        let before = all.len();
        for &variant in variants.iter().filter(|variant| variant.of() == game) {
            let one = Played { game, variant: Some(variant) };
            if !all.contains(&one) {
                all.push(one);
            }
        }
        if all.len() == before {
            all.push(Played { game, variant: None });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use magister_games::catalogue;

    use super::*;

    #[test]
    fn every_variant_is_in_the_catalogue_under_its_name() {
        for &variant in Variant::value_variants() {
            let value = variant.to_possible_value().expect("no variant is hidden");
            assert_eq!(value.get_name(), variant.name());
            let seats = |name: &str| {
                let entry = catalogue::find(name).expect("it is bundled");
                assert!(entry.sheet.is_some_and(|sheet| sheet.is_recycle()), "{name}");
                entry.card.tags.clone()
            };
            assert_eq!(seats(variant.name()), seats(variant.of()));
        }
    }

    #[test]
    fn a_variant_replaces_its_game() {
        let games = ["golf", "ninety-eight"];
        let names = |variants: &[Variant]| -> Vec<&str> {
            let all = played(&games, variants).expect("golf and 98 are played");
            all.into_iter().map(Played::name).collect()
        };
        assert_eq!(names(&[]), games);
        assert_eq!(names(&[Variant::GolfMeasured]), ["golf-measured", "ninety-eight"]);
        let both = [Variant::NinetyEightReleased, Variant::NinetyEightMeasured];
        let expected = ["golf", "ninety-eight-released", "ninety-eight-measured"];
        assert_eq!(names(&both), expected);
        assert!(played(&games, &[Variant::AgramProse]).is_err());
    }
}
