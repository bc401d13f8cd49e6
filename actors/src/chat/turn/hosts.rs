//! Which hosts this reply may hand data to without a question: those the person or a clean chat went to.
//!
//! A host that is loaded only because of what was read stays a stranger, although the chat has been there: else a page could
//! have itself opened once without data, and then once more with it. A link that stands word for word in what was read
//! carries nothing of the person's, since its writer knew nothing of them.

use super::Runner;
use super::call::RoundCall;
use crate::gate::host_of;
use protocol::Error;
use protocol::limits::VISITED_HOSTS_MAX;
use rules::outside::host_is_named;
use storage::Snapshot;
use storage::records::{LedHostsRecord, SessionRecord};

/// The hosts a chat was led to.
pub(super) fn led(snapshot: &Snapshot, record: &SessionRecord) -> Result<Vec<String>, Error> {
    Ok(snapshot.get::<LedHostsRecord>(&record.id)?.map(|led| led.hosts).unwrap_or_default())
}

impl Runner {
    /// The hosts this call may hand data to.
    pub(super) fn visited_for(&self, call: &RoundCall) -> Vec<String> {
        let visited = self.record.visited_hosts.as_deref().unwrap_or_default();
        let address = self.address(call);
        let is_theirs = address.as_deref().is_some_and(|address| {
            let address = address.trim();
            self.said.iter().any(|said| !said.outside.is_empty() && said.text.contains(address))
        });
        let host = address.as_deref().and_then(host_of);
        let counts = |known: &&String| !self.led.contains(known) || (is_theirs && host.as_ref() == Some(*known));
        visited.iter().filter(counts).cloned().collect()
    }

    /// Notes that a call has loaded its address: the host, and the hosts the chat was led to when they have changed.
    pub(super) fn note_visit(&mut self, call: &RoundCall) -> (Option<String>, Option<Vec<String>>) {
        let Some(host) = self.address(call).as_deref().and_then(host_of) else { return (None, None) };
        let known = self.record.visited_hosts.as_ref().is_some_and(|visited| visited.contains(&host));
        let was_led = self.led.contains(&host);
        let marked = self.outside_at_round.as_deref().is_some_and(|source| !source.is_empty());
        let own = call.approved || self.words.iter().any(|words| host_is_named(words, &host));
        if own && was_led {
            self.led.retain(|led| *led != host);
        } else if marked && !own && !known && !was_led {
            if self.led.len() >= VISITED_HOSTS_MAX {
                return (None, None); // it stays one the chat has not been to
            }
            self.led.push(host.clone());
        } else {
            return (Some(host), None);
        }
        (Some(host), Some(self.led.clone()))
    }

    fn address(&self, call: &RoundCall) -> Option<String> {
        self.setting.parts.tools.get(&call.name)?.url(&call.arguments)
    }
}
