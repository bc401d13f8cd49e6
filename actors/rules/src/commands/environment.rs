//! The environment a command gets: the engine's own without secrets (contract section 18).

/// Parts of names that say "secret". A name is cut at everything that is no letter; `KEY` in `KEYBOARD` is none.
const SECRET_WORDS: [&str; 20] = [
    "KEY",
    "KEYS",
    "APIKEY",
    "TOKEN",
    "TOKENS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "PWD",
    "PASS",
    "SECRET",
    "SECRETS",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "AUTH",
    "COOKIE",
    "PAT",
    "DSN",
];
/// Longer words that are secret wherever they stand in a name.
const SECRET_ANYWHERE: [&str; 7] = ["TOKEN", "PASSWORD", "PASSWD", "SECRET", "CREDENTIAL", "APIKEY", "PRIVATEKEY"];
/// Names that only look like secrets: the place of the key agent (contract section 18), and where a shell is.
const KEPT: [&str; 3] = ["SSH_AUTH_SOCK", "PWD", "OLDPWD"];
/// The assistant's own variables, and those of a model client.
const OURS: [&str; 2] = ["SENTIENT_", "LITELLM_"];

/// The variables a command may see. `keys` are names of variables that hold a provider's key.
pub fn clean<'a>(
    variables: impl IntoIterator<Item = (String, String)> + 'a,
    keys: &'a [String],
) -> impl Iterator<Item = (String, String)> + 'a {
    variables.into_iter().filter(move |(name, value)| {
        let is_key = keys.iter().any(|key| key.eq_ignore_ascii_case(name));
        !is_key && !is_secret(name) && !holds_login(value)
    })
}

/// Whether a name looks like that of a secret, or is one of the assistant's own.
fn is_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    if KEPT.contains(&name.as_str()) {
        return false;
    }
    let has_word = name.split(|c: char| !c.is_alphabetic()).any(|word| SECRET_WORDS.contains(&word));
    has_word
        || SECRET_ANYWHERE.iter().any(|word| name.contains(word))
        || OURS.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a value is an address with a password in it: `https://maya:hunter2@proxy.example`.
fn holds_login(value: &str) -> bool {
    let Some((_, rest)) = value.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').is_some_and(|(login, _)| login.contains(':'))
}

/// Variables for a listed command, so that a repository's own settings start no program without a question (contract
/// section 18). Where git only looks, hooks, other computers and writes of its own are kept away as well. `already` is
/// `GIT_CONFIG_COUNT` of the environment: settings that are there stay, ours come after them and win.
pub fn listed_git_settings(already: Option<&str>, subcommand: Option<&str>) -> Vec<(String, String)> {
    let looks = subcommand.is_some_and(super::git::looks);
    let mut settings = vec![("core.fsmonitor", "false")];
    if looks {
        settings.push(("core.hooksPath", "/dev/null"));
    }
    let first: usize = already.and_then(|count| count.trim().parse().ok()).unwrap_or(0);
    let mut variables = vec![("GIT_CONFIG_COUNT".to_owned(), (first.saturating_add(settings.len())).to_string())];
    for (at, (key, value)) in settings.into_iter().enumerate() {
        let number = first.saturating_add(at);
        variables.push((format!("GIT_CONFIG_KEY_{number}"), key.to_owned()));
        variables.push((format!("GIT_CONFIG_VALUE_{number}"), value.to_owned()));
    }
    if looks {
        // git(1): no index is written, no pager started, nothing missing is fetched (older gits: by no protocol).
        let more = [("OPTIONAL_LOCKS", "0"), ("PAGER", "cat"), ("NO_LAZY_FETCH", "1"), ("ALLOW_PROTOCOL", "none")];
        variables.extend(more.map(|(name, value)| (format!("GIT_{name}"), value.to_owned())));
    }
    variables
}
