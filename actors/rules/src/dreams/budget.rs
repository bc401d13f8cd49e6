//! How many model calls a dream has: all of them together, and at most half for the step about languages.

/// The calls of one dream (`dreaming.max_model_calls`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    max: u32,
    used: u32,
    for_languages: u32,
}

impl Calls {
    pub fn new(max: u32) -> Self {
        Self { max, used: 0, for_languages: 0 }
    }

    pub fn used(&self) -> u32 {
        self.used
    }

    /// Takes one call; `false` when none is left.
    pub fn take(&mut self) -> bool {
        let left = self.used < self.max;
        self.used += u32::from(left);
        left
    }

    /// Takes one call of the half that is for languages.
    pub fn take_for_languages(&mut self) -> bool {
        let left = self.for_languages < self.max / 2 && self.take();
        self.for_languages += u32::from(left);
        left
    }
}
