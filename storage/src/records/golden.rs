//! Every record, in every version there ever was, still opens (`storage/golden/<table>-v<version>.bin`).
//!
//! `UPDATE_GOLDEN=1` writes the files that are missing. It never touches one that is there: when the bytes of a record
//! no longer match, its fields changed, and that needs a new version and an upgrade.

use super::*;
use crate::record::{Record, decode, encode};
use protocol::Timestamp;
use protocol::approvals::{ApprovalRecord, Decision, GrantScope, Via};
use protocol::config::ApprovalRule;
use protocol::notifications::NotificationKind;
use protocol::rule_proposals::ProposalStatus;
use protocol::sessions::{MessageRole, StoredCall};
use protocol::subagents::{SubagentKind, SubagentStatus};
use protocol::tools::Risk;
use protocol::usage::Billing;
use std::fmt::Debug;
use std::path::PathBuf;

/// Holds the golden file of one version against the values it must open to.
pub(super) fn check<R: Record + PartialEq + Debug>(version: u8, want: &[R]) {
    let name = format!("{}-v{version}.bin", R::TABLE);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(&name);
    let written: Vec<Vec<u8>> = want.iter().map(|record| encode(record).expect("a sample")).collect();
    if version == R::VERSION && !path.exists() && std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, postcard::to_stdvec(&written).expect("bytes")).expect("written");
    }
    let file = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}; make it with UPDATE_GOLDEN=1"));
    let stored: Vec<Vec<u8>> = postcard::from_bytes(&file).expect("a golden file");
    let read: Vec<R> = stored.iter().map(|row| decode(row).unwrap_or_else(|error| panic!("{name}: {error}"))).collect();
    assert_eq!(read, want, "{name} opens to something else");
    if version == R::VERSION {
        assert_eq!(written, stored, "{name}: the fields changed, so the version must");
    }
}

#[test]
fn sessions() {
    let bare = crate::samples::session("s-1", 5);
    let full = SessionRecord {
        title: "Größe der Küche".into(),
        title_source: TitleSource::Person,
        untrusted: Some("Gmail".into()),
        visited_hosts: Some(vec!["example.org".into()]),
        incognito: true,
        model: Some("ollama/qwen3:8b".into()),
        memory_scope: Some("work".into()),
        node_id: Some("glasses".into()),
        next_ordinal: 300,
        summary: Some(Summary { text: "Before.".into(), upto: 12, untrusted: "a web page".into() }),
        allowances: vec![ToolAllowance { tool: "file_write".into(), risk: Risk::Write }],
        ..bare.clone()
    };
    let titled = SessionRecord { title_source: TitleSource::Model, untrusted: Some(String::new()), ..bare.clone() };
    check(1, &[bare, full, titled]);
}

#[test]
fn messages() {
    let bare = crate::samples::message("s-1", 0, "नमस्ते");
    let full = MessageRecord {
        turn_id: Some("t-1".into()),
        role: MessageRole::Assistant,
        thinking: Some("Hm.".into()),
        tool_calls: vec![StoredCall::new("c-1".into(), "file_read".into(), r#"{"name":"a"}"#.into())],
        attachments: vec!["a.pdf".into()],
        interjection: true,
        memory_sources: r#"[{"kind":"fact"}]"#.into(),
        sources: r#"[{"kind":"web"}]"#.into(),
        ..bare.clone()
    };
    let result = MessageRecord {
        role: MessageRole::Tool,
        tool_call_id: Some("c-1".into()),
        name: Some("file_read".into()),
        is_error: true,
        approval: Some(ApprovalRecord {
            decision: Decision::AllowTimed,
            asked_at: Timestamp(1),
            answered_at: Timestamp(2),
            target: Some("a".into()),
            risk_label: Some("Sends".into()),
            untrusted: Some("Gmail".into()),
            rule: Some("if_asked".into()),
            warning: Some("odd".into()),
        }),
        outside_source: "a saved tool result".into(),
        ..bare.clone()
    };
    let roles = [MessageRole::Other, MessageRole::Event].map(|role| MessageRecord { role, ..bare.clone() });
    check(1, &[&[bare, full, result][..], &roles].concat());
}

#[test]
fn attachments() {
    check(1, &[AttachmentRecord { name: "a (1).pdf".into(), sessions: vec!["s-1".into(), "s-2".into()] }]);
}

#[test]
fn led_hosts() {
    check(1, &[LedHostsRecord { session_id: "s-1".into(), hosts: vec!["a.example".into(), "b.example".into()] }]);
}

#[test]
fn turns() {
    let bare = TurnRecord {
        turn_id: "t-1".into(),
        session_id: "s-1".into(),
        client_id: None,
        channel: "desktop".into(),
        model: None,
        first_ordinal: 4,
        started_at: Timestamp(9),
        resumed: 0,
    };
    let full = TurnRecord { client_id: Some("w-1".into()), model: Some("a/b".into()), resumed: 2, ..bare.clone() };
    check(1, &[bare, full]);
}

#[test]
fn queued_inputs() {
    let steer = QueuedInput {
        session_id: "s-1".into(),
        number: 1,
        kind: QueuedKind::Steer,
        text: "And Tuesday?".into(),
        attachments: vec!["a.png".into()],
        model: Some("a/b".into()),
        client_id: Some("w-1".into()),
        channel: "voice".into(),
        created_at: Timestamp(3),
    };
    let turn = QueuedInput { kind: QueuedKind::Turn, model: None, client_id: None, ..steer.clone() };
    check(1, &[steer, turn]);
}

#[test]
fn effects() {
    let effect = |state| EffectRecord {
        call_id: "c-1".into(),
        session_id: "s-1".into(),
        turn_id: "t-1".into(),
        tool: "gmail_send".into(),
        arguments: "{}".into(),
        state,
        at: Timestamp(-5),
        until: None,
        instead_of: None,
    };
    check(1, &[EffectState::Attempted, EffectState::Done, EffectState::Failed].map(effect));
    let later = [EffectState::Waiting, EffectState::NotSent, EffectState::Unknown].map(|state| EffectRecord {
        until: Some(Timestamp(9)),
        instead_of: Some("gmail_delete".into()),
        ..effect(state)
    });
    check(2, &later);
}

#[test]
fn file_snapshots() {
    let kept = SnapshotFile {
        path: "/home/a/notes.txt".into(),
        deleted: false,
        bytes: 12,
        copy: Some("0.copy".into()),
        note: None,
    };
    let gone = SnapshotFile {
        path: "/home/a/p.png".into(),
        deleted: true,
        bytes: 1 << 40,
        copy: None,
        note: Some("Not a text file, so no copy was kept.".into()),
    };
    let bare = FileSnapshotRecord {
        id: "s-1".into(),
        at: Timestamp(5),
        source: SnapshotSource::File,
        what: "notes.txt".into(),
        session_id: None,
        task_id: None,
        call_id: None,
        files: Vec::new(),
        created: Vec::new(),
        too_many: false,
        bytes: 0,
        copies_gone: false,
        restoring_at: None,
        restored_at: None,
    };
    let full = FileSnapshotRecord {
        source: SnapshotSource::Command,
        session_id: Some("s".into()),
        task_id: Some("t".into()),
        call_id: Some("c".into()),
        files: vec![kept, gone],
        created: vec!["/home/a/new.txt".into()],
        too_many: true,
        bytes: 12,
        copies_gone: true,
        restoring_at: Some(Timestamp(6)),
        restored_at: Some(Timestamp(7)),
        ..bare.clone()
    };
    let code = FileSnapshotRecord { source: SnapshotSource::Code, ..bare.clone() };
    let back = FileSnapshotRecord { source: SnapshotSource::PutBack, ..bare.clone() };
    check(1, &[bare, full, code, back]);
}

#[test]
fn restores() {
    let begun = RestoreRecord { call_id: "c-1".into(), at: Timestamp(3), done: false };
    check(1, &[begun.clone(), RestoreRecord { done: true, ..begun }]);
}

#[test]
fn events() {
    check(1, &[EventRecord { seq: 300, at: Timestamp(1), kind: "session.updated".into(), data: "{}".into() }]);
}

#[test]
fn outbox_rows() {
    let message = IndexJob::Message { session_id: "s-1".into(), ordinal: 3, message_id: "m-1".into() };
    let gone = IndexJob::SessionGone { session_id: "s-1".into() };
    check(1, &[OutboxRow { number: 1, job: message }, OutboxRow { number: 2, job: gone }]);
}

#[test]
fn notifications() {
    let kinds = [
        NotificationKind::Info,
        NotificationKind::Task,
        NotificationKind::Approval,
        NotificationKind::Proactive,
        NotificationKind::Skill,
        NotificationKind::Error,
        NotificationKind::Brief,
        NotificationKind::Reminder,
        NotificationKind::Budget,
        NotificationKind::Backup,
    ];
    let rows = kinds.map(|kind| NotificationRecord {
        id: "n-1".into(),
        kind,
        title: "Title".into(),
        message: "**Text**".into(),
        payload: "{}".into(),
        task_id: Some("task-1".into()),
        read: true,
        created_at: Timestamp(1),
    });
    check(1, &rows);
}

#[test]
fn usage() {
    let rows = [(Billing::Local, None), (Billing::Plan, Some(0.0)), (Billing::Paid, Some(0.25))];
    let rows = rows.map(|(billing, cost_usd)| UsageRecord {
        id: "u-1".into(),
        at: Timestamp(1),
        model: "a/b".into(),
        source: "chat".into(),
        role: Some("primary".into()),
        billing,
        prompt_tokens: 300,
        completion_tokens: 7,
        cost_usd,
    });
    check(1, &rows);
}

#[test]
fn meta() {
    check(1, &[MetaRecord { name: "stop.state".into(), value: "true".into() }]);
}

#[test]
fn grants() {
    let timed = GrantRecord {
        id: "g-1".into(),
        tool: "gmail_send_email".into(),
        label: "Send email".into(),
        app: "Gmail".into(),
        scope: GrantScope::Timed,
        task_id: None,
        task_name: None,
        risk: Risk::Send,
        via: Via::Desktop,
        created_at: Timestamp(1),
        expires_at: Some(Timestamp(2)),
    };
    let task = [Via::Telegram, Via::Discord, Via::Whatsapp].map(|via| GrantRecord {
        scope: GrantScope::Task,
        task_id: Some("task-1".into()),
        task_name: Some("Weekly report".into()),
        via,
        expires_at: None,
        ..timed.clone()
    });
    check(1, &[&[timed][..], &task].concat());
}

#[test]
fn rule_proposals() {
    let pending = RuleProposalRecord {
        id: "p-1".into(),
        session_id: "s-1".into(),
        message_id: "m-1".into(),
        said: "Never delete my emails".into(),
        rule: ApprovalRule::Never,
        keys: vec!["gmail_trash".into()],
        status: ProposalStatus::Pending,
        created_at: Timestamp(1),
        decided_at: None,
    };
    let decided = [
        (ApprovalRule::IfAsked, ProposalStatus::Accepted),
        (ApprovalRule::Ask, ProposalStatus::Declined),
        (ApprovalRule::HandOff, ProposalStatus::Accepted),
    ];
    let decided = decided.map(|(rule, status)| RuleProposalRecord {
        rule,
        status,
        decided_at: Some(Timestamp(2)),
        ..pending.clone()
    });
    check(1, &[&[pending][..], &decided].concat());
}

#[test]
fn every_table_has_its_golden_file() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden");
    for table in TABLES {
        for version in 1..=table.version {
            let name = format!("{}-v{version}.bin", table.name);
            assert!(folder.join(&name).exists(), "{name} is missing");
        }
    }
}

#[test]
fn subagents() {
    let bare = SubagentRecord {
        id: "h-1".into(),
        session_id: "s-1".into(),
        parent_call_id: "c-1".into(),
        goal: "Find trains".into(),
        kind: SubagentKind::Worker,
        status: SubagentStatus::Running,
        background: false,
        summary: None,
        error: None,
        tool_calls: 0,
        started_at: Timestamp(1),
        finished_at: None,
        files: Vec::new(),
        next_step: 0,
        untold: false,
    };
    let full = SubagentRecord {
        kind: SubagentKind::Reader,
        status: SubagentStatus::Completed,
        background: true,
        summary: Some("Two trains.".into()),
        error: Some("Stopped.".into()),
        tool_calls: 3,
        finished_at: Some(Timestamp(9)),
        files: vec!["notes/trains.md".into()],
        next_step: 300,
        untold: true,
        ..bare.clone()
    };
    let ends =
        [SubagentStatus::Error, SubagentStatus::Cancelled].map(|status| SubagentRecord { status, ..bare.clone() });
    check(1, &[&[bare, full][..], &ends].concat());
}

#[test]
fn subagent_steps() {
    check(1, &[SubagentStepRecord { subagent_id: "h-1".into(), number: 300, update: "{}".into() }]);
}

#[test]
fn facts() {
    let bare = FactRecord {
        id: 1,
        content: "Maya lives in Pune".into(),
        topics: vec!["Personal Identity".into()],
        source: "conversation".into(),
        short_term: false,
        expires_at: None,
        status: FactStatus::Active,
        scope: "personal".into(),
        confidence: 0.9,
        state: FactState::Current,
        superseded_by: None,
        superseded_at: None,
        merged_into: None,
        merged_at: None,
        previous_content: None,
        review: None,
        sources: Vec::new(),
        recall_count: 0,
        last_recalled_at: None,
        created_at: Timestamp(1),
        updated_at: Timestamp(2),
    };
    let held = FactRecord {
        id: 2,
        content: "माया पुणे में रहती है".into(),
        short_term: true,
        expires_at: Some(Timestamp(9)),
        status: FactStatus::Pending,
        review: Some(r#"{"from":"Gmail","snippet":null,"session_id":null}"#.into()),
        sources: vec![FactSource {
            source: "app:gmail".into(),
            reference: Some(r#"{"kind":"file","file":"a.pdf","quote":"x"}"#.into()),
            at: Timestamp(3),
            merged_from: Some(7),
        }],
        ..bare.clone()
    };
    let merged = FactRecord {
        id: 3,
        status: FactStatus::Merged,
        state: FactState::Superseded,
        superseded_by: Some(1),
        superseded_at: Some(Timestamp(4)),
        merged_into: Some(1),
        merged_at: Some(Timestamp(5)),
        previous_content: Some("Maya lives in Delhi".into()),
        recall_count: 4,
        last_recalled_at: Some(Timestamp(6)),
        ..bare.clone()
    };
    let disputed = FactRecord { id: 4, state: FactState::Disputed, ..bare.clone() };
    check(1, &[bare, held, merged, disputed]);
}

#[test]
fn what_became_of_facts() {
    let (message, words) = ("m-1".to_owned(), 0xffff_ffff_ffff_fffe);
    check(1, &[FactSaveRecord { message, words, fact: 3, at: Timestamp(9) }]);
    let steps = vec!["chips".to_owned(), "events".to_owned()];
    check(1, &[FactCleanupRecord { fact: 3, forgotten: r#"{"id":3}"#.into(), steps, since: Timestamp(9) }]);
    check(1, &[FactChipRecord { fact: 3, session_id: "s-1".into(), ordinal: 300 }]);
    check(
        1,
        &[ForgetRecord {
            id: "f-1".into(),
            source: "channel:telegram".into(),
            label: "Telegram".into(),
            counts: r#"{"memories":1}"#.into(),
            at: Timestamp(9),
        }],
    );
}

#[test]
fn vectors() {
    let vector = VectorRecord {
        space: "builtin".into(),
        kind: SearchedKind::Fact,
        id: 300,
        text_hash: u64::MAX,
        vector: vec![0, 60, 0, 0],
    };
    let kinds = SearchedKind::ALL.map(|kind| VectorRecord { kind, ..vector.clone() });
    check(1, &kinds);
}

#[test]
fn embed_jobs() {
    check(1, &SearchedKind::ALL.map(|kind| EmbedJob { kind, id: 7 }));
}

#[test]
fn embed_model_jobs() {
    check(1, &SearchedKind::ALL.map(|kind| ModelEmbedJob { kind, id: 7 }));
}

#[test]
fn searched_outbox_rows() {
    let searched = Searched::new(SearchedKind::NotePiece, 9);
    let changes =
        [Change::Text(searched), Change::Vector { space: "builtin".into(), searched }, Change::NoVectors(searched)];
    check(1, &changes.map(|change| SearchedChange { number: 300, change }));
}
