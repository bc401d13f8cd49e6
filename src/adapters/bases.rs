//! Where outside services answer, when the person set another place than the usual one.
//!
//! Every outside service has a name here (`duckduckgo`, `open_meteo`, `telegram`, ...). Its base address can be set in
//! the config (`integrations.bases.<service>`) and in the environment variable `SENTIENT_BASES`, which wins. A place
//! the person set may be on their own computer or network; nothing else may.

use rules::address_guard;
use std::collections::BTreeMap;
use url::Url;

/// Entries that are read at all. Ours: far more than there are services.
const ENTRIES_MAX: usize = 200;

/// The overridden base addresses, by service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bases(BTreeMap<String, Url>);

/// One address of a service and the places a request to it may reach although they are private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub url: Url,
    /// `host:port`, empty for the usual address.
    pub trusted: Vec<String>,
}

impl Bases {
    /// Reads `name=address` pairs between commas, the form of `SENTIENT_BASES`. The error is a plain sentence.
    pub fn parse(text: &str) -> Result<Self, String> {
        let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, address) =
                pair.split_once('=').ok_or_else(|| format!("\"{pair}\" is not of the form service=address."))?;
            Ok((name.trim().to_owned(), address.trim().to_owned()))
        });
        Self::from_pairs(pairs.collect::<Result<Vec<_>, String>>()?)
    }

    /// Takes the pairs of `integrations.bases`. The error is a plain sentence that names the entry.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (String, String)>) -> Result<Self, String> {
        let mut bases = BTreeMap::new();
        for (name, address) in pairs {
            let known = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if name.is_empty() || !name.chars().all(known) {
                return Err(format!("\"{name}\" is not a service's name: only a to z, 0 to 9 and _ are."));
            }
            let url = Url::parse(&address).ok().filter(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.has_host()
                    && url.query().is_none()
                    && url.fragment().is_none()
            });
            let url = url.ok_or_else(|| format!("The base of {name} must be an http or https address."))?;
            bases.insert(name, url);
            if bases.len() > ENTRIES_MAX {
                return Err(format!("At most {ENTRIES_MAX} bases can be set."));
            }
        }
        Ok(Self(bases))
    }

    /// These bases, with those of `over` in place of equal names.
    #[must_use]
    pub fn overridden_by(mut self, over: Self) -> Self {
        self.0.extend(over.0);
        self
    }

    pub fn get(&self, service: &str) -> Option<&Url> {
        self.0.get(service)
    }

    /// Where `path` of a service is: below the person's base when one is set, else below `usual`.
    ///
    /// `usual` is an address written in an adapter; if it cannot be read there is no endpoint, which the adapter's
    /// tests would show.
    pub fn endpoint(&self, service: &str, usual: &str, path: &str) -> Option<Endpoint> {
        let (base, trusted) = match self.get(service) {
            Some(base) => (base.clone(), vec![authority(base)?]),
            None => (Url::parse(usual).ok()?, Vec::new()),
        };
        let mut url = base.clone();
        url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
        Some(Endpoint { url, trusted })
    }
}

/// `host:port` of an address, the port always written out.
pub fn authority(url: &Url) -> Option<String> {
    Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
}

/// Whether an address may be asked: it is public, or at a place the person set.
pub fn allowed(url: &Url, trusted: &[String]) -> Result<Reach, address_guard::Refusal> {
    let set = matches!(url.scheme(), "http" | "https") && authority(url).is_some_and(|place| trusted.contains(&place));
    if set { Ok(Reach::Set) } else { address_guard::check(url).map(|()| Reach::Public) }
}

/// How far a request may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only addresses of the public internet.
    Public,
    /// The very place the person set, wherever it is.
    Set,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_read_from_one_line() {
        for (text, want) in [
            ("", Ok(vec![])),
            (" , ", Ok(vec![])),
            ("telegram=http://127.0.0.1:9002", Ok(vec![("telegram", "http://127.0.0.1:9002/")])),
            ("a=http://h/x/, b_2 = https://[::1]:1 ,", Ok(vec![("a", "http://h/x/"), ("b_2", "https://[::1]:1/")])),
            ("a=http://one,a=http://two", Ok(vec![("a", "http://two/")])),
            ("telegram", Err("\"telegram\" is not of the form service=address.")),
            ("=http://h", Err("\"\" is not a service's name: only a to z, 0 to 9 and _ are.")),
            ("A=http://h", Err("\"A\" is not a service's name: only a to z, 0 to 9 and _ are.")),
            ("a=ftp://h", Err("The base of a must be an http or https address.")),
            ("a=h:80", Err("The base of a must be an http or https address.")),
            ("a=http://h/?q=1", Err("The base of a must be an http or https address.")),
            ("a=", Err("The base of a must be an http or https address.")),
        ] {
            let got = Bases::parse(text);
            let want = want.map_err(str::to_owned);
            let got = got.map(|bases| bases.0.iter().map(|(k, v)| (k.clone(), v.to_string())).collect::<Vec<_>>());
            let want =
                want.map(|rows| rows.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<Vec<_>>());
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn a_service_is_found_at_its_usual_place_or_where_the_person_said() {
        let bases = Bases::parse("osrm=http://127.0.0.1:5000/maps/").unwrap();
        let bases = bases.overridden_by(Bases::parse("news=http://localhost").unwrap());
        for (service, want, trusted) in [
            ("osrm", "http://127.0.0.1:5000/maps/route/v1", vec!["127.0.0.1:5000"]),
            ("news", "http://localhost/route/v1", vec!["localhost:80"]),
            ("other", "https://usual.example/root/route/v1", vec![]),
        ] {
            let endpoint = bases.endpoint(service, "https://usual.example/root", "/route/v1").unwrap();
            assert_eq!(
                (endpoint.url.as_str(), endpoint.trusted),
                (want, trusted.iter().map(|s| (*s).to_owned()).collect())
            );
        }
    }

    #[test]
    fn only_the_place_that_was_set_is_trusted() {
        let trusted = ["127.0.0.1:5000".to_owned()];
        for (address, want) in [
            ("http://127.0.0.1:5000/x", Ok(Reach::Set)),
            ("http://127.0.0.1:5001/x", Err(address_guard::Refusal::Private)),
            ("http://127.0.0.1/x", Err(address_guard::Refusal::Private)),
            ("http://127.0.0.2:5000/x", Err(address_guard::Refusal::Private)),
            ("ftp://127.0.0.1:5000/x", Err(address_guard::Refusal::Scheme)),
            ("https://example.com/x", Ok(Reach::Public)),
        ] {
            assert_eq!(allowed(&Url::parse(address).unwrap(), &trusted), want, "{address}");
        }
    }
}
