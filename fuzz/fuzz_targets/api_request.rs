//! Requests to `/v1`: whatever comes in, a request that is taken can be answered, and one that is not says why.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| rules::oracles::check_api_request(data));
