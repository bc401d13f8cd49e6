//! The model's file: flat, little endian, read where it lies. `assets/models/sentence-en/make/pack.py` writes it.
//!
//! ```text
//! 0   "SENTVEC1"
//! 8   u32 numbers of a vector   u32 pieces   u32 slots (a power of two)   u32 of the piece "unknown"
//! 24  u32 where each part begins: vanishing, spacing, alone, slots, offsets, letters, scales, rows, the end
//!     vanishing, spacing, alone: ranges of code points, first and last u32 each, ascending
//!     slots: u16 piece + 1 or 0, open addressing by FNV-1a of the piece's letters
//!     offsets: u32 into letters, one more than pieces
//!     letters: the pieces' UTF-8, the inner ones with "##" in front
//!     scales: f32 per piece, 0 for a piece that says nothing
//!     rows: i8 per number, piece after piece
//! ```

use crate::normal::Classes;
use crate::pieces;
use std::fmt;

const MAGIC: &[u8; 8] = b"SENTVEC1";
/// Bytes before the parts.
const HEAD: usize = 24 + PARTS * 4;
const PARTS: usize = 9;
/// Numbers of a vector, at most: no model of this kind has more.
const DIMENSIONS_MAX: usize = 4_096;
/// A piece's number fits a slot.
const PIECES_MAX: usize = u16::MAX as usize - 1;

/// A model, read where it lies. Cheap to make and to copy.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    dimensions: usize,
    pieces: usize,
    unknown: u32,
    pub(crate) classes: Classes<'a>,
    slots: &'a [u8],
    offsets: &'a [u8],
    letters: &'a [u8],
    scales: &'a [u8],
    rows: &'a [u8],
}

/// Bytes that are no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelError;

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("these bytes are not a sentence model")
    }
}

impl std::error::Error for ModelError {}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn size_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32_at(bytes, at)?).ok()
}

impl<'a> Model<'a> {
    /// Finds the parts.
    ///
    /// # Errors
    /// Bytes that are not a model, or are cut.
    pub fn of(bytes: &'a [u8]) -> Result<Self, ModelError> {
        Self::read(bytes).ok_or(ModelError)
    }

    fn read(bytes: &'a [u8]) -> Option<Self> {
        if bytes.first_chunk::<8>()? != MAGIC {
            return None;
        }
        let (dimensions, pieces, slots) = (size_at(bytes, 8)?, size_at(bytes, 12)?, size_at(bytes, 16)?);
        let begins: Vec<usize> = (0..PARTS).map(|part| size_at(bytes, 24 + 4 * part)).collect::<Option<_>>()?;
        let part = |number: usize| bytes.get(*begins.get(number)?..*begins.get(number + 1)?);
        let model = Self {
            dimensions,
            pieces,
            unknown: u32_at(bytes, 20)?,
            classes: Classes { vanishing: part(0)?, spacing: part(1)?, alone: part(2)? },
            slots: part(3)?,
            offsets: part(4)?,
            letters: part(5)?,
            scales: part(6)?,
            rows: part(7)?,
        };
        let fits = (1..=DIMENSIONS_MAX).contains(&dimensions)
            && (1..=PIECES_MAX).contains(&pieces)
            && slots.is_power_of_two()
            && slots > pieces
            && begins.first() == Some(&HEAD)
            && model.slots.len() == 2 * slots
            && model.offsets.len() == 4 * (pieces + 1)
            && model.scales.len() == 4 * pieces
            && model.rows.len() == dimensions * pieces
            && [model.classes.vanishing, model.classes.spacing, model.classes.alone].iter().all(|r| r.len() % 8 == 0);
        fits.then_some(model)
    }

    /// Numbers of a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many pieces it knows.
    pub fn pieces(&self) -> usize {
        self.pieces
    }

    /// The letters of a piece, `##` in front of an inner one.
    pub fn letters(&self, piece: u32) -> Option<&'a str> {
        let at = usize::try_from(piece).ok()?.checked_mul(4)?;
        let letters = self.letters.get(size_at(self.offsets, at)?..size_at(self.offsets, at + 4)?)?;
        std::str::from_utf8(letters).ok()
    }

    /// The number of a piece, `##` in front of an inner one.
    pub(crate) fn find(&self, inner: bool, word: &str) -> Option<u32> {
        let front: &[u8] = if inner { b"##" } else { b"" };
        let mask = self.slots.len() / 2 - 1;
        let mut slot = usize::try_from(fnv1a(front, word.as_bytes()) & 0xFFFF_FFFF).ok()? & mask;
        for _ in 0..=mask {
            let found = u16::from_le_bytes(*self.slots.get(2 * slot..)?.first_chunk()?);
            let piece = u32::from(found).checked_sub(1)?;
            let letters = self.letters(piece)?.as_bytes();
            if letters.strip_prefix(front).is_some_and(|rest| rest == word.as_bytes()) {
                return Some(piece);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// The pieces of a text, as the model it was learned from cuts it, without its marks for beginning and end.
    pub fn cut(&self, text: &str) -> Vec<u32> {
        pieces::cut(self, text, self.unknown)
    }

    /// The vector of a text, of length one. `None` when no piece of it is known.
    pub fn vector(&self, text: &str) -> Option<Vec<f32>> {
        let mut sum = vec![0.0_f32; self.dimensions];
        for piece in self.cut(text) {
            self.add(piece, &mut sum);
        }
        unit(sum)
    }

    fn add(&self, piece: u32, sum: &mut [f32]) {
        let Ok(at) = usize::try_from(piece) else { return };
        let Some(scale) = self.scales.get(4 * at..).and_then(<[u8]>::first_chunk) else { return };
        let scale = f32::from_le_bytes(*scale);
        if scale == 0.0 || !scale.is_finite() {
            return;
        }
        let Some(row) = self.rows.get(at * self.dimensions..(at + 1) * self.dimensions) else { return };
        for (total, &number) in sum.iter_mut().zip(row) {
            *total += scale * f32::from(number.cast_signed());
        }
    }
}

/// The same direction with length one. `None` when there is no direction.
fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length < 1e-9 {
        return None;
    }
    for number in &mut vector {
        #[expect(clippy::cast_possible_truncation, reason = "a number of length one fits an f32")]
        {
            *number = (f64::from(*number) / length) as f32;
        }
    }
    Some(vector)
}

/// The hash of the slots (Fowler, Noll, Vo: FNV-1a, 64 bit).
fn fnv1a(front: &[u8], word: &[u8]) -> u64 {
    front
        .iter()
        .chain(word)
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_model_is_whole() {
        let model = crate::builtin();
        assert_eq!((model.dimensions(), model.pieces()), (crate::DIMENSIONS, 30_522));
        for piece in 0..u32::try_from(model.pieces()).expect("it fits") {
            let letters = model.letters(piece).expect("letters");
            let (inner, word) = letters.strip_prefix("##").map_or((false, letters), |word| (true, word));
            assert_eq!(model.find(inner, word), Some(piece), "{letters}");
        }
    }

    #[test]
    fn cut_or_changed_bytes_are_no_model() {
        let whole = crate::builtin_bytes();
        for length in [0, 7, 8, 30, HEAD, HEAD + 100, whole.len() / 2, whole.len() - 1] {
            assert!(Model::of(&whole[..length]).is_err(), "{length}");
        }
        for at in 0..HEAD {
            let mut changed = whole[..HEAD].to_vec();
            changed[at] ^= 0xFF;
            assert!(Model::of(&changed).is_err(), "{at}");
        }
    }

    #[test]
    fn the_hash_is_the_published_one() {
        for (word, want) in
            [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)]
        {
            assert_eq!(fnv1a(b"", word.as_bytes()), want, "{word}");
        }
    }
}
