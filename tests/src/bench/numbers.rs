//! Medians and how numbers are written.

use tokio::time::Duration;

/// Times of one thing, taken many times.
#[derive(Clone, Debug, Default)]
pub(super) struct Times(Vec<Duration>);

impl Times {
    pub(super) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(super) fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// The time that `share` of them do not exceed (nearest rank); zero when there are none.
    pub(super) fn at(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a rank among some thousands"
        )]
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    pub(super) fn p50(&self) -> Duration {
        self.at(0.50)
    }

    pub(super) fn p99(&self) -> Duration {
        self.at(0.99)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// In milliseconds.
pub(super) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// What one takes longer than the other, in milliseconds; may be negative.
pub(super) fn longer(one: Duration, other: Duration) -> f64 {
    millis(one) - millis(other)
}

/// `0.42 ms`, `12.3 ms`, `1,234 ms`: three figures are all a bench can mean.
pub(super) fn show_millis(millis: f64) -> String {
    format!("{} ms", figures(millis))
}

/// Three figures, with commas between thousands.
pub(super) fn figures(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 => thousands(number),
        size if size >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

fn thousands(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if number < 0.0 { format!("-{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut times = Times::default();
        assert_eq!(times.p50(), Duration::ZERO);
        for millis in (1..=100).rev() {
            times.push(Duration::from_millis(millis));
        }
        for (share, want) in [(0.0, 1), (0.5, 50), (0.99, 99), (1.0, 100)] {
            assert_eq!(times.at(share), Duration::from_millis(want), "{share}");
        }
    }

    #[test]
    fn numbers_have_three_figures() {
        for (number, want) in [
            (0.0, "0.00"),
            (0.4249, "0.42"),
            (9.5, "9.50"),
            (12.34, "12.3"),
            (123.4, "123"),
            (1_234.5, "1,234"),
            (35_000.0, "35,000"),
            (-1_234_567.0, "-1,234,567"),
        ] {
            assert_eq!(figures(number), want);
        }
    }
}
