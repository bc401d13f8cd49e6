//! Whether the battery keeps a dream from beginning (contract section 3, #296; rule 126).

use crate::local_queue::{Power, PowerLimits};

/// The same limits that hold back upkeep at the local model, so that a dream on a cloud model waits too. A charge that is
/// not known counts as low.
pub fn battery_holds(power: Power, limits: &PowerLimits) -> bool {
    match power {
        Power::Mains => false,
        Power::Battery { percent: None } => !limits.as_if_plugged_in,
        Power::Battery { percent: Some(percent) } => {
            let percent = u32::from(percent);
            percent <= limits.critical_percent || (!limits.as_if_plugged_in && percent <= limits.min_percent)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::config::Config;

    #[test]
    fn rule_90_a_low_battery_holds_a_dream() {
        let usual = PowerLimits::of(&Config::default());
        let lifted = PowerLimits { as_if_plugged_in: true, ..usual };
        for (name, power, limits, want) in [
            ("plugged in", Power::Mains, usual, false),
            ("nearly full", Power::Battery { percent: Some(90) }, usual, false),
            ("at the limit", Power::Battery { percent: Some(40) }, usual, true),
            ("at the limit, lifted", Power::Battery { percent: Some(40) }, lifted, false),
            ("critical, lifted", Power::Battery { percent: Some(15) }, lifted, true),
            ("not known", Power::Battery { percent: None }, usual, true),
            ("not known, lifted", Power::Battery { percent: None }, lifted, false),
        ] {
            assert_eq!(battery_holds(power, &limits), want, "{name}");
        }
    }
}
