//! Every limit that a client can run into, with its name and its source. Full means a clear error, never growth.

/// Characters of one chat message. Ours: larger texts are attached as files.
pub const MESSAGE_CHARS_MAX: usize = 200_000;
/// Attachments of one message. Ours.
pub const ATTACHMENTS_MAX: usize = 20;
/// Messages waiting behind a running reply of one chat. Ours.
pub const QUEUED_MESSAGES_MAX: usize = 20;
/// Web hosts a chat is known to have loaded. Ours: of more the oldest is forgotten, which only asks more.
pub const VISITED_HOSTS_MAX: usize = 1_000;
/// Messages of group members stored at once (contract section 14: at most 20 wait while a reply runs).
pub const GROUP_MESSAGES_MAX: usize = 20;
/// Bytes of one uploaded file (client.md section 7).
pub const UPLOAD_BYTES_MAX: usize = 50 * 1024 * 1024;
/// Bytes of a JSON body. Ours.
pub const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Bytes of one WebSocket frame from a client. Ours.
pub const FRAME_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Characters of a chat title (client.md section 7).
pub const TITLE_CHARS_MAX: usize = 120;
/// Rows of `GET /api/sessions` (client.md section 12, ours).
pub const SESSIONS_LIMIT_MAX: usize = 500;
pub const SESSIONS_LIMIT_DEFAULT: usize = 100;
/// Rows of `GET /api/sessions/{id}/messages`. Ours; default from the contract.
pub const MESSAGES_LIMIT_MAX: usize = 5_000;
pub const MESSAGES_LIMIT_DEFAULT: usize = 500;
/// Hits of a search and characters of a snippet (client.md section 7).
pub const SEARCH_HITS_MAX: usize = 30;
pub const SNIPPET_CHARS_MAX: usize = 240;
/// Characters of one stored file name (client.md section 7).
pub const FILE_NAME_CHARS_MAX: usize = 160;
/// Characters of attached text that reach the model (models.md, "Agent loop numbers").
pub const ATTACHMENT_TEXT_CHARS_MAX: usize = 60_000;
/// Memory sources and answer sources of one reply (contract section 2).
pub const MEMORY_SOURCES_MAX: usize = 40;
pub const ANSWER_SOURCES_MAX: usize = 12;
/// Characters of an answer source's snippet (contract section 2).
pub const ANSWER_SNIPPET_CHARS_MAX: usize = 280;
/// Characters of a memory scope's name (contract section 7).
pub const SCOPE_CHARS_MAX: usize = 40;
/// Tool calls a model may ask for in one round. Ours: more are refused with a plain result.
pub const CALLS_PER_ROUND_MAX: usize = 32;
/// Notifications kept. Ours: the oldest read ones go first.
pub const NOTIFICATIONS_MAX: usize = 1_000;
/// Characters of one text in the configuration, entries of one of its lists or maps, characters of a name in a map. Ours.
pub const CONFIG_TEXT_CHARS_MAX: usize = 10_000;
pub const CONFIG_ENTRIES_MAX: usize = 1_000;
pub const CONFIG_NAME_CHARS_MAX: usize = 200;
