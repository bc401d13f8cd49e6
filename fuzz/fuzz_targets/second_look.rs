//! The second look: what the person gave word for word is never questioned.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        rules::oracles::check_second_look(text);
    }
});
