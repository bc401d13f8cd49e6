//! Pages as words: readable text of good and hostile HTML.

use super::*;

fn at() -> Url {
    Url::parse("https://example.com/a").unwrap()
}

#[test]
fn kinds_by_name_and_by_beginning() {
    let other = |name: &str| Kind::Other(name.to_owned());
    for (content_type, body, want) in [
        ("text/html; charset=utf-8", &b"<p>"[..], Kind::Html),
        ("Application/XHTML+XML", b"<p>", Kind::Html),
        ("application/pdf", b"x", Kind::Pdf),
        ("text/html", b"%PDF-1.7", Kind::Pdf),
        ("text/plain", b"hi", Kind::Text),
        ("application/json", b"{}", Kind::Text),
        ("application/ld+json", b"{}", Kind::Text),
        ("application/rss+xml", b"<rss>", Kind::Text),
        ("image/svg+xml", b"<svg>", other("image/svg+xml")),
        ("image/png", b"\x89PNG", other("image/png")),
        ("text/plain", b"\x7fELF\0\0", other("text/plain")),
        ("text/plain", b"\xFF\xFEh\0i\0", Kind::Text),
        ("", b"  <!DOCTYPE html><p>", Kind::Html),
        ("", b"plain words", Kind::Text),
        ("application/octet-stream", b"PK\x03\x04\0\0", other("data")),
        ("", b"\x80\x81", other("data")),
        ("", b"", Kind::Text),
    ] {
        assert_eq!(kind(content_type, body), want, "{content_type} {body:?}");
    }
}

#[test]
fn letters_of_every_kind() {
    for (body, content_type, want) in [
        (&b"na\xC3\xAFve"[..], "text/html", "naïve"),
        (b"na\xEFve", "text/html", "naïve"),
        (b"na\xEFve", "text/html; charset=ISO-8859-1", "naïve"),
        (b"na\xC3\xAFve", "text/html; charset=\"utf-8\"", "naïve"),
        (b"<meta charset=windows-1251>\xEF\xF0", "text/html", "<meta charset=windows-1251>пр"),
        (
            b"<meta http-equiv=x content=\"text/html; charset=Shift_JIS\">\x93\xFA",
            "text/html",
            "<meta http-equiv=x content=\"text/html; charset=Shift_JIS\">日",
        ),
        (
            b"<?xml version='1.0' encoding='ISO-8859-2'?>\xB1",
            "application/xml",
            "<?xml version='1.0' encoding='ISO-8859-2'?>ą",
        ),
        (b"<meta charset=utf-16>ok", "text/html", "<meta charset=utf-16>ok"),
        (b"\xEF\xBB\xBFok", "text/plain; charset=windows-1252", "ok"),
        (b"\xFF\xFEh\0i\0", "text/plain", "hi"),
        (b"ok", "text/plain; charset=nonsense", "ok"),
        (b"", "", ""),
    ] {
        assert_eq!(decode(body, content_type), want, "{content_type} {body:?}");
    }
}

#[test]
fn an_article_is_found_among_its_surroundings() {
    let paragraph = "The river rose through the night and by morning it stood level with the old bridge, as people \
                     who had lived there for fifty years said it never had before, and nobody went to work that day.";
    let html = format!(
        "<html><head><title>River rises - The Paper</title><style>p{{color:red}}</style></head><body>\
         <nav><ul><li><a href=/>Home</a></li><li><a href=/s>Sport</a></li></ul></nav>\
         <article><h1>River rises</h1><p>{paragraph}</p><p>Second. {paragraph}</p><p>Third. {paragraph}</p></article>\
         <script>var tracking = 'never shown';</script><footer>Cookies and terms</footer></body></html>"
    );
    let words = readable(&html, &at());
    assert!(words.title.starts_with("River rises"), "{}", words.title);
    assert!(words.content.contains("level with the old bridge") && words.content.contains("Third."), "{words:?}");
    assert!(!words.content.contains("tracking") && !words.content.contains("color:red"), "{words:?}");
}

#[test]
fn a_page_without_an_article_gives_all_its_words() {
    let html = "<title>Opening &amp; hours</title><body><h1>Shop</h1><table><tr><td>Mon</td><td>9&ndash;17</td></tr>\
                <tr><td>Tue</td><td>closed</td></tr></table><ul><li>Bread<li>Milk</ul><script>x</script></body>";
    let words = readable(html, &at());
    assert_eq!(words.title, "Opening & hours");
    for part in ["Shop", "Mon", "9–17", "closed", "Bread", "Milk"] {
        assert!(words.content.contains(part), "{part} in {words:?}");
    }
}

#[test]
fn all_words_have_lines_where_the_page_has() {
    for (html, want) in [
        ("", ""),
        ("plain", "plain"),
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("a<br>b", "a\nb"),
        ("<b>bo</b>ld\n  words", "bold words"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<!-- <p>no</p> -->yes", "yes"),
        ("<SCRIPT>if (a<b) {}</script>after", "after"),
        ("<style>x</style><svg/><noscript>n</noscript>t", "t"),
        ("<script>never closed", ""),
        ("1 < 2 && 3 > 2", "1 < 2 && 3 > 2"),
        ("&lt;p&gt; &#8364; &#x20AC; &nope; &#0; &", "<p> € € &nope; &#0; &"),
        ("<a title=\"a > b\">link</a>", "link"),
        ("<p", ""),
        ("<a href='", ""),
        ("<!doctype html><?php x ?>t", "t"),
        ("<title>T</title><title>U</title>", ""),
    ] {
        assert_eq!(all_words(html).content, want, "{html}");
    }
    assert_eq!(all_words("<title>a\n b</title>").title, "a b");
}

#[test]
fn hostile_pages_are_read_without_harm() {
    let times = 5_000;
    for (name, html) in [
        ("deep", "<div>".repeat(times)),
        ("deep and closed", "<div>".repeat(times) + &"</div>".repeat(times)),
        ("formatting", "<b><i><a>".repeat(times)),
        ("open brackets", "<".repeat(times)),
        ("open tags", "<a '".repeat(times)),
        ("open comments", "<!--".repeat(times)),
        ("open scripts", "<script>".repeat(times)),
        ("near ends of scripts", format!("<script>{}", "</scrip".repeat(times))),
        ("ampersands", "&".repeat(times)),
        ("entities", "&amp;".repeat(times)),
        ("ends of nothing", "<b></x>".repeat(times)),
        ("attributes", format!("<a {}", (0..times).map(|at| format!("a{at} ")).collect::<String>())),
        ("slashes", format!("<a {}", (0..times).map(|at| format!("/a{at}")).collect::<String>())),
        ("words between tables", format!("<table>{}", "x<tr>".repeat(times))),
        ("lists", "<ul><li>".repeat(times)),
        ("closed spans", "<span>x</span>".repeat(times)),
        ("ends of paragraphs", "</p>".repeat(times)),
        ("nulls", "\0".repeat(times)),
        ("crossed", "<b><p></b></p>".repeat(times)),
        ("links", "<a href=x>y</a> ".repeat(times)),
        ("many paragraphs", "<p>x".repeat(1_000)),
    ] {
        let words = readable(&html, &at());
        assert!(words.content.len() <= html.len() * 2, "{name}");
    }
}
