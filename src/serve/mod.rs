//! `sentient serve`: puts the engine together, answers until the system asks for an end, and then ends in order.
//!
//! The order of the end: no new connection, then the engine (turns save what they have, everything becomes durable),
//! then the sockets. It takes three seconds at most (client.md section 1); a second signal ends it at once.

pub mod files;
pub mod listen;
mod signals;
mod window;

use crate::assemble::{App, AssembleOptions, Running, assemble};
use crate::environment::Environment;
use crate::gateway::{self, Access, Gateway, HostPolicy, Token};
use files::Discoverable;
use protocol::{Error, ErrorKind};
use runtime::Scope;
use signals::Signals;
use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use tokio::net::TcpListener;
use tokio::time::{Duration, timeout};
use tokio_util::sync::CancellationToken;

/// How long turns get to save their partial text and the store to become durable.
const ENGINE_END_MAX: Duration = Duration::from_millis(2_400);
/// How long connections get after that.
const SOCKETS_END_MAX: Duration = Duration::from_millis(400);

/// What was asked for on the command line.
pub struct ServeOptions {
    pub home: PathBuf,
    /// Over `gateway.host` and `gateway.port`.
    pub host: Option<String>,
    pub port: Option<u16>,
    /// Opens the window in the person's browser.
    pub open: bool,
    /// The primary model for this start.
    pub model: Option<String>,
    /// Apps beside the built-in ones.
    pub apps: Vec<App>,
    pub environment: Environment,
}

/// Why serving could not begin, or could not go on.
#[derive(Debug)]
pub enum ServeError {
    /// The address cannot be had: a matter of how the program was called.
    Address(Error),
    /// Anything else.
    Engine(Error),
    /// The engine kept failing and gave up: whatever watches this program should start it again.
    GaveUp,
}

impl From<Error> for ServeError {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

/// Serves until a signal.
///
/// # Errors
/// What keeps the engine from starting; once it runs, only that it gave up.
pub async fn serve(mut options: ServeOptions) -> Result<(), ServeError> {
    let mut signals = Signals::listen()
        .map_err(|cause| Error::new(ErrorKind::Unavailable, format!("Signals cannot be heard: {cause}.")))?;
    files::make_home(&options.home)?;
    let running = assemble(AssembleOptions {
        home: options.home.clone(),
        environment: options.environment.clone(),
        model: options.model.clone(),
        apps: std::mem::take(&mut options.apps),
        reader: None,
    })
    .await?;
    let begun = Begun::new(&options, &running).await;
    let begun = match begun {
        Ok(begun) => begun,
        Err(error) => {
            (running.shutdown)().await;
            return Err(error);
        }
    };
    let (stop, connections) = (CancellationToken::new(), Scope::new());
    let serving =
        listen::run(begun.listener, gateway::router(begun.gateway.clone()), stop.clone(), connections.clone());
    let accepting = CancellationToken::new();
    let job = {
        let accepting = accepting.clone();
        async move {
            tokio::select! {
                biased;
                () = accepting.cancelled() => (),
                () = serving => (),
            }
        }
    };
    connections.spawn("accept", job);
    let gave_up = tokio::select! {
        biased;
        () = signals.next() => false,
        () = running.gone.cancelled() => true,
    };
    tracing::info!(gave_up, "stopping");
    let orderly = async {
        accepting.cancel();
        if timeout(ENGINE_END_MAX, (running.shutdown)()).await.is_err() {
            tracing::warn!("the engine took too long to end; it goes on from the store at the next start");
        }
        begun.gateway.closing.cancel();
        stop.cancel();
        if !connections.ended(SOCKETS_END_MAX).await {
            tracing::debug!("some connections were cut");
        }
    };
    tokio::select! {
        biased;
        () = signals.next() => tracing::warn!("ended at once by a second signal"),
        () = orderly => (),
    }
    drop(begun.discoverable);
    if gave_up { Err(ServeError::GaveUp) } else { Ok(()) }
}

/// What a running server holds.
struct Begun {
    listener: TcpListener,
    gateway: Gateway,
    discoverable: Discoverable,
    _window: Option<window::OpenFile>,
}

impl Begun {
    async fn new(options: &ServeOptions, running: &Running) -> Result<Self, ServeError> {
        let configured = running.listen_at();
        let host = options.host.clone().unwrap_or(configured.0);
        let port = options.port.unwrap_or(configured.1);
        let listener = listen::bind(&host, port).await.map_err(ServeError::Address)?;
        let address = listener.local_addr().map_err(|cause| Error::internal(cause.to_string()))?;
        let token = match &options.environment.gateway_token {
            Some(token) => token.clone(),
            None => files::token(&options.home, &*running.engine.world.entropy)?,
        };
        let discoverable = Discoverable::at(&options.home, address, running.engine.world.now())?;
        let access = Access { hosts: HostPolicy::for_bind(&host), token: Token::new(token.expose()) };
        let gateway = Gateway::new(running.engine.clone(), access);
        let page = window_address(address, token.expose());
        announce(&host, address, &page);
        let window = if options.open { window::open(&options.home, &page).await } else { None };
        Ok(Self { listener, gateway, discoverable, _window: window })
    }
}

/// The window with its token in the part of the address that browsers never send.
fn window_address(address: SocketAddr, token: &str) -> String {
    let host = match address.ip() {
        ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
        std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        ip @ std::net::IpAddr::V4(_) => ip.to_string(),
    };
    let token: String = url::form_urlencoded::byte_serialize(token.as_bytes()).collect();
    format!("http://{host}:{}/#token={token}", address.port())
}

/// Says where the window is; the token only to a person who sits in front of it.
fn announce(host: &str, address: SocketAddr, page: &str) {
    if !gateway::is_loopback(host) {
        tracing::warn!(
            "{host} can be reached from the network: everyone there who has the token can use Sentient as you. \
             Leave --host out to keep it on this computer."
        );
    }
    let mut out = std::io::stdout();
    let said = if out.is_terminal() {
        writeln!(out, "Sentient is at {page}")
    } else {
        writeln!(out, "Sentient is at http://{address}")
    };
    if let Err(error) = said.and_then(|()| out.flush()) {
        tracing::debug!(%error, "nobody reads the output");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_windows_address_can_be_opened() {
        for (address, want) in [
            ("127.0.0.1:7777", "http://127.0.0.1:7777/#token=a%26b"),
            ("0.0.0.0:80", "http://127.0.0.1:80/#token=a%26b"),
            ("[::1]:7777", "http://[::1]:7777/#token=a%26b"),
        ] {
            assert_eq!(window_address(address.parse().expect("an address"), "a&b"), want);
        }
    }
}
