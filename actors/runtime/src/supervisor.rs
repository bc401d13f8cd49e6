//! Starts children in order, starts them again within limits, takes in new ones, stops all in reverse.

use crate::restart::{Exit, Limits, Restart, Verdict, decide};
use futures::future::BoxFuture;
use protocol::engine::ActorState;
use protocol::{Error, ErrorKind};
use ractor::{Actor, ActorCell, ActorProcessingErr, ActorRef, RpcReplyPort, SpawnErr, SupervisionEvent};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::time::{Duration, Instant};

pub(crate) type Started = BoxFuture<'static, Result<ActorCell, SpawnErr>>;
type Start = Box<dyn Fn(ActorCell) -> Started + Send + Sync>;
type Report = Box<dyn Fn(ActorState, Option<String>) + Send + Sync>;

/// What a supervisor starts and keeps running. Made by `Spawner::child` or `Supervisor::child`.
#[derive(Clone)]
pub struct Child(Arc<Kept>);

struct Kept {
    name: &'static str,
    restart: Restart,
    start: Start,
    report: Report,
    is_supervisor: bool,
}

impl Child {
    pub(crate) fn role(name: &'static str, restart: Restart, start: Start, report: Report) -> Self {
        Self(Arc::new(Kept { name, restart, start, report, is_supervisor: false }))
    }
}

/// What one supervisor looks after.
#[derive(Clone)]
pub struct Plan {
    pub name: &'static str,
    /// Started in this order, stopped in reverse.
    pub children: Vec<Child>,
    pub limits: Limits,
    /// How long a child may take to finish what it is doing when all is stopped.
    pub grace: Duration,
}

enum Order {
    Start(u64),
    Adopt(Child, RpcReplyPort<Result<u64, Error>>),
    Dismiss(u64),
    DismissAll(RpcReplyPort<()>),
    Shutdown(RpcReplyPort<()>),
}

struct Kid {
    key: u64,
    child: Child,
    cell: Option<ActorCell>,
    /// Adopted children fail alone: each has its own history, and giving one up does not end the supervisor.
    history: Option<VecDeque<Duration>>,
}

struct State {
    plan: Plan,
    kids: Vec<Kid>,
    history: VecDeque<Duration>,
    since: Instant,
    next: u64,
}

/// The ractor actor behind [`SupervisorHandle`].
struct Keeper;

/// Makes supervisors.
pub struct Supervisor;

/// A running supervisor.
#[derive(Clone)]
pub struct SupervisorHandle {
    actor: ActorRef<Order>,
}

impl Supervisor {
    /// Starts the root of a tree. The second half ends when the root has: after a shutdown, or when it gave up.
    pub async fn root(plan: Plan) -> Result<(SupervisorHandle, BoxFuture<'static, ()>), Error> {
        let (actor, ended) =
            Actor::spawn(None, Keeper, plan).await.map_err(|cause| Error::internal(cause.to_string()))?;
        let ended = async move {
            if let Err(cause) = ended.await {
                tracing::error!(%cause, "the root supervisor ended");
            }
        };
        Ok((SupervisorHandle { actor }, Box::pin(ended)))
    }

    /// A supervisor below another one, and the handle on it once it runs.
    pub fn child(plan: Plan, restart: Restart) -> (Child, tokio::sync::watch::Receiver<Option<SupervisorHandle>>) {
        let (publish, handle) = tokio::sync::watch::channel(None);
        let name = plan.name;
        let publish = Arc::new(publish);
        let start = move |above| -> Started {
            let (plan, publish) = (plan.clone(), publish.clone());
            Box::pin(async move {
                let (actor, _) = Actor::spawn_linked(None, Keeper, plan, above).await?;
                let cell = actor.get_cell();
                publish.send_replace(Some(SupervisorHandle { actor }));
                Ok(cell)
            })
        };
        let kept = Kept { name, restart, start: Box::new(start), report: Box::new(|_, _| ()), is_supervisor: true };
        (Child(Arc::new(kept)), handle)
    }
}

impl SupervisorHandle {
    /// Starts one more child and looks after it. Answers the key to dismiss it by.
    ///
    /// # Errors
    /// Why the child did not start; never a fatal one, since it is not the caller that broke.
    pub async fn adopt(&self, child: Child) -> Result<u64, Error> {
        let answer = self.actor.call(|reply| Order::Adopt(child, reply), Some(Duration::from_secs(30))).await;
        match answer {
            Ok(ractor::rpc::CallResult::Success(key)) => key,
            _ => Err(Error::new(ErrorKind::Unavailable, "The engine is shutting down.")),
        }
    }

    /// Stops an adopted child after what it is doing, and forgets it.
    pub fn dismiss(&self, key: u64) {
        if self.actor.cast(Order::Dismiss(key)).is_err() {
            tracing::debug!(key, "nobody left to dismiss a child");
        }
    }

    /// Stops every adopted child after what it is doing, and waits for it: for an owner that has lost track of them.
    pub async fn dismiss_all(&self) {
        if self.actor.call(Order::DismissAll, None).await.is_err() {
            tracing::debug!("nobody left to dismiss children");
        }
    }

    /// Stops all children in reverse order and then itself.
    pub async fn shutdown(&self) {
        if self.actor.call(Order::Shutdown, None).await.is_err() {
            tracing::debug!("the supervisor had already ended");
        }
    }
}

impl Actor for Keeper {
    type Msg = Order;
    type State = State;
    type Arguments = Plan;

    async fn pre_start(&self, _: ActorRef<Order>, plan: Plan) -> Result<State, ActorProcessingErr> {
        let mut state =
            State { kids: Vec::new(), history: VecDeque::new(), since: Instant::now(), next: 0, plan: plan.clone() };
        for child in plan.children {
            state.add(child, None);
        }
        Ok(state)
    }

    async fn post_start(&self, me: ActorRef<Order>, state: &mut State) -> Result<(), ActorProcessingErr> {
        for index in 0..state.kids.len() {
            state.start(&me, index).await?;
        }
        Ok(())
    }

    async fn handle(&self, me: ActorRef<Order>, order: Order, state: &mut State) -> Result<(), ActorProcessingErr> {
        match order {
            Order::Start(key) => match state.kids.iter().position(|kid| kid.key == key) {
                Some(index) => state.start(&me, index).await?,
                None => tracing::debug!(key, "dismissed before it could start again"),
            },
            Order::Adopt(child, reply) => {
                let adopted = state.adopt(&me, child).await;
                let key = adopted.as_ref().ok().copied();
                if reply.send(adopted).is_err()
                    && let Some(key) = key
                {
                    state.dismiss(&me, key); // whoever wanted it has given up and would never know of it
                }
            }
            Order::Dismiss(key) => state.dismiss(&me, key),
            Order::DismissAll(done) => {
                state.stop(&me, |kid| kid.history.is_some()).await;
                if done.send(()).is_err() {
                    tracing::debug!("nobody waits for the dismissal");
                }
            }
            Order::Shutdown(done) => {
                state.stop(&me, |_| true).await;
                if done.send(()).is_err() {
                    tracing::debug!("nobody waits for the shutdown");
                }
                me.stop(None);
            }
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        me: ActorRef<Order>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let (who, exit, cause) = match event {
            SupervisionEvent::ActorFailed(who, cause) => (who, Exit::Failed, Some(cause.to_string())),
            // ractor keeps no state of a killed actor: that is how a kill is told from a normal end.
            SupervisionEvent::ActorTerminated(who, None, _) => (who, Exit::Killed, Some("killed".to_owned())),
            SupervisionEvent::ActorTerminated(who, Some(_), _) => (who, Exit::Normal, None),
            _ => return Ok(()),
        };
        match state.kids.iter().position(|kid| kid.cell.as_ref().is_some_and(|cell| cell.get_id() == who.get_id())) {
            Some(index) => state.after_exit(&me, index, exit, cause),
            None => Ok(()),
        }
    }
}

impl State {
    fn add(&mut self, child: Child, history: Option<VecDeque<Duration>>) -> u64 {
        self.next += 1;
        self.kids.push(Kid { key: self.next, child, cell: None, history });
        self.next
    }

    /// A child whose first start fails is not kept: whoever wanted it is told, and may want it again.
    async fn adopt(&mut self, me: &ActorRef<Order>, child: Child) -> Result<u64, Error> {
        match (child.0.start)(me.get_cell()).await {
            Ok(cell) => {
                let key = self.add(child, Some(VecDeque::new()));
                if let Some(kid) = self.kids.last_mut() {
                    kid.cell = Some(cell);
                }
                Ok(key)
            }
            Err(cause) => {
                tracing::info!(actor = child.0.name, %cause, "an actor did not start");
                Err(why(&cause))
            }
        }
    }

    async fn start(&mut self, me: &ActorRef<Order>, index: usize) -> Result<(), ActorProcessingErr> {
        match (self.kids[index].child.0.start)(me.get_cell()).await {
            Ok(cell) => {
                self.kids[index].cell = Some(cell);
                Ok(())
            }
            Err(cause) => self.after_exit(me, index, Exit::Failed, Some(cause.to_string())),
        }
    }

    fn after_exit(
        &mut self,
        me: &ActorRef<Order>,
        index: usize,
        exit: Exit,
        cause: Option<String>,
    ) -> Result<(), ActorProcessingErr> {
        let since = self.since.elapsed();
        let kid = &mut self.kids[index];
        kid.cell = None;
        let kept = kid.child.0.clone();
        if let Some(cause) = &cause {
            tracing::warn!(actor = kept.name, %cause, "an actor failed");
        }
        let history = kid.history.as_mut().unwrap_or(&mut self.history);
        match decide(history, kept.restart, exit, self.plan.limits, since) {
            Verdict::Leave => {
                (kept.report)(ActorState::Stopped, cause);
                Ok(())
            }
            Verdict::RestartIn(delay) => {
                (kept.report)(ActorState::Restarting, cause);
                let key = kid.key;
                drop(me.send_after(delay, move || Order::Start(key)));
                Ok(())
            }
            Verdict::GiveUp if kid.history.is_some() => {
                (kept.report)(ActorState::Stopped, cause);
                self.kids.remove(index);
                Ok(())
            }
            Verdict::GiveUp => Err(format!("{} keeps failing", kept.name).into()), // one level up decides
        }
    }

    fn dismiss(&mut self, me: &ActorRef<Order>, key: u64) {
        let Some(index) = self.kids.iter().position(|kid| kid.key == key) else { return };
        let kid = self.kids.remove(index);
        if let Some(cell) = kid.cell {
            cell.unlink(me.get_cell());
            cell.stop(None);
        }
        (kid.child.0.report)(ActorState::Stopped, None);
    }

    /// Stops the chosen children, the newest first.
    async fn stop(&mut self, me: &ActorRef<Order>, chosen: impl Fn(&Kid) -> bool) {
        while let Some(index) = self.kids.iter().rposition(&chosen) {
            let kid = self.kids.remove(index);
            let Some(cell) = kid.cell else { continue };
            cell.unlink(me.get_cell()); // its end is expected
            if kid.child.0.is_supervisor {
                SupervisorHandle { actor: ActorRef::from(cell) }.shutdown().await;
            } else if cell.stop_and_wait(None, Some(self.plan.grace)).await.is_err() {
                cell.kill();
            }
            (kid.child.0.report)(ActorState::Stopped, None);
        }
    }
}

/// The error a role gave for not starting.
fn why(cause: &SpawnErr) -> Error {
    let own = match cause {
        SpawnErr::StartupFailed(inner) => inner.downcast_ref::<Error>().cloned(),
        _ => None,
    };
    match own {
        Some(error) if !error.is_fatal() => error,
        Some(error) => Error { kind: ErrorKind::Unavailable, ..error },
        None => Error::new(ErrorKind::Unavailable, "A part of Sentient did not start."),
    }
}
