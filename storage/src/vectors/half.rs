//! Half-precision numbers (IEEE 754 binary16): half the bytes, and an error a search cannot notice.
//!
//! A component of a unit vector keeps eleven significant bits, so a cosine is wrong by less than 0.0005.

/// The components as half-precision numbers, little endian.
pub fn to_half(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|&it| bits_of(it).to_le_bytes()).collect()
}

/// The components again. An odd byte at the end is none.
pub fn from_half(bytes: &[u8]) -> Vec<f32> {
    let (pairs, _) = bytes.as_chunks::<2>();
    pairs.iter().map(|&pair| number_of(u16::from_le_bytes(pair))).collect()
}

/// Rounds to the nearest, ties to even.
fn bits_of(number: f32) -> u16 {
    let bits = number.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7FFF_FFFF;
    if magnitude > 0x7F80_0000 {
        return sign | 0x7E00; // not a number
    }
    if magnitude >= 0x477F_F000 {
        return sign | 0x7C00; // rounds to more than the largest: infinite
    }
    if magnitude >= 0x3880_0000 {
        // A normal number: the exponent's bias goes from 127 to 15, thirteen bits are rounded away. A carry out of the
        // fraction goes into the exponent, as it should.
        let odd = (magnitude >> 13) & 1;
        let rebiased = magnitude - (112 << 23);
        return sign | ((rebiased + 0x0FFF + odd) >> 13) as u16;
    }
    // Below the normal ones: counted in steps of two to the minus 24th. The scaled number is small, so `round_ties_even`
    // is exact.
    let steps = (f32::from_bits(magnitude) * 16_777_216.0).round_ties_even();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1024")]
    let steps = steps as u16;
    sign | steps
}

fn number_of(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let exponent = u32::from(bits >> 10) & 0x1F;
    let fraction = u32::from(bits & 0x03FF);
    let magnitude = match exponent {
        0 => return f32::from_bits(sign | (f32::from(bits & 0x03FF) / 16_777_216.0).to_bits()),
        31 => 0x7F80_0000 | (fraction << 13),
        _ => ((exponent + 112) << 23) | (fraction << 13),
    };
    f32::from_bits(sign | magnitude)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_half_reads_back_as_it_was() {
        for bits in 0..=u16::MAX {
            let number = number_of(bits);
            if number.is_nan() {
                assert!(number_of(bits_of(number)).is_nan(), "{bits:04x}");
            } else {
                assert_eq!(bits_of(number), bits, "{bits:04x} is {number}");
            }
        }
    }

    #[test]
    fn known_numbers() {
        for (number, want) in [
            (0.0, 0x0000),
            (-0.0, 0x8000),
            (1.0, 0x3C00),
            (-2.0, 0xC000),
            (65_504.0, 0x7BFF),
            (65_520.0, 0x7C00),
            (1e10, 0x7C00),
            (5.960_464_5e-8, 0x0001),
            (6.097_555e-5, 0x03FF),
            (6.103_515_6e-5, 0x0400),
            (1.0 + 1.0 / 2048.0, 0x3C00),
            (1.0 + 3.0 / 2048.0, 0x3C02),
            (0.333_333_34, 0x3555),
        ] {
            assert_eq!(bits_of(number), want, "{number}");
        }
    }

    proptest! {
        #[test]
        fn a_component_is_off_by_a_two_thousandth_at_most(number in -1.0_f32..1.0) {
            let back = from_half(&to_half(&[number]))[0];
            prop_assert!((back - number).abs() <= number.abs() / 2048.0 + 6e-8, "{} {}", number, back);
        }

        #[test]
        fn the_nearer_of_two_halves_is_taken(number in any::<f32>()) {
            prop_assume!(number.is_finite() && number.abs() < 65_000.0);
            let bits = bits_of(number);
            let off = |bits: u16| (f64::from(number_of(bits)) - f64::from(number)).abs();
            for neighbour in [bits.wrapping_sub(1), bits.wrapping_add(1)] {
                let same_sign = (neighbour ^ bits) & 0x8000 == 0;
                if same_sign && number_of(neighbour).is_finite() {
                    prop_assert!(off(bits) <= off(neighbour), "{} {:04x}", number, bits);
                }
            }
        }
    }
}
