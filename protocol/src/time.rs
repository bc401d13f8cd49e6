//! Moments and how they are written. Nothing here reads a clock: the time is always handed in.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;

/// A moment in milliseconds since the Unix epoch.
///
/// In JSON it is an ISO-8601 UTC string (contract, preamble: `2026-10-10T09:00:00.000+00:00`); in stored records, which
/// are not self-describing, it is the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// This moment `millis` later (earlier when negative), clamped to what an `i64` holds.
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// The same moment for calendar arithmetic. Clamped to what jiff can represent (years -9999 to 9999).
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+00:00", self.to_jiff().strftime("%Y-%m-%dT%H:%M:%S.%3f"))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { serializer.collect_str(self) } else { serializer.serialize_i64(self.0) }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return i64::deserialize(deserializer).map(Self);
        }
        let text = String::deserialize(deserializer)?;
        let moment: jiff::Timestamp = text.parse().map_err(D::Error::custom)?;
        Ok(Self(moment.as_millisecond()))
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_text_for_people_and_a_number_in_the_store() {
        let moment = Timestamp(1_791_622_800_123);
        let json = serde_json::to_string(&moment).expect("a string");
        assert_eq!(json, r#""2026-10-10T09:00:00.123+00:00""#);
        assert_eq!(serde_json::from_str::<Timestamp>(&json).expect("reads back"), moment);
        let stored = postcard::to_allocvec(&moment).expect("bytes");
        assert_eq!(postcard::from_bytes::<Timestamp>(&stored).expect("reads back"), moment);
    }

    #[test]
    fn absurd_moments_do_not_panic() {
        for millis in [i64::MIN, i64::MAX, 0, -1] {
            assert!(!Timestamp(millis).to_string().is_empty());
        }
    }
}
