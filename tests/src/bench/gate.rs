//! How long the gate takes to say what may happen with a call, facts of the moment included (no model is asked there).

use super::numbers::{Times, figures};
use super::report::{Row, Verdict as Held};
use super::{Measured, Trouble};
use crate::story::{TestTools, ToolLog};
use actors::gate::{Call, Gate, Run, Standing};
use protocol::config::{ApprovalRule, Config};
use rules::gate::Surface;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::Instant;

const CALLS: usize = 100_000;
const WARM_UP: usize = 5_000;
/// The bar, in microseconds at the 99th percentile.
const BAR_US: f64 = 50.0;

pub(super) async fn judging() -> Measured {
    let times = tokio::task::spawn_blocking(measured).await?;
    Ok(vec![row(&times?)])
}

/// A message of some words, a rule that goes by them, a chat that has read something: the longest way through the gate.
fn measured() -> Result<Times, Trouble> {
    let mut config = Config::default();
    config.tools.approvals.rules.insert("mailer".into(), ApprovalRule::IfAsked);
    let (_settings, reader) = watch::channel(Arc::new(config));
    let standing = Standing::nothing(sentient::assemble::world().clock);
    let gate = Gate::new(Arc::new(TestTools::registry(&ToolLog::default())), reader, standing);
    let words = ["Look up when the train leaves tomorrow, then write it down and send the mail to Sam.".to_owned()];
    let hosts: Vec<String> = (0..50).map(|number| format!("{number}.example")).collect();
    let run = Run { words: &words, visited_hosts: &hosts, ..Run::on(Surface::Window) };
    let arguments = json!({ "text": "The train leaves at 9:14 from platform 3." });
    let call = Call::new("mail_send", &arguments);
    let mut times = Times::default();
    for number in 0..WARM_UP + CALLS {
        let began = Instant::now();
        let judged = gate.judge(&run, &call);
        let took = began.elapsed();
        if !matches!(judged.verdict, rules::gate::Verdict::Run { .. }) {
            return Err("the gate did not let the call run".into());
        }
        if number >= WARM_UP {
            times.push(took);
        }
    }
    Ok(times)
}

fn row(times: &Times) -> Row {
    let micros = |time: tokio::time::Duration| time.as_secs_f64() * 1_000_000.0;
    let (half, most) = (micros(times.p50()), micros(times.p99()));
    Row {
        what: "the gate's word on a call, p50 / p99".into(),
        bar: format!("< {BAR_US:.0} µs at p99"),
        ours: format!("{} / {} µs", figures(half), figures(most)),
        peer: String::new(),
        verdict: Held::of(most < BAR_US),
        how: format!(
            "{CALLS} times one call under an \"Only if I asked\" rule, with the person's words looked at each time and the \
             facts of the chat gathered anew."
        ),
    }
}
