//! Arguments: what is taken fits the schema and holds nothing that the text does not.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        rules::oracles::check_arguments(text);
    }
});
