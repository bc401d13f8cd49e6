//! Reads server-sent events (WHATWG HTML, "Server-sent events", 9.2.6) from bytes in any chunking.
//!
//! Fields other than `event` and `data` are skipped: nobody reconnects to a model's answer. Unlike a browser it gives out
//! an event that the stream ended on without the closing blank line, since several servers forget it; whether that event
//! is whole is for its reader to find out. It must never hold more than one event.

use super::lines::{LINE_BYTES_MAX, LineDecoder, LineTooLong};

/// One event: its `data` lines joined with line feeds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event:` field; empty means `message`.
    pub event: String,
    pub data: String,
}

/// Collects lines until an event is whole.
#[derive(Debug)]
pub struct SseDecoder {
    lines: LineDecoder,
    bytes_max: usize,
    event: String,
    data: Option<String>,
    broken: bool,
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::new(LINE_BYTES_MAX)
    }
}

impl SseDecoder {
    /// A decoder whose lines, and whose events as a whole, may hold `bytes_max` bytes.
    pub fn new(bytes_max: usize) -> Self {
        Self { lines: LineDecoder::new(bytes_max), bytes_max, event: String::new(), data: None, broken: false }
    }

    /// Takes the next bytes and gives out the events they completed. After an error it stays silent.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Result<SseEvent, LineTooLong>> {
        let mut events = Vec::new();
        for line in self.lines.push(bytes) {
            if self.broken {
                break;
            }
            match line.and_then(|line| self.take(&line)) {
                Ok(None) => {}
                Ok(Some(event)) => events.push(Ok(event)),
                Err(error) => {
                    self.broken = true;
                    self.data = None;
                    events.push(Err(error));
                }
            }
        }
        events
    }

    /// The stream is over: an event that still waited for its blank line.
    pub fn end(&mut self) -> Option<Result<SseEvent, LineTooLong>> {
        if self.broken {
            return None;
        }
        if let Some(line) = self.lines.end()
            && let Err(error) = self.take(&line)
        {
            self.broken = true;
            return Some(Err(error));
        }
        self.dispatch().map(Ok)
    }

    fn take(&mut self, line: &str) -> Result<Option<SseEvent>, LineTooLong> {
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event = value.to_owned(),
            "data" => match &mut self.data {
                None => self.data = Some(value.to_owned()),
                Some(data) => {
                    if data.len() + value.len() >= self.bytes_max {
                        return Err(LineTooLong);
                    }
                    data.push('\n');
                    data.push_str(value);
                }
            },
            // A comment has an empty field name; `id`, `retry` and unknown fields mean nothing here.
            _ => {}
        }
        Ok(None)
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        self.data.take().map(|data| SseEvent { event, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(bytes: &[u8], bytes_max: usize) -> Vec<Result<SseEvent, LineTooLong>> {
        let mut decoder = SseDecoder::new(bytes_max);
        let mut events = decoder.push(bytes);
        events.extend(decoder.end());
        events
    }

    #[test]
    fn events_as_the_standard_has_them() {
        type Events<'a> = &'a [(&'a str, &'a str)];
        let cases: [(&str, &str, Events<'_>); 12] = [
            ("nothing", "", &[]),
            ("one", "data: a\n\n", &[("", "a")]),
            ("no space after the colon", "data:a\n\n", &[("", "a")]),
            ("only one space is taken", "data:  a\n\n", &[("", " a")]),
            ("several data lines", "data: a\ndata: b\ndata\n\n", &[("", "a\nb\n")]),
            ("named", "event: ping\ndata: {}\n\ndata: x\n\n", &[("ping", "{}"), ("", "x")]),
            ("comments and unknown fields", ": hi\n:\nid: 7\nretry: 9\nfoo: bar\ndata: a\n\n", &[("", "a")]),
            ("an event without data is none, and its name is forgotten", "event: x\n\ndata: a\n\n", &[("", "a")]),
            ("an empty data line is an event", "data:\n\n", &[("", "")]),
            ("CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", &[("", "a"), ("", "b")]),
            ("byte order mark", "\u{feff}data: a\n\n", &[("", "a")]),
            ("no blank line at the end", "data: a\n\ndata: b", &[("", "a"), ("", "b")]),
        ];
        for (name, text, want) in cases {
            let want: Vec<_> = want
                .iter()
                .map(|(event, data)| Ok(SseEvent { event: (*event).to_owned(), data: (*data).to_owned() }))
                .collect();
            assert_eq!(whole(text.as_bytes(), 100), want, "{name}");
        }
    }

    #[test]
    fn many_short_lines_cannot_grow_one_event_past_the_limit() {
        let event = SseEvent { event: String::new(), data: "a".to_owned() };
        assert_eq!(
            whole("data: a\n\ndata: 1234\ndata: 1234\ndata: 1234\n\n".as_bytes(), 10),
            [Ok(event), Err(LineTooLong)]
        );
    }

    proptest! {
        #[test]
        fn chunking_does_not_matter(
            parts in prop::collection::vec(
                prop_oneof![Just("data: "), Just("event: x"), Just("\n"), Just("\r\n"), Just("\r"), Just(":"), Just("é{}")],
                0..20,
            ),
            cuts in prop::collection::vec(0usize..80, 0..6),
        ) {
            let text = parts.concat();
            let mut decoder = SseDecoder::new(30);
            let mut events = Vec::new();
            for chunk in crate::oracles::chunks(text.as_bytes(), &cuts) {
                events.extend(decoder.push(chunk));
            }
            events.extend(decoder.end());
            prop_assert_eq!(events, whole(text.as_bytes(), 30));
        }
    }
}
