//! Cutting many vectors into lists of neighbours (an inverted file, as in Jégou and others, "Product quantization for
//! nearest neighbor search", 2011, without the product quantisation), so that a question need not look at all of them.
//!
//! The centres are found by a few rounds of k-means over a sample, always the same for the same vectors. Nothing depends
//! on how good they are but the time and the last percent of what is found.

use super::codes::{Asked, Best, Codes};
use crate::vectors::unit;

/// Vectors up to which all of them are scanned: exact, and about a millisecond and a half.
pub(super) const EXACT_MAX: usize = 50_000;
/// Lists at most. Ours: comparing with every centre must stay cheap beside scanning the lists.
const LISTS_MAX: usize = 2_048;
/// Sampled vectors per list.
const SAMPLED_PER_LIST: usize = 32;
/// Rounds of k-means. The centres hardly move after that.
const ROUNDS: usize = 5;
/// A question looks at this many vectors at least, and at this share of all. Chosen on generated and on real sentence
/// vectors; see decision 0230.
const LOOKED_AT_MIN: usize = 20_000;
const LOOKED_AT_PERCENT: usize = 6;

/// The centres of the lists.
#[derive(Clone, Debug)]
pub(super) struct Centres {
    codes: Codes,
    dimensions: usize,
}

impl Centres {
    /// How many vectors of so many [`Centres::find`] wants to see.
    pub(super) fn sampled(vectors: usize) -> usize {
        lists_for(vectors) * SAMPLED_PER_LIST
    }

    /// Finds centres for `vectors` vectors from a sample of them. `None` when the sample is too small to be cut.
    pub(super) fn find(sample: &Codes, vectors: usize) -> Option<Self> {
        let lists = lists_for(vectors).min(sample.len());
        if lists < 2 {
            return None;
        }
        let dimensions = sample.get(0).0.len();
        let mut codes = Codes::new(dimensions);
        for list in 0..lists {
            let (code, scale) = sample.get(spread(list, sample.len()));
            codes.push_code(list as u64, code, scale);
        }
        let mut centres = Self { codes, dimensions };
        for _ in 0..ROUNDS {
            centres = centres.moved(sample);
        }
        Some(centres)
    }

    /// Every centre in the middle of what is nearest to it; one that nothing is near to stays where it is.
    fn moved(&self, sample: &Codes) -> Self {
        let mut sums = vec![0.0_f32; self.len() * self.dimensions];
        for at in 0..sample.len() {
            let (code, scale) = sample.get(at);
            let list = self.nearest(&Asked::of_code(code, scale));
            let sum = &mut sums[list * self.dimensions..][..self.dimensions];
            for (sum, &it) in sum.iter_mut().zip(code) {
                *sum += f32::from(it) * scale;
            }
        }
        let mut codes = Codes::new(self.dimensions);
        for (list, sum) in sums.chunks_exact(self.dimensions).enumerate() {
            match unit(sum) {
                Some(middle) => codes.push(list as u64, &middle),
                None => {
                    let (code, scale) = self.codes.get(list);
                    codes.push_code(list as u64, code, scale);
                }
            }
        }
        Self { codes, dimensions: self.dimensions }
    }

    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    pub(super) fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The list that a vector belongs to.
    pub(super) fn nearest(&self, asked: &Asked) -> usize {
        let mut best = Best::new(1, f32::NEG_INFINITY);
        self.codes.scan(asked, &mut best);
        best.done().first().map_or(0, |found| number(found.1))
    }

    /// All lists, the one whose centre is nearest first.
    pub(super) fn order(&self, asked: &Asked) -> impl Iterator<Item = usize> + use<> {
        let mut best = Best::new(self.len(), f32::NEG_INFINITY);
        self.codes.scan(asked, &mut best);
        best.done().into_iter().map(|found| number(found.1))
    }

    /// How many of so many vectors a question looks at.
    pub(super) fn enough(&self, vectors: usize) -> usize {
        LOOKED_AT_MIN.max(vectors / 100 * LOOKED_AT_PERCENT)
    }
}

/// Whether a shelf of so many vectors that is cut into so many lists should be cut anew.
pub(super) fn should_be_cut(vectors: usize, lists: usize, exact_max: usize) -> bool {
    // Lists twice too few or too many cost time, never a hit.
    vectors > exact_max && (lists == 0 || lists * 2 < lists_for(vectors))
}

fn lists_for(vectors: usize) -> usize {
    // Twice the root: finer lists find more for the same number of vectors looked at (0.999 instead of 0.95 of the nearest
    // ten among 100,000 in 2,000 clusters), and cost more only when they are made.
    (vectors.isqrt() * 2).clamp(2, LISTS_MAX)
}

/// The place of the nth pick among so many: spread evenly by the golden ratio, so that an order of the sample, such as
/// every tenth alike, is not an order of the picks.
fn spread(nth: usize, among: usize) -> usize {
    let turned = (nth as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    number(((u128::from(turned) * among as u128) >> 64) as u64)
}

fn number(id: u64) -> usize {
    usize::try_from(id).expect("numbers of lists are small")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors around a few directions, by a generator of their own (xorshift).
    fn clustered(count: usize, dimensions: usize) -> Codes {
        let mut state = 0x9E37_79B9_u32;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            f32::from(u16::try_from(state >> 16).expect("sixteen bits")) / 32_768.0 - 1.0
        };
        let directions: Vec<Vec<f32>> = (0..10).map(|_| (0..dimensions).map(|_| next()).collect()).collect();
        let mut codes = Codes::new(dimensions);
        for id in 0..count {
            let near: Vec<f32> = directions[id % 10].iter().map(|it| it + 0.3 * next()).collect();
            codes.push(id as u64, &unit(&near).expect("has a direction"));
        }
        codes
    }

    #[test]
    fn neighbours_come_into_the_same_list() {
        let all = clustered(2_000, 16);
        let centres = Centres::find(&all, 25).expect("is cut");
        assert_eq!(centres.len(), 10);
        let list = |at: usize| {
            let (code, scale) = all.get(at);
            centres.nearest(&Asked::of_code(code, scale))
        };
        // Two vectors of one direction are in one list nearly always; chance would be one in ten.
        let together = (0..1_000).filter(|&at| list(at) == list(at + 10)).count();
        assert!(together > 700, "{together} of 1000");
    }

    #[test]
    fn the_same_vectors_are_cut_the_same_way() {
        let all = clustered(500, 8);
        let (one, two) = (Centres::find(&all, 500).expect("is cut"), Centres::find(&all, 500).expect("is cut"));
        assert!((0..one.len()).all(|list| one.codes.get(list) == two.codes.get(list)));
    }

    #[test]
    fn when_it_is_cut() {
        for (vectors, lists, want) in [
            (EXACT_MAX, 0, false),
            (EXACT_MAX + 1, 0, true),
            (EXACT_MAX + 1, 446, false),
            (900_000, 446, true),
            (10_000_000, LISTS_MAX, false),
        ] {
            assert_eq!(should_be_cut(vectors, lists, EXACT_MAX), want, "{vectors} in {lists}");
        }
        assert!(Centres::find(&Codes::new(4), 100_000).is_none(), "nothing to see");
    }
}
