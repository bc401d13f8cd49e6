//! The thin layer over ractor: typed requests, addresses that outlive restarts, bounded mailboxes, deadlines, ordered
//! supervision, cancellation, and a live picture of it all.
//!
//! Nothing else in the engine names ractor. This crate knows no domain: what an actor needs is its own `Needs` type.
//! What ractor leaves out, and the tests that show it, are listed in `docs/ARCHITECTURE.md`, section "Actors".
//!
//! An actor that asks one of its own rank or above does not compile, so no ring of actors can wait on itself:
//!
//! ```compile_fail,E0080
//! # use protocol::{Error, Request};
//! # use runtime::{Address, Ctx, Handles, Role};
//! struct Ping;
//! impl Request for Ping {
//!     type Reply = ();
//!     const NAME: &'static str = "ping";
//! }
//! struct Low(Address<High>);
//! impl Role for Low {
//!     const NAME: &'static str = "low";
//!     const RANK: u8 = 1;
//!     type Needs = Address<High>;
//!     async fn start(above: Address<High>, _: &Ctx<Self>) -> Result<Self, Error> {
//!         Ok(Self(above))
//!     }
//! }
//! struct High;
//! impl Role for High {
//!     const NAME: &'static str = "high";
//!     const RANK: u8 = 2;
//!     type Needs = ();
//!     async fn start((): (), _: &Ctx<Self>) -> Result<Self, Error> {
//!         Ok(Self)
//!     }
//! }
//! impl Handles<Ping> for High {
//!     async fn handle(&mut self, _: Ping, _: &Ctx<Self>) -> Result<(), Error> {
//!         Ok(())
//!     }
//! }
//! impl Handles<Ping> for Low {
//!     async fn handle(&mut self, ping: Ping, ctx: &Ctx<Self>) -> Result<(), Error> {
//!         self.0.ask(ctx, ping).await // with `RANK` 3 for `Low` it compiles
//!     }
//! }
//! # fn low() -> Address<Low> { unimplemented!() }
//! # let asks: std::pin::Pin<Box<dyn Future<Output = ()>>> = Box::pin(async {
//! #     drop(low().ask(&runtime::Outside::within(std::time::Duration::ZERO), Ping).await);
//! # });
//! # drop(asks);
//! ```

mod address;
mod host;
mod restart;
mod scope;
mod supervisor;
mod tree;
mod world;

pub use address::{Address, Caller, Ctx, Handles, Outside, Role};
pub use host::Spawner;
pub use restart::{Exit, Limits, Restart, Verdict, decide};
pub use scope::Scope;
pub use supervisor::{Child, Plan, Supervisor, SupervisorHandle};
pub use tree::Tree;
pub use world::{Clock, Entropy, Ids, SystemClock, World};
