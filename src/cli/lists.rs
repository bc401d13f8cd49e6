//! `sentient sessions` and `sentient models`: what the running engine knows, for people and for scripts.

use super::{Failure, in_background};
use crate::environment::Environment;
use crate::terminal::{Client, models_table, sessions_table};
use serde_json::{Value, json};
use std::io::Write;

/// Chats that are listed.
const SESSIONS_MAX: usize = 100;
/// Columns of a list that may go into a pipe.
const WIDTH: usize = 100;

pub(super) fn sessions(as_json: bool, environment: &Environment, out: &mut impl Write) -> Result<(), Failure> {
    let client = Client::find(environment)?;
    let rows = in_background(client.get(&format!("/api/sessions?limit={SESSIONS_MAX}")))??;
    if as_json { write_json(&rows, out) } else { Ok(writeln!(out, "{}", sessions_table(&rows, WIDTH))?) }
}

pub(super) fn models(as_json: bool, environment: &Environment, out: &mut impl Write) -> Result<(), Failure> {
    let client = Client::find(environment)?;
    let both = in_background(async {
        let config = client.get("/api/config").await?;
        Ok::<_, protocol::Error>((config, client.get("/api/models/local").await?))
    })?;
    let (config, local) = both?;
    if as_json {
        return write_json(&json!({ "roles": config["models"]["roles"], "local": local }), out);
    }
    Ok(writeln!(out, "{}", models_table(&config, &local))?)
}

pub(super) fn write_json(value: &Value, out: &mut impl Write) -> Result<(), Failure> {
    serde_json::to_writer_pretty(&mut *out, value).map_err(std::io::Error::from)?;
    Ok(writeln!(out)?)
}
