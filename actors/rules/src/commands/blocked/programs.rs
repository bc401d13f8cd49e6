//! What each dangerous program is allowed to be called with.

use super::{Blocked, Call, is_disk, is_protected, windows};

/// Whether a call is of one kind.
type Check = fn(&Call<'_>) -> bool;

/// The reason for which this call never runs.
pub(super) fn blocked(call: &Call<'_>) -> Option<Blocked> {
    let checks: [(Check, Blocked); 7] = [
        (wipes_disk, Blocked::Disk),
        (powers_off, Blocked::PowerOff),
        (deletes_registry, Blocked::Registry),
        (deletes_backups, Blocked::Backups),
        (changes_boot, Blocked::Boot),
        (deletes_folder, Blocked::Delete),
        (changes_owner, Blocked::Owner),
    ];
    checks.into_iter().find(|(check, _)| check(call)).map(|(_, why)| why)
}

fn wipes_disk(call: &Call<'_>) -> bool {
    let name = call.name;
    match name {
        "mke2fs" | "wipefs" | "blkdiscard" | "diskpart" | "clear-disk" | "initialize-disk" | "format-volume" => true,
        "fdisk" | "sfdisk" | "cfdisk" | "gdisk" | "sgdisk" | "parted" => {
            !call.words.is_empty() && !call.option(&['l', 'p', 'd', 'h', 'V'], "list") && !call.has(&["print"])
        }
        "format" => call.words.iter().any(|word| word.len() <= 3 && word.get(1..2) == Some(":")),
        "dd" => call.words.iter().any(|word| word.strip_prefix("of=").is_some_and(is_disk)),
        "shred" | "tee" | "cp" | "mv" | "cat" | "truncate" => {
            name != "cat" && call.names().last().is_some_and(|word| is_disk(word))
        }
        "hdparm" => call.words.iter().any(|word| word.starts_with("--security-erase") || word.starts_with("--trim")),
        "nvme" => call.has(&["format", "sanitize"]),
        "cryptsetup" => call.has(&["luksformat", "erase", "lukserase"]),
        "diskutil" => call.words.iter().any(|word| {
            let word = word.to_lowercase();
            word.starts_with("erase")
                || ["partitiondisk", "reformat", "secureerase", "zerodisk"].contains(&word.as_str())
        }),
        "cipher" => call.words.iter().any(|word| word.to_lowercase().starts_with("/w")),
        _ => name.starts_with("mkfs") || name.starts_with("newfs"),
    }
}

fn powers_off(call: &Call<'_>) -> bool {
    match call.name {
        "shutdown" => !call.has(&["-c", "/a", "-a", "--help", "/?"]),
        "reboot" | "halt" | "poweroff" | "telinit" | "logoff" | "stop-computer" | "restart-computer" => true,
        "gnome-session-quit" | "xfce4-session-logout" => true,
        "init" => call.word(0).is_some_and(|word| matches!(word.as_str(), "0" | "6")),
        "systemctl" => call.has(&["poweroff", "reboot", "halt", "kexec", "soft-reboot", "exit", "rescue", "emergency"]),
        "loginctl" => call.words.iter().any(|word| word.starts_with("terminate-") || word.starts_with("kill-")),
        "launchctl" => call.has(&["reboot", "bootout"]),
        "pkill" | "killall" => call.option(&['u'], "euid") && call.names().count() < 2,
        "kill" => call.words.iter().skip(1).any(|word| word == "-1"),
        "rundll32" => call.words.iter().any(|word| word.to_lowercase().contains("exitwindows")),
        "wmic" => call.has(&["os"]) && call.has(&["reboot", "shutdown", "win32shutdown"]),
        "osascript" => {
            let text = call.words.join(" ").to_lowercase();
            ["shut down", "restart", "log out"].iter().any(|words| text.contains(words))
        }
        _ => false,
    }
}

fn deletes_registry(call: &Call<'_>) -> bool {
    match call.name {
        "reg" => call.word(0).as_deref() == Some("delete"),
        "remove-item"
        | "remove-itemproperty"
        | "clear-item"
        | "ri"
        | "rp"
        | "rm"
        | "del"
        | "erase"
        | "rmdir"
        | "rd" => call.words.iter().any(|word| {
            let word = word.to_lowercase();
            ["hklm:", "hkcu:", "hkcr:", "hku:", "registry::", "hkey_"].iter().any(|root| word.starts_with(root))
        }),
        _ => false,
    }
}

fn deletes_backups(call: &Call<'_>) -> bool {
    match call.name {
        "vssadmin" | "wbadmin" | "diskshadow" => call.has(&["delete", "resize"]) || call.name == "diskshadow",
        "wmic" => call.has(&["shadowcopy"]) && call.has(&["delete"]),
        "tmutil" => {
            call.words.first().is_some_and(|word| word.to_lowercase().starts_with("delete") || word == "disable")
        }
        "timeshift" => call.words.iter().any(|word| word.starts_with("--delete")),
        "remove-ciminstance" | "remove-wmiobject" => true,
        _ => false,
    }
}

fn changes_boot(call: &Call<'_>) -> bool {
    match call.name {
        "bcdedit" => !call.words.is_empty() && !call.has(&["/enum", "/?", "/v"]),
        "bootcfg" | "bootsect" | "bootrec" | "bless" | "update-grub" | "update-grub2" | "grub-install"
        | "grub2-install" | "grub-mkconfig" | "grub2-mkconfig" | "grubby" | "mokutil" | "lilo" => {
            !call.has(&["--info", "--list-enrolled", "--sb-state", "--help", "--version", "-v"])
        }
        "efibootmgr" => !call.words.is_empty() && !call.words.iter().all(|word| word == "-v" || word == "--verbose"),
        "bootctl" => call.words.first().is_some_and(|word| {
            ["install", "remove", "update", "set-", "unlink", "reboot-"].iter().any(|verb| word.starts_with(verb))
        }),
        "reagentc" => call.has(&["/disable", "/setreimage"]),
        "nvram" => call.option(&['d', 'c'], "") || call.words.iter().any(|word| word.contains('=')),
        "systemsetup" => call.has(&["-setstartupdisk"]),
        _ => false,
    }
}

fn deletes_folder(call: &Call<'_>) -> bool {
    match call.name {
        "rm" | "rmdir" | "unlink" | "shred" | "srm" | "trash" | "trash-put" | "gio" => call.names_protected(),
        "remove-item" | "ri" | "clear-recyclebin" => call.names_protected(),
        "rd" | "del" | "erase" if windows(call.place) => {
            call.words.iter().filter(|word| !word.starts_with('/')).any(|word| is_protected(word, call.place))
        }
        "mv" => {
            let names: Vec<&String> = call.names().collect();
            names.split_last().is_some_and(|(_, from)| from.iter().any(|word| is_protected(word, call.place)))
        }
        "rsync" => {
            let deletes = call.words.iter().any(|word| word.starts_with("--del") || word == "--remove-source-files");
            deletes && call.names_protected()
        }
        _ => false,
    }
}

fn changes_owner(call: &Call<'_>) -> bool {
    match call.name {
        "chown" | "chgrp" | "chmod" | "chattr" | "setfacl" => {
            let recursive = call.option(&['R'], "recursive") || call.words.iter().any(|word| word.contains('*'));
            // Without `-R` the folder alone changes hands: for a whole drive or the system that is as bad.
            let names: Vec<&String> = call.names().collect();
            let at_root = names.iter().any(|word| matches!(word.as_str(), "/" | "/*"));
            (recursive && call.names_protected()) || at_root
        }
        "takeown" | "icacls" | "cacls" | "set-acl" => {
            call.words.iter().any(|word| is_protected(word, call.place) && !matches!(word.as_str(), "/"))
        }
        _ => false,
    }
}
