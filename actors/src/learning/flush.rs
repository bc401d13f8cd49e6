//! Before older messages are compressed, what they say that lasts is saved (contract section 15, "Memory flush").

use super::LearningParts;
use super::after_turn::save;
use super::learned::{FoundIn, new_fact};
use super::said::Said;
use protocol::Error;
use protocol::config::Config;
use protocol::sessions::MessageRole;
use rules::memory::extraction::{self, FACTS_MAX, Source};
use rules::memory::talk::{Line, transcript};
use storage::Batch;
use storage::records::{MessageRecord, ReadFor, ReadMarkRecord, SessionRecord};

impl LearningParts {
    /// Reads the messages before `upto` that no flush has read, and saves up to `memory.flush_max_facts` facts.
    ///
    /// # Errors
    /// No model, or a store that cannot be written: the caller goes on, and the next compression reads them again.
    pub(crate) async fn flush(&self, chat: &SessionRecord, upto: u64) -> Result<(), Error> {
        let config = self.config();
        let facts_max = usize::try_from(config.memory.flush_max_facts).unwrap_or(usize::MAX).min(FACTS_MAX);
        if chat.incognito || !config.memory.flush_enabled || facts_max == 0 {
            return Ok(());
        }
        let Some((talk, said)) = self.older(chat, upto, &config)? else { return Ok(()) };
        if let Some(said) = said {
            let owner = config.assistant.user_name.as_str();
            let answer = self.ask_for_facts(extraction::prompt(&talk, owner)).await?;
            let words = said.words();
            let source = Source {
                said: &words,
                said_before: &said.before,
                shown: &said.recalled,
                owner,
                marked: said.marked().is_some(),
                facts_max,
            };
            for content in extraction::parse(&answer, &source).unwrap_or_default() {
                save(self, new_fact(&content, &said, FoundIn::Older, owner)).await?;
            }
        }
        let mut batch = Batch::new();
        batch.put(&ReadMarkRecord { session_id: chat.id.clone(), purpose: ReadFor::Flush, upto });
        self.store.commit(batch).await?;
        Ok(())
    }

    /// The messages before `upto` that no flush has read, as a talk, and what the person said in them, if anything. `None`:
    /// all of them were read.
    fn older(&self, chat: &SessionRecord, upto: u64, config: &Config) -> Result<Option<(String, Option<Said>)>, Error> {
        let snapshot = self.store.snapshot()?;
        let mark = snapshot.get::<ReadMarkRecord>(&ReadMarkRecord::key_of(&chat.id, ReadFor::Flush))?;
        let from = mark.map_or(0, |mark| mark.upto);
        if from >= upto {
            return Ok(None);
        }
        let range = (chat.id.clone(), from)..(chat.id.clone(), upto);
        let rows: Vec<MessageRecord> = snapshot.range::<MessageRecord>(range)?.collect::<Result<_, _>>()?;
        let lines: Vec<Line<'_>> = rows.iter().filter_map(line).collect();
        let chars_max = usize::try_from(config.memory.flush_max_chars).unwrap_or(usize::MAX);
        let said = Said::read(&snapshot, config, (&chat.id, from, upto))?;
        Ok(Some((transcript(&lines, chars_max), said.filter(|said| !said.own.is_empty()))))
    }
}

/// The person's and the assistant's lines; what others wrote and what tools answered is left out.
fn line(row: &MessageRecord) -> Option<Line<'_>> {
    let by_person = row.role == MessageRole::User && row.outside_source.is_empty();
    (by_person || row.role == MessageRole::Assistant).then_some(Line { by_person, text: &row.content })
}
