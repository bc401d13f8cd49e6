//! The month's budget for paid models, how much of it is used, and the sentences that say so (contract section 2).
//!
//! It must never count a plan or a local call, and never show 100 % before the budget is really used up.

use super::{UsageRow, local, rounded, start_of_month, to_timestamp};
use jiff::tz::TimeZone;
use protocol::Timestamp;
use protocol::usage::{BudgetLevel, BudgetState};

/// Share of the budget from which on the meter warns (contract).
pub const BUDGET_WARNING_PERCENT: u32 = 80;
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
