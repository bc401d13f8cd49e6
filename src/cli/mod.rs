//! The command line: reads what was typed and hands it on. Every command says what went wrong on stderr and ends with 0
//! (done), 1 (did not work) or 2 (called the wrong way).

mod arguments;
mod config;
mod doctor;
mod lists;
mod rules_check;
mod stop;
mod surface;
mod talk;

use crate::assemble::App;
use crate::environment::Environment;
use crate::serve::{ServeError, ServeOptions, serve};
use crate::{VERSION, logging};
use arguments::{Arguments, Command, ConfigCommand, RulesCommand, ServeArguments};
use clap::CommandFactory;
use protocol::{Error, ErrorKind};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use tokio::time::Duration;

/// Threads for work that blocks: files, keychain, search.
const BLOCKING_THREADS_MAX: usize = 64;
/// How long a blocking job may hold up the end of the program.
const LAST_JOBS_MAX: Duration = Duration::from_millis(100);
const DID_NOT_WORK: u8 = 1;
const WRONG_CALL: u8 = 2;
/// `EX_SOFTWARE` of sysexits.h: start it again.
const GAVE_UP: u8 = 70;

/// Runs the program with these arguments, the first of which is its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    run_with_apps(arguments, Vec::new())
}

/// The same program with more apps in its engine: what the tests of the window start, to have a mailer that sends nothing.
pub fn run_with_apps(arguments: impl IntoIterator<Item = OsString>, apps: Vec<App>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(code) = crate::confine::hidden(&arguments).or_else(|| crate::document::hidden(&arguments)) {
        return code;
    }
    let arguments = match Arguments::read(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return shown(&error),
    };
    let mut environment = Environment::read();
    if let Some(home) = &arguments.home {
        environment = environment.with_home(home.clone());
    }
    logging::start(arguments.verbose, &environment);
    let out = &mut io::stdout().lock();
    let done = match arguments.command.unwrap_or(Command::Serve(arguments.serve)) {
        Command::Serve(serve) => return start(serve, environment, apps),
        Command::Chat(arguments) => return talk::run(arguments, &environment),
        Command::Mcp => return mcp(&environment),
        Command::Doctor => return doctor(environment, out),
        Command::Sessions(list) => lists::sessions(list.json, &environment, out),
        Command::Models(list) => lists::models(list.json, &environment, out),
        Command::Surface { json } => surface::print(json, out),
        Command::Stop => press(stop::Press::Stop, &environment, out),
        Command::Resume => press(stop::Press::Resume, &environment, out),
        Command::Version => writeln!(out, "sentient {VERSION}").map_err(Failure::from),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Arguments::command(), "sentient", out);
            Ok(())
        }
        Command::Rules { command: RulesCommand::Check(asked) } => {
            home_of(&environment).map_err(Failure::from).and_then(|home| rules_check::check(&asked, &home, out))
        }
        Command::Config { command } => config(&command, environment, out),
    };
    ended(done)
}

/// Why a command did not work.
enum Failure {
    Error(Error),
    /// The reader of the output left, as `head` does: nothing to say.
    OutputGone,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<io::Error> for Failure {
    fn from(_: io::Error) -> Self {
        Self::OutputGone
    }
}

fn ended(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::OutputGone) => ExitCode::from(DID_NOT_WORK),
        Err(Failure::Error(error)) if error.kind == ErrorKind::Invalid => failed(&error, WRONG_CALL),
        Err(Failure::Error(error)) => failed(&error, DID_NOT_WORK),
    }
}

/// Says what went wrong. Nobody to hear it is no reason to panic.
fn failed(error: &Error, code: u8) -> ExitCode {
    if writeln!(io::stderr(), "sentient: {}", error.detail()).is_err() {
        tracing::debug!("nobody reads the errors");
    }
    ExitCode::from(code)
}

/// Help and version go to stdout with 0, a wrong call to stderr with 2.
fn shown(error: &clap::Error) -> ExitCode {
    if error.print().is_err() {
        tracing::debug!("nobody reads the output");
    }
    if error.use_stderr() { ExitCode::from(WRONG_CALL) } else { ExitCode::SUCCESS }
}

fn home_of(environment: &Environment) -> Result<PathBuf, Error> {
    environment.home.clone().ok_or_else(|| {
        Error::new(ErrorKind::Invalid, "The system names no folder of yours to keep Sentient's data in.")
            .hint("Name one with --home or SENTIENT_HOME.")
    })
}

fn in_background<T>(work: impl Future<Output = T>) -> Result<T, Error> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS_MAX)
        .build()
        .map_err(|cause| Error::new(ErrorKind::Unavailable, format!("The system gives no threads: {cause}.")))?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(LAST_JOBS_MAX);
    Ok(done)
}

fn start(arguments: ServeArguments, environment: Environment, apps: Vec<App>) -> ExitCode {
    let home = match home_of(&environment) {
        Ok(home) => home,
        Err(error) => return failed(&error, WRONG_CALL),
    };
    let ServeArguments { host, port, open, model } = arguments;
    let served = in_background(serve(ServeOptions { home, host, port, open, model, apps, environment }));
    match served {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(ServeError::Address(error))) => failed(&error, WRONG_CALL),
        Ok(Err(ServeError::Engine(error))) | Err(error) => failed(&error, DID_NOT_WORK),
        Ok(Err(ServeError::GaveUp)) => failed(
            &Error::internal("The engine kept failing and gave up.")
                .hint("Nothing that was acknowledged is lost. Start it again; with -v it says what failed."),
            GAVE_UP,
        ),
    }
}

fn mcp(environment: &Environment) -> ExitCode {
    let served =
        home_of(environment).and_then(|home| in_background(crate::mcp_server::serve(&home, environment)).flatten());
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error, DID_NOT_WORK),
    }
}

fn doctor(environment: Environment, out: &mut impl Write) -> ExitCode {
    let examined = home_of(&environment).and_then(|home| in_background(doctor::examine(home, environment)));
    match examined {
        Ok(findings) => match doctor::print(&findings, out) {
            Ok(()) if findings.iter().all(doctor::Finding::is_well) => ExitCode::SUCCESS,
            _ => ExitCode::from(DID_NOT_WORK),
        },
        Err(error) => failed(&error, DID_NOT_WORK),
    }
}

fn press(press: stop::Press, environment: &Environment, out: &mut impl Write) -> Result<(), Failure> {
    let home = home_of(environment)?;
    let said = in_background(stop::press(&home, environment, press))??;
    stop::print(&said, out)
}

fn config(command: &ConfigCommand, environment: Environment, out: &mut impl Write) -> Result<(), Failure> {
    let home = home_of(&environment)?;
    match command {
        ConfigCommand::Path => config::path(&home, out),
        ConfigCommand::Show => config::show(&home, out),
        ConfigCommand::Schema => config::schema(out),
        ConfigCommand::Get { key, json } => config::get(&home, key, *json, out),
        ConfigCommand::Set { key, value, json } => config::set(&environment, (key, value), *json, out),
    }
}
