//! What model calls used and cost (contract section 2, "Usage" and "Cost meter and budget").

use serde::{Deserialize, Serialize};

/// How a call is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Billing {
    /// Runs on this computer: free.
    Local,
    /// On a plan the person already pays: never in dollars.
    Plan,
    /// Priced per token.
    Paid,
}

/// `GET /api/usage`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UsageReport {
    pub totals: UsageTotals,
    pub by_model: Vec<UsageByModel>,
    pub by_source: Vec<UsageBySource>,
    pub by_day: Vec<UsageByDay>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UsageTotals {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// `null` when no call had a price.
    pub cost_usd: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UsageByModel {
    pub model: String,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub calls: u64,
    pub cost_usd: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UsageBySource {
    pub source: String,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub calls: u64,
    pub cost_usd: Option<f64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct UsageByDay {
    /// `YYYY-MM-DD` on the computer's own clock.
    pub day: String,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub calls: u64,
    pub cost_usd: Option<f64>,
}

/// `GET /api/usage/cost`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostReport {
    pub local_only: bool,
    pub periods: Vec<CostPeriod>,
    pub budget: BudgetState,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostPeriod {
    /// `today`, `week` (from Monday) or `month`.
    pub key: String,
    pub label: String,
    /// ISO moment the period began, on the computer's own clock.
    pub since: String,
    pub cost_usd: Option<f64>,
    pub calls: u64,
    pub tokens: u64,
    pub paid_calls: u64,
    pub unpriced_calls: u64,
    pub plan_calls: u64,
    pub plan_tokens: u64,
    pub local_calls: u64,
    pub local_tokens: u64,
    pub by_model: Vec<CostByModel>,
    pub by_role: Vec<CostByRole>,
    pub claude_code_by_role: Vec<TokensByRole>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CostByModel {
    pub model: String,
    pub billing: Billing,
    pub calls: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub cost_usd: Option<f64>,
    pub unpriced_calls: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CostByRole {
    pub role: String,
    pub calls: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub cost_usd: Option<f64>,
    pub unpriced_calls: u64,
    pub plan_calls: u64,
    pub local_calls: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TokensByRole {
    pub role: String,
    pub calls: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
}

/// The month's budget and how much of it is used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BudgetState {
    pub monthly_usd: f64,
    /// `ask` or `stop`.
    pub at_limit: String,
    pub spent_usd: f64,
    /// `YYYY-MM`.
    pub month: String,
    pub percent: u32,
    pub state: BudgetLevel,
    pub kept_going: bool,
    /// A plain sentence at `warning` and `reached`, else empty.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetLevel {
    Off,
    Ok,
    Warning,
    Reached,
}
