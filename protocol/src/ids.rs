//! Names of things. Each is its own type, so a call's id can never be passed where a chat's id belongs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    )+};
}

ids! {
    /// A chat.
    SessionId,
    /// One stored message of a chat.
    MessageId,
    /// One reply in the making, from the person's message to its `done`.
    TurnId,
    /// One tool call, as the engine names it. The model's own ids are not unique and never used as keys.
    CallId,
    /// A question whether a call may run.
    ApprovalId,
    /// A send that waits in its undo window.
    UndoId,
    /// The name a window gives its own message, echoed back so that it can match the answer.
    ClientId,
    /// A row of the notification centre.
    NotificationId,
    /// A yes that covers later calls.
    GrantId,
    /// A lasting rule that was proposed from a chat message.
    ProposalId,
    /// A helper of a chat.
    SubagentId,
}
