//! Whether a note is a web page that was clipped (contract section 22, ADR 0025): somebody else's words among one's own.

use super::front_matter::FrontMatter;

/// What a result with a clipping says of its content (`strings.tsv`, folder_clipping).
pub const CLIPPING_SOURCE: &str = "a web page clipped into your notes";

/// Tags clippers give, without hyphens and underscores.
const TAGS: [&str; 6] = ["clipping", "clippings", "clipped", "webclip", "webclips", "webclipping"];
/// The folder clippers write into.
const FOLDERS: [&str; 2] = ["clippings", "web clippings"];

/// Whether the note at `path` is a clipping: it names a web address, is tagged as one, or lies in a folder of them.
pub fn is_clipping(path: &str, front: &FrontMatter, tags: &[String]) -> bool {
    let is_tag = |tag: &String| {
        let mut parts = tag.split('/').map(|part| part.to_lowercase().replace(['-', '_'], ""));
        parts.any(|part| TAGS.contains(&part.as_str()))
    };
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    front.address.is_some()
        || tags.iter().any(is_tag)
        || folders.split('/').any(|folder| FOLDERS.contains(&folder.trim().to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clippings_and_the_persons_own_notes() {
        for (name, path, address, tag, want) in [
            ("an address", "a.md", Some("https://example.org"), "", true),
            ("a tag", "a.md", None, "clippings", true),
            ("a tag in capitals", "a.md", None, "Clippings", true),
            ("a tag below another", "a.md", None, "inbox/web-clip", true),
            ("its folder", "Clippings/a.md", None, "", true),
            ("deep in it", "x/clippings/y/a.md", None, "", true),
            ("a note of that name", "Clippings.md", None, "", false),
            ("a word like it", "Paperclips/a.md", None, "paperclip", false),
            ("one's own", "Travel/a.md", None, "travel", false),
        ] {
            let front = FrontMatter { address: address.map(str::to_owned), ..FrontMatter::default() };
            let tags: Vec<String> = (!tag.is_empty()).then(|| tag.to_owned()).into_iter().collect();
            assert_eq!(is_clipping(path, &front, &tags), want, "{name}");
        }
    }
}
