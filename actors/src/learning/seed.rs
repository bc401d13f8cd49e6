//! What the person said of themselves at the first start becomes their first memories, in the background.

use super::LearningParts;
use super::after_turn::save;
use crate::memory::{NewFact, SaveOrigin};
use protocol::Error;
use protocol::onboarding::Onboarding;
use rules::memory::extraction::{self, FACTS_MAX, Source};

const SOURCE: &str = "onboarding";

impl LearningParts {
    /// Saves what the answers say of the person. Nobody waits for it; what a crash takes is still in USER.md.
    pub(crate) fn seed(&self, answers: &Onboarding) {
        let (parts, answers) = (self.clone(), answers.clone());
        self.world.work.spawn_dropped("first memories", async move {
            if let Err(error) = parts.save_answers(&answers).await {
                tracing::info!(%error, "the first answers became no memories");
            }
        });
    }

    async fn save_answers(&self, answers: &Onboarding) -> Result<(), Error> {
        let (name, location) = (answers.user_name.trim(), answers.location.trim());
        if !name.is_empty() && !location.is_empty() {
            save(self, first(format!("{name} lives in {location}"))).await?;
        }
        let said: Vec<String> = [&answers.professional_context, &answers.personal_context]
            .into_iter()
            .filter(|text| self.background && extraction::is_worth_reading(text))
            .cloned()
            .collect();
        if said.is_empty() {
            return Ok(());
        }
        let answer = self.ask_for_facts(extraction::prompt(&said.join("\n"), name)).await?;
        let source =
            Source { said: &said, said_before: &[], shown: &[], owner: name, marked: false, facts_max: FACTS_MAX };
        for content in extraction::parse(&answer, &source).unwrap_or_default() {
            save(self, first(content)).await?;
        }
        Ok(())
    }
}

fn first(content: String) -> NewFact {
    NewFact::new(content, SOURCE, SaveOrigin::Onboarding)
}
