//! The words of a DOCX: a zip archive whose `word/document.xml` holds paragraphs (ECMA-376, part 1, section 17).

use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};
use std::io::{Cursor, Read};

/// Bytes of the document's XML once it is unpacked. Ours: a small archive may unpack to gigabytes.
const XML_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// Where the text is.
const PLACE: &str = "word/document.xml";

/// The text; `None` when it is no DOCX, or one made to grow.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut xml = Vec::new();
    archive.by_name(PLACE).ok()?.take(XML_BYTES_MAX + 1).read_to_end(&mut xml).ok()?;
    if xml.len() as u64 > XML_BYTES_MAX {
        return None;
    }
    words(&xml)
}

/// Text runs of the paragraphs, each paragraph on a line of its own. What was deleted with changes tracked is not read.
fn words(xml: &[u8]) -> Option<String> {
    let mut reader = Reader::from_str(std::str::from_utf8(xml).ok()?);
    let mut out = String::new();
    let mut in_text = false;
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) if tag.local_name().as_ref() == "t" => in_text = true,
            Event::End(tag) if tag.local_name().as_ref() == "t" => in_text = false,
            Event::End(tag) if tag.local_name().as_ref() == "p" => out.push('\n'),
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "tab" => out.push('\t'),
                "br" | "cr" => out.push('\n'),
                _ => (),
            },
            Event::Text(text) if in_text => out.push_str(&text),
            Event::GeneralRef(name) if in_text => out.push(reference(&name)?),
            Event::CData(text) if in_text => out.push_str(&text),
            Event::Eof => return Some(out),
            _ => (),
        }
    }
}

/// One of XML's own names, or a letter by its number; names that a document declares are not followed.
fn reference(name: &BytesRef<'_>) -> Option<char> {
    if let Ok(Some(letter)) = name.resolve_char_ref() {
        return Some(letter);
    }
    match &**name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    fn docx(name: &str, xml: &[u8]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(xml).unwrap();
        archive.finish().unwrap().into_inner()
    }

    fn document(body: &str) -> Vec<u8> {
        let xml = format!(
            "<?xml version=\"1.0\"?><w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\">\
             <w:body>{body}</w:body></w:document>"
        );
        docx(PLACE, xml.as_bytes())
    }

    #[test]
    fn paragraphs_become_lines() {
        let body = "<w:p><w:r><w:t>Dear </w:t></w:r><w:r><w:t xml:space=\"preserve\">Jo &amp; Sam&#33;</w:t></w:r></w:p>\
                    <w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>नमस्ते</w:t></w:r></w:p>\
                    <w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>";
        assert_eq!(text(&document(body)).as_deref(), Some("Dear Jo & Sam!\na\tb\nनमस्ते\n\n"));
    }

    #[test]
    fn what_is_no_docx_has_no_text() {
        let good = document("<w:p><w:r><w:t>words</w:t></w:r></w:p>");
        let bomb =
            "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;\">]><w:document><w:t>&b;</w:t></w:document>";
        for (name, bytes) in [
            ("no archive", b"words".to_vec()),
            ("nothing", Vec::new()),
            ("cut", good[..good.len() / 2].to_vec()),
            ("another archive", docx("other.xml", b"<a/>")),
            ("broken XML", docx(PLACE, b"<w:p><w:t>words</w:p>")),
            ("names that are declared", docx(PLACE, bomb.as_bytes())),
            ("made to grow", docx(PLACE, &vec![b' '; usize::try_from(XML_BYTES_MAX).unwrap() + 1])),
        ] {
            assert_eq!(text(&bytes), None, "{name}");
        }
    }
}
