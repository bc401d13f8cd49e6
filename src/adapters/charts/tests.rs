//! Charts as pictures: real PNGs of every type, and plain words for what cannot be drawn.

use super::*;
use serde_json::json;
use std::collections::HashSet;

/// Width, height and the colours of the pixels, read back from the PNG.
fn pixels(png: &[u8]) -> (u32, u32, Vec<(u8, u8, u8)>) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n", "the signature of PNG");
    assert_eq!(&png[12..16], b"IHDR");
    let side = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    let picture = tiny_skia::Pixmap::decode_png(png).unwrap();
    assert_eq!((side(16), side(20)), (picture.width(), picture.height()));
    let colors = picture.pixels().iter().map(|pixel| (pixel.red(), pixel.green(), pixel.blue())).collect();
    (picture.width(), picture.height(), colors)
}

fn config(kind: &str) -> Value {
    let points = json!([{"x": 1, "y": 3}, {"x": 2, "y": 5}, {"x": 4, "y": 1}]);
    let data = if kind == "scatter" { points } else { json!([3, 5, 1]) };
    json!({
        "type": kind,
        "data": {"labels": ["A & B", "<b>", "ü"], "datasets": [{"label": "One", "data": data}]},
        "options": {"plugins": {"title": {"text": "Title <of> it"}}}
    })
}

#[tokio::test]
async fn every_type_becomes_a_picture_of_the_wanted_size() {
    let painter = ChartPainter::default();
    for kind in ["bar", "horizontalBar", "line", "pie", "doughnut", "radar", "scatter", "polarArea"] {
        let png = painter.paint(config(kind), 640, 360).await.unwrap();
        let (width, height, colors) = pixels(&png);
        assert_eq!((width, height), (640, 360), "{kind}");
        let different: HashSet<_> = colors.iter().collect();
        assert!(different.len() > 20, "{kind} has {} colours", different.len());
        let painted = colors.iter().filter(|color| **color != (255, 255, 255)).count();
        assert!(painted > 500, "{kind} painted {painted} pixels");
        let first = colors.iter().filter(|color| **color == (0, 114, 178)).count();
        assert!(first > 20, "{kind} shows the first colour on {first} pixels");
    }
}

#[tokio::test]
async fn text_is_written_and_the_data_are_drawn() {
    let painter = ChartPainter::default();
    let base = painter.paint(config("bar"), 640, 360).await.unwrap();
    let mut untitled = config("bar");
    untitled["options"] = json!({});
    let mut other = config("bar");
    other["data"]["datasets"][0]["data"] = json!([5, 3, 1]);
    let mut red = config("bar");
    red["data"]["datasets"][0]["backgroundColor"] = "rgba(255, 0, 0, 0.2)".into();
    for (what, config) in [("title", untitled), ("data", other), ("colour", red.clone())] {
        let png = painter.paint(config, 640, 360).await.unwrap();
        assert_ne!(pixels(&png).2, pixels(&base).2, "the {what} makes a difference");
    }
    let red = painter.paint(red, 640, 360).await.unwrap();
    assert!(pixels(&red).2.iter().filter(|color| **color == (255, 0, 0)).count() > 500);
    assert_eq!(painter.paint(config("bar"), 640, 360).await.unwrap(), base, "the same chart is the same picture");
}

#[tokio::test]
async fn odd_data_are_painted_or_explained_but_never_panic() {
    let painter = ChartPainter::default();
    for data in [
        json!([0, 0, 0]),
        json!([-1, -2, -3]),
        json!([null, 1, null]),
        json!([1e29, -1e29, 0]),
        json!([1e-30, 1e-31, 0]),
        json!([1]),
        json!([5, 5, 5]),
    ] {
        for kind in ["bar", "horizontalBar", "line", "pie", "doughnut", "polarArea", "radar"] {
            let mut config = config(kind);
            config["data"]["datasets"][0]["data"] = data.clone();
            match painter.paint(config, 300, 200).await {
                Ok(png) => assert_eq!(pixels(&png).0, 300),
                Err(error) => assert!(error.0.contains("three labels"), "{kind} {data}: {error}"),
            }
        }
    }
}

#[tokio::test]
async fn sizes_have_limits() {
    let painter = ChartPainter::default();
    for (width, height) in [(0, 100), (100, 0), (99, 300), (SIDE_PIXELS_MAX + 1, 300), (300, u32::MAX)] {
        let error = painter.paint(config("bar"), width, height).await.unwrap_err();
        assert!(error.0.contains("100 to 2000 pixels"), "{error}");
    }
    for side in [SIDE_PIXELS_MIN, SIDE_PIXELS_MAX] {
        assert_eq!(pixels(&painter.paint(config("line"), side, side).await.unwrap()).0, side);
    }
}

#[test]
fn a_label_cannot_bring_markup_into_the_picture() {
    let evil = r#"</text><image href="file:///etc/hostname" width="9" height="9"/><text>"#;
    for kind in ["bar", "horizontalBar", "line", "pie", "radar", "scatter"] {
        let mut config = config(kind);
        config["data"]["labels"][0] = evil.into();
        config["data"]["datasets"][0]["label"] = evil.into();
        config["options"]["plugins"]["title"]["text"] = evil.into();
        let svg = draw::svg(&plan::read(&config).unwrap(), 640, 360).unwrap();
        assert!(!svg.contains("<image"), "{kind}: {svg}");
    }
}

#[test]
fn pictures_inside_a_picture_are_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("red.svg");
    let inner =
        "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9' fill='red'/></svg>";
    std::fs::write(&file, inner).unwrap();
    let fonts = Arc::new(usvg::fontdb::Database::new());
    let data =
        format!("data:image/svg+xml;utf8,{}", inner.replace('<', "%3C").replace('>', "%3E").replace('\'', "%22"));
    let outer = |href: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><image href='{href}' width='9' height='9'/></svg>"
        )
    };
    for href in [file.display().to_string(), data] {
        // The library itself would load it: this shows that the test can see a loaded picture.
        let tree = usvg::Tree::from_str(&outer(&href), &usvg::Options::default()).unwrap();
        let mut loaded = tiny_skia::Pixmap::new(9, 9).unwrap();
        resvg::render(&tree, tiny_skia::Transform::identity(), &mut loaded.as_mut());
        assert_eq!(loaded.pixel(4, 4).unwrap().red(), 255, "{href}");
        let picture = png(&outer(&href), fonts.clone(), 9, 9).unwrap();
        assert!(pixels(&picture).2.iter().all(|color| *color == (255, 255, 255)), "{href}");
    }
}
