//! When a dream begins by itself: once a local day, at or after the set time, when nobody is there and nothing is in the way.

use jiff::tz::TimeZone;
use protocol::Timestamp;

/// What the computer and the engine are doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quiet {
    /// A chat, a task or anything else has the model, or waits for it.
    pub model_busy: bool,
    /// On battery, and upkeep waits on battery (contract section 3, #296).
    pub on_battery: bool,
    pub stopped: bool,
    pub is_dreaming: bool,
}

/// What decides about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment<'a> {
    pub now: Timestamp,
    pub zone: &'a TimeZone,
    pub enabled: bool,
    /// `dreaming.time` in minutes after local midnight.
    pub minute_of_day: u16,
    /// `dreaming.require_idle_minutes`.
    pub idle_minutes: u32,
    /// The last message of the person or the end of the last reply.
    pub active_at: Option<Timestamp>,
    /// When the last dream began that the clock started.
    pub dreamed_at: Option<Timestamp>,
    pub quiet: Quiet,
}

/// Why no dream begins (memory.md, section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WhyNot {
    Disabled,
    Stopped,
    NotYetTime,
    AlreadyDreamed,
    Running,
    UserActive,
    Battery,
    ModelBusy,
}

/// The day of a moment where the person is.
pub fn local_day(at: Timestamp, zone: &TimeZone) -> jiff::civil::Date {
    at.to_jiff().to_zoned_datetime(zone.clone()).date()
}

/// Whether a dream begins now.
///
/// # Errors
/// The first reason against it.
pub fn begins(moment: &Moment<'_>) -> Result<(), WhyNot> {
    let local = moment.now.to_jiff().to_zoned_datetime(moment.zone.clone());
    let minute = i32::from(local.hour()) * 60 + i32::from(local.minute());
    let day = local.date();
    // A dream of "tomorrow" is one from before the clock was put back: it does not count for today.
    let dreamed = moment.dreamed_at.is_some_and(|at| local_day(at, moment.zone) == day);
    let idle_ms = i64::from(moment.idle_minutes) * 60_000;
    let active = moment.active_at.is_some_and(|at| {
        let since = moment.now.as_millis().saturating_sub(at.as_millis());
        since < idle_ms && since > -idle_ms
    });
    for (in_the_way, why) in [
        (!moment.enabled, WhyNot::Disabled),
        (moment.quiet.stopped, WhyNot::Stopped),
        (minute < i32::from(moment.minute_of_day), WhyNot::NotYetTime),
        (dreamed, WhyNot::AlreadyDreamed),
        (moment.quiet.is_dreaming, WhyNot::Running),
        (active, WhyNot::UserActive),
        (moment.quiet.on_battery, WhyNot::Battery),
        (moment.quiet.model_busy, WhyNot::ModelBusy),
    ] {
        if in_the_way {
            return Err(why);
        }
    }
    Ok(())
}
