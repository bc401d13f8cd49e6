//! Everything that touches the network, the operating system or a device. Each adapter implements a trait of
//! `actors::ports`; `main` hands it in. No adapter decides: it fetches, sends and reports.

pub mod machine;
pub mod models;
pub mod secrets;
