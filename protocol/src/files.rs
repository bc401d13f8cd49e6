//! Files: attachments and what the assistant made (contract section 2 "Files").

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Where an upload came from; decides its folder and its naming rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileSource {
    #[default]
    Upload,
    Screen,
    Selection,
}

impl FileSource {
    /// The folder under `files/`.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Upload => "uploads",
            Self::Screen => "screens",
            Self::Selection => "selections",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "upload" => Some(Self::Upload),
            "screen" => Some(Self::Screen),
            "selection" => Some(Self::Selection),
            _ => None,
        }
    }
}

/// Answer of `POST /api/files`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoredFile {
    pub name: String,
    pub size: u64,
    pub mime: String,
}

/// One row of `GET /api/files`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileRow {
    pub name: String,
    pub size: u64,
    pub mime: String,
    pub modified_at: Timestamp,
}
