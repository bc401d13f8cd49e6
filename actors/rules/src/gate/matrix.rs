//! Every surface with every mode, rule and risk, after outside content or not, for plain calls, purchases and the home.
//!
//! What is expected is written down as the contract's sentences, each of which stops at the first that applies; it
//! shares no code with the gate.

use super::*;

/// What kind of call it is beside its risk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Purchase,
    Door,
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    surface: Surface,
    mode: Mode,
    rule: Option<Rule>,
    asked: bool,
    risk: Risk,
    outside: bool,
    kind: Kind,
}

/// `run`, `refuse`, `hand over`, or `ask` with the answers offered: Once, this Session, Task, Hour, alWays, Deny.
fn expected(cell: Cell) -> &'static str {
    let Cell { surface, mode, rule, asked, risk, outside, kind } = cell;
    let acts = risk != Risk::Read;
    let leaves = matches!(risk, Risk::Send | Risk::Exec);
    let persons = matches!(surface, Surface::Window | Surface::Voice | Surface::Messaging);
    let apps = matches!(surface, Surface::Api | Surface::Mcp);
    let task = surface == Surface::Task;
    let special = kind != Kind::Plain;
    // "never: does not run" (section 2).
    if rule == Some(Rule::Never) {
        return "refuse";
    }
    // "Such a run only runs calls whose effective risk is read" (section 10; these tools are not internal).
    if surface == Surface::Unprompted && acts {
        return "refuse";
    }
    // "Subagents cannot run tools of effective risk send or exec" (section 10).
    if surface == Surface::Subagent && leaves {
        return "refuse";
    }
    // "other write, send and exec tools are refused unless approvals mode is off"; purchases and the home in every mode.
    if surface == (Surface::Script { look_ups_only: false }) && acts && (mode != Mode::Off || special) {
        return "refuse";
    }
    if surface == (Surface::Script { look_ups_only: true }) && acts {
        return "refuse";
    }
    // "hand_off: a call above read never runs"; scripts and helpers refuse it.
    if rule == Some(Rule::HandOff) && acts {
        return if persons || apps || task || surface == Surface::SwarmWorker { "hand over" } else { "refuse" };
    }
    let can_ask = persons || apps || task;
    let narrow = |wide: &'static str| match (can_ask, apps || special || risk == Risk::Exec) {
        (false, _) => "refuse",
        (true, true) => "ask od",
        (true, false) => wide,
    };
    // "it always sends an approval_request whatever the mode, Allow rules or Allow for this chat say", allow and deny only.
    if outside && leaves {
        return if can_ask { "ask od" } else { "refuse" };
    }
    // "ask: an approval_request every time"; "if_asked: like allow for a call the user's own words asked for".
    let waits_for_words = rule == Some(Rule::IfAsked) && !(asked && persons);
    if rule == Some(Rule::Ask) || waits_for_words {
        return narrow(if task { "ask othwd" } else { "ask ohwd" });
    }
    // "Purchases ask in every approvals mode"; "A call that opens the user's home is a hard stop the same way".
    if special {
        return narrow("");
    }
    // "allow: runs without asking in modes ask and always".
    if matches!(rule, Some(Rule::Allow | Rule::IfAsked)) {
        return "run";
    }
    // Only a chat is asked because of the mode: a task's plan was approved, and so was what a helper works for.
    if mode != Mode::Off && acts && (persons || apps) {
        return narrow("ask oshwd");
    }
    "run"
}

fn got(cell: Cell) -> String {
    let reaches = cell.risk >= Risk::Send;
    let facts = ToolFacts {
        name: "shop_act",
        shown_name: "Shop",
        plugin: "shop",
        risk: cell.risk,
        raised: false,
        internal: false,
        allow_for_chat: true,
        exfiltrates: false,
        purchase: cell.kind == Kind::Purchase && reaches,
        opens_home: cell.kind == Kind::Door && reaches,
        deletes: false,
        hidden: false,
    };
    let case = Case {
        rule: cell.rule,
        asked: cell.asked,
        outside: cell.outside.then_some("Web"),
        ..Case::plain(Some(facts), cell.surface, cell.mode)
    };
    match decide(&case) {
        Verdict::Run { .. } => "run".into(),
        Verdict::Refuse(_) => "refuse".into(),
        Verdict::HandOff(_) => "hand over".into(),
        Verdict::Ask(question) => format!("ask {}", tests::letters(&question.choices)),
        other => format!("{other:?}"),
    }
}

#[test]
fn every_cell_is_as_the_contract_says() {
    let rules = [None, Some(Rule::Allow), Some(Rule::IfAsked), Some(Rule::Ask), Some(Rule::HandOff), Some(Rule::Never)];
    let (mut cells, mut wrong) = (0, Vec::new());
    for surface in Surface::ALL {
        for mode in [Mode::Off, Mode::Ask, Mode::Always] {
            for rule in rules {
                for risk in [Risk::Read, Risk::Write, Risk::Send, Risk::Exec] {
                    for bits in 0..4_u8 {
                        for kind in [Kind::Plain, Kind::Purchase, Kind::Door] {
                            if kind != Kind::Plain && risk < Risk::Send {
                                continue; // a purchase and a door are sends at least
                            }
                            let (asked, outside) = (bits & 1 != 0, bits & 2 != 0);
                            let cell = Cell { surface, mode, rule, asked, risk, outside, kind };
                            cells += 1;
                            let (want, got) = (expected(cell), got(cell));
                            if want != got {
                                wrong.push(format!("{cell:?}: expected {want}, got {got}"));
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {cells} cells:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(cells, 11 * 3 * 6 * 4 * 8);
}
