//! People at several surfaces who do things at the same time, without asking each other.

use crate::sim::Chance;
use crate::sim::book::{Book, Fate, Known};
use crate::story::TestFiles;
use actors::Engine;
use actors::chats::requests::{Accepted, NewChat, NewMessage};
use actors::engine::OpenChat;
use futures::FutureExt;
use futures::future::{LocalBoxFuture, join_all};
use protocol::Error;
use protocol::approvals::{Decision, Via};
use protocol::ids::{ApprovalId, ClientId, SessionId};
use protocol::sessions::SessionPatch;
use protocol::undo::UndoAction;
use std::rc::Rc;

/// Requests sent to one chat at once, more than its mailbox takes.
const BURST: usize = 90;
/// Handles on chats that people keep, although the chats may have left memory.
const HANDLES_MAX: usize = 6;

/// Something that is being done.
pub(crate) type Doing = LocalBoxFuture<'static, Did>;

/// What came of it.
pub(crate) enum Did {
    Wrote {
        index: usize,
        incognito: bool,
        chat: Option<Rc<OpenChat>>,
        result: Result<Accepted, Error>,
    },
    Deleted {
        session: SessionId,
        result: Result<(), Error>,
    },
    Answered {
        id: ApprovalId,
        decision: Decision,
        place: usize,
        results: Vec<Result<bool, Error>>,
    },
    /// The mark of a call that waited, and whether the answer came in time.
    Undid {
        mark: String,
        action: UndoAction,
        result: Result<bool, Error>,
    },
    StoppedAll(String),
    /// Something whose outcome only the trace tells.
    Other(String),
}

/// The people of one life of the engine.
pub(crate) struct People {
    engine: Engine,
    files: TestFiles,
    life: usize,
    handles: Vec<Rc<OpenChat>>,
}

impl People {
    pub(crate) fn new(engine: &Engine, files: &TestFiles, life: usize) -> Self {
        Self { engine: engine.clone(), files: files.clone(), life, handles: Vec::new() }
    }

    /// Decides on one thing to do, and says what it is.
    pub(crate) fn plan(&self, chance: &mut Chance, book: &mut Book) -> (String, Doing) {
        let open = book.open_chats();
        let Some(chat) = chance.pick(&open) else { return self.write(chance, book, None) };
        match chance.below(27) {
            0..=3 if open.len() < 5 => self.write(chance, book, None),
            0..=9 => self.write(chance, book, Some(chat)),
            10 | 11 => self.write_by_handle(chance, book),
            12 | 13 => self.cancel(chat),
            14..=17 => self.answer(chance, book),
            18 => self.patch(chance, book, chat),
            19 if chance.one_in(2) => self.delete(book, chat),
            20 => self.search(chance, book),
            21 if chance.one_in(2) => self.burst(chat),
            22 => self.look(chat),
            23 | 24 => self.undo(chance, book),
            25 if chance.one_in(3) => self.stop_all(chance),
            _ => self.write(chance, book, Some(chat)),
        }
    }

    /// Enters into the book what came of it, and says it for the trace.
    pub(crate) fn did(&mut self, did: Did, book: &mut Book) -> String {
        match did {
            Did::Wrote { index, incognito, chat, result } => {
                let shown = format!("wrote {}: {}", book.sent[index].text, said(&result));
                if let Some(chat) = chat {
                    book.was_sent(index, &chat.session_id, &result);
                    let known = Known { incognito, life: self.life, deleted: None };
                    book.chats.entry(chat.session_id.clone()).or_insert(known);
                    self.handles.push(chat);
                    if self.handles.len() > HANDLES_MAX {
                        self.handles.remove(0);
                    }
                } else {
                    book.sent[index].fate = Fate::of(&result);
                }
                shown
            }
            Did::Undid { mark, action, result } => {
                let shown = format!("pressed {action:?} for {mark}: {}", said(&result));
                if action == UndoAction::Undo && matches!(result, Ok(true)) && !mark.is_empty() {
                    book.undone.insert(mark);
                }
                shown
            }
            Did::StoppedAll(shown) => {
                book.was_stopped();
                shown
            }
            Did::Deleted { session, result } => {
                let fate = match Fate::of(&result) {
                    Fate::Refused => Fate::Accepted, // it was not there any more
                    fate => fate,
                };
                if let Some(known) = book.chats.get_mut(&session) {
                    known.deleted = Some(if known.deleted == Some(Fate::Accepted) { Fate::Accepted } else { fate });
                }
                format!("deleted {session}: {}", said(&result))
            }
            Did::Answered { id, decision, place, results } => {
                let shown = format!("answered {id} {decision:?}: {}", results.iter().map(said).collect::<String>());
                let counted = results.iter().filter(|result| matches!(result, Ok(true))).count();
                let unsure = results.iter().any(|result| Fate::of(result) == Fate::Unknown);
                if let Some(question) = book.questions.get_mut(&id) {
                    question.counted += counted;
                    question.answers[place].1 = match (counted, unsure) {
                        (0, false) => Fate::Refused,
                        (0, true) => Fate::Unknown,
                        _ => Fate::Accepted,
                    };
                }
                shown
            }
            Did::Other(text) => text,
        }
    }

    fn write(&self, chance: &mut Chance, book: &mut Book, chat: Option<SessionId>) -> (String, Doing) {
        let incognito = chat.is_none() && chance.one_in(4);
        let (index, message) = self.message(chance, book);
        let new = NewChat { incognito, channel: "desktop".into(), ..NewChat::default() };
        let engine = self.engine.clone();
        let about = format!("writes {} in {chat:?}", message.text);
        let doing = async move {
            match engine.open_chat(chat, new).await {
                Ok(chat) => {
                    let result = chat.send(message).await;
                    Did::Wrote { index, incognito, chat: Some(Rc::new(chat)), result }
                }
                Err(error) => Did::Wrote { index, incognito, chat: None, result: Err(error) },
            }
        };
        (about, doing.boxed_local())
    }

    /// Through a handle that may be old.
    fn write_by_handle(&self, chance: &mut Chance, book: &mut Book) -> (String, Doing) {
        let Some(chat) = chance.pick(&self.handles) else { return self.write(chance, book, None) };
        let (index, message) = self.message(chance, book);
        let about = format!("writes {} by an old handle on {}", message.text, chat.session_id);
        let incognito = book.chats.get(&chat.session_id).is_some_and(|known| known.incognito);
        let doing = async move {
            let result = chat.send(message).await;
            Did::Wrote { index, incognito, chat: Some(chat), result }
        };
        (about, doing.boxed_local())
    }

    fn message(&self, chance: &mut Chance, book: &mut Book) -> (usize, NewMessage) {
        let text = book.word();
        let mut attachments = Vec::new();
        if chance.one_in(5) {
            let name = format!("{}/{text}.txt", if chance.one_in(3) { "selections" } else { "uploads" });
            self.files.put(&name, b"attached words");
            attachments.push(name);
        }
        let index = book.sends(text.clone());
        let client_id = Some(ClientId(format!("c-{text}")));
        let steer = chance.one_in(2);
        (index, NewMessage { text, attachments, client_id, channel: "desktop".into(), steer, ..NewMessage::default() })
    }

    fn cancel(&self, chat: SessionId) -> (String, Doing) {
        let (engine, about) = (self.engine.clone(), format!("stops {chat}"));
        let doing = async move { Did::Other(format!("stopped {chat}: {}", said(&engine.cancel(&chat).await))) };
        (about, doing.boxed_local())
    }

    /// One of the newest questions, or any: in time, late, and from two surfaces at once.
    pub(crate) fn answer(&self, chance: &mut Chance, book: &mut Book) -> (String, Doing) {
        let ids: Vec<ApprovalId> = book.questions.keys().cloned().collect();
        let newest = if chance.one_in(4) { &ids[..] } else { &ids[ids.len().saturating_sub(3)..] };
        let Some(id) = chance.pick(newest) else {
            return ("has nothing to answer".into(), async { Did::Other("-".into()) }.boxed_local());
        };
        let decisions =
            [Decision::Allow, Decision::AllowSession, Decision::AllowAlways, Decision::Deny, Decision::Deny];
        let decision = chance.pick(&decisions).unwrap_or(Decision::Deny);
        self.answer_with(id, decision, 1 + usize::from(chance.one_in(3)), book)
    }

    pub(crate) fn answer_with(
        &self,
        id: ApprovalId,
        decision: Decision,
        times: usize,
        book: &mut Book,
    ) -> (String, Doing) {
        let mut place = 0;
        if let Some(question) = book.questions.get_mut(&id) {
            place = question.answers.len();
            question.answers.push((decision, Fate::Unknown));
        }
        let (engine, about) = (self.engine.clone(), format!("answers {id} with {decision:?} {times} times"));
        let doing = async move {
            let results =
                join_all((0..times).map(|_| engine.answer_approval(id.clone(), decision, Via::Desktop))).await;
            Did::Answered { id, decision, place, results }
        };
        (about, doing.boxed_local())
    }

    /// In one of the newest undo windows: in time or late.
    fn undo(&self, chance: &mut Chance, book: &Book) -> (String, Doing) {
        let newest: Vec<_> = book.windows.iter().rev().take(3).collect();
        let Some((id, mark)) = chance.pick(&newest) else {
            return ("has nothing to take back".into(), async { Did::Other("-".into()) }.boxed_local());
        };
        let (id, mark) = (id.clone(), mark.clone());
        let action = if chance.one_in(3) { UndoAction::SendNow } else { UndoAction::Undo };
        let (engine, about) = (self.engine.clone(), format!("presses {action:?} for {mark}"));
        let doing = async move {
            let result = engine.answer_undo(id, action).await;
            Did::Undid { mark, action, result }
        };
        (about, doing.boxed_local())
    }

    /// Stops everything, and sometimes resumes at once.
    fn stop_all(&self, chance: &mut Chance) -> (String, Doing) {
        let (engine, resumes) = (self.engine.clone(), chance.one_in(2));
        let doing = async move {
            let mut shown = format!("stopped everything: {}", said(&engine.stop_all(Some("tray")).await));
            if resumes {
                shown += &format!("resumed: {}", said(&engine.resume(None).await));
            }
            Did::StoppedAll(shown)
        };
        ("stops everything".into(), doing.boxed_local())
    }

    fn patch(&self, chance: &mut Chance, book: &mut Book, chat: SessionId) -> (String, Doing) {
        let title = Some(format!("Title {}", book.word()));
        let model = chance.one_in(2).then(|| Some("ollama_chat/other:1b".to_owned()));
        let (engine, about) = (self.engine.clone(), format!("renames {chat}"));
        let doing = async move {
            let patch = SessionPatch { title, model, ..SessionPatch::default() };
            Did::Other(format!("renamed {chat}: {}", said(&engine.patch_chat(&chat, patch).await)))
        };
        (about, doing.boxed_local())
    }

    fn delete(&self, book: &mut Book, chat: SessionId) -> (String, Doing) {
        if let Some(known) = book.chats.get_mut(&chat) {
            known.deleted = Some(Fate::Unknown);
        }
        let (engine, about) = (self.engine.clone(), format!("deletes {chat}"));
        let doing = async move {
            let result = engine.delete_chat(&chat).await;
            Did::Deleted { session: chat, result }
        };
        (about, doing.boxed_local())
    }

    fn search(&self, chance: &mut Chance, book: &mut Book) -> (String, Doing) {
        let word = chance.pick(&book.sent).map_or_else(|| "answer".to_owned(), |sent| sent.text);
        let (engine, about) = (self.engine.clone(), format!("looks for {word}"));
        let doing = async move {
            // How many there are may depend on how far the index is: only the checks at rest look.
            let found = engine.search(&word).await.is_ok();
            Did::Other(format!("looked for {word}: {found}"))
        };
        (about, doing.boxed_local())
    }

    /// More at once than the chat can take in: some are told `busy`, and nothing may hang or get lost for it.
    fn burst(&self, chat: SessionId) -> (String, Doing) {
        let (engine, about) = (self.engine.clone(), format!("floods {chat}"));
        let doing = async move {
            let patch = || SessionPatch { memory_scope: Some(Some("work".into())), ..SessionPatch::default() };
            let results = join_all((0..BURST).map(|_| engine.patch_chat(&chat, patch()))).await;
            let done = results.iter().filter(|result| result.is_ok()).count();
            Did::Other(format!("flooded {chat}: {done} went through"))
        };
        (about, doing.boxed_local())
    }

    fn look(&self, chat: SessionId) -> (String, Doing) {
        let (engine, about) = (self.engine.clone(), format!("looks at {chat}"));
        let doing = async move {
            let rows = engine.messages(&chat, 50).await.map(|rows| rows.len());
            let chats = engine.sessions(10).await.map(|chats| chats.len());
            Did::Other(format!("looked at {chat}: {} {}, {} actors", said(&rows), said(&chats), engine.actors().len()))
        };
        (about, doing.boxed_local())
    }
}

fn said<T: std::fmt::Debug>(result: &Result<T, Error>) -> String {
    match result {
        Ok(value) => format!("{value:?} "),
        Err(error) => format!("{:?} ({}) ", error.kind, error.message),
    }
}
