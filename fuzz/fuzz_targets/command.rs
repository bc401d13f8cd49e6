//! Commands: asking whether one needs a question or never runs always ends, and a listed one hides nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        rules::oracles::check_command(text);
    }
});
