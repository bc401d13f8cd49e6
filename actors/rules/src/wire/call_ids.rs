//! Ids and names of calls in a form that a provider accepts.
//!
//! A chat may have begun with one provider and go on with another, and small models invent ids: what one accepts makes
//! the next refuse the whole prompt. The mapping is a function of the id alone, so a call and its result still match and
//! a cached prompt prefix stays the same.

use sha2::{Digest, Sha256};

/// What a provider takes as the id of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallIdRule {
    /// `^[a-zA-Z0-9_-]{1,64}$`: Anthropic's rule; the others take at least as much.
    Common,
    /// Exactly nine letters or digits: Mistral.
    NineAlphanumerics,
}

const COMMON_ID_CHARS_MAX: usize = 64;
const MISTRAL_ID_CHARS: usize = 9;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl CallIdRule {
    /// `id` itself where the provider takes it, else one made from its hash.
    pub fn apply(self, id: &str) -> String {
        match self {
            Self::Common if is_plain(id, COMMON_ID_CHARS_MAX) => id.to_owned(),
            Self::Common => format!("call_{}", base62(id, 22)),
            Self::NineAlphanumerics => {
                let fits = id.len() == MISTRAL_ID_CHARS && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
                if fits { id.to_owned() } else { base62(id, MISTRAL_ID_CHARS) }
            }
        }
    }
}

/// The name of a call in an old message, as every provider takes it (`^[a-zA-Z0-9_-]{1,64}$`). A model may have invented
/// a name with spaces; the call was refused then, and must not break the prompt now.
pub(super) fn plain_name(name: &str) -> String {
    if is_plain(name, COMMON_ID_CHARS_MAX) {
        return name.to_owned();
    }
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = name.chars().take(COMMON_ID_CHARS_MAX).map(plain).collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

fn is_plain(text: &str, chars_max: usize) -> bool {
    (1..=chars_max).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

fn base62(id: &str, chars: usize) -> String {
    let digest = Sha256::digest(id.as_bytes());
    digest.iter().take(chars).map(|byte| char::from(BASE62[usize::from(*byte) % BASE62.len()])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_that_fit_stay_as_they_are() {
        for (rule, id) in [
            (CallIdRule::Common, "toolu_01A-b"),
            (CallIdRule::Common, "x"),
            (CallIdRule::NineAlphanumerics, "gSIMJiOkT"),
        ] {
            assert_eq!(rule.apply(id), id);
        }
    }

    #[test]
    fn names_are_made_plain() {
        let long = "n".repeat(80);
        for (name, want) in [
            ("web_search", "web_search"),
            ("get weather", "get_weather"),
            ("a.b/ç", "a_b__"),
            ("", "unnamed"),
            (long.as_str(), &long[..64]),
        ] {
            assert_eq!(plain_name(name), want, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_id_becomes_one_the_provider_takes(id in ".{0,80}") {
            let common = CallIdRule::Common.apply(&id);
            prop_assert!(is_plain(&common, 64), "{common}");
            let nine = CallIdRule::NineAlphanumerics.apply(&id);
            prop_assert!(nine.len() == 9 && nine.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{nine}");
            prop_assert_eq!(CallIdRule::NineAlphanumerics.apply(&id), nine);
        }

        #[test]
        fn different_ids_stay_different(a in ".{0,20}", b in ".{0,20}") {
            prop_assume!(a != b);
            for rule in [CallIdRule::Common, CallIdRule::NineAlphanumerics] {
                prop_assert_ne!(rule.apply(&a), rule.apply(&b));
            }
        }
    }
}
