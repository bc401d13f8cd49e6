//! What this computer can run (contract section 3, `GET /api/system/hardware`).

use serde::{Deserialize, Serialize};

/// What was found out about the computer. What could not be read is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// `windows`, `macos` or `linux`.
    pub os: String,
    pub ram_gb: Option<f64>,
    pub unified_memory: bool,
    pub gpus: Vec<Gpu>,
    /// What models loaded in Ollama use right now.
    pub ollama_vram_gb: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gpu {
    pub name: String,
    pub vendor: GpuVendor,
    pub vram_gb: Option<f64>,
    pub usable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GpuVendor {
    Nvidia,
    Amd,
    Intel,
    Apple,
    Other,
}

/// Answer of the route.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hardware {
    pub os: String,
    pub ram_gb: Option<f64>,
    pub unified_memory: bool,
    pub usable_vram_gb: Option<f64>,
    pub ollama_vram_gb: Option<f64>,
    pub gpus: Vec<Gpu>,
    pub summary: String,
    pub recommendation: Recommendation,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recommendation {
    pub tier: String,
    pub model: String,
    pub name: String,
    pub context_length: u32,
    /// `graphics`, `processor` or `unknown`.
    pub runs_on: String,
    pub cloud_first: bool,
    pub summary: String,
    pub note: String,
    pub multilingual_embedding: Option<MultilingualEmbedding>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MultilingualEmbedding {
    pub model: String,
    pub name: String,
    pub size: String,
    pub note: String,
}
