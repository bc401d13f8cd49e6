//! Standard input and output as files that do not block the runtime. Nothing else may print there: what goes out is the
//! protocol's.

use protocol::{Error, ErrorKind};
use std::fs::File;
use std::io;

/// Both, as duplicates that are closed on their own.
///
/// # Errors
/// One of them is not there.
pub(super) fn stdio() -> Result<(tokio::fs::File, tokio::fs::File), Error> {
    let files = duplicates().map_err(|cause| {
        Error::new(ErrorKind::Unavailable, format!("Standard input or output cannot be used: {cause}."))
    });
    files.map(|(input, output)| (tokio::fs::File::from_std(input), tokio::fs::File::from_std(output)))
}

#[cfg(unix)]
fn duplicates() -> io::Result<(File, File)> {
    use std::os::fd::AsFd;
    let (input, output) = (io::stdin(), io::stdout());
    Ok((input.as_fd().try_clone_to_owned()?.into(), output.as_fd().try_clone_to_owned()?.into()))
}

#[cfg(windows)]
fn duplicates() -> io::Result<(File, File)> {
    use std::os::windows::io::AsHandle;
    let (input, output) = (io::stdin(), io::stdout());
    Ok((input.as_handle().try_clone_to_owned()?.into(), output.as_handle().try_clone_to_owned()?.into()))
}
