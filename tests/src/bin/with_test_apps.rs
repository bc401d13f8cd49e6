//! `sentient` with the test apps in its engine: a mailer, notes, a calendar and a group chat that live in memory. The page
//! tests start it where they need something that sends, deletes or brings what others wrote.
//!
//! It is the whole program otherwise: same command line, same store, same gateway. What leaves is written into
//! `SENTIENT_LEFT`, a line of JSON each.

use std::path::Path;
use std::process::ExitCode;
use tests::apps::{Mail, TestApps};

fn main() -> ExitCode {
    let apps = TestApps::default();
    if let Some(file) = std::env::var_os("SENTIENT_LEFT") {
        apps.tell(Path::new(&file));
    }
    // The first mail is `m1`, the first note `n1`.
    apps.receive(Mail::new("Sam Lee <sam@example.com>", "Lunch", "Friday at 1? You can reach me at sam@example.com."));
    apps.receive(Mail::new("shop@example.com", "Invoice 17", "Paid. Questions go to billing@example.com."));
    apps.has_note("Plans", "Buy milk and call Sam.");
    sentient::cli::run_with_apps(std::env::args_os(), apps.apps())
}
