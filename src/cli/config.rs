//! `sentient config`: looks at the configuration without an engine. It never writes.

use super::Failure;
use std::io::Write;
use std::path::Path;

const FILE: &str = "config.yaml";

pub(super) fn path(home: &Path, out: &mut impl Write) -> Result<(), Failure> {
    Ok(writeln!(out, "{}", home.join(FILE).display())?)
}

pub(super) fn show(_home: &Path, _out: &mut impl Write) -> Result<(), Failure> {
    Ok(())
}

pub(super) fn schema(_out: &mut impl Write) -> Result<(), Failure> {
    Ok(())
}
