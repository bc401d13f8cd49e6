//! How long a short-term memory holds (`memory.md` section 3).

use super::words::{stem, words};
use protocol::Timestamp;

/// What a short-term memory gets that says no time.
pub const DEFAULT_MS: i64 = 7 * DAY_MS;
/// Longer than this nothing is short-term. Ours.
pub const DURATION_MS_MAX: i64 = 10 * 365 * DAY_MS;
/// A short-term memory that ends within this time "expires soon".
pub const SOON_MS: i64 = DAY_MS;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// A duration in words, such as `3 days`, `a week`, `two months` or `3 दिन`, in milliseconds; `None` when it is none.
pub fn parse(text: &str) -> Option<i64> {
    let words = words(text);
    let (at, unit) = words.iter().enumerate().find_map(|(at, word)| Some((at, unit(&word.key)?)))?;
    let count = at.checked_sub(1).map_or(Some(1.0), |before| count(&words[before].key))?;
    let millis = count * unit as f64;
    (millis >= 1.0 && millis <= DURATION_MS_MAX as f64).then_some(millis as i64)
}

/// When a memory ends. `duration` is what was said about its time; one that cannot be read counts as none.
pub fn expiry(now: Timestamp, duration: Option<&str>) -> Timestamp {
    now.plus_millis(duration.and_then(parse).unwrap_or(DEFAULT_MS))
}

fn unit(key: &str) -> Option<i64> {
    Some(match stem(key).as_str() {
        "minut" | "min" | "मिनट" => MINUTE_MS,
        "hour" | "hr" | "घंटा" | "घंटे" => HOUR_MS,
        "day" | "दिन" => DAY_MS,
        "week" | "सप्ताह" | "हफ्ता" | "हफ्ते" => 7 * DAY_MS,
        "month" | "महीना" | "महीने" => 30 * DAY_MS,
        "year" | "साल" | "वर्ष" => 365 * DAY_MS,
        _ => return None,
    })
}

fn count(key: &str) -> Option<f64> {
    if let Ok(number) = key.parse::<f64>() {
        return (number.is_finite() && number > 0.0).then_some(number);
    }
    let counts = ["a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let hindi = ["", "एक", "दो", "तीन", "चार", "पांच", "छह", "सात", "आठ", "नौ", "दस"];
    let place = counts.iter().position(|word| *word == key).or_else(|| hindi.iter().position(|word| *word == key));
    match (key, place) {
        ("an" | "the" | "this" | "next" | "for" | "about" | "इस", _) => Some(1.0),
        (_, Some(place)) => Some(place.max(1) as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_words() {
        for (text, want) in [
            ("3 days", Some(3 * DAY_MS)),
            ("a week", Some(7 * DAY_MS)),
            ("this week", Some(7 * DAY_MS)),
            ("two months", Some(60 * DAY_MS)),
            ("1 year", Some(365 * DAY_MS)),
            ("90 minutes", Some(90 * MINUTE_MS)),
            ("an hour", Some(HOUR_MS)),
            ("week", Some(7 * DAY_MS)),
            ("३ दिन", Some(3 * DAY_MS)),
            ("दो महीने", Some(60 * DAY_MS)),
            ("-3 days", Some(3 * DAY_MS)), // a dash before a number is a mark, as in "1-3 days"
            ("0 days", None),
            ("many days", None),
            ("99999999999999 years", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(parse(text), want, "{text}");
        }
        assert_eq!(expiry(Timestamp(1), None), Timestamp(1 + DEFAULT_MS));
        assert_eq!(expiry(Timestamp(1), Some("gibberish")), Timestamp(1 + DEFAULT_MS));
        assert_eq!(expiry(Timestamp(1), Some("2 days")), Timestamp(1 + 2 * DAY_MS));
    }
}
