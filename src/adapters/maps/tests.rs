//! Maps against a small server on loopback: places, routes, and services that fail.

use super::super::test_server::{TestServer, fixed, typed};
use super::*;
use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::json;

const OSLO: &str = r#"[{"place_id":1,"osm_type":"relation","osm_id":406091,"lat":"59.9133301","lon":"10.7389701",
    "category":"boundary","type":"administrative","addresstype":"city","name":"Oslo","display_name":"Oslo, Norway"},
    {"lat":"60.0","lon":"x","display_name":"broken"},
    {"lat":"61.5","lon":"11.5","type":"coffee_shop","name":"","display_name":"Kaffe, Storgata 1, Oslo"}]"#;

fn route() -> Value {
    json!({"code": "Ok", "routes": [{"distance": 12_345.6, "duration": 7_500.0, "legs": [{"steps": [
        {"distance": 84.0, "name": "Storgata", "maneuver": {"type": "depart", "modifier": "left"}},
        {"distance": 1_200.0, "name": "", "ref": "E18", "maneuver": {"type": "turn", "modifier": "slight right"}},
        {"distance": 10.0, "name": "Ring", "maneuver": {"type": "roundabout", "exit": 2, "modifier": "right"}},
        {"distance": 0.0, "name": "", "maneuver": {"type": "arrive"}}
    ]}]}]})
}

fn maps(server: &TestServer) -> OpenStreetMaps {
    let settings = server.settings(&["nominatim", "osrm", "osrm_walking", "osrm_bicycling"]);
    OpenStreetMaps::new(Http::new().unwrap(), fixed(settings))
}

async fn server(route: Value) -> TestServer {
    let ways = get(move || async move { typed("application/json", route.to_string()) });
    let router = Router::new()
        .route("/search", get(|| async { typed("application/json", OSLO) }))
        .route("/route/v1/{profile}/{points}", ways);
    TestServer::start(router).await
}

#[tokio::test]
async fn places_have_names_addresses_and_a_map() {
    let server = server(route()).await;
    let (provider, places) = maps(&server).places("Oslo".to_owned(), 5).await.unwrap();
    assert_eq!(provider, "openstreetmap");
    let want = json!([
        {"name": "Oslo", "address": "Oslo, Norway", "latitude": 59.9133301, "longitude": 10.7389701, "type": "city",
         "url": "https://www.openstreetmap.org/relation/406091"},
        {"name": "Kaffe", "address": "Kaffe, Storgata 1, Oslo", "latitude": 61.5, "longitude": 11.5,
         "type": "coffee shop", "url": "https://www.openstreetmap.org/?mlat=61.5&mlon=11.5#map=16/61.5/11.5"}
    ]);
    assert_eq!(serde_json::to_value(&places).unwrap(), want);
    assert_eq!(server.asked(), ["/search?q=Oslo&format=jsonv2&limit=5"]);
}

#[tokio::test]
async fn a_way_in_each_mode() {
    for (mode, path, noted) in [
        ("driving", "/route/v1/driving/10.7389701,59.9133301;10.5,59.5?overview=false&steps=true", false),
        ("walking", "/route/v1/foot/10.7389701,59.9133301;10.5,59.5?overview=false&steps=true", false),
        ("bicycling", "/route/v1/bike/10.7389701,59.9133301;10.5,59.5?overview=false&steps=true", false),
        ("transit", "/route/v1/driving/10.7389701,59.9133301;10.5,59.5?overview=false&steps=true", true),
    ] {
        let server = server(route()).await;
        let way = maps(&server).directions("Oslo".to_owned(), "59.5, 10.5".to_owned(), mode.to_owned()).await.unwrap();
        assert_eq!((way.mode.as_str(), way.note.is_some()), (mode, noted));
        assert_eq!((way.from.as_str(), way.to.as_str()), ("Oslo, Norway", "59.5, 10.5"));
        assert_eq!((way.distance.as_str(), way.duration.as_str()), ("12.3 km", "2 h 5 min"));
        let steps: Vec<_> = way.steps.iter().map(|s| (s.instruction.as_str(), s.distance.as_str())).collect();
        let want = [
            ("Start on Storgata", "80 m"),
            ("Turn slight right onto E18", "1.2 km"),
            ("Take exit 2 of the roundabout onto Ring", "10 m"),
            ("Arrive", "0 m"),
        ];
        assert_eq!(steps, want);
        assert_eq!(way.map_url.is_some_and(|url| url.contains("google")), mode == "transit");
        assert_eq!(server.asked()[1], path);
    }
}

#[tokio::test]
async fn long_ways_are_cut_and_say_so() {
    let mut long = route();
    let steps = vec![json!({"distance": 5.0, "name": "A", "maneuver": {"type": "continue"}}); STEPS_MAX + 7];
    long["routes"][0]["legs"][0]["steps"] = steps.into();
    let server = server(long).await;
    let way = maps(&server).directions("1,1".to_owned(), "2,2".to_owned(), "driving".to_owned()).await.unwrap();
    assert_eq!(way.steps.len(), STEPS_MAX);
    assert!(way.note.is_some_and(|note| note.starts_with("7 more steps")));
}

#[tokio::test]
async fn no_place_no_way_and_a_broken_service_are_told_apart() {
    for (search, status, route, want) in [
        ("[]", StatusCode::OK, "", "No place called \"A\" was found. Add its town or country."),
        ("{", StatusCode::OK, "", "OpenStreetMap answered something that could not be read. Try again later."),
        (OSLO, StatusCode::BAD_REQUEST, r#"{"code":"NoRoute","message":"x"}"#, "No way from Oslo to Oslo was found."),
        (OSLO, StatusCode::OK, "{}", "The route service answered something that could not be read. Try again later."),
        (
            OSLO,
            StatusCode::TOO_MANY_REQUESTS,
            "slow down",
            "The route service is getting too many requests right now (error 429). Try again in a few minutes.",
        ),
    ] {
        let router = Router::new()
            .route("/search", get(move || async move { typed("application/json", search) }))
            .route("/route/v1/{profile}/{points}", get(move || async move { (status, route).into_response() }));
        let server = TestServer::start(router).await;
        let error = maps(&server).directions("A".to_owned(), "B".to_owned(), "driving".to_owned()).await.unwrap_err();
        assert_eq!(error.0, want);
    }
}

#[test]
fn lengths_and_times_for_people() {
    for (metres, want) in [
        (0.0, "0 m"),
        (84.0, "80 m"),
        (994.0, "990 m"),
        (1_000.0, "1.0 km"),
        (12_345.0, "12.3 km"),
        (340_400.0, "340 km"),
    ] {
        assert_eq!(distance(metres), want);
    }
    for (seconds, want) in
        [(0.0, "1 min"), (250.0, "4 min"), (3_600.0, "1 h"), (7_500.0, "2 h 5 min"), (f64::NAN, "1 min")]
    {
        assert_eq!(duration(seconds), want);
    }
}

#[test]
fn every_manoeuvre_reads_as_a_sentence() {
    for (kind, modifier, want) in [
        ("turn", "left", "Turn left onto A"),
        ("turn", "straight", "Go straight on along A"),
        ("turn", "uturn", "Turn around onto A"),
        ("end of road", "right", "Turn right onto A"),
        ("fork", "slight left", "Keep left onto A"),
        ("merge", "", "Merge onto A"),
        ("off ramp", "right", "Take the exit right onto A"),
        ("rotary", "", "Enter the roundabout towards A"),
        ("exit rotary", "", "Leave the roundabout onto A"),
        ("something new", "left", "Go on along A"),
    ] {
        let got = step(&json!({"name": "A", "maneuver": {"type": kind, "modifier": modifier}}));
        assert_eq!(got.instruction, want, "{kind}");
    }
}

#[test]
fn the_public_place_search_is_asked_once_a_second() {
    let pace = Pace::new(NOMINATIM_GAP);
    let start = Instant::now();
    let at = |millis: u64| start + Duration::from_millis(millis);
    for (asked, let_through) in [(0, 0), (0, 1_000), (100, 2_000), (2_500, 3_000), (9_000, 9_000), (9_999, 10_000)] {
        assert_eq!(pace.reserve(at(asked)), at(let_through), "asked after {asked} ms");
    }
}
