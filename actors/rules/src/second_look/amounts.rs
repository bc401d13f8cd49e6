//! Amounts of money in texts and arguments, as numbers that can be compared (contract section 10, "Second look").
//!
//! `$1,200`, `1.200,00 €`, `1 200`, `₹1,20,000`, `१२००`, `1.2k`, `2 lakh` and `twelve hundred` are read. Where a spelling
//! can mean two numbers (`1.200`), what the person wrote counts as both and what a call says as the larger one, so that
//! an amount can only be questioned for it, never waved through.

use super::{currencies, number_words};
use crate::look_alike::visible;
use std::collections::BTreeSet;

/// Amounts of one text that are looked at. Ours.
pub const AMOUNTS_MAX: usize = 2_000;
/// Digits of a number that is read; longer ones are account numbers and the like.
const DIGITS_MAX: usize = 15;
/// Amounts are counted in ten thousandths, so that cents and most units of coins are whole numbers.
const UNIT: i128 = 10_000;

/// An amount as it is written in a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    /// In ten thousandths.
    pub value: i128,
    /// ISO code, when one is written beside it.
    pub currency: Option<&'static str>,
    /// As it is written, for the sentence.
    pub shown: String,
}

/// The amounts somebody gave: every number, with the currency beside it if there is one.
#[derive(Clone, Debug, Default)]
pub struct Given(BTreeSet<(i128, Option<&'static str>)>);

impl Given {
    /// Takes in every number of a text.
    pub fn read(&mut self, text: &str) {
        for number in numbers(text) {
            for value in number.readings {
                self.0.insert((value, number.currency));
            }
        }
    }

    /// Whether this amount was given; a currency has to fit when both have one.
    pub fn has(&self, amount: &Amount) -> bool {
        let mut of_value = self.0.range((amount.value, None)..).take_while(|(value, _)| *value == amount.value);
        of_value.any(|(_, currency)| currency.is_none() || amount.currency.is_none() || *currency == amount.currency)
    }
}

/// The amounts of money in a text: numbers with a currency beside them.
pub fn in_text(text: &str) -> Vec<Amount> {
    numbers(text).into_iter().filter(|number| number.currency.is_some()).map(Number::amount).collect()
}

/// The amounts in a field that holds one: every number.
pub fn in_field(text: &str) -> Vec<Amount> {
    numbers(text).into_iter().map(Number::amount).collect()
}

/// Whether an argument's name says that it holds an amount.
pub fn is_amount_key(key: &str) -> bool {
    const NAMES: [&str; 14] = [
        "amount", "price", "total", "sum", "cost", "fee", "fare", "tip", "budget", "payment", "subtotal", "refund",
        "deposit", "amt",
    ];
    super::key_words(key).iter().any(|word| NAMES.contains(&word.as_str()))
}

struct Number {
    /// What it can mean; the last is the largest.
    readings: Vec<i128>,
    currency: Option<&'static str>,
    shown: String,
}

impl Number {
    fn amount(self) -> Amount {
        let value = self.readings.iter().copied().max().unwrap_or(0);
        Amount { value, currency: self.currency, shown: self.shown }
    }
}

/// Every number in a text, in order.
fn numbers(text: &str) -> Vec<Number> {
    let text: Vec<char> = visible(text).chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() && found.len() < AMOUNTS_MAX {
        let written = digits_at(&text, at)
            .or_else(|| number_words::number_at(&text, at).map(|(end, value)| (end, vec![value.saturating_mul(UNIT)])));
        let Some((end, readings)) = written else {
            at += 1;
            continue;
        };
        let (end, times) = multiplier(&text, end);
        let readings: Vec<i128> = readings.into_iter().map(|value| value.saturating_mul(times)).collect();
        let (start, before) = currencies::before(&text, at);
        let (stop, after) = if before.is_some() { (end, None) } else { currencies::after(&text, end) };
        let shown: String = text[start..stop].iter().collect();
        found.push(Number { readings, currency: before.or(after), shown: shown.trim().to_owned() });
        at = end.max(at + 1);
    }
    found
}

/// The value of a digit of any script people write amounts in.
pub(super) fn digit(c: char) -> Option<u32> {
    if c.is_ascii_digit() {
        return c.to_digit(10);
    }
    // The ten digits of each script stand in a row in Unicode; these are the scripts people write amounts in.
    const ZEROS: [u32; 14] =
        [0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0x17e0];
    ZEROS.iter().find_map(|zero| u32::from(c).checked_sub(*zero).filter(|value| *value < 10))
}

/// A number in digits that begins here: where it ends and what it can mean, in ten thousandths.
fn digits_at(text: &[char], at: usize) -> Option<(usize, Vec<i128>)> {
    digit(*text.get(at)?)?;
    if at > 0 && (text[at - 1].is_alphanumeric() && !is_currency_letter(text, at)) {
        return None; // part of a word or a longer number
    }
    let mut groups: Vec<Vec<u32>> = vec![Vec::new()];
    let mut separators: Vec<char> = Vec::new();
    let mut end = at;
    while end < text.len() {
        if let Some(value) = digit(text[end]) {
            groups.last_mut()?.push(value);
            end += 1;
        } else if is_separator(text[end]) && text.get(end + 1).copied().and_then(digit).is_some() {
            let blank = text[end] == ' ';
            // A blank groups digits only in threes: `1 200`, not `room 4 12`.
            if blank && digits_ahead(text, end + 1) != 3 {
                break;
            }
            separators.push(text[end]);
            groups.push(Vec::new());
            end += 1;
        } else {
            break;
        }
    }
    let readings = read_groups(&groups, &separators)?;
    Some((end, readings))
}

/// `R$5`, `USD5`: a letter right before the digits that belongs to a currency.
fn is_currency_letter(text: &[char], at: usize) -> bool {
    currencies::before(text, at).1.is_some()
}

fn digits_ahead(text: &[char], from: usize) -> usize {
    text[from..].iter().take_while(|c| digit(**c).is_some()).count()
}

fn is_separator(c: char) -> bool {
    matches!(c, '.' | ',' | '\'' | '’' | ' ' | '_' | '٬' | '٫' | '،')
}

/// What groups of digits can mean. `None`: too long to be an amount.
fn read_groups(groups: &[Vec<u32>], separators: &[char]) -> Option<Vec<i128>> {
    let digits: usize = groups.iter().map(Vec::len).sum();
    if digits > DIGITS_MAX || groups.iter().any(Vec::is_empty) {
        return None;
    }
    let whole = || value(groups, groups.len());
    let with_decimals = || value(groups, groups.len() - 1);
    let Some(last) = separators.last().copied() else { return Some(vec![whole()]) };
    let alike = separators.iter().filter(|c| **c == last).count();
    let tail = groups.last().map_or(0, Vec::len);
    let mixed = alike < separators.len();
    Some(match last {
        '٫' => vec![with_decimals()],
        '.' | ',' | '،' if mixed && alike == 1 => vec![with_decimals()],
        '.' | ',' | '،' if separators.len() == 1 && tail != 3 => vec![with_decimals()],
        '.' | ',' | '،' if separators.len() == 1 => vec![with_decimals(), whole()],
        _ => vec![whole()],
    })
}

/// The value of groups, the first `whole` of which stand before the decimal point, in ten thousandths.
fn value(groups: &[Vec<u32>], whole: usize) -> i128 {
    let before = groups[..whole].iter().flatten().fold(0, |sum: i128, digit| sum * 10 + i128::from(*digit));
    let decimals: Vec<u32> = groups[whole..].iter().flatten().copied().take(4).collect();
    let mut after = 0;
    for place in 0..4 {
        after = after * 10 + decimals.get(place).map_or(0, |digit| i128::from(*digit));
    }
    before.saturating_mul(UNIT).saturating_add(after)
}

/// Words behind a number that make it larger.
fn multiplier(text: &[char], end: usize) -> (usize, i128) {
    const WORDS: [(&str, i128); 24] = [
        ("thousand", 1_000),
        ("million", 1_000_000),
        ("millions", 1_000_000),
        ("billion", 1_000_000_000),
        ("hundred", 100),
        ("lakh", 100_000),
        ("lakhs", 100_000),
        ("lac", 100_000),
        ("crore", 10_000_000),
        ("crores", 10_000_000),
        ("mio", 1_000_000),
        ("mn", 1_000_000),
        ("mrd", 1_000_000_000),
        ("bn", 1_000_000_000),
        ("k", 1_000),
        ("m", 1_000_000),
        ("b", 1_000_000_000),
        ("tausend", 1_000),
        ("mil", 1_000),
        ("mille", 1_000),
        ("हज़ार", 1_000),
        ("हजार", 1_000),
        ("लाख", 100_000),
        ("करोड़", 10_000_000),
    ];
    const SIGNS: [(char, i128); 4] = [('万', 10_000), ('萬', 10_000), ('千', 1_000), ('亿', 100_000_000)];
    if let Some((_, times)) = text.get(end).and_then(|c| SIGNS.iter().find(|(sign, _)| sign == c)) {
        return (end + 1, *times);
    }
    let (stop, word) = currencies::word_after(text, end);
    let word = word.to_lowercase();
    // A single letter belongs to a number only when it touches it: `5k`, not `5 m`.
    let touches = text.get(end).is_some_and(|c| *c != ' ');
    let known = WORDS.iter().find(|(name, _)| visible(name) == word && (name.len() > 1 || touches));
    known.map_or((end, 1), |(_, times)| (stop, *times))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(i128, Option<&'static str>)> {
        in_field(text).into_iter().map(|amount| (amount.value / 100, amount.currency)).collect()
    }

    #[test]
    fn amounts_in_many_spellings() {
        // Values in cents.
        for (text, want, currency) in [
            ("$1,200", 120_000, Some("USD")),
            ("1.200,50 €", 120_050, Some("EUR")),
            ("1 200 euros", 120_000, Some("EUR")),
            ("1\u{a0}200,00\u{a0}€", 120_000, Some("EUR")),
            ("1\u{202f}200 €", 120_000, Some("EUR")),
            ("CHF 1'200.00", 120_000, Some("CHF")),
            ("₹1,20,000", 12_000_000, Some("INR")),
            ("₹ 2 lakh", 20_000_000, Some("INR")),
            ("१२०० रुपये", 120_000, Some("INR")),
            ("١٬٢٠٠٫٥٠", 120_050, None),
            ("500 rupees", 50_000, Some("INR")),
            ("Rs. 500", 50_000, Some("INR")),
            ("$1.5k", 150_000, Some("USD")),
            ("$2m", 200_000_000, Some("USD")),
            ("5万元", 5_000_000, Some("CNY")),
            ("five hundred dollars", 50_000, Some("USD")),
            ("twelve hundred", 120_000, None),
            ("two thousand and five", 200_500, None),
            ("a hundred and twenty-five euros", 12_500, Some("EUR")),
            ("３００ €", 30_000, Some("EUR")),
            ("$0.99", 99, Some("USD")),
            ("US$ 40", 4_000, Some("USD")),
            ("R$50", 5_000, Some("BRL")),
            ("五百元", 50_000, Some("CNY")),
        ] {
            assert_eq!(values(text), [(want, currency)], "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_of_money() {
        for text in ["meet at 5", "room 12", "on 2026-12-01", "a hundred people", "call 555 1234", "v1.2.3", ""] {
            assert_eq!(in_text(text), Vec::new(), "{text}");
        }
        assert_eq!(in_text("it costs $5 or 10 EUR, not 12").len(), 2);
    }

    #[test]
    fn an_amount_is_given_only_when_it_is_the_same() {
        for (given, amount, want) in [
            ("pay Sam 500", "$500", true),
            ("pay Sam five hundred rupees", "500", true),
            ("pay Sam 500 rupees", "$500", false),
            ("pay Sam $500", "$5,000", false),
            ("pay 1.200 €", "1200 EUR", true),
            ("pay 1.200 €", "1.2 EUR", true),
            ("pay $1.20", "$1,200", false),
            ("pay $1.2", "1.200 €", false),
            ("pay 1,20,000", "120000", true),
            ("pay 2k", "2000", true),
            ("pay", "1", false),
        ] {
            let mut known = Given::default();
            known.read(given);
            let [amount] = &in_field(amount)[..] else { panic!("{amount}") };
            assert_eq!(known.has(amount), want, "{given} / {amount:?}");
        }
    }

    #[test]
    fn names_of_fields_with_amounts() {
        for (key, want) in [
            ("amount", true),
            ("total_price", true),
            ("amountUsd", true),
            ("summary", false),
            ("to", false),
            ("sum", true),
        ] {
            assert_eq!(is_amount_key(key), want, "{key}");
        }
    }
}
