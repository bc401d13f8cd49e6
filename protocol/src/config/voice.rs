//! `voice`: hearing, speaking, dictation and the wake word.

use super::section::{choice, section};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

choice! {
    /// Who turns speech into text.
    pub enum SttProvider { FasterWhisper, Openai, Deepgram, Elevenlabs, }
}

choice! {
    /// Where the local recogniser runs.
    pub enum SttDevice { Auto, Cpu, Cuda, }
}

choice! {
    /// Who turns text into speech.
    pub enum TtsProvider { System, Kokoro, Openai, Elevenlabs, }
}

choice! {
    /// How exact the local voice is.
    pub enum KokoroVariant { Int8, Fp16, Fp32, }
}

choice! {
    /// What is done to dictated text.
    pub enum DictationCleanup { Raw, Tidy, Polish, }
}

choice! {
    /// Who listens for the wake word.
    pub enum WakeEngine { Whisper, Openwakeword, }
}

/// The recogniser that checks the wake word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WakeWhisperModel {
    #[serde(rename = "tiny")]
    Tiny,
    #[serde(rename = "tiny.en")]
    TinyEnglish,
    #[serde(rename = "base")]
    Base,
    #[serde(rename = "base.en")]
    BaseEnglish,
}

section! {
    /// Dictation into any app, and push to talk.
    pub struct Dictation {
        /// `raw` leaves dictated text as heard, `tidy` drops fillers and sets punctuation, `polish` lets a model smooth it.
        pub cleanup: DictationCleanup = DictationCleanup::Tidy,
        /// Language you dictate in, or `auto`. Empty: as `voice.stt_language`.
        #[schemars(extend("format" = "language"))]
        pub language: String = String::new(),
        /// Seconds of silence that end a dictation. 0: it ends with the shortcut.
        #[schemars(range(min = 0, max = 30))]
        pub stop_after_silence_s: f64 = 2.5,
        /// Read the answer aloud after push to talk.
        pub speak_replies: bool = true,
    }
}

section! {
    /// Hearing, speaking, dictation and the wake word.
    pub struct Voice {
        /// Who turns speech into text. `faster_whisper` means the recogniser on this computer.
        pub stt_provider: SttProvider = SttProvider::FasterWhisper,
        /// Its model: `tiny`, `base`, `small`, `medium`, `large-v3`, or a cloud model's name.
        #[schemars(length(min = 1))]
        pub stt_model: String = "base".into(),
        /// Where the local recogniser runs. `auto`: small models on the processor, big ones on the graphics card first.
        pub stt_device: SttDevice = SttDevice::Auto,
        /// Language you speak, or `auto`. Empty: as `assistant.language`.
        #[schemars(extend("format" = "language"))]
        pub stt_language: String = String::new(),
        /// Milliseconds of silence that end what you say.
        #[schemars(range(min = 200, max = 3000))]
        pub vad_silence_ms: u32 = 700,
        /// Sounds shorter than this many milliseconds are ignored.
        #[schemars(range(min = 50, max = 2000))]
        pub vad_min_speech_ms: u32 = 250,
        /// Seconds after which what you say is cut into a new part.
        #[schemars(range(min = 3, max = 120))]
        pub vad_max_utterance_s: f64 = 30.0,
        /// Who turns text into speech.
        pub tts_provider: TtsProvider = TtsProvider::System,
        /// Voice to speak with. Empty: the provider's usual one.
        pub tts_voice: String = String::new(),
        /// How fast to speak; 1 is normal.
        #[schemars(range(min = 0.5, max = 2.0))]
        pub tts_speed: f64 = 1.0,
        /// The cloud provider's speech model. Empty: `gpt-4o-mini-tts` at OpenAI, `eleven_flash_v2_5` at ElevenLabs.
        pub tts_model: String = String::new(),
        /// How exact the local Kokoro voice is: `fp32` takes about 310 MB, `int8` about 88 MB.
        pub kokoro_variant: KokoroVariant = KokoroVariant::Fp32,
        /// From this many characters on, the first spoken piece may end at a comma. 0: only whole sentences.
        #[schemars(range(min = 0, max = 240))]
        pub tts_first_clause_chars: u32 = 40,
        /// Load the voice models when Sentient starts.
        pub preload_on_start: bool = false,
        /// Speaking interrupts the answer.
        pub barge_in: bool = true,
        /// Dictation into any app, and push to talk.
        pub dictation: Dictation = Dictation::default(),
        /// The words that wake Sentient.
        #[schemars(length(min = 1, max = 100))]
        pub wake_word: String = "hey sentient".into(),
        /// Play a sound when woken.
        pub wake_earcon: bool = true,
        /// Seconds after an answer in which you need not say the wake word again.
        #[schemars(range(min = 0, max = 120))]
        pub follow_up_seconds: f64 = 8.0,
        /// Who listens for the wake word. Both work on this computer only.
        pub wake_engine: WakeEngine = WakeEngine::Whisper,
        /// The recogniser's size for the wake word.
        pub wake_whisper_model: WakeWhisperModel = WakeWhisperModel::Base,
        /// Model file or name for openWakeWord. Empty: the one that fits the wake word.
        pub wake_model: String = String::new(),
        /// How easily it wakes, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        pub wake_sensitivity: f64 = 0.5,
    }
}
