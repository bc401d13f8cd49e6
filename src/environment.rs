//! The environment variables, read once. Nothing else in the program looks at them.
//!
//! Some are secrets, so the whole has no `Debug` and is never logged.

use actors::ports::Secret;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder below the person's own folder that holds everything, when `SENTIENT_HOME` names no other.
const HOME_FOLDER: &str = ".sentient";

/// What the environment says.
#[derive(Clone)]
pub struct Environment {
    /// Where everything is kept (`SENTIENT_HOME`, else `~/.sentient`); `None` when the system names no folder.
    pub home: Option<PathBuf>,
    /// Whether `home` is the usual folder, whose secrets keep their usual place in the keychain (contract section 3).
    pub home_is_default: bool,
    /// The window's token for this start (`SENTIENT_GATEWAY_TOKEN`, client.md section 2).
    pub gateway_token: Option<Secret>,
    /// `SENTIENT_KEYCHAIN_NAMESPACE` (contract section 3).
    pub keychain_namespace: Option<String>,
    /// `SENTIENT_BASES`: `service=address` pairs between commas.
    pub bases: Option<String>,
    /// `SENTIENT_SECRETS_PASSPHRASE`: opens the encrypted file that stands in for a keychain.
    pub secrets_passphrase: Option<Secret>,
    /// `SENTIENT_LOG`: what to log, in tracing's filter language.
    pub log: Option<String>,
    /// `NO_COLOR` (no-color.org).
    pub no_color: bool,
    /// `SENTIENT_DISABLE_BACKGROUND`: for tests of the shell, no work of the engine's own (client.md section 1).
    pub disable_background: bool,
    /// `SENTIENT_DEBUG_BATTERY` (contract section 3).
    pub debug_battery: Option<String>,
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Reads the process's own environment. Names and values that are no text are left out.
    pub fn read() -> Self {
        Self::of(std::env::vars_os())
    }

    /// Takes these variables instead. An empty value counts as not set.
    pub fn of(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let text = |pair: (OsString, OsString)| Some((pair.0.into_string().ok()?, pair.1.into_string().ok()?));
        let variables: BTreeMap<String, String> =
            variables.into_iter().filter_map(text).filter(|(_, value)| !value.trim().is_empty()).collect();
        let get = |name: &str| variables.get(name).map(|value| value.trim().to_owned());
        let usual = get("HOME").or_else(|| get("USERPROFILE")).map(|folder| Path::new(&folder).join(HOME_FOLDER));
        let home = get("SENTIENT_HOME").map(PathBuf::from).or_else(|| usual.clone());
        let switched_on = |name: &str| get(name).is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no"));
        Self {
            home_is_default: home.is_some() && home == usual,
            home,
            gateway_token: get("SENTIENT_GATEWAY_TOKEN").map(Secret::new),
            keychain_namespace: get("SENTIENT_KEYCHAIN_NAMESPACE"),
            bases: get("SENTIENT_BASES"),
            secrets_passphrase: get("SENTIENT_SECRETS_PASSPHRASE").map(Secret::new),
            log: get("SENTIENT_LOG"),
            no_color: variables.contains_key("NO_COLOR"),
            disable_background: switched_on("SENTIENT_DISABLE_BACKGROUND"),
            debug_battery: get("SENTIENT_DEBUG_BATTERY"),
            variables,
        }
    }

    /// The same environment with another home, as `--home` asks for.
    #[must_use]
    pub fn with_home(mut self, home: PathBuf) -> Self {
        self.home_is_default &= self.home.as_ref() == Some(&home);
        self.home = Some(home);
        self
    }

    /// The person's own folder, when the system names one.
    pub fn person_home(&self) -> Option<PathBuf> {
        self.variable("HOME").or_else(|| self.variable("USERPROFILE")).map(PathBuf::from)
    }

    /// One variable, for what only this process may know, such as the kind of its terminal.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// All variables, for adapters that look for keys of providers and integrations by name.
    pub fn variables(&self) -> impl Iterator<Item = (String, String)> + '_ {
        self.variables.iter().map(|(name, value)| (name.clone(), value.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Environment {
        Environment::of(pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
    }

    #[test]
    fn the_home_is_the_usual_folder_unless_another_is_named() {
        for (name, pairs, home, is_default) in [
            ("usual", &[("HOME", "/home/maya")][..], Some("/home/maya/.sentient"), true),
            ("windows", &[("USERPROFILE", "/Users/maya")], Some("/Users/maya/.sentient"), true),
            ("named", &[("HOME", "/home/maya"), ("SENTIENT_HOME", "/data")], Some("/data"), false),
            (
                "named as the usual one",
                &[("HOME", "/home/maya"), ("SENTIENT_HOME", "/home/maya/.sentient")],
                Some("/home/maya/.sentient"),
                true,
            ),
            ("empty", &[("HOME", "/home/maya"), ("SENTIENT_HOME", " ")], Some("/home/maya/.sentient"), true),
            ("nowhere", &[], None, false),
        ] {
            let environment = of(pairs);
            assert_eq!(environment.home.as_deref(), home.map(Path::new), "{name}");
            assert_eq!(environment.home_is_default, is_default, "{name}");
        }
        let moved = of(&[("HOME", "/home/maya")]).with_home("/data".into());
        assert!(!moved.home_is_default);
        assert_eq!(moved.person_home().as_deref(), Some(Path::new("/home/maya")));
    }

    #[test]
    fn switches_can_be_off() {
        for (value, want) in [("1", true), ("true", true), ("0", false), ("false", false), ("", false)] {
            assert_eq!(of(&[("SENTIENT_DISABLE_BACKGROUND", value)]).disable_background, want, "{value}");
        }
        assert!(of(&[]).gateway_token.is_none());
        assert_eq!(of(&[("SENTIENT_GATEWAY_TOKEN", " abc\n")]).gateway_token.expect("set").expose(), "abc");
    }
}
