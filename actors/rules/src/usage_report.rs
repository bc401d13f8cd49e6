//! Folds the rows of model calls into the usage report, the cost meter and the budget (contract section 2, "Usage" and
//! "Cost meter and budget").
//!
//! Pure sums over rows that were stored when each call ended; days, weeks and months are those of the person's own zone.
//! It must never put a price on a plan or a local call, and never call an unknown price nothing.

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{ToSpan, Zoned};
use protocol::Timestamp;
use protocol::usage::{
    Billing, BudgetLevel, BudgetState, CostByModel, CostByRole, CostPeriod, CostReport, TokensByRole, UsageByDay,
    UsageByModel, UsageBySource, UsageReport, UsageTotals,
};
use std::collections::BTreeMap;

/// Share of the budget from which on the meter warns (contract).
pub const BUDGET_WARNING_PERCENT: u32 = 80;
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

/// What a budget does when it is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtLimit {
    /// The person may keep going for the rest of the month.
    Ask,
    Stop,
}

impl AtLimit {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Stop => "stop",
        }
    }
}

/// The person's budget, from the configuration and the store.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// US dollars a month; 0 means none.
    pub monthly_usd: f64,
    pub at_limit: AtLimit,
    /// The month (`YYYY-MM`) for which the person said to keep going.
    pub kept_going_month: Option<String>,
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

fn period(key: &str, label: &str, since: &Zoned, rows: &[&UsageRow]) -> CostPeriod {
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

/// The budget and how much of it this month's rows have used. Plan and local models never count.
pub fn budget_state(rows: &[UsageRow], now: Timestamp, zone: &TimeZone, budget: &Budget) -> BudgetState {
    let month_start = start_of_month(&local(now, zone));
    let from = to_timestamp(&month_start);
    let spent = rounded(rows.iter().filter(|row| row.at >= from && row.at <= now).filter_map(UsageRow::dollars).sum());
    let month = month_start.strftime("%Y-%m").to_string();
    let limit = if budget.monthly_usd.is_finite() { budget.monthly_usd.max(0.0) } else { 0.0 };
    // Rounded down: 100 is only shown when the budget is really used up.
    let percent = if limit > 0.0 { (spent / limit * 100.0 + 1e-9).floor() as u32 } else { 0 };
    let level = match percent {
        _ if limit == 0.0 => BudgetLevel::Off,
        100.. => BudgetLevel::Reached,
        BUDGET_WARNING_PERCENT.. => BudgetLevel::Warning,
        _ => BudgetLevel::Ok,
    };
    let kept_going = budget.at_limit == AtLimit::Ask && budget.kept_going_month.as_deref() == Some(month.as_str());
    BudgetState {
        monthly_usd: limit,
        at_limit: budget.at_limit.as_str().to_owned(),
        spent_usd: spent,
        month,
        percent,
        state: level,
        kept_going,
        message: budget_message(level, spent, limit, budget.at_limit, kept_going),
    }
}

/// Whether the budget keeps a paid model from being called.
pub fn budget_stops(state: &BudgetState) -> bool {
    state.state == BudgetLevel::Reached && !state.kept_going
}

fn budget_message(level: BudgetLevel, spent: f64, limit: f64, at_limit: AtLimit, kept_going: bool) -> String {
    match level {
        BudgetLevel::Off | BudgetLevel::Ok => String::new(),
        BudgetLevel::Warning => {
            format!("You have spent ${spent:.2} of this month's ${limit:.2} budget for cloud models.")
        }
        BudgetLevel::Reached if kept_going => format!(
            "This month's ${limit:.2} budget for cloud models is used up (${spent:.2} spent). You chose to keep going this \
             month."
        ),
        BudgetLevel::Reached => {
            let way_out = match at_limit {
                AtLimit::Ask => "Keep going this month, raise the budget in Settings > Models, or use a local model.",
                AtLimit::Stop => "Raise the budget in Settings > Models, or use a local model until next month.",
            };
            format!("This month's ${limit:.2} budget for cloud models is used up (${spent:.2} spent). {way_out}")
        }
    }
}

fn local(at: Timestamp, zone: &TimeZone) -> Zoned {
    at.to_jiff().to_zoned(zone.clone())
}

fn to_timestamp(moment: &Zoned) -> Timestamp {
    Timestamp::from_millis(moment.timestamp().as_millisecond())
}

/// The first moment of a day; where midnight was skipped by a clock change, the moment after.
fn start_of_day(moment: &Zoned) -> Zoned {
    moment.start_of_day().unwrap_or_else(|_| moment.clone())
}

fn start_of_month(moment: &Zoned) -> Zoned {
    moment.first_of_month().map_or_else(|_| moment.clone(), |first| start_of_day(&first))
}

fn period_starts(now: Timestamp, zone: &TimeZone) -> [(&'static str, &'static str, Zoned); 3] {
    let now = local(now, zone);
    let today = start_of_day(&now);
    let since_monday = i64::from(now.weekday().since(Weekday::Monday));
    let monday = now.checked_sub(since_monday.days()).map_or_else(|_| today.clone(), |day| start_of_day(&day));
    [("today", "Today", today), ("week", "This week", monday), ("month", "This month", start_of_month(&now))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin() -> TimeZone {
        TimeZone::get("Europe/Berlin").expect("the zone is bundled")
    }

    fn at(text: &str) -> Timestamp {
        let moment: jiff::Timestamp = text.parse().expect("a moment");
        Timestamp::from_millis(moment.as_millisecond())
    }

    fn row(moment: &str, model: &str, role: Option<&str>, billing: Billing, cost_usd: Option<f64>) -> UsageRow {
        let (source, role) = ("chat".to_owned(), role.map(str::to_owned));
        UsageRow {
            at: at(moment),
            model: model.into(),
            source,
            role,
            billing,
            prompt_tokens: 100,
            completion_tokens: 10,
            cost_usd,
        }
    }

    /// Monday, 30 November 2026, 10:00 in Berlin.
    const NOW: &str = "2026-11-30T09:00:00Z";

    fn rows() -> Vec<UsageRow> {
        use Billing::{Local, Paid, Plan};
        vec![
            row("2026-10-31T22:30:00Z", "openai/gpt-5", Some("primary"), Paid, Some(5.0)), // October in Berlin
            row("2026-10-31T23:30:00Z", "openai/gpt-5", Some("primary"), Paid, Some(1.0)), // November in Berlin
            row("2026-11-29T22:59:00Z", "openai/gpt-5", Some("fast"), Paid, Some(0.5)),    // Sunday in Berlin
            row("2026-11-29T23:01:00Z", "openai/gpt-5", Some("fast"), Paid, Some(0.25)),   // Monday in Berlin
            row("2026-11-30T08:00:00Z", "openai/unknown", None, Paid, None),
            row("2026-11-30T08:00:00Z", "ollama_chat/qwen3:8b", Some("fast"), Local, None),
            row("2026-11-30T08:00:00Z", "claude-code/sonnet", None, Plan, Some(9.0)),
            row("2026-11-30T08:00:00Z", "claude-code/sonnet", Some("primary"), Plan, None),
            row("2026-11-30T08:00:00Z", "claude-code/opus", Some("primary"), Plan, None),
        ]
    }

    fn budget(monthly_usd: f64, at_limit: AtLimit, kept: Option<&str>) -> Budget {
        Budget { monthly_usd, at_limit, kept_going_month: kept.map(str::to_owned) }
    }

    #[test]
    fn periods_begin_on_the_persons_own_clock() {
        let report = cost_report(&rows(), at(NOW), &berlin(), true, &budget(0.0, AtLimit::Ask, None));
        let seen: Vec<_> =
            report.periods.iter().map(|period| (period.key.as_str(), period.since.as_str(), period.cost_usd)).collect();
        assert_eq!(
            seen,
            [
                ("today", "2026-11-30T00:00:00+01:00", Some(0.25)),
                ("week", "2026-11-30T00:00:00+01:00", Some(0.25)),
                ("month", "2026-11-01T00:00:00+01:00", Some(1.75)),
            ]
        );
        assert!(report.local_only);
        assert_eq!(periods_start(at(NOW), &berlin()), at("2026-10-31T23:00:00Z"));
        let first_of_month = at("2026-12-01T09:00:00Z");
        assert_eq!(
            periods_start(first_of_month, &berlin()),
            at("2026-11-29T23:00:00Z"),
            "the week began before the month"
        );
    }

    #[test]
    fn a_period_counts_each_kind_of_call() {
        let report = cost_report(&rows(), at(NOW), &berlin(), false, &budget(0.0, AtLimit::Ask, None));
        let today = &report.periods[0];
        assert_eq!((today.calls, today.tokens, today.paid_calls, today.unpriced_calls), (6, 660, 2, 1));
        assert_eq!((today.plan_calls, today.plan_tokens, today.local_calls, today.local_tokens), (3, 330, 1, 110));
        let models: Vec<_> = today
            .by_model
            .iter()
            .map(|line| (line.model.as_str(), line.billing, line.cost_usd, line.unpriced_calls))
            .collect();
        assert_eq!(
            models,
            [
                ("claude-code/sonnet", Billing::Plan, None, 0),
                ("claude-code/opus", Billing::Plan, None, 0),
                ("ollama_chat/qwen3:8b", Billing::Local, None, 0),
                ("openai/gpt-5", Billing::Paid, Some(0.25), 0),
                ("openai/unknown", Billing::Paid, None, 1),
            ]
        );
        let roles: Vec<_> = today
            .by_role
            .iter()
            .map(|line| (line.role.as_str(), line.calls, line.cost_usd, line.plan_calls, line.local_calls))
            .collect();
        assert_eq!(
            roles,
            [("fast", 2, Some(0.25), 0, 1), ("other", 2, None, 1, 0), ("primary", 2, None, 2, 0)],
            "a plan's call has no dollars, whatever its row says"
        );
        let claude: Vec<_> = today.claude_code_by_role.iter().map(|line| (line.role.as_str(), line.calls)).collect();
        assert_eq!(claude, [("primary", 2), ("other", 1)], "most tokens first");
    }

    #[test]
    fn the_usage_report_sums_by_model_source_and_day() {
        let report = usage_report(&rows(), &berlin());
        assert_eq!(report.totals, UsageTotals { prompt_tokens: 900, completion_tokens: 90, cost_usd: Some(6.75) });
        assert_eq!((report.by_model[0].model.as_str(), report.by_model[0].calls), ("openai/gpt-5", 4));
        assert_eq!(report.by_source.len(), 1);
        let days: Vec<_> = report.by_day.iter().map(|line| (line.day.as_str(), line.calls, line.cost_usd)).collect();
        assert_eq!(
            days,
            [
                ("2026-10-31", 1, Some(5.0)),
                ("2026-11-01", 1, Some(1.0)),
                ("2026-11-29", 1, Some(0.5)),
                ("2026-11-30", 6, Some(0.25)),
            ]
        );
        assert_eq!(usage_report(&[], &berlin()), UsageReport::default());
    }

    #[test]
    fn days_go_back_whole_days_also_over_a_clock_change() {
        for (days, want) in [
            (0, "2026-11-29T23:00:00Z"),
            (1, "2026-11-29T23:00:00Z"),
            (30, "2026-10-31T23:00:00Z"),
            (40, "2026-10-21T22:00:00Z"), // summer time
        ] {
            assert_eq!(days_start(at(NOW), days, &berlin()), at(want), "{days}");
        }
    }

    #[test]
    fn how_much_of_the_budget_is_used() {
        use AtLimit::{Ask, Stop};
        use BudgetLevel::{Off, Ok, Reached, Warning};
        for (monthly, at_limit, kept, level, percent, stops, says) in [
            (0.0, Ask, None, Off, 0, false, ""),
            (-1.0, Ask, None, Off, 0, false, ""),
            (f64::NAN, Ask, None, Off, 0, false, ""),
            (10.0, Ask, None, Ok, 17, false, ""),
            (2.1875, Ask, None, Warning, 80, false, "You have spent $1.75 of this month's $2.19 budget"),
            (2.2, Ask, None, Ok, 79, false, ""),
            (1.76, Ask, None, Warning, 99, false, "You have spent"),
            (1.75, Ask, None, Reached, 100, true, "Keep going this month"),
            (1.0, Stop, None, Reached, 175, true, "Raise the budget"),
            (1.0, Ask, Some("2026-11"), Reached, 175, false, "You chose to keep going this month."),
            (1.0, Ask, Some("2026-10"), Reached, 175, true, "Keep going this month"),
            (1.0, Stop, Some("2026-11"), Reached, 175, true, "Raise the budget"),
        ] {
            let state = budget_state(&rows(), at(NOW), &berlin(), &budget(monthly, at_limit, kept));
            let name = format!("{monthly} {at_limit:?} {kept:?}");
            assert_eq!((state.state, state.percent, budget_stops(&state)), (level, percent, stops), "{name}");
            assert_eq!((state.spent_usd, state.month.as_str()), (1.75, "2026-11"), "{name}");
            assert!(
                state.message.contains(says) && state.message.is_empty() == says.is_empty(),
                "{name}: {}",
                state.message
            );
        }
    }
}
