//! A Metropolis chain over deals, for observations that few independent draws are consistent with.

use magister_core::{Halt, Rng, Stop};

use super::{Deals, Plan};

/// The chain takes over if, after this many draws, too small a share of them was consistent.
const DRAWS: u32 = 48;
const SHARE: u32 = 16;
/// The number of proposed exchanges between samples.
const PROPOSALS: usize = 24;

/// The current deal of the chain.
#[derive(Debug)]
pub(super) struct Chain {
    dealt: Vec<u16>,
    weight: f64,
    state: Vec<u64>,
}

impl Plan {
    /// Whether independent draws have little chance to be consistent.
    pub(super) fn is_hard(&self) -> bool {
        self.chain.is_some()
            || self.draws + self.failed >= DRAWS && self.good < (self.draws + self.failed) / SHARE
    }
}

impl Deals {
    /// Advances the chain. It starts with the reference, which is consistent.
    pub(super) fn walk(
        &mut self,
        plan: &mut Plan,
        rng: &mut Rng,
        state: &mut Vec<u64>,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let mut chain = if let Some(chain) = plan.chain.take() {
            chain
        } else {
            self.dealt.clear();
            self.dealt.extend(0..self.cards.len() as u16);
            let weight = self.replay(plan.from, None).unwrap_or(0.0);
            Chain { dealt: self.dealt.clone(), weight, state: self.state.clone() }
        };
        let total: usize = plan.parts.iter().map(|part| part.cards.len()).sum();
        for _ in 0..PROPOSALS.min(total) {
            stop.check()?;
            // A card of any part, and another card of the same part.
            let mut at = rng.below(total as u64) as usize;
            let Some(part) = plan.parts.iter().find(|part| {
                let inside = at < part.cards.len();
                if !inside {
                    at -= part.cards.len();
                }
                inside
            }) else {
                break;
            };
            let one = part.cards[at] as usize;
            let other = part.cards[rng.below(part.cards.len() as u64) as usize] as usize;
            self.dealt.clone_from(&chain.dealt);
            self.dealt.swap(one, other);
            if one == other {
                continue;
            }
            if let Some(weight) = self.replay(plan.from, None)
                && rng.f64() < (weight - chain.weight).exp()
            {
                chain.weight = weight;
                chain.dealt.clone_from(&self.dealt);
                self.machine.save(&mut chain.state);
            }
        }
        plan.draws += 1;
        self.dealt.clone_from(&chain.dealt);
        state.clone_from(&chain.state);
        plan.chain = Some(chain);
        Ok(())
    }
}
