//! Currencies beside a number: signs, ISO codes, and the words people use.

use super::amounts::digit;
use crate::look_alike::visible;

const SIGNS: [(&str, &str); 18] = [
    ("R$", "BRL"),
    ("C$", "CAD"),
    ("A$", "AUD"),
    ("US$", "USD"),
    ("$", "USD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("¥", "JPY"),
    ("₹", "INR"),
    ("₩", "KRW"),
    ("₽", "RUB"),
    ("₺", "TRY"),
    ("₴", "UAH"),
    ("₫", "VND"),
    ("₱", "PHP"),
    ("฿", "THB"),
    ("₦", "NGN"),
    ("₿", "BTC"),
];

const NAMES: [(&str, &str); 60] = [
    ("usd", "USD"),
    ("dollar", "USD"),
    ("dollars", "USD"),
    ("bucks", "USD"),
    ("dólares", "USD"),
    ("eur", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("gbp", "GBP"),
    ("pound", "GBP"),
    ("pounds", "GBP"),
    ("quid", "GBP"),
    ("inr", "INR"),
    ("rs", "INR"),
    ("rupee", "INR"),
    ("rupees", "INR"),
    ("रुपये", "INR"),
    ("रुपए", "INR"),
    ("रुपया", "INR"),
    ("jpy", "JPY"),
    ("yen", "JPY"),
    ("円", "JPY"),
    ("cny", "CNY"),
    ("rmb", "CNY"),
    ("yuan", "CNY"),
    ("元", "CNY"),
    ("块", "CNY"),
    ("人民币", "CNY"),
    ("chf", "CHF"),
    ("francs", "CHF"),
    ("franken", "CHF"),
    ("cad", "CAD"),
    ("aud", "AUD"),
    ("nzd", "NZD"),
    ("sek", "SEK"),
    ("nok", "NOK"),
    ("dkk", "DKK"),
    ("kronor", "SEK"),
    ("kroner", "NOK"),
    ("pln", "PLN"),
    ("zloty", "PLN"),
    ("złoty", "PLN"),
    ("czk", "CZK"),
    ("huf", "HUF"),
    ("try", "TRY"),
    ("lira", "TRY"),
    ("rub", "RUB"),
    ("rubles", "RUB"),
    ("руб", "RUB"),
    ("рублей", "RUB"),
    ("uah", "UAH"),
    ("brl", "BRL"),
    ("reais", "BRL"),
    ("mxn", "MXN"),
    ("pesos", "MXN"),
    ("zar", "ZAR"),
    ("rand", "ZAR"),
    ("aed", "AED"),
    ("درهم", "AED"),
    ("krw", "KRW"),
];

/// A currency right before a number, and where it begins.
pub(super) fn before(text: &[char], at: usize) -> (usize, Option<&'static str>) {
    let mut end = at;
    while end > 0 && at - end < 2 && matches!(text[end - 1], ' ' | '.') {
        end -= 1;
    }
    let front: String = text[end.saturating_sub(4)..end].iter().collect();
    let sign = SIGNS.iter().find(|(sign, _)| front.to_uppercase().ends_with(&visible(sign).to_uppercase()));
    if let Some((sign, code)) = sign {
        return (end.saturating_sub(sign.chars().count()), Some(code));
    }
    let letters = text[..end].iter().rev().take(8).take_while(|c| is_letter(**c)).count();
    let word: String = text[end - letters..end].iter().collect::<String>().to_lowercase();
    let code = NAMES.iter().find(|(name, _)| *name == word).map(|(_, code)| *code);
    // `try 5` and `rand 5` are words before a number, not currencies.
    let code = code.filter(|_| !matches!(word.as_str(), "try" | "rand" | "pound" | "rub"));
    code.map_or((at, None), |code| (end - letters, Some(code)))
}

/// A currency right behind a number, and where it ends.
pub(super) fn after(text: &[char], end: usize) -> (usize, Option<&'static str>) {
    let start = end + usize::from(text.get(end).is_some_and(|c| matches!(c, ' ' | '-')));
    let behind: String = text[start.min(text.len())..].iter().take(3).collect();
    let signs = SIGNS.iter().find(|(sign, _)| behind.starts_with(visible(sign).as_str()));
    // Of a sign between two numbers it is not known to which it belongs; `5 $10` has it before the second.
    let free = |sign: &str| text.get(start + sign.chars().count()).copied().and_then(digit).is_none();
    if let Some((sign, code)) = signs.filter(|(sign, _)| free(sign)) {
        return (start + sign.chars().count(), Some(code));
    }
    let (stop, word) = word_after(text, end);
    let word = word.to_lowercase();
    match NAMES.iter().find(|(name, _)| visible(name) == word) {
        Some((_, code)) => (stop, Some(code)),
        None => (end, None),
    }
}

/// The word that follows, with at most one blank or hyphen before it, and where it ends.
pub(super) fn word_after(text: &[char], end: usize) -> (usize, String) {
    let start = end + usize::from(text.get(end).is_some_and(|c| matches!(c, ' ' | '-')));
    let word: String = text[start.min(text.len())..].iter().take(12).take_while(|c| is_letter(**c)).collect();
    (start + word.chars().count(), word)
}

pub(super) fn is_letter(c: char) -> bool {
    c.is_alphabetic() || unicode_normalization::char::is_combining_mark(c)
}
