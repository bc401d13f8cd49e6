//! The roles around an effect, started together: the switch that stops everything, undo windows, copies of files, and
//! bringing back what went to the trash.

use crate::restore::Restores;
use crate::snapshots::{Keeper, Snapshots};
use crate::start::Setup;
use crate::stop::{Stop, StopNeeds, Switch};
use crate::undo::Undo;
use protocol::Error;
use runtime::{Address, Child, Restart, Spawner};

/// How they are reached. Cheap to clone.
#[derive(Clone)]
pub struct EffectRoles {
    pub(crate) stop: Address<Stop>,
    /// Whether everything is stopped, and all work that a stop ends.
    pub switch: Switch,
    pub(crate) undo: Address<Undo>,
    /// Copies of files before somebody changes them.
    pub keeper: Keeper,
    pub(crate) restores: Address<Restores>,
}

/// The roles, and what is started in the `core` and the `domain` level.
///
/// # Errors
/// A store that cannot be read.
pub(crate) fn effect_roles(setup: &Setup) -> Result<(EffectRoles, Vec<Child>, Vec<Child>), Error> {
    let Setup { world, store, config, tree, copies, .. } = setup;
    let switch = crate::stop::switch(store)?;
    let stop_needs = StopNeeds { store: store.clone(), switch: switch.clone() };
    let stop = Spawner::<Stop>::new(world, tree, "root/core", stop_needs);
    let undo = Spawner::<Undo>::new(world, tree, "root/core", ());
    let needs = crate::snapshots::needs(store.clone(), copies.clone(), config.clone());
    let snapshots = Spawner::<Snapshots>::new(world, tree, "root/domain", needs.clone());
    let restores = Spawner::<Restores>::new(world, tree, "root/domain", store.clone());
    let roles = EffectRoles {
        stop: stop.address(),
        switch,
        undo: undo.address(),
        keeper: Keeper::new(snapshots.address(), needs, world.clone()),
        restores: restores.address(),
    };
    let core = vec![stop.child(Restart::OnFailure), undo.child(Restart::OnFailure)];
    let domain = vec![snapshots.child(Restart::OnFailure), restores.child(Restart::OnFailure)];
    Ok((roles, core, domain))
}
