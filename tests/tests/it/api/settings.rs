//! Settings, models, keys, usage and the first meeting over HTTP.

use super::{Api, refusals};
use expect_test::expect;
use http::StatusCode;

#[tokio::test]
async fn the_first_meeting_is_remembered() {
    let api = Api::start().await;
    assert_eq!(api.get("/api/bootstrap").await["assistant"]["onboarding_complete"], false);
    let answers = r#"{"user_name":"Maya","assistant_name":"Iris","location":"Pune, India","persona":"concise","daily_brief":true}"#;
    assert_eq!(api.call("POST", "/api/onboarding", answers).await.0, StatusCode::OK);
    let assistant = api.get("/api/bootstrap").await["assistant"].clone();
    assert_eq!(assistant["name"], "Iris");
    assert_eq!(assistant["onboarding_complete"], true);
    let read = |file: &str| std::fs::read_to_string(api.home.path().join("workspace").join(file)).expect("written");
    assert!(read("USER.md").contains("- Name: Maya"));
    assert!(read("SOUL.md").contains("# How to be"));
    assert!(std::fs::read_to_string(api.home.path().join("config.yaml")).expect("kept").contains("Iris"));
    api.end().await;
}

#[tokio::test]
async fn settings_change_at_once_and_wrong_ones_change_nothing() {
    let api = Api::start().await;
    let (status, saved) = api.call("PATCH", "/api/config", r#"{"ui":{"theme":"light"}}"#).await;
    assert_eq!((status, saved["config"]["ui"]["theme"].clone()), (StatusCode::OK, "light".into()));
    assert_eq!(api.get("/api/config").await["ui"]["theme"], "light");
    assert!(api.get("/api/config/schema").await["properties"]["ui"].is_object());
    let (status, problems) = api.call("PATCH", "/api/config", r#"{"ui":{"theme":"plaid"}}"#).await;
    assert_eq!(
        (status, problems["detail"][0]["loc"].clone()),
        (StatusCode::UNPROCESSABLE_ENTITY, serde_json::json!(["ui", "theme"]))
    );
    assert_eq!(api.get("/api/config").await["ui"]["theme"], "light");

    let (status, roles) = api.call("PUT", "/api/models/roles", r#"{"voice":"openai/gpt-5"}"#).await;
    assert_eq!((status, roles["voice"].clone()), (StatusCode::OK, "openai/gpt-5".into()));
    assert_eq!(api.call("PUT", "/api/models/fallbacks", r#"{"primary":["groq/llama"]}"#).await.0, StatusCode::OK);
    assert_eq!(api.get("/api/config").await["models"]["fallbacks"]["primary"][0], "groq/llama");
    api.end().await;
}

#[tokio::test]
async fn a_key_goes_in_and_never_comes_out() {
    let api = Api::start().await;
    let secret = "sk-very-secret";
    let body = format!(r#"{{"value":"{secret}"}}"#);
    assert_eq!(api.call("PUT", "/api/secrets/openai", &body).await.0, StatusCode::OK);
    let rows = api.get("/api/secrets").await;
    let row = rows.as_array().expect("rows").iter().find(|row| row["name"] == "openai").expect("listed").clone();
    assert_eq!((row["set"].clone(), row["source"].clone()), (true.into(), "keychain".into()));
    for address in ["/api/secrets", "/api/models/providers", "/api/config"] {
        assert!(!api.get(address).await.to_string().contains(secret), "{address}");
    }
    assert_eq!(api.call("DELETE", "/api/secrets/openai", "").await.0, StatusCode::OK);
    api.end().await;
}

#[tokio::test]
async fn what_there_is_can_be_looked_at() {
    let api = Api::start().await;
    assert!(api.get("/api/tools").await.as_array().expect("apps").iter().all(|app| app["tools"].is_array()));
    assert_eq!(api.get("/api/usage").await["totals"]["prompt_tokens"], 0);
    assert_eq!(api.get("/api/usage/cost").await["budget"]["state"], "off");
    assert_eq!(api.get("/api/models/busy").await["busy"], false);
    assert_eq!(api.get("/api/models/local").await["ollama"]["reachable"], false);
    assert!(api.get("/api/system/hardware").await["recommendation"]["tier"].is_string());
    assert!(!api.get("/api/engine/actors").await.as_array().expect("rows").is_empty());
    let (status, test) = api.call("POST", "/api/models/test", r#"{"model":"scripted/tour"}"#).await;
    assert_eq!((status, test["ok"].clone()), (StatusCode::OK, true.into()), "{test}");
    api.end().await;
}

#[tokio::test]
async fn what_cannot_be_set_says_why() {
    let api = Api::start().await;
    let told = refusals(
        &api,
        &[
            ("PUT", "/api/models/roles", r#"{"chef":"openai/gpt-5"}"#),
            ("PUT", "/api/models/roles", r#"{"primary":null}"#),
            ("PUT", "/api/models/fallbacks", r#"{"primary":"openai/gpt-5"}"#),
            ("POST", "/api/models/test", r#"{"model":"gpt"}"#),
            ("POST", "/api/models/test", r#"{"model":"openai/gpt-5","role":"chef"}"#),
            ("POST", "/api/models/ollama/pull", r#"{"name":" "}"#),
            ("PUT", "/api/secrets/chatgpt", r#"{"value":"x"}"#),
            ("PUT", "/api/secrets/unknown", r#"{"value":"x"}"#),
            ("POST", "/api/usage/budget/keep-going", ""),
        ],
    )
    .await;
    expect![[r#"
        PUT /api/models/roles 400 "unknown role chef"
        PUT /api/models/roles 400 "The primary role needs a model."
        PUT /api/models/fallbacks 400 "The fallbacks of primary are a list of models."
        POST /api/models/test 422 "\"gpt\" is not a model. Write it as provider/model, for example ollama_chat/qwen3:8b."
        POST /api/models/test 400 "unknown role chef"
        POST /api/models/ollama/pull 400 "Name a model of Ollama, such as qwen3:8b."
        PUT /api/secrets/chatgpt 400 "ChatGPT is connected by signing in, not with a key. Sign in under Settings > Models."
        PUT /api/secrets/unknown 404 "There is no secret called unknown."
        POST /api/usage/budget/keep-going 409 "There is no monthly budget to go beyond. Set one in Settings > Models."
    "#]].assert_eq(&told);
    api.end().await;
}
