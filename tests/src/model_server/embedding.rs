//! Vectors for tests: made from the words of a text, so that texts that share words lie close together.

/// The vector of a text: every word adds to one dimension, then the length is made one. The same text always gives the
/// same vector; a text without words gives the first axis.
pub fn embedding(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0_f32; dimensions.max(1)];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        let at = usize::try_from(fnv1a(&word.to_lowercase()) % vector.len() as u64).expect("below the length");
        vector[at] += 1.0;
    }
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length == 0.0 {
        vector[0] = 1.0;
    } else {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    vector
}

/// FNV-1a, 64 bits: short, stable, and known values exist.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(one: &str, other: &str) -> f32 {
        embedding(one, 256).iter().zip(embedding(other, 256)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn shared_words_bring_texts_together() {
        assert!((cosine("the red car", "The red CAR!") - 1.0).abs() < 1e-5);
        assert!(
            cosine("anna likes green tea", "what tea does anna like") > cosine("anna likes green tea", "rust compiles")
        );
        assert!((cosine("", "") - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_known_hash() {
        // From the FNV reference test suite.
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }
}
