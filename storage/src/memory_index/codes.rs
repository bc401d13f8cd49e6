//! Vectors as small whole numbers, and the scan over many of them.
//!
//! A component becomes one byte, so fifty thousand vectors of 384 components are 19 MB and fit where the processor reads
//! fast. The cosine that comes out is off by about 0.001: good enough to choose candidates, whose true cosine is then
//! taken from their rows.

/// How many candidates are kept before the worst are thrown away, as a multiple of what is wanted.
const SLACK: usize = 2;
/// The largest number a component of a question becomes. With codes up to 127, a sum over [`crate::vectors::DIMENSIONS_MAX`]
/// components stays below 2³¹.
const ASKED_MAX: f32 = 1_023.0;
const CODE_MAX: f32 = 127.0;

/// A question, ready for scanning.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    numbers: Vec<i16>,
    scale: f32,
}

impl Asked {
    pub(super) fn new(unit: &[f32]) -> Self {
        let scale = scale_of(unit, ASKED_MAX);
        #[expect(clippy::cast_possible_truncation, reason = "at most ASKED_MAX by its scale")]
        let numbers = unit.iter().map(|&it| (it / scale).round() as i16).collect();
        Self { numbers, scale }
    }

    /// The same from a stored code; exact.
    pub(super) fn of_code(code: &[i8], scale: f32) -> Self {
        Self { numbers: code.iter().map(|&it| i16::from(it)).collect(), scale }
    }

    pub(super) fn dimensions(&self) -> usize {
        self.numbers.len()
    }
}

/// What one whole number of the largest component stands for.
fn scale_of(vector: &[f32], largest: f32) -> f32 {
    let most = vector.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
    if most > 0.0 { most / largest } else { 1.0 }
}

/// Vectors of one length, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Codes {
    pub(super) ids: Vec<u64>,
    scales: Vec<f32>,
    codes: Vec<i8>,
    dimensions: usize,
}

impl Codes {
    pub(super) fn new(dimensions: usize) -> Self {
        Self { dimensions, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// One vector's code and what a one in it stands for.
    pub(super) fn get(&self, at: usize) -> (&[i8], f32) {
        (&self.codes[at * self.dimensions..][..self.dimensions], self.scales[at])
    }

    pub(super) fn push(&mut self, id: u64, unit: &[f32]) {
        debug_assert_eq!(unit.len(), self.dimensions, "the caller looks at the length");
        let scale = scale_of(unit, CODE_MAX);
        self.ids.push(id);
        self.scales.push(scale);
        #[expect(clippy::cast_possible_truncation, reason = "at most CODE_MAX by its scale")]
        self.codes.extend(unit.iter().map(|&it| (it / scale).round() as i8));
    }

    pub(super) fn push_code(&mut self, id: u64, code: &[i8], scale: f32) {
        self.ids.push(id);
        self.scales.push(scale);
        self.codes.extend_from_slice(code);
    }

    /// Takes a vector out. The last one comes into its place: answers which that is, if there is one.
    pub(super) fn swap_remove(&mut self, at: usize) -> Option<u64> {
        let last = self.len() - 1;
        self.codes.copy_within(last * self.dimensions.., at * self.dimensions);
        self.codes.truncate(last * self.dimensions);
        self.scales.swap_remove(at);
        self.ids.swap_remove(at);
        self.ids.get(at).copied()
    }

    /// Shows every vector's number and nearness to `best`.
    pub(super) fn scan(&self, asked: &Asked, best: &mut Best) {
        if asked.dimensions() != self.dimensions {
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the compiler cannot know the processor; four times as fast as without")]
            // SAFETY: the processor has just been asked whether it has these instructions. The function is safe otherwise.
            unsafe {
                self.scan_avx2(asked, best);
            }
            return;
        }
        self.scan_plain(asked, best);
    }

    /// [`Codes::scan_plain`] compiled for processors since about 2013.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn scan_avx2(&self, asked: &Asked, best: &mut Best) {
        self.scan_plain(asked, best);
    }

    #[inline(always)]
    fn scan_plain(&self, asked: &Asked, best: &mut Best) {
        let rows = self.codes.chunks_exact(self.dimensions);
        for ((code, scale), id) in rows.zip(&self.scales).zip(&self.ids) {
            let nearness = dot(&asked.numbers, code) * scale * asked.scale;
            if nearness > best.least {
                best.offer(nearness, *id);
            }
        }
    }
}

/// Whole numbers, so that the sum may be taken in any order and the compiler takes it many at a time.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "24 bits of a sum of 31 are more than a code is good for")]
fn dot(asked: &[i16], code: &[i8]) -> f32 {
    asked.iter().zip(code).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum::<i32>() as f32
}

/// The nearest seen so far.
#[derive(Debug)]
pub(super) struct Best {
    wanted: usize,
    /// What is not nearer than this needs no look.
    least: f32,
    found: Vec<(f32, u64)>,
}

impl Best {
    /// `least` is a nearness below which nothing is wanted.
    pub(super) fn new(wanted: usize, least: f32) -> Self {
        Self { wanted: wanted.max(1), least, found: Vec::new() }
    }

    fn offer(&mut self, nearness: f32, id: u64) {
        self.found.push((nearness, id));
        if self.found.len() >= self.wanted.saturating_mul(SLACK) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.found.len() > self.wanted {
            self.found.select_nth_unstable_by(self.wanted - 1, nearer_first);
            self.found.truncate(self.wanted);
        }
        if self.found.len() == self.wanted {
            let least = self.found.iter().map(|found| found.0).fold(f32::INFINITY, f32::min);
            self.least = self.least.max(least);
        }
    }

    /// At most as many as were wanted, nearest first.
    pub(super) fn done(mut self) -> Vec<(f32, u64)> {
        self.cut();
        self.found.sort_unstable_by(nearer_first);
        self.found
    }
}

/// Ties go to the smaller number, so that the same question is always answered the same.
fn nearer_first(a: &(f32, u64), b: &(f32, u64)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::unit;
    use proptest::prelude::*;

    fn some_vectors(dimensions: usize) -> impl Strategy<Value = Vec<Vec<f32>>> {
        proptest::collection::vec(proptest::collection::vec(-1.0_f32..1.0, dimensions), 1..60)
            .prop_map(|all| all.iter().filter_map(|vector| unit(vector)).collect())
    }

    fn filled(vectors: &[Vec<f32>]) -> Codes {
        let mut codes = Codes::new(vectors.first().map_or(0, Vec::len));
        for (id, vector) in (0..).zip(vectors) {
            codes.push(id, vector);
        }
        codes
    }

    proptest! {
        #[test]
        fn a_code_is_close_to_the_cosine(vectors in some_vectors(33)) {
            prop_assume!(!vectors.is_empty());
            let codes = filled(&vectors);
            let mut best = Best::new(vectors.len(), f32::NEG_INFINITY);
            codes.scan(&Asked::new(&vectors[0]), &mut best);
            let found = best.done();
            prop_assert_eq!(found.len(), vectors.len());
            for (nearness, id) in found {
                let other = &vectors[usize::try_from(id).expect("small")];
                let cosine: f32 = vectors[0].iter().zip(other).map(|(a, b)| a * b).sum();
                prop_assert!((nearness - cosine).abs() < 0.02, "{} {}", nearness, cosine);
            }
        }

        #[test]
        fn the_fast_way_and_the_plain_way_agree(vectors in some_vectors(70), wanted in 1..20_usize) {
            prop_assume!(!vectors.is_empty());
            let codes = filled(&vectors);
            let asked = Asked::new(&vectors[0]);
            let (mut fast, mut plain) = (Best::new(wanted, -2.0), Best::new(wanted, -2.0));
            codes.scan(&asked, &mut fast);
            codes.scan_plain(&asked, &mut plain);
            prop_assert_eq!(fast.done(), plain.done());
        }

        #[test]
        fn the_best_are_the_best(all in proptest::collection::vec((-1.0_f32..1.0, any::<u64>()), 0..200), wanted in 1..20_usize) {
            let mut best = Best::new(wanted, -2.0);
            for (nearness, id) in &all {
                if *nearness > best.least {
                    best.offer(*nearness, *id);
                }
            }
            let found: Vec<f32> = best.done().into_iter().map(|found| found.0).collect();
            let mut want: Vec<f32> = all.into_iter().map(|it| it.0).collect();
            want.sort_by(|a, b| b.total_cmp(a));
            want.truncate(wanted);
            prop_assert_eq!(found, want);
        }

        #[test]
        fn what_is_taken_out_is_gone_and_the_rest_stays(vectors in some_vectors(5), picks in proptest::collection::vec(any::<prop::sample::Index>(), 0..30)) {
            prop_assume!(!vectors.is_empty());
            let mut codes = filled(&vectors);
            let mut left: Vec<u64> = (0..vectors.len() as u64).collect();
            for pick in picks {
                if left.is_empty() {
                    break;
                }
                let at = pick.index(left.len());
                let moved = codes.swap_remove(at);
                left.swap_remove(at);
                prop_assert_eq!(moved, left.get(at).copied());
                prop_assert_eq!(&codes.ids, &left);
                for (at, id) in left.iter().enumerate() {
                    let again = filled(&[vectors[usize::try_from(*id).expect("small")].clone()]);
                    prop_assert_eq!(codes.get(at), again.get(0));
                }
            }
        }
    }

    #[test]
    fn the_longest_vectors_do_not_overflow() {
        let vector = unit(&vec![1.0; crate::vectors::DIMENSIONS_MAX]).expect("has a direction");
        let codes = filled(std::slice::from_ref(&vector));
        let mut best = Best::new(1, -2.0);
        codes.scan(&Asked::new(&vector), &mut best);
        assert!((best.done()[0].0 - 1.0).abs() < 0.001);
    }
}
