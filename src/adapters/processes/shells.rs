//! The person's shell, behind the engine's port.

use super::{Bounds, Launcher, Start, repository};
use actors::ports::{CommandJob, Ending, OutputSink, Shell, Shells};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::{Error, ErrorKind};
use rules::commands::Repository;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio_util::sync::CancellationToken;

/// Shells that are taken, best first (contract section 18).
const UNIX: [&str; 3] = ["bash", "zsh", "sh"];
/// The user's own shell is taken when it is one of these.
const OWN: [&str; 2] = ["bash", "zsh"];
const WINDOWS: [(&str, &str); 2] = [("pwsh", "pwsh.exe"), ("powershell", "powershell.exe")];

/// What the shells are looked for with.
#[derive(Clone)]
pub struct ShellPlaces {
    /// The engine's own environment.
    pub environment: Vec<(String, String)>,
    /// The data folder.
    pub data: PathBuf,
}

impl ShellPlaces {
    fn variable(&self, name: &str) -> Option<&str> {
        self.environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A program of this name, as `PATH` has it.
    pub(in crate::adapters) fn program(&self, name: &str) -> Option<PathBuf> {
        let usual = if cfg!(windows) { "" } else { "/usr/local/bin:/usr/bin:/bin" };
        let path = self.variable("PATH").or_else(|| self.variable("Path")).unwrap_or(usual);
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|file| is_program(file))
    }
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// This computer's shells.
pub struct SystemShells {
    launcher: Launcher,
    places: ShellPlaces,
}

impl SystemShells {
    pub fn new(launcher: Launcher, places: ShellPlaces) -> Self {
        Self { launcher, places }
    }

    fn find(&self) -> Option<(String, PathBuf)> {
        if cfg!(windows) {
            return WINDOWS.into_iter().find_map(|(name, file)| Some((name.to_owned(), self.places.program(file)?)));
        }
        let own = self.places.variable("SHELL").map(PathBuf::from).filter(|shell| is_program(shell));
        let own = own.and_then(|path| Some((path.file_name()?.to_str()?.to_owned(), path)));
        own.filter(|(name, _)| OWN.contains(&name.as_str()))
            .or_else(|| UNIX.into_iter().find_map(|name| Some((name.to_owned(), self.places.program(name)?))))
    }
}

impl Shells for SystemShells {
    fn shell(&self) -> Option<Shell> {
        self.find().map(|(name, path)| Shell { name, path: path.display().to_string() })
    }

    fn os(&self) -> &'static str {
        std::env::consts::OS
    }

    fn folder(&self, name: &str, base: Option<&str>) -> Option<String> {
        let home = self.home();
        let opened = match name.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with(['/', '\\']) => format!("{}{rest}", home?),
            _ => name.to_owned(),
        };
        let path = PathBuf::from(opened);
        let whole = if path.is_absolute() { path } else { Path::new(base?).join(path) };
        let real = whole.canonicalize().ok()?;
        real.is_dir().then(|| real.display().to_string())
    }

    fn repository(&self, folder: &str) -> Option<Repository> {
        repository::found(Path::new(folder))
    }

    fn home(&self) -> Option<String> {
        self.places.variable("HOME").or_else(|| self.places.variable("USERPROFILE")).map(str::to_owned)
    }

    fn data(&self) -> String {
        self.places.data.display().to_string()
    }

    fn environment(&self) -> Vec<(String, String)> {
        self.places.environment.clone()
    }

    fn run(
        &self,
        job: CommandJob,
        output: OutputSink,
        stop: CancellationToken,
    ) -> BoxFuture<'static, Result<Ending, Error>> {
        let (launcher, shell) = (self.launcher.clone(), self.find());
        async move {
            let missing = || Error::new(ErrorKind::Unavailable, "This computer has no shell Sentient knows.");
            let (name, path) = shell.ok_or_else(missing)?;
            let options: &[&str] = if WINDOWS.iter().any(|(windows, _)| *windows == name) {
                &["-NoProfile", "-NonInteractive", "-Command"]
            } else {
                &["-c"]
            };
            let arguments = options.iter().map(|option| (*option).to_owned()).chain([job.command]).collect();
            let start = Start {
                program: &path,
                arguments,
                folder: Path::new(&job.folder),
                environment: job.environment,
                confinement: None,
                mark: format!("SENTIENT_TERMINAL_RUN={}", job.run_id),
                stdin: Stdio::null(),
            };
            let tree = launcher.start(start).map_err(|cause| {
                Error::new(
                    ErrorKind::Unavailable,
                    format!("The shell {} could not be started: {cause}.", path.display()),
                )
            })?;
            let bounds = Bounds { time_max: job.time_max, weight: None };
            Ok(tree.follow(bounds, output, stop).await.ending)
        }
        .boxed()
    }
}
