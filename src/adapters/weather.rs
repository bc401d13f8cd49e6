//! Weather from Open-Meteo, which needs no key: a place is looked up by name, then its forecast is read.

use super::http::{Fetch, Http};
use super::web_settings::WebSettingsNow;
use actors::ports::{Weather, WebError};
use futures::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value, json};

const WHO: &str = "Open-Meteo";
/// Places the lookup gives to choose from.
const PLACES_MAX: usize = 10;
/// Days the service knows.
const DAYS_MAX: u32 = 16;
const CURRENT_FIELDS: &str =
    "temperature_2m,relative_humidity_2m,apparent_temperature,is_day,precipitation,weather_code,wind_speed_10m";
const DAILY_FIELDS: &str = "weather_code,temperature_2m_max,temperature_2m_min,sunrise,sunset,precipitation_sum,\
                            precipitation_probability_max";

/// Weather now and in the coming days.
#[derive(Clone)]
pub struct OpenMeteo {
    http: Http,
    settings: WebSettingsNow,
}

/// A place with its name for people.
#[derive(Clone, Debug, PartialEq)]
struct Spot {
    name: String,
    latitude: f64,
    longitude: f64,
}

impl OpenMeteo {
    pub fn new(http: Http, settings: WebSettingsNow) -> Self {
        Self { http, settings }
    }

    async fn current_at(self, location: String) -> Result<Value, WebError> {
        let (spot, answer) = self.weather(&location, 1).await?;
        let today = days(&answer).into_iter().next().unwrap_or(Value::Null);
        Ok(json!({ "location": spot.name, "provider": "open_meteo", "current": current(&answer)?, "today": today }))
    }

    async fn forecast_at(self, location: String, wanted: u32) -> Result<Value, WebError> {
        let (spot, answer) = self.weather(&location, wanted.clamp(1, DAYS_MAX)).await?;
        let mut result = json!({
            "location": spot.name, "provider": "open_meteo", "current": current(&answer)?, "forecast": days(&answer),
        });
        if let Some(zone) = answer.get("timezone").and_then(Value::as_str) {
            result["timezone"] = zone.into();
        }
        Ok(result)
    }

    async fn weather(&self, location: &str, days: u32) -> Result<(Spot, Value), WebError> {
        let spot = match coordinates(location) {
            Some(spot) => spot,
            None => self.look_up(location).await?,
        };
        let bases = (self.settings)().bases;
        let endpoint = bases.endpoint("open_meteo", "https://api.open-meteo.com", "/v1/forecast").ok_or_else(unread)?;
        let fetch = Fetch::service(endpoint)
            .query("latitude", &spot.latitude.to_string())
            .query("longitude", &spot.longitude.to_string())
            .query("current", CURRENT_FIELDS)
            .query("daily", DAILY_FIELDS)
            .query("timezone", "auto")
            .query("forecast_days", &days.to_string());
        let answer = self.http.json(fetch, WHO).await?;
        Ok((spot, answer))
    }

    async fn look_up(&self, location: &str) -> Result<Spot, WebError> {
        let bases = (self.settings)().bases;
        let usual = "https://geocoding-api.open-meteo.com";
        let endpoint = bases.endpoint("open_meteo_geocoding", usual, "/v1/search").ok_or_else(unread)?;
        let (town, _) = split(location);
        let fetch = Fetch::service(endpoint)
            .query("name", &town)
            .query("count", &PLACES_MAX.to_string())
            .query("language", "en")
            .query("format", "json");
        let answer = self.http.json(fetch, WHO).await?;
        pick(&answer, location).ok_or_else(|| {
            WebError(format!("No place called \"{location}\" was found. Try the nearest town with its country."))
        })
    }
}

impl Weather for OpenMeteo {
    fn current(&self, location: String) -> BoxFuture<'static, Result<Value, WebError>> {
        self.clone().current_at(location).boxed()
    }

    fn forecast(&self, location: String, days: u32) -> BoxFuture<'static, Result<Value, WebError>> {
        self.clone().forecast_at(location, days).boxed()
    }
}

fn unread() -> WebError {
    WebError(format!("{WHO} answered something that could not be read. Try again later."))
}

/// `Pune, Maharashtra, India` as the town and what follows it, lower-cased: the service knows towns only.
fn split(location: &str) -> (String, Vec<String>) {
    let mut parts = location.split(',').map(str::trim).filter(|part| !part.is_empty());
    let town = parts.next().unwrap_or_default().to_owned();
    (town, parts.map(str::to_lowercase).collect())
}

/// Reads `18.52, 73.86`.
fn coordinates(location: &str) -> Option<Spot> {
    let (latitude, longitude) = location.split_once(',')?;
    let (latitude, longitude) = (latitude.trim().parse::<f64>().ok()?, longitude.trim().parse::<f64>().ok()?);
    let real = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
    real.then(|| Spot { name: format!("{latitude}, {longitude}"), latitude, longitude })
}

/// The found place that fits best what followed the town's name; the service's own order decides otherwise.
fn pick(answer: &Value, location: &str) -> Option<Spot> {
    let (_, rest) = split(location);
    let text = |row: &Value, name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let fit = |row: &Value| {
        let known =
            ["country", "country_code", "admin1", "admin2", "admin3"].map(|name| text(row, name).to_lowercase());
        rest.iter().filter(|part| known.contains(part)).count()
    };
    let rows = answer.get("results")?.as_array()?;
    // `max_by_key` gives the last of equals; reversed, that is the first.
    let best = rows.iter().rev().max_by_key(|row| fit(row))?;
    let mut names = vec![text(best, "name"), text(best, "admin1"), text(best, "country")];
    names.retain(|name| !name.is_empty());
    names.dedup();
    let (latitude, longitude) = (best.get("latitude")?.as_f64()?, best.get("longitude")?.as_f64()?);
    Some(Spot { name: names.join(", "), latitude, longitude })
}

/// The `current` part of the result.
fn current(answer: &Value) -> Result<Value, WebError> {
    let now = answer.get("current").filter(|now| now.is_object()).ok_or_else(unread)?;
    let field = |name: &str| now.get(name).cloned().unwrap_or(Value::Null);
    Ok(json!({
        "time": field("time"),
        "condition": condition(&field("weather_code")),
        "temperature_c": field("temperature_2m"),
        "feels_like_c": field("apparent_temperature"),
        "humidity_percent": field("relative_humidity_2m"),
        "precipitation_mm": field("precipitation"),
        "wind_kmh": field("wind_speed_10m"),
        "is_day": field("is_day").as_u64().map(|day| day == 1),
    }))
}

/// One row a day; the service sends one list a field.
fn days(answer: &Value) -> Vec<Value> {
    let empty = Map::new();
    let daily = answer.get("daily").and_then(Value::as_object).unwrap_or(&empty);
    let dates = daily.get("time").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let at = |name: &str, day: usize| daily.get(name).and_then(|list| list.get(day)).cloned().unwrap_or(Value::Null);
    dates
        .iter()
        .take(DAYS_MAX as usize)
        .enumerate()
        .map(|(day, date)| {
            json!({
                "date": date,
                "condition": condition(&at("weather_code", day)),
                "min_c": at("temperature_2m_min", day),
                "max_c": at("temperature_2m_max", day),
                "rain_chance_percent": at("precipitation_probability_max", day),
                "precipitation_mm": at("precipitation_sum", day),
                "sunrise": at("sunrise", day),
                "sunset": at("sunset", day),
            })
        })
        .collect()
}

/// A WMO weather interpretation code (WMO table 4677, as Open-Meteo documents it) in words.
fn condition(code: &Value) -> &'static str {
    match code.as_u64() {
        Some(0) => "Clear sky",
        Some(1) => "Mainly clear",
        Some(2) => "Partly cloudy",
        Some(3) => "Overcast",
        Some(45) => "Fog",
        Some(48) => "Freezing fog",
        Some(51) => "Light drizzle",
        Some(53) => "Drizzle",
        Some(55) => "Heavy drizzle",
        Some(56 | 57) => "Freezing drizzle",
        Some(61) => "Light rain",
        Some(63) => "Rain",
        Some(65) => "Heavy rain",
        Some(66 | 67) => "Freezing rain",
        Some(71) => "Light snow",
        Some(73) => "Snow",
        Some(75) => "Heavy snow",
        Some(77) => "Snow grains",
        Some(80) => "Light showers",
        Some(81) => "Showers",
        Some(82) => "Violent showers",
        Some(85) => "Light snow showers",
        Some(86) => "Heavy snow showers",
        Some(95) => "Thunderstorm",
        Some(96) => "Thunderstorm with light hail",
        Some(99) => "Thunderstorm with heavy hail",
        _ => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_server::{TestServer, fixed, typed};
    use super::*;
    use axum::Router;
    use axum::http::StatusCode;
    use axum::response::IntoResponse;
    use axum::routing::get;

    const PLACES: &str = r#"{"results":[
        {"name":"Paris","latitude":48.85341,"longitude":2.3488,"country_code":"FR","country":"France","admin1":"Île-de-France"},
        {"name":"Paris","latitude":33.66094,"longitude":-95.55551,"country_code":"US","country":"United States","admin1":"Texas"},
        {"name":"Paris","latitude":38.2098,"longitude":-84.25299,"country_code":"US","country":"United States","admin1":"Kentucky"}]}"#;

    const FORECAST: &str = r#"{"latitude":48.86,"longitude":2.36,"timezone":"Europe/Paris",
        "current":{"time":"2026-10-10T11:00","temperature_2m":14.2,"relative_humidity_2m":71,"apparent_temperature":13.1,
          "is_day":1,"precipitation":0.1,"weather_code":61,"wind_speed_10m":9.7},
        "daily":{"time":["2026-10-10","2026-10-11"],"weather_code":[3,95],"temperature_2m_max":[16.0,15.1],
          "temperature_2m_min":[9.4,8.8],"sunrise":["2026-10-10T08:03","2026-10-11T08:05"],
          "sunset":["2026-10-10T19:09","2026-10-11T19:07"],"precipitation_sum":[0.4,12.0],
          "precipitation_probability_max":[35,null]}}"#;

    async fn server() -> TestServer {
        let router = Router::new()
            .route("/v1/search", get(|| async { typed("application/json", PLACES) }))
            .route("/v1/forecast", get(|| async { typed("application/json", FORECAST) }));
        TestServer::start(router).await
    }

    fn weather(server: &TestServer) -> OpenMeteo {
        let settings = server.settings(&["open_meteo", "open_meteo_geocoding"]);
        OpenMeteo::new(Http::new().unwrap(), fixed(settings))
    }

    #[test]
    fn the_right_one_of_several_places_is_picked() {
        let answer: Value = serde_json::from_str(PLACES).unwrap();
        for (location, want) in [
            ("Paris", "Paris, Île-de-France, France"),
            ("Paris, France", "Paris, Île-de-France, France"),
            ("paris, texas", "Paris, Texas, United States"),
            ("Paris, US", "Paris, Texas, United States"),
            ("Paris, Kentucky, US", "Paris, Kentucky, United States"),
            ("Paris, Atlantis", "Paris, Île-de-France, France"),
        ] {
            assert_eq!(pick(&answer, location).unwrap().name, want, "{location}");
        }
        for odd in [json!({}), json!({"results": []}), json!({"results": [{"name": "X"}]}), json!(null)] {
            assert_eq!(pick(&odd, "X"), None, "{odd}");
        }
    }

    #[test]
    fn coordinates_are_read_as_such() {
        for (text, want) in [
            ("18.52, 73.86", Some((18.52, 73.86))),
            ("-33.9,151.2", Some((-33.9, 151.2))),
            ("91, 0", None),
            ("NaN, 0", None),
            ("Pune, India", None),
            ("12", None),
        ] {
            assert_eq!(coordinates(text).map(|spot| (spot.latitude, spot.longitude)), want, "{text}");
        }
    }

    #[tokio::test]
    async fn weather_now_has_the_contracts_shape() {
        let server = server().await;
        let got = weather(&server).current("Paris, Texas".to_owned()).await.unwrap();
        let want = json!({
            "location": "Paris, Texas, United States", "provider": "open_meteo",
            "current": {"time": "2026-10-10T11:00", "condition": "Light rain", "temperature_c": 14.2,
                "feels_like_c": 13.1, "humidity_percent": 71, "precipitation_mm": 0.1, "wind_kmh": 9.7, "is_day": true},
            "today": {"date": "2026-10-10", "condition": "Overcast", "min_c": 9.4, "max_c": 16.0,
                "rain_chance_percent": 35, "precipitation_mm": 0.4, "sunrise": "2026-10-10T08:03",
                "sunset": "2026-10-10T19:09"}
        });
        assert_eq!(got, want);
        let asked = server.asked();
        assert!(asked[0].starts_with("/v1/search?name=Paris&"), "{asked:?}");
        assert!(asked[1].contains("latitude=33.66094&longitude=-95.55551") && asked[1].contains("forecast_days=1"));
    }

    #[tokio::test]
    async fn a_forecast_has_a_row_a_day() {
        let server = server().await;
        let got = weather(&server).forecast("48.85,2.35".to_owned(), 99).await.unwrap();
        assert_eq!((&got["timezone"], &got["location"]), (&json!("Europe/Paris"), &json!("48.85, 2.35")));
        let rows = got["forecast"].as_array().unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!((&rows[1]["condition"], &rows[1]["rain_chance_percent"]), (&json!("Thunderstorm"), &json!(null)));
        assert_eq!(server.asked().len(), 1, "coordinates need no lookup");
        assert!(server.asked()[0].contains("forecast_days=16"));
    }

    #[tokio::test]
    async fn failures_are_plain_sentences() {
        for (status, body, want) in [
            (StatusCode::OK, "{", "Open-Meteo answered something that could not be read. Try again later."),
            (StatusCode::OK, "{}", "No place called \"Nowhere\" was found. Try the nearest town with its country."),
            (
                StatusCode::TOO_MANY_REQUESTS,
                "",
                "Open-Meteo is getting too many requests right now (error 429). Try again in a few minutes.",
            ),
            (StatusCode::BAD_GATEWAY, "x", "Open-Meteo has a problem right now (error 502). Try again later."),
        ] {
            let router = Router::new().fallback(move || async move { (status, body).into_response() });
            let server = TestServer::start(router).await;
            assert_eq!(weather(&server).current("Nowhere".to_owned()).await.unwrap_err().0, want);
        }
    }
}
