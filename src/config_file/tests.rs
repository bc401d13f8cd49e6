//! The file on a real disk: what people and crashes leave there, and what saving makes of it.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: TempDir::new().expect("a folder") }
    }

    /// A home whose file holds these bytes.
    fn with(bytes: impl AsRef<[u8]>) -> Self {
        let home = Self::new();
        std::fs::write(home.path(), bytes).expect("written");
        home
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("config.yaml")
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap_or_default()
    }

    fn settings(&self) -> Value {
        Value::Object(text::decode(&self.bytes()).and_then(|text| text::parse(&text)).expect("readable"))
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn patched(config: &Config, patch: Value) -> Config {
    rules::config_patch::apply_patch(config, &patch).expect("allowed")
}

#[test]
fn a_first_start_has_the_defaults_and_writes_nothing() {
    let home = Home::new();
    let (file, loaded) = ConfigFile::open(home.path());
    assert_eq!((loaded.config, loaded.problems, loaded.readable), (Config::default(), vec![], true));
    assert_eq!(home.names(), Vec::<String>::new());
    file.save(&Config::default()).expect("saved");
    assert_eq!(home.settings(), json!({}));
}

#[test]
fn what_is_saved_is_read_again_and_the_file_stays_small() {
    let home = Home::new();
    let (file, loaded) = ConfigFile::open(home.path());
    let config = patched(&loaded.config, json!({"tools": {"approvals": {"mode": "off", "rules": {"gmail": "never"}}}}));
    file.save(&config).expect("saved");
    assert_eq!(home.settings(), json!({"tools": {"approvals": {"mode": "off", "rules": {"gmail": "never"}}}}));
    assert_eq!(ConfigFile::open(home.path()).1.config, config);
    assert_eq!(home.names(), ["config.yaml"], "no half-written file is left");

    let config = patched(&config, json!({"tools": {"approvals": {"rules": {"gmail": null}}}}));
    file.save(&config).expect("saved");
    assert_eq!(ConfigFile::open(home.path()).1.config, config);
    assert_eq!(home.names(), ["config.yaml", "config.yaml.bak"]);
}

#[test]
fn what_cannot_be_read_is_never_written_over() {
    let home = Home::new();
    let (file, loaded) = ConfigFile::open(home.path());
    file.save(&patched(&loaded.config, json!({"assistant": {"location": "Pune, India"}}))).expect("saved");
    let whole = home.bytes();
    let change = json!({"chat": {"auto_title": false}});
    for (name, bytes) in [
        ("cut in half", whole[..whole.len() / 2].to_vec()),
        ("zero bytes", vec![0; 512]),
        ("zero bytes at its end", [&whole[..], &[0; 64]].concat()),
        ("not YAML", b"chat: [1, 2\nui: }".to_vec()),
        ("not text", vec![0xFF, 0xFF, 0x80]),
        ("not settings", b"just words".to_vec()),
    ] {
        let home = Home::with(&bytes);
        let (file, loaded) = ConfigFile::open(home.path());
        assert!(!loaded.readable, "{name}");
        assert_eq!((&loaded.config, loaded.problems.len()), (&Config::default(), 1), "{name}");
        let new = patched(&loaded.config, change.clone());
        for _ in 0..2 {
            let error = file.save(&new).expect_err(name);
            assert_eq!(error.kind, ErrorKind::Conflict, "{name}");
            assert!(error.hint.is_some_and(|hint| hint.contains("Repair the file")), "{name}");
        }
        assert_eq!((home.bytes(), home.names()), (bytes, vec!["config.yaml".to_owned()]), "{name}");

        std::fs::write(home.path(), "ui:\n  theme: light\n").expect("repaired by the person");
        file.save(&new).expect("saved again");
        assert_eq!(home.settings(), json!({"ui": {"theme": "light"}, "chat": {"auto_title": false}}), "{name}");
    }
}

#[test]
fn a_file_that_breaks_while_the_engine_runs_is_not_written_over_either() {
    let home = Home::with("ui:\n  theme: light\n");
    let (file, loaded) = ConfigFile::open(home.path());
    std::fs::write(home.path(), "ui:\n  theme: \"lig").expect("broken");
    let error = file.save(&patched(&loaded.config, json!({"chat": {"auto_title": false}}))).expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Conflict);
    assert_eq!(home.bytes(), b"ui:\n  theme: \"lig");
    std::fs::rename(home.path(), home.folder.path().join("broken.yaml")).expect("put aside");
    file.save(&patched(&loaded.config, json!({"chat": {"auto_title": false}}))).expect("saved");
    assert_eq!(home.settings(), json!({"ui": {"theme": "light"}, "chat": {"auto_title": false}}));
}

#[test]
fn bad_values_are_reported_ignored_and_kept() {
    let home = Home::with(
        "# mine\r\nchat:\r\n  alarm_snooze_minutes: 999\r\n  auto_titel: no\r\n  show_thinking: off\r\nui:\r\n  theme: light\r\nvoice:\r\n7: seven\r\n",
    );
    let (file, loaded) = ConfigFile::open(home.path());
    assert!(loaded.readable);
    let mut want = Config::default();
    (want.chat.show_thinking, want.ui.theme) = (false, protocol::config::Theme::Light);
    assert_eq!(loaded.config, want);
    let mut told: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    told.sort();
    assert_eq!(
        told,
        [
            "7: There is no such setting. It is ignored, and stays in the file.",
            "chat.alarm_snooze_minutes: Must be at most 60. It is ignored, and stays in the file.",
            "chat.auto_titel: There is no such setting. Did you mean `auto_title`? It is ignored, and stays in the file.",
        ]
    );
    let before = home.bytes();
    file.save(&loaded.config).expect("nothing to do");
    assert_eq!(home.bytes(), before, "nothing changed, so the comment stays too");

    file.save(&patched(&loaded.config, json!({"ui": {"theme": "dark"}}))).expect("saved");
    let after = home.settings();
    assert_eq!(after["chat"], json!({"alarm_snooze_minutes": 999, "auto_titel": "no", "show_thinking": "off"}));
    assert_eq!((&after["ui"]["theme"], &after["7"]), (&json!("dark"), &json!("seven")));
    let kept = std::fs::read(sibling(&home.path(), ".bak")).expect("the text before");
    assert_eq!(kept, before, "with its comment");
}

#[test]
fn an_emptied_file_says_where_its_settings_are() {
    let home = Home::with("ui:\n  theme: light\n");
    let (file, loaded) = ConfigFile::open(home.path());
    file.save(&patched(&loaded.config, json!({"ui": {"theme": "system"}}))).expect("saved");
    std::fs::write(home.path(), "").expect("emptied");
    let (file, loaded) = ConfigFile::open(home.path());
    assert!(loaded.readable && loaded.problems[0].message.contains("config.yaml.bak"), "{:?}", loaded.problems);
    file.save(&patched(&loaded.config, json!({"chat": {"auto_title": false}}))).expect("saved");
    let kept = std::fs::read_to_string(sibling(&home.path(), ".bak")).expect("still there");
    assert!(kept.contains("light"), "an empty text never takes the place of the one before");
}

#[test]
fn a_disk_that_refuses_is_said_and_leaves_the_file_alone() {
    let home = Home::with("ui:\n  theme: light\n");
    // A folder where the new file would be written first: creating it fails for every user.
    std::fs::create_dir(sibling(&home.path(), ".tmp")).expect("in the way");
    let (file, loaded) = ConfigFile::open(home.path());
    let error = file.save(&patched(&loaded.config, json!({"ui": {"theme": "dark"}}))).expect_err("refused");
    assert_eq!(error.kind, ErrorKind::Unavailable);
    assert_eq!(home.settings(), json!({"ui": {"theme": "light"}}));
    std::fs::remove_dir(sibling(&home.path(), ".tmp")).expect("out of the way");
    file.save(&patched(&loaded.config, json!({"ui": {"theme": "dark"}}))).expect("saved");
    assert_eq!(home.settings(), json!({"ui": {"theme": "dark"}}));
}

#[test]
fn a_folder_or_a_giant_in_its_place_is_no_file() {
    let home = Home::new();
    std::fs::create_dir(home.path()).expect("a folder");
    assert!(!ConfigFile::open(home.path()).1.readable);
    let home = Home::new();
    File::create(home.path()).and_then(|file| file.set_len(text::FILE_BYTES_MAX + 1)).expect("a giant");
    let (file, loaded) = ConfigFile::open(home.path());
    assert!(loaded.problems[0].message.contains("bigger than 4 MB"), "{:?}", loaded.problems);
    assert_eq!(file.save(&Config::default()).expect_err("refused").kind, ErrorKind::Conflict);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = Home::new();
    let elsewhere = home.folder.path().join("dotfiles.yaml");
    std::fs::write(&elsewhere, "ui:\n  theme: light\n").expect("written");
    std::fs::set_permissions(&elsewhere, PermissionsExt::from_mode(0o640)).expect("set");
    symlink(&elsewhere, home.path()).expect("linked");
    let (file, loaded) = ConfigFile::open(home.path());
    file.save(&patched(&loaded.config, json!({"ui": {"theme": "dark"}}))).expect("saved");
    assert!(std::fs::symlink_metadata(home.path()).expect("there").is_symlink());
    assert_eq!(std::fs::metadata(&elsewhere).expect("there").permissions().mode() & 0o777, 0o640);
    assert_eq!(home.settings(), json!({"ui": {"theme": "dark"}}));

    let home = Home::new();
    ConfigFile::open(home.path()).0.save(&Config::default()).expect("saved");
    assert_eq!(std::fs::metadata(home.path()).expect("there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_example_file_reads_as_the_defaults() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/config.example.yaml");
    let (_, loaded) = ConfigFile::open(example);
    assert_eq!((loaded.config, loaded.problems, loaded.readable), (Config::default(), vec![], true));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever names and texts people use: what is saved is what is read.
    #[test]
    fn any_words_survive(
        words in prop::collection::vec(".{0,40}", 1..5),
        names in prop::collection::vec("[^/\\\\]{1,30}", 1..4),
        share in 0.05..1.0_f64,
    ) {
        let mut config = Config::default();
        config.assistant.location = words[0].clone();
        config.chat.tool_result_context_share = share;
        config.terminal.allowed_commands = words.iter().filter(|word| !word.trim().is_empty()).cloned().collect();
        for name in names {
            config.models.presets.insert(name.clone(), protocol::config::Preset::default());
            config.tools.approvals.rules.insert(name, protocol::config::ApprovalRule::Never);
        }
        let Ok(config) = rules::config_patch::change(&Config::default(), |now| *now = config) else { return Ok(()) };
        let home = Home::new();
        ConfigFile::open(home.path()).0.save(&config).expect("saved");
        let (_, loaded) = ConfigFile::open(home.path());
        prop_assert_eq!((loaded.config, loaded.problems), (config, vec![]));
    }

    /// Whatever bytes are there: it never panics, and what it could not read it does not touch.
    #[test]
    fn any_bytes_are_survived(
        bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..200), "[a-z:{}\\[\\]\"'&*!|>%@ \n#-]{0,80}".prop_map(String::into_bytes)]
    ) {
        let home = Home::with(&bytes);
        let (file, loaded) = ConfigFile::open(home.path());
        let saved = file.save(&patched(&loaded.config, json!({"chat": {"alarm_snooze_minutes": 7}})));
        if loaded.readable {
            prop_assert_eq!(saved, Ok(()));
            let settings = home.settings();
            prop_assert_eq!(settings.pointer("/chat/alarm_snooze_minutes"), Some(&json!(7)));
        } else {
            prop_assert_eq!(saved.map_err(|error| error.kind), Err(ErrorKind::Conflict));
            prop_assert_eq!(home.bytes(), bytes);
        }
    }
}
