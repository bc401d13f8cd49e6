//! Which tools a model is offered when there are more than it can choose among well (models.md, "Tool offering").
//!
//! All of them as long as they fit. Above the budget the ones whose names and descriptions share words with the message
//! come first, and the order of the list never changes, so that a prompt's beginning stays the same.

use protocol::model::ToolOffer;
use std::collections::BTreeSet;
use unicode_segmentation::UnicodeSegmentation;

/// Offered whatever the message says, when they exist.
const ALWAYS: [&str; 6] = [
    "current_datetime",
    "memory_recall",
    "memory_remember",
    "skill_view",
    "create_task_from_prompt",
    // While a folder is added (contract section 22, "Tools").
    "folder_search",
];

/// Chooses at most `budget` tools; `None` offers all.
pub fn select(offers: &[ToolOffer], message: &str, budget: Option<usize>) -> Vec<ToolOffer> {
    let Some(budget) = budget.filter(|budget| offers.len() > *budget) else { return offers.to_vec() };
    let wanted = words(message);
    let mut ranked: Vec<(usize, usize)> = offers
        .iter()
        .enumerate()
        .map(|(index, offer)| {
            let always = if ALWAYS.contains(&offer.name.as_str()) { 1_000 } else { 0 };
            let named = words(&offer.name.replace('_', " ")).intersection(&wanted).count() * 10;
            let described = words(&offer.description).intersection(&wanted).count();
            (always + named + described, index)
        })
        .collect();
    ranked.sort_by_key(|(score, index)| (std::cmp::Reverse(*score), *index));
    let mut chosen: Vec<usize> = ranked.into_iter().take(budget).map(|(_, index)| index).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|index| offers[index].clone()).collect()
}

/// Words of four letters or more, lower case.
fn words(text: &str) -> BTreeSet<String> {
    text.unicode_words().map(str::to_lowercase).filter(|word| word.chars().count() >= 4).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(name: &str, description: &str) -> ToolOffer {
        ToolOffer { name: name.into(), description: description.into(), parameters: serde_json::json!({}) }
    }

    #[test]
    fn what_the_message_names_is_offered_in_the_same_order() {
        let offers = [
            offer("file_list", "Lists files"),
            offer("weather_current", "The weather now"),
            offer("current_datetime", "The time"),
            offer("news_search", "Searches news"),
        ];
        let names = |message, budget| {
            select(&offers, message, budget).into_iter().map(|offer| offer.name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names("how is the weather", Some(2)), "weather_current current_datetime");
        assert_eq!(names("any news?", Some(2)), "current_datetime news_search");
        assert_eq!(select(&offers, "x", None).len(), 4);
        assert_eq!(select(&offers, "x", Some(9)).len(), 4);
    }
}
