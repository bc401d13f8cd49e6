//! `sentient chat`: hands over to the terminal client.

use super::arguments::ChatArguments;
use super::{DID_NOT_WORK, WRONG_CALL, failed, in_background};
use crate::environment::Environment;
use crate::terminal::{ChatOptions, chat};
use protocol::ErrorKind;
use std::process::ExitCode;

pub(super) fn run(arguments: ChatArguments, environment: &Environment) -> ExitCode {
    let ChatArguments { text, session, newest, incognito, files, model, once } = arguments;
    let options = ChatOptions { text, session, newest, incognito, files, model, once };
    match in_background(chat(options, environment)) {
        Ok(Ok(ending)) => ending.into(),
        Ok(Err(error)) if error.kind == ErrorKind::Invalid => failed(&error, WRONG_CALL),
        Ok(Err(error)) | Err(error) => failed(&error, DID_NOT_WORK),
    }
}
