//! Two small macros, so that a setting's meaning, type, range and default stand in one place.
//!
//! They only write the struct or enum, its derives and its `Default`; nothing here knows a setting.

/// A group of settings. `pub name: Type = default,` gives the field, and its part of `Default`.
///
/// The doc comment of a field is its description in the JSON schema, in `docs/config.md` and in the example file, so it
/// is written for the person who sets it. `#[schemars(range(..))]` is the allowed range, checked by `check`.
macro_rules! section {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[$field_meta:meta])* pub $field:ident : $type:ty = $default:expr, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(default)]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }
    };
}

/// A closed set of values, written in snake_case.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$variant_meta:meta])* $variant:ident, )* }
    ) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $( $(#[$variant_meta])* $variant, )* }
    };
}

pub(crate) use {choice, section};
