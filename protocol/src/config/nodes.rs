//! `nodes`: phones, glasses and other devices.

use super::section::section;

section! {
    /// Phones, glasses and other devices.
    pub struct Nodes {
        /// Let paired devices connect over your network.
        pub lan_enabled: bool = false,
        /// Port for devices.
        #[schemars(range(min = 1024, max = 65_535))]
        pub lan_port: u16 = 7778,
        /// Listen on every network of this computer, not only the private one.
        pub lan_bind_all: bool = false,
        /// Announce this computer so that devices find it by themselves.
        pub mdns_enabled: bool = true,
        /// Seconds of silence after which a device is disconnected.
        #[schemars(range(min = 30, max = 3600))]
        pub idle_timeout_s: u32 = 180,
        /// Ask before a device takes a picture or records.
        pub camera_requires_approval: bool = true,
        /// Let devices connect at all.
        pub enabled: bool = true,
        /// Let the screen of this computer be looked at.
        pub allow_desktop_screen: bool = true,
        /// Seconds to wait for a device's answer.
        #[schemars(range(min = 2, max = 120))]
        pub invoke_timeout_s: u32 = 20,
    }
}
