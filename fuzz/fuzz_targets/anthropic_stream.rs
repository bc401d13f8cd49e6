//! Anthropic's messages: chunking never matters, there is one end, and it is the last piece.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::oracles::cuts_of as cuts;

fuzz_target!(|data: &[u8]| {
    let Some((cuts, rest)) = cuts(data) else { return };
    rules::oracles::check_answer("anthropic", rest, &cuts);
});
