//! The one ractor actor there is: it hosts any role.

use crate::address::{Address, Ctx, Envelope, Role, TELL_WAIT_MAX};
use crate::restart::Restart;
use crate::supervisor::Child;
use crate::tree::{Card, Tree};
use crate::world::World;
use protocol::engine::ActorState;
use ractor::{Actor, ActorProcessingErr, ActorRef};
use std::marker::PhantomData;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Duration, Instant};

/// How long a role may take to read its rows.
const START_WAIT_MAX: Duration = Duration::from_secs(30);

struct Host<A>(PhantomData<fn() -> A>);

type Slot<A> = watch::Sender<Option<ActorRef<Envelope<A>>>>;

struct Arguments<A: Role> {
    world: World,
    needs: A::Needs,
    me: Address<A>,
    publish: Arc<Slot<A>>,
    card: Arc<Card>,
}

struct Running<A: Role> {
    id: ractor::ActorId,
    actor: A,
    ctx: Ctx<A>,
    publish: Arc<Slot<A>>,
    card: Arc<Card>,
}

impl<A: Role> Drop for Running<A> {
    fn drop(&mut self) {
        self.ctx.scope.cancel();
        // A successor may already have published itself: take down only our own name.
        self.publish.send_if_modified(|slot| {
            let mine = slot.as_ref().is_some_and(|actor| actor.get_id() == self.id);
            if mine {
                *slot = None;
            }
            mine
        });
    }
}

impl<A: Role> Actor for Host<A> {
    type Msg = Envelope<A>;
    type State = Running<A>;
    type Arguments = Arguments<A>;

    async fn pre_start(
        &self,
        myself: ActorRef<Envelope<A>>,
        arguments: Arguments<A>,
    ) -> Result<Running<A>, ActorProcessingErr> {
        let Arguments { world, needs, me, publish, card } = arguments;
        let ctx = Ctx { scope: world.work.child(), world, me, deadline: Instant::now() + START_WAIT_MAX };
        let actor = A::start(needs, &ctx).await?;
        card.started(ctx.now());
        let id = myself.get_id();
        publish.send_replace(Some(myself));
        Ok(Running { id, actor, ctx, publish, card })
    }

    async fn handle(
        &self,
        _: ActorRef<Envelope<A>>,
        envelope: Envelope<A>,
        running: &mut Running<A>,
    ) -> Result<(), ActorProcessingErr> {
        let began = Instant::now();
        if envelope.deadline.is_some_and(|deadline| deadline <= began) {
            tracing::debug!(request = envelope.name, "dropped: nobody waits for it any more");
            return Ok(());
        }
        if running.ctx.scope.is_cancelled() {
            running.ctx.scope = running.ctx.world.work.child(); // everything was stopped; what is asked now works again
        }
        running.ctx.deadline = envelope.deadline.unwrap_or(began + TELL_WAIT_MAX);
        let handled = (envelope.job)(&mut running.actor, &running.ctx).await;
        running.card.handled(envelope.name, began.elapsed(), handled.failed);
        match handled.fatal {
            Some(error) => Err(error.into()), // the supervisor starts a fresh one from the store
            None => Ok(()),
        }
    }
}

/// Makes an actor, and makes it again after a failure.
pub struct Spawner<A: Role> {
    world: World,
    needs: A::Needs,
    me: Address<A>,
    publish: Arc<Slot<A>>,
    card: Arc<Card>,
}

impl<A: Role> Spawner<A> {
    /// `path` is where it stands in the tree, without its own name.
    pub fn new(world: &World, tree: &Tree, path: &str, needs: A::Needs) -> Self {
        Self::named(world, tree, format!("{path}/{}", A::NAME), needs)
    }

    /// As [`Spawner::new`], for one of many actors of the same role: `path` is its whole path.
    pub fn named(world: &World, tree: &Tree, path: String, needs: A::Needs) -> Self {
        let (publish, slot) = watch::channel(None);
        let room = Arc::new(Semaphore::new(A::MAILBOX_MAX));
        let card = tree.card(path, A::NAME, room.clone(), A::MAILBOX_MAX);
        Self { world: world.clone(), needs, me: Address::new(slot, room), publish: Arc::new(publish), card }
    }

    pub fn address(&self) -> Address<A> {
        self.me.clone()
    }

    /// What a supervisor runs.
    pub fn child(self, restart: Restart) -> Child {
        let card = self.card.clone();
        let start = move |supervisor| -> crate::supervisor::Started {
            let arguments = Arguments {
                world: self.world.clone(),
                needs: self.needs.clone(),
                me: self.me.clone(),
                publish: self.publish.clone(),
                card: self.card.clone(),
            };
            Box::pin(async move {
                Ok(Actor::spawn_linked(None, Host::<A>(PhantomData), arguments, supervisor).await?.0.get_cell())
            })
        };
        let report = move |state: ActorState, error: Option<String>| card.set_state(state, error);
        Child::role(A::NAME, restart, Box::new(start), Box::new(report))
    }
}
