//! Rules from chat: whatever a person writes and a model answers, what is proposed only tightens.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        rules::oracles::check_rule_mapping(text);
    }
});
