//! Opening, copies and upgrades.

use super::{meta, put};
use crate::key::Key;
use crate::record::{Record, RecordError, Table, decode, encode};
use crate::records::{EventRecord, MessageRecord, MetaRecord, SessionRecord};
use crate::samples::{event, message, session};
use crate::store::open::open_file;
use crate::store::tables::Tables;
use crate::store::upgrade::{UpgradedTable, bring_up_to_date, format};
use crate::store::{DATA_FILE, Store};
use crate::{Batch, OpenError, OpenOptions, TextPrefix};
use protocol::Timestamp;
use redb::{Database, ReadableDatabase};
use serde::{Deserialize, Serialize};
use std::path::Path;

fn open(folder: &Path) -> Result<Store, OpenError> {
    Store::open(folder, OpenOptions::default()).map(|(store, _)| store)
}

#[test]
fn what_was_written_is_there_after_reopening() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path().join("new/home");
    let store = open(&home).expect("opens");
    let mut batch = put(&session("a", 5));
    batch.put(&message("a", 0, "hello")).event(event("session.updated"));
    store.commit_now(batch).expect("written");
    drop(store);
    let store = open(&home).expect("opens again");
    assert_eq!(store.last_event_seq(), Ok(1));
    let snapshot = store.snapshot().expect("reads");
    assert_eq!(snapshot.get::<SessionRecord>(&"a".into()), Ok(Some(session("a", 5))));
    assert_eq!(snapshot.message(&"a-0".into()), Ok(Some(message("a", 0, "hello"))));
}

#[test]
fn one_folder_opens_once() {
    let home = tempfile::tempdir().expect("a folder");
    let options = OpenOptions { now: Timestamp(9_000), version: "1.2".into(), faults: None };
    let (store, _) = Store::open(home.path(), options).expect("opens");
    let error = open(home.path()).expect_err("in use");
    assert!(matches!(error, OpenError::InUse { pid: Some(_), started: Some(Timestamp(9_000)) }), "{error}");
    let clone = store.clone();
    drop(store);
    open(home.path()).expect_err("a clone still has it");
    drop(clone);
    open(home.path()).expect("free");
}

#[test]
fn damaged_files_are_refused_and_left_alone() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join(DATA_FILE);
    drop(open(home.path()).expect("opens"));
    let whole = std::fs::read(&path).expect("bytes");
    let mut scrambled = whole.clone();
    for byte in &mut scrambled[9..4_096] {
        *byte ^= 0x5A;
    }
    for (name, bytes) in [
        ("no store at all", b"this is a letter to my aunt".to_vec()),
        ("half a file", whole[..whole.len() / 2].to_vec()),
        ("a scrambled header", scrambled),
    ] {
        std::fs::write(&path, &bytes).expect("written");
        let error = open(home.path()).expect_err(name);
        assert!(matches!(error, OpenError::Corrupt { .. }), "{name}: {error}");
    }
    std::fs::write(&path, &whole).expect("written");
    open(home.path()).expect("the lock is free and the whole file opens");
}

#[test]
fn a_folder_that_is_a_file_is_told_plainly() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("file");
    std::fs::write(&file, "x").expect("written");
    let error = open(&file).expect_err("not a folder").to_string();
    assert!(error.contains("cannot be used"), "{error}");
}

#[test]
fn a_copy_of_a_store_in_use_opens_and_is_whole() {
    let home = tempfile::tempdir().expect("a folder");
    let store = open(home.path()).expect("opens");
    for chunk in 0..13_u64 {
        let mut batch = Batch::new();
        for n in 0..1_000 {
            batch.put(&message("a", chunk * 1_000 + n, "text"));
        }
        batch.event(event("a.b"));
        store.commit_now(batch).expect("written");
    }
    let elsewhere = tempfile::tempdir().expect("a folder");
    let path = elsewhere.path().join("copies").join(DATA_FILE);
    let rows = store.snapshot_to(&path).expect("copied");
    assert_eq!(rows, 13_000 * 2 + 13 + 1, "messages, their index, events, the format");
    store.snapshot_to(&path).expect_err("a copy is never written over");
    let copy = open(path.parent().expect("a folder")).expect("opens");
    let snapshot = copy.snapshot().expect("reads");
    assert_eq!(snapshot.count::<MessageRecord>(), Ok(13_000));
    assert_eq!(snapshot.count::<EventRecord>(), Ok(13));
    assert!(snapshot.message(&"a-12999".into()).expect("reads").is_some());
    assert_eq!(std::fs::read_dir(path.parent().expect("a folder")).expect("lists").count(), 2, "no leftovers");
}

/// A record in its first version…
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct PetV1 {
    id: u64,
    name: String,
}

/// …and in its second.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Pet {
    id: u64,
    name: String,
    legs: u8,
}

impl Record for PetV1 {
    type Key = u64;
    const TABLE: &'static str = "pets";
    const VERSION: u8 = 1;

    fn key(&self) -> u64 {
        self.id
    }
}

impl Record for Pet {
    type Key = u64;
    const TABLE: &'static str = "pets";
    const VERSION: u8 = 2;
    const INDEXES: &'static [crate::record::IndexOf<Self>] =
        &[crate::record::IndexOf { table: "pets.by_name", key: |pet| pet.name.encoded() }];

    fn key(&self) -> u64 {
        self.id
    }

    fn upgrade(version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        let damaged = |detail: String| RecordError::Damaged { table: Self::TABLE, detail };
        match version {
            1 => {
                let old: PetV1 = postcard::from_bytes(bytes).map_err(|error| damaged(error.to_string()))?;
                Ok(Self { id: old.id, name: old.name, legs: 4 })
            }
            version => Err(RecordError::UnknownVersion { table: Self::TABLE, version }),
        }
    }
}

const OLD: &[Table] = &[Table::of::<PetV1>(), Table::of::<MetaRecord>()];
const NEW: &[Table] = &[Table::of::<Pet>(), Table::of::<MetaRecord>()];

fn old_store(path: &Path, pets: u64) -> Database {
    let db = open_file(path).expect("opens");
    bring_up_to_date(&db, path.parent().expect("a folder"), Timestamp(0), OLD).expect("new");
    let write = db.begin_write().expect("writes");
    let mut tables = Tables::of(&write);
    for id in 0..pets {
        let pet = PetV1 { id, name: format!("pet {id}") };
        tables.put(OLD[0], &id.encoded(), &encode(&pet).expect("bytes"), &[]).expect("written");
    }
    drop(tables);
    write.commit().expect("written");
    db
}

fn snapshot(db: &Database) -> crate::Snapshot {
    crate::Snapshot::new(db.begin_read().expect("reads"))
}

#[test]
fn an_older_store_is_copied_and_every_row_upgraded() {
    let home = tempfile::tempdir().expect("a folder");
    let db = old_store(&home.path().join(DATA_FILE), 2_500);
    let report = bring_up_to_date(&db, home.path(), Timestamp(1_791_622_800_000), NEW).expect("upgraded");
    assert_eq!(report.upgraded, [UpgradedTable { table: "pets", rows: 2_500 }]);
    let copy = report.snapshot.expect("a copy");
    assert!(copy.ends_with("snapshots/format-1-20261010T090000Z.redb"), "{}", copy.display());
    let pets: Vec<Pet> = snapshot(&db).all().expect("reads").map(|pet| pet.expect("version 2")).collect();
    assert_eq!(pets.len(), 2_500);
    assert_eq!(pets[7], Pet { id: 7, name: "pet 7".into(), legs: 4 });
    let read = db.begin_read().expect("reads");
    let index = read.open_table(crate::store::tables::definition("pets.by_name")).expect("made");
    assert_eq!(
        index.get("pet 7".to_owned().encoded().as_slice()).expect("reads").expect("there").value(),
        7_u64.encoded()
    );

    let copied = open_file(&copy).expect("the copy opens");
    let old: Vec<PetV1> = snapshot(&copied).all().expect("reads").map(|pet| pet.expect("version 1")).collect();
    assert_eq!(old.len(), 2_500);

    let again = bring_up_to_date(&db, home.path(), Timestamp(0), NEW).expect("nothing to do");
    assert_eq!((again.upgraded, again.snapshot), (vec![], None));
    assert!(matches!(
        bring_up_to_date(&db, home.path(), Timestamp(0), OLD),
        Err(OpenError::Newer { found: 2, known: 1, .. })
    ));
}

#[test]
fn an_upgrade_that_meets_a_damaged_row_changes_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let db = old_store(&home.path().join(DATA_FILE), 3);
    let write = db.begin_write().expect("writes");
    Tables::of(&write).put(OLD[0], &9_u64.encoded(), &[1, 0xFF], &[]).expect("written");
    write.commit().expect("written");
    let error = bring_up_to_date(&db, home.path(), Timestamp(0), NEW).expect_err("damaged");
    let OpenError::Upgrade { snapshot: Some(copy), .. } = &error else { panic!("{error}") };
    assert!(copy.exists());
    let first = snapshot(&db).all::<PetV1>().expect("reads").next().expect("a row");
    assert_eq!(first.expect("still version 1").name, "pet 0");
    assert!(matches!(
        bring_up_to_date(&db, home.path(), Timestamp(0), OLD),
        Ok(report) if report.upgraded.is_empty()
    ));
}

#[test]
fn a_newer_store_is_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let db = open_file(&home.path().join(DATA_FILE)).expect("opens");
    let known = format(crate::records::TABLES);
    let of_the_future = [Table { version: u8::try_from(known + 1).expect("few versions"), ..NEW[0] }];
    bring_up_to_date(&db, home.path(), Timestamp(0), &of_the_future).expect("new");
    drop(db);
    let error = open(home.path()).expect_err("newer").to_string();
    let want = format!("newer version of Sentient (format {}; this one knows {known})", known + 1);
    assert!(error.contains(&want), "{error}");
}

#[test]
fn the_format_goes_up_with_any_record() {
    assert_eq!(format(OLD), 1);
    assert_eq!(format(NEW), 2);
    let error = decode::<Pet>(&[3, 0]).expect_err("of the future");
    assert_eq!(error, RecordError::UnknownVersion { table: "pets", version: 3 });
    // Of the real tables, that of effects is at its second version.
    assert_eq!(format(crate::records::TABLES), 2);
}

#[test]
fn rows_survive_in_the_many() {
    let home = tempfile::tempdir().expect("a folder");
    let store = open(home.path()).expect("opens");
    let mut batch = Batch::new();
    for n in 0..3_000 {
        batch.put(&meta(&format!("many.{n:05}"), "1"));
    }
    store.commit_now(batch).expect("written");
    let mut batch = Batch::new();
    batch.delete_prefix::<MetaRecord>(&TextPrefix("many."));
    store.commit_now(batch).expect("written");
    assert_eq!(store.snapshot().expect("reads").count::<MetaRecord>(), Ok(0), "more than one chunk is deleted");
}
