//! Paints charts on this computer: a Chart.js configuration is read into a plan, drawn as SVG and turned into a PNG.
//!
//! The configuration comes from a model, so nothing in it may load a file or an address, and its size is limited. The
//! font is part of the program (Roboto, Apache-2.0, from charts-rs): the same picture comes out on every computer.

mod draw;
mod plan;

use actors::ports::{Charts, WebError};
use futures::future::{BoxFuture, FutureExt};
use resvg::{tiny_skia, usvg};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{Duration, timeout};

/// Pixels of a picture's sides.
pub const SIDE_PIXELS_MIN: u32 = 100;
pub const SIDE_PIXELS_MAX: u32 = 2_000;
/// Pictures painted at the same time.
const PAINTERS_MAX: usize = 2;
const PAINT_TIMEOUT: Duration = Duration::from_secs(20);

/// Paints charts. Cheap to clone.
#[derive(Clone)]
pub struct ChartPainter {
    fonts: Arc<usvg::fontdb::Database>,
    places: Arc<Semaphore>,
}

impl Default for ChartPainter {
    fn default() -> Self {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(charts_rs::DEFAULT_FONT_DATA.to_vec());
        Self { fonts: Arc::new(fonts), places: Arc::new(Semaphore::new(PAINTERS_MAX)) }
    }
}

impl Charts for ChartPainter {
    fn paint(&self, config: Value, width: u32, height: u32) -> BoxFuture<'static, Result<Vec<u8>, WebError>> {
        let painter = self.clone();
        async move { painter.picture(config, width, height).await }.boxed()
    }
}

impl ChartPainter {
    /// The PNG. The work is done on a thread of its own; a place stays taken until it is over.
    async fn picture(self, config: Value, width: u32, height: u32) -> Result<Vec<u8>, WebError> {
        let sides = SIDE_PIXELS_MIN..=SIDE_PIXELS_MAX;
        if !sides.contains(&width) || !sides.contains(&height) {
            let message = format!("A chart is {SIDE_PIXELS_MIN} to {SIDE_PIXELS_MAX} pixels wide and high.");
            return Err(WebError(message));
        }
        let plan = plan::read(&config).map_err(WebError)?;
        let paint = async {
            let place = self.places.clone().acquire_owned().await.map_err(|_| failed())?;
            let fonts = self.fonts.clone();
            let work = spawn_blocking(move || {
                let picture = draw::svg(&plan, width, height).and_then(|svg| png(&svg, fonts, width, height));
                drop(place);
                picture
            });
            work.await.ok().flatten().ok_or_else(failed)
        };
        let slow = |_| WebError("This chart takes too long to paint. Use fewer points.".to_owned());
        timeout(PAINT_TIMEOUT, paint).await.map_err(slow)?
    }
}

fn failed() -> WebError {
    WebError("This chart could not be painted. Check that its numbers and labels fit together.".to_owned())
}

/// Turns SVG into PNG. References to pictures, in files or inside the SVG, are not followed.
fn png(svg: &str, fonts: Arc<usvg::fontdb::Database>, width: u32, height: u32) -> Option<Vec<u8>> {
    let options = usvg::Options {
        fontdb: fonts,
        font_family: charts_rs::DEFAULT_FONT_FAMILY.to_owned(),
        image_href_resolver: usvg::ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(svg, &options).ok()?;
    let mut picture = tiny_skia::Pixmap::new(width, height)?;
    picture.fill(tiny_skia::Color::WHITE);
    let size = tree.size();
    let scale = tiny_skia::Transform::from_scale(width as f32 / size.width(), height as f32 / size.height());
    resvg::render(&tree, scale, &mut picture.as_mut());
    picture.encode_png().ok()
}

#[cfg(test)]
mod tests;
