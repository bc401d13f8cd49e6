//! Whether a command may run at all, in the contract's order. A failed check is a sentence for the model.

use super::Terminal;
use protocol::config;
use protocol::tools::Risk;
use rules::commands::{COMMAND_CHARS_MAX, Place, blocked, git_subcommand, inside, is_listed, starts_programs};

/// A command that may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Where it starts, with links followed.
    pub folder: String,
    /// It is on the person's list, plainly written, and starts nothing a repository names: it needs no question.
    pub is_listed: bool,
}

impl Terminal {
    /// Checks a command and the folder it names.
    ///
    /// # Errors
    /// The sentence that is the call's result.
    pub fn check(&self, command: &str, cwd: Option<&str>) -> Result<Checked, String> {
        let config = self.config();
        let settings = &config.terminal;
        if !settings.enabled {
            return Err(
                "Commands on this computer are turned off. The user can turn them on in Settings > Terminal.".into()
            );
        }
        if command.trim().is_empty() {
            return Err("There is no command. Write the command to run.".into());
        }
        if command.chars().count() > COMMAND_CHARS_MAX {
            return Err(format!(
                "The command is longer than {COMMAND_CHARS_MAX} characters. Put it into a script file and run that."
            ));
        }
        if command.contains('\0') {
            return Err("The command holds a character no shell can read. Write it without it.".into());
        }
        // Without a folder the list of commands that never run still counts, so it is looked at first.
        let (home, data) = (self.shells.home(), self.shells.data());
        let default = self.default_folder(settings);
        let wanted = cwd.map(str::trim).filter(|cwd| !cwd.is_empty());
        let folder = match wanted {
            Some(cwd) => self.shells.folder(cwd, default.as_deref()),
            None => default,
        };
        let place = Place {
            system: self.system(),
            folder: folder.as_deref().unwrap_or("/"),
            home: home.as_deref(),
            data: Some(&data),
        };
        if let Some(why) = blocked(command, &place) {
            return Err(why.sentence());
        }
        let folder = self.allowed(folder, wanted, settings)?;
        let listed = is_listed(command, &settings.allowed_commands, self.system());
        Ok(Checked { is_listed: listed && !self.starts_others(command, &folder), folder })
    }

    /// Whether a listed command would start programs that the folder's repository names and not the person.
    fn starts_others(&self, command: &str, folder: &str) -> bool {
        let Some(subcommand) = git_subcommand(command, self.system()) else { return false };
        let found = self.shells.repository(folder).and_then(|repository| starts_programs(&repository, &subcommand));
        if let Some(setting) = &found {
            tracing::info!(setting, folder, "a listed command asks: this repository can start programs");
        }
        found.is_some()
    }

    fn allowed(
        &self,
        folder: Option<String>,
        wanted: Option<&str>,
        settings: &config::Terminal,
    ) -> Result<String, String> {
        if settings.allowed_folders.is_empty() {
            return Err("No folder is open to commands yet. The user can add one in Settings > Terminal.".into());
        }
        let Some(folder) = folder else {
            return Err(match wanted {
                Some(wanted) => format!("There is no folder {wanted}. Name one that exists."),
                None => "The folder for commands is not there any more. The user can choose another in Settings > \
                         Terminal."
                    .into(),
            });
        };
        let allowed = settings.allowed_folders.iter().filter_map(|allowed| self.shells.folder(allowed, None));
        let is_inside = allowed.into_iter().any(|allowed| inside(&folder, &allowed, self.system()));
        if is_inside {
            return Ok(folder);
        }
        let list = settings.allowed_folders.join(", ");
        Err(format!("{folder} is outside the folders commands may run in. Use one of these: {list}."))
    }

    /// Where a command without a folder starts: `terminal.default_folder`, else the first allowed folder.
    pub(super) fn default_folder(&self, settings: &config::Terminal) -> Option<String> {
        let set = Some(settings.default_folder.trim()).filter(|folder| !folder.is_empty());
        let first = settings.allowed_folders.first().map(String::as_str);
        set.or(first).and_then(|folder| self.shells.folder(folder, None))
    }

    /// How far a call reaches: a listed command looks, and so does one that fails a check, since it does not run.
    pub fn risk(&self, command: &str, cwd: Option<&str>) -> Risk {
        match self.check(command, cwd) {
            Ok(checked) if !checked.is_listed => Risk::Exec,
            Ok(_) | Err(_) => Risk::Read,
        }
    }
}
