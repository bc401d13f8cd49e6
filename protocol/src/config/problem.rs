//! One thing that is wrong with a configuration, in the shape of the contract's 422 answer.

use serde::Serialize;
use std::fmt;

/// One entry of `detail: [{loc, msg, type}]` (contract section 2, "Config").
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The way to the value: section, key, and so on inward. Empty: the whole body.
    pub loc: Vec<String>,
    /// One plain sentence: what is wrong and what is allowed.
    pub msg: String,
    /// What kind of problem it is, one of [`kinds`].
    pub r#type: String,
}

impl Problem {
    pub(crate) fn new(loc: &[String], kind: &str, msg: impl Into<String>) -> Self {
        Self { loc: loc.to_vec(), msg: msg.into(), r#type: kind.to_owned() }
    }

    /// The dotted key it is about, as people write it.
    pub fn key(&self) -> String {
        self.loc.join(".")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.loc.is_empty() { f.write_str(&self.msg) } else { write!(f, "{}: {}", self.key(), self.msg) }
    }
}

/// The kinds of problems there are, by the names clients of the contract know.
pub mod kinds {
    /// A key that does not exist.
    pub const UNKNOWN: &str = "extra_forbidden";
    pub const BOOL: &str = "bool_type";
    pub const INTEGER: &str = "int_type";
    pub const NUMBER: &str = "float_type";
    pub const TEXT: &str = "string_type";
    pub const LIST: &str = "list_type";
    pub const MAP: &str = "dict_type";
    /// Not one of a closed set of values.
    pub const CHOICE: &str = "literal_error";
    pub const TOO_SMALL: &str = "greater_than_equal";
    pub const TOO_BIG: &str = "less_than_equal";
    pub const TOO_SHORT: &str = "string_too_short";
    pub const TOO_LONG: &str = "string_too_long";
    /// Too many entries of a list or map.
    pub const TOO_MANY: &str = "too_long";
    /// Anything else.
    pub const VALUE: &str = "value_error";
}
