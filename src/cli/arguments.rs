//! What may be typed. The texts here are the help.

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// Sentient: a personal AI assistant that runs on your own computer.
#[derive(Debug, Parser)]
#[command(name = "sentient", version = crate::VERSION)]
pub(super) struct Arguments {
    /// Where everything is kept [default: ~/.sentient, or SENTIENT_HOME].
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(super) home: Option<PathBuf>,
    /// Log more; twice for much more.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(super) verbose: u8,
    #[command(flatten)]
    pub(super) serve: ServeArguments,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Start the engine and its window (what happens when no command is given).
    Serve(ServeArguments),
    /// Talk to the assistant here, or get one answer in a pipe.
    ///
    /// Exit codes: 0 answered, 1 failed, 2 called the wrong way, 3 something needed your OK and nobody could be asked,
    /// 130 stopped.
    Chat(ChatArguments),
    /// List your chats, newest first.
    Sessions(ListArguments),
    /// List the models in use and those on this computer.
    Models(ListArguments),
    /// Let another AI app use Sentient: an MCP server on standard input and output, started by that app.
    Mcp,
    /// Say what is set up, what is missing and what to do about it.
    Doctor,
    /// List everything this build offers to its clients.
    Surface {
        /// As one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Stop everything that the engine does: replies, tasks, programs.
    Stop,
    /// Let work begin again after a stop.
    Resume,
    /// Say which version this is.
    Version,
    /// Print a script that completes commands in your shell.
    Completions { shell: clap_complete::Shell },
    /// Look at what may run and what asks.
    Rules {
        #[command(subcommand)]
        command: RulesCommand,
    },
    /// Look at the configuration.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
}

#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(super) struct ServeArguments {
    /// Address to listen on [default: gateway.host, usually 127.0.0.1].
    #[arg(long)]
    pub(super) host: Option<String>,
    /// Port to listen on; 0 takes any free one [default: gateway.port, usually 7777].
    #[arg(long)]
    pub(super) port: Option<u16>,
    /// Open the window in your browser.
    #[arg(long)]
    pub(super) open: bool,
    /// Answer with this model until the engine ends, e.g. ollama_chat/qwen3:8b.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub(super) model: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct ChatArguments {
    /// Your first message; `-` reads it from standard input.
    pub(super) text: Option<String>,
    /// Go on with this chat (see `sentient sessions`).
    #[arg(long, value_name = "ID", conflicts_with_all = ["newest", "incognito", "model"])]
    pub(super) session: Option<String>,
    /// Go on with the newest chat.
    #[arg(short = 'c', long = "continue", conflicts_with_all = ["incognito", "model"])]
    pub(super) newest: bool,
    /// A chat that is not kept.
    #[arg(long)]
    pub(super) incognito: bool,
    /// Send this file with the first message; may be given again.
    #[arg(short, long = "file", value_name = "PATH")]
    pub(super) files: Vec<PathBuf>,
    /// The model of the new chat, e.g. ollama_chat/qwen3:8b.
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub(super) model: Option<String>,
    /// Answer once and end.
    #[arg(long)]
    pub(super) once: bool,
}

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// As JSON, for scripts.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum RulesCommand {
    /// Say what would happen with a call, and which check decides. Runs nothing.
    Check(RulesCheck),
}

#[derive(Debug, Args)]
pub(super) struct RulesCheck {
    /// The tool's name, e.g. file_write.
    pub(super) tool: String,
    /// Its arguments as JSON [default: {}].
    pub(super) arguments: Option<String>,
    /// Where the call comes from: window, voice, messaging, api, mcp, task, swarm, subagent, script, script-look-ups or
    /// unprompted.
    #[arg(long, default_value = "window")]
    pub(super) surface: String,
    /// With this approvals mode [default: as it is set].
    #[arg(long)]
    pub(super) mode: Option<String>,
    /// With this lasting rule on the tool [default: as it is set].
    #[arg(long)]
    pub(super) rule: Option<String>,
    /// After content of this app was read, e.g. Gmail.
    #[arg(long, value_name = "APP")]
    pub(super) outside: Option<String>,
    /// After you wrote this, for rules that go by your own words.
    #[arg(long, value_name = "WORDS")]
    pub(super) said: Option<String>,
    /// As one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Where the configuration file is.
    Path,
    /// The configuration in use, with everything that is not set at its default.
    Show,
    /// The JSON schema of the configuration.
    Schema,
    /// One setting, e.g. `sentient config get assistant.name`.
    Get {
        key: String,
        /// As JSON, for scripts.
        #[arg(long)]
        json: bool,
    },
    /// Change one setting of the running engine; it applies at once.
    Set {
        key: String,
        /// JSON, or plain text.
        value: String,
        /// Say what was saved, as JSON.
        #[arg(long)]
        json: bool,
    },
}

impl Arguments {
    /// Reads what was typed.
    ///
    /// # Errors
    /// A call that cannot be meant, or a wish for help.
    pub(super) fn read(typed: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let read = Self::try_parse_from(typed)?;
        if read.command.is_some() && read.serve != ServeArguments::default() {
            let message = "What is meant for `serve` goes after it: sentient serve --port 8080";
            return Err(Self::command().error(ErrorKind::ArgumentConflict, message));
        }
        Ok(read)
    }
}

/// Every command there is, for `sentient surface`.
pub(super) fn commands() -> Vec<String> {
    let command = Arguments::command();
    command.get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn calls_are_read_or_refused() {
        for (line, want) in [
            ("", true),
            ("--port 0", true),
            ("serve --host 127.0.0.1 --port 8080", true),
            ("--home /data doctor", true),
            ("doctor --home /data -vv", true),
            ("surface --json", true),
            ("mcp", true),
            ("mcp --port 7777", false),
            ("completions bash", true),
            ("config schema", true),
            ("rules check file_write {} --surface script --json", true),
            ("rules check", false),
            ("stop", true),
            ("resume --home /data", true),
            ("--port 70000", false),
            ("--port 8080 doctor", false),
            ("serve --port", false),
            ("completions cobol", false),
            ("chat", true),
            ("chat hello --file a.pdf --file b.pdf --once", true),
            ("chat - --incognito", true),
            ("chat -c", true),
            ("chat --session x --continue", false),
            ("sessions --json", true),
            ("models", true),
            ("config get assistant.name", true),
            ("config set assistant.name Iris --json", true),
            ("config set assistant.name", false),
            ("config", false),
            ("sing", false),
        ] {
            let words = std::iter::once("sentient").chain(line.split_whitespace()).map(OsString::from);
            assert_eq!(Arguments::read(words).is_ok(), want, "{line}");
        }
    }
}
