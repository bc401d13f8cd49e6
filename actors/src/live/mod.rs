//! What windows hear, as it happens: one numbered sequence of frames, kept for a while so that a dropped window can go on
//! where it was.
//!
//! The ring is the only buffer. A reader holds its place in it and takes what is new when it is ready, so a slow window
//! costs no memory: neighbouring text deltas of a turn are joined on the way out, and one that falls behind the ring is
//! told to fetch its state again. Nothing here is durable: what must not be lost is a row.

mod ring;

use protocol::approvals::ApprovalAsk;
use protocol::chat::{ChatEvent, ChatFrame, SocketFrame};
use protocol::events::EventFrame;
use protocol::ids::{SessionId, TurnId};
use protocol::undo::UndoWindow;
use ring::{Entry, Ring};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Frames the ring keeps for windows that come back. Ours: about a minute of one quick reply per open chat.
pub const FRAMES_KEPT_MAX: usize = 32_768;
/// Bytes of frames the ring keeps. Ours.
pub const BYTES_KEPT_MAX: usize = 8 * 1024 * 1024;
/// Frames kept for a reader of one chat (`POST /api/chat`).
const CHAT_FRAMES_KEPT_MAX: usize = 8_192;
/// Frames one read takes.
const READ_MAX: usize = 512;

/// The live channel of one engine. Cheap to clone.
#[derive(Clone)]
pub struct Hub {
    all: Arc<Ring>,
    chats: Arc<Mutex<HashMap<SessionId, Weak<Ring>>>>,
    /// Turns that were begun and whose `done` has not been told.
    open: Arc<Mutex<HashMap<SessionId, TurnId>>>,
}

/// A reader's place in the sequence.
pub struct Subscription {
    ring: Arc<Ring>,
    next: u64,
    /// The number of the newest frame when it began.
    pub seq: u64,
    /// Frames after the asked-for number are gone: the reader must fetch its state.
    pub resync: bool,
}

/// What a reader gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Delivery {
    /// JSON objects in order, deltas joined.
    Frames(Vec<Line>),
    /// The reader was too slow and frames are lost to it. It goes on from here after fetching its state.
    Lagged { seq: u64 },
}

/// One frame on its way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub json: Arc<str>,
    /// The turn it belongs to and whether it ends it.
    pub turn: Option<TurnId>,
    pub is_done: bool,
    pub seq: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    /// `first` is the number before the first frame. It must grow from one start of the engine to the next, so that a
    /// number from before a restart is recognised: the engine passes its start time in milliseconds times 1024.
    pub fn new(first: u64) -> Self {
        Self {
            all: Arc::new(Ring::new(first, FRAMES_KEPT_MAX, BYTES_KEPT_MAX)),
            chats: Arc::default(),
            open: Arc::default(),
        }
    }

    /// From here on windows wait for the `done` of this turn.
    pub fn begins(&self, session: &SessionId, turn: &TurnId) {
        lock(&self.open).insert(session.clone(), turn.clone());
    }

    /// The turn of a chat whose `done` windows wait for: a chat that was started again tells it when its end is stored.
    pub fn open_turn(&self, session: &SessionId) -> Option<TurnId> {
        lock(&self.open).get(session).cloned()
    }

    /// Tells every window, and whoever listens to this chat.
    pub fn chat(&self, frame: ChatFrame) {
        let entry = entry_of(frame);
        if let Some(session) = entry.session.as_ref().filter(|_| entry.is_done) {
            lock(&self.open).remove(session);
        }
        let listener =
            entry.session.as_ref().and_then(|session| lock(&self.chats).get(session).and_then(Weak::upgrade));
        if let Some(ring) = listener {
            ring.push(entry.clone());
        }
        self.all.push(entry);
    }

    /// Tells every window of a change that was committed.
    pub fn event(&self, frame: &EventFrame) {
        self.all.push(Entry::json(frame));
    }

    /// Tells every window a change as the event log keeps it; `data` is JSON.
    pub fn logged(&self, kind: &str, data: &str, ts: protocol::Timestamp) {
        self.all.push(logged(kind, data, ts));
    }

    /// As [`Hub::logged`], and whoever listens to this chat alone (`POST /api/chat`).
    pub fn logged_in_chat(&self, session: &SessionId, (kind, data, ts): (&str, &str, protocol::Timestamp)) {
        let listener = lock(&self.chats).get(session).and_then(Weak::upgrade);
        if let Some(ring) = listener {
            ring.push(logged(kind, data, ts));
        }
        self.logged(kind, data, ts);
    }

    /// Tells every window something that is not part of a turn, such as an answered approval.
    pub fn socket(&self, frame: &SocketFrame) {
        self.all.push(Entry::json(frame));
    }

    /// Reads everything, from the frame after `since` when it is still there, else from now on.
    pub fn subscribe(&self, since: Option<u64>) -> Subscription {
        let (first, last) = self.all.bounds();
        let since = since.filter(|since| *since <= last);
        let resync = since.is_none_or(|since| since < first);
        let next = if resync { last } else { since.unwrap_or(last) };
        Subscription { ring: self.all.clone(), next, seq: last, resync }
    }

    /// Reads one chat from now on.
    pub fn subscribe_chat(&self, session: &SessionId) -> Subscription {
        let mut chats = lock(&self.chats);
        chats.retain(|_, ring| ring.strong_count() > 0);
        let ring = chats.get(session).and_then(Weak::upgrade).unwrap_or_else(|| {
            let ring = Arc::new(Ring::new(0, CHAT_FRAMES_KEPT_MAX, BYTES_KEPT_MAX));
            chats.insert(session.clone(), Arc::downgrade(&ring));
            ring
        });
        let (_, last) = ring.bounds();
        Subscription { ring, next: last, seq: last, resync: false }
    }
}

impl Subscription {
    /// Waits for something new and takes what is there. Cancel-safe: what it did not return is read again.
    pub async fn next(&mut self) -> Delivery {
        loop {
            let fresh = self.ring.changed();
            let mut fresh = std::pin::pin!(fresh);
            fresh.as_mut().enable();
            match self.ring.read(self.next, READ_MAX) {
                Ok(entries) if entries.is_empty() => fresh.await,
                Ok(entries) => {
                    self.next += entries.len() as u64;
                    return Delivery::Frames(lines(entries, self.next));
                }
                Err(last) => {
                    self.next = last;
                    return Delivery::Lagged { seq: last };
                }
            }
        }
    }
}

fn logged(kind: &str, data: &str, ts: protocol::Timestamp) -> Entry {
    let json = format!(r#"{{"type":"{kind}","data":{data},"ts":"{ts}"}}"#);
    Entry { json: Some(json.into()), ..Entry::default() }
}

fn entry_of(frame: ChatFrame) -> Entry {
    let is_done = matches!(frame.event, ChatEvent::Done(_));
    let (session, turn) = (Some(frame.session_id.clone()), frame.turn_id.clone());
    match frame.event {
        ChatEvent::TextDelta { text } => Entry::delta(session, turn, false, text),
        ChatEvent::ThinkingDelta { text } => Entry::delta(session, turn, true, text),
        event => Entry { session, turn, is_done, ..Entry::json(&ChatFrame { event, ..frame }) },
    }
}

/// Joins neighbouring deltas of the same turn and writes each frame as JSON. `end` is the number of the last entry.
fn lines(entries: Vec<Entry>, end: u64) -> Vec<Line> {
    let mut seq = end - entries.len() as u64;
    let mut out: Vec<Line> = Vec::with_capacity(entries.len());
    let mut open: Option<(Entry, u64)> = None;
    for entry in entries {
        seq += 1;
        if let Some((joined, at)) = open.as_mut().filter(|(joined, _)| joined.joins(&entry)) {
            joined.text.push_str(&entry.text);
            *at = seq;
            continue;
        }
        if let Some((joined, at)) = open.take() {
            out.push(joined.into_line(at));
        }
        if entry.is_delta() {
            open = Some((entry, seq));
        } else {
            out.push(entry.into_line(seq));
        }
    }
    if let Some((joined, at)) = open {
        out.push(joined.into_line(at));
    }
    out
}

impl Entry {
    fn json(frame: &impl Serialize) -> Self {
        // These shapes hold no maps with keys that are not text, so writing them cannot fail.
        let json = serde_json::to_string(frame).unwrap_or_else(|error| {
            tracing::error!(%error, "a frame could not be written");
            r#"{"type":"error","message":"A message could not be shown.","recoverable":true}"#.into()
        });
        Self { json: Some(json.into()), ..Self::default() }
    }

    fn delta(session: Option<SessionId>, turn: Option<TurnId>, thinking: bool, text: String) -> Self {
        Self { session, turn, thinking, text, ..Self::default() }
    }

    fn into_line(self, seq: u64) -> Line {
        let json = match self.json {
            Some(json) => json,
            None => {
                let (text, thinking) = (self.text, self.thinking);
                let event = if thinking { ChatEvent::ThinkingDelta { text } } else { ChatEvent::TextDelta { text } };
                let session_id = self.session.unwrap_or_default();
                let frame = ChatFrame { event, session_id, turn_id: self.turn.clone() };
                Self::json(&frame).json.unwrap_or_default()
            }
        };
        Line { json, turn: self.turn, is_done: self.is_done, seq }
    }
}

impl Line {
    /// The frame with its number in front, as windows get it.
    pub fn numbered(&self) -> String {
        format!("{{\"seq\":{},{}", self.seq, self.json.strip_prefix('{').unwrap_or(&self.json))
    }
}

/// An approval question as a frame of its turn.
pub fn approval_frame(session_id: SessionId, turn_id: TurnId, ask: ApprovalAsk) -> ChatFrame {
    ChatFrame { event: ChatEvent::ApprovalRequest(Box::new(ask)), session_id, turn_id: Some(turn_id) }
}

/// An open undo window as a frame of its turn.
pub fn undo_frame(session_id: SessionId, turn_id: TurnId, window: UndoWindow) -> ChatFrame {
    ChatFrame { event: ChatEvent::UndoWindow(Box::new(window)), session_id, turn_id: Some(turn_id) }
}

#[cfg(test)]
mod tests;
