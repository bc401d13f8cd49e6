//! Conversations as tests: a story in the product's words is played against a whole engine with a scripted model, a
//! clock the story owns and a store that outlives crashes.
//!
//! One line is one thing that happens or is expected. `docs/STYLE.md` shows the words; the stories are `tests/turns/`.

mod computer;
mod engine;
mod lines;
mod memories;
mod player;
mod script;
mod tools;

pub use engine::{TestClock, TestEngine, TestFiles, TestSetup, TestWorkspace, start_millis};
pub use lines::{Line, parse};
pub use player::play;
pub(crate) use script::fault_of;
pub use script::{Reply, ScriptedModels};
pub use tools::{TestTools, ToolLog};
