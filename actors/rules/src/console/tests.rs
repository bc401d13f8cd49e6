//! Tables and laws for the output of programs.

use super::*;
use crate::oracles::check_console;
use proptest::prelude::*;

fn decoded(bytes: &[u8]) -> String {
    let mut decoder = Decoder::default();
    decoder.push(bytes) + &decoder.end()
}

#[test]
fn bytes_become_text() {
    for (name, bytes, want) in [
        ("plain", &b"hello\n"[..], "hello\n"),
        ("windows line ends", b"a\r\nb\r\n", "a\nb\n"),
        ("old line ends", b"a\rb", "a\nb"),
        ("returns in a row", b"a\r\r\nb", "a\n\nb"),
        ("text", "naïve – 漢".as_bytes(), "naïve – 漢"),
        ("no text", b"a\xffb\xc3", "a\u{fffd}b\u{fffd}"),
        ("colours", b"\x1b[1;31mred\x1b[0m!", "red!"),
        ("a title", b"\x1b]0;evil\x07x", "x"),
        ("a link", b"\x1b]8;;http://a\x1b\\x\x1b]8;;\x1b\\", "x"),
        ("cursor and screen", b"\x1b[2J\x1b[Hx\x1b[1A", "x"),
        ("a character set", b"\x1b(Bx", "x"),
        ("bell, backspace, nul", b"a\x07\x08\x00b\x7f", "ab"),
        ("the other controls", "a\u{9b}31mb\u{85}".as_bytes(), "a31mb"),
        ("an open title ends with its line", b"\x1b]0;x\ny", "\ny"),
        ("an open escape", b"a\x1b", "a"),
        ("tabs stay", b"a\tb", "a\tb"),
    ] {
        assert_eq!(decoded(bytes), want, "{name}");
    }
    let open = [b"\x1b]".to_vec(), vec![b'x'; SEQUENCE], b"seen".to_vec()].concat();
    assert!(decoded(&open).ends_with("seen"), "an open sequence swallows no more than its limit");
}

/// Longer than a sequence may be.
const SEQUENCE: usize = 5_000;

#[test]
fn a_long_output_keeps_its_start_or_both_ends() {
    for (name, keep, want) in [
        ("start", Keep::Start, "abcdefghij\n[output cut after 10 characters]"),
        ("ends", Keep::Ends, "abcde\n[... 16 characters cut here ...]\nvwxyz"),
    ] {
        let mut console = Console::new(keep, 10);
        let fresh = console.push(b"abcdefghijklmnopqrstuvwxyz");
        assert_eq!(fresh, Fresh { text: "abcdefghij".into(), cut: true }, "{name}");
        assert_eq!(console.push(b""), Fresh::default(), "{name}: it is cut once");
        assert_eq!(console.shown(), want, "{name}");
    }
    let mut console = Console::new(Keep::Ends, 10);
    assert_eq!(console.push(b"abcdefghij").text, "abcdefghij");
    assert!(!console.is_cut());
    assert_eq!(console.shown(), "abcdefghij");
    assert_eq!(console.file_text(), "abcdefghij");
}

#[test]
fn an_endless_output_takes_bounded_memory() {
    let mut console = Console::new(Keep::Ends, 1_000);
    let line = [b"0123456789abcde\n".repeat(4_096), "ä".repeat(100).into_bytes()].concat();
    for _ in 0..64 {
        console.push(&line);
    }
    console.push(b"the end");
    console.end();
    assert!(console.full.len() <= FULL_CHARS_MAX * CHAR_BYTES_MAX && console.tail.len() <= 1_000 * 8);
    assert_eq!(console.total(), 64 * (16 * 4_096 + 100) + 7);
    assert!(console.shown().ends_with("the end"));
    let file = console.file_text();
    assert!(file.ends_with("the end") && file.contains("characters cut here"));
}

proptest! {
    #[test]
    fn laws_of_output(bytes in prop::collection::vec(any::<u8>(), 0..200), cuts in prop::collection::vec(0_usize..200, 0..6)) {
        check_console(&bytes, &cuts);
    }

    #[test]
    fn laws_of_output_with_sequences(text in "[a-c\\r\\n\\t\u{1b}\\[\\];0-9m\u{7}ä漢\\\\]{0,80}", cuts in prop::collection::vec(0_usize..90, 0..6)) {
        check_console(text.as_bytes(), &cuts);
    }
}
