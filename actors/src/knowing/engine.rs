//! The user model as surfaces change it; what is only read is on the handles.

use crate::Engine;
use crate::small::asking;
use crate::user_model::{AddInsight, DeleteInsight, DismissQuestion, PatchInsight, RefreshReason, shown};
use protocol::Error;
use protocol::knowing::{Dimension, Insight, InsightStatus, Refreshed};

/// The answer for an insight that is not there.
fn unknown() -> Error {
    Error::not_found("This insight is not there any more.")
}

impl Engine {
    /// What was worked out about the person, dreams and the narrative.
    pub fn knowing(&self) -> &super::Knowing {
        &self.knowing
    }

    /// `POST /api/user-model/insights`.
    ///
    /// # Errors
    /// `Invalid` without a statement.
    pub async fn add_insight(&self, statement: String, dimension: &str) -> Result<Insight, Error> {
        let request = AddInsight { statement, dimension: Dimension::of(dimension) };
        self.knowing.user_model.role.ask(&asking(), request).await.map(shown)
    }

    /// `PATCH /api/user-model/insights/{id}`.
    ///
    /// # Errors
    /// `Invalid` for a status there is not, `NotFound`.
    pub async fn patch_insight(
        &self,
        id: &str,
        statement: Option<String>,
        status: Option<&str>,
    ) -> Result<Insight, Error> {
        let id = id.parse().map_err(|_| unknown())?;
        let status = status.map(insight_status).transpose()?;
        let request = PatchInsight { id, statement, status };
        self.knowing.user_model.role.ask(&asking(), request).await.map(shown)
    }

    /// `DELETE /api/user-model/insights/{id}`.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn delete_insight(&self, id: &str) -> Result<(), Error> {
        let id = id.parse().map_err(|_| unknown())?;
        self.knowing.user_model.role.ask(&asking(), DeleteInsight { id }).await
    }

    /// `DELETE /api/user-model/questions/{id}`.
    ///
    /// # Errors
    /// `NotFound` when it is not open.
    pub async fn dismiss_question(&self, id: String) -> Result<(), Error> {
        self.knowing.user_model.role.ask(&asking(), DismissQuestion { id }).await
    }

    /// `POST /api/user-model/refresh`: now, whatever the daily limit.
    ///
    /// # Errors
    /// No model that answers.
    pub async fn refresh_user_model(&self) -> Result<Refreshed, Error> {
        self.knowing.user_model.refresh(RefreshReason::Person).await
    }
}

fn insight_status(name: &str) -> Result<InsightStatus, Error> {
    match name {
        "active" => Ok(InsightStatus::Active),
        "confirmed" => Ok(InsightStatus::Confirmed),
        "disputed" => Ok(InsightStatus::Disputed),
        "retired" => Ok(InsightStatus::Retired),
        _ => Err(Error::invalid("An insight is active, confirmed, disputed or retired.")),
    }
}
