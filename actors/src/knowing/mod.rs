//! What is worked out about the person from what is remembered: the user model, the narrative and the dreams, as one part
//! of the engine. Each is a role of its own that only commits; the work that asks models runs beside them.

mod engine;
mod means;
mod start;

pub(crate) use means::Means;
pub(crate) use start::{KnowingRoles, knowing_roles};

use crate::dreams::{DreamCascade, DreamsHandle};
use crate::memory::Derived;
use crate::narrative::{NarrativeCascade, NarrativeHandle};
use crate::user_model::{InsightCascade, UserModelHandle};
use std::sync::Arc;

/// How it is reached. Cheap to clone.
#[derive(Clone)]
pub struct Knowing {
    pub user_model: UserModelHandle,
    pub narrative: NarrativeHandle,
    pub dreams: DreamsHandle,
}

/// What is made of memories here and goes with them.
pub(crate) fn derived() -> [Arc<dyn Derived>; 3] {
    [Arc::new(InsightCascade), Arc::new(DreamCascade), Arc::new(NarrativeCascade)]
}
