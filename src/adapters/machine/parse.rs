//! Reads what the probing programs and files say. Plain functions; an answer that makes no sense is `None` or empty.

use super::AMD_VRAM_GB_MIN;
use protocol::hardware::{Gpu, GpuVendor};
use serde_json::Value;

const GIB: f64 = 1024.0 * 1024.0 * 1024.0;

/// Bytes as GiB with one decimal.
#[expect(clippy::cast_precision_loss, reason = "memory sizes are far below 2^53 bytes, and one decimal is kept")]
pub(super) fn gib(bytes: u64) -> f64 {
    one_decimal(bytes as f64 / GIB)
}

pub(super) fn one_decimal(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// `MemTotal` of `/proc/meminfo`, in GiB.
pub(super) fn meminfo(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(gib(kib.checked_mul(1024)?))
}

/// Lines `name, MiB` of `nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits`.
pub(super) fn nvidia_smi(text: &str) -> Vec<Gpu> {
    let card = |line: &str| {
        let (name, memory) = line.rsplit_once(',')?;
        let vram_gb = memory.trim().parse::<u64>().ok().and_then(|mib| mib.checked_mul(1024 * 1024)).map(gib);
        let name = name.trim();
        // Some laptops answer `[N/A]` for a card that shares the computer's memory.
        (!name.is_empty()).then(|| Gpu { name: name.to_owned(), vendor: GpuVendor::Nvidia, vram_gb, usable: true })
    };
    text.lines().filter_map(card).collect()
}

/// One card of the Linux kernel, by the PCI id of its maker. Virtual cards are left out.
pub(super) fn drm_card(vendor: &str, memory: Option<u64>, product: Option<&str>) -> Option<Gpu> {
    let (vendor, usual_name) = match vendor {
        "0x10de" => (GpuVendor::Nvidia, "NVIDIA graphics"),
        "0x1002" => (GpuVendor::Amd, "AMD graphics"),
        "0x8086" => (GpuVendor::Intel, "Intel graphics"),
        _ => return None,
    };
    let vram_gb = memory.map(gib);
    let name = product.filter(|name| !name.is_empty()).unwrap_or(usual_name).to_owned();
    // An NVIDIA card seen here and not by nvidia-smi has no driver that a model could use.
    Some(Gpu { name, vendor, vram_gb, usable: vendor != GpuVendor::Nvidia && is_usable(vendor, vram_gb) })
}

/// Built-in Intel graphics and AMD chips with little memory of their own do not count (contract 607-608).
fn is_usable(vendor: GpuVendor, vram_gb: Option<f64>) -> bool {
    match vendor {
        GpuVendor::Intel => false,
        GpuVendor::Amd => vram_gb.is_some_and(|memory| AMD_VRAM_GB_MIN <= memory),
        GpuVendor::Nvidia | GpuVendor::Apple | GpuVendor::Other => true,
    }
}

/// Display adapters in the output of `reg query <display class> /s`: one block per adapter, a line per value.
pub(super) fn registry(text: &str) -> Vec<Gpu> {
    let mut gpus = Vec::new();
    for block in text.split("HKEY_LOCAL_MACHINE").skip(1) {
        let value = |name: &str| {
            let line = block.lines().map(str::trim).find(|line| line.starts_with(&format!("{name} ")))?;
            line.split_once("REG_").and_then(|(_, rest)| rest.split_once(' ')).map(|(_, value)| value.trim().to_owned())
        };
        let Some(name) = value("DriverDesc") else { continue };
        let memory = value("HardwareInformation.qwMemorySize")
            .and_then(|text| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok());
        let lower = name.to_lowercase();
        let vendor = match () {
            () if lower.contains("nvidia") => GpuVendor::Nvidia,
            () if lower.contains("amd") || lower.contains("radeon") => GpuVendor::Amd,
            () if lower.contains("intel") => GpuVendor::Intel,
            // Remote desktops and virtual machines bring adapters that are no card at all.
            () if memory.is_none() => continue,
            () => GpuVendor::Other,
        };
        let vram_gb = memory.map(gib);
        let gpu = Gpu { name, vendor, vram_gb, usable: memory.is_some() && is_usable(vendor, vram_gb) };
        if !gpus.contains(&gpu) {
            gpus.push(gpu);
        }
    }
    gpus
}

/// The sum of `size_vram` over the models of Ollama's `/api/ps`, in GiB; `None` when nothing lies on a card.
pub(super) fn ollama_vram_gb(answer: &Value) -> Option<f64> {
    let models = answer.get("models")?.as_array()?;
    let bytes = models.iter().filter_map(|model| model.get("size_vram")?.as_u64()).fold(0, u64::saturating_add);
    (bytes != 0).then(|| gib(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn memory_of_linux() {
        for (text, want) in [
            ("MemTotal:       16045396 kB\nMemFree: 1 kB\n", Some(15.3)),
            ("MemFree: 1 kB\nMemTotal: 1048576 kB", Some(1.0)),
            ("MemTotal: lots", None),
            ("MemTotal: 18446744073709551615 kB", None),
            ("", None),
        ] {
            assert_eq!(meminfo(text), want, "{text:?}");
        }
    }

    #[test]
    fn nvidia_cards() {
        for (text, want) in [
            ("NVIDIA GeForce RTX 4060 Laptop GPU, 8188\n", vec![("NVIDIA GeForce RTX 4060 Laptop GPU", Some(8.0))]),
            ("A, 24564\nB, 12288\n", vec![("A", Some(24.0)), ("B", Some(12.0))]),
            ("NVIDIA GB10, [N/A]\n", vec![("NVIDIA GB10", None)]),
            ("Failed to initialize NVML\n", vec![]),
            (", 5\n\n", vec![]),
        ] {
            let found = nvidia_smi(text);
            let found: Vec<_> = found.iter().map(|gpu| (gpu.name.as_str(), gpu.vram_gb)).collect();
            assert_eq!(found, want, "{text:?}");
        }
    }

    #[test]
    fn cards_of_the_linux_kernel() {
        let gb = |number: u64| Some(number * 1024 * 1024 * 1024);
        for (vendor, memory, want) in [
            ("0x1002", gb(16), Some(("AMD graphics", true))),
            ("0x1002", gb(1), Some(("AMD graphics", false))),
            ("0x1002", None, Some(("AMD graphics", false))),
            ("0x8086", gb(16), Some(("Intel graphics", false))),
            ("0x10de", None, Some(("NVIDIA graphics", false))),
            ("0x1af4", gb(16), None),
            ("", None, None),
        ] {
            let found = drm_card(vendor, memory, None);
            assert_eq!(found.as_ref().map(|gpu| (gpu.name.as_str(), gpu.usable)), want, "{vendor} {memory:?}");
        }
        assert_eq!(drm_card("0x1002", gb(8), Some("Radeon RX 7600")).expect("a card").name, "Radeon RX 7600");
    }

    #[test]
    fn cards_of_the_windows_registry() {
        let text = r"
HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Class\{4d36e968}\0000
    DriverDesc    REG_SZ    AMD Radeon RX 7800 XT
    ProviderName    REG_SZ    Advanced Micro Devices, Inc.
    HardwareInformation.qwMemorySize    REG_QWORD    0x400000000

HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Class\{4d36e968}\0001
    DriverDesc    REG_SZ    Intel(R) Iris(R) Xe Graphics
    HardwareInformation.qwMemorySize    REG_QWORD    0x8000000

HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Class\{4d36e968}\0002
    DriverDesc    REG_SZ    Microsoft Remote Display Adapter

HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Class\{4d36e968}\Configuration
    Broken line
";
        let found = registry(text);
        let found: Vec<_> = found.iter().map(|gpu| (gpu.name.as_str(), gpu.vram_gb, gpu.usable)).collect();
        assert_eq!(
            found,
            [("AMD Radeon RX 7800 XT", Some(16.0), true), ("Intel(R) Iris(R) Xe Graphics", Some(0.1), false)]
        );
        assert!(registry("ERROR: The system was unable to find the specified registry key").is_empty());
    }

    #[test]
    fn what_ollama_holds() {
        for (answer, want) in [
            (json!({"models": [{"size_vram": 6_442_450_944_u64}, {"size_vram": 1_073_741_824}]}), Some(7.0)),
            (json!({"models": [{"size": 5, "size_vram": 0}]}), None),
            (json!({"models": []}), None),
            (json!({"error": "x"}), None),
        ] {
            assert_eq!(ollama_vram_gb(&answer), want, "{answer}");
        }
    }
}
