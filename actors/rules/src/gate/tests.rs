//! The gate's table: one line per cell, its expected verdict written down.

use super::*;
use proptest::prelude::*;

fn tool(risk: Risk) -> ToolFacts<'static> {
    ToolFacts {
        name: "file_write",
        shown_name: "\"Write file\" in Your files",
        plugin: "files",
        risk,
        raised: false,
        internal: false,
        allow_for_chat: true,
        exfiltrates: false,
        purchase: false,
        opens_home: false,
        hidden: false,
    }
}

fn chat(tool: ToolFacts<'static>) -> Case<'static> {
    Case {
        tool: Some(tool),
        bad_arguments: None,
        surface: Surface { can_ask: true, unprompted: false },
        mode: Mode::Ask,
        rule: None,
        chat_allowance: None,
        allowances_count: true,
        outside: None,
        address: None,
        approved: false,
    }
}

/// `run`, `ask <choices>`, or `refuse <kind>`.
fn shown(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Run => "run".into(),
        Verdict::Ask(question) => {
            let why = match (&question.untrusted, question.rule) {
                (Some(_), _) => " outside",
                (None, Some(rule)) => return format!("ask rule:{rule} {}", question.choices.len()),
                _ => "",
            };
            format!("ask{why} {}", question.choices.len())
        }
        Verdict::Refuse(refusal) => {
            let kind = match refusal {
                Refusal::UnknownTool(_) => "unknown",
                Refusal::BadArguments(_) => "arguments",
                Refusal::Never(_) => "never",
                Refusal::Unprompted(_) => "unprompted",
                Refusal::HandOff(_) => "hand_off",
                Refusal::NobodyToAsk(_) => "nobody",
            };
            format!("refuse {kind}")
        }
    }
}

fn check(rows: &[(&str, Case<'_>, &str)]) {
    for (name, case, want) in rows {
        assert_eq!(shown(&decide(case)), *want, "{name}");
    }
}

#[test]
fn modes_and_risks() {
    let (off, ask, always) = (Mode::Off, Mode::Ask, Mode::Always);
    for (mode, risk, internal, want) in [
        (off, Risk::Read, false, "run"),
        (off, Risk::Write, false, "run"),
        (off, Risk::Send, false, "run"),
        (off, Risk::Exec, false, "run"),
        (ask, Risk::Read, false, "run"),
        (ask, Risk::Write, false, "ask 3"),
        (ask, Risk::Write, true, "run"), // the assistant's own notes
        (ask, Risk::Send, false, "ask 3"),
        (ask, Risk::Send, true, "ask 3"),
        (ask, Risk::Exec, false, "ask 2"), // running code is never allowed for a whole chat
        (ask, Risk::Exec, true, "ask 2"),
        (always, Risk::Read, false, "run"),
        (always, Risk::Write, true, "ask 3"),
        (always, Risk::Send, false, "ask 3"),
        (always, Risk::Exec, false, "ask 2"),
    ] {
        let case = Case { mode, ..chat(ToolFacts { internal, ..tool(risk) }) };
        assert_eq!(shown(&decide(&case)), want, "{mode:?} {risk:?} internal={internal}");
    }
}

#[test]
fn the_order_of_the_checks() {
    let send = tool(Risk::Send);
    let bad = Case { bad_arguments: Some("Invalid arguments"), ..chat(send.clone()) };
    let never = Case { rule: Some(Rule::Never), ..chat(send.clone()) };
    let nobody = Surface { can_ask: false, unprompted: false };
    let unprompted = Surface { can_ask: false, unprompted: true };
    check(&[
        ("an unknown tool", Case { tool: None, bad_arguments: Some("x"), ..chat(send.clone()) }, "refuse unknown"),
        ("bad arguments come before any rule", Case { rule: Some(Rule::Never), ..bad.clone() }, "refuse arguments"),
        ("bad arguments are not cured by a yes", Case { approved: true, ..bad }, "refuse arguments"),
        ("never", never.clone(), "refuse never"),
        ("never beats a yes", Case { approved: true, ..never.clone() }, "refuse never"),
        ("never covers look-ups", Case { rule: Some(Rule::Never), ..chat(tool(Risk::Read)) }, "refuse never"),
        ("never beats unprompted", Case { surface: unprompted, ..never }, "refuse never"),
        ("a switched off tool", chat(ToolFacts { hidden: true, ..tool(Risk::Read) }), "refuse never"),
        ("unprompted work may look", Case { surface: unprompted, ..chat(tool(Risk::Read)) }, "run"),
        (
            "unprompted work sends nothing, whatever is allowed",
            Case { surface: unprompted, rule: Some(Rule::Allow), mode: Mode::Off, ..chat(send.clone()) },
            "refuse unprompted",
        ),
        (
            "unprompted work keeps its own notes",
            Case { surface: unprompted, ..chat(ToolFacts { internal: true, ..tool(Risk::Write) }) },
            "run",
        ),
        (
            "but makes no tasks",
            Case { surface: unprompted, ..chat(ToolFacts { internal: true, plugin: "tasks", ..tool(Risk::Write) }) },
            "refuse unprompted",
        ),
        ("hand off holds what acts", Case { rule: Some(Rule::HandOff), ..chat(send.clone()) }, "refuse hand_off"),
        (
            "hand off beats a yes",
            Case { rule: Some(Rule::HandOff), approved: true, ..chat(send.clone()) },
            "refuse hand_off",
        ),
        ("hand off lets look-ups run", Case { rule: Some(Rule::HandOff), ..chat(tool(Risk::Read)) }, "run"),
        ("nobody to ask", Case { surface: nobody, ..chat(send.clone()) }, "refuse nobody"),
        ("a yes lets it run", Case { approved: true, ..chat(send) }, "run"),
    ]);
}

#[test]
fn rules_allowances_and_hard_stops() {
    let send = tool(Risk::Send);
    let raised = ToolFacts { raised: true, ..tool(Risk::Send) };
    let purchase = ToolFacts { purchase: true, ..tool(Risk::Send) };
    let door = ToolFacts { opens_home: true, ..tool(Risk::Send) };
    let allowance = |case: Case<'static>, risk| Case { chat_allowance: Some(risk), ..case };
    check(&[
        ("an allow rule", Case { rule: Some(Rule::Allow), ..chat(send.clone()) }, "run"),
        (
            "an ask rule asks in mode off",
            Case { rule: Some(Rule::Ask), mode: Mode::Off, ..chat(tool(Risk::Read)) },
            "ask rule:ask 2",
        ),
        (
            "an ask rule beats the chat's yes",
            allowance(Case { rule: Some(Rule::Ask), ..chat(send.clone()) }, Risk::Send),
            "ask rule:ask 2",
        ),
        ("only if I asked", Case { rule: Some(Rule::IfAsked), ..chat(send.clone()) }, "ask rule:if_asked 2"),
        ("allowed for this chat", allowance(chat(send.clone()), Risk::Send), "run"),
        ("allowed up to a lower risk", allowance(chat(send.clone()), Risk::Write), "ask 3"),
        (
            "answers for the chat are off",
            Case { allowances_count: false, ..allowance(chat(send), Risk::Send) },
            "ask 2",
        ),
        ("a raised call asks every time", allowance(chat(raised), Risk::Send), "ask 2"),
        ("a purchase asks in mode off", Case { mode: Mode::Off, ..chat(purchase.clone()) }, "ask 2"),
        ("a purchase beats an allow rule", Case { rule: Some(Rule::Allow), ..chat(purchase.clone()) }, "ask 2"),
        ("a purchase beats the chat's yes", allowance(chat(purchase), Risk::Exec), "ask 2"),
        ("a door asks in mode off", Case { mode: Mode::Off, rule: Some(Rule::Allow), ..chat(door) }, "ask 2"),
        (
            "a tool that asks every time",
            allowance(chat(ToolFacts { allow_for_chat: false, ..tool(Risk::Send) }), Risk::Send),
            "ask 2",
        ),
    ]);
}

#[test]
fn outside_content() {
    let marked = |tool| Case { outside: Some("Web"), ..chat(tool) };
    let address = |carries_data, visited| Some(AddressFacts { host: "x.example", carries_data, visited });
    let loose = |case: Case<'static>| Case {
        mode: Mode::Off,
        rule: Some(Rule::Allow),
        chat_allowance: Some(Risk::Exec),
        ..case
    };
    let nobody = Surface { can_ask: false, unprompted: false };
    check(&[
        ("a send asks whatever is allowed", loose(marked(tool(Risk::Send))), "ask outside 2"),
        ("code asks", loose(marked(tool(Risk::Exec))), "ask outside 2"),
        (
            "what moves data out asks",
            loose(marked(ToolFacts { exfiltrates: true, ..tool(Risk::Write) })),
            "ask outside 2",
        ),
        ("a note here does not", loose(marked(tool(Risk::Write))), "run"),
        ("a clean chat does not", loose(Case { outside: Some(""), ..chat(tool(Risk::Send)) }), "run"),
        (
            "a new address with data",
            Case { address: address(true, false), ..loose(marked(tool(Risk::Read))) },
            "ask outside 2",
        ),
        ("a known host", Case { address: address(true, true), ..loose(marked(tool(Risk::Read))) }, "run"),
        ("a short clean address", Case { address: address(false, false), ..loose(marked(tool(Risk::Read))) }, "run"),
        ("nobody to ask", Case { surface: nobody, ..loose(marked(tool(Risk::Send))) }, "refuse nobody"),
    ]);
}

#[test]
fn a_wider_yes_than_offered_is_a_yes_to_this_call() {
    let offered = [Decision::Allow, Decision::Deny];
    for (answer, want) in [
        (Decision::AllowSession, Decision::Allow),
        (Decision::AllowAlways, Decision::Allow),
        (Decision::AllowTask, Decision::Allow),
        (Decision::Allow, Decision::Allow),
        (Decision::Deny, Decision::Deny),
    ] {
        assert_eq!(narrow(answer, &offered), want, "{answer:?}");
    }
}

fn any_case() -> impl Strategy<Value = Case<'static>> {
    let risk = prop_oneof![Just(Risk::Read), Just(Risk::Write), Just(Risk::Send), Just(Risk::Exec)];
    let rule = proptest::option::of(prop_oneof![
        Just(Rule::Allow),
        Just(Rule::IfAsked),
        Just(Rule::Ask),
        Just(Rule::HandOff),
        Just(Rule::Never)
    ]);
    let mode = prop_oneof![Just(Mode::Off), Just(Mode::Ask), Just(Mode::Always)];
    (risk, rule, mode, proptest::collection::vec(any::<bool>(), 12)).prop_map(|(risk, rule, mode, bits)| {
        let facts = ToolFacts {
            internal: bits[0],
            allow_for_chat: bits[1],
            exfiltrates: bits[2],
            purchase: bits[3],
            opens_home: bits[4],
            hidden: bits[5],
            raised: bits[6],
            ..tool(risk)
        };
        Case {
            mode,
            rule,
            surface: Surface { can_ask: bits[7], unprompted: bits[8] },
            outside: bits[9].then_some("Web"),
            approved: bits[10],
            chat_allowance: bits[11].then_some(Risk::Exec),
            ..chat(facts)
        }
    })
}

fn severity(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Run => 0,
        Verdict::Ask(_) => 1,
        Verdict::Refuse(_) => 2,
    }
}

proptest! {
    /// Reading outside content, a stricter mode or a stricter rule never makes a verdict milder.
    #[test]
    fn stricter_facts_never_loosen(case in any_case()) {
        let level = |case: &Case<'_>| severity(&decide(case));
        let now = level(&case);
        let stricter = [
            Case { outside: Some("Mail"), ..case.clone() },
            Case { rule: Some(Rule::Never), ..case.clone() },
            Case { mode: if case.mode == Mode::Off { Mode::Always } else { case.mode }, ..case.clone() },
            Case { rule: Some(case.rule.unwrap_or(Rule::Ask)), ..case.clone() },
        ];
        for strict in stricter {
            prop_assert!(level(&strict) >= now, "{:?} became milder", strict);
        }
    }

    /// A yes only ever turns a question into a run; it never lifts a refusal for any other reason.
    #[test]
    fn a_yes_only_answers_a_question(case in any_case()) {
        let asked = decide(&Case { approved: false, ..case.clone() });
        let answered = decide(&Case { approved: true, ..case });
        match asked {
            Verdict::Run => prop_assert_eq!(answered, Verdict::Run),
            Verdict::Ask(_) => prop_assert_eq!(answered, Verdict::Run),
            Verdict::Refuse(Refusal::NobodyToAsk(_)) => prop_assert_eq!(answered, Verdict::Run),
            refused => prop_assert_eq!(answered, refused),
        }
    }

    /// `allow` and `deny` are always offered, and nothing wide where only one call may be covered.
    #[test]
    fn every_question_can_be_answered(case in any_case()) {
        if let Verdict::Ask(question) = decide(&case) {
            prop_assert_eq!(question.choices.first(), Some(&Decision::Allow));
            prop_assert_eq!(question.choices.last(), Some(&Decision::Deny));
            let facts = case.tool.as_ref().expect("asked about a tool");
            if facts.purchase || facts.opens_home || question.untrusted.is_some() || facts.risk == Risk::Exec {
                prop_assert_eq!(question.choices.len(), 2);
            }
        }
    }
}
