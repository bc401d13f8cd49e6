//! Which local model suits this computer, and how to say it.
//!
//! What was measured comes in, sentences go out. It never fails: what could not be read is `unknown`.

use protocol::hardware::{Hardware, Machine, MultilingualEmbedding, Recommendation};

/// One row of `LOCAL_MODEL_TIERS` (contract models.md); the first whose need is met wins.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tier {
    name: &'static str,
    need: Need,
    model: &'static str,
    context_length: u32,
    cloud_first: bool,
    note: &'static str,
}

/// What a tier asks of the computer, in GiB. The numbers lie a little under the sizes cards are sold by, because drivers
/// keep some of the memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Need {
    Graphics(f64),
    Memory(f64),
    /// Anything that could be read at all.
    Something,
}

const QWEN_8B: &str = "ollama_chat/qwen3:8b";

const LOCAL_MODEL_TIERS: [Tier; 6] = [
    Tier {
        name: "gpu_24",
        need: Need::Graphics(22.0),
        model: "ollama_chat/qwen3:30b",
        context_length: 16_384,
        cloud_first: false,
        note: "Your graphics card has room for a large model and long chats.",
    },
    Tier {
        name: "gpu_16",
        need: Need::Graphics(15.0),
        model: "ollama_chat/qwen3:14b",
        context_length: 16_384,
        cloud_first: false,
        note: "Fits on the graphics card with room for long chats.",
    },
    Tier {
        name: "gpu_12",
        need: Need::Graphics(11.0),
        model: QWEN_8B,
        context_length: 16_384,
        cloud_first: false,
        note: "Fits on the graphics card with room for long chats.",
    },
    Tier {
        name: "gpu_8",
        need: Need::Graphics(7.0),
        model: QWEN_8B,
        context_length: 8_192,
        cloud_first: false,
        // Contract section 3, the sample of `GET /api/system/hardware`.
        note: "Fits on the graphics card, so replies stay quick.",
    },
    Tier {
        name: "cpu",
        need: Need::Memory(7.0),
        model: QWEN_8B,
        context_length: 8_192,
        cloud_first: false,
        note: "Runs on the processor, so replies are slow. A cloud model answers much faster.",
    },
    Tier {
        name: "small",
        need: Need::Something,
        model: "ollama_chat/qwen3:4b",
        context_length: 8_192,
        cloud_first: true,
        note: "This computer is small for a local model: a cloud model is the better choice. This one can chat, but is \
               not reliable with tools.",
    },
];

/// The role defaults that an unreadable computer falls back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// The default of `models.roles.primary`.
    pub model: String,
    /// The default of `models.context_length`.
    pub context_length: u32,
}

/// What the computer has and which model suits it (`GET /api/system/hardware`).
pub fn describe(machine: &Machine, defaults: &Defaults) -> Hardware {
    let usable = usable_vram_gb(machine);
    Hardware {
        os: machine.os.clone(),
        ram_gb: machine.ram_gb,
        unified_memory: machine.unified_memory,
        usable_vram_gb: usable,
        ollama_vram_gb: machine.ollama_vram_gb,
        gpus: machine.gpus.clone(),
        summary: summary(machine),
        recommendation: recommend(machine, usable, defaults),
    }
}

/// The graphics memory of the best usable card. Where no card was found, what Ollama holds on one is a lower bound.
fn usable_vram_gb(machine: &Machine) -> Option<f64> {
    let cards = machine.gpus.iter().filter(|gpu| gpu.usable).filter_map(|gpu| gpu.vram_gb);
    cards.reduce(f64::max).or(machine.ollama_vram_gb.filter(|held| 0.0 < *held))
}

/// `<card> with N GB of graphics memory, M GB of memory`, or `unknown`.
fn summary(machine: &Machine) -> String {
    let usable = machine.gpus.iter().filter(|gpu| gpu.usable);
    let best = usable.max_by(|one, other| one.vram_gb.unwrap_or(0.0).total_cmp(&other.vram_gb.unwrap_or(0.0)));
    let card = best.or(machine.gpus.first()).map(|gpu| match gpu.vram_gb {
        Some(memory) if gpu.usable => format!("{} with {} GB of graphics memory", gpu.name, number(memory)),
        _ => gpu.name.clone(),
    });
    let memory = machine.ram_gb.map(|memory| format!("{} GB of memory", number(memory)));
    let parts: Vec<String> = card.into_iter().chain(memory).collect();
    if parts.is_empty() { "unknown".to_owned() } else { parts.join(", ") }
}

fn recommend(machine: &Machine, usable: Option<f64>, defaults: &Defaults) -> Recommendation {
    let meets = |tier: &&Tier| match tier.need {
        Need::Graphics(least) => usable.is_some_and(|memory| least <= memory),
        Need::Memory(least) => machine.ram_gb.is_some_and(|memory| least <= memory),
        Need::Something => usable.is_some() || machine.ram_gb.is_some(),
    };
    match LOCAL_MODEL_TIERS.iter().find(meets) {
        Some(tier) => {
            let runs_on = if matches!(tier.need, Need::Graphics(_)) { "graphics" } else { "processor" };
            of_tier(tier, runs_on)
        }
        None => Recommendation {
            tier: "unknown".to_owned(),
            model: defaults.model.clone(),
            name: model_part(&defaults.model).to_owned(),
            context_length: defaults.context_length,
            runs_on: "unknown".to_owned(),
            cloud_first: false,
            summary: reading(&defaults.model, defaults.context_length),
            note: "Sentient could not find out what this computer has, so this is the usual choice.".to_owned(),
            multilingual_embedding: Some(multilingual_embedding()),
        },
    }
}

fn of_tier(tier: &Tier, runs_on: &str) -> Recommendation {
    Recommendation {
        tier: tier.name.to_owned(),
        model: tier.model.to_owned(),
        name: model_part(tier.model).to_owned(),
        context_length: tier.context_length,
        runs_on: runs_on.to_owned(),
        cloud_first: tier.cloud_first,
        summary: reading(tier.model, tier.context_length),
        note: tier.note.to_owned(),
        multilingual_embedding: (!tier.cloud_first).then(multilingual_embedding),
    }
}

/// The memory search model for people who write in another language besides English (contract 616, models.md).
fn multilingual_embedding() -> MultilingualEmbedding {
    MultilingualEmbedding {
        model: "ollama/bge-m3".to_owned(),
        name: "bge-m3".to_owned(),
        size: "1.2 GB".to_owned(),
        note: "If you write to Sentient in Hindi or another language besides English, this model finds your memories \
               better than the usual one."
            .to_owned(),
    }
}

/// `<name>, reading <n> tokens at a time`.
fn reading(model: &str, context_length: u32) -> String {
    format!("{}, reading {} tokens at a time", model_part(model), thousands(context_length))
}

fn model_part(model: &str) -> &str {
    model.split_once('/').map_or(model, |(_, name)| name)
}

/// One decimal, and none where it would be a zero: `8`, `15.3`.
fn number(gb: f64) -> String {
    let text = format!("{gb:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Groups digits by three with commas: `8,192`.
fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if 0 < index && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use protocol::hardware::{Gpu, GpuVendor};

    fn defaults() -> Defaults {
        Defaults { model: QWEN_8B.to_owned(), context_length: 8_192 }
    }

    fn card(vram_gb: Option<f64>, usable: bool) -> Gpu {
        Gpu { name: "Card".to_owned(), vendor: GpuVendor::Nvidia, vram_gb, usable }
    }

    #[test]
    fn the_first_tier_that_fits_wins() {
        let some = |vram: f64| vec![card(Some(vram), true)];
        for (name, ram_gb, gpus, ollama, want, runs_on) in [
            ("24 GB card", Some(64.0), some(23.99), None, "gpu_24", "graphics"),
            ("just there", Some(64.0), some(22.0), None, "gpu_24", "graphics"),
            ("just under", Some(64.0), some(21.99), None, "gpu_16", "graphics"),
            ("16 GB card", None, some(15.0), None, "gpu_16", "graphics"),
            ("12 GB card", None, some(11.0), None, "gpu_12", "graphics"),
            ("8 GB card", Some(4.0), some(7.0), None, "gpu_8", "graphics"),
            ("6 GB card, enough memory", Some(16.0), some(6.0), None, "cpu", "processor"),
            ("6 GB card, little memory", Some(6.9), some(6.0), None, "small", "processor"),
            ("6 GB card, memory not readable", None, some(6.0), None, "small", "processor"),
            ("built-in graphics do not count", Some(16.0), vec![card(Some(30.0), false)], None, "cpu", "processor"),
            ("8 GB of memory", Some(7.0), vec![], None, "cpu", "processor"),
            ("4 GB of memory", Some(3.8), vec![], None, "small", "processor"),
            (
                "the better of two cards",
                None,
                vec![card(Some(4.0), true), card(Some(12.0), true)],
                None,
                "gpu_12",
                "graphics",
            ),
            ("no card found, but Ollama holds 9 GB on one", Some(16.0), vec![], Some(9.0), "gpu_8", "graphics"),
            ("a found card outweighs what Ollama holds", None, some(16.0), Some(2.0), "gpu_16", "graphics"),
            ("nothing readable", None, vec![], None, "unknown", "unknown"),
            ("a card without a size", None, vec![card(None, true)], None, "unknown", "unknown"),
        ] {
            let machine = Machine { ram_gb, gpus, ollama_vram_gb: ollama, ..Machine::default() };
            let hardware = describe(&machine, &defaults());
            assert_eq!(hardware.recommendation.tier, want, "{name}");
            assert_eq!(hardware.recommendation.runs_on, runs_on, "{name}");
        }
    }

    #[test]
    fn every_tier_keeps_the_contracts_model_and_length() {
        let rows: Vec<_> = LOCAL_MODEL_TIERS
            .iter()
            .map(|tier| (tier.name, tier.model, tier.context_length, tier.cloud_first))
            .collect();
        assert_eq!(
            rows,
            [
                ("gpu_24", "ollama_chat/qwen3:30b", 16_384, false),
                ("gpu_16", "ollama_chat/qwen3:14b", 16_384, false),
                ("gpu_12", "ollama_chat/qwen3:8b", 16_384, false),
                ("gpu_8", "ollama_chat/qwen3:8b", 8_192, false),
                ("cpu", "ollama_chat/qwen3:8b", 8_192, false),
                ("small", "ollama_chat/qwen3:4b", 8_192, true),
            ]
        );
    }

    #[test]
    fn the_answer_for_the_contracts_sample_computer() {
        let machine = Machine {
            os: "windows".to_owned(),
            ram_gb: Some(15.3),
            unified_memory: false,
            gpus: vec![Gpu {
                name: "NVIDIA GeForce RTX 4060 Laptop GPU".to_owned(),
                vendor: GpuVendor::Nvidia,
                vram_gb: Some(8.0),
                usable: true,
            }],
            ollama_vram_gb: None,
        };
        let hardware = describe(&machine, &defaults());
        expect![[r#"
            {
              "os": "windows",
              "ram_gb": 15.3,
              "unified_memory": false,
              "usable_vram_gb": 8.0,
              "ollama_vram_gb": null,
              "gpus": [
                {
                  "name": "NVIDIA GeForce RTX 4060 Laptop GPU",
                  "vendor": "nvidia",
                  "vram_gb": 8.0,
                  "usable": true
                }
              ],
              "summary": "NVIDIA GeForce RTX 4060 Laptop GPU with 8 GB of graphics memory, 15.3 GB of memory",
              "recommendation": {
                "tier": "gpu_8",
                "model": "ollama_chat/qwen3:8b",
                "name": "qwen3:8b",
                "context_length": 8192,
                "runs_on": "graphics",
                "cloud_first": false,
                "summary": "qwen3:8b, reading 8,192 tokens at a time",
                "note": "Fits on the graphics card, so replies stay quick.",
                "multilingual_embedding": {
                  "model": "ollama/bge-m3",
                  "name": "bge-m3",
                  "size": "1.2 GB",
                  "note": "If you write to Sentient in Hindi or another language besides English, this model finds your memories better than the usual one."
                }
              }
            }"#]]
        .assert_eq(&serde_json::to_string_pretty(&hardware).expect("JSON"));
    }

    #[test]
    fn a_summary_says_what_is_known_and_no_more() {
        for (name, ram_gb, gpus, want) in [
            ("nothing", None, vec![], "unknown"),
            ("memory only", Some(16.0), vec![], "16 GB of memory"),
            ("a card that is no use", Some(7.75), vec![card(Some(0.5), false)], "Card, 7.8 GB of memory"),
            ("a card only", None, vec![card(Some(12.0), true)], "Card with 12 GB of graphics memory"),
        ] {
            let machine = Machine { ram_gb, gpus, ..Machine::default() };
            assert_eq!(describe(&machine, &defaults()).summary, want, "{name}");
        }
    }

    #[test]
    fn a_cloud_first_computer_is_offered_no_embedding() {
        let machine = Machine { ram_gb: Some(4.0), ..Machine::default() };
        assert!(describe(&machine, &defaults()).recommendation.multilingual_embedding.is_none());
        let unknown = describe(&Machine::default(), &defaults()).recommendation;
        assert!(unknown.multilingual_embedding.is_some() && !unknown.cloud_first);
    }

    #[test]
    fn digits_are_grouped() {
        for (number, want) in [(0, "0"), (999, "999"), (1_000, "1,000"), (131_072, "131,072"), (1_048_576, "1,048,576")]
        {
            assert_eq!(thousands(number), want);
        }
    }
}
