//! What a helper may use up, and the plain sentences for its ends (contract section 10, "Limits").

use crate::turn::Budget;
use protocol::config::Config;

/// What was used on models outside this computer; local calls do not count (contract, `Budget`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub tokens: u64,
    /// Of calls whose price is known.
    pub cost_usd: f64,
}

/// What one helper may use; zero is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpendLimits {
    pub steps: u32,
    pub minutes: u32,
    pub tokens: u64,
    pub cost_usd: f64,
}

impl SpendLimits {
    /// `subagents.*`.
    pub fn of_helper(config: &Config) -> Self {
        let limits = &config.subagents;
        Self {
            steps: limits.max_rounds,
            minutes: limits.timeout_minutes,
            tokens: limits.max_tokens,
            cost_usd: limits.max_cost_usd,
        }
    }

    /// The limit of tokens or money that is reached. Checked before each model call, so work goes at most one call past it.
    pub fn reached(&self, spent: Spent) -> Option<Budget> {
        if self.tokens > 0 && spent.tokens >= self.tokens {
            Some(Budget::Tokens)
        } else if self.cost_usd > 0.0 && spent.cost_usd >= self.cost_usd {
            Some(Budget::Cost)
        } else {
            None
        }
    }
}

/// The sentence for a limit that was reached (contract, "Limits"; strings.tsv `subagent_steps`, `subagent_tokens`).
pub fn used_up(budget: Budget, limits: &SpendLimits, spent: Spent) -> String {
    match budget {
        Budget::Steps => format!("Stopped after {} without finishing.", count(limits.steps, "step")),
        Budget::Time => format!("Stopped after {} without finishing.", count(limits.minutes, "minute")),
        Budget::Tokens => format!(
            "Stopped after using {} tokens without finishing. The limit for one helper is {} tokens.",
            grouped(spent.tokens),
            grouped(limits.tokens)
        ),
        Budget::Cost => format!(
            "Stopped after spending about ${:.2} on the model without finishing. The limit for one helper is ${:.2}.",
            spent.cost_usd, limits.cost_usd
        ),
    }
}

/// The sentence for a step that gave the same result too often (contract section 4, "Repeated calls").
pub fn repeated(tool: &str, times: u32) -> String {
    format!(
        "Stopped because the same step kept repeating: {tool} ran {times} times with the same details and got the same \
         result each time."
    )
}

/// The sentence for a helper that was at work when the engine ended.
pub fn cut_off() -> &'static str {
    "Sentient was restarted while this helper was working, so it did not finish."
}

fn count(number: u32, unit: &str) -> String {
    if number == 1 { format!("1 {unit}") } else { format!("{number} {unit}s") }
}

/// `1000600` as `1,000,600`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_reached_and_said() {
        let limits = SpendLimits::of_helper(&Config::default());
        let spent = |tokens, cost_usd| Spent { tokens, cost_usd };
        for (name, spent, want) in [
            ("nothing", spent(0, 0.0), None),
            ("almost", spent(999_999, 1.99), None),
            ("tokens", spent(1_000_000, 0.0), Some(Budget::Tokens)),
            ("money", spent(10, 2.0), Some(Budget::Cost)),
        ] {
            assert_eq!(limits.reached(spent), want, "{name}");
        }
        let free = SpendLimits { tokens: 0, cost_usd: 0.0, ..limits };
        assert_eq!(free.reached(spent(u64::MAX, 1e9)), None, "zero is no limit");
        for (budget, want) in [
            (Budget::Steps, "Stopped after 24 steps without finishing."),
            (Budget::Time, "Stopped after 20 minutes without finishing."),
            (
                Budget::Tokens,
                "Stopped after using 1,000,600 tokens without finishing. The limit for one helper is 1,000,000 tokens.",
            ),
            (
                Budget::Cost,
                "Stopped after spending about $2.02 on the model without finishing. The limit for one helper is $2.00.",
            ),
        ] {
            assert_eq!(used_up(budget, &limits, spent(1_000_600, 2.018)), want);
        }
        assert_eq!(grouped(7), "7");
        assert_eq!(
            used_up(Budget::Steps, &SpendLimits { steps: 1, ..limits }, Spent::default()),
            "Stopped after 1 step without finishing."
        );
    }
}
