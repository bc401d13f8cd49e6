//! The three keepers of what the person decides about calls: open questions, answers that last, proposed rules.

use super::grants::{self, GrantList, Grants, GrantsNeeds};
use super::proposals::{self, HeldList, Proposals, ProposalsNeeds};
use super::{Approvals, ApprovalsNeeds};
use crate::gate::Standing;
use crate::start::Setup;
use protocol::Error;
use runtime::{Child, Restart, Spawner};
use std::sync::Arc;
use tokio::sync::watch;

const PATH: &str = "root/core";

/// The keepers, not started yet. Their lists are whole from here on, so the gate never reads half of one.
pub(crate) struct Keepers {
    pub(crate) approvals: Spawner<Approvals>,
    pub(crate) grants: Spawner<Grants>,
    pub(crate) proposals: Spawner<Proposals>,
    pub(crate) granted: GrantList,
    held: HeldList,
}

impl Keepers {
    /// # Errors
    /// A store that cannot be read.
    pub(crate) fn new(setup: &Setup) -> Result<Self, Error> {
        let Setup { world, tree, store, tools, small, .. } = setup;
        let list = Arc::new(watch::Sender::new(Arc::new(grants::stored(store)?)));
        let granted = list.subscribe();
        let grants = Spawner::<Grants>::new(world, tree, PATH, GrantsNeeds { store: store.clone(), list });
        let list = Arc::new(watch::Sender::new(Arc::new(proposals::stored(store)?)));
        let held = list.subscribe();
        let settings = small.settings.clone();
        let needs = ProposalsNeeds { store: store.clone(), list, settings: settings.clone(), tools: tools.clone() };
        let proposals = Spawner::<Proposals>::new(world, tree, PATH, needs);
        let needs = ApprovalsNeeds { grants: grants.address(), settings };
        let approvals = Spawner::<Approvals>::new(world, tree, PATH, needs);
        Ok(Self { approvals, grants, proposals, granted, held })
    }

    /// What the gate reads of them.
    pub(crate) fn standing(&self, setup: &Setup) -> Standing {
        Standing { grants: self.granted.clone(), held: self.held.clone(), clock: setup.world.clock.clone() }
    }

    /// In the order they start.
    pub(crate) fn children(self) -> Vec<Child> {
        vec![
            self.grants.child(Restart::OnFailure),
            self.proposals.child(Restart::OnFailure),
            self.approvals.child(Restart::OnFailure),
        ]
    }
}
