//! Folds the rows of model calls into the usage report, the cost meter and the budget (contract section 2, "Usage" and
//! "Cost meter and budget").
//!
//! Pure sums over rows that were stored when each call ended; days, weeks and months are those of the person's own zone.
//! It must never put a price on a plan or a local call, and never call an unknown price nothing.

mod budget;
#[cfg(test)]
mod tests;

pub use budget::{AtLimit, BUDGET_WARNING_PERCENT, Budget, budget_state, budget_stops};

use jiff::tz::TimeZone;
use jiff::{ToSpan, ZonedDateTime};
use protocol::Timestamp;
use protocol::usage::{
    Billing, CostByModel, CostByRole, CostPeriod, CostReport, TokensByRole, UsageByDay, UsageByModel, UsageBySource,
    UsageReport, UsageTotals,
};
use std::collections::BTreeMap;

/// The role of calls that have none recorded.
const OTHER_ROLE: &str = "other";
/// Money is told to a hundredth of a cent at most; more digits are noise of adding.
const DOLLAR_STEPS: f64 = 1_000_000.0;

/// One model call, as it was stored.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageRow {
    pub at: Timestamp,
    /// `provider/model`.
    pub model: String,
    /// `chat`, `task`, … or `background`.
    pub source: String,
    /// The role it was called in, when known.
    pub role: Option<String>,
    pub billing: Billing,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// `None` when the price is not known, and for calls that cost nothing by themselves.
    pub cost_usd: Option<f64>,
}

impl UsageRow {
    fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    fn is_unpriced(&self) -> bool {
        self.billing == Billing::Paid && self.cost_usd.is_none()
    }

    /// What counts in dollars: only paid calls do.
    fn dollars(&self) -> Option<f64> {
        self.cost_usd.filter(|_| self.billing == Billing::Paid)
    }
}

/// Tokens, calls and dollars of one line of a report.
#[derive(Clone, Debug, Default)]
struct Sum {
    prompt: u64,
    completion: u64,
    calls: u64,
    dollars: Option<f64>,
    unpriced: u64,
    plan: u64,
    local: u64,
}

impl Sum {
    fn add(&mut self, row: &UsageRow) {
        self.prompt = self.prompt.saturating_add(row.prompt_tokens);
        self.completion = self.completion.saturating_add(row.completion_tokens);
        self.calls += 1;
        if let Some(cost) = row.dollars() {
            self.dollars = Some(self.dollars.unwrap_or(0.0) + cost);
        }
        self.unpriced += u64::from(row.is_unpriced());
        self.plan += u64::from(row.billing == Billing::Plan);
        self.local += u64::from(row.billing == Billing::Local);
    }

    fn cost(&self) -> Option<f64> {
        self.dollars.map(rounded)
    }

    fn tokens(&self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }
}

fn rounded(dollars: f64) -> f64 {
    (dollars * DOLLAR_STEPS).round() / DOLLAR_STEPS
}

/// Sums by a key, in the key's order.
fn by<'a, K: Ord>(rows: impl IntoIterator<Item = &'a UsageRow>, key: impl Fn(&'a UsageRow) -> K) -> Vec<(K, Sum)> {
    let mut sums: BTreeMap<K, Sum> = BTreeMap::new();
    for row in rows {
        sums.entry(key(row)).or_default().add(row);
    }
    sums.into_iter().collect()
}

/// The same, most tokens first; equal ones in the key's order.
fn by_tokens<'a, K: Ord>(
    rows: impl IntoIterator<Item = &'a UsageRow>,
    key: impl Fn(&'a UsageRow) -> K,
) -> Vec<(K, Sum)> {
    let mut sums = by(rows, key);
    sums.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.tokens()));
    sums
}

/// The moment from which on the rows of the last `days` days count: the start of the day that many days ago, today
/// included. At least one day.
pub fn days_start(now: Timestamp, days: u32, zone: &TimeZone) -> Timestamp {
    let today = start_of_day(&local(now, zone));
    let back = i64::from(days.clamp(1, 36_500)) - 1;
    to_timestamp(&today.checked_sub(back.days()).map_or(today, |day| start_of_day(&day)))
}

/// `GET /api/usage` over the rows given.
pub fn usage_report(rows: &[UsageRow], zone: &TimeZone) -> UsageReport {
    let mut total = Sum::default();
    rows.iter().for_each(|row| total.add(row));
    let by_model = by_tokens(rows, |row| row.model.clone()).into_iter().map(|(model, sum)| UsageByModel {
        model,
        prompt_tokens: sum.prompt,
        completion_tokens: sum.completion,
        calls: sum.calls,
        cost_usd: sum.cost(),
    });
    let by_source = by_tokens(rows, |row| row.source.clone()).into_iter().map(|(source, sum)| UsageBySource {
        source,
        prompt_tokens: sum.prompt,
        completion_tokens: sum.completion,
        calls: sum.calls,
        cost_usd: sum.cost(),
    });
    let day = |row: &UsageRow| local(row.at, zone).date();
    let by_day = by(rows, day).into_iter().map(|(day, sum)| UsageByDay {
        day: day.to_string(),
        prompt_tokens: sum.prompt,
        completion_tokens: sum.completion,
        calls: sum.calls,
        cost_usd: sum.cost(),
    });
    UsageReport {
        totals: UsageTotals {
            prompt_tokens: total.prompt,
            completion_tokens: total.completion,
            cost_usd: total.cost(),
        },
        by_model: by_model.collect(),
        by_source: by_source.collect(),
        by_day: by_day.collect(),
    }
}

/// `GET /api/usage/cost`. `rows` must reach back to [`periods_start`].
pub fn cost_report(
    rows: &[UsageRow],
    now: Timestamp,
    zone: &TimeZone,
    local_only: bool,
    budget: &Budget,
) -> CostReport {
    let starts = period_starts(now, zone);
    let periods = starts.iter().map(|(key, label, since)| {
        let from = to_timestamp(since);
        let within: Vec<&UsageRow> = rows.iter().filter(|row| row.at >= from && row.at <= now).collect();
        period(key, label, since, &within)
    });
    CostReport { local_only, periods: periods.collect(), budget: budget_state(rows, now, zone, budget) }
}

/// The earliest moment that the cost report looks at: the start of this month or of this week, whichever is earlier.
pub fn periods_start(now: Timestamp, zone: &TimeZone) -> Timestamp {
    period_starts(now, zone).iter().map(|(_, _, since)| to_timestamp(since)).min().unwrap_or(now)
}

fn period(key: &str, label: &str, since: &ZonedDateTime, rows: &[&UsageRow]) -> CostPeriod {
    let rows = || rows.iter().copied();
    let mut all = Sum::default();
    rows().for_each(|row| all.add(row));
    let tokens_of = |billing: Billing| rows().filter(|row| row.billing == billing).map(UsageRow::tokens).sum();
    let role = |row: &UsageRow| row.role.clone().unwrap_or_else(|| OTHER_ROLE.to_owned());
    let by_model =
        by_tokens(rows(), |row| (row.model.clone(), row.billing)).into_iter().map(|((model, billing), sum)| {
            CostByModel {
                model,
                billing,
                calls: sum.calls,
                prompt_tokens: sum.prompt,
                completion_tokens: sum.completion,
                cost_usd: sum.cost(),
                unpriced_calls: sum.unpriced,
            }
        });
    let by_role = by_tokens(rows(), role).into_iter().map(|(role, sum)| CostByRole {
        role,
        calls: sum.calls,
        prompt_tokens: sum.prompt,
        completion_tokens: sum.completion,
        cost_usd: sum.cost(),
        unpriced_calls: sum.unpriced,
        plan_calls: sum.plan,
        local_calls: sum.local,
    });
    let claude_code = rows().filter(|row| row.model.starts_with("claude-code/"));
    let claude_code_by_role = by_tokens(claude_code, role).into_iter().map(|(role, sum)| TokensByRole {
        role,
        calls: sum.calls,
        prompt_tokens: sum.prompt,
        completion_tokens: sum.completion,
    });
    CostPeriod {
        key: key.to_owned(),
        label: label.to_owned(),
        since: since.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        cost_usd: all.cost(),
        calls: all.calls,
        tokens: all.tokens(),
        paid_calls: all.calls - all.plan - all.local,
        unpriced_calls: all.unpriced,
        plan_calls: all.plan,
        plan_tokens: tokens_of(Billing::Plan),
        local_calls: all.local,
        local_tokens: tokens_of(Billing::Local),
        by_model: by_model.collect(),
        by_role: by_role.collect(),
        claude_code_by_role: claude_code_by_role.collect(),
    }
}

fn local(at: Timestamp, zone: &TimeZone) -> ZonedDateTime {
    at.to_jiff().to_zoned_datetime(zone.clone())
}

fn to_timestamp(moment: &ZonedDateTime) -> Timestamp {
    Timestamp::from_millis(moment.timestamp().as_millisecond())
}

/// The first moment of a day; where midnight was skipped by a clock change, the moment after.
fn start_of_day(moment: &ZonedDateTime) -> ZonedDateTime {
    moment.start_of_day().unwrap_or_else(|_| moment.clone())
}

fn start_of_month(moment: &ZonedDateTime) -> ZonedDateTime {
    moment.first_of_month().map_or_else(|_| moment.clone(), |first| start_of_day(&first))
}

fn period_starts(now: Timestamp, zone: &TimeZone) -> [(&'static str, &'static str, ZonedDateTime); 3] {
    let now = local(now, zone);
    let today = start_of_day(&now);
    let since_monday = i64::from(now.weekday().to_monday_zero_offset());
    let monday = now.checked_sub(since_monday.days()).map_or_else(|_| today.clone(), |day| start_of_day(&day));
    [("today", "Today", today), ("week", "This week", monday), ("month", "This month", start_of_month(&now))]
}
