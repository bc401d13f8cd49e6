//! The gate's table: one line per cell, its expected verdict written down.

use super::*;
use crate::memory_access::MemoryAccess;
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

fn chat(tool: ToolFacts<'static>) -> Case<'static> {
    on(Surface::Window, tool)
}

fn on(surface: Surface, tool: ToolFacts<'static>) -> Case<'static> {
    Case::plain(Some(tool), surface, Mode::Ask)
}

/// Allow once, for this Session, for this Task, for an Hour, alWays; Deny is last of all.
pub(super) fn letters(choices: &[Decision]) -> String {
    choices
        .iter()
        .map(|choice| match choice {
            Decision::Allow => 'o',
            Decision::AllowSession => 's',
            Decision::AllowTask => 't',
            Decision::AllowTimed => 'h',
            Decision::AllowAlways => 'w',
            Decision::Deny => 'd',
        })
        .collect()
}

/// `run`, `ask Station letters`, `refuse Station`, `hand over`, `note`, `swap tool`.
fn shown(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Run { undo: None } => "run".into(),
        Verdict::Run { undo: Some(undo) } => format!("run after {}", undo.as_secs()),
        Verdict::Ask(question) => format!("ask {:?} {}", question.station, letters(&question.choices)),
        Verdict::HandOff(_) => "hand over".into(),
        Verdict::Swap(tool) => format!("swap {tool}"),
        Verdict::Note => "note".into(),
        Verdict::Refuse(refusal) => {
            format!("refuse {:?}{}", refusal.station, if refusal.ends_run { " and end" } else { "" })
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
        (ask, Risk::Write, false, "ask Mode oshwd"),
        (ask, Risk::Write, true, "run"), // the assistant's own notes
        (ask, Risk::Send, false, "ask Mode oshwd"),
        (ask, Risk::Send, true, "ask Mode oshwd"),
        (ask, Risk::Exec, false, "ask Mode od"), // each run of code is asked about on its own
        (ask, Risk::Exec, true, "ask Mode od"),
        (always, Risk::Read, false, "run"),
        (always, Risk::Write, true, "ask Mode oshwd"),
        (always, Risk::Send, false, "ask Mode oshwd"),
        (always, Risk::Exec, false, "ask Mode od"),
    ] {
        let case = Case { mode, ..chat(ToolFacts { internal, ..tool(risk) }) };
        assert_eq!(shown(&decide(&case)), want, "{mode:?} {risk:?} internal={internal}");
    }
}

#[test]
fn what_no_yes_lifts() {
    let send = tool(Risk::Send);
    let bad = Case { bad_arguments: Some("Invalid arguments"), ..chat(send.clone()) };
    let never = Case { rule: Some(Rule::Never), ..chat(send.clone()) };
    let read_only = |tool| Case { read_only: Some("Notes"), mode: Mode::Off, rule: Some(Rule::Allow), ..chat(tool) };
    let hand_off = |tool| Case { rule: Some(Rule::HandOff), ..chat(tool) };
    check(&[
        ("an unknown tool", Case { tool: None, bad_arguments: Some("x"), ..chat(send.clone()) }, "refuse UnknownTool"),
        ("bad arguments come before any rule", Case { rule: Some(Rule::Never), ..bad.clone() }, "refuse Arguments"),
        ("bad arguments are not cured by a yes", Case { approved: true, ..bad }, "refuse Arguments"),
        ("never", never.clone(), "refuse Never"),
        ("never beats a yes", Case { approved: true, ..never.clone() }, "refuse Never"),
        ("never beats a grant", Case { grant: Some(Risk::Exec), ..never.clone() }, "refuse Never"),
        ("never covers look-ups", Case { rule: Some(Rule::Never), ..chat(tool(Risk::Read)) }, "refuse Never"),
        ("never beats Read only", Case { read_only: Some("Notes"), ..never.clone() }, "refuse Never"),
        ("never beats unprompted", Case { surface: Surface::Unprompted, ..never }, "refuse Never"),
        ("a switched off tool", chat(ToolFacts { hidden: true, ..tool(Risk::Read) }), "refuse Never"),
        ("read only lets look", read_only(tool(Risk::Read)), "run"),
        ("read only changes nothing", read_only(tool(Risk::Write)), "refuse ReadOnly"),
        ("read only beats a yes", Case { approved: true, ..read_only(tool(Risk::Send)) }, "refuse ReadOnly"),
        (
            "read only beats handing over",
            Case { rule: Some(Rule::HandOff), ..read_only(send.clone()) },
            "refuse ReadOnly",
        ),
        ("a try run notes", Case { try_run: true, rule: Some(Rule::Ask), ..chat(send.clone()) }, "note"),
        ("a try run looks for real", Case { try_run: true, ..chat(tool(Risk::Read)) }, "run"),
        ("a try run notes what would be handed over", Case { try_run: true, ..hand_off(send.clone()) }, "note"),
        ("hand off holds what acts", hand_off(send.clone()), "hand over"),
        ("hand off beats a yes", Case { approved: true, ..hand_off(send.clone()) }, "hand over"),
        ("hand off beats outside content", Case { outside: Some("Web"), ..hand_off(send.clone()) }, "hand over"),
        ("hand off beats a second look", Case { warning: Some("odd"), ..hand_off(send.clone()) }, "hand over"),
        ("hand off lets look-ups run", hand_off(tool(Risk::Read)), "run"),
        (
            "a delete goes to the trash",
            Case { trash_tool: Some("notes_trash"), ..chat(send.clone()) },
            "swap notes_trash",
        ),
        ("not what is handed over", Case { trash_tool: Some("notes_trash"), ..hand_off(send.clone()) }, "hand over"),
        (
            "the trash itself is no swap",
            Case { trash_tool: Some("notes_file_it"), ..chat(send.clone()) },
            "ask Mode oshwd",
        ),
        ("a yes lets it run", Case { approved: true, ..chat(send) }, "run"),
    ]);
}

#[test]
fn turns_without_memory() {
    let (reads, learns) = ("memory_recall", "memory_remember");
    let named = |name, risk| ToolFacts { name, internal: true, ..tool(risk) };
    let without = MemoryAccess { reads: false, learns: false };
    let incognito = MemoryAccess { reads: true, learns: false };
    let case = |surface, memory, name| Case {
        memory,
        mode: Mode::Off,
        rule: Some(Rule::Allow),
        approved: true,
        ..on(surface, named(name, if name == learns { Risk::Write } else { Risk::Read }))
    };
    for surface in Surface::ALL {
        for (name, memory, tool, want) in [
            ("without memory nothing is read", without, reads, "refuse Memory"),
            ("nor kept", without, learns, "refuse Memory"),
            ("an incognito chat may read", incognito, reads, "run"),
            ("and keeps nothing", incognito, learns, "refuse Memory"),
            ("other tools run", without, "note_read", "run"),
        ] {
            assert_eq!(shown(&decide(&case(surface, memory, tool))), want, "{name}, {surface:?}");
        }
    }
}

#[test]
fn work_nobody_asked_for() {
    let quiet = |tool| Case { rule: Some(Rule::Allow), mode: Mode::Off, ..on(Surface::Unprompted, tool) };
    let note = ToolFacts { internal: true, ..tool(Risk::Write) };
    check(&[
        ("it may look", quiet(tool(Risk::Read)), "run"),
        ("it sends nothing, whatever is allowed", quiet(tool(Risk::Send)), "refuse Unprompted"),
        ("it changes nothing", quiet(tool(Risk::Write)), "refuse Unprompted"),
        ("it keeps its own notes", quiet(note.clone()), "run"),
        ("but makes no tasks", quiet(ToolFacts { plugin: "tasks", ..note.clone() }), "refuse Unprompted"),
        ("no yes lifts it", Case { approved: true, ..quiet(tool(Risk::Send)) }, "refuse Unprompted"),
        (
            "its helpers neither",
            Case { unprompted: true, ..on(Surface::Subagent, tool(Risk::Write)) },
            "refuse Unprompted",
        ),
        (
            "an ask rule leaves the look-up out",
            Case { rule: Some(Rule::Ask), ..quiet(tool(Risk::Read)) },
            "refuse AskRule",
        ),
        ("a note under always", Case { mode: Mode::Always, rule: None, ..quiet(note.clone()) }, "refuse Mode"),
        ("a note that would be handed over", Case { rule: Some(Rule::HandOff), ..quiet(note) }, "refuse HandOff"),
    ]);
}

#[test]
fn rules_allowances_and_hard_stops() {
    let send = tool(Risk::Send);
    let raised = ToolFacts { raised: true, ..tool(Risk::Send) };
    let purchase = ToolFacts { purchase: true, ..tool(Risk::Send) };
    let door = ToolFacts { opens_home: true, ..tool(Risk::Send) };
    let allowance = |case: Case<'static>, risk| Case { chat_allowance: Some(risk), ..case };
    let ask_rule = |tool| Case { rule: Some(Rule::Ask), ..chat(tool) };
    let if_asked = |tool| Case { rule: Some(Rule::IfAsked), asked: true, ..chat(tool) };
    let off = |case: Case<'static>| Case { mode: Mode::Off, ..case };
    check(&[
        ("an allow rule", Case { rule: Some(Rule::Allow), ..chat(send.clone()) }, "run"),
        ("an ask rule asks in mode off", off(ask_rule(tool(Risk::Read))), "ask AskRule ohwd"),
        ("an ask rule beats the chat's yes", allowance(ask_rule(send.clone()), Risk::Send), "ask AskRule ohwd"),
        ("an ask rule on code", ask_rule(tool(Risk::Exec)), "ask AskRule od"),
        ("the words asked", if_asked(send.clone()), "run"),
        ("they did not", Case { asked: false, ..off(if_asked(send.clone())) }, "ask IfAsked ohwd"),
        ("they ask for no purchase", if_asked(purchase.clone()), "ask Purchase od"),
        (
            "words of another app ask for nothing",
            Case { surface: Surface::Api, ..if_asked(send.clone()) },
            "ask IfAsked od",
        ),
        ("allowed for this chat", allowance(chat(send.clone()), Risk::Send), "run"),
        ("allowed up to a lower risk", allowance(chat(send.clone()), Risk::Write), "ask Mode oshwd"),
        (
            "answers for the chat are off",
            Case { allowances_count: false, ..allowance(chat(send), Risk::Send) },
            "ask Mode ohwd",
        ),
        ("a raised call asks every time", allowance(chat(raised), Risk::Send), "ask Mode od"),
        ("a purchase asks in mode off", off(chat(purchase.clone())), "ask Purchase od"),
        (
            "a purchase beats an allow rule",
            Case { rule: Some(Rule::Allow), ..chat(purchase.clone()) },
            "ask Purchase od",
        ),
        ("a purchase beats the chat's yes", allowance(chat(purchase.clone()), Risk::Exec), "ask Purchase od"),
        (
            "purchases need no OK of their own any more",
            Case { confirm_purchases: false, ..off(chat(purchase.clone())) },
            "run",
        ),
        (
            "but in mode ask they are sends, one by one",
            allowance(Case { confirm_purchases: false, ..chat(purchase) }, Risk::Exec),
            "ask Mode od",
        ),
        ("a door asks in mode off", off(Case { rule: Some(Rule::Allow), ..chat(door.clone()) }), "ask OpensHome od"),
        ("a door under a grant", Case { grant: Some(Risk::Exec), ..chat(door) }, "ask OpensHome od"),
        (
            "a tool that asks every time",
            allowance(chat(ToolFacts { allow_for_chat: false, ..tool(Risk::Send) }), Risk::Send),
            "ask Mode od",
        ),
    ]);
}

#[test]
fn grants() {
    let granted = |tool| Case { grant: Some(Risk::Send), ..chat(tool) };
    let send = tool(Risk::Send);
    check(&[
        ("a grant", granted(send.clone()), "run"),
        ("up to its risk", Case { grant: Some(Risk::Write), ..granted(send.clone()) }, "ask Mode oshwd"),
        ("it covers an ask rule", Case { rule: Some(Rule::Ask), ..granted(send.clone()) }, "run"),
        ("and one that waits for words", Case { rule: Some(Rule::IfAsked), ..granted(send.clone()) }, "run"),
        ("anywhere", Case { surface: Surface::Task, rule: Some(Rule::Ask), ..granted(send.clone()) }, "run"),
        ("not an undecided proposal", Case { proposal: true, ..granted(send.clone()) }, "ask Proposal od"),
        ("not after outside content", Case { outside: Some("Web"), ..granted(send.clone()) }, "ask Outside od"),
        ("not what a second look found", Case { warning: Some("odd"), ..granted(send.clone()) }, "ask SecondLook od"),
        ("not a Read only connection", Case { read_only: Some("Notes"), ..granted(send.clone()) }, "refuse ReadOnly"),
        ("not unprompted work", Case { surface: Surface::Unprompted, ..granted(send) }, "refuse Unprompted"),
        ("not a purchase", granted(ToolFacts { purchase: true, ..tool(Risk::Send) }), "ask Purchase od"),
        ("not a call raised to send", granted(ToolFacts { raised: true, ..tool(Risk::Send) }), "ask Mode od"),
    ]);
}

#[test]
fn undecided_proposals() {
    let proposed =
        |tool| Case { proposal: true, rule: Some(Rule::Allow), chat_allowance: Some(Risk::Exec), ..chat(tool) };
    check(&[
        ("asks even under an allow rule", proposed(tool(Risk::Send)), "ask Proposal od"),
        ("look-ups too", proposed(tool(Risk::Read)), "ask Proposal od"),
        ("not look-ups in mode off", Case { mode: Mode::Off, ..proposed(tool(Risk::Read)) }, "run"),
        ("what acts in mode off", Case { mode: Mode::Off, ..proposed(tool(Risk::Write)) }, "ask Proposal od"),
        ("helpers refuse", Case { surface: Surface::Subagent, ..proposed(tool(Risk::Read)) }, "refuse Proposal"),
        (
            "but look in mode off",
            Case { surface: Surface::Subagent, mode: Mode::Off, ..proposed(tool(Risk::Read)) },
            "run",
        ),
    ]);
}

#[test]
fn outside_content_and_second_look() {
    let marked = |tool| Case { outside: Some("Web"), ..chat(tool) };
    let address = |carries_data, visited| Some(AddressFacts { host: "x.example", carries_data, visited });
    let loose = |case: Case<'static>| Case {
        mode: Mode::Off,
        rule: Some(Rule::Allow),
        chat_allowance: Some(Risk::Exec),
        ..case
    };
    check(&[
        ("a send asks whatever is allowed", loose(marked(tool(Risk::Send))), "ask Outside od"),
        ("code asks", loose(marked(tool(Risk::Exec))), "ask Outside od"),
        (
            "what moves data out asks",
            loose(marked(ToolFacts { exfiltrates: true, ..tool(Risk::Write) })),
            "ask Outside od",
        ),
        ("a note here does not", loose(marked(tool(Risk::Write))), "run"),
        ("a clean chat does not", loose(Case { outside: Some(""), ..chat(tool(Risk::Send)) }), "run"),
        (
            "a new address with data",
            Case { address: address(true, false), ..loose(marked(tool(Risk::Read))) },
            "ask Address od",
        ),
        ("a known host", Case { address: address(true, true), ..loose(marked(tool(Risk::Read))) }, "run"),
        ("a short clean address", Case { address: address(false, false), ..loose(marked(tool(Risk::Read))) }, "run"),
        ("a task pauses", Case { surface: Surface::Task, ..loose(marked(tool(Risk::Send))) }, "ask Outside od"),
        (
            "a swarm worker goes on without it",
            Case { surface: Surface::SwarmWorker, ..loose(marked(tool(Risk::Send))) },
            "refuse Outside",
        ),
        ("a second look", loose(Case { warning: Some("odd"), ..chat(tool(Risk::Send)) }), "ask SecondLook od"),
        ("both say outside", loose(Case { warning: Some("odd"), ..marked(tool(Risk::Send)) }), "ask Outside od"),
    ]);
    let both = decide(&Case { warning: Some("odd"), ..marked(tool(Risk::Send)) });
    let Verdict::Ask(question) = both else { panic!("{both:?}") };
    assert_eq!(question.warning.as_deref(), Some("odd"), "what the second look found is shown as well");
}

#[test]
fn surfaces() {
    let (read, write, send) = (tool(Risk::Read), tool(Risk::Write), tool(Risk::Send));
    let note = ToolFacts { internal: true, ..tool(Risk::Write) };
    let purchase = ToolFacts { purchase: true, ..tool(Risk::Send) };
    let door = ToolFacts { opens_home: true, ..tool(Risk::Send) };
    let delete = ToolFacts { deletes: true, ..tool(Risk::Send) };
    let script = Surface::Script { look_ups_only: false };
    let again = Surface::Script { look_ups_only: true };
    let off = |case: Case<'static>| Case { mode: Mode::Off, ..case };
    let rule = |rule, case: Case<'static>| Case { rule: Some(rule), ..case };
    check(&[
        ("a spoken chat asks", on(Surface::Voice, send.clone()), "ask Mode oshwd"),
        ("a messaging app asks", on(Surface::Messaging, send.clone()), "ask Mode oshwd"),
        ("another app is asked for, narrowly", on(Surface::Api, send.clone()), "ask Mode od"),
        ("its deletes ask in mode off", off(on(Surface::Api, delete.clone())), "ask AppDelete od"),
        ("under an allow rule too", rule(Rule::Allow, off(on(Surface::Mcp, delete.clone()))), "ask AppDelete od"),
        ("a person's deletes do not", off(chat(delete)), "run"),
        ("a task's plan was approved", on(Surface::Task, send.clone()), "run"),
        ("a task pauses at an ask rule", rule(Rule::Ask, on(Surface::Task, send.clone())), "ask AskRule othwd"),
        (
            "a task pauses at words nobody said",
            rule(Rule::IfAsked, on(Surface::Task, send.clone())),
            "ask IfAsked othwd",
        ),
        ("a task pauses at a purchase", off(on(Surface::Task, purchase.clone())), "ask Purchase od"),
        ("a task hands over", rule(Rule::HandOff, on(Surface::Task, send.clone())), "hand over"),
        ("a worker works", on(Surface::SwarmWorker, send.clone()), "run"),
        ("and ends at an ask rule", rule(Rule::Ask, on(Surface::SwarmWorker, read.clone())), "refuse AskRule and end"),
        ("or words nobody said", rule(Rule::IfAsked, on(Surface::SwarmWorker, send.clone())), "refuse IfAsked and end"),
        ("or a door", on(Surface::SwarmWorker, door.clone()), "refuse OpensHome and end"),
        ("a helper changes", on(Surface::Subagent, write.clone()), "run"),
        ("but sends nothing", off(rule(Rule::Allow, on(Surface::Subagent, send.clone()))), "refuse Policy"),
        ("an ask rule", rule(Rule::Ask, on(Surface::Subagent, read.clone())), "refuse AskRule"),
        ("a handed over call", rule(Rule::HandOff, on(Surface::Subagent, write.clone())), "refuse HandOff"),
        ("a script looks", on(script, read.clone()), "run"),
        ("and keeps notes", on(script, note.clone()), "run"),
        ("and changes nothing else", rule(Rule::Allow, on(script, write.clone())), "refuse Policy"),
        ("until asking is off", off(on(script, send)), "run"),
        ("never a purchase", off(Case { confirm_purchases: false, ..on(script, purchase) }), "refuse Policy"),
        ("never a door", off(on(script, door)), "refuse Policy"),
        ("an ask rule in a script", off(rule(Rule::Ask, on(script, read.clone()))), "refuse AskRule"),
        ("a handed over call in a script", off(rule(Rule::HandOff, on(script, write))), "refuse HandOff"),
        ("run again looks", off(on(again, read)), "run"),
        ("and nothing else", off(on(again, note)), "refuse Policy"),
    ]);
}

#[test]
fn channels_are_surfaces() {
    for (channel, want) in [
        ("desktop", Surface::Window),
        ("phone", Surface::Voice),
        ("glasses", Surface::Voice),
        ("whatsapp", Surface::Messaging),
        ("api", Surface::Api),
        ("mcp", Surface::Mcp),
        ("heartbeat", Surface::Unprompted),
        ("followups", Surface::Unprompted),
        ("something new", Surface::Api),
        ("", Surface::Api),
    ] {
        assert_eq!(Surface::of_channel(channel), want, "{channel}");
    }
}

#[test]
fn an_undo_window() {
    let waits = |tool| Case { undo: Some(Duration::from_secs(10)), mode: Mode::Off, ..chat(tool) };
    let send = tool(Risk::Send);
    check(&[
        ("a send", waits(send.clone()), "run after 10"),
        ("after a yes too", Case { mode: Mode::Ask, approved: true, ..waits(send.clone()) }, "run after 10"),
        ("a question comes first", Case { mode: Mode::Ask, ..waits(send.clone()) }, "ask Mode oshwd"),
        ("on a phone", Case { surface: Surface::Messaging, ..waits(send.clone()) }, "run after 10"),
        ("not where nobody sees it", Case { surface: Surface::Voice, ..waits(send.clone()) }, "run"),
        ("not another app's", Case { surface: Surface::Api, ..waits(send.clone()) }, "run"),
        ("not a task's", Case { surface: Surface::Task, ..waits(send) }, "run"),
        ("not code", waits(tool(Risk::Exec)), "run"),
        ("not a purchase", Case { approved: true, ..waits(ToolFacts { purchase: true, ..tool(Risk::Send) }) }, "run"),
        ("not the assistant's own notes", waits(ToolFacts { internal: true, ..tool(Risk::Write) }), "run"),
    ]);
}

#[test]
fn names_of_tools() {
    for (tool, plugin, want) in [
        ("slack_post_message", "slack", "Post message"),
        ("gmail_trash", "gmail", "Trash"),
        ("file_write", "files", "File write"),
        ("mcp_notes_add", "mcp_notes", "Add"),
        ("GMAILSendEmail", "gmail", "Send email"),
        ("notes-delete-note", "notes", "Delete note"),
        ("gmail", "gmail", "Gmail"),
        ("", "", ""),
    ] {
        assert_eq!(plain_name(tool, plugin), want, "{tool}");
    }
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
