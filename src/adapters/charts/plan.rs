//! Reads a Chart.js configuration (versions 2 to 4) into the few things a picture needs.
//!
//! Models write configurations from memory, so numbers may be text, labels may be numbers, and unknown options are
//! passed over. What cannot be painted is an error in plain words.

use charts_rs::Color;
use serde_json::Value;

/// Points of all datasets together.
pub(super) const POINTS_MAX: usize = 10_000;
pub(super) const DATASETS_MAX: usize = 40;
const LABEL_CHARS_MAX: usize = 80;
const TITLE_CHARS_MAX: usize = 200;

/// The types that can be painted, by Chart.js's names.
const TYPES: [(&str, Kind); 8] = [
    ("bar", Kind::Bar),
    ("horizontalBar", Kind::HorizontalBar),
    ("line", Kind::Line),
    ("pie", Kind::Pie),
    ("doughnut", Kind::Doughnut),
    ("radar", Kind::Radar),
    ("scatter", Kind::Scatter),
    ("polarArea", Kind::PolarArea),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bar,
    HorizontalBar,
    Line,
    Pie,
    Doughnut,
    Radar,
    Scatter,
    PolarArea,
}

/// What a picture needs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) kind: Kind,
    pub(super) title: String,
    /// Names of the places on the first axis, or of the slices.
    pub(super) labels: Vec<String>,
    pub(super) datasets: Vec<Dataset>,
    pub(super) legend: bool,
    pub(super) stacked: bool,
    pub(super) x_title: Option<String>,
    pub(super) y_title: Option<String>,
    pub(super) y_min: Option<f32>,
    pub(super) y_max: Option<f32>,
}

/// One series. For scatter charts `values` holds x and y in turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Dataset {
    pub(super) name: String,
    pub(super) values: Vec<Option<f32>>,
    /// One colour, or one a point; empty for the usual ones.
    pub(super) colors: Vec<Color>,
    /// A line among bars.
    pub(super) line: bool,
    pub(super) filled: bool,
    pub(super) smooth: bool,
}

/// Reads a configuration. The error is a plain sentence.
pub(super) fn read(config: &Value) -> Result<Plan, String> {
    let kind = kind(config)?;
    let data = config.get("data").unwrap_or(&Value::Null);
    let rows = data.get("datasets").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if rows.is_empty() {
        return Err("The chart has no data: `data.datasets` must list at least one dataset.".to_owned());
    }
    if rows.len() > DATASETS_MAX {
        return Err(format!("A chart shows at most {DATASETS_MAX} datasets."));
    }
    let datasets: Vec<Dataset> = rows.iter().enumerate().map(|(at, row)| dataset(row, at, kind)).collect();
    let points: usize = datasets.iter().map(|dataset| dataset.values.len()).sum();
    if points > POINTS_MAX {
        return Err(format!("The chart has {points} points; at most {POINTS_MAX} can be painted."));
    }
    if datasets.iter().all(|dataset| dataset.values.iter().all(Option::is_none)) {
        return Err("The chart has no numbers: each dataset needs a `data` list of numbers.".to_owned());
    }
    let labels = labels(data, rows, &datasets);
    if kind == Kind::Radar && labels.len() < 3 {
        return Err("A radar chart needs at least three labels.".to_owned());
    }
    let options = config.get("options").unwrap_or(&Value::Null);
    let one_kind_of_slice = matches!(kind, Kind::Pie | Kind::Doughnut | Kind::PolarArea);
    let named = rows.iter().any(|row| row.get("label").is_some_and(Value::is_string));
    Ok(Plan {
        kind,
        title: title(options).unwrap_or_default(),
        labels,
        legend: legend(options).unwrap_or(one_kind_of_slice || named),
        stacked: stacked(options),
        x_title: axis(options, kind, "x").and_then(axis_title),
        y_title: axis(options, kind, "y").and_then(axis_title),
        y_min: axis(options, kind, "y").and_then(|axis| bound(axis, "min")),
        y_max: axis(options, kind, "y").and_then(|axis| bound(axis, "max")),
        datasets,
    })
}

fn kind(config: &Value) -> Result<Kind, String> {
    let name = config.get("type").and_then(Value::as_str).unwrap_or_default();
    let known = TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind);
    let lying = config.pointer("/options/indexAxis").is_some_and(|axis| axis == "y");
    match known {
        Some(Kind::Bar) if lying => Ok(Kind::HorizontalBar),
        Some(kind) => Ok(kind),
        None => {
            let names = TYPES.map(|(name, _)| name).join(", ");
            Err(format!("A chart of type \"{:.40}\" cannot be painted. Use one of {names}.", name))
        }
    }
}

fn dataset(row: &Value, at: usize, kind: Kind) -> Dataset {
    let data = row.get("data").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let values = if kind == Kind::Scatter {
        // A point without both numbers is left out whole, so that x and y stay in step.
        data.iter()
            .filter_map(|point| Some([number(point.get("x")?)?, number(point.get("y")?)?]))
            .flatten()
            .map(Some)
            .collect()
    } else {
        let along = if kind == Kind::HorizontalBar { "x" } else { "y" };
        data.iter().map(|point| number(point.get(along).unwrap_or(point))).collect()
    };
    let drawn_as_line = row.get("type").and_then(Value::as_str) == Some("line");
    Dataset {
        name: row.get("label").and_then(words).unwrap_or_else(|| format!("Series {}", at + 1)),
        values,
        colors: colors(row),
        line: kind == Kind::Bar && drawn_as_line,
        filled: row.get("fill").is_some_and(|fill| fill == true || fill.is_string() || fill.is_object()),
        smooth: ["tension", "lineTension"].iter().any(|key| row.get(key).and_then(Value::as_f64).unwrap_or(0.0) > 0.0),
    }
}

/// The labels; where there are none, the x of the points, else their numbers from 1.
fn labels(data: &Value, rows: &[Value], datasets: &[Dataset]) -> Vec<String> {
    let wanted = datasets.iter().map(|dataset| dataset.values.len()).max().unwrap_or(0);
    let given = data.get("labels").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let first =
        rows.first().and_then(|row| row.get("data")).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    (0..wanted)
        .map(|at| {
            let label = given.get(at).and_then(words);
            let point = || first.get(at).and_then(|point| point.get("x")).and_then(words);
            label.or_else(point).unwrap_or_else(|| (at + 1).to_string())
        })
        .collect()
}

/// A number, also when it is written as text. What does not fit a picture's arithmetic is missing.
fn number(value: &Value) -> Option<f32> {
    let number = match value {
        Value::String(text) => text.trim().replace(',', "").parse::<f64>().ok()?,
        value => value.as_f64()?,
    };
    let number = number as f32;
    // Beyond this, differences and sums of numbers would no longer be finite.
    (number.is_finite() && number.abs() < 1e30).then_some(number)
}

/// A label: text, a number, or the lines of a label as a list.
fn words(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => return None,
    };
    Some(short(&text, LABEL_CHARS_MAX))
}

fn short(text: &str, chars_max: usize) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.trim();
    if text.chars().count() <= chars_max {
        text.to_owned()
    } else {
        text.chars().take(chars_max - 1).chain(['…']).collect()
    }
}

fn colors(row: &Value) -> Vec<Color> {
    let parse = |value: &Value| value.as_str().and_then(color);
    let given = ["backgroundColor", "borderColor"].iter().find_map(|key| row.get(key).filter(|value| !value.is_null()));
    match given {
        Some(Value::Array(list)) => list.iter().map_while(parse).collect(),
        Some(one) => parse(one).into_iter().collect(),
        None => Vec::new(),
    }
}

/// A colour as CSS writes it. Fills of charts are often half transparent; a picture needs them solid to be seen.
fn color(text: &str) -> Option<Color> {
    const NAMES: [(&str, &str); 16] = [
        ("red", "#e53935"),
        ("orange", "#fb8c00"),
        ("yellow", "#fdd835"),
        ("green", "#43a047"),
        ("blue", "#1e88e5"),
        ("purple", "#8e24aa"),
        ("pink", "#ec407a"),
        ("brown", "#6d4c41"),
        ("teal", "#00897b"),
        ("cyan", "#00acc1"),
        ("black", "#000000"),
        ("gray", "#808080"),
        ("grey", "#808080"),
        ("gold", "#ffd700"),
        ("navy", "#000080"),
        ("lime", "#7cb342"),
    ];
    let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim())).map(|(_, hex)| *hex);
    let compact: String = named.unwrap_or(text).chars().filter(|c| !c.is_whitespace()).collect();
    Color::parse(&compact).filter(|color| color.a > 0).map(|color| color.with_alpha(255))
}

/// The title: `options.plugins.title` since version 3, `options.title` before.
fn title(options: &Value) -> Option<String> {
    let title = options.pointer("/plugins/title").or_else(|| options.get("title"))?;
    if title.get("display").is_some_and(|display| display == false) {
        return None;
    }
    let text = title.get("text").unwrap_or(title);
    let text = match text {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        text => text.as_str()?.to_owned(),
    };
    Some(short(&text, TITLE_CHARS_MAX))
}

fn legend(options: &Value) -> Option<bool> {
    options.pointer("/plugins/legend/display").or_else(|| options.pointer("/legend/display"))?.as_bool()
}

/// The options of the axis on which places (`x`) or values (`y`) are shown: `scales.x` since version 3, the first of
/// `scales.xAxes` before. Lying bars have their places on the upright axis.
fn axis<'a>(options: &'a Value, kind: Kind, name: &str) -> Option<&'a Value> {
    let name = match (kind, name) {
        (Kind::HorizontalBar, "x") => "y",
        (Kind::HorizontalBar, _) => "x",
        (_, name) => name,
    };
    let scales = options.get("scales")?;
    scales.get(name).or_else(|| scales.get(format!("{name}Axes"))?.get(0))
}

fn axis_title(axis: &Value) -> Option<String> {
    let title = axis.pointer("/title/text").or_else(|| axis.pointer("/scaleLabel/labelString"))?.as_str()?;
    let title = short(title, LABEL_CHARS_MAX);
    (!title.is_empty()).then_some(title)
}

fn bound(axis: &Value, name: &str) -> Option<f32> {
    let given = axis.get(name).or_else(|| axis.get("ticks")?.get(name));
    let from_zero = || {
        let zero = axis.get("beginAtZero").or_else(|| axis.get("ticks")?.get("beginAtZero"))? == true;
        (zero && name == "min").then_some(0.0)
    };
    given.and_then(number).or_else(from_zero)
}

fn stacked(options: &Value) -> bool {
    let on = |axis: &Value| axis.get("stacked").is_some_and(|stacked| stacked == true);
    ["x", "y"].iter().any(|name| axis(options, Kind::Bar, name).is_some_and(on))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values(plan: &Plan) -> Vec<Vec<Option<f32>>> {
        plan.datasets.iter().map(|dataset| dataset.values.clone()).collect()
    }

    #[test]
    fn types_by_their_names() {
        let of = |kind: &str, options: Value| {
            let data = json!({"labels": ["a", "b", "c"], "datasets": [{"data": [1, 2, 3]}]});
            read(&json!({"type": kind, "data": data, "options": options})).map(|plan| plan.kind)
        };
        for (kind, options, want) in [
            ("bar", json!({}), Kind::Bar),
            ("BAR", json!({}), Kind::Bar),
            ("bar", json!({"indexAxis": "y"}), Kind::HorizontalBar),
            ("horizontalBar", json!({}), Kind::HorizontalBar),
            ("line", json!({"indexAxis": "x"}), Kind::Line),
            ("polarArea", json!({}), Kind::PolarArea),
        ] {
            assert_eq!(of(kind, options), Ok(want), "{kind}");
        }
        let error = of("bubble", json!({})).unwrap_err();
        assert!(error.contains("\"bubble\"") && error.contains("polarArea"), "{error}");
        assert!(of("", json!({})).is_err());
    }

    #[test]
    fn numbers_and_points_in_every_form() {
        let plan = read(&json!({"type": "line", "data": {"datasets": [
            {"label": "A", "data": [1, "2.5", null, "x", {"x": "May", "y": 4}, 1e300, "1,000"]},
            {"data": []}
        ]}}))
        .unwrap();
        let first = vec![Some(1.0), Some(2.5), None, None, Some(4.0), None, Some(1000.0)];
        assert_eq!(values(&plan), [first, vec![]]);
        assert_eq!(plan.labels, ["1", "2", "3", "4", "May", "6", "7"]);
        assert_eq!(plan.datasets[1].name, "Series 2");
        let plan = read(&json!({"type": "scatter", "data": {"datasets": [
            {"data": [{"x": 1, "y": 2}, {"x": 3}, {"x": "4", "y": 5}, 6]}
        ]}}))
        .unwrap();
        assert_eq!(values(&plan), [vec![Some(1.0), Some(2.0), Some(4.0), Some(5.0)]]);
    }

    #[test]
    fn options_of_old_and_new_versions() {
        let data = json!({"labels": [2024, ["two", "lines"]], "datasets": [{"label": "A", "data": [1, 2]}]});
        let new = json!({"type": "bar", "data": data, "options": {
            "plugins": {"title": {"text": ["Sales", "2026"]}, "legend": {"display": false}},
            "scales": {"x": {"title": {"text": "Year"}, "stacked": true}, "y": {"title": {"text": "EUR"}, "min": -5, "max": "9"}}
        }});
        let old = json!({"type": "bar", "data": data, "options": {
            "title": {"text": "Sales 2026"}, "legend": {"display": false},
            "scales": {"xAxes": [{"scaleLabel": {"labelString": "Year"}, "stacked": true}],
                       "yAxes": [{"scaleLabel": {"labelString": "EUR"}, "ticks": {"min": -5, "max": 9}}]}
        }});
        let plan = read(&new).unwrap();
        assert_eq!(read(&old).unwrap(), plan);
        assert_eq!((plan.title.as_str(), plan.legend, plan.stacked), ("Sales 2026", false, true));
        assert_eq!((plan.x_title.as_deref(), plan.y_title.as_deref()), (Some("Year"), Some("EUR")));
        assert_eq!((plan.y_min, plan.y_max), (Some(-5.0), Some(9.0)));
        assert_eq!(plan.labels, ["2024", "two lines"]);
        let mut lying = new.clone();
        lying["options"]["indexAxis"] = "y".into();
        assert_eq!(read(&lying).unwrap().x_title.as_deref(), Some("EUR"), "places are on the upright axis");
    }

    #[test]
    fn colors_as_css_writes_them() {
        for (given, want) in [
            (json!("#ff0000"), vec![Color { r: 255, g: 0, b: 0, a: 255 }]),
            (json!("rgba(1, 2, 3, 0.5)"), vec![Color { r: 1, g: 2, b: 3, a: 255 }]),
            (json!("rgb(1,2,3)"), vec![Color { r: 1, g: 2, b: 3, a: 255 }]),
            (json!(["#fff", "#000"]), vec![Color::white(), Color::black()]),
            (json!("url(#x)"), vec![]),
            (json!("transparent"), vec![]),
            (json!(5), vec![]),
        ] {
            assert_eq!(colors(&json!({ "backgroundColor": given })), want, "{given}");
        }
        assert_eq!(colors(&json!({"backgroundColor": "Blue"})).len(), 1);
    }

    #[test]
    fn what_cannot_be_painted_is_explained() {
        let many = vec![json!({"data": [1]}); DATASETS_MAX + 1];
        let long = vec![1; POINTS_MAX + 1];
        for (config, want) in [
            (json!({"type": "bar"}), "no data"),
            (json!({"type": "bar", "data": {"datasets": []}}), "no data"),
            (json!({"type": "bar", "data": {"datasets": {}}}), "no data"),
            (json!({"type": "bar", "data": {"datasets": [{"data": ["x", null]}]}}), "no numbers"),
            (json!({"type": "bar", "data": {"datasets": [5]}}), "no numbers"),
            (json!({"type": "radar", "data": {"datasets": [{"data": [1, 2]}]}}), "three labels"),
            (json!({"type": "bar", "data": {"datasets": many}}), "at most 40 datasets"),
            (json!({"type": "bar", "data": {"datasets": [{"data": long}]}}), "10001 points"),
            (json!([]), "cannot be painted"),
        ] {
            let error = read(&config).unwrap_err();
            assert!(error.contains(want), "{error}");
        }
    }
}
