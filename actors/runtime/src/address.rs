//! Typed requests to actors, and addresses that stay good when the actor behind them is started again.

use crate::scope::Scope;
use crate::world::World;
use futures::future::BoxFuture;
use protocol::{Error, ErrorKind, Request, Timestamp};
use ractor::ActorRef;
use std::future::Future;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::{Duration, Instant, timeout_at};

/// How long a handler reached by `tell` may wait on others.
pub(crate) const TELL_WAIT_MAX: Duration = Duration::from_secs(30);

/// What an actor is: a name, a rank, what it needs, and how it rebuilds itself from the store.
pub trait Role: Send + Sync + Sized + 'static {
    const NAME: &'static str;
    /// An actor may wait only on lower ranks, so no ring of actors can wait on itself.
    const RANK: u8;
    /// Requests that may wait; one more is told `busy`.
    const MAILBOX_MAX: usize = 256;
    /// What it is handed at every start: the store, ports, addresses of lower ranks.
    type Needs: Clone + Send + Sync + 'static;
    /// First start and every restart. Touches only the local store: a service that is down is a state, not a failure.
    fn start(needs: Self::Needs, ctx: &Ctx<Self>) -> impl Future<Output = Result<Self, Error>> + Send;
}

/// One impl per request, one file per impl.
///
/// The order inside is fixed: look up, judge (a pure function), commit, change memory, answer. What waits for a model,
/// the network or a person is a job in `ctx.scope`, never an await in here.
pub trait Handles<R: Request>: Role {
    fn handle(&mut self, request: R, ctx: &Ctx<Self>) -> impl Future<Output = Result<R::Reply, Error>> + Send;
}

/// What a handler works with.
pub struct Ctx<A: Role> {
    pub world: World,
    /// The actor's own address, for jobs that report back.
    pub me: Address<A>,
    /// Jobs of this actor; cancelled when it ends and when all work is stopped.
    pub scope: Scope,
    /// Until when the caller waits.
    pub deadline: Instant,
}

impl<A: Role> Ctx<A> {
    pub fn now(&self) -> Timestamp {
        self.world.now()
    }
}

/// Who asks: decides how long to wait and which actors may be asked.
pub trait Caller {
    const RANK: u8;
    fn deadline(&self) -> Instant;
    /// An error as the caller may take it over. What broke another actor has not broken the one that asked it.
    fn answered(&self, error: Error) -> Error {
        error
    }
}

impl<A: Role> Caller for Ctx<A> {
    const RANK: u8 = A::RANK;

    fn deadline(&self) -> Instant {
        self.deadline
    }

    fn answered(&self, error: Error) -> Error {
        if error.is_fatal() { Error { kind: ErrorKind::Unavailable, ..error } } else { error }
    }
}

/// A caller that is not an actor: the gateway, a job, a test.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    deadline: Instant,
}

impl Outside {
    pub fn within(patience: Duration) -> Self {
        Self { deadline: Instant::now() + patience }
    }

    /// Whether it still waits.
    pub fn has_time(&self) -> bool {
        Instant::now() < self.deadline
    }
}

impl Caller for Outside {
    const RANK: u8 = u8::MAX;

    fn deadline(&self) -> Instant {
        self.deadline
    }
}

/// What a handled request came to: `None` when all went well.
pub(crate) struct Handled {
    pub(crate) failed: bool,
    /// The actor can no longer trust itself.
    pub(crate) fatal: Option<Error>,
}

type Job<A> = Box<dyn for<'a> FnOnce(&'a mut A, &'a Ctx<A>) -> BoxFuture<'a, Handled> + Send>;

/// A request on its way.
pub(crate) struct Envelope<A: Role> {
    pub(crate) name: &'static str,
    /// Past this nobody waits for the answer and it is not handled any more. A `tell` has none.
    pub(crate) deadline: Option<Instant>,
    pub(crate) job: Job<A>,
    _slot: OwnedSemaphorePermit,
}

/// Where an actor is reached. Cheap to clone; stays good across restarts.
pub struct Address<A: Role> {
    slot: watch::Receiver<Option<ActorRef<Envelope<A>>>>,
    room: Arc<Semaphore>,
}

impl<A: Role> Clone for Address<A> {
    fn clone(&self) -> Self {
        Self { slot: self.slot.clone(), room: self.room.clone() }
    }
}

impl<A: Role> std::fmt::Debug for Address<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Address({})", A::NAME)
    }
}

impl<A: Role> Address<A> {
    pub(crate) fn new(slot: watch::Receiver<Option<ActorRef<Envelope<A>>>>, room: Arc<Semaphore>) -> Self {
        Self { slot, room }
    }

    /// Sends and waits. `busy` at once when the mailbox is full, `timeout` at the caller's deadline; a request whose
    /// deadline passed while it waited is never handled.
    pub async fn ask<R: Request, C: Caller>(&self, caller: &C, request: R) -> Result<R::Reply, Error>
    where
        A: Handles<R>,
    {
        const { assert!(A::RANK < C::RANK, "an actor may ask only actors of a lower rank") };
        let deadline = caller.deadline();
        let (reply, answer) = oneshot::channel();
        let job: Job<A> = Box::new(move |actor, ctx| {
            Box::pin(async move {
                let out = actor.handle(request, ctx).await;
                let failed = out.is_err();
                let fatal = out.as_ref().err().filter(|error| error.is_fatal()).cloned();
                if reply.send(out).is_err() {
                    tracing::debug!(request = R::NAME, "the caller left before the answer");
                }
                Handled { failed, fatal }
            })
        });
        let wait = async {
            self.post(R::NAME, Some(deadline), job).await?;
            answer.await.unwrap_or_else(|_| {
                Err(Error::new(ErrorKind::Unavailable, format!("{} restarted while answering.", A::NAME)))
            })
        };
        timeout_at(deadline, wait)
            .await
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, format!("{} took too long.", R::NAME))))
            .map_err(|error| caller.answered(error))
    }

    /// Whether the actor has ended and will never come back: its supervisor let it go or gave it up.
    pub fn is_gone(&self) -> bool {
        self.slot.has_changed().is_err()
    }

    /// Sends and does not wait. Any rank may tell any rank. It may be lost in a crash: what must not be lost is a row.
    pub async fn tell<R: Request<Reply = ()>, C: Caller>(&self, caller: &C, request: R) -> Result<(), Error>
    where
        A: Handles<R>,
    {
        let job: Job<A> = Box::new(move |actor, ctx| {
            Box::pin(async move {
                let Err(error) = actor.handle(request, ctx).await else {
                    return Handled { failed: false, fatal: None };
                };
                tracing::warn!(request = R::NAME, %error, "failed, and nobody waits for the answer");
                Handled { failed: true, fatal: error.is_fatal().then_some(error) }
            })
        });
        timeout_at(caller.deadline(), self.post(R::NAME, None, job))
            .await
            .unwrap_or_else(|_| Err(Error::new(ErrorKind::Unavailable, format!("{} is not back yet.", A::NAME))))
    }

    async fn post(&self, name: &'static str, deadline: Option<Instant>, job: Job<A>) -> Result<(), Error> {
        let Ok(permit) = self.room.clone().try_acquire_owned() else {
            return Err(
                Error::new(ErrorKind::Busy, format!("{} has too much to do.", A::NAME)).hint("Try again in a moment.")
            );
        };
        let mut slot = self.slot.clone();
        let current = slot
            .wait_for(Option::is_some)
            .await
            .map_err(|_| Error::new(ErrorKind::Unavailable, format!("{} is gone.", A::NAME)))?
            .clone();
        let Some(actor) = current else {
            return Err(Error::internal("an address waited for an actor and got none"));
        };
        actor
            .cast(Envelope { name, deadline, job, _slot: permit })
            .map_err(|_| Error::new(ErrorKind::Unavailable, format!("{} is restarting.", A::NAME)))
    }
}
