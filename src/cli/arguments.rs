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
    /// Say which version this is.
    Version,
    /// Print a script that completes commands in your shell.
    Completions { shell: clap_complete::Shell },
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

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Where the configuration file is.
    Path,
    /// The configuration in use, with everything that is not set at its default.
    Show,
    /// The JSON schema of the configuration.
    Schema,
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
            ("--port 70000", false),
            ("--port 8080 doctor", false),
            ("serve --port", false),
            ("completions cobol", false),
            ("config", false),
            ("sing", false),
        ] {
            let words = std::iter::once("sentient").chain(line.split_whitespace()).map(OsString::from);
            assert_eq!(Arguments::read(words).is_ok(), want, "{line}");
        }
    }
}
