//! A text as the builtin sentence model reads it, and any bytes as such a model.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    embedder::oracles::check_file(data);
    if let Ok(text) = std::str::from_utf8(data) {
        embedder::oracles::check_text(text);
    }
});
