//! Two windows on one engine: one that stays, one that keeps dropping and comes back. Both must hear the same.

use actors::Engine;
use actors::live::{Delivery, Line, Subscription};
use futures::FutureExt;
use serde_json::Value;

/// The windows of one life of the engine.
pub struct Windows {
    engine: Engine,
    stays: Subscription,
    returns: Option<Subscription>,
    /// What the dropping window has seen last.
    since: u64,
    heard: Vec<Line>,
    heard_again: Vec<Line>,
}

impl Windows {
    pub fn open(engine: &Engine) -> Self {
        let stays = engine.live.subscribe(None);
        let since = stays.seq;
        Self {
            engine: engine.clone(),
            stays,
            returns: Some(engine.live.subscribe(Some(since))),
            since,
            heard: Vec::new(),
            heard_again: Vec::new(),
        }
    }

    /// Takes what has come.
    ///
    /// # Panics
    /// When a window is told that it was too slow.
    pub fn listen(&mut self) {
        self.heard.extend(take(&mut self.stays));
        if let Some(window) = &mut self.returns {
            let lines = take(window);
            self.since = lines.last().map_or(self.since, |line| line.seq);
            self.heard_again.extend(lines);
        }
    }

    /// The dropping window goes away, or comes back with the number of the last frame it saw.
    ///
    /// # Panics
    /// When frames it missed are gone.
    pub fn drop_or_return(&mut self) {
        if self.returns.take().is_none() {
            let window = self.engine.live.subscribe(Some(self.since));
            assert!(!window.resync, "frames after {} are gone", self.since);
            self.returns = Some(window);
        }
    }

    /// Every frame so far, deltas of one answer joined.
    pub fn frames(&self) -> Vec<Value> {
        joined(&self.heard)
    }

    /// # Panics
    /// When the two windows heard different things.
    pub fn compare(&mut self) {
        if self.returns.is_none() {
            self.drop_or_return();
        }
        self.listen();
        assert_eq!(joined(&self.heard), joined(&self.heard_again), "a window that came back heard something else");
    }
}

fn take(window: &mut Subscription) -> Vec<Line> {
    let mut lines = Vec::new();
    while let Some(delivery) = window.next().now_or_never() {
        match delivery {
            Delivery::Frames(more) => lines.extend(more),
            Delivery::Lagged { seq } => panic!("a window that kept reading was told that it lagged at {seq}"),
        }
    }
    lines
}

fn joined(lines: &[Line]) -> Vec<Value> {
    let mut frames: Vec<Value> = Vec::new();
    for line in lines {
        let frame: Value = serde_json::from_str(&line.json).expect("frames are JSON");
        let delta = matches!(frame["type"].as_str(), Some("text_delta" | "thinking_delta"));
        let before = frames
            .last_mut()
            .filter(|before| delta && before["type"] == frame["type"] && before["turn_id"] == frame["turn_id"]);
        match before {
            Some(before) => {
                let text = format!("{}{}", before["text"].as_str().unwrap_or(""), frame["text"].as_str().unwrap_or(""));
                before["text"] = text.into();
            }
            None => frames.push(frame),
        }
    }
    frames
}
