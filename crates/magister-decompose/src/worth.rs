//! Whether the parts of a game are worth searching separately.

use magister_core::{Halt, Stop};
use magister_engine::Compiled;

use crate::decomposition::Decomposition;
use crate::impartial::Impartial;
use crate::local::Bounds;
use crate::product::Product;
use crate::sum::{Sizes, Sum};

/// An assessment of a decomposition.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Worth {
    /// Whether the parts are worth searching separately.
    pub useful: bool,
    /// The reason, as a sentence.
    pub why: String,
    /// Whether the parts were enumerated, so that the assessment is measured.
    pub measured: bool,
    /// Whether nimbers decide the game.
    pub nimbers: bool,
    /// The sizes of the parts, if they were enumerated.
    pub sizes: Option<Sizes>,
}

impl Worth {
    pub(crate) fn new(
        compiled: &Compiled,
        whole: &Decomposition,
        bounds: Bounds,
        stop: &Stop,
    ) -> Result<(Self, Option<Sum>), Halt> {
        let no = |why: &str| Worth { why: why.to_owned(), ..Worth::default() };
        if whole.subgames.len() < 2 {
            return Ok((no("the game has one part"), None));
        }
        let smaller = |sizes: Sizes, states: f64, classes: f64| {
            let useful = classes * 2.0 <= states;
            let why = if useful {
                format!("{} states of the parts fall into {} classes", sizes.states, sizes.classes)
            } else {
                "the states of the parts do not fall into fewer classes".to_owned()
            };
            Worth { useful, why, measured: true, nimbers: false, sizes: Some(sizes) }
        };
        match Sum::within(compiled, whole, bounds, stop) {
            Ok(sum) => {
                if Impartial::new(&sum).is_ok() {
                    let why = "the game is impartial, and nimbers decide it".to_owned();
                    let worth = Worth {
                        useful: true,
                        why,
                        measured: true,
                        nimbers: true,
                        sizes: Some(sum.sizes),
                    };
                    return Ok((worth, Some(sum)));
                }
                let (states, classes) = sum.extent();
                return Ok((smaller(sum.sizes, states, classes), Some(sum)));
            }
            Err(Halt::Stopped) => return Err(Halt::Stopped),
            Err(_) => {}
        }
        match Product::within(compiled, whole, bounds, stop) {
            Ok(product) => {
                let (states, classes) = product.extent;
                Ok((smaller(product.sizes, states, classes), None))
            }
            Err(Halt::Stopped) => Err(Halt::Stopped),
            Err(_) => Ok((no("the parts are too large to be enumerated"), None)),
        }
    }
}
