//! How sure a memory is, from where it was said (contract section 7; rule 84).

/// What the person typed in Memory or edited, and what they said is right.
pub const TYPED: f64 = 1.0;
/// What they said in a chat, or at the first start.
pub const SAID: f64 = 0.9;
const NOTES: f64 = 0.8;
const FILES: f64 = 0.7;
/// What an app said, and what waits for review.
pub const HELD: f64 = 0.6;
/// What each new source adds.
const AGAIN: f64 = 0.1;

/// How sure a memory is that was learned from this source. `held`: it waits for review.
pub fn of_source(source: &str, held: bool) -> f64 {
    if held {
        return HELD;
    }
    let kind = source.split_once(':').map_or(source, |(kind, _)| kind);
    match kind {
        "manual" => TYPED,
        "conversation" | "channel" | "device" | "onboarding" | "user_model" => SAID,
        "folder" => NOTES,
        "file" | "import" | "task" => FILES,
        _ => HELD,
    }
}

/// After one more source said it again.
pub fn again(confidence: f64) -> f64 {
    // Tenths, so that 0.6 and 0.1 are 0.7 and not a little less.
    (((confidence + AGAIN) * 1000.0).round() / 1000.0).clamp(0.0, 1.0)
}

/// After the person approved it from review.
pub fn approved(confidence: f64) -> f64 {
    confidence.max(SAID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "the rule gives exact tenths")]
    fn rule_84_confidence_starts_from_the_source() {
        for (source, held, want) in [
            ("manual", false, 1.0),
            ("conversation", false, 0.9),
            ("channel:telegram", false, 0.9),
            ("device:kitchen", false, 0.9),
            ("onboarding", false, 0.9),
            ("folder:vault", false, 0.8),
            ("file:resume.pdf", false, 0.7),
            ("import:chatgpt", false, 0.7),
            ("task:7", false, 0.7),
            ("app:gmail", false, 0.6),
            ("mcp", false, 0.6),
            ("conversation", true, 0.6),
            ("file:माया.pdf", true, 0.6),
        ] {
            assert_eq!(of_source(source, held), want, "{source} {held}");
        }
        assert_eq!(again(0.6), 0.7);
        assert_eq!((again(0.95), again(1.0)), (1.0, 1.0));
        assert_eq!((approved(0.6), approved(0.95)), (0.9, 0.95));
    }
}
