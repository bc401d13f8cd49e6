//! Files that go with a chat.

use futures::future::BoxFuture;
use protocol::ids::SessionId;

/// Tidies up behind a deleted chat. A file that cannot be deleted is logged and found by the sweep at the next start.
pub trait ChatFiles: Send + Sync + 'static {
    /// Deletes these files, and the folder with the long results of an incognito chat.
    fn forget(&self, names: Vec<String>, incognito: Option<SessionId>) -> BoxFuture<'static, ()>;
}
