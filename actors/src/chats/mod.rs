//! Chats: one actor per open chat, and the directory that finds them.

pub mod requests;
