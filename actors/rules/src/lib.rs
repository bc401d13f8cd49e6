//! Judgement: decide, parse, rank, cut, price. Plain functions from facts to decisions.
//!
//! No async, no clock, no I/O, no randomness: time, ids and settings come in as arguments, so every rule has a table of
//! cases and replaying the same facts gives the same answer.

pub mod address_guard;
pub mod answer_sources;
pub mod asked_for;
pub mod callers;
pub mod chat_rules;
pub mod commands;
pub mod config_patch;
pub mod console;
pub mod context_meter;
pub mod dreams;
pub mod effects;
pub mod embeddings;
pub mod folders;
pub mod gate;
pub mod hardware;
pub mod held_text;
pub mod json_answer;
pub mod keychain_names;
pub mod local_queue;
pub mod look_alike;
pub mod marking;
pub mod memory;
pub mod memory_access;
pub mod memory_sources;
pub mod model_choice;
pub mod model_errors;
pub mod narrative;
pub mod onboarding;
pub mod oracles;
pub mod outside;
pub mod personas;
pub mod preview;
pub mod prices;
pub mod prompt;
pub mod providers;
pub mod reader;
pub mod results;
pub mod schema_check;
pub mod second_look;
pub mod speech;
pub mod sqlite_file;
pub mod subagents;
pub mod summary;
pub mod titles;
pub mod tool_offer;
pub mod tool_repair;
pub mod tool_words;
pub mod trash;
pub mod turn;
pub mod usage_report;
pub mod user_model;
pub mod wire;
pub mod word_overlap;
