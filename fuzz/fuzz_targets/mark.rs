//! Marks: nothing inside looks like an end, and no text is marked twice.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        rules::oracles::check_mark(text);
    }
});
