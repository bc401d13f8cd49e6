//! Web links in texts and arguments.

use crate::look_alike::{host, visible};
use std::collections::BTreeSet;
use url::Url;

/// Links of one text that are looked at. Ours.
pub const LINKS_MAX: usize = 2_000;

/// The hosts of the links in a text, each in its one spelling.
pub fn hosts(text: &str) -> BTreeSet<String> {
    let text = visible(text);
    let mut found = BTreeSet::new();
    let ends = |c: char| c.is_whitespace() || "<>\"'`()[]{}|\\^".contains(c);
    for token in text.split(ends).filter(|token| token.contains('.') || token.contains('\u{3002}')) {
        if found.len() >= LINKS_MAX {
            break;
        }
        found.extend(host_of(token.trim_end_matches(['.', ',', ';', ':', '!', '?'])));
    }
    found
}

/// The host of one link: with a scheme, with `www.`, or a bare host with a path.
fn host_of(token: &str) -> Option<String> {
    // What stands before a scheme in the same token (`see:https://…`) is not part of it.
    let lower = token.to_lowercase();
    if let Some(at) = lower.find("://") {
        let scheme: usize = lower[..at].chars().rev().take_while(char::is_ascii_alphanumeric).map(char::len_utf8).sum();
        let url = Url::parse(token.get(at - scheme..)?).ok()?;
        return host(url.host_str()?);
    }
    let rest = lower.strip_prefix("//").unwrap_or(&lower);
    let (name, _) = rest.split_once(['/', '?', '#']).unwrap_or((rest, ""));
    let is_link = rest.starts_with("www.") || (rest.len() > name.len() && !name.contains(['@', '=', ':']));
    let named = host(name.split(':').next()?)?;
    // The last part of a host is letters; `1.2/3` and `v1.5/x` are none.
    let ends_in_letters =
        named.rsplit('.').next().is_some_and(|last| last.len() > 1 && !last.starts_with(|c: char| c.is_ascii_digit()));
    (is_link && ends_in_letters).then_some(named)
}

/// Whether a text names this host, as a link or as a word.
pub fn names_host(words: &BTreeSet<String>, host: &str) -> bool {
    let plain = host.strip_prefix("www.").unwrap_or(host);
    words.iter().any(|known| {
        let known = known.strip_prefix("www.").unwrap_or(known);
        known == plain || plain.strip_suffix(known).is_some_and(|front| front.ends_with('.'))
    })
}

/// Everything in a text that could name a host, also without a path: `example.com`.
pub fn named_hosts(text: &str) -> BTreeSet<String> {
    let visible = visible(text);
    let mut found = hosts(text);
    let ends = |c: char| c.is_whitespace() || "<>\"'`()[]{}|\\^,;:!?/".contains(c);
    for token in visible.split(ends).filter(|token| token.contains('.')).take(LINKS_MAX) {
        found.extend(host(token.rsplit('@').next().unwrap_or(token).trim_matches('.')));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_texts() {
        for (text, want) in [
            ("see https://evil.example/a?b=c.", &["evil.example"][..]),
            ("[here](HTTPS://Evil.Example)", &["evil.example"]),
            ("www.evil.example", &["www.evil.example"]),
            ("evil.example/collect?d=1", &["evil.example"]),
            ("http://user:pass@evil.example:8080/", &["evil.example"]),
            ("https://ev\u{200b}il.example/", &["evil.example"]),
            ("https://évil.example/", &["xn--vil-9la.example"]),
            ("jo@example.com and file.txt", &[]),
            ("and/or 1.2/3", &[]),
            ("https://a.example https://b.example", &["a.example", "b.example"]),
        ] {
            let got: Vec<String> = hosts(text).into_iter().collect();
            assert_eq!(got, want, "{text}");
        }
        let given = named_hosts("look at example.com, please");
        assert!(names_host(&given, "example.com") && names_host(&given, "www.example.com"));
        assert!(names_host(&given, "docs.example.com") && !names_host(&given, "badexample.com"));
    }
}
