//! What is worked out about the person: whatever a model answers, the bounds hold and words of others wait.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        rules::oracles::check_knowing(text);
    }
});
