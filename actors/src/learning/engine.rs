//! The workspace files and personas as the person sees them.

use crate::Engine;
use crate::ports::WorkspaceFile;
use protocol::memory_files::{Persona, WORKSPACE_CHARS_MAX, WorkspaceFiles};
use protocol::{Error, ErrorKind};

impl Engine {
    /// The workspace files, whole.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub async fn workspace_files(&self) -> Result<WorkspaceFiles, Error> {
        let zone = jiff::tz::TimeZone::get(&self.config().assistant.timezone);
        let zone = zone.unwrap_or_else(|_| self.world.clock.zone());
        let today = zone.to_datetime(self.world.now().to_jiff()).date();
        let yesterday = today.yesterday().unwrap_or(today);
        let workspace = &self.small.outside.workspace;
        let text = |file| async move { Ok::<String, Error>(workspace.read(file).await?.unwrap_or_default()) };
        Ok(WorkspaceFiles {
            soul: text(WorkspaceFile::Soul).await?,
            user: text(WorkspaceFile::User).await?,
            memory: text(WorkspaceFile::Memory).await?,
            today: text(WorkspaceFile::Note(today)).await?,
            yesterday: text(WorkspaceFile::Note(yesterday)).await?,
        })
    }

    /// Saves a workspace file the person wrote. Answers its name.
    ///
    /// # Errors
    /// `NotFound` for another name, `TooLarge` above [`WORKSPACE_CHARS_MAX`] characters, what the disk says.
    pub async fn save_workspace_file(&self, name: &str, content: String) -> Result<String, Error> {
        let file = match name {
            "soul" => WorkspaceFile::Soul,
            "user" => WorkspaceFile::User,
            "memory" => WorkspaceFile::Memory,
            _ => return Err(Error::not_found("There are soul, user and memory.")),
        };
        if content.chars().count() > WORKSPACE_CHARS_MAX {
            let too_long = format!("This text is longer than {WORKSPACE_CHARS_MAX} characters. Shorten it.");
            return Err(Error::new(ErrorKind::TooLarge, too_long));
        }
        self.small.outside.workspace.write(file, content).await?;
        Ok(name.to_owned())
    }

    /// Ready-made personas with the current names in them.
    pub fn personas(&self) -> Vec<Persona> {
        let config = self.config();
        rules::personas::presets(&config.assistant.name, &config.assistant.user_name)
    }
}
