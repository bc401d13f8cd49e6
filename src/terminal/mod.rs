//! `sentient chat`: a conversation with the running engine from a shell.
//!
//! It is a client of the same API as every window and holds no rule of its own: what may be answered, and what an answer
//! means, the engine says. Nothing that comes from a model, a tool or a page reaches the terminal before
//! [`plain::neutral`] has taken its control characters away.

mod card;
mod client;
mod commands;
mod conversation;
mod driver;
mod incoming;
mod lists;
mod oneshot;
mod paper;
mod plain;

pub(crate) use client::Client;
pub(crate) use lists::{models_table, sessions_table};

use crate::environment::Environment;
use protocol::Error;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

/// How a conversation or a single answer ended, as the exit code says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Answered, or left by the person.
    Done,
    /// The engine or the model could not answer.
    Failed,
    /// Something needed a yes and nobody could be asked.
    NotAllowed,
    /// Stopped with Ctrl-C (128 + SIGINT, as shells count it).
    Stopped,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(match ending {
            Ending::Done => 0,
            Ending::Failed => 1,
            Ending::NotAllowed => 3,
            Ending::Stopped => 130,
        })
    }
}

/// What `sentient chat` was asked for.
#[derive(Clone, Debug, Default)]
pub struct ChatOptions {
    /// The first message; `-` reads it from standard input.
    pub text: Option<String>,
    /// Goes on with this chat.
    pub session: Option<String>,
    /// Goes on with the newest chat.
    pub newest: bool,
    pub incognito: bool,
    /// Files to send with the first message.
    pub files: Vec<PathBuf>,
    /// The new chat's own model, `provider/model`.
    pub model: Option<String>,
    /// Answers once and ends, although it could go on.
    pub once: bool,
}

/// How things may look here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Columns.
    pub(crate) width: usize,
    pub(crate) colour: bool,
}

/// Columns of a terminal that does not say how wide it is.
const WIDTH_USUAL: usize = 80;
/// Text wider than this is hard to read. Ours.
const WIDTH_MAX: usize = 100;

impl Look {
    fn of(environment: &Environment) -> Self {
        let width = termimad::crossterm::terminal::size().map_or(WIDTH_USUAL, |(columns, _)| usize::from(columns));
        let dumb = environment.variable("TERM").is_some_and(|term| term == "dumb");
        Self { width: width.clamp(20, WIDTH_MAX), colour: !environment.no_color && !dumb }
    }
}

/// Runs `sentient chat`.
///
/// # Errors
/// No engine answers, or a file or chat that was named is not there.
pub async fn chat(mut options: ChatOptions, environment: &Environment) -> Result<Ending, Error> {
    let (from_person, to_person) = (std::io::stdin().is_terminal(), std::io::stdout().is_terminal());
    if options.text.as_deref() == Some("-") || (options.text.is_none() && !from_person) {
        options.text = Some(oneshot::standard_input()?);
        options.once = true;
    }
    let client = Client::find(environment)?;
    let session = client.session(&options).await?;
    let mut attached = Vec::new();
    for file in &options.files {
        attached.push(client.upload(file).await?);
    }
    if options.once || !to_person || !from_person {
        let text = options.text.clone().unwrap_or_default();
        return oneshot::answer(&client, oneshot::Question { text, session, attached, incognito: options.incognito })
            .await;
    }
    let look = Look::of(environment);
    let start = driver::Start { first: options.text, session, attached, incognito: options.incognito, look };
    driver::run(client, start, environment.home.as_deref()).await
}
