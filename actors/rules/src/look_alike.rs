//! Text as it reads, not as it is written: without characters nobody sees, and with letters that only look like others
//! turned into what they look like.
//!
//! Two things are told apart here and must stay apart. [`address`] makes spellings of *one* address equal (case, width,
//! invisible marks, punycode, plus-addresses). [`folded`] makes *different* texts equal that a person cannot tell apart;
//! what is only equal there is a warning and never a match. Sources: UTS #39 (confusables), UTS #46 (IDNA), RFC 5233.

use unicode_normalization::UnicodeNormalization;

/// Characters of a text that are looked at. Ours; an argument or a result beyond it is cut.
pub const TEXT_CHARS_MAX: usize = 400_000;
/// How often a text is folded until it stays the same. Ours; more than three were never seen.
const FOLDS_MAX: usize = 8;

/// Whether a character takes no room on the screen: joiners, direction marks, selectors, tags, fillers.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{feff}'
        | '\u{ffa0}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || (c.is_control() && !matches!(c, '\n' | '\t' | '\r'))
}

/// A text without invisible characters, with wide, small and styled letters as plain ones (NFKC).
pub fn visible(text: &str) -> String {
    let mut seen: String = text.chars().take(TEXT_CHARS_MAX).filter(|c| !is_invisible(*c)).nfkc().collect();
    // Normalising can bring an invisible character out of another one, and the other way round.
    for _ in 0..FOLDS_MAX {
        let again: String = seen.chars().filter(|c| !is_invisible(*c)).nfkc().collect();
        if again == seen {
            break;
        }
        seen = again;
    }
    seen
}

/// [`visible`] in small letters.
fn small(text: &str) -> String {
    let mut seen = visible(text).to_lowercase();
    for _ in 0..FOLDS_MAX {
        let again = visible(&seen).to_lowercase();
        if again == seen {
            break;
        }
        seen = again;
    }
    seen
}

/// [`visible`], in small letters, and every letter that only looks like an ASCII one turned into it. ASCII letters stay
/// what they are (`1` and `l` are not the same). For finding imitations; never for deciding that two things are one.
pub fn folded(text: &str) -> String {
    let mut seen = visible(text).to_lowercase();
    for _ in 0..FOLDS_MAX {
        let again: String = visible(&seen).chars().flat_map(plain_letter).collect::<String>().to_lowercase();
        if again == seen {
            break;
        }
        seen = again;
    }
    seen
}

/// The ASCII letters a character imitates, or itself.
fn plain_letter(c: char) -> Vec<char> {
    if c.is_ascii() {
        return vec![c];
    }
    let mut bytes = [0; 4];
    let skeleton: Vec<char> = unicode_security::skeleton(c.encode_utf8(&mut bytes)).collect();
    let plain: Vec<char> = skeleton.iter().copied().filter(char::is_ascii).collect();
    // An accent over a plain letter (`é`) is a letter of its own; what is left of it says what it imitates.
    if plain.len() == skeleton.len() { plain } else { vec![c] }
}

/// One spelling for one mail address, or `None` when it is none. `Jo@Example.com`, `jo+news@example.com`,
/// `ｊｏ@example.com` and `jo@EXAMPLE。com` are one; `bücher@` stays itself, and a domain is in its ASCII form.
pub fn address(text: &str) -> Option<String> {
    let text = small(text);
    let (local, domain) = text.trim().rsplit_once('@')?;
    let quotes = ['"', '\'', ' '];
    let local = local.trim_matches(quotes);
    let named = local.split_once('+').map_or(local, |(name, _)| name).trim_matches(quotes);
    let local = if named.is_empty() { local } else { named };
    let domain = host(domain)?;
    let whole = !local.is_empty() && !local.contains(|c: char| c.is_whitespace() || c == '@' || c == '<');
    whole.then(|| format!("{local}@{domain}"))
}

/// One spelling for one host, in its ASCII form; `None` when it is no name with a dot in it.
pub fn host(text: &str) -> Option<String> {
    let text = visible(text).replace('\u{3002}', ".");
    let text = text.trim().trim_end_matches('.');
    let ascii = idna::domain_to_ascii(text).ok()?;
    let ascii = ascii.trim_end_matches('.');
    let fine = ascii.contains('.')
        && ascii.split('.').all(|label| !label.is_empty())
        && ascii.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    fine.then(|| ascii.to_owned())
}

/// What an address or a host reads like: its domain in letters, and [`folded`].
pub fn reads_like(address: &str) -> String {
    let (front, domain) = address.rsplit_once('@').map_or(("", address), |(local, domain)| (local, domain));
    let (unicode, _) = idna::domain_to_unicode(domain);
    let domain = folded(&unicode);
    if front.is_empty() { domain } else { format!("{}@{domain}", folded(front)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_one_address_are_one() {
        for (name, spelling) in [
            ("as it is", "jo@example.com"),
            ("case", "Jo@Example.COM"),
            ("a plus address", "jo+shop@example.com"),
            ("wide letters", "ｊｏ＠ｅｘａｍｐｌｅ．ｃｏｍ"),
            ("an ideographic dot", "jo@example。com"),
            ("zero width", "j\u{200b}o@exam\u{2060}ple.com"),
            ("a direction mark", "\u{202e}jo@example.com\u{202c}"),
            ("a soft hyphen", "jo@exam\u{ad}ple.com"),
            ("tag characters", "jo\u{e0061}\u{e0062}@example.com"),
            ("styled letters", "𝐣𝐨@example.com"),
            ("a dot at the end", "jo@example.com."),
        ] {
            assert_eq!(address(spelling).as_deref(), Some("jo@example.com"), "{name}");
        }
        assert_eq!(address("sam@bücher.example").as_deref(), Some("sam@xn--bcher-kva.example"));
        assert_eq!(address("sam@XN--BCHER-KVA.example").as_deref(), Some("sam@xn--bcher-kva.example"));
    }

    #[test]
    fn imitations_read_alike_and_are_still_others() {
        for (name, imitation, real) in [
            ("a Cyrillic a", "\u{430}rjun@example.com", "arjun@example.com"),
            ("a Cyrillic domain", "jo@ex\u{430}mple.com", "jo@example.com"),
            ("its punycode", "jo@xn--exmple-4nf.com", "jo@example.com"),
            ("a Greek omicron", "j\u{3bf}@example.com", "jo@example.com"),
        ] {
            let (imitation, real) = (address(imitation).expect(name), address(real).expect(name));
            assert_ne!(imitation, real, "{name}");
            assert_eq!(reads_like(&imitation), reads_like(&real), "{name}");
        }
        assert_ne!(reads_like("paypa1@example.com"), reads_like("paypal@example.com"), "plain letters stay");
        assert_eq!(folded("ɡооd"), "good");
        assert_eq!(folded("café"), "café");
    }

    #[test]
    fn what_is_no_address() {
        for text in ["", "jo", "@example.com", "jo@", "jo@localhost", "a b@example.com", "jo@exa mple.com", "jo@.com"] {
            assert_eq!(address(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_laws_hold(text in "(\\PC|[a-z0-9.+@-]|\u{200b}|\u{430}){0,40}") {
            crate::oracles::check_look_alike(&text);
        }

        /// Two different plain addresses are never taken for one.
        #[test]
        fn plain_addresses_stay_apart(one in "[a-z0-9._-]{1,8}@[a-z0-9]{1,8}\\.(com|org)", other in "[a-z0-9._-]{1,8}@[a-z0-9]{1,8}\\.(com|org)") {
            crate::oracles::check_plain_addresses(&one, &other);
        }
    }
}
