//! The configuration: one struct per topic. (filled by the config work)
