//! Where a call comes from, and what may be done there: ask, wait, offer wide answers, take something back.
//!
//! The gate reads these properties and nothing else about a surface, so a new one is a new line here.

/// The kind of place a call comes from (contract section 2 and 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Surface {
    /// A window, or `POST /api/chat`: the same turn over two wires.
    Window,
    /// A spoken conversation: on this computer, on glasses, on a phone.
    Voice,
    /// A paired messaging app.
    Messaging,
    /// The OpenAI-compatible API: another app speaks.
    Api,
    /// `sentient mcp`: another app speaks.
    Mcp,
    /// One run of a task. It asks by pausing.
    Task,
    /// One of several agents of a task. It cannot pause.
    SwarmWorker,
    /// A helper of a chat or a task.
    Subagent,
    /// A program of the model's making that calls tools. `look_ups_only` whatever else is set ("Run again", script jobs).
    Script { look_ups_only: bool },
    /// Work nobody asked for: proactive look-ups, heartbeat, follow-ups, dreaming, background.
    Unprompted,
}

/// Channels of work nobody asked for (contract section 10, `UNPROMPTED_ORIGINS`).
pub const UNPROMPTED_ORIGINS: [&str; 5] = ["proactive", "heartbeat", "followups", "dreaming", "background"];

impl Surface {
    /// All of them, for tables of tests and for the words of the command line.
    pub const ALL: [Self; 11] = [
        Self::Window,
        Self::Voice,
        Self::Messaging,
        Self::Api,
        Self::Mcp,
        Self::Task,
        Self::SwarmWorker,
        Self::Subagent,
        Self::Script { look_ups_only: false },
        Self::Script { look_ups_only: true },
        Self::Unprompted,
    ];

    /// The surface of a chat's or run's channel. A channel nobody knows is treated like another app: it may be asked
    /// about, and nothing it says counts as the person's words.
    pub fn of_channel(channel: &str) -> Self {
        match channel {
            "desktop" => Self::Window,
            "voice" | "glasses" | "phone" => Self::Voice,
            "telegram" | "discord" | "whatsapp" => Self::Messaging,
            "mcp" => Self::Mcp,
            "task" => Self::Task,
            "swarm" => Self::SwarmWorker,
            "subagent" => Self::Subagent,
            "script" => Self::Script { look_ups_only: false },
            origin if UNPROMPTED_ORIGINS.contains(&origin) => Self::Unprompted,
            _ => Self::Api,
        }
    }

    /// Its name on the command line and in explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Voice => "voice",
            Self::Messaging => "messaging",
            Self::Api => "api",
            Self::Mcp => "mcp",
            Self::Task => "task",
            Self::SwarmWorker => "swarm",
            Self::Subagent => "subagent",
            Self::Script { look_ups_only: false } => "script",
            Self::Script { look_ups_only: true } => "script-look-ups",
            Self::Unprompted => "unprompted",
        }
    }

    /// Somebody can be asked: with a card in a chat, or by a task that pauses.
    pub fn can_ask(self) -> bool {
        self.is_chat() || self == Self::Task
    }

    /// A turn of a chat, whoever speaks in it.
    pub fn is_chat(self) -> bool {
        self.is_persons_chat() || self.is_another_app()
    }

    /// What is said there are the person's own words; only there "Only if I asked" can be answered by them, rules come
    /// from chat, and "Allow for this chat" is offered.
    pub fn is_persons_chat(self) -> bool {
        matches!(self, Self::Window | Self::Voice | Self::Messaging)
    }

    /// Another app on this computer speaks.
    pub fn is_another_app(self) -> bool {
        matches!(self, Self::Api | Self::Mcp)
    }

    /// Somebody could press Undo there (contract section 10, "Undo window").
    pub fn is_watched(self) -> bool {
        matches!(self, Self::Window | Self::Messaging)
    }

    /// `tools.approvals.mode` asks there. Elsewhere the person's yes to the plan or to the parent's call stands for it,
    /// and what reaches further is refused by [`super::Station::Policy`].
    pub(super) fn mode_asks(self) -> bool {
        self.is_chat() || self == Self::Unprompted
    }
}
