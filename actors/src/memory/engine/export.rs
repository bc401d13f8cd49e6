//! Everything that is remembered as a file the person keeps: to read, or to open with other programs.

use crate::Engine;
use crate::memory::export::{Rows, markdown, sqlite};
use protocol::memory_requests::{ExportFormat, Exported};
use protocol::{Error, ErrorKind};
use storage::records::{FactRecord, FactStatus};

/// Where exports go, in the files folder.
const FOLDER: &str = "exports";
/// Tries at a name that is not taken. Ours: names hold the second.
const NAMES_MAX: usize = 100;

impl Engine {
    /// `POST /api/memories/export`: writes a new file and says where it is.
    ///
    /// # Errors
    /// A store that cannot be read, a disk that is full.
    pub async fn export_memories(&self, format: ExportFormat) -> Result<Exported, Error> {
        let (now, zone) = (self.world.now(), self.world.clock.zone());
        let owner = self.config().assistant.user_name.clone();
        let (insights, tools) = (self.insights.clone(), self.small.outside.tools.clone());
        let (bytes, rows) = self
            .reading(move |snapshot| {
                let mut facts = Vec::new();
                for fact in snapshot.all::<FactRecord>()? {
                    let fact = fact?;
                    let has_run_out = fact.expires_at.is_some_and(|end| end <= now);
                    if fact.status != FactStatus::Merged && !has_run_out {
                        facts.push(fact);
                    }
                }
                let rows = Rows { facts, about: insights.all(snapshot)? };
                let app = |id: &str| tools.plugin_display_name(id);
                let bytes = match format {
                    ExportFormat::Markdown => markdown(&rows, &owner, (now, &zone), &app).into_bytes(),
                    ExportFormat::Sqlite => sqlite(&rows)?,
                };
                Ok((bytes, rows))
            })
            .await?;
        let stamp = now.to_jiff().to_zoned_datetime(self.world.clock.zone()).strftime("%Y%m%d-%H%M%S").to_string();
        let ending = match format {
            ExportFormat::Markdown => "md",
            ExportFormat::Sqlite => "db",
        };
        let (memories, about_you, waiting) = rows.counts();
        let files = self.small.folder.clone();
        let written = tokio::task::spawn_blocking(move || {
            for number in 0..NAMES_MAX {
                let again = if number == 0 { String::new() } else { format!("-{number}") };
                let name = format!("sentient-memory-{stamp}{again}.{ending}");
                let place = format!("{FOLDER}/{name}");
                if files.open_content(&place).is_ok() {
                    continue;
                }
                let path = files.write(&place, &bytes)?.path;
                return Ok((name, path));
            }
            Err(Error::new(ErrorKind::Conflict, "Too many exports were made in this second.").hint("Try again."))
        });
        let (name, path) = written.await.map_err(|cause| Error::new(ErrorKind::Unavailable, cause.to_string()))??;
        let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
        Ok(Exported { path: path.display().to_string(), folder, name, format, memories, about_you, waiting })
    }
}
