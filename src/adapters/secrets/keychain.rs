//! The operating system's keychain: Keychain on macOS, Credential Manager on Windows, Secret Service elsewhere.
//!
//! Its calls block, and on a computer without a desktop they can hang for ever. So they run on a thread of their own, one
//! at a time, under a time limit; a keychain that hung or is not there is left alone for a while and then asked again, since
//! a desktop may start, or its service come back, long after the engine. No error and no log line carries a value.

use protocol::{Error, ErrorKind};
use rules::keychain_names as names;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use tokio::time::{Duration, Instant, timeout};

/// The longest a read may take. A healthy keychain answers in milliseconds.
const READ_LIMIT: Duration = Duration::from_secs(10);
/// The longest a save may take: the system may be asking the person for a password meanwhile.
const WRITE_LIMIT: Duration = Duration::from_secs(60);
/// How long a keychain that did not answer is left alone.
const REST_AFTER_HANG: Duration = Duration::from_secs(60);
/// How long a keychain that is not there is left alone at first; each further time twice as long, up to the second.
const REST_WITHOUT: Duration = Duration::from_secs(30);
const REST_WITHOUT_MAX: Duration = Duration::from_secs(10 * 60);
/// An entry that never exists, read to find out whether the keychain answers.
const CHECK_ENTRY: &str = "sentient-check";

/// Why a keychain did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeychainError {
    #[error("there is no keychain here: {0}")]
    Missing(String),
    #[error("the keychain is locked")]
    Locked,
    #[error("the keychain did not answer in time")]
    Hung,
    #[error("part of a long value is missing")]
    Incomplete,
    #[error("the value is too long for the keychain")]
    TooLong,
    #[error("the keychain failed: {0}")]
    Failed(String),
}

impl KeychainError {
    /// The same in the person's words, with what to do.
    pub fn into_error(self) -> Error {
        let file = "To keep keys in an encrypted file instead, set secrets.file to true in config.yaml and start Sentient \
                    with SENTIENT_SECRETS_PASSPHRASE; or hand keys in as environment variables such as OPENAI_API_KEY.";
        let unavailable = |message: &str| Error::new(ErrorKind::Unavailable, message);
        match self {
            Self::Missing(_) => unavailable("This computer has no keychain that Sentient can use.").hint(file),
            Self::Locked => unavailable("This computer's keychain is locked.")
                .hint(format!("Unlock it (usually by logging in to the desktop) and try again. {file}")),
            Self::Hung => unavailable("This computer's keychain didn't answer in time.")
                .hint(format!("Answer its question if it shows one, and try again in a minute. {file}")),
            Self::Incomplete => unavailable("This entry in the keychain is incomplete: saving it was interrupted.")
                .hint("Save it again."),
            Self::TooLong => Error::invalid("This value is too long to be kept in the keychain."),
            Self::Failed(_) => unavailable("This computer's keychain couldn't do that.").hint(file),
        }
    }
}

/// Entries of one keychain service. Every call may block.
pub trait Keychain: Send + Sync + 'static {
    fn read(&self, entry: &str) -> Result<Option<String>, KeychainError>;
    fn write(&self, entry: &str, text: &str) -> Result<(), KeychainError>;
    /// Removing what is not there is fine.
    fn remove(&self, entry: &str) -> Result<(), KeychainError>;
}

/// What was learnt about the keychain from earlier calls.
#[derive(Default)]
struct Seen {
    missing: Option<Missing>,
    /// The last save failed on a lock. A locked Secret Service answers reads as if it were empty, so only a save tells.
    locked: bool,
    rests_until: Option<Instant>,
}

/// A keychain that was not there.
struct Missing {
    error: KeychainError,
    rest: Duration,
    until: Instant,
}

/// Whether a call waits until it is time to look again for a keychain that was not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    Rest,
    /// The person saves a key: they may just have set the keychain up.
    LookNow,
}

/// A keychain behind a time limit, with long values kept in parts.
pub struct KeychainStore {
    keychain: Arc<dyn Keychain>,
    /// One call at a time. A call that hangs keeps its permit, so at most one thread is ever lost to it.
    gate: Arc<Semaphore>,
    seen: Mutex<Seen>,
}

impl KeychainStore {
    pub fn new(keychain: Arc<dyn Keychain>) -> Self {
        Self { keychain, gate: Arc::new(Semaphore::new(1)), seen: Mutex::default() }
    }

    /// The value, put together from its parts.
    pub async fn get(&self, name: String) -> Result<Option<String>, KeychainError> {
        self.run(READ_LIMIT, Patience::Rest, move |keychain| read_value(keychain, &name)).await
    }

    /// Saves a value, in parts when it is long, and removes what is left of a longer one.
    pub async fn set(&self, name: String, value: actors::ports::Secret) -> Result<(), KeychainError> {
        let save = move |keychain: &dyn Keychain| write_value(keychain, &name, value.expose());
        let outcome = self.run(WRITE_LIMIT, Patience::LookNow, save).await;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.locked = outcome == Err(KeychainError::Locked);
        outcome
    }

    pub async fn delete(&self, name: String) -> Result<(), KeychainError> {
        self.run(WRITE_LIMIT, Patience::LookNow, move |keychain| {
            let parts = keychain.read(&name)?.map_or(0, |head| names::parts_of(&head));
            keychain.remove(&name)?;
            (1..=parts).try_for_each(|index| keychain.remove(&names::part_entry(&name, index)))
        })
        .await
    }

    /// Whether the keychain answers, and took what it was last given.
    pub async fn check(&self) -> Result<(), KeychainError> {
        self.run(READ_LIMIT, Patience::Rest, |keychain| keychain.read(CHECK_ENTRY).map(drop)).await?;
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.locked { Err(KeychainError::Locked) } else { Ok(()) }
    }

    async fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        patience: Patience,
        job: impl FnOnce(&dyn Keychain) -> Result<T, KeychainError> + Send + 'static,
    ) -> Result<T, KeychainError> {
        self.known_trouble(patience)?;
        let Ok(permit) = timeout(limit, Arc::clone(&self.gate).acquire_owned()).await else {
            return Err(KeychainError::Hung);
        };
        let permit = permit.expect("the gate is never closed");
        // Those that waited here together learn from the first of them.
        self.known_trouble(patience)?;
        let keychain = Arc::clone(&self.keychain);
        // The permit comes back with the outcome: the next in line goes on once it is known what this one met.
        let call = tokio::task::spawn_blocking(move || (job(keychain.as_ref()), permit));
        let (outcome, permit) = match timeout(limit, call).await {
            Ok(Ok((outcome, permit))) => (outcome, Some(permit)),
            Ok(Err(_)) => (Err(KeychainError::Failed("its client panicked".to_owned())), None),
            Err(_) => (Err(KeychainError::Hung), None),
        };
        self.learn(outcome.as_ref().err());
        drop(permit);
        outcome
    }

    fn known_trouble(&self, patience: Patience) -> Result<(), KeychainError> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some(missing) = seen.missing.as_ref().filter(|missing| now < missing.until)
            && patience == Patience::Rest
        {
            return Err(missing.error.clone());
        }
        if seen.rests_until.is_some_and(|until| now < until) {
            return Err(KeychainError::Hung);
        }
        Ok(())
    }

    fn learn(&self, error: Option<&KeychainError>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let was_missing = seen.missing.take();
        match error {
            None if was_missing.is_some() => tracing::info!("the keychain is there now"),
            None => (),
            Some(error @ KeychainError::Missing(_)) => {
                if was_missing.is_none() {
                    tracing::warn!(%error, "no keychain: secrets come from the environment only, until one is found");
                }
                let rest = was_missing.map_or(REST_WITHOUT, |before| REST_WITHOUT_MAX.min(before.rest * 2));
                seen.missing = Some(Missing { error: error.clone(), rest, until: Instant::now() + rest });
            }
            Some(error @ KeychainError::Hung) => {
                tracing::warn!(%error, "the keychain is left alone for a while");
                seen.rests_until = Some(Instant::now() + REST_AFTER_HANG);
            }
            Some(error) => tracing::warn!(%error, "keychain"),
        }
    }
}

fn read_value(keychain: &dyn Keychain, name: &str) -> Result<Option<String>, KeychainError> {
    let Some(head) = keychain.read(name)? else { return Ok(None) };
    let mut parts = Vec::new();
    for index in 1..=names::parts_of(&head) {
        parts.push(keychain.read(&names::part_entry(name, index))?.ok_or(KeychainError::Incomplete)?);
    }
    names::join(&head, &parts).map(Some).ok_or(KeychainError::Incomplete)
}

fn write_value(keychain: &dyn Keychain, name: &str, value: &str) -> Result<(), KeychainError> {
    let kept = names::split(value).ok_or(KeychainError::TooLong)?;
    let before = keychain.read(name)?.map_or(0, |head| names::parts_of(&head));
    // The head goes last: cut off in between, the old head no longer fits the parts, and that is noticed.
    for (index, part) in kept.parts.iter().enumerate() {
        keychain.write(&names::part_entry(name, index + 1), part)?;
    }
    keychain.write(name, &kept.head)?;
    (kept.parts.len() + 1..=before).try_for_each(|index| keychain.remove(&names::part_entry(name, index)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use actors::ports::Secret;
    use std::collections::BTreeMap;

    /// A keychain in memory that can be told to fail.
    #[derive(Default)]
    pub(in super::super) struct FakeKeychain {
        pub(in super::super) entries: Mutex<BTreeMap<String, String>>,
        pub(in super::super) trouble: Mutex<Option<KeychainError>>,
        pub(in super::super) reads: Mutex<usize>,
    }

    impl FakeKeychain {
        fn trouble(&self) -> Result<(), KeychainError> {
            self.trouble.lock().expect("lock").clone().map_or(Ok(()), Err)
        }
    }

    impl Keychain for FakeKeychain {
        fn read(&self, entry: &str) -> Result<Option<String>, KeychainError> {
            *self.reads.lock().expect("lock") += 1;
            self.trouble()?;
            Ok(self.entries.lock().expect("lock").get(entry).cloned())
        }

        fn write(&self, entry: &str, text: &str) -> Result<(), KeychainError> {
            self.trouble()?;
            self.entries.lock().expect("lock").insert(entry.to_owned(), text.to_owned());
            Ok(())
        }

        fn remove(&self, entry: &str) -> Result<(), KeychainError> {
            self.trouble()?;
            self.entries.lock().expect("lock").remove(entry);
            Ok(())
        }
    }

    fn store() -> (Arc<FakeKeychain>, KeychainStore) {
        let fake = Arc::new(FakeKeychain::default());
        (Arc::clone(&fake), KeychainStore::new(fake))
    }

    #[tokio::test]
    async fn a_long_value_comes_back_and_leaves_nothing_behind() {
        let (fake, store) = store();
        let name = || "chatgpt".to_owned();
        for length in [10, 5_000, 2_000, 1] {
            let value = "k".repeat(length);
            store.set(name(), Secret::new(value.clone())).await.expect("saved");
            assert_eq!(store.get(name()).await.expect("read"), Some(value), "{length}");
            let parts = if length <= names::PART_UNITS_MAX { 0 } else { length.div_ceil(names::PART_UNITS_MAX) };
            assert_eq!(fake.entries.lock().expect("lock").len(), 1 + parts, "{length}");
        }
        store.set(name(), Secret::new("k".repeat(5_000))).await.expect("saved");
        store.delete(name()).await.expect("deleted");
        assert!(fake.entries.lock().expect("lock").is_empty());
        assert_eq!(store.get(name()).await.expect("read"), None);
    }

    #[tokio::test]
    async fn a_save_cut_off_in_the_middle_is_noticed() {
        let (fake, store) = store();
        store.set("a".to_owned(), Secret::new("x".repeat(3_000))).await.expect("saved");
        fake.entries.lock().expect("lock").insert("a:2".to_owned(), "other".to_owned());
        assert_eq!(store.get("a".to_owned()).await, Err(KeychainError::Incomplete));
    }

    #[tokio::test]
    async fn a_missing_keychain_is_asked_once() {
        let (fake, store) = store();
        *fake.trouble.lock().expect("lock") = Some(KeychainError::Missing("no bus".to_owned()));
        for _ in 0..3 {
            let error = store.get("a".to_owned()).await.expect_err("missing");
            let error = error.into_error();
            assert_eq!(error.kind, ErrorKind::Unavailable);
            assert!(error.detail().contains("SENTIENT_SECRETS_PASSPHRASE"), "says what to do: {error}");
        }
        assert_eq!(*fake.reads.lock().expect("lock"), 1);
    }

    #[tokio::test]
    async fn a_missing_keychain_is_asked_once_by_many_at_once() {
        let (fake, store) = store();
        *fake.trouble.lock().expect("lock") = Some(KeychainError::Missing("no bus".to_owned()));
        let outcomes = futures::future::join_all((0..20).map(|_| store.get("a".to_owned()))).await;
        assert!(outcomes.iter().all(|outcome| matches!(outcome, Err(KeychainError::Missing(_)))), "{outcomes:?}");
        assert_eq!(*fake.reads.lock().expect("lock"), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_missing_keychain_is_looked_for_again_each_time_later() {
        let (fake, store) = store();
        *fake.trouble.lock().expect("lock") = Some(KeychainError::Missing("no bus".to_owned()));
        let reads = || *fake.reads.lock().expect("lock");
        let mut looked = Vec::new();
        for second in 0..=2_000 {
            let before = reads();
            store.get("a".to_owned()).await.expect_err("missing");
            if before < reads() {
                looked.push(second);
            }
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(looked, [0, 30, 90, 210, 450, 930, 1_530], "30 s, then twice as long, ten minutes at most");
        *fake.trouble.lock().expect("lock") = None;
        tokio::time::advance(REST_WITHOUT_MAX).await;
        assert_eq!(store.get("a".to_owned()).await, Ok(None), "found without a restart");
        store.check().await.expect("and it stays found");
    }

    #[tokio::test]
    async fn a_save_looks_at_once_for_a_keychain_that_was_missing() {
        let (fake, store) = store();
        *fake.trouble.lock().expect("lock") = Some(KeychainError::Missing("no bus".to_owned()));
        store.get("a".to_owned()).await.expect_err("missing");
        *fake.trouble.lock().expect("lock") = None;
        store.get("a".to_owned()).await.expect_err("not looked for yet");
        store.set("a".to_owned(), Secret::new("1".to_owned())).await.expect("it was set up meanwhile");
        assert_eq!(store.get("a".to_owned()).await, Ok(Some("1".to_owned())));
    }

    #[tokio::test]
    async fn a_lock_that_only_a_save_met_is_remembered_until_a_save_succeeds() {
        let (fake, store) = store();
        let save = || store.set("a".to_owned(), Secret::new("1".to_owned()));
        *fake.trouble.lock().expect("lock") = Some(KeychainError::Locked);
        assert_eq!(save().await, Err(KeychainError::Locked));
        *fake.trouble.lock().expect("lock") = None;
        assert_eq!(store.check().await, Err(KeychainError::Locked), "reads go through, but nobody has saved yet");
        save().await.expect("unlocked");
        store.check().await.expect("it takes what it is given");
    }

    /// Blocks until it is let go.
    struct HangingKeychain(Mutex<std::sync::mpsc::Receiver<()>>);

    impl Keychain for HangingKeychain {
        fn read(&self, _: &str) -> Result<Option<String>, KeychainError> {
            self.0.lock().expect("lock").recv().map_err(|_| KeychainError::Failed("let go".to_owned()))?;
            Ok(None)
        }

        fn write(&self, _: &str, _: &str) -> Result<(), KeychainError> {
            Ok(())
        }

        fn remove(&self, _: &str) -> Result<(), KeychainError> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_keychain_that_hangs_never_hangs_the_engine() {
        let (let_go, held) = std::sync::mpsc::channel();
        let store = KeychainStore::new(Arc::new(HangingKeychain(Mutex::new(held))));
        // Virtual time stands still while a blocking thread runs, so the clock is moved by hand.
        let call = store.get("a".to_owned());
        let clock = async {
            tokio::task::yield_now().await;
            tokio::time::advance(READ_LIMIT + Duration::from_secs(1)).await;
        };
        let (outcome, ()) = tokio::join!(call, clock);
        assert_eq!(outcome, Err(KeychainError::Hung));
        assert_eq!(store.get("a".to_owned()).await, Err(KeychainError::Hung), "at once, without another thread");
        drop(let_go);
    }
}
