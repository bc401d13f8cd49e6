//! Server-sent events: chunking never matters, and no event grows past its limit.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::oracles::cuts_of as cuts;

fuzz_target!(|data: &[u8]| {
    let Some((cuts, rest)) = cuts(data) else { return };
    rules::oracles::check_sse(rest, &cuts, 64);
    rules::oracles::check_sse(rest, &cuts, 1 << 20);
});
