//! `scripted/tour`: a walk through what the assistant does, told by the assistant.
//!
//! It reads the last message for a few words and answers with a prepared page. Tools are really called, through the same
//! gate as for any model, so what the person sees is what a model would do.

use super::{Turn, offers, start, turn};
use protocol::model::{ModelCall, Piece};
use serde_json::{Value, json};

/// Characters of a result that are quoted.
const RESULT_CHARS_MAX: usize = 600;
/// How far it counts when no number is named, for the very long reply, and at most.
const COUNT_USUAL: usize = 20;
const COUNT_LONG: usize = 1_500;
const COUNT_MAX: usize = 5_000;

/// What the person may want to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    Welcome,
    Clock,
    File,
    Streaming,
    Formatting,
    Counting,
    Long,
    RealModel,
    Unknown,
}

/// Words that lead to a topic, in any case; the first topic with a word that was said wins.
const WORDS: [(Topic, &[&str]); 8] = [
    (Topic::Counting, &["count"]),
    (Topic::File, &["file", "write", "note", "ask", "question", "approval", "permission"]),
    (Topic::Clock, &["time", "date", "clock", "day", "tool"]),
    (Topic::Streaming, &["stream", "streams", "streaming"]),
    (Topic::Long, &["long"]),
    (Topic::Formatting, &["markdown", "format", "table", "list", "code"]),
    (Topic::RealModel, &["model", "real", "scripted", "brain", "connect", "next"]),
    (Topic::Welcome, &["hello", "hi", "hey", "start", "tour", "help", "begin"]),
];

const WELCOME: &str = "\
Welcome! I'm the tour of **Sentient**. I'm not a real model, only a script, so I work right away: nothing was downloaded \
and nothing leaves this computer.

Here is what I can show you. Just write one of these:

- **time**: I use a tool and tell you what it said
- **file**: I want to write a file, and you are asked first
- **table**: how formatted answers look
- **stream**: how an answer comes word by word, and **count 500**: one that is long enough to stop
- **model**: how to connect a real model

You can open my thinking above this answer, stop me in the middle of a sentence, and come back to this chat later.";

const FORMATTING: &str = "\
Answers can be more than plain text:

| What | How it looks |
|---|---|
| Emphasis | **strong** and *light* |
| Code | `sentient chat` |
| Links | [the project](https://example.com/) |

1. Lists count for themselves.
2. They can be long or short.

```python
print(\"Code keeps its shape.\")
```

> And quotes stand apart.

Write **file** to see how I ask before I do something.";

const STREAMING: &str = "\
Here is **how a reply looks**:

1. It comes word by word.
2. It may hold `code`, lists and [links](https://example.com/a).

```rust
fn main() { println!(\"hello\"); }
```

| what | how |
|---|---|
| text | as text |

That is all.";

const REAL_MODEL: &str = "\
I'm a scripted model: I only know this tour. To talk to a real one, open **Settings > Models** and choose:

- **On this computer:** install [Ollama](https://ollama.com/download), then download the model that Sentient recommends for \
this computer. Your words stay here.
- **In the cloud:** paste a key of a provider such as Anthropic, OpenAI or OpenRouter. It is kept in this computer's \
keychain.

You can change it at any time, also for one chat only. This chat stays.";

const UNKNOWN: &str = "\
That isn't in my script, and a script is all I am. I can show you **time** (a tool), **file** (a question before something \
is done), **table** (formatted answers) and **model** (how to connect a real model).";

pub(super) fn answer(call: &ModelCall) -> Vec<Piece> {
    if call.json {
        // Jobs in the background want an object of their own shape; an empty one tells them nothing wrong.
        return vec![Piece::Text("{}".to_owned())];
    }
    match turn(&call.messages) {
        Turn::Said(said) => {
            let said = own_words(said);
            page(call, topic(said), said)
        }
        Turn::Results(results) => {
            let told: Vec<String> = results.iter().map(|(name, text)| told(name, text)).collect();
            say("The tool has answered. I'll put it into words.", &told.join("\n\n"))
        }
        Turn::Nothing => say("Nobody has said anything yet, so I'll begin.", WELCOME),
    }
}

/// The person's own words: what is attached stands behind them.
fn own_words(said: &str) -> &str {
    let marks = ["--- Attached file: ", "[Attached file ", "(Attached earlier: "];
    let end = marks.iter().filter_map(|mark| said.find(mark)).min();
    end.map_or(said, |end| &said[..end])
}

fn topic(said: &str) -> Topic {
    let said = said.to_lowercase();
    let words: Vec<&str> = said.split(|c: char| !c.is_alphanumeric()).collect();
    let leads = |(_, known): &&(Topic, &[&str])| known.iter().any(|word| words.contains(word));
    WORDS.iter().find(leads).map_or(Topic::Unknown, |(topic, _)| *topic)
}

/// `1, 2, 3` and so on: a lost or doubled word shows at once.
fn counted(to: usize) -> String {
    (1..=to.clamp(1, COUNT_MAX)).map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
}

/// The number that was said after "count", or the usual one. In front of a message may stand the time it was written at.
fn number_in(said: &str) -> usize {
    let said = said.to_lowercase();
    let after = said.split_once("count").map_or("", |(_, after)| after);
    let mut digits = after.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    digits.next().map_or(COUNT_USUAL, |digits| digits.parse().unwrap_or(COUNT_MAX))
}

fn page(call: &ModelCall, topic: Topic, said: &str) -> Vec<Piece> {
    match topic {
        Topic::Welcome => say("Someone new is here. I'll greet them and say what I can show.", WELCOME),
        Topic::Clock if offers(call, "current_datetime") => vec![
            Piece::Thinking("They want to see a tool. The clock is harmless, so nobody needs to be asked.".to_owned()),
            Piece::Text("I'll look at the clock.".to_owned()),
            tool("current_datetime", &json!({})),
        ],
        Topic::File if offers(call, "file_write") => vec![
            Piece::Thinking("Writing a file changes something, so Sentient will ask the person first.".to_owned()),
            Piece::Text("I'd like to write a small file. You decide whether I may.".to_owned()),
            tool(
                "file_write",
                &json!({"name": "hello-from-sentient.md", "content": "# Hello\n\nThis file was written during the tour, after you said yes.\n"}),
            ),
        ],
        Topic::Clock | Topic::File => say(
            "The tool for this isn't offered to me here, so I'll say so.",
            "I'd need a tool for that, and this chat gives me none. In an ordinary chat, write **time** or **file** again.",
        ),
        Topic::Streaming => {
            say("They want to see a reply come in. I'll show every kind of formatting on the way.", STREAMING)
        }
        Topic::Counting => say("I can count. Stop me when it is enough.", &counted(number_in(said))),
        Topic::Long => say("A long reply, so that it can be stopped.", &counted(COUNT_LONG)),
        Topic::Formatting => say("I'll use every kind of formatting once.", FORMATTING),
        Topic::RealModel => say("They want to know what I am. I'll be honest about it.", REAL_MODEL),
        Topic::Unknown => say("I have no page for this.", UNKNOWN),
    }
}

fn say(thinking: &str, text: &str) -> Vec<Piece> {
    vec![Piece::Thinking(thinking.to_owned()), Piece::Text(text.to_owned())]
}

fn tool(name: &str, arguments: &Value) -> Piece {
    Piece::Call { id: None, name: name.to_owned(), arguments: arguments.to_string() }
}

/// What a tool answered, in words where its shape is known (contract tools.tsv), else quoted.
fn told(name: &str, result: &str) -> String {
    let value: Value = serde_json::from_str(result).unwrap_or_default();
    let field = |name: &str| value[name].as_str();
    match name {
        "current_datetime" => {
            if let (Some(time), Some(weekday), Some(date)) = (field("time"), field("weekday"), field("date")) {
                let zone = field("timezone").map(|zone| format!(" ({zone})")).unwrap_or_default();
                return format!(
                    "It is **{time} on {weekday}**, {date}{zone}. The tool told me; I have no clock of my own."
                );
            }
        }
        "file_write" => {
            if value["declined"] == true {
                return "Then I leave it: nothing was written. You decide, every time.".to_owned();
            }
            if let Some(path) = field("path").filter(|_| value["error"].is_null()) {
                return format!(
                    "Done: the file is at `{path}`. You'll find what I did under **Activity**. Next you may want to see a \
                     real **model**."
                );
            }
        }
        _ => (),
    }
    format!("This is what came back from `{name}`:\n\n> {}", start(result, RESULT_CHARS_MAX).replace('\n', "\n> "))
}
