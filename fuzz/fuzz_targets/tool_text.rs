//! Calls in replies: only offered tools, and no argument that the reply does not hold.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        rules::oracles::check_repair(text);
    }
});
