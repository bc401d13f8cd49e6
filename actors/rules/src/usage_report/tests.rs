//! Months, weeks, roles and budgets of one small set of calls.

use super::*;
use protocol::usage::BudgetLevel;

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
    assert_eq!(periods_start(first_of_month, &berlin()), at("2026-11-29T23:00:00Z"), "the week began before the month");
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
