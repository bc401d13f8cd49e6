//! JSON in a model's answer. What is around it is forgiven, what is in it is not: an answer that does not have the shape
//! that was asked for is no answer, and never becomes text that is kept.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Places where an object may begin that are tried. Ours.
const PLACES_MAX: usize = 32;

/// The first whole JSON object of an answer: small models write words and fences around it.
pub fn object(answer: &str) -> Option<Map<String, Value>> {
    answer.match_indices('{').take(PLACES_MAX).find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&answer[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(object))) => Some(object),
            _ => None,
        }
    })
}

/// The answer as a `T`. `None` when it holds no object, or the object has another shape.
pub fn parsed<T: DeserializeOwned>(answer: &str) -> Option<T> {
    serde_json::from_value(Value::Object(object(answer)?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Shape {
        same: bool,
    }

    #[test]
    fn only_the_shape_that_was_asked_for() {
        let many = "{".repeat(10_000);
        for (name, answer, want) in [
            ("plain", r#"{"same":true}"#, Some(Shape { same: true })),
            ("in a fence", "Sure!\n```json\n{\"same\": false}\n```", Some(Shape { same: false })),
            ("a brace before it", r#"{hm} {"same":true}"#, Some(Shape { same: true })),
            ("another shape", r#"{"other":1}"#, None),
            ("a word for a truth", r#"{"same":"yes"}"#, None),
            ("a list", "[true]", None),
            ("prose", "They are the same.", None),
            ("cut short", r#"{"same":tr"#, None),
            ("nothing but braces", many.as_str(), None),
            ("nothing", "", None),
        ] {
            assert_eq!(parsed::<Shape>(answer), want, "{name}");
        }
    }
}
