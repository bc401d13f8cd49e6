//! How full a model's context is (contract section 1, "Context meter").
//!
//! Providers tell what they counted, but Ollama leaves out what it had cached, so the prompt is also counted here. No
//! tokenizer is at hand for every model: [`tokens`] estimates by kinds of characters, and a table in the tests holds it
//! between the counts of two widely used vocabularies. It must never block anything: the meter only tells.

use crate::prices;
use protocol::chat::UsageMeter;
use protocol::model::{ModelCall, ModelName, PromptMessage, TokenUsage};

/// From this share on the meter warns (contract).
pub const WARNING_PERCENT: u32 = 85;
/// Tokens around each message: role and separators. Chat formats use three to five.
const TOKENS_PER_MESSAGE: u64 = 4;
/// Tokens of one picture: providers count 85 to 1,600 by size; about 1,000 for the size pictures are sent in.
const TOKENS_PER_PICTURE: u64 = 1_000;

/// The kinds of characters that vocabularies treat alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Space,
    LineBreak,
    Mark,
    /// Letters that vocabularies split finely; the number is characters per token, in tenths.
    Fine(u16),
}

fn kind(c: char) -> Kind {
    match u32::from(c) {
        0x0a | 0x0d => Kind::LineBreak,
        0x09 | 0x20 => Kind::Space,
        0x30..=0x39 => Kind::Digit,
        0x41..=0x5a | 0x61..=0x7a => Kind::Letter,
        0x00..=0x7f => Kind::Mark,
        // Latin with diacritics; they also break the word around them.
        0x80..=0x24f | 0x1e00..=0x1eff => Kind::Fine(10),
        // Greek, Cyrillic, Armenian.
        0x370..=0x58f => Kind::Fine(27),
        // Hebrew, Arabic, the Indic scripts, Thai, Georgian, Ethiopic.
        0x590..=0x13ff => Kind::Fine(17),
        // Han, kana, Hangul.
        0x2e80..=0x9fff | 0xac00..=0xd7af | 0xf900..=0xfaff | 0xff00..=0xffef | 0x2_0000..=0x3_ffff => Kind::Fine(10),
        // Signs and pictures.
        0x1_f000.. => Kind::Fine(5),
        _ => Kind::Fine(10),
    }
}

/// About how many tokens a text is.
pub fn tokens(text: &str) -> u64 {
    let mut total = 0;
    // Of finely split letters, in tenths of a token.
    let mut tenths = 0;
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        let run = kind(first);
        let mut length: u64 = 1;
        while chars.next_if(|c| kind(*c) == run).is_some() {
            length += 1;
        }
        total += match run {
            Kind::Letter => 1 + (length - 1) / 9,
            Kind::Digit | Kind::Mark => length.div_ceil(3),
            // A single space belongs to the word behind it.
            Kind::Space => u64::from(length > 1),
            Kind::LineBreak => 1,
            Kind::Fine(per_token) => {
                tenths += length * 100 / u64::from(per_token);
                0
            }
        };
    }
    total + tenths.div_ceil(10)
}

/// About how many tokens a whole prompt is: messages, pictures and the offered tools.
pub fn prompt_tokens(call: &ModelCall) -> u64 {
    let message = |message: &PromptMessage| match message {
        PromptMessage::System { text, .. } => tokens(text),
        PromptMessage::User { text, pictures } => tokens(text) + TOKENS_PER_PICTURE * pictures.len() as u64,
        PromptMessage::Assistant { text, thinking, calls } => {
            let calls = calls.iter().map(|call| tokens(&call.name) + tokens(&call.arguments.to_string()));
            let thinking = thinking.iter().map(|thought| tokens(thought.readable()));
            tokens(text) + thinking.sum::<u64>() + calls.sum::<u64>()
        }
        PromptMessage::Tool { name, text, .. } => tokens(name) + tokens(text),
    };
    let messages = call.messages.iter().map(|one| message(one) + TOKENS_PER_MESSAGE);
    let tools = call.tools.iter().map(|offer| {
        tokens(&offer.name) + tokens(&offer.description) + tokens(&offer.parameters.to_string()) + TOKENS_PER_MESSAGE
    });
    messages.sum::<u64>() + tools.sum::<u64>()
}

/// The meter after one call. `usage` is what the provider told, `None` when it told nothing; `estimated_prompt` is
/// [`prompt_tokens`]; `context_length` is what the model reads at once, `None` when unknown: then all four values of the
/// meter are absent.
pub fn meter(
    model: &ModelName,
    usage: Option<TokenUsage>,
    estimated_prompt: u64,
    context_length: Option<u32>,
) -> UsageMeter {
    let told = usage.unwrap_or_default();
    let length = context_length.filter(|length| *length > 0).map(u64::from);
    let used = told.prompt.max(estimated_prompt).saturating_add(told.completion);
    let percent = length.map(|length| {
        let rounded = (u128::from(used) * 200 + u128::from(length)) / (2 * u128::from(length));
        u32::try_from(rounded).unwrap_or(u32::MAX)
    });
    UsageMeter {
        model: model.to_string(),
        prompt_tokens: told.prompt,
        completion_tokens: told.completion,
        context_used: length.map(|_| used),
        context_length: length,
        context_percent: percent,
        context_warning: percent.filter(|percent| *percent >= WARNING_PERCENT).map(|percent| warning(model, percent)),
    }
}

/// The sentences that the contract fixes. Only the context of a local model can be made longer in the settings.
fn warning(model: &ModelName, percent: u32) -> String {
    let name = model.model();
    let local = prices::is_local_runtime(model) && !prices::is_ollama_cloud(model);
    let tail = if local {
        ": start a new chat, or set a longer context length in Settings > Models."
    } else {
        ", so a new chat works best."
    };
    format!(
        "This chat is getting long for {name} ({percent}% of what it reads at once). Older messages may be left out{tail}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::model::{Effort, Picture};

    /// Samples with the counts of two vocabularies (of 100,000 and 200,000 entries), the smaller first.
    fn samples() -> [(&'static str, &'static str, u64, u64); 14] {
        [
            (
                "english",
                "The quick brown fox jumps over the lazy dog while the neighbours discuss tomorrow's weather, and nobody remembers who was supposed to bring the umbrella.",
                28,
                28,
            ),
            (
                "german",
                "Die Donaudampfschifffahrtsgesellschaft veröffentlicht morgen ihren überarbeiteten Fahrplan, während die Fahrgäste noch auf eine verständliche Erklärung warten.",
                32,
                43,
            ),
            (
                "spanish",
                "Mañana por la mañana iremos al mercado, compraremos pescado fresco y después cocinaremos algo rico para toda la familia.",
                26,
                29,
            ),
            (
                "russian",
                "Завтра утром мы поедем на вокзал, чтобы встретить бабушку, которая возвращается из долгого путешествия.",
                28,
                45,
            ),
            ("hindi", "कल सुबह हम बाज़ार जाएँगे और ताज़ी सब्ज़ियाँ खरीदकर पूरे परिवार के लिए खाना बनाएँगे।", 28, 90),
            ("chinese", "明天早上我们要去市场买新鲜的蔬菜，然后为全家人做一顿丰盛的午饭。", 29, 44),
            (
                "japanese",
                "明日の朝、私たちは市場へ行って新鮮な野菜を買い、家族みんなのために昼ごはんを作ります。",
                36,
                48,
            ),
            ("korean", "내일 아침에 우리는 시장에 가서 신선한 채소를 사고 온 가족을 위해 점심을 만들 거예요.", 29, 49),
            ("arabic", "غدا صباحا سنذهب إلى السوق لشراء الخضروات الطازجة ثم نطبخ الغداء لجميع أفراد الأسرة.", 27, 60),
            (
                "code",
                "fn main() {\n    let numbers: Vec<u32> = (1..=10).filter(|n| n % 2 == 0).collect();\n    for number in &numbers {\n        println!(\"{number:>4}\");\n    }\n}\n",
                50,
                51,
            ),
            (
                "json",
                "{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"parameters\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},\"days\":{\"type\":\"integer\",\"minimum\":1}},\"required\":[\"city\"]}}}",
                42,
                44,
            ),
            (
                "numbers",
                "Invoice 2026-11-30: 1,249.99 + 19% = 1487.49; IBAN DE89370400440532013000; call +49 731 555 0142.",
                48,
                48,
            ),
            ("emoji", "Great job! 🎉🎉 See you at 8 👋🏽 and bring 🍕🍕🍕, ok? 😂", 28, 35),
            (
                "markdown",
                "# Plan\n\n- [x] Buy milk\n- [ ] Call the **dentist** at `10:30`\n\n| day | what |\n|-----|------|\n| Mon | gym  |\n",
                41,
                41,
            ),
        ]
    }

    #[test]
    fn the_estimate_lies_between_two_real_vocabularies() {
        for (name, text, fewest, most) in samples() {
            let got = tokens(text);
            assert!(got * 10 >= fewest * 8 && got * 10 <= most * 12, "{name}: {got}, counted {fewest} to {most}");
        }
        let sum = |pick: fn(&(&str, &str, u64, u64)) -> u64| samples().iter().map(pick).sum::<u64>();
        let got = sum(|row| tokens(row.1));
        assert!(got >= sum(|row| row.2) && got <= sum(|row| row.3), "on the whole it is neither high nor low: {got}");
    }

    #[test]
    fn more_text_never_counts_much_less() {
        for (name, text, ..) in samples() {
            let mut before = 0;
            for (at, _) in text.char_indices() {
                let now = tokens(&text[..at]);
                assert!(now + 1 >= before, "{name} at {at}");
                before = now;
            }
        }
        assert_eq!(tokens(""), 0);
    }

    fn usage(prompt: u64, completion: u64) -> Option<TokenUsage> {
        Some(TokenUsage { prompt, cached: 0, completion })
    }

    #[test]
    fn the_meter() {
        for (name, usage, estimate, length, want) in [
            ("told", usage(4_000, 96), 100, Some(8_192), (Some(4_096), Some(50))),
            (
                "the own count is larger: Ollama had cached some",
                usage(100, 96),
                4_000,
                Some(8_192),
                (Some(4_096), Some(50)),
            ),
            ("nothing told", None, 2_048, Some(8_192), (Some(2_048), Some(25))),
            ("rounded up", usage(129, 0), 0, Some(200), (Some(129), Some(65))),
            ("over the top", usage(9_000, 0), 0, Some(4_500), (Some(9_000), Some(200))),
            ("unknown length", usage(9_000, 0), 0, None, (None, None)),
            ("a length of nothing is unknown", usage(9_000, 0), 0, Some(0), (None, None)),
        ] {
            let meter = meter(&ModelName("ollama_chat/qwen3:8b".into()), usage, estimate, length);
            assert_eq!((meter.context_used, meter.context_percent), want, "{name}");
            assert_eq!(meter.context_length, length.filter(|length| *length > 0).map(u64::from), "{name}");
            assert_eq!(meter.prompt_tokens, usage.map_or(0, |usage| usage.prompt), "{name}");
        }
    }

    #[test]
    fn the_warning_is_the_contracts() {
        let local = "This chat is getting long for qwen3:8b (87% of what it reads at once). Older messages may be left \
                     out: start a new chat, or set a longer context length in Settings > Models.";
        let cloud = "This chat is getting long for claude-sonnet-5 (87% of what it reads at once). Older messages may be \
                     left out, so a new chat works best.";
        for (model, used, want) in [
            ("ollama_chat/qwen3:8b", 87, Some(local)),
            ("anthropic/claude-sonnet-5", 87, Some(cloud)),
            ("ollama_chat/qwen3:8b", 84, None),
        ] {
            let meter = meter(&ModelName(model.into()), usage(used, 0), 0, Some(100));
            assert_eq!(meter.context_warning.as_deref(), want, "{model} {used}");
        }
        let at = |used| meter(&ModelName("a/b".into()), usage(used, 0), 0, Some(1_000)).context_warning.is_some();
        assert_eq!((at(844), at(845)), (false, true), "85 as it is shown");
    }

    #[test]
    fn a_prompt_counts_all_its_parts() {
        let picture = Picture { mime: "image/png".into(), bytes: vec![0; 10] };
        let mut call = ModelCall {
            model: ModelName("a/b".into()),
            messages: vec![PromptMessage::User { text: "one two".into(), pictures: vec![picture] }],
            tools: Vec::new(),
            effort: Effort::None,
            temperature: None,
            context_length: 0,
            api_base: None,
            json: false,
            output_tokens_max: None,
        };
        assert_eq!(prompt_tokens(&call), 2 + 4 + 1_000);
        call.messages.push(PromptMessage::Tool { call_id: "x".into(), name: "now".into(), text: "noon".into() });
        assert_eq!(prompt_tokens(&call), 1_006 + 2 + 4);
    }
}
