//! When upkeep may use the local model on battery (contract section 3, rule 126): above a charge, after a while without
//! chats, in bursts, and whatever the battery says after the longest wait.
//!
//! It never holds what somebody waits for, and never a task.

use protocol::Timestamp;
use protocol::config::Config;
use protocol::engine::DeferredReason;

/// How long a burst lasts at most (contract section 3).
const BURST_MS: i64 = 5 * 60 * 1_000;
/// How long the model may be unused before a burst is over. Ours: upkeep that makes several calls thinks between them.
const BURST_GAP_MS: i64 = 30 * 1_000;

/// What the computer runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// Plugged in, or no battery at all.
    Mains,
    /// `percent` is `None` when the level is not known.
    Battery { percent: Option<u8> },
}

impl Power {
    /// Reads `SENTIENT_DEBUG_BATTERY`: `ac`, `battery` or a percent from 0 to 100. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "ac" => Some(Self::Mains),
            "battery" => Some(Self::Battery { percent: None }),
            text => text.parse().ok().filter(|percent| *percent <= 100).map(|p| Self::Battery { percent: Some(p) }),
        }
    }
}

/// The settings about the battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerLimits {
    pub min_percent: u32,
    pub idle_s: u32,
    pub upkeep_every_s: u32,
    /// `models.background_on_battery`: lifts the three above.
    pub as_if_plugged_in: bool,
    pub critical_percent: u32,
    pub max_wait_s: u32,
}

impl PowerLimits {
    pub fn of(config: &Config) -> Self {
        let models = &config.models;
        Self {
            min_percent: models.battery_min_percent,
            idle_s: models.battery_idle_s,
            upkeep_every_s: models.battery_upkeep_every_s,
            as_if_plugged_in: models.background_on_battery,
            critical_percent: models.battery_critical_percent,
            max_wait_s: models.battery_max_wait_s,
        }
    }
}

/// A stretch of upkeep on battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Burst {
    began: Timestamp,
    /// When upkeep last began or ended a call.
    used: Timestamp,
    /// A call that had waited longest opened it, so the charge does not matter.
    by_longest_wait: bool,
}

/// The bursts so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bursts {
    last: Option<Burst>,
}

/// An upkeep call that wants the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) since: Timestamp,
    pub(super) now: Timestamp,
    /// When the last chat reply used the model.
    pub(super) chat_ended: Option<Timestamp>,
}

/// Milliseconds since then. A clock that was put back says nothing about how long ago it was, so it counts as long ago.
fn since(now: Timestamp, then: Timestamp) -> i64 {
    let passed = now.as_millis().saturating_sub(then.as_millis());
    if passed < 0 { i64::MAX } else { passed }
}

fn millis(seconds: u32) -> i64 {
    i64::from(seconds) * 1_000
}

impl Bursts {
    /// Why the battery holds a call back; `None` when it may go.
    pub(super) fn holds(&self, power: Power, limits: &PowerLimits, wanted: Wanted) -> Option<DeferredReason> {
        let Power::Battery { percent } = power else { return None };
        let open = self.open(wanted.now);
        if waited_longest(limits, wanted) || open.is_some_and(|burst| burst.by_longest_wait) {
            return None;
        }
        let percent = percent.map(u32::from);
        if percent.is_some_and(|percent| percent <= limits.critical_percent) {
            return Some(DeferredReason::BatteryLow);
        }
        if limits.as_if_plugged_in {
            return None;
        }
        let low = percent.is_some_and(|percent| percent <= limits.min_percent);
        let idle = wanted.chat_ended.is_none_or(|ended| since(wanted.now, ended) >= millis(limits.idle_s));
        let next_burst = self.last.is_none_or(|last| since(wanted.now, last.began) >= millis(limits.upkeep_every_s));
        (low || !idle || (open.is_none() && !next_burst)).then_some(DeferredReason::Battery)
    }

    /// A call that the battery did not hold back begins.
    pub(super) fn began(&mut self, power: Power, limits: &PowerLimits, wanted: Wanted) {
        if power == Power::Mains {
            return;
        }
        match self.open(wanted.now) {
            Some(burst) => self.last = Some(Burst { used: wanted.now, ..burst }),
            None => {
                let by_longest_wait = waited_longest(limits, wanted);
                self.last = Some(Burst { began: wanted.now, used: wanted.now, by_longest_wait });
            }
        }
    }

    /// A call of upkeep ended.
    pub(super) fn ended(&mut self, now: Timestamp) {
        if let Some(burst) = &mut self.last {
            burst.used = now;
        }
    }

    fn open(&self, now: Timestamp) -> Option<Burst> {
        self.last.filter(|last| since(now, last.began) < BURST_MS && since(now, last.used) < BURST_GAP_MS)
    }
}

fn waited_longest(limits: &PowerLimits, wanted: Wanted) -> bool {
    since(wanted.now, wanted.since) >= millis(limits.max_wait_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn at(minutes: i64) -> Timestamp {
        Timestamp(1_000_000_000 + minutes * MINUTE)
    }

    fn limits() -> PowerLimits {
        PowerLimits::of(&Config::default())
    }

    fn wanted(now: i64) -> Wanted {
        Wanted { since: at(now), now: at(now), chat_ended: None }
    }

    #[test]
    fn the_debug_reading() {
        for (text, want) in [
            ("ac", Some(Power::Mains)),
            ("battery", Some(Power::Battery { percent: None })),
            (" 41 ", Some(Power::Battery { percent: Some(41) })),
            ("0", Some(Power::Battery { percent: Some(0) })),
            ("101", None),
            ("-1", None),
            ("full", None),
        ] {
            assert_eq!(Power::parse(text), want, "{text}");
        }
    }

    #[test]
    fn what_the_battery_holds_back() {
        use DeferredReason::{Battery, BatteryLow};
        let level = |percent| Power::Battery { percent: Some(percent) };
        let chatted = |minutes: i64| Wanted { chat_ended: Some(at(100 - minutes)), ..wanted(100) };
        let waited = |minutes: i64| Wanted { since: at(100 - minutes), ..wanted(100) };
        let lifted = PowerLimits { as_if_plugged_in: true, ..limits() };
        for (name, power, limits, wanted, want) in [
            ("plugged in", Power::Mains, limits(), chatted(0), None),
            ("enough charge", level(41), limits(), wanted(100), None),
            ("at the least charge", level(40), limits(), wanted(100), Some(Battery)),
            ("critical", level(15), limits(), wanted(100), Some(BatteryLow)),
            ("chatted just now", level(90), limits(), chatted(4), Some(Battery)),
            ("chatted a while ago", level(90), limits(), chatted(5), None),
            ("level unknown", Power::Battery { percent: None }, limits(), wanted(100), None),
            ("the switch lifts the limits", level(16), lifted, chatted(0), None),
            ("but not the critical charge", level(15), lifted, wanted(100), Some(BatteryLow)),
            ("it has waited longest", level(3), limits(), waited(120), None),
            ("it has not quite", level(3), limits(), waited(119), Some(BatteryLow)),
        ] {
            assert_eq!(Bursts::default().holds(power, &limits, wanted), want, "{name}");
        }
    }

    #[test]
    fn bursts_are_apart_and_end() {
        let (power, limits) = (Power::Battery { percent: Some(80) }, limits());
        let mut bursts = Bursts::default();
        bursts.began(power, &limits, wanted(0));
        bursts.ended(at(1));
        let soon = Wanted { now: Timestamp(at(1).as_millis() + 20_000), ..wanted(1) };
        assert_eq!(bursts.holds(power, &limits, soon), None, "the burst is open while upkeep keeps using the model");
        assert_eq!(bursts.holds(power, &limits, wanted(2)), Some(DeferredReason::Battery), "it was unused for a while");
        for minute in 1..=4 {
            bursts.ended(at(minute));
            bursts.began(power, &limits, Wanted { now: at(minute), ..wanted(0) });
        }
        bursts.ended(at(5));
        assert_eq!(bursts.holds(power, &limits, wanted(5)), Some(DeferredReason::Battery), "it lasts five minutes");
        assert_eq!(bursts.holds(power, &limits, wanted(29)), Some(DeferredReason::Battery));
        assert_eq!(bursts.holds(power, &limits, wanted(30)), None, "the next one");
    }

    #[test]
    fn the_rest_of_a_pass_follows_the_one_that_waited_longest() {
        let (power, limits) = (Power::Battery { percent: Some(5) }, limits());
        let mut bursts = Bursts::default();
        let first = Wanted { since: at(0), ..wanted(120) };
        assert_eq!(bursts.holds(power, &limits, first), None);
        bursts.began(power, &limits, first);
        bursts.ended(at(121));
        assert_eq!(bursts.holds(power, &limits, wanted(121)), None);
        assert_eq!(bursts.holds(power, &limits, wanted(125)), Some(DeferredReason::BatteryLow));
    }
}
