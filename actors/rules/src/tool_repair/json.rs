//! Reads JSON the way small models write it.
//!
//! Exact JSON is a subset of what it takes. Beyond it: single quotes, keys without quotes, commas before a closing
//! bracket, Python's `True`, `False` and `None`, and line breaks inside strings. It must never fill in anything: a text
//! that ends too early is [`Problem::Truncated`], and a number that cannot be carried exactly is a problem, not a guess.

use serde_json::{Map, Number, Value};

/// Nested lists and objects. Deeper arguments are nobody's tool.
const DEPTH_MAX: usize = 48;

/// Why a text is not one JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// It ends in the middle.
    Truncated,
    /// The byte at which it stops making sense.
    Unexpected(usize),
    /// The same key twice with different values.
    TwoValues(String),
    /// A number that would lose digits.
    Inexact(String),
    TooDeep,
}

/// Reads a value that is the whole text, apart from blank space.
pub(super) fn whole(text: &str) -> Result<Value, Problem> {
    let (value, end) = prefix(text)?;
    if text[end..].trim().is_empty() { Ok(value) } else { Err(Problem::Unexpected(end)) }
}

/// Reads the value that `text` begins with; also says at which byte it ends.
pub(super) fn prefix(text: &str) -> Result<(Value, usize), Problem> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    Ok((value, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The next character that is not blank; `Truncated` at the end.
    fn peek(&mut self) -> Result<char, Problem> {
        let blank = self.rest().len() - self.rest().trim_start().len();
        self.at += blank;
        self.rest().chars().next().ok_or(Problem::Truncated)
    }

    fn value(&mut self, depth: usize) -> Result<Value, Problem> {
        if depth > DEPTH_MAX {
            return Err(Problem::TooDeep);
        }
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.list(depth),
            quote @ ('"' | '\'') => self.string(quote).map(Value::String),
            '-' | '0'..='9' => self.number(),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut members = Map::new();
        loop {
            let key = match self.peek()? {
                '}' => break,
                quote @ ('"' | '\'') => self.string(quote)?,
                _ => self.bare_key()?,
            };
            self.expect(':')?;
            let value = self.value(depth + 1)?;
            if members.get(&key).is_some_and(|earlier| *earlier != value) {
                return Err(Problem::TwoValues(key));
            }
            members.insert(key, value);
            if !self.another('}')? {
                break;
            }
        }
        self.at += 1;
        Ok(Value::Object(members))
    }

    fn list(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut items = Vec::new();
        while self.peek()? != ']' {
            items.push(self.value(depth + 1)?);
            if !self.another(']')? {
                break;
            }
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    /// After an item: true when a comma follows, false at the closing bracket (which stays).
    fn another(&mut self, close: char) -> Result<bool, Problem> {
        match self.peek()? {
            ',' => {
                self.at += 1;
                Ok(true)
            }
            c if c == close => Ok(false),
            _ => Err(Problem::Unexpected(self.at)),
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), Problem> {
        if self.peek()? != wanted {
            return Err(Problem::Unexpected(self.at));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    fn bare_key(&mut self) -> Result<String, Problem> {
        let word = self.rest();
        let length = word.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).unwrap_or(word.len());
        if length == word.len() && length > 0 {
            return Err(Problem::Truncated);
        }
        if length == 0 || word.starts_with(|c: char| c.is_numeric() || c == '-') {
            return Err(Problem::Unexpected(self.at));
        }
        let key = word[..length].to_owned();
        self.at += length;
        Ok(key)
    }

    fn word(&mut self) -> Result<Value, Problem> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let value = match &rest[..length] {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            word => {
                let begun =
                    ["true", "false", "null", "True", "False", "None"].iter().any(|full| full.starts_with(word));
                let cut = length == rest.len() && begun && !word.is_empty();
                return Err(if cut { Problem::Truncated } else { Problem::Unexpected(self.at) });
            }
        };
        self.at += length;
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Problem> {
        let rest = self.rest();
        let length = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let token = &rest[..length];
        // serde_json knows the grammar; what it takes must also be held exactly.
        serde_json::from_str::<Number>(token)
            .map_err(|_| if length == rest.len() { Problem::Truncated } else { Problem::Unexpected(self.at) })?;
        let is_whole = token.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
        let number = if is_whole {
            token.parse::<i64>().map(Number::from).or_else(|_| token.parse::<u64>().map(Number::from)).ok()
        } else {
            token.parse::<f64>().ok().and_then(Number::from_f64)
        };
        let number = number.ok_or_else(|| Problem::Inexact(token.to_owned()))?;
        self.at += length;
        Ok(Value::Number(number))
    }

    fn string(&mut self, quote: char) -> Result<String, Problem> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let Some(stop) = rest.find([quote, '\\']) else { return Err(Problem::Truncated) };
            out.push_str(&rest[..stop]);
            let is_end = rest[stop..].starts_with(quote);
            self.at += stop;
            if is_end {
                self.at += 1;
                return Ok(out);
            }
            out.push(self.escape()?);
        }
    }

    /// Reads one escape. Unknown ones are a problem: what was meant (`C:\data`, a pattern) cannot be told.
    fn escape(&mut self) -> Result<char, Problem> {
        let escape = &self.text[self.at + 1..];
        let c = escape.chars().next().ok_or(Problem::Truncated)?;
        let plain = match c {
            '"' | '\'' | '\\' | '/' => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode_escape(),
            _ => return Err(Problem::Unexpected(self.at)),
        };
        self.at += 2;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, Problem> {
        let unit = |text: &str, at: usize| -> Result<u32, Problem> {
            let rest = &text[at..];
            if rest.len() < 6 && (rest.starts_with("\\u") || "\\u".starts_with(rest)) {
                return Err(Problem::Truncated);
            }
            let digits = rest.strip_prefix("\\u").and_then(|rest| rest.get(..4));
            let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
            digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or(Problem::Unexpected(at))
        };
        let first = unit(self.text, self.at)?;
        let (code, length) = if (0xd800..0xdc00).contains(&first) {
            let second = unit(self.text, self.at + 6)?;
            if !(0xdc00..0xe000).contains(&second) {
                return Err(Problem::Unexpected(self.at));
            }
            (0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00), 12)
        } else {
            (first, 6)
        };
        let c = char::from_u32(code).ok_or(Problem::Unexpected(self.at))?;
        self.at += length;
        Ok(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_small_models_write() {
        for (text, want) in [
            (r#"{"a":1,"b":[true,null,"x"]}"#, json!({"a": 1, "b": [true, null, "x"]})),
            ("{'a': 'it\\'s', 'b': \"q'\"}", json!({"a": "it's", "b": "q'"})),
            ("{a: 1, b-c: 2, ключ: 3}", json!({"a": 1, "b-c": 2, "ключ": 3})),
            ("{\"a\": [1, 2,], \"b\": {},}", json!({"a": [1, 2], "b": {}})),
            ("{\"a\": True, \"b\": False, \"c\": None}", json!({"a": true, "b": false, "c": null})),
            ("{\"a\": \"line\nbreak\"}", json!({"a": "line\nbreak"})),
            (r#"{"a":"\u00e9\ud83d\ude00\n\/"}"#, json!({"a": "é😀\n/"})),
            ("{\"a\":1,\"a\":1}", json!({"a": 1})),
            ("-1.5e3", json!(-1500.0)),
            ("18446744073709551615", json!(u64::MAX)),
        ] {
            assert_eq!(whole(text), Ok(want), "{text}");
        }
    }

    #[test]
    fn what_is_not_filled_in() {
        let deep = "[".repeat(200);
        for (text, want) in [
            ("", Problem::Truncated),
            ("{", Problem::Truncated),
            ("{\"a", Problem::Truncated),
            ("{\"a\":", Problem::Truncated),
            ("{\"a\":\"b", Problem::Truncated),
            ("{\"a\":\"b\\", Problem::Truncated),
            ("{\"a\":tr", Problem::Truncated),
            ("{\"a\":-", Problem::Truncated),
            ("{\"a\":1", Problem::Truncated),
            ("{\"a\":1,", Problem::Truncated),
            ("[1", Problem::Truncated),
            ("{\"a\":1 \"b\":2}", Problem::Unexpected(7)),
            ("{\"a\":nope}", Problem::Unexpected(5)),
            ("{\"a\":01}", Problem::Unexpected(5)),
            ("{\"a\":\"\\d\"}", Problem::Unexpected(6)),
            ("{\"a\":\"\\ud83d\"}", Problem::Unexpected(12)),
            ("{\"a\":1} x", Problem::Unexpected(7)),
            ("{,}", Problem::Unexpected(1)),
            ("{\"a\":1,\"a\":2}", Problem::TwoValues("a".into())),
            ("123456789012345678901", Problem::Inexact("123456789012345678901".into())),
            (deep.as_str(), Problem::TooDeep),
        ] {
            assert_eq!(whole(text), Err(want), "{text}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter("JSON has no such number", |number| number.is_finite()).prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::btree_map(".{0,4}", inner, 0..3)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn exact_json_reads_as_it_is(value in any_json()) {
            prop_assert_eq!(whole(&value.to_string()), Ok(value.clone()));
            prop_assert_eq!(whole(&serde_json::to_string_pretty(&value).expect("a value")), Ok(value));
        }

        #[test]
        fn a_cut_object_never_reads(value in any_json(), part in 0.0f64..1.0) {
            let text = serde_json::json!({ "k": value }).to_string();
            let at = (0..text.len()).rev().find(|at| text.is_char_boundary(*at) && *at as f64 <= part * text.len() as f64);
            let cut = &text[..at.unwrap_or(0)];
            prop_assert_eq!(whole(cut), Err(Problem::Truncated), "{}", cut);
        }
    }
}
