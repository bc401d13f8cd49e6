//! Secrets that were handed in as environment variables.
//!
//! The variables are read once, elsewhere, and come in as a map: two engines in one process can have different ones.
//! Nothing here is ever printed.

use actors::ports::Secret;
use std::collections::HashMap;

/// The environment of this engine, as far as secrets go.
#[derive(Clone, Default)]
pub struct Environment(HashMap<String, Secret>);

impl Environment {
    /// Takes the variables over. Surrounding white space of a value is cut, and one that is empty counts as not set.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let set = variables.into_iter().filter_map(|(name, value)| {
            let value = value.trim();
            (!value.is_empty()).then(|| (name, Secret::new(value.to_owned())))
        });
        Self(set.collect())
    }

    /// The value of a variable, when it is set.
    pub fn get(&self, name: &str) -> Option<Secret> {
        self.0.get(name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_is_not_set() {
        let environment = Environment::new([("A".to_owned(), " sk-1\n".to_owned()), ("B".to_owned(), "  ".to_owned())]);
        assert_eq!(environment.get("A").expect("set").expose(), "sk-1");
        assert!(environment.get("B").is_none());
        assert!(environment.get("C").is_none());
    }
}
