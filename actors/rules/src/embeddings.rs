//! Judgement about vectors: whether a model's answer can be used, which space answers searches, and what is to become of
//! the others when the person picks another model.
//!
//! Knows no model and no store.

use protocol::model::{ModelName, is_builtin};
use serde::{Deserialize, Serialize};

/// The space of the engine's own sentence model. Another model inside the program gets another name here, and everything
/// is embedded anew, in seconds.
pub const BUILTIN_SPACE: &str = "builtin";
/// Numbers of one vector, at most. Ours: the largest text models make 4,096.
pub const DIMENSIONS_MAX: usize = 8_192;
/// Texts that may still lack a vector while their space answers searches: what was just saved is found by its words. With
/// more, as after a night without Ollama, the builtin model answers. Ours: one batch.
pub const WAITING_MAX: usize = 32;

/// The first pause after a failure, and the longest. Ours: Ollama that was just started is noticed soon.
const PAUSE_FIRST_S: u64 = 5;
const PAUSE_MAX_S: u64 = 300;

/// What is wrong with an answer of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Not one vector per text.
    Count { texts: usize, vectors: usize },
    /// Empty ones, too long ones, or not all of the same length.
    Dimensions,
    /// Something in them is not a number.
    NotNumbers,
    /// All zero: no direction.
    Zero,
}

impl Fault {
    /// What happened and what to do, in one sentence.
    pub fn sentence(self, model: &ModelName) -> String {
        let what = match self {
            Self::Count { texts, vectors } => format!("{vectors} vectors for {texts} texts"),
            Self::Dimensions => "vectors of different lengths".to_owned(),
            Self::NotNumbers => "vectors that are not numbers".to_owned(),
            Self::Zero => "empty vectors".to_owned(),
        };
        format!("{model} answered with {what}. Pick another model for memory search in Settings > Models.")
    }
}

/// Looks through what a model answered for so many texts. Answers how many numbers each vector has.
///
/// # Errors
/// What is wrong with it.
pub fn check(vectors: &[Vec<f32>], texts: usize) -> Result<usize, Fault> {
    if vectors.len() != texts {
        return Err(Fault::Count { texts, vectors: vectors.len() });
    }
    let dimensions = vectors.first().map_or(0, Vec::len);
    let even = vectors.iter().all(|vector| vector.len() == dimensions);
    if !even || (texts > 0 && !(1..=DIMENSIONS_MAX).contains(&dimensions)) {
        return Err(Fault::Dimensions);
    }
    if !vectors.iter().flatten().all(|number| number.is_finite()) {
        return Err(Fault::NotNumbers);
    }
    let has_direction = |vector: &Vec<f32>| vector.iter().any(|number| number.abs() > f32::MIN_POSITIVE);
    if vectors.iter().all(has_direction) { Ok(dimensions) } else { Err(Fault::Zero) }
}

/// Seconds until a model that failed so often in a row is asked again: twice as long each time.
pub fn pause_s(failures: u32) -> u64 {
    let doubled = 1_u64.checked_shl(failures.saturating_sub(1)).unwrap_or(u64::MAX);
    PAUSE_FIRST_S.saturating_mul(doubled).min(PAUSE_MAX_S)
}

/// How far a space of a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpaceState {
    /// It is not yet written down which texts lack a vector in it.
    New,
    /// Texts lack vectors; each has a row that says so.
    Filling,
    /// Every text has its vector, but for those that were just saved.
    Whole,
    /// Its vectors are being deleted.
    Leaving,
}

/// The vectors that one model made, as long as it makes them with so many numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// As stored with each vector: the model's name and the number of its dimensions.
    pub name: String,
    pub model: ModelName,
    pub dimensions: usize,
    pub state: SpaceState,
}

/// All spaces there are vectors in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spaces {
    /// The builtin space in which every text has its vector; another name or none, and that is still to be seen to.
    #[serde(default)]
    pub builtin: String,
    #[serde(default)]
    pub models: Vec<Space>,
}

impl Spaces {
    /// The space of the configured model that is being used or filled.
    pub fn of(&self, model: &ModelName) -> Option<&Space> {
        self.models.iter().find(|space| space.model == *model && space.state != SpaceState::Leaving)
    }

    /// The space that answers searches, when it is not the builtin one: the configured model's when it is whole, else the
    /// one before it. `waiting`: texts that lack a vector of the configured model.
    pub fn serving(&self, configured: &ModelName, waiting: usize) -> Option<&Space> {
        if is_builtin(configured.as_str()) {
            return None;
        }
        let whole = |space: &&Space| space.state == SpaceState::Whole;
        match self.of(configured).filter(whole) {
            Some(space) => (waiting <= WAITING_MAX).then_some(space),
            None => self.models.iter().find(whole),
        }
    }

    /// What is to become of the spaces while this model is configured: its own stays, the one that answers in its place
    /// stays until it is whole, the others leave.
    #[must_use]
    pub fn settled(mut self, configured: &ModelName) -> Self {
        let builtin = is_builtin(configured.as_str());
        let mut in_its_place = !builtin && self.of(configured).is_none_or(|space| space.state != SpaceState::Whole);
        for space in &mut self.models {
            let own = !builtin && space.model == *configured;
            if own || space.state == SpaceState::Leaving {
                continue;
            }
            // The first whole one is the one that answers (`serving`).
            if in_its_place && space.state == SpaceState::Whole {
                in_its_place = false;
            } else {
                space.state = SpaceState::Leaving;
            }
        }
        self
    }

    /// Whether something is to be done that needs no model: spaces to settle, or to delete.
    pub fn has_upkeep(&self, configured: &ModelName, waiting: usize) -> bool {
        let settled = self.clone().settled(configured);
        let leaving = settled.models.iter().any(|space| space.state == SpaceState::Leaving);
        leaving || settled != *self || (is_builtin(configured.as_str()) && waiting > 0)
    }

    /// Whether the configured model has something to do: texts lack its vector, or may lack it. `texts`: there are any.
    pub fn wants_model(&self, configured: &ModelName, waiting: usize, texts: bool) -> bool {
        if is_builtin(configured.as_str()) {
            return false;
        }
        match self.of(configured).map(|space| space.state) {
            None => texts,
            Some(SpaceState::Whole) => waiting > 0,
            Some(SpaceState::New | SpaceState::Filling | SpaceState::Leaving) => true,
        }
    }

    /// The model was met: it makes vectors of so many numbers. With another number than before, its old vectors are of no
    /// use any more, since it can no longer make one to compare them with.
    #[must_use]
    pub fn met(mut self, model: &ModelName, dimensions: usize) -> Self {
        let name = format!("{model}@{dimensions}");
        for space in self.models.iter_mut().filter(|space| space.model == *model && space.name != name) {
            space.state = SpaceState::Leaving;
        }
        match self.models.iter_mut().find(|space| space.name == name) {
            Some(space) if space.state == SpaceState::Leaving => space.state = SpaceState::New,
            Some(_) => (),
            None => self.models.push(Space { name, model: model.clone(), dimensions, state: SpaceState::New }),
        }
        self
    }

    /// With another state for one space.
    #[must_use]
    pub fn with(mut self, name: &str, state: SpaceState) -> Self {
        for space in self.models.iter_mut().filter(|space| space.name == name) {
            space.state = state;
        }
        self
    }

    /// Without one space.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.models.retain(|space| space.name != name);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use SpaceState::{Filling, Leaving, New, Whole};

    fn model(name: &str) -> ModelName {
        ModelName(name.into())
    }

    fn spaces(list: &[(&str, usize, SpaceState)]) -> Spaces {
        let models = list.iter().map(|(name, dimensions, state)| Space {
            name: format!("{name}@{dimensions}"),
            model: model(name),
            dimensions: *dimensions,
            state: *state,
        });
        Spaces { builtin: BUILTIN_SPACE.into(), models: models.collect() }
    }

    #[test]
    fn answers_of_vectors_are_looked_through() {
        for (name, vectors, texts, want) in [
            ("one each", vec![vec![1.0, 0.0], vec![0.0, -1.0]], 2, Ok(2)),
            ("nothing for nothing", vec![], 0, Ok(0)),
            ("fewer", vec![vec![1.0]], 2, Err(Fault::Count { texts: 2, vectors: 1 })),
            ("more", vec![vec![1.0], vec![1.0]], 1, Err(Fault::Count { texts: 1, vectors: 2 })),
            ("none", vec![], 3, Err(Fault::Count { texts: 3, vectors: 0 })),
            ("different lengths", vec![vec![1.0], vec![1.0, 2.0]], 2, Err(Fault::Dimensions)),
            ("without numbers", vec![vec![]], 1, Err(Fault::Dimensions)),
            ("endless", vec![vec![1.0; DIMENSIONS_MAX + 1]], 1, Err(Fault::Dimensions)),
            ("not a number", vec![vec![1.0, f32::NAN]], 1, Err(Fault::NotNumbers)),
            ("infinite", vec![vec![f32::INFINITY]], 1, Err(Fault::NotNumbers)),
            ("zeros", vec![vec![1.0, 1.0], vec![0.0, 0.0]], 2, Err(Fault::Zero)),
        ] {
            assert_eq!(check(&vectors, texts), want, "{name}");
        }
    }

    #[test]
    fn a_model_that_fails_is_asked_ever_more_rarely() {
        for (failures, want) in [(0, 5), (1, 5), (2, 10), (3, 20), (6, 160), (7, 300), (64, 300), (u32::MAX, 300)] {
            assert_eq!(pause_s(failures), want, "{failures}");
        }
    }

    #[test]
    fn who_answers_searches() {
        for (name, list, configured, waiting, want) in [
            ("nobody yet", vec![], "ollama/a", 0, None),
            ("the builtin one was picked", vec![("ollama/a", 3, Whole)], "builtin", 0, None),
            ("it is whole", vec![("ollama/a", 3, Whole)], "ollama/a", 0, Some("ollama/a@3")),
            ("some were just saved", vec![("ollama/a", 3, Whole)], "ollama/a", WAITING_MAX, Some("ollama/a@3")),
            ("it was away for long", vec![("ollama/a", 3, Whole)], "ollama/a", WAITING_MAX + 1, None),
            ("it is being filled", vec![("ollama/a", 3, Filling)], "ollama/a", 0, None),
            (
                "the old one meanwhile",
                vec![("ollama/a", 3, Whole), ("ollama/b", 4, Filling)],
                "ollama/b",
                900,
                Some("ollama/a@3"),
            ),
            ("the old one, nothing known of the new", vec![("ollama/a", 3, Whole)], "ollama/b", 0, Some("ollama/a@3")),
            ("not one that leaves", vec![("ollama/a", 3, Leaving)], "ollama/a", 0, None),
        ] {
            let spaces = spaces(&list);
            let serving = spaces.serving(&model(configured), waiting).map(|space| space.name.as_str());
            assert_eq!(serving, want, "{name}");
        }
    }

    #[test]
    fn what_becomes_of_the_spaces() {
        for (name, list, configured, want) in [
            (
                "the builtin one needs no other",
                vec![("a", 3, Whole), ("b", 3, Filling)],
                "builtin",
                vec![Leaving, Leaving],
            ),
            ("whole alone", vec![("a", 3, Whole), ("b", 3, Whole)], "b", vec![Leaving, Whole]),
            ("the old one until then", vec![("a", 3, Whole), ("b", 3, Filling)], "b", vec![Whole, Filling]),
            ("a half one is no use", vec![("a", 3, Filling), ("b", 3, Filling)], "b", vec![Leaving, Filling]),
            ("only one old one", vec![("a", 3, Whole), ("c", 3, Whole), ("b", 3, New)], "b", vec![Whole, Leaving, New]),
            ("nothing is known of the new", vec![("a", 3, Whole)], "b", vec![Whole]),
            ("back to the first", vec![("a", 3, Whole), ("b", 3, Filling)], "a", vec![Whole, Leaving]),
        ] {
            let settled = spaces(&list).settled(&model(configured));
            let states: Vec<SpaceState> = settled.models.iter().map(|space| space.state).collect();
            assert_eq!(states, want, "{name}");
            assert_eq!(settled.clone().settled(&model(configured)), settled, "{name}: once is enough");
        }
    }

    #[test]
    fn what_is_left_to_do() {
        for (name, list, configured, (waiting, texts), want) in [
            ("a new home", vec![], "ollama/a", (0, false), (false, false)),
            ("the first text", vec![], "ollama/a", (1, true), (false, true)),
            ("another model was picked", vec![("b", 3, Whole)], "ollama/a", (0, true), (false, true)),
            ("it is filled", vec![("ollama/a", 3, Filling)], "ollama/a", (0, true), (false, true)),
            ("all is done", vec![("ollama/a", 3, Whole)], "ollama/a", (0, true), (false, false)),
            ("a text was saved", vec![("ollama/a", 3, Whole)], "ollama/a", (1, true), (false, true)),
            ("the old one can go", vec![("b", 3, Whole), ("ollama/a", 3, Whole)], "ollama/a", (0, true), (true, false)),
            ("builtin, and nothing else", vec![], "builtin", (0, true), (false, false)),
            ("builtin was picked", vec![("b", 3, Whole)], "builtin", (0, true), (true, false)),
            ("builtin, rows are left", vec![], "builtin", (4, true), (true, false)),
        ] {
            let (spaces, configured) = (spaces(&list), model(configured));
            let got = (spaces.has_upkeep(&configured, waiting), spaces.wants_model(&configured, waiting, texts));
            assert_eq!(got, want, "{name}");
        }
    }

    #[test]
    fn a_model_is_met() {
        for (name, list, dimensions, want) in [
            ("for the first time", vec![], 3, vec![("ollama/a", 3, New)]),
            ("as it was", vec![("ollama/a", 3, Whole)], 3, vec![("ollama/a", 3, Whole)]),
            (
                "with other dimensions",
                vec![("ollama/a", 3, Whole)],
                4,
                vec![("ollama/a", 3, Leaving), ("ollama/a", 4, New)],
            ),
            ("once more", vec![("ollama/a", 3, Leaving)], 3, vec![("ollama/a", 3, New)]),
            ("beside others", vec![("b", 9, Whole)], 3, vec![("b", 9, Whole), ("ollama/a", 3, New)]),
        ] {
            assert_eq!(spaces(&list).met(&model("ollama/a"), dimensions), spaces(&want), "{name}");
        }
    }
}
