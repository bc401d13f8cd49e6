//! Reads what the prompt needs: the messages after the summary, and the files of this turn's messages.

use super::{Runner, Setting};
use protocol::Error;
use protocol::limits::ATTACHMENT_TEXT_CHARS_MAX;
use protocol::model::{Picture, PromptMessage, Thought};
use rules::prompt::{Attached, Budget, Prompt, Said, build};
use rules::turn::Note;
use storage::records::MessageRecord;

/// Bytes of a picture that goes to a model. Ours; providers take 5 to 20 MB.
const PICTURE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// Messages a prompt starts from, whatever the summary says. Ours: the budget decides what stays of them.
const SAID_MAX: usize = 400;

/// A stored message as the prompt needs it.
pub(super) fn said(row: &MessageRecord) -> Said {
    let (text, note) = match row.content.rsplit_once("\n[Result cut: ") {
        Some((text, note)) if row.tool_call_id.is_some() => (text.to_owned(), format!("[Result cut: {note}")),
        _ => (row.content.clone(), String::new()),
    };
    Said {
        ordinal: row.ordinal,
        role: row.role,
        text,
        calls: row.tool_calls.clone(),
        thinking: row.thinking.iter().map(|text| Thought::text(text.as_str())).collect(),
        call_id: row.tool_call_id.clone(),
        name: row.name.clone(),
        attachments: row.attachments.clone(),
        at: row.created_at,
        outside: row.outside_source.clone(),
        note,
    }
}

/// The chat so far, and what is attached to this turn's message.
pub(super) async fn gather(setting: &Setting) -> Result<(Vec<Said>, Vec<Attached>), Error> {
    let upto = setting.record.summary.as_ref().map_or(0, |summary| summary.upto);
    let id = setting.record.id.clone();
    let first = setting.first_ordinal;
    let mut rows: Vec<MessageRecord> = setting
        .parts
        .store
        .snapshot()?
        .range::<MessageRecord>((id.clone(), upto.min(first))..(id, first))?
        .rev()
        .take(SAID_MAX)
        .collect::<Result<_, _>>()?;
    rows.reverse();
    rows.extend(setting.rows.iter().cloned());
    let mut attached = Vec::new();
    for row in &setting.rows {
        for name in &row.attachments {
            attached.push(read(setting, name.clone()).await);
        }
    }
    Ok((rows.iter().map(said).collect(), attached))
}

/// Whether the turn's message has a picture a model could see.
pub(super) fn has_picture(setting: &Setting) -> bool {
    let message = setting.rows.first();
    message.is_some_and(|message| message.attachments.iter().any(|name| picture_mime(name).is_some()))
}

/// The picture formats every vision provider takes.
fn picture_mime(name: &str) -> Option<&'static str> {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())?;
    match extension.as_str() {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "webp" => Some("image/webp"),
        "gif" => Some("image/gif"),
        _ => None,
    }
}

async fn read(setting: &Setting, name: String) -> Attached {
    let files = &setting.parts.files;
    if let Some(mime) = picture_mime(&name) {
        return match files.read(name.clone(), PICTURE_BYTES_MAX).await {
            Ok(bytes) => Attached::Picture { name, picture: Picture { mime: mime.into(), bytes } },
            Err(error) => Attached::Unreadable { name, why: error.message },
        };
    }
    match files.read_text(name.clone(), 0, ATTACHMENT_TEXT_CHARS_MAX + 1).await {
        Ok(part) => Attached::Text { name, text: part.content },
        Err(error) => Attached::Unreadable { name, why: error.message },
    }
}

impl Runner {
    /// Pictures of a screen and text selected elsewhere can hold words of others: the chat is marked before a model
    /// sees them (contract section 10).
    pub(super) async fn mark_attachments(&mut self) -> Result<(), Error> {
        let source = self.attached.iter().find_map(|attached| match attached {
            Attached::Text { name, .. } | Attached::Picture { name, .. } | Attached::Unreadable { name, .. } => {
                rules::outside::attachment_source(name)
            }
        });
        if let Some(source) = source.filter(|_| self.record.untrusted.as_deref().unwrap_or_default().is_empty()) {
            let step = super::Append { untrusted: Some(source.to_owned()), ..self.step() };
            self.append(step).await?;
            self.outside_at_round.clone_from(&self.record.untrusted);
        }
        Ok(())
    }

    /// The messages of the next model call.
    pub(super) fn prompt(&self, context_length: Option<u32>, tools: bool, note: Option<Note>) -> Vec<PromptMessage> {
        let tools = if tools { self.facts.tool_tokens } else { 0 };
        build(&Prompt {
            system: self.facts.system.clone(),
            summary: self.record.summary.as_ref().map_or("", |summary| summary.text.as_str()),
            notes: &self.noted.block(),
            said: &self.said,
            attached: &self.attached,
            channel: &self.setting.turn.channel,
            turn_begins_at: self.setting.first_ordinal,
            zone: &self.facts.zone,
            marks: self.facts.config.chat.mark_outside_content.then_some(&self.setting.parts.marks),
            group_marks: &self.setting.parts.marks,
            note,
            recalled: &self.recalled.text,
            budget: Budget { context_length, tools, shrinks: self.shrinks },
        })
    }
}
