//! How the engine proves to `sentient mcp` that it is the engine, before any token is sent to an address (contract
//! section 5): only who holds the token can answer a nonce, and the answer counts at one address only, so that a program
//! that squats on the port cannot pass on what the real engine says.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::net::SocketAddr;

/// Characters of a nonce. Ours: 16 random bytes at least, and nothing that could be taken for the address behind it.
pub const NONCE_CHARS_MIN: usize = 16;
pub const NONCE_CHARS_MAX: usize = 128;

/// Whether a nonce can be answered.
pub fn is_nonce(nonce: &str) -> bool {
    (NONCE_CHARS_MIN..=NONCE_CHARS_MAX).contains(&nonce.len())
        && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// HMAC-SHA256 (RFC 2104) of `nonce:host:port` under the token, in small hexadecimal digits. `at` is the address the
/// question arrived at; an IPv4 address in IPv6 clothes counts as itself.
pub fn proof(token: &str, nonce: &str, at: SocketAddr) -> String {
    mac(token, nonce, at).finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether `offered` is the proof, compared in constant time.
pub fn is_proof(offered: &str, token: &str, nonce: &str, at: SocketAddr) -> bool {
    digest(offered).is_some_and(|digest| mac(token, nonce, at).verify_slice(&digest).is_ok())
}

fn mac(token: &str, nonce: &str, at: SocketAddr) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(token.as_bytes()).expect("an HMAC takes a key of any length");
    mac.update(format!("{nonce}:{}:{}", at.ip().to_canonical(), at.port()).as_bytes());
    mac
}

/// The bytes behind 64 hexadecimal digits.
fn digest(hex: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if hex.len() != 2 * digest.len() || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (index, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> SocketAddr {
        address.parse().expect("an address")
    }

    #[test]
    fn a_proof_is_what_the_contract_says() {
        // printf 'nonce-0123456789:127.0.0.1:7777' | openssl dgst -sha256 -hmac 'token'
        let want = "7978a42fb71b250d2dc22231fa57e9ab6977cf70b9b4e000920aae1f73b14a3f";
        assert_eq!(proof("token", "nonce-0123456789", at("127.0.0.1:7777")), want);
        assert_eq!(proof("token", "nonce-0123456789", at("[::ffff:127.0.0.1]:7777")), want);
    }

    #[test]
    fn a_proof_counts_for_its_token_its_nonce_and_its_address() {
        let good = proof("token", "nonce-0123456789", at("127.0.0.1:7777"));
        for (name, token, nonce, address, want) in [
            ("the same", "token", "nonce-0123456789", "127.0.0.1:7777", true),
            ("another token", "Token", "nonce-0123456789", "127.0.0.1:7777", false),
            ("another nonce", "token", "nonce-0123456780", "127.0.0.1:7777", false),
            ("another port", "token", "nonce-0123456789", "127.0.0.1:7778", false),
            ("the other loopback", "token", "nonce-0123456789", "[::1]:7777", false),
        ] {
            assert_eq!(is_proof(&good, token, nonce, at(address)), want, "{name}");
        }
        assert!(!is_proof(&"é".repeat(32), "token", "nonce-0123456789", at("127.0.0.1:7777")));
        assert!(!is_proof("", "token", "nonce-0123456789", at("127.0.0.1:7777")));
    }

    #[test]
    fn only_nonces_are_answered() {
        for (nonce, want) in [
            ("0123456789abcdef", true),
            ("0123456789abcde", false),
            ("0123456789abcdef:127.0.0.1", false),
            ("0123456789abcdef\n", false),
            (&"x".repeat(NONCE_CHARS_MAX), true),
            (&"x".repeat(NONCE_CHARS_MAX + 1), false),
            ("", false),
        ] {
            assert_eq!(is_nonce(nonce), want, "{nonce:?}");
        }
    }
}
