//! How the roles are put together at the start of the engine.

use super::{Knowing, Means};
use crate::completion::Asker;
use crate::dreams::{Dreams, DreamsHandle, DreamsNeeds};
use crate::memory::MemoryHandle;
use crate::model_queue::ModelQueue;
use crate::narrative::{Narrative, NarrativeHandle};
use crate::start::Setup;
use crate::stop::Switch;
use crate::user_model::{UserModel, UserModelHandle, UserModelNeeds};
use rules::marking::MarkKey;
use runtime::{Address, Child, Restart, Spawner};
use std::sync::Arc;

/// How they are reached, and what a supervisor starts.
pub(crate) struct KnowingRoles {
    pub(crate) knowing: Knowing,
    /// For the `domain` level, after memory.
    pub(crate) domain: Vec<Child>,
    /// For the `work` level, after the queue of the model.
    pub(crate) work: Vec<Child>,
}

/// Makes the roles.
pub(crate) fn knowing_roles(
    setup: &Setup,
    queue: &Address<ModelQueue>,
    memories: MemoryHandle,
    stop: &Switch,
    marks: MarkKey,
) -> KnowingRoles {
    let Setup { world, store, config, tree, .. } = setup;
    let asker = Asker {
        store: store.clone(),
        config: config.clone(),
        models: setup.models.clone(),
        queue: queue.clone(),
        budget: setup.budget.clone(),
    };
    let means = Arc::new(Means { world: world.clone(), asker, memories, stop: stop.clone(), marks });
    let needs = UserModelNeeds { store: store.clone(), config: config.clone() };
    let user_model = Spawner::<UserModel>::new(world, tree, "root/domain", needs);
    let narrative = Spawner::<Narrative>::new(world, tree, "root/domain", store.clone());
    let user_model_handle = UserModelHandle::new(user_model.address(), means.clone());
    let narrative_handle = NarrativeHandle::new(narrative.address(), means.clone());
    let dreams = Spawner::<Dreams>::new(
        world,
        tree,
        "root/work",
        DreamsNeeds {
            store: store.clone(),
            config: config.clone(),
            notifications: setup.small.notifications.clone(),
            means: means.clone(),
            user_model: user_model_handle.clone(),
            narrative: narrative_handle.clone(),
            queue: queue.clone(),
            power: setup.power.clone(),
            background: setup.background,
        },
    );
    let knowing = Knowing {
        user_model: user_model_handle,
        narrative: narrative_handle,
        dreams: DreamsHandle { role: dreams.address(), means },
    };
    KnowingRoles {
        knowing,
        domain: vec![user_model.child(Restart::OnFailure), narrative.child(Restart::OnFailure)],
        work: vec![dreams.child(Restart::OnFailure)],
    }
}
