//! The fields a reader is asked for: names and kinds.

use serde_json::Value;

/// Fields of one reading (contract section 10).
pub const FIELDS_MAX: usize = 12;
/// Characters of a field's name. Ours.
const NAME_CHARS_MAX: usize = 40;
/// Choices of one field, and characters of one. Ours.
const CHOICES_MAX: usize = 20;
const CHOICE_CHARS_MAX: usize = 60;

/// One field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub kind: Kind,
}

/// What a value may be (contract section 10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One sentence.
    Text,
    /// Written in the document.
    Email,
    /// Written in the document.
    Url,
    /// `YYYY-MM-DD`, with or without a time.
    Date,
    Number,
    YesNo,
    /// No spaces, a digit, written in the document.
    Id,
    Choices(Vec<String>),
}

impl Kind {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "text" => Self::Text,
            "email" => Self::Email,
            "url" => Self::Url,
            "date" => Self::Date,
            "number" => Self::Number,
            "yes_no" => Self::YesNo,
            "id" => Self::Id,
            text if text.contains('|') => {
                let choices: Vec<String> = text.split('|').map(|choice| choice.trim().to_owned()).collect();
                let fits = |choice: &String| !choice.is_empty() && choice.chars().count() <= CHOICE_CHARS_MAX;
                if choices.len() > CHOICES_MAX || !choices.iter().all(fits) {
                    return None;
                }
                Self::Choices(choices)
            }
            _ => return None,
        })
    }

    /// The kind as it was asked for.
    pub fn name(&self) -> String {
        match self {
            Self::Text => "text".into(),
            Self::Email => "email".into(),
            Self::Url => "url".into(),
            Self::Date => "date".into(),
            Self::Number => "number".into(),
            Self::YesNo => "yes_no".into(),
            Self::Id => "id".into(),
            Self::Choices(choices) => choices.join("|"),
        }
    }

    /// A value of this kind can hold words of whoever wrote the document.
    pub fn carries_words(&self) -> bool {
        matches!(self, Self::Text | Self::Email | Self::Url)
    }

    pub(super) fn instruction(&self) -> String {
        match self {
            Self::Text => "one short sentence".into(),
            Self::Email => "an email address as it is written in the document".into(),
            Self::Url => "a web address as it is written in the document".into(),
            Self::Date => "a date as YYYY-MM-DD, with a time behind it as HH:MM when there is one".into(),
            Self::Number => "a number without a unit".into(),
            Self::YesNo => "true or false".into(),
            Self::Id => "a number or code as it is written in the document".into(),
            Self::Choices(choices) => format!("one of {}", choices.join(", ")),
        }
    }
}

/// Reads `{name: kind}`, in the order of the names.
///
/// # Errors
/// What is wrong with it, for the model.
pub fn fields(spec: &Value) -> Result<Vec<Field>, String> {
    let object = spec.as_object().filter(|object| !object.is_empty());
    let object = object.ok_or("`fields` is an object of names and kinds, e.g. {\"total\": \"number\"}.")?;
    if object.len() > FIELDS_MAX {
        return Err(format!("At most {FIELDS_MAX} fields can be read at once."));
    }
    object
        .iter()
        .map(|(name, kind)| {
            if name.trim().is_empty() || name.chars().count() > NAME_CHARS_MAX {
                return Err(format!("A field's name has 1 to {NAME_CHARS_MAX} characters."));
            }
            let kind = kind.as_str().and_then(Kind::parse).ok_or_else(|| {
                format!(
                    "The kind of `{name}` is text, email, url, date, number, yes_no, id, or choices like \"a|b|c\"."
                )
            })?;
            Ok(Field { name: name.clone(), kind })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_can_be_asked_for() {
        let twelve: Value =
            (0..12).map(|n| (format!("f{n:02}"), json!("text"))).collect::<serde_json::Map<_, _>>().into();
        let mut thirteen = twelve.clone();
        thirteen["one more"] = json!("text");
        for (name, spec, want) in [
            ("twelve", twelve, Ok(12)),
            ("thirteen", thirteen, Err("At most 12")),
            ("choices", json!({ "a": "yes|no|maybe" }), Ok(1)),
            ("an empty choice", json!({ "a": "yes||no" }), Err("The kind of `a`")),
            ("an unknown kind", json!({ "a": "poem" }), Err("The kind of `a`")),
            ("no kind", json!({ "a": 5 }), Err("The kind of `a`")),
            ("no name", json!({ " ": "text" }), Err("A field's name")),
            ("nothing", json!({}), Err("`fields` is an object")),
            ("a list", json!(["a"]), Err("`fields` is an object")),
        ] {
            match (fields(&spec), want) {
                (Ok(read), Ok(count)) => assert_eq!(read.len(), count, "{name}"),
                (Err(told), Err(words)) => assert!(told.contains(words), "{name}: {told}"),
                (got, want) => panic!("{name}: {got:?} instead of {want:?}"),
            }
        }
        let kind = &fields(&json!({ "a": " x | y " })).expect("choices")[0].kind;
        assert_eq!((kind.name(), kind.carries_words()), ("x|y".to_owned(), false));
    }
}
