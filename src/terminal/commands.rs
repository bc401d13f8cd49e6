//! Lines that begin with a slash.

/// What the person wants of the client rather than of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    New,
    Incognito,
    Model(Option<String>),
    Stop,
    StopAll,
    Resume,
    Files,
    Attach(String),
    Search(String),
    Sessions,
    Open(String),
    Undo,
    SendNow,
    Help,
    Quit,
}

pub(super) const HELP: &str = "\
/new              a new chat; /incognito for one that is not kept
/model [NAME]     the models there are, or this chat's own: /model ollama_chat/qwen3:8b; /model default
/stop             stop the reply (so does Ctrl-C); /stopall stops all work, /resume lets it go on
/undo  /send      take back a message that waits to be sent, or send it now
/files            files of the assistant; /attach PATH sends one with the next message
/search WORDS     search all chats; /sessions lists them, /open ID goes on with one
/quit             leave (so do Ctrl-D and Ctrl-C twice)
While a reply is being written, what you type is added to it. A question is answered with its number.";

/// Reads a line. `None`: it is a message. `Some(Err)`: it looks like a command and is none.
pub(super) fn read(line: &str) -> Option<Result<Command, String>> {
    let typed = line.trim().strip_prefix('/')?;
    let (name, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    let rest = rest.trim();
    // A path such as /etc/hosts, or a message that begins with one, is no command.
    if name.contains('/') || name.is_empty() {
        return None;
    }
    let needs = |command: fn(String) -> Command, what: &str| {
        if rest.is_empty() { Err(format!("/{name} needs {what} after it.")) } else { Ok(command(rest.to_owned())) }
    };
    Some(match name {
        "new" => Ok(Command::New),
        "incognito" => Ok(Command::Incognito),
        "model" => Ok(Command::Model((!rest.is_empty()).then(|| rest.to_owned()))),
        "stop" => Ok(Command::Stop),
        "stopall" => Ok(Command::StopAll),
        "resume" => Ok(Command::Resume),
        "files" => Ok(Command::Files),
        "attach" => needs(Command::Attach, "a path"),
        "search" => needs(Command::Search, "words"),
        "sessions" => Ok(Command::Sessions),
        "open" => needs(Command::Open, "a chat's id from /sessions"),
        "undo" => Ok(Command::Undo),
        "send" => Ok(Command::SendNow),
        "help" | "?" => Ok(Command::Help),
        "quit" | "exit" => Ok(Command::Quit),
        other => Err(format!("There is no /{}. /help lists what there is.", super::plain::line(other, 40))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_are_commands_unless_they_are_paths() {
        for (line, want) in [
            ("hello", None),
            ("/etc/hosts is odd", None),
            ("/ what", None),
            ("/new", Some(Ok(Command::New))),
            ("  /model  ollama_chat/qwen3:8b ", Some(Ok(Command::Model(Some("ollama_chat/qwen3:8b".into()))))),
            ("/model", Some(Ok(Command::Model(None)))),
            ("/search two words", Some(Ok(Command::Search("two words".into())))),
            ("/search", Some(Err("/search needs words after it.".into()))),
            ("/stop", Some(Ok(Command::Stop))),
            ("/sing", Some(Err("There is no /sing. /help lists what there is.".into()))),
        ] {
            assert_eq!(read(line), want, "{line}");
        }
    }
}
