//! Notes: whatever is in a file, its pieces cover it and the front matter stays within its limits.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        rules::oracles::check_note(text);
    }
});
