//! Folders of the person's notes as surfaces see them (contract section 22).

use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an added folder is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FolderKind {
    #[default]
    Folder,
    /// A vault of Obsidian.
    Obsidian,
}

/// How an added folder fares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FolderStatus {
    /// It is to be looked through.
    #[default]
    Waiting,
    Scanning,
    Ready,
    /// It cannot be found; what is known of it is kept.
    Missing,
}

/// New or changed files of a running scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderProgress {
    pub done: u64,
    pub total: u64,
}

/// One added folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Folder {
    pub id: String,
    /// The full path.
    pub path: String,
    pub name: String,
    pub kind: FolderKind,
    pub ignore: Vec<String>,
    /// `always`, `personal`, `work` or a project's name.
    pub scope: String,
    pub status: FolderStatus,
    pub progress: Option<FolderProgress>,
    pub added_at: Timestamp,
    pub last_scan_at: Option<Timestamp>,
    pub last_scan_ms: Option<u64>,
    /// Files that were read.
    pub files: u64,
    /// Files that could not be read.
    pub unreadable: u64,
    /// Searchable pieces.
    pub chunks: u64,
    /// How many of them are searched by meaning.
    pub embedded: u64,
    /// Files left out at the last scan: too big, or more than are read of one folder.
    pub skipped: u64,
    /// Clipped web pages.
    pub clippings: u64,
    /// A plain sentence.
    pub error: Option<String>,
}

/// `GET /api/folders`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FolderList {
    pub folders: Vec<Folder>,
    pub searching_by_meaning: bool,
    pub embedding_error: Option<String>,
}

/// Body of `POST /api/folders`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct NewFolder {
    pub path: String,
    #[serde(default)]
    pub ignore: Vec<String>,
    #[serde(default)]
    pub scope: Option<String>,
}

/// Body of `PATCH /api/folders/{id}`. What is absent stays; an empty scope is `always`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct FolderPatch {
    #[serde(default)]
    pub ignore: Option<Vec<String>>,
    #[serde(default)]
    pub scope: Option<String>,
}

/// Body of `POST /api/folders/search`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct FolderQuery {
    pub query: String,
    /// A folder's name or id.
    #[serde(default)]
    pub folder: Option<String>,
    #[serde(default)]
    pub limit: Option<u32>,
}

/// What a search of the folders gives. The order of the fields is the contract's: what is outside content says so first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FolderAnswer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside_content: Option<String>,
    pub results: Vec<FolderHit>,
    /// Why there is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One piece of a note that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FolderHit {
    pub title: String,
    /// The folder's name.
    pub folder: String,
    /// Inside the folder.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The full path.
    pub file: String,
    /// Opens it in Obsidian.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clipped_from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The scope the folder is kept for, when it is another one than asked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_for: Option<String>,
}

/// A part of a note, read from the disk now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FolderPart {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside_content: Option<String>,
    pub title: String,
    pub folder: String,
    pub path: String,
    pub file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clipped_from: Option<String>,
    /// Characters before `content`.
    pub offset: u64,
    pub content: String,
    /// Characters of the whole text.
    pub total: u64,
    pub more: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

/// `folders.updated`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FolderChange {
    pub id: String,
    /// `true` or absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<FolderProgress>,
}
