//! Output of programs: chunking does not matter, and no control character is left.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Some((cuts, rest)) = rules::oracles::cuts_of(data) {
        rules::oracles::check_console(rest, &cuts);
    }
});
