//! Draws a plan as SVG with charts-rs.

use super::plan::{Dataset, Kind, Plan};
use charts_rs::{
    BarChart, ChartBase, Color, HorizontalBarChart, LineChart, PieChart, RadarChart, RadarIndicator, ScatterChart,
    Series, SeriesCategory, YAxisConfig,
};

/// Room around a chart, in pixels.
const MARGIN: f32 = 12.0;
/// The colours of datasets and slices that name none; told apart in grey and by people who see no red or green
/// (after Okabe and Ito, 2008, without black).
const PALETTE: [(u8, u8, u8); 8] = [
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
    (120, 94, 240),
    (150, 140, 60),
];

/// The picture as SVG; `None` when the library cannot draw it.
pub(super) fn svg(plan: &Plan, width: u32, height: u32) -> Option<String> {
    let size = (width as f32, height as f32);
    match plan.kind {
        Kind::Bar => {
            let mut chart = BarChart::new(series(plan), plan.labels.clone());
            dress(&mut chart.base, plan, size);
            scale(&mut chart.y_axis_configs, plan);
            chart.svg().ok()
        }
        Kind::HorizontalBar => {
            let mut chart = HorizontalBarChart::new(series(plan), plan.labels.clone());
            dress(&mut chart.base, plan, size);
            scale(&mut chart.y_axis_configs, plan);
            chart.svg().ok()
        }
        Kind::Line => {
            let mut chart = LineChart::new(series(plan), plan.labels.clone());
            dress(&mut chart.base, plan, size);
            scale(&mut chart.y_axis_configs, plan);
            chart.svg().ok()
        }
        Kind::Pie | Kind::Doughnut | Kind::PolarArea => {
            let mut chart = PieChart::new(slices(plan));
            dress(&mut chart.base, plan, size);
            chart.series.colors = slice_colors(plan);
            let radius = size.0.min(size.1) * 0.36;
            chart.radius = radius;
            chart.inner_radius = if plan.kind == Kind::Doughnut { radius * 0.5 } else { 0.0 };
            chart.rose_type = Some(plan.kind == Kind::PolarArea);
            chart.svg().ok()
        }
        Kind::Radar => {
            let mut chart = RadarChart::new(series(plan), indicators(plan));
            dress(&mut chart.base, plan, size);
            chart.svg().ok()
        }
        Kind::Scatter => {
            let mut chart = ScatterChart::new(series(plan));
            dress(&mut chart.base, plan, size);
            scale(&mut chart.y_axis_configs, plan);
            chart.series_symbol_sizes = vec![5.0; plan.datasets.len()];
            chart.svg().ok()
        }
    }
}

/// What all charts share: size, title, legend, colours.
fn dress(base: &mut ChartBase, plan: &Plan, (width, height): (f32, f32)) {
    base.width = width;
    base.height = height;
    base.margin = MARGIN.into();
    base.background_color = Color::white();
    base.title.text = plan.title.clone();
    base.legend.show = Some(plan.legend);
    if !plan.title.is_empty() {
        // Below the title, not beside it.
        base.legend.margin = Some((0.0, 0.0, 0.0, 0.0).into());
        if let Some(margin) = base.legend.margin.as_mut() {
            margin.top = base.title.height.max(28.0);
            margin.bottom = 8.0;
        }
    }
    base.x_axis.title = plan.x_title.clone().unwrap_or_default();
    base.series.colors = dataset_colors(&plan.datasets);
}

/// The axis of the values.
fn scale(axes: &mut Vec<YAxisConfig>, plan: &Plan) {
    if axes.is_empty() {
        axes.push(YAxisConfig::default());
    }
    let axis = &mut axes[0];
    axis.title = plan.y_title.clone();
    axis.min = plan.y_min;
    axis.max = plan.y_max;
}

fn palette(at: usize) -> Color {
    PALETTE[at % PALETTE.len()].into()
}

fn dataset_colors(datasets: &[Dataset]) -> Vec<Color> {
    datasets.iter().enumerate().map(|(at, dataset)| dataset.colors.first().copied().unwrap_or(palette(at))).collect()
}

fn series(plan: &Plan) -> Vec<Series> {
    let rows = plan.datasets.iter().enumerate();
    rows.map(|(at, dataset)| {
        let mut series: Series = (dataset.name.as_str(), dataset.values.clone()).into();
        series.index = Some(at);
        if dataset.colors.len() > 1 && matches!(plan.kind, Kind::Bar | Kind::HorizontalBar) {
            series.colors = Some(dataset.colors.iter().copied().map(Some).collect());
        }
        if plan.kind == Kind::Bar {
            series.category = Some(if dataset.line { SeriesCategory::Line } else { SeriesCategory::Bar });
        }
        if plan.stacked && !dataset.line && plan.kind != Kind::Scatter {
            series.stack = Some("all".to_owned());
        }
        series.smooth = Some(dataset.smooth);
        series.fill = Some(dataset.filled && plan.kind == Kind::Line);
        series
    })
    .collect()
}

/// A pie shows the first dataset, one series a slice. Slices below nothing do not exist.
fn slices(plan: &Plan) -> Vec<Series> {
    let values = plan.datasets.first().map(|dataset| dataset.values.as_slice()).unwrap_or_default();
    let rows = plan.labels.iter().zip(values).enumerate();
    rows.map(|(at, (label, value))| {
        let mut series: Series = (label.as_str(), vec![value.map(|value| value.max(0.0))]).into();
        series.index = Some(at);
        series
    })
    .collect()
}

fn slice_colors(plan: &Plan) -> Vec<Color> {
    let given = plan.datasets.first().map(|dataset| dataset.colors.as_slice()).unwrap_or_default();
    // One colour for all slices would show no slices.
    let given = if given.len() > 1 { given } else { &[] };
    (0..plan.labels.len()).map(|at| given.get(at).copied().unwrap_or_else(|| palette(at))).collect()
}

/// The axes of a radar, each up to the largest value on any of them, so that they can be compared.
fn indicators(plan: &Plan) -> Vec<RadarIndicator> {
    let all = plan.datasets.iter().flat_map(|dataset| dataset.values.iter().flatten());
    let most = all.copied().fold(0.0_f32, f32::max);
    let max = if most > 0.0 { most } else { 1.0 };
    plan.labels.iter().map(|name| RadarIndicator { name: name.clone(), min: 0.0, max }).collect()
}
