//! Maps without a key: places from OpenStreetMap's Nominatim, routes from OSRM.
//!
//! Both are run by volunteers: requests name the engine, and Nominatim gets at most one a second (its usage policy).

use super::http::{Fetch, Http};
use super::web_settings::WebSettingsNow;
use actors::ports::{Directions, DirectionsStep, Maps, Place, WebError};
use futures::future::{BoxFuture, FutureExt};
use serde_json::Value;
use std::sync::{Arc, Mutex};
use tokio::time::{Duration, Instant, sleep_until};
use url::Url;

const NOMINATIM: &str = "OpenStreetMap";
const OSRM: &str = "The route service";
/// Nominatim's usage policy: one request a second at most.
const NOMINATIM_GAP: Duration = Duration::from_secs(1);
/// Steps of a route that are told (contract tools.tsv, maps_directions).
const STEPS_MAX: usize = 30;

/// Places and routes.
#[derive(Clone)]
pub struct OpenStreetMaps {
    http: Http,
    settings: WebSettingsNow,
    pace: Arc<Pace>,
}

/// Lets callers through one by one with a gap between them.
struct Pace {
    gap: Duration,
    next: Mutex<Option<Instant>>,
}

impl Pace {
    fn new(gap: Duration) -> Self {
        Self { gap, next: Mutex::new(None) }
    }

    async fn turn(&self) {
        sleep_until(self.reserve(Instant::now())).await;
    }

    /// The next free moment from `now` on; it is taken then.
    fn reserve(&self, now: Instant) -> Instant {
        // A thread that panicked while holding it left a moment behind, which is as good as any.
        let mut next = self.next.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mine = next.unwrap_or(now).max(now);
        *next = Some(mine + self.gap);
        mine
    }
}

/// How a way is travelled: which router knows it and what it is called there.
struct Route {
    service: &'static str,
    usual: &'static str,
    profile: &'static str,
}

/// The router of a mode. Nobody routes public transport without a key: the way by car is given instead, with a note.
fn route_of(mode: &str) -> Route {
    match mode {
        "walking" => {
            Route { service: "osrm_walking", usual: "https://routing.openstreetmap.de/routed-foot", profile: "foot" }
        }
        "bicycling" => {
            Route { service: "osrm_bicycling", usual: "https://routing.openstreetmap.de/routed-bike", profile: "bike" }
        }
        _ => Route { service: "osrm", usual: "https://router.project-osrm.org", profile: "driving" },
    }
}

impl OpenStreetMaps {
    pub fn new(http: Http, settings: WebSettingsNow) -> Self {
        Self { http, settings, pace: Arc::new(Pace::new(NOMINATIM_GAP)) }
    }

    async fn find(&self, query: &str, results_max: usize) -> Result<Vec<Place>, WebError> {
        let bases = (self.settings)().bases;
        let usual = "https://nominatim.openstreetmap.org";
        let endpoint = bases.endpoint("nominatim", usual, "/search").ok_or_else(|| unread(NOMINATIM))?;
        if endpoint.trusted.is_empty() {
            self.pace.turn().await;
        }
        let fetch = Fetch::service(endpoint)
            .query("q", query)
            .query("format", "jsonv2")
            .query("limit", &results_max.to_string());
        let answer = self.http.json(fetch, NOMINATIM).await?;
        let rows = answer.as_array().ok_or_else(|| unread(NOMINATIM))?;
        Ok(rows.iter().filter_map(place).take(results_max).collect())
    }

    async fn spot(&self, text: &str) -> Result<Place, WebError> {
        if let Some(place) = coordinates(text) {
            return Ok(place);
        }
        let found = self.find(text, 1).await?.into_iter().next();
        found.ok_or_else(|| WebError(format!("No place called \"{text}\" was found. Add its town or country.")))
    }

    async fn way(self, origin: String, destination: String, mode: String) -> Result<Directions, WebError> {
        let from = self.spot(&origin).await?;
        let to = self.spot(&destination).await?;
        let route = route_of(&mode);
        let path = format!(
            "/route/v1/{}/{},{};{},{}",
            route.profile, from.longitude, from.latitude, to.longitude, to.latitude
        );
        let bases = (self.settings)().bases;
        let endpoint = bases.endpoint(route.service, route.usual, &path).ok_or_else(|| unread(OSRM))?;
        let fetch = Fetch::service(endpoint).query("overview", "false").query("steps", "true");
        let fetched = self.http.get(fetch).await.map_err(|error| WebError(error.sentence(OSRM)))?;
        let answer: Option<Value> = serde_json::from_slice(&fetched.body).ok();
        // OSRM tells with status 400 that there is no way.
        if answer
            .as_ref()
            .and_then(|answer| answer.get("code"))
            .is_some_and(|code| code == "NoRoute" || code == "NoSegment")
        {
            return Err(WebError(format!("No way from {} to {} was found.", from.name, to.name)));
        }
        if !fetched.is_success() {
            return Err(WebError(super::http::status_sentence(OSRM, fetched.status)));
        }
        directions(&answer.unwrap_or_default(), &from, &to, &mode).ok_or_else(|| unread(OSRM))
    }
}

impl Maps for OpenStreetMaps {
    fn places(&self, query: String, results_max: usize) -> BoxFuture<'static, Result<(String, Vec<Place>), WebError>> {
        let maps = self.clone();
        async move { Ok(("openstreetmap".to_owned(), maps.find(&query, results_max).await?)) }.boxed()
    }

    fn directions(
        &self,
        origin: String,
        destination: String,
        mode: String,
    ) -> BoxFuture<'static, Result<Directions, WebError>> {
        self.clone().way(origin, destination, mode).boxed()
    }
}

fn unread(who: &str) -> WebError {
    WebError(format!("{who} answered something that could not be read. Try again later."))
}

/// One row of Nominatim's answer; it writes coordinates as text.
fn place(row: &Value) -> Option<Place> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| row.get(name).and_then(|value| value.as_f64().or_else(|| value.as_str()?.parse().ok()));
    let address = text("display_name");
    let short = address.split(',').next().unwrap_or_default();
    let name = if text("name").is_empty() { short } else { text("name") };
    let (latitude, longitude) = (number("lat")?, number("lon")?);
    let kind = [text("addresstype"), text("type")]
        .into_iter()
        .find(|kind| !kind.is_empty())
        .map(|kind| kind.replace('_', " "));
    let url = match (text("osm_type"), row.get("osm_id").and_then(Value::as_u64)) {
        (kind @ ("node" | "way" | "relation"), Some(id)) => format!("https://www.openstreetmap.org/{kind}/{id}"),
        _ => format!("https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=16/{latitude}/{longitude}"),
    };
    Some(Place { name: name.to_owned(), address: address.to_owned(), latitude, longitude, kind, rating: None, url })
}

/// Reads `18.52, 73.86` as a place.
fn coordinates(text: &str) -> Option<Place> {
    let (latitude, longitude) = text.split_once(',')?;
    let (latitude, longitude) = (latitude.trim().parse::<f64>().ok()?, longitude.trim().parse::<f64>().ok()?);
    let real = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
    let name = format!("{latitude}, {longitude}");
    real.then(|| Place { address: name.clone(), name, latitude, longitude, ..Place::default() })
}

/// The result from OSRM's answer.
fn directions(answer: &Value, from: &Place, to: &Place, mode: &str) -> Option<Directions> {
    let route = answer.get("routes")?.get(0)?;
    let legs = route.get("legs")?.as_array()?;
    let steps = legs.iter().filter_map(|leg| leg.get("steps")?.as_array()).flatten();
    let mut steps: Vec<DirectionsStep> = steps.map(step).collect();
    let left_out = steps.len().saturating_sub(STEPS_MAX);
    steps.truncate(STEPS_MAX);
    let note = match (mode, left_out) {
        ("transit", _) => Some(
            "Public transport is not known here: this is the way by car. The map address shows connections.".to_owned(),
        ),
        (_, 0) => None,
        (_, more) => Some(format!("{more} more steps follow; the map address shows all of them.")),
    };
    let label = |place: &Place| if place.address.is_empty() { place.name.clone() } else { place.address.clone() };
    Some(Directions {
        provider: "openstreetmap".to_owned(),
        mode: mode.to_owned(),
        from: label(from),
        to: label(to),
        distance: distance(route.get("distance")?.as_f64()?),
        duration: duration(route.get("duration")?.as_f64()?),
        steps,
        map_url: map_url(from, to, mode),
        note,
    })
}

/// Where the way can be seen. OpenStreetMap has no public transport, so that mode gets Google's map, which needs no key
/// to be looked at.
fn map_url(from: &Place, to: &Place, mode: &str) -> Option<String> {
    let (from, to) = (format!("{},{}", from.latitude, from.longitude), format!("{},{}", to.latitude, to.longitude));
    let pairs = if mode == "transit" {
        let base = "https://www.google.com/maps/dir/";
        return Url::parse_with_params(
            base,
            [("api", "1"), ("origin", &from), ("destination", &to), ("travelmode", "transit")],
        )
        .ok()
        .map(String::from);
    } else {
        let engine = match mode {
            "walking" => "fossgis_osrm_foot",
            "bicycling" => "fossgis_osrm_bike",
            _ => "fossgis_osrm_car",
        };
        [("engine", engine.to_owned()), ("route", format!("{from};{to}"))]
    };
    Url::parse_with_params("https://www.openstreetmap.org/directions", pairs).ok().map(String::from)
}

/// One manoeuvre in words (OSRM HTTP API, StepManeuver).
fn step(step: &Value) -> DirectionsStep {
    let text = |path: &str| step.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (modifier, name) = (text("/maneuver/modifier"), text("/name"));
    let road = if name.is_empty() { text("/ref") } else { name };
    let side = if modifier == "uturn" { "around" } else { modifier };
    let (act, joint) = match text("/maneuver/type") {
        "depart" => ("Start".to_owned(), "on"),
        "arrive" => ("Arrive".to_owned(), "at"),
        "turn" | "end of road" if side == "straight" => ("Go straight on".to_owned(), "along"),
        "turn" | "end of road" => (format!("Turn {side}"), "onto"),
        "fork" => (format!("Keep {}", side.trim_start_matches("slight ")), "onto"),
        "merge" => (format!("Merge {side}"), "onto"),
        "on ramp" => (format!("Take the ramp {side}"), "onto"),
        "off ramp" => (format!("Take the exit {side}"), "onto"),
        "roundabout" | "rotary" => match step.pointer("/maneuver/exit").and_then(Value::as_u64) {
            Some(exit) => (format!("Take exit {exit} of the roundabout"), "onto"),
            None => ("Enter the roundabout".to_owned(), "towards"),
        },
        "exit roundabout" | "exit rotary" => ("Leave the roundabout".to_owned(), "onto"),
        _ => ("Go on".to_owned(), "along"),
    };
    let act = act.trim_end();
    let instruction = if road.is_empty() { act.to_owned() } else { format!("{act} {joint} {road}") };
    DirectionsStep { instruction, distance: distance(step.get("distance").and_then(Value::as_f64).unwrap_or(0.0)) }
}

/// Metres for people: `80 m`, `1.2 km`, `340 km`.
fn distance(metres: f64) -> String {
    match metres {
        m if m < 1_000.0 => format!("{:.0} m", (m / 10.0).round() * 10.0),
        m if m < 100_000.0 => format!("{:.1} km", m / 1_000.0),
        m => format!("{:.0} km", m / 1_000.0),
    }
}

/// Seconds for people: `4 min`, `2 h 5 min`.
fn duration(seconds: f64) -> String {
    // A cast from f64 saturates.
    let minutes = ((seconds / 60.0).round() as u64).max(1);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests;
