//! Everything that touches the network, the operating system or a device. Each adapter implements a trait of
//! `actors::ports`; `assemble` hands it in. No adapter decides: it fetches, sends and reports.

pub mod bases;
pub mod charts;
pub mod folders;
pub mod http;
pub mod imported;
pub mod machine;
pub mod maps;
pub mod models;
pub mod news;
pub mod page_text;
pub mod pages;
pub mod pdf;
pub mod power;
pub mod processes;
pub mod scripts;
pub mod search;
pub mod secrets;
pub mod weather;
pub mod web_settings;

#[cfg(test)]
mod test_server;
