//! What the computer runs on, as Linux tells it in `/sys/class/power_supply` (Documentation/ABI/testing/sysfs-class-power).
//!
//! It never fails: what cannot be read counts as plugged in. Batteries of mice and headphones (`scope` is `Device`) are not
//! the computer's. Other systems are not read yet (decision 0161) and count as plugged in too.

use actors::ports::PowerSupply;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use rules::local_queue::Power;
use std::fs;
use std::path::{Path, PathBuf};
use tokio::time::{Duration, timeout};

/// How long the reading may take. Some batteries answer slowly.
const READ_MAX: Duration = Duration::from_secs(5);
/// Supplies looked at. Ours; a laptop has a handful.
const SUPPLIES_MAX: usize = 64;

/// The computer's own power supply.
pub struct SystemPower {
    folder: PathBuf,
}

impl SystemPower {
    /// Reads the supplies in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }
}

impl Default for SystemPower {
    fn default() -> Self {
        Self::new("/sys/class/power_supply")
    }
}

impl PowerSupply for SystemPower {
    fn read(&self) -> BoxFuture<'static, Power> {
        let folder = self.folder.clone();
        async move {
            let read = tokio::task::spawn_blocking(move || look(&folder));
            match timeout(READ_MAX, read).await {
                Ok(Ok(power)) => power,
                Ok(Err(_)) | Err(_) => {
                    tracing::debug!("the power supply did not say what the computer runs on");
                    Power::Mains
                }
            }
        }
        .boxed()
    }
}

/// A reading that was said, not looked up (`SENTIENT_DEBUG_BATTERY`).
pub struct SaidPower(pub Power);

impl PowerSupply for SaidPower {
    fn read(&self) -> BoxFuture<'static, Power> {
        ready(self.0).boxed()
    }
}

fn look(folder: &Path) -> Power {
    let supplies = fs::read_dir(folder).into_iter().flatten().flatten().take(SUPPLIES_MAX);
    let (mut plugged_in, mut has_battery, mut discharging) = (false, false, false);
    let mut levels: Vec<u32> = Vec::new();
    for supply in supplies {
        let value = |name: &str| fs::read_to_string(supply.path().join(name)).unwrap_or_default().trim().to_owned();
        if value("scope") == "Device" {
            continue;
        }
        if value("type") == "Battery" {
            has_battery = true;
            discharging |= value("status") == "Discharging";
            levels.extend(value("capacity").parse::<u32>().ok().filter(|level| *level <= 100));
        } else {
            // `Mains`, `USB`, `Wireless`…: what feeds the computer. 2 is "online, programmable" for USB.
            plugged_in |= matches!(value("online").as_str(), "1" | "2");
        }
    }
    // A charger too weak for the load lets the battery go down; that is running on battery.
    if !has_battery || (plugged_in && !discharging) {
        return Power::Mains;
    }
    let count = u32::try_from(levels.len()).unwrap_or(u32::MAX);
    let percent = levels.iter().sum::<u32>().checked_div(count).and_then(|mean| u8::try_from(mean).ok());
    Power::Battery { percent }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Supply = (&'static str, &'static [(&'static str, &'static str)]);

    fn read(supplies: &[Supply]) -> Power {
        let home = tempfile::tempdir().expect("a folder");
        for (name, values) in supplies {
            let folder = home.path().join(name);
            fs::create_dir(&folder).expect("a folder");
            for (key, value) in *values {
                fs::write(folder.join(key), format!("{value}\n")).expect("written");
            }
        }
        look(home.path())
    }

    #[test]
    fn what_linux_tells() {
        const AC_ON: Supply = ("AC", &[("type", "Mains"), ("online", "1")]);
        const AC_OFF: Supply = ("AC", &[("type", "Mains"), ("online", "0")]);
        const DOWN: Supply = ("BAT0", &[("type", "Battery"), ("status", "Discharging"), ("capacity", "41")]);
        const UP: Supply = ("BAT0", &[("type", "Battery"), ("status", "Charging"), ("capacity", "41")]);
        const FULL: Supply = ("BAT1", &[("type", "Battery"), ("status", "Unknown"), ("capacity", "80")]);
        const SILENT: Supply = ("BAT0", &[("type", "Battery")]);
        const MOUSE: Supply = ("hid", &[("type", "Battery"), ("scope", "Device"), ("status", "Discharging")]);
        let battery = |percent| Power::Battery { percent };
        for (name, supplies, want) in [
            ("a desktop computer", &[][..], Power::Mains),
            ("a desktop computer with a mouse", &[MOUSE], Power::Mains),
            ("plugged in", &[AC_ON, UP], Power::Mains),
            ("unplugged", &[AC_OFF, DOWN], battery(Some(41))),
            ("a weak charger", &[AC_ON, DOWN], battery(Some(41))),
            ("two batteries", &[AC_OFF, DOWN, FULL], battery(Some(60))),
            ("a battery that says nothing", &[AC_OFF, SILENT], battery(None)),
            ("a charger that says nothing", &[DOWN], battery(Some(41))),
        ] {
            assert_eq!(read(supplies), want, "{name}");
        }
        assert_eq!(look(Path::new("/nowhere/at/all")), Power::Mains);
    }

    #[tokio::test]
    async fn the_port_reads_this_computer_or_what_was_said() {
        let home = tempfile::tempdir().expect("a folder");
        assert_eq!(SystemPower::new(home.path()).read().await, Power::Mains);
        let said = SaidPower(Power::Battery { percent: Some(7) });
        assert_eq!(said.read().await, Power::Battery { percent: Some(7) });
    }
}
