//! Two addresses: one spelling for one, and different plain ones are never taken for one.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        rules::oracles::check_two_addresses(text);
    }
});
