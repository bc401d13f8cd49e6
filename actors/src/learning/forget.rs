//! What goes from USER.md's learned part and from MEMORY.md with a memory that was forgotten, became disputed or superseded,
//! or left the personal memories. A line stays when a memory still in those files says it too (#456).

use crate::memory::{Derived, Forgotten};
use crate::ports::{Workspace, WorkspaceFile};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::Error;
use rules::memory::told;
use rules::memory::workspace::{learned, with_learned, without_lines};
use std::sync::Arc;
use storage::{Batch, Snapshot, Store};

/// Removes lines of the personal files.
pub struct ForgetLines {
    pub store: Store,
    pub workspace: Arc<dyn Workspace>,
}

impl Derived for ForgetLines {
    fn name(&self) -> &'static str {
        "personal_files"
    }

    fn follows_withdrawal(&self) -> bool {
        true
    }

    /// Nothing of it is in the store.
    fn forget(&self, _: &Snapshot, _: &Forgotten, _: &mut Batch) -> Result<(), Error> {
        Ok(())
    }

    fn forget_outside(&self, forgotten: &Forgotten) -> BoxFuture<'static, Result<(), Error>> {
        let (store, workspace, forgotten) = (self.store.clone(), self.workspace.clone(), forgotten.clone());
        async move { remove(store, &workspace, forgotten).await }.boxed()
    }
}

async fn remove(store: Store, workspace: &Arc<dyn Workspace>, forgotten: Forgotten) -> Result<(), Error> {
    let (user, page) = (workspace.read(WorkspaceFile::User).await?, workspace.read(WorkspaceFile::Memory).await?);
    let changed = tokio::task::spawn_blocking(move || {
        let gone = forgotten.ids();
        let kept: Vec<String> = super::profile::personal(&store.snapshot()?, |fact| !gone.contains(&fact.id))?
            .into_iter()
            .map(|fact| fact.content)
            .collect();
        let goes = |line: &str| {
            forgotten.wordings().any(|wording| told::goes_with(line, wording, kept.iter().map(String::as_str)))
        };
        let bullets = user.as_deref().map(learned).unwrap_or_default();
        let left: Vec<String> = bullets.iter().filter(|line| !goes(line)).cloned().collect();
        let user = user.filter(|_| left.len() < bullets.len()).map(|text| with_learned(&text, &left));
        Ok::<_, Error>((user, page.and_then(|text| without_lines(&text, goes))))
    });
    let (user, page) = changed.await.map_err(|cause| Error::internal(cause.to_string()))??;
    if let Some(text) = user {
        workspace.write(WorkspaceFile::User, text).await?;
    }
    if let Some(text) = page {
        workspace.write(WorkspaceFile::Memory, text).await?;
    }
    Ok(())
}
