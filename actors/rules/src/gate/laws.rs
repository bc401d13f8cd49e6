//! What holds for any call under any settings.

use super::*;
use proptest::prelude::*;
use std::time::Duration;

fn tool(risk: Risk) -> ToolFacts<'static> {
    ToolFacts {
        name: "notes_file_it",
        shown_name: "\"File it\" in Notes",
        plugin: "notes",
        risk,
        raised: false,
        internal: false,
        allow_for_chat: true,
        exfiltrates: false,
        purchase: false,
        opens_home: false,
        deletes: false,
        hidden: false,
    }
}

fn any_risk() -> impl Strategy<Value = Risk> {
    prop_oneof![Just(Risk::Read), Just(Risk::Write), Just(Risk::Send), Just(Risk::Exec)]
}

fn any_case() -> impl Strategy<Value = Case<'static>> {
    let rule = proptest::option::of(prop_oneof![
        Just(Rule::Allow),
        Just(Rule::IfAsked),
        Just(Rule::Ask),
        Just(Rule::HandOff),
        Just(Rule::Never)
    ]);
    let mode = prop_oneof![Just(Mode::Off), Just(Mode::Ask), Just(Mode::Always)];
    let surface = proptest::sample::select(Surface::ALL.to_vec());
    let upto = (proptest::option::of(any_risk()), proptest::option::of(any_risk()));
    let facts = proptest::collection::vec(any::<bool>(), 18);
    (any_risk(), rule, mode, surface, upto, facts).prop_map(|(risk, rule, mode, surface, (grant, chat), bits)| Case {
        rule,
        read_only: bits[7].then_some("Notes"),
        unprompted: bits[8],
        outside: bits[9].then_some("Web"),
        approved: bits[10],
        warning: bits[11].then_some("odd"),
        proposal: bits[12],
        asked: bits[13],
        confirm_purchases: bits[14],
        trash_tool: bits[15].then_some("notes_trash"),
        try_run: bits[16],
        undo: bits[17].then_some(Duration::from_secs(10)),
        grant,
        chat_allowance: chat,
        ..Case::plain(
            Some(ToolFacts {
                internal: bits[0],
                allow_for_chat: bits[1],
                exfiltrates: bits[2],
                purchase: bits[3] && risk >= Risk::Send,
                opens_home: bits[4] && risk >= Risk::Send,
                hidden: bits[5],
                raised: bits[6],
                ..tool(risk)
            }),
            surface,
            mode,
        )
    })
}

/// How much of what was asked for happens.
fn severity(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Run { .. } => 0,
        Verdict::Ask(_) | Verdict::Swap(_) => 1,
        Verdict::HandOff(_) | Verdict::Note | Verdict::Refuse(_) => 2,
    }
}

fn runs(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Run { .. })
}

proptest! {
    /// Reading outside content, a stricter mode or a stricter rule never makes a verdict milder.
    #[test]
    fn stricter_facts_never_loosen(case in any_case()) {
        let level = |case: &Case<'_>| severity(&decide(case));
        let now = level(&case);
        let stricter = [
            Case { outside: Some("Mail"), ..case.clone() },
            Case { warning: Some("odd"), ..case.clone() },
            Case { proposal: true, ..case.clone() },
            Case { read_only: Some("Notes"), ..case.clone() },
            Case { unprompted: true, ..case.clone() },
            Case { confirm_purchases: true, ..case.clone() },
            Case { asked: false, ..case.clone() },
            Case { grant: None, ..case.clone() },
            Case { chat_allowance: None, ..case.clone() },
            Case { rule: Some(Rule::Never), ..case.clone() },
            Case { mode: if case.mode == Mode::Off { Mode::Always } else { case.mode }, ..case.clone() },
            Case { rule: Some(case.rule.unwrap_or(Rule::Ask)), ..case.clone() },
        ];
        for strict in stricter {
            prop_assert!(level(&strict) >= now, "{:?} became milder", strict);
        }
    }

    /// A yes only ever turns a question into a run; it never lifts what is held back for any other reason.
    #[test]
    fn a_yes_only_answers_a_question(case in any_case()) {
        let asked = explain(&Case { approved: false, ..case.clone() });
        let answered = explain(&Case { approved: true, ..case.clone() });
        let would_ask = asked.station >= Station::Outside;
        match asked.verdict {
            Verdict::Run { .. } => prop_assert_eq!(answered.verdict, asked.verdict),
            Verdict::Ask(_) => prop_assert!(runs(&answered.verdict)),
            Verdict::Refuse(_) if would_ask => prop_assert!(runs(&answered.verdict)),
            held => prop_assert_eq!(answered.verdict, held),
        }
    }

    /// `allow` and `deny` are always offered, and nothing wide where only one call may be covered.
    #[test]
    fn every_question_can_be_answered(case in any_case()) {
        if let Verdict::Ask(question) = decide(&case) {
            prop_assert_eq!(question.choices.first(), Some(&Decision::Allow));
            prop_assert_eq!(question.choices.last(), Some(&Decision::Deny));
            prop_assert!(case.surface.can_ask());
            let facts = case.tool.as_ref().expect("asked about a tool");
            let narrow = facts.purchase || facts.opens_home || facts.risk == Risk::Exec || !facts.allow_for_chat
                || question.untrusted.is_some() || question.warning.is_some() || (facts.raised && facts.risk == Risk::Send);
            if narrow {
                prop_assert_eq!(question.choices.len(), 2);
            }
        }
    }

    /// An answer that is offered and given keeps the next call like it from asking.
    #[test]
    fn a_wide_answer_is_worth_something(case in any_case()) {
        if let Verdict::Ask(question) = decide(&case) {
            let risk = case.tool.as_ref().map(|tool| tool.risk);
            for choice in question.choices {
                let next = match choice {
                    Decision::Allow | Decision::Deny => continue,
                    Decision::AllowSession => Case { chat_allowance: risk, ..case.clone() },
                    Decision::AllowTask | Decision::AllowTimed => Case { grant: risk, ..case.clone() },
                    Decision::AllowAlways => Case { rule: Some(Rule::Allow), ..case.clone() },
                };
                prop_assert!(runs(&decide(&next)), "{:?} was worth nothing", choice);
            }
        }
    }

    /// Nothing is asked or done on the word of work that nobody began.
    #[test]
    fn nothing_leaves_by_itself(case in any_case()) {
        let case = Case { surface: Surface::Unprompted, ..case };
        let facts = case.tool.as_ref().expect("a tool");
        let verdict = decide(&case);
        prop_assert!(!matches!(verdict, Verdict::Ask(_)));
        if facts.risk >= Risk::Send {
            prop_assert!(matches!(verdict, Verdict::Refuse(_)));
        }
    }
}
