//! Tables and laws for commands.

use super::*;
use crate::oracles::check_command;
use proptest::prelude::*;

const UNIX: Place<'_> = Place {
    system: System::Unix,
    folder: "/home/maya/projects/site",
    home: Some("/home/maya"),
    data: Some("/home/maya/.sentient"),
};
const WINDOWS: Place<'_> = Place {
    system: System::Windows,
    folder: r"C:\Users\Maya\site",
    home: Some(r"C:\Users\Maya"),
    data: Some(r"C:\Users\Maya\.sentient"),
};

fn words(line: &str) -> Vec<Vec<String>> {
    simple_commands(line, ShellKind::Posix).into_iter().map(|command| command.words).collect()
}

#[test]
fn a_line_is_read_as_a_shell_reads_it() {
    for (line, want) in [
        ("ls -la", vec![vec!["ls", "-la"]]),
        ("  git  status ; pwd", vec![vec!["git", "status"], vec!["pwd"]]),
        ("a 'b c' \"d e\" f\\ g", vec![vec!["a", "b c", "d e", "f g"]]),
        ("a '' b", vec![vec!["a", "", "b"]]),
        ("r\\m -r\"f\" /", vec![vec!["rm", "-rf", "/"]]),
        ("a && b || c | d & e", vec![vec!["a"], vec!["b"], vec!["c"], vec!["d"], vec!["e"]]),
        ("a # b\nc", vec![vec!["a"], vec!["c"]]),
        ("a#b", vec![vec!["a#b"]]),
        ("(a; { b; })", vec![vec!["a"], vec!["b"]]),
        ("a $(b c) d", vec![vec!["a", "\u{fffd}", "d"], vec!["b", "c"]]),
        ("a `b \\`c\\``", vec![vec!["a", "\u{fffd}"], vec!["b", "\u{fffd}"], vec!["c"]]),
        ("a \"x $(b) y\"", vec![vec!["a", "x \u{fffd} y"], vec!["b"]]),
        ("diff <(a) >(b)", vec![vec!["diff"], vec!["a"], vec!["b"]]),
        ("$'r\\x6d' x", vec![vec!["rm", "x"]]),
        ("$'\\162m'", vec![vec!["rm"]]),
        ("a \\\n b", vec![vec!["a", "b"]]),
        ("cat <<END\nreboot\nEND\nls", vec![vec!["cat"], vec!["ls"]]),
        ("! a", vec![vec!["a"]]),
        ("", vec![]),
        ("'open", vec![vec!["open"]]),
    ] {
        assert_eq!(words(line), want, "{line}");
    }
}

#[test]
fn what_is_written_to_and_read_from_is_no_word() {
    let found = simple_commands("a >x 2>>y b 2>&1 <z <<'E' c\nhello\nE\n", ShellKind::Posix);
    let [command] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(command.words, ["a", "b", "c"]);
    assert_eq!(command.writes_to, ["x", "y", "1"]);
    assert_eq!(command.reads, "hello\n");
}

#[test]
fn listed_commands_are_plain_ones() {
    let listed: Vec<String> = ["git status", "git diff", "ls", "dir"].map(String::from).to_vec();
    for (command, want) in [
        ("git status", true),
        ("  git status  ", true),
        ("git status --short", true),
        ("git diff HEAD~2 -- 'src/a b.rs'", true),
        ("git diff --stat", true),
        ("git diff -- --output=x", false),
        ("ls *.rs", true),
        ("ls", true),
        ("lsof", false),
        ("Git status", false),
        ("git", false),
        ("git statusx", false),
        ("git push", false),
        ("", false),
        ("git status; rm -r x", false),
        ("git status && rm x", false),
        ("git status | sh", false),
        ("git status > x", false),
        ("git status < x", false),
        ("git status `rm x`", false),
        ("git status $(rm x)", false),
        ("git status $HOME", false),
        ("git status {a,b}", false),
        ("git status\nrm x", false),
        ("git status\rrm x", false),
        ("git status\u{0}", false),
        ("git status\tx", false),
        ("git diff --output=x", false),
        ("git diff --outp=x", false),
        ("git diff --out\"put\"=x", false),
        ("git diff --out\\put=x", false),
        ("git diff --ext-diff", false),
        ("git diff --ext", false),
        ("git diff --textconv", false),
        ("git diff --exec x", false),
        ("git diff *", false),
        ("git diff -- *", true),
    ] {
        assert_eq!(is_listed(command, &listed, System::Unix), want, "{command:?}");
    }
    assert!(is_listed("GIT Status -s", &listed, System::Windows));
    assert!(is_listed(r"dir C:\Users", &listed, System::Windows));
    for command in [
        "git diff \u{201c}--outp\u{201d}ut=x",
        "git diff \u{2018}--outp\u{2019}ut=x",
        "git diff \u{2013}\u{2013}output=x",
        r"ls \\evil.example\what-i-know",
        "ls //evil.example/what-i-know",
        r"ls '\\evil.example\x'",
        r"git diff --no-index a \\evil.example\x\y",
        r"dir FileSystem::\\evil.example\x",
    ] {
        assert!(!is_listed(command, &listed, System::Windows), "{command}");
    }
    assert!(is_listed("git diff \u{2013}x", &listed, System::Unix), "a letter like others there");
    assert!(!is_listed("ls", &[String::new(), " ".into()], System::Unix), "an empty entry lists nothing");
}

#[test]
fn some_commands_never_run() {
    use Blocked::{Backups, Boot, Delete, Disk, ForkBomb, Owner, PowerOff};
    for (command, want) in [
        // What is meant.
        ("mkfs.ext4 /dev/sda1", Disk),
        ("dd if=/dev/zero of=/dev/nvme0n1 bs=1M", Disk),
        ("cat image > /dev/sdb", Disk),
        ("sudo wipefs -a /dev/sda", Disk),
        ("echo x | sudo tee /dev/sda", Disk),
        ("diskutil eraseDisk JHFS+ X disk2", Disk),
        ("cryptsetup luksFormat /dev/sda", Disk),
        ("shutdown -h now", PowerOff),
        ("sudo -u root /sbin/reboot", PowerOff),
        ("systemctl poweroff", PowerOff),
        ("init 0", PowerOff),
        ("kill -9 -1", PowerOff),
        ("loginctl terminate-user maya", PowerOff),
        ("rm -rf /", Delete),
        ("rm -rf --no-preserve-root /", Delete),
        ("rm -rf /*", Delete),
        ("rm -rf ~", Delete),
        ("rm -rf ~/", Delete),
        ("rm -rf ~/*", Delete),
        ("rm -rf ~/{*,.*}", Delete),
        ("rm -rf $HOME", Delete),
        ("rm -rf \"${HOME}/\"", Delete),
        ("rm -rf ../..", Delete),
        ("rm -rf /usr /tmp/x", Delete),
        ("rm -rf /home/other", Delete),
        ("rm -rf ~/.sentient/backups", Delete),
        ("cd /tmp && rm -rf /etc/.", Delete),
        ("find / -delete", Delete),
        ("find ~ -exec rm -rf {} +", Delete),
        ("mv ~ /tmp/gone", Delete),
        ("rsync -a --delete empty/ /home/maya/", Delete),
        ("chown -R nobody /", Owner),
        ("chmod -R 000 ~", Owner),
        ("chmod 000 /", Owner),
        ("tmutil deletelocalsnapshots /", Backups),
        ("timeshift --delete-all", Backups),
        ("update-grub", Boot),
        ("efibootmgr -b 0001 -B", Boot),
        (":(){ :|:& };:", ForkBomb),
        ("bomb() { bomb | bomb & }; bomb", ForkBomb),
        ("perl -e 'fork while fork'", ForkBomb),
        ("python3 -c 'import os\nwhile True: os.fork()'", ForkBomb),
        // However it is wrapped.
        ("r\\m -rf /", Delete),
        ("'rm' -r'f' /", Delete),
        ("$'\\x72m' -rf /", Delete),
        ("true; rm -rf /", Delete),
        ("echo $(rm -rf /)", Delete),
        ("echo `rm -rf /`", Delete),
        ("A=1 B=2 rm -rf /", Delete),
        ("env -u X A=1 rm -rf /", Delete),
        ("timeout 5 nice -n 10 rm -rf /", Delete),
        ("bash -c 'rm -rf /'", Delete),
        ("bash -lc \"sudo rm -rf ~\"", Delete),
        ("sh -c \"sh -c 'rm -rf /'\"", Delete),
        ("eval rm -rf /", Delete),
        ("echo 'rm -rf /' | sh", Delete),
        ("bash <<E\nrm -rf /\nE", Delete),
        ("if true; then reboot; fi", PowerOff),
        ("find . -name x -exec reboot \\;", PowerOff),
        ("/bin/RM -rf /", Delete),
    ] {
        assert_eq!(blocked(command, &UNIX), Some(want), "{command}");
    }
}

#[test]
fn some_commands_of_windows_never_run() {
    use Blocked::{Backups, Boot, Delete, Disk, Owner, PowerOff, Registry};
    for (command, want) in [
        ("format C:", Disk),
        ("Format-Volume -DriveLetter D", Disk),
        ("shutdown /s /t 0", PowerOff),
        ("Restart-Computer -Force", PowerOff),
        (r"reg delete HKLM\Software\X /f", Registry),
        (r"Remove-Item HKCU:\Software\X -Recurse", Registry),
        (r"Remove-Item -Recurse -Force C:\", Delete),
        (r"rd /s /q C:\Windows", Delete),
        (r"rm -r $env:USERPROFILE", Delete),
        (r"del /s /q c:\*", Delete),
        (r"cmd /c rd /s /q C:\Users\Maya", Delete),
        (r"takeown /f C:\ /r", Owner),
        ("vssadmin delete shadows /all", Backups),
        ("wbadmin delete catalog", Backups),
        ("bcdedit /set testsigning on", Boot),
        ("powershell -NoProfile -Command Stop-Computer", PowerOff),
        ("r`eg delete HKLM", Registry),
    ] {
        assert_eq!(blocked(command, &WINDOWS), Some(want), "{command}");
    }
}

#[test]
fn ordinary_work_is_left_alone() {
    for command in [
        "rm -rf build node_modules/",
        "rm -rf ./*",
        "rm -rf ~/projects/site/dist",
        "rm -rf /tmp/x",
        "rm /home/maya/notes.txt",
        "find . -name '*.pyc' -delete",
        "find / -name core -size +10M -delete",
        "chmod -R u+w build",
        "chown maya /home/maya/a",
        "grep -r reboot /var/log",
        "sudo grep shutdown /etc/passwd",
        "git commit -m 'rm -rf / is bad; reboot'",
        "echo 'rm -rf /' > warning.txt",
        "cat <<E > notes.md\nreboot\nE",
        "fdisk -l",
        "sudo parted /dev/sda print",
        "dd if=/dev/zero of=disk.img bs=1M count=8",
        "cat /dev/sda1 | head -c 10",
        "mv ~/a ~/b",
        "systemctl status nginx",
        "kill -9 1234",
        "kill -1 1234",
        "shutdown -c",
        "efibootmgr -v",
        "bootctl status",
        "ls /",
        "du -sh ~",
        "f() { echo hi; }; f",
        "npm run format",
        "make clean",
        "python3 -c 'print(1)'",
        "rsync -a --delete build/ server:/srv/site/",
    ] {
        assert_eq!(blocked(command, &UNIX), None, "{command}");
    }
    for command in
        [r"dir C:\", r"del build\a.obj", "reg query HKLM", "bcdedit", "vssadmin list shadows", "npm run format"]
    {
        assert_eq!(blocked(command, &WINDOWS), None, "{command}");
    }
}

#[test]
fn folders_are_inside_or_not() {
    for (path, folder, system, want) in [
        ("/home/maya/a", "/home/maya", System::Unix, true),
        ("/home/maya", "/home/maya/", System::Unix, true),
        ("/home/maya2", "/home/maya", System::Unix, false),
        ("/home", "/home/maya", System::Unix, false),
        ("/anything", "/", System::Unix, true),
        ("/home/Maya", "/home/maya", System::Unix, false),
        (r"C:\Users\Maya\a", r"c:\users\maya", System::Windows, true),
        (r"\\?\C:\Users\Maya", r"C:\Users\Maya\", System::Windows, true),
        (r"C:\Users\Maya2", r"C:\Users\Maya", System::Windows, false),
    ] {
        assert_eq!(inside(path, folder, system), want, "{path} in {folder}");
    }
}

#[test]
fn the_environment_has_no_secrets() {
    let keys = ["MY_LLM".to_owned()];
    for (name, value, want) in [
        ("PATH", "/bin", true),
        ("HOME", "/home/maya", true),
        ("PWD", "/x", true),
        ("SSH_AUTH_SOCK", "/run/agent", true),
        ("KEYBOARD", "de", true),
        ("LANG", "C", true),
        ("TOKENIZERS_PARALLELISM", "1", false),
        ("OPENAI_API_KEY", "k", false),
        ("GITHUB_TOKEN", "k", false),
        ("githubtoken", "k", false),
        ("AWS_SECRET_ACCESS_KEY", "k", false),
        ("DB_PASSWORD", "k", false),
        ("PGPASSWORD", "k", false),
        ("MYSQL_PWD", "k", false),
        ("MY_CREDENTIALS", "k", false),
        ("SENTIENT_HOME", "/x", false),
        ("LITELLM_LOG", "x", false),
        ("my_llm", "k", false),
        ("HTTP_PROXY", "http://maya:pw@proxy:3128", false),
        ("HTTP_PROXY", "http://proxy:3128/a@b:c", true),
        ("DATABASE_URL", "postgres://maya:pw@db/x", false),
    ] {
        let kept = clean([(name.to_owned(), value.to_owned())], &keys).count() == 1;
        assert_eq!(kept, want, "{name}={value}");
    }
}

#[test]
fn settings_of_git_come_after_those_that_are_there() {
    let names = |already, subcommand| {
        let variables = listed_git_settings(already, subcommand).into_iter();
        variables.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
    };
    let want = ["GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false"];
    assert_eq!(names(None, None), want);
    assert_eq!(names(None, Some("commit")), want, "hooks of what does more than look are the person's choice");
    let want = ["GIT_CONFIG_COUNT=3", "GIT_CONFIG_KEY_2=core.fsmonitor", "GIT_CONFIG_VALUE_2=false"];
    assert_eq!(names(Some("2"), Some("")), want);
    assert_eq!(names(Some("many"), None)[0], "GIT_CONFIG_COUNT=1");
    let looks = names(Some("2"), Some("status"));
    for want in ["GIT_CONFIG_COUNT=4", "GIT_CONFIG_KEY_3=core.hooksPath", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1"]
    {
        assert!(looks.iter().any(|variable| variable == want), "{want} in {looks:?}");
    }
}

#[test]
fn a_long_folder_shows_its_end() {
    assert_eq!(target("/home/maya"), "/home/maya");
    let long = format!("/{}/end", "ä".repeat(200));
    let shown = target(&long);
    assert_eq!(shown.chars().count(), TARGET_CHARS_MAX);
    assert!(shown.ends_with("/end"));
}

proptest! {
    #[test]
    fn laws_of_commands(line in "[a-z/~*\\-=;&|<>()${}`'\"# \\\\\n.]{0,60}") {
        check_command(&line);
    }

    #[test]
    fn a_blocked_command_stays_blocked_in_company(
        at in 0_usize..6,
        front in "(true; |false \\|\\| |A=1 |sudo |nohup |\\( )",
    ) {
        let commands = ["rm -rf /", "reboot", "mkfs.ext4 /dev/sda", "chown -R x ~", "update-grub", "find / -delete"];
        let command = commands[at];
        prop_assert!(blocked(command, &UNIX).is_some());
        prop_assert_eq!(blocked(&format!("{front}{command}"), &UNIX), blocked(command, &UNIX));
        prop_assert_eq!(blocked(&format!("bash -c '{command}'"), &UNIX), blocked(command, &UNIX));
    }
}
