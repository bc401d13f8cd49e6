//! What touches the network, the system or a device: the implementations of the ports in `actors::ports`.
//!
//! An adapter speaks a service's language and answers in the engine's words. It decides nothing about the person.

pub mod bases;
pub mod charts;
pub mod http;
pub mod maps;
pub mod news;
pub mod page_text;
pub mod pages;
pub mod pdf;
pub mod search;
pub mod weather;
pub mod web_settings;

#[cfg(test)]
mod test_server;
