//! What of the journals goes with forgotten memories: lines that repeat them.

use crate::memory::{Derived, Forgotten};
use crate::user_model::{in_use, repeats};
use protocol::Error;
use storage::records::DreamRecord;
use storage::{Batch, Snapshot};

/// The step of the cascade.
pub(crate) struct DreamCascade;

impl Derived for DreamCascade {
    fn name(&self) -> &'static str {
        "journals"
    }

    fn forget(&self, snapshot: &Snapshot, forgotten: &Forgotten, batch: &mut Batch) -> Result<(), Error> {
        let wordings: Vec<&str> = forgotten.wordings().collect();
        let in_use = in_use(snapshot)?;
        for dream in snapshot.all::<DreamRecord>()? {
            let dream = dream?;
            let kept: Vec<String> =
                dream.journal.iter().filter(|line| !goes(line, &wordings, &in_use)).cloned().collect();
            if kept.len() < dream.journal.len() {
                batch.put(&DreamRecord { journal: kept, ..dream });
            }
        }
        Ok(())
    }
}

/// A line quotes memories; each quote is looked at by itself, since a line may name two.
fn goes(line: &str, forgotten: &[&str], in_use: &[String]) -> bool {
    let quotes = line.split('"').skip(1).step_by(2);
    quotes.chain([line]).any(|part| repeats(part, forgotten, in_use) || is_cut(part, forgotten))
}

/// A long memory is shown cut, and then its beginning is what is left of it.
fn is_cut(quote: &str, forgotten: &[&str]) -> bool {
    let Some(front) = quote.strip_suffix('…').map(str::trim_end).filter(|front| !front.is_empty()) else {
        return false;
    };
    forgotten.iter().any(|wording| {
        let line = wording.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "'");
        line.starts_with(front)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_232_lines_about_a_forgotten_memory_go_unless_another_says_the_same() {
        let long = format!("Maya keeps {}", "many things ".repeat(20));
        let cut: String = long.chars().take(100).collect();
        let line = |quote: &str| format!("Tonight I merged 2 duplicate memories into 1: \"{quote}\".");
        for (name, line, forgotten, in_use, want) in [
            ("its line", line("Maya lives in Pune"), vec!["Maya lives in Pune"], vec![], true),
            ("in Hindi", line("माया पुणे में रहती है"), vec!["माया पुणे में रहती है"], vec![], true),
            ("another line", line("Maya likes tea"), vec!["Maya lives in Pune"], vec![], false),
            (
                "said as well",
                line("Maya lives in Pune"),
                vec!["Maya lives in Pune"],
                vec!["Maya lives in Pune with Arun"],
                false,
            ),
            ("cut short", line(&format!("{}…", cut.trim_end())), vec![long.as_str()], vec![], true),
        ] {
            let in_use: Vec<String> = in_use.into_iter().map(str::to_owned).collect();
            assert_eq!(goes(&line, &forgotten, &in_use), want, "{name}");
        }
    }
}
