//! The vectors of one space and kind in memory, as the records had them at one moment.
//!
//! Few are one list that every question scans whole. Many are cut into lists of neighbours, and a question scans the
//! nearest lists alone. Either way a vector is put in and taken out at once, without anything being made anew.

use super::codes::{Asked, Best, Codes};
use super::lists::Centres;
use crate::records::{Change, Searched, SearchedChange, SearchedKind, VectorRecord};
use crate::store::SEARCHED_COUNTER;
use crate::{Snapshot, StoreError, vectors};
use std::collections::{BTreeSet, HashMap};

/// Changes that are followed one by one; after more of them, reading everything again is quicker. Ours.
pub(super) const FOLLOW_MAX: u64 = 20_000;

/// What a shelf holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Label {
    pub(super) space: String,
    pub(super) kind: SearchedKind,
}

/// Vectors in memory.
#[derive(Debug)]
pub(super) struct Shelf {
    /// Of the first vector that was read; others of the space are not comparable and are left out.
    dimensions: Option<usize>,
    centres: Option<Centres>,
    lists: Vec<Codes>,
    places: HashMap<u64, Place>,
    /// Changes up to this number are in.
    pub(super) position: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    list: usize,
    at: usize,
}

/// How much of a shelf a question looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breadth {
    /// The nearest lists, where there are lists.
    Near,
    All,
}

impl Shelf {
    /// Reads every vector with this label. With `centres` they are cut into lists.
    pub(super) fn load(snapshot: &Snapshot, label: &Label, centres: Option<Centres>) -> Result<Self, StoreError> {
        let mut shelf = Self {
            dimensions: centres.as_ref().map(Centres::dimensions),
            lists: Vec::new(),
            centres,
            places: HashMap::new(),
            position: snapshot.counter(SEARCHED_COUNTER)?,
        };
        for row in vectors::all(snapshot, &label.space, label.kind)? {
            shelf.put(&row?);
        }
        Ok(shelf)
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Components of its vectors; `None` while there are none.
    pub(super) fn dimensions(&self) -> Option<usize> {
        self.dimensions
    }

    /// How many lists it is cut into; none while all of it is scanned.
    pub(super) fn lists(&self) -> usize {
        self.centres.as_ref().map_or(0, Centres::len)
    }

    /// Brings it to the state of a snapshot. Costs nothing when it is there already.
    pub(super) fn follow(&mut self, snapshot: &Snapshot, label: &Label) -> Result<(), StoreError> {
        let newest = snapshot.counter(SEARCHED_COUNTER)?;
        if newest <= self.position {
            return Ok(());
        }
        match changed_since(snapshot, label, self.position, newest)? {
            Some(ids) => {
                for id in ids {
                    match vectors::of(snapshot, &label.space, Searched::new(label.kind, id))? {
                        Some(vector) => self.put(&vector),
                        None => self.remove(id),
                    }
                }
                self.position = newest;
            }
            None => *self = Self::load(snapshot, label, self.centres.take())?,
        }
        Ok(())
    }

    fn put(&mut self, row: &VectorRecord) {
        self.remove(row.id);
        let Some(unit) = vectors::unit(&vectors::from_half(&row.vector)) else { return };
        if *self.dimensions.get_or_insert(unit.len()) != unit.len() {
            return;
        }
        let list = self.centres.as_ref().map_or(0, |centres| centres.nearest(&Asked::new(&unit)));
        while self.lists.len() <= list {
            self.lists.push(Codes::new(unit.len()));
        }
        let codes = &mut self.lists[list];
        codes.push(row.id, &unit);
        self.places.insert(row.id, Place { list, at: codes.len() - 1 });
    }

    fn remove(&mut self, id: u64) {
        let Some(place) = self.places.remove(&id) else { return };
        if let Some(moved) = self.lists[place.list].swap_remove(place.at) {
            self.places.insert(moved, place);
        }
    }

    /// The nearest by their codes, at most `wanted` and none at or below `least`, nearest first.
    pub(super) fn candidates(&self, asked: &Asked, wanted: usize, least: f32, breadth: Breadth) -> Vec<(f32, u64)> {
        let mut best = Best::new(wanted, least);
        match (&self.centres, breadth) {
            (Some(centres), Breadth::Near) => {
                let enough = centres.enough(self.len());
                let mut seen = 0;
                for list in centres.order(asked) {
                    let Some(codes) = self.lists.get(list) else { continue };
                    codes.scan(asked, &mut best);
                    seen += codes.len();
                    if seen >= enough {
                        break;
                    }
                }
            }
            _ => self.lists.iter().for_each(|codes| codes.scan(asked, &mut best)),
        }
        best.done()
    }

    /// About `count` of its vectors, evenly spread.
    pub(super) fn sample(&self, count: usize) -> Codes {
        let every = (self.len() / count.max(1)).max(1);
        let mut sample = Codes::new(self.dimensions.unwrap_or_default());
        let all = self.lists.iter().flat_map(|codes| (0..codes.len()).map(move |at| (codes, at)));
        for (codes, at) in all.step_by(every) {
            let (code, scale) = codes.get(at);
            sample.push_code(codes.ids[at], code, scale);
        }
        sample
    }
}

/// The numbers that changes after `position` are about. `None` when they cannot be followed: too many, or some of them
/// are in the outbox no longer.
fn changed_since(
    snapshot: &Snapshot,
    label: &Label,
    position: u64,
    newest: u64,
) -> Result<Option<BTreeSet<u64>>, StoreError> {
    if newest - position > FOLLOW_MAX {
        return Ok(None);
    }
    let mut ids = BTreeSet::new();
    let mut rows = 0;
    for row in snapshot.range::<SearchedChange>(position + 1..=newest)? {
        rows += 1;
        match row?.change {
            Change::Vector { space, searched } if searched.kind == label.kind && space == label.space => {
                ids.insert(searched.id);
            }
            Change::NoVectors(searched) if searched.kind == label.kind => {
                ids.insert(searched.id);
            }
            _ => {}
        }
    }
    Ok((rows == newest - position).then_some(ids))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Store};
    use proptest::prelude::*;

    fn label() -> Label {
        Label { space: "builtin".into(), kind: SearchedKind::Fact }
    }

    /// One step of a history: a text's vector is written (also in another space), or all it has is forgotten.
    fn step() -> impl Strategy<Value = (u64, Option<(bool, Vec<f32>)>)> {
        let vector = proptest::collection::vec(-1.0_f32..1.0, 4);
        (0..12_u64, proptest::option::weighted(0.7, (any::<bool>(), vector)))
    }

    fn perform(store: &Store, (id, written): &(u64, Option<(bool, Vec<f32>)>)) {
        let searched = Searched::new(SearchedKind::Fact, *id);
        let mut batch = Batch::new();
        match written {
            Some((ours, vector)) => {
                let space = if *ours { "builtin" } else { "other" };
                if let Some(row) = vectors::record(space, searched, "a", vector) {
                    vectors::put(&mut batch, &row);
                }
            }
            None => vectors::forget(&mut batch, searched),
        }
        store.commit_now(batch).expect("written");
    }

    fn all(shelf: &Shelf) -> Vec<(f32, u64)> {
        shelf.candidates(&Asked::new(&[0.5, 0.5, 0.5, 0.5]), 100, f32::NEG_INFINITY, Breadth::All)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn following_comes_to_the_same_as_reading_anew(steps in proptest::collection::vec(step(), 1..40), looks in 1..8_usize) {
            let store = Store::in_memory();
            let mut followed = Shelf::load(&store.snapshot().expect("reads"), &label(), None).expect("reads");
            for (n, step) in steps.iter().enumerate() {
                perform(&store, step);
                if n % looks == 0 {
                    followed.follow(&store.snapshot().expect("reads"), &label()).expect("follows");
                }
            }
            let snapshot = store.snapshot().expect("reads");
            followed.follow(&snapshot, &label()).expect("follows");
            let anew = Shelf::load(&snapshot, &label(), None).expect("reads");
            prop_assert_eq!(followed.len(), anew.len());
            prop_assert_eq!(all(&followed), all(&anew));
            for (id, place) in &followed.places {
                prop_assert_eq!(followed.lists[place.list].ids[place.at], *id, "every place is right");
            }
        }
    }

    #[test]
    fn a_shelf_that_missed_too_much_reads_everything_again() {
        let store = Store::in_memory();
        let mut shelf = Shelf::load(&store.snapshot().expect("reads"), &label(), None).expect("reads");
        for n in 0..5 {
            perform(&store, &(n, Some((true, vec![1.0, 0.0, 0.0, 0.0]))));
        }
        // The outbox was emptied behind its back.
        let mut batch = Batch::new();
        batch.delete_below::<SearchedChange>(&3, 10);
        store.commit_now(batch).expect("written");
        shelf.follow(&store.snapshot().expect("reads"), &label()).expect("follows");
        assert_eq!((shelf.len(), shelf.position), (5, 5));
    }

    #[test]
    fn vectors_of_another_length_are_left_out() {
        let store = Store::in_memory();
        perform(&store, &(1, Some((true, vec![1.0, 0.0, 0.0, 0.0]))));
        perform(&store, &(2, Some((true, vec![1.0, 0.0]))));
        let shelf = Shelf::load(&store.snapshot().expect("reads"), &label(), None).expect("reads");
        assert_eq!(shelf.len(), 1);
        let short = shelf.candidates(&Asked::new(&[1.0, 0.0]), 5, -2.0, Breadth::All);
        assert_eq!(short, Vec::new(), "a question of another length finds nothing");
    }
}
