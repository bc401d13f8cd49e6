//! Finds out what this computer has: memory, graphics cards, and what models loaded in Ollama use.
//!
//! It never fails: what cannot be read is left out. Every program it starts and every address it asks has a time limit,
//! and nothing it finds leaves the computer.

mod parse;

use protocol::hardware::{Gpu, GpuVendor, Machine};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use tokio::time::{Duration, timeout};

/// The longest a probing program may take (models.md, "Detection facts").
const PROGRAM_LIMIT: Duration = Duration::from_secs(5);
/// The longest Ollama may take to say what it has loaded (models.md).
const OLLAMA_LIMIT: Duration = Duration::from_secs(2);
/// Graphics cards listed at most. Ours.
const GPUS_MAX: usize = 16;
/// AMD chips with less memory of their own are built in, not cards (contract 607-608).
const AMD_VRAM_GB_MIN: f64 = 2.0;
/// Of an Apple chip's memory, the share its graphics can use (contract 607).
const APPLE_GRAPHICS_SHARE: f64 = 2.0 / 3.0;

/// Where to look. The defaults are the computer's own places; tests hand in others.
#[derive(Clone, Debug)]
pub struct Places {
    /// `windows`, `macos` or `linux`.
    pub os: &'static str,
    pub meminfo: PathBuf,
    pub drm: PathBuf,
    /// The program, and what comes before its questions.
    pub nvidia_smi: Vec<OsString>,
    pub program_limit: Duration,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            os: std::env::consts::OS,
            meminfo: "/proc/meminfo".into(),
            drm: "/sys/class/drm".into(),
            nvidia_smi: vec!["nvidia-smi".into()],
            program_limit: PROGRAM_LIMIT,
        }
    }
}

/// Looks once and remembers, until asked to look again.
pub struct MachineReader {
    places: Places,
    http: reqwest::Client,
    found: Mutex<Option<Machine>>,
}

impl MachineReader {
    pub fn new(places: Places, http: reqwest::Client) -> Self {
        Self { places, http, found: Mutex::new(None) }
    }

    /// What this computer has. `ollama_base` is the address Ollama answers at.
    pub async fn read(&self, ollama_base: &str, refresh: bool) -> Machine {
        let known = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|_| !refresh) {
            return known;
        }
        let machine = self.look(ollama_base).await;
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(machine.clone());
        machine
    }

    async fn look(&self, ollama_base: &str) -> Machine {
        let places = &self.places;
        let (hardware, ollama_vram_gb) = tokio::join!(
            async {
                match places.os {
                    "macos" => macos(places).await,
                    "windows" => windows(places).await,
                    _ => linux(places).await,
                }
            },
            self.ollama_vram_gb(ollama_base)
        );
        let Found { ram_gb, mut gpus, unified_memory } = hardware;
        gpus.truncate(GPUS_MAX);
        Machine { os: places.os.to_owned(), ram_gb, unified_memory, gpus, ollama_vram_gb }
    }

    /// The graphics memory of all models Ollama has loaded; `None` when it does not answer or holds none there.
    async fn ollama_vram_gb(&self, base: &str) -> Option<f64> {
        let ask = async {
            let answer = self.http.get(format!("{}/api/ps", base.trim_end_matches('/'))).send().await.ok()?;
            answer.error_for_status().ok()?.json::<serde_json::Value>().await.ok()
        };
        timeout(OLLAMA_LIMIT, ask).await.ok().flatten().and_then(|answer| parse::ollama_vram_gb(&answer))
    }
}

#[derive(Default)]
struct Found {
    ram_gb: Option<f64>,
    gpus: Vec<Gpu>,
    unified_memory: bool,
}

async fn linux(places: &Places) -> Found {
    let ram_gb = tokio::fs::read_to_string(&places.meminfo).await.ok().and_then(|text| parse::meminfo(&text));
    let mut gpus = nvidia(places).await;
    let have_nvidia = !gpus.is_empty();
    gpus.extend(drm_cards(&places.drm).await.into_iter().filter(|gpu| !have_nvidia || gpu.vendor != GpuVendor::Nvidia));
    Found { ram_gb, gpus, unified_memory: false }
}

async fn macos(places: &Places) -> Found {
    let sysctl = async |name: &str| run(&["/usr/sbin/sysctl", "-n", name], places.program_limit).await;
    let (memory, chip) = tokio::join!(sysctl("hw.memsize"), sysctl("machdep.cpu.brand_string"));
    let ram_gb = memory.and_then(|text| text.trim().parse().ok()).map(parse::gib);
    let chip = chip.map(|text| text.trim().to_owned()).unwrap_or_default();
    if !chip.starts_with("Apple") {
        return Found { ram_gb, ..Found::default() };
    }
    let vram_gb = ram_gb.map(|memory| parse::one_decimal(memory * APPLE_GRAPHICS_SHARE));
    let gpu = Gpu { name: chip, vendor: GpuVendor::Apple, vram_gb, usable: true };
    Found { ram_gb, gpus: vec![gpu], unified_memory: true }
}

async fn windows(places: &Places) -> Found {
    const CLASS: &str = r"HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}";
    const MEMORY: &str = "(Get-CimInstance Win32_ComputerSystem).TotalPhysicalMemory";
    let (memory, registry, mut gpus) = tokio::join!(
        run(&["powershell.exe", "-NoProfile", "-NonInteractive", "-Command", MEMORY], places.program_limit),
        run(&["reg.exe", "query", CLASS, "/s"], places.program_limit),
        nvidia(places)
    );
    let have_nvidia = !gpus.is_empty();
    let cards = registry.map(|text| parse::registry(&text)).unwrap_or_default();
    gpus.extend(cards.into_iter().filter(|gpu| !have_nvidia || gpu.vendor != GpuVendor::Nvidia));
    let ram_gb = memory.and_then(|text| text.trim().parse().ok()).map(parse::gib);
    Found { ram_gb, gpus, unified_memory: false }
}

async fn nvidia(places: &Places) -> Vec<Gpu> {
    let question = ["--query-gpu=name,memory.total", "--format=csv,noheader,nounits"].map(OsString::from);
    let answer = run(&[places.nvidia_smi.as_slice(), &question].concat(), places.program_limit).await;
    answer.map(|text| parse::nvidia_smi(&text)).unwrap_or_default()
}

/// The output of a program that ended well within its time; it is killed when it does not.
async fn run<T: AsRef<OsStr>>(line: &[T], limit: Duration) -> Option<String> {
    let (program, arguments) = line.split_first()?;
    let program = program.as_ref();
    let mut command = tokio::process::Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    match timeout(limit, command.output()).await {
        Ok(Ok(output)) if output.status.success() => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(Ok(output)) => {
            tracing::debug!(?program, status = %output.status, "a hardware probe failed");
            None
        }
        Ok(Err(cause)) => {
            tracing::debug!(?program, %cause, "a hardware probe could not be started");
            None
        }
        Err(_) => {
            tracing::debug!(?program, "a hardware probe took too long");
            None
        }
    }
}

/// Cards the Linux kernel drives, from `/sys/class/drm/card<N>/device`.
async fn drm_cards(drm: &Path) -> Vec<Gpu> {
    let mut cards: Vec<(String, PathBuf)> = Vec::new();
    let Ok(mut entries) = tokio::fs::read_dir(drm).await else { return Vec::new() };
    while let Ok(Some(entry)) = entries.next_entry().await {
        let name = entry.file_name().to_string_lossy().into_owned();
        // `card0` is a card; `card0-HDMI-A-1` is one of its sockets.
        if name.strip_prefix("card").is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit())) {
            cards.push((name, entry.path().join("device")));
        }
        if GPUS_MAX <= cards.len() {
            break;
        }
    }
    cards.sort();
    let mut gpus = Vec::new();
    for (_, device) in cards {
        let read = async |file: &str| tokio::fs::read_to_string(device.join(file)).await.ok();
        let vendor = read("vendor").await.unwrap_or_default();
        let memory = read("mem_info_vram_total").await.and_then(|text| text.trim().parse().ok());
        let product = read("product_name").await;
        gpus.extend(parse::drm_card(vendor.trim(), memory, product.as_deref().map(str::trim)));
    }
    gpus
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(folder: &Path) -> Places {
        Places {
            os: "linux",
            meminfo: folder.join("meminfo"),
            drm: folder.join("drm"),
            nvidia_smi: vec![folder.join("nvidia-smi").into()],
            program_limit: Duration::from_millis(200),
        }
    }

    fn reader(places: Places) -> MachineReader {
        MachineReader::new(places, reqwest::Client::new())
    }

    /// An address nobody listens at.
    const NOBODY: &str = "http://127.0.0.1:9";

    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    #[tokio::test]
    async fn a_computer_that_tells_nothing_is_no_failure() {
        let folder = tempfile::tempdir().expect("a folder");
        for os in ["linux", "macos", "windows"] {
            let machine = reader(Places { os, ..places(folder.path()) }).read(NOBODY, false).await;
            assert_eq!(machine.os, os);
            assert!(machine.gpus.is_empty() && machine.ollama_vram_gb.is_none(), "{os}: {machine:?}");
        }
    }

    #[tokio::test]
    async fn it_looks_once_and_again_when_asked() {
        let folder = tempfile::tempdir().expect("a folder");
        let reader = reader(places(folder.path()));
        write(&folder.path().join("meminfo"), "MemTotal:       16777216 kB\n");
        assert_eq!(reader.read(NOBODY, false).await.ram_gb, Some(16.0));
        write(&folder.path().join("meminfo"), "MemTotal:       8388608 kB\n");
        assert_eq!(reader.read(NOBODY, false).await.ram_gb, Some(16.0), "remembered");
        assert_eq!(reader.read(NOBODY, true).await.ram_gb, Some(8.0), "looked again");
    }

    #[tokio::test]
    async fn cards_of_the_kernel_are_found_and_sockets_are_not_cards() {
        let folder = tempfile::tempdir().expect("a folder");
        let drm = folder.path().join("drm");
        write(&drm.join("card0/device/vendor"), "0x8086\n");
        write(&drm.join("card1/device/vendor"), "0x1002\n");
        write(&drm.join("card1/device/mem_info_vram_total"), "17163091968\n");
        write(&drm.join("card1-HDMI-A-1/device/vendor"), "0x1002\n");
        write(&drm.join("card2/device/vendor"), "0x1af4\n");
        let machine = reader(places(folder.path())).read(NOBODY, false).await;
        let found: Vec<_> = machine.gpus.iter().map(|gpu| (gpu.vendor, gpu.vram_gb, gpu.usable)).collect();
        assert_eq!(found, [(GpuVendor::Intel, None, false), (GpuVendor::Amd, Some(16.0), true)]);
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_probe_that_hangs_or_fails_is_given_up() {
        let folder = tempfile::tempdir().expect("a folder");
        let script_file = folder.path().join("nvidia-smi");
        for (name, script, want) in [
            ("answers", "echo 'NVIDIA GeForce RTX 3060, 12288'\n", 1),
            ("fails", "echo 'Card, 12288'\nexit 9\n", 0),
            ("hangs", "exec sleep 60\n", 0),
        ] {
            write(&script_file, script);
            // A program that answers may take its time on a busy computer.
            let program_limit = if want == 0 { Duration::from_millis(200) } else { Duration::from_secs(30) };
            let nvidia_smi = vec!["/bin/sh".into(), script_file.clone().into()];
            let places = Places { program_limit, nvidia_smi, ..places(folder.path()) };
            let machine = reader(places).read(NOBODY, false).await;
            assert_eq!(machine.gpus.len(), want, "{name}: {machine:?}");
        }
    }
}
