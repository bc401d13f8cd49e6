//! Two windows on one engine: one that stays, one that keeps dropping and comes back. Both must hear the same.

use actors::Engine;
use actors::live::{Delivery, Line, Subscription};
use futures::FutureExt;
use serde_json::Value;

/// The windows of one life of the engine.
pub(crate) struct Windows {
    engine: Engine,
    stays: Subscription,
    returns: Option<Subscription>,
    /// What the dropping window has seen last.
    since: u64,
    /// Frames in order, deltas of one answer joined.
    heard: Vec<Value>,
    heard_again: Vec<Value>,
}

impl Windows {
    pub(crate) fn open(engine: &Engine) -> Self {
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
    pub(crate) fn listen(&mut self) {
        join(&mut self.heard, &take(&mut self.stays));
        if let Some(window) = &mut self.returns {
            let lines = take(window);
            self.since = lines.last().map_or(self.since, |line| line.seq);
            join(&mut self.heard_again, &lines);
        }
    }

    /// The dropping window goes away, or comes back with the number of the last frame it saw.
    ///
    /// # Panics
    /// When frames it missed are gone.
    pub(crate) fn drop_or_return(&mut self) {
        if self.returns.take().is_none() {
            let window = self.engine.live.subscribe(Some(self.since));
            assert!(!window.resync, "frames after {} are gone", self.since);
            self.returns = Some(window);
        }
    }

    /// Every frame so far, deltas of one answer joined.
    pub(crate) fn frames(&self) -> &[Value] {
        &self.heard
    }

    /// # Panics
    /// When the two windows heard different things.
    pub(crate) fn compare(&mut self) {
        if self.returns.is_none() {
            self.drop_or_return();
        }
        self.listen();
        assert_eq!(self.heard, self.heard_again, "a window that came back heard something else");
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

fn join(frames: &mut Vec<Value>, lines: &[Line]) {
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
}
