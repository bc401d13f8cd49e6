//! A window that drops and comes back misses nothing and hears nothing twice, and a slow one costs nothing.

use super::*;
use proptest::prelude::*;
use protocol::chat::Done;

fn delta(turn: &str, text: &str) -> ChatFrame {
    ChatFrame { event: ChatEvent::TextDelta { text: text.into() }, session_id: "s".into(), turn_id: Some(turn.into()) }
}

fn done(turn: &str) -> ChatFrame {
    ChatFrame { event: ChatEvent::Done(Box::<Done>::default()), session_id: "s".into(), turn_id: Some(turn.into()) }
}

async fn frames(subscription: &mut Subscription) -> Vec<Line> {
    match subscription.next().await {
        Delivery::Frames(lines) => lines,
        Delivery::Lagged { .. } => panic!("lagged"),
    }
}

fn text_of(lines: &[Line]) -> String {
    lines
        .iter()
        .filter_map(|line| {
            serde_json::from_str::<serde_json::Value>(&line.json).ok()?["text"].as_str().map(str::to_owned)
        })
        .collect()
}

#[tokio::test]
async fn neighbouring_deltas_are_joined_and_numbered_by_the_last() {
    let hub = Hub::new(10);
    let mut window = hub.subscribe(None);
    for word in ["a", "b"] {
        hub.chat(delta("t", word));
    }
    hub.chat(delta("u", "c"));
    hub.chat(done("t"));
    let lines = frames(&mut window).await;
    let seen: Vec<_> = lines.iter().map(|line| (line.seq, line.is_done)).collect();
    assert_eq!(seen, [(12, false), (13, false), (14, true)]);
    assert_eq!(lines[0].numbered(), r#"{"seq":12,"type":"text_delta","text":"ab","session_id":"s","turn_id":"t"}"#);
}

#[tokio::test]
async fn a_window_that_comes_back_goes_on_where_it_was() {
    let hub = Hub::new(0);
    let mut window = hub.subscribe(None);
    hub.chat(delta("t", "a"));
    let last = frames(&mut window).await[0].seq;
    drop(window);
    hub.chat(delta("t", "b"));
    let mut window = hub.subscribe(Some(last));
    assert!(!window.resync);
    assert_eq!(text_of(&frames(&mut window).await), "b");
}

#[tokio::test]
async fn a_number_that_is_gone_or_from_another_time_means_fetch_again() {
    let hub = Hub::new(1_000);
    for since in [None, Some(3), Some(5_000)] {
        assert!(hub.subscribe(since).resync, "{since:?}");
    }
    assert!(!hub.subscribe(Some(1_000)).resync);
}

#[tokio::test]
async fn a_window_that_is_too_slow_is_told_so() {
    let hub = Hub::new(0);
    let mut window = hub.subscribe(None);
    for _ in 0..=FRAMES_KEPT_MAX {
        hub.chat(delta("t", "x"));
    }
    let seq = FRAMES_KEPT_MAX as u64 + 1;
    assert_eq!(window.next().await, Delivery::Lagged { seq });
    hub.chat(delta("t", "y"));
    assert_eq!(text_of(&frames(&mut window).await), "y");
}

#[tokio::test]
async fn a_chat_reader_hears_its_chat_only() {
    let hub = Hub::new(0);
    let mut reader = hub.subscribe_chat(&"s".into());
    hub.chat(ChatFrame { session_id: "other".into(), ..delta("t", "no") });
    hub.chat(delta("t", "yes"));
    assert_eq!(text_of(&frames(&mut reader).await), "yes");
}

proptest! {
    /// Wherever a window drops and comes back, it hears each word once and in order.
    #[test]
    fn nothing_is_lost_or_doubled(words in proptest::collection::vec("[a-z]{1,3}", 1..40), drops in proptest::collection::vec(0usize..40, 0..6)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let hub = Hub::new(7);
            let (mut window, mut last, mut heard) = (hub.subscribe(None), 7, String::new());
            for (at, word) in words.iter().enumerate() {
                hub.chat(delta("t", word));
                if drops.contains(&at) {
                    let lines = frames(&mut window).await;
                    heard += &text_of(&lines);
                    last = lines.last().map_or(last, |line| line.seq);
                    window = hub.subscribe(Some(last));
                    assert!(!window.resync);
                }
            }
            if last < 7 + words.len() as u64 {
                heard += &text_of(&frames(&mut window).await);
            }
            assert_eq!(heard, words.concat());
        });
    }
}
