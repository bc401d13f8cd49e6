//! After a reply: the person's message is read for facts that will still matter.
//!
//! A job is a row that was written with the end of the reply. It goes through two stored steps: a model has found facts in
//! the messages, and all of them are saved. Saving the same words of the same message twice changes nothing, so a crash
//! between any two steps is one of them done again.

use super::LearningParts;
use super::learned::{FoundIn, new_fact};
use super::said::Said;
use crate::ports::WorkspaceFile;
use protocol::{Error, ErrorKind};
use rules::memory::extraction::{self, FACTS_MAX, Source};
use storage::Batch;
use storage::records::LearnJobRecord;

/// How often a model is asked about one turn before it is given up. Ours: with five minutes between, a model that was
/// being loaded or downloaded is there.
const TRIES_MAX: u32 = 3;
/// Jobs of one round. Ours: the rest is the next round's.
const JOBS_MAX: usize = 100;

/// Does what is left to do, oldest first. A job that fails stays for the next round.
pub(super) async fn work_through(parts: &LearningParts) -> Result<(), Error> {
    let jobs: Vec<LearnJobRecord> = {
        let snapshot = parts.store.snapshot()?;
        let mut jobs: Vec<LearnJobRecord> = snapshot.all::<LearnJobRecord>()?.collect::<Result<_, _>>()?;
        jobs.sort_by_key(|job| job.at);
        jobs.truncate(JOBS_MAX);
        jobs
    };
    for job in jobs {
        // An error is a stop, or a store that is not there: the rest would fare the same.
        learn(parts, job).await?;
    }
    Ok(())
}

async fn learn(parts: &LearningParts, mut job: LearnJobRecord) -> Result<(), Error> {
    let config = parts.config();
    let said = Said::read(&parts.store.snapshot()?, &config, (&job.session_id, job.from, job.upto))?;
    let Some(said) = said.filter(|said| !said.chat.incognito && config.memory.extract_after_turn) else {
        return done(parts, &job).await;
    };
    let owner = config.assistant.user_name.as_str();
    let found_in = if said.own.is_empty() { FoundIn::Program } else { FoundIn::Turn };
    let words = match found_in {
        FoundIn::Program => said.others.iter().map(|(_, _, text)| text.clone()).collect(),
        FoundIn::Turn | FoundIn::Older => said.words(),
    };
    let text = words.join("\n");
    if !extraction::is_worth_reading(&text) {
        return done(parts, &job).await;
    }
    let found = match job.found.take() {
        Some(found) => found,
        None => {
            let answer = match parts.ask_for_facts(extraction::prompt(&text, owner)).await {
                Ok(answer) => answer,
                Err(error) => return put_off(parts, job, error).await,
            };
            let shown = shown(parts, &said).await;
            let source = Source {
                said: &words,
                said_before: &said.before,
                shown: &shown,
                owner,
                marked: said.marked().is_some() || found_in == FoundIn::Program,
                facts_max: FACTS_MAX,
            };
            let Some(found) = extraction::parse(&answer, &source) else {
                let error = Error::new(ErrorKind::Upstream, "The model's answer held no list of facts.");
                return put_off(parts, job, error).await;
            };
            let mut batch = Batch::new();
            batch.put(&LearnJobRecord { found: Some(found.clone()), ..job.clone() });
            parts.store.commit(batch).await?;
            found
        }
    };
    for content in &found {
        save(parts, new_fact(content, &said, found_in, owner)).await?;
    }
    done(parts, &job).await
}

/// Saves one fact. One that cannot be one is left out; a store that fails stops the round.
pub(super) async fn save(parts: &LearningParts, new: crate::memory::NewFact) -> Result<(), Error> {
    match parts.memories.save(new).await {
        Ok(_) => Ok(()),
        Err(error) if matches!(error.kind, ErrorKind::Invalid | ErrorKind::Unprocessable) => {
            tracing::debug!(%error, "a found fact was not kept");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Texts that were before the model and are nobody's words.
async fn shown(parts: &LearningParts, said: &Said) -> Vec<String> {
    let mut shown = said.recalled.clone();
    for file in [WorkspaceFile::Soul, WorkspaceFile::User, WorkspaceFile::Memory] {
        match parts.workspace.read(file).await {
            Ok(text) => shown.extend(text.unwrap_or_default().lines().map(str::to_owned)),
            Err(error) => tracing::debug!(%error, "a workspace file is not compared"),
        }
    }
    shown.retain(|line| !line.trim().is_empty());
    shown
}

async fn done(parts: &LearningParts, job: &LearnJobRecord) -> Result<(), Error> {
    let mut batch = Batch::new();
    batch.delete::<LearnJobRecord>(&(job.session_id.clone(), job.from));
    parts.store.commit(batch).await?;
    Ok(())
}

/// No model could read it: it is tried again later, a bounded number of times. Stopped: it waits as it is.
async fn put_off(parts: &LearningParts, job: LearnJobRecord, error: Error) -> Result<(), Error> {
    if matches!(error.kind, ErrorKind::Conflict | ErrorKind::Cancelled) {
        return Err(error);
    }
    if job.failed + 1 >= TRIES_MAX {
        tracing::warn!(%error, chat = %job.session_id, "a message was not read for memories");
        return done(parts, &job).await;
    }
    let mut batch = Batch::new();
    batch.put(&LearnJobRecord { failed: job.failed + 1, found: None, ..job });
    parts.store.commit(batch).await?;
    Ok(())
}
