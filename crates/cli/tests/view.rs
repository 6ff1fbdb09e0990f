//! The live view on a terminal: it starts, updates, pauses, opens a finding and quits, and leaves the terminal clean.

use crate::common::{Folder, wait_until};
use std::process::{Command, Stdio};

/// A terminal of its own, with a shell in a folder.
struct Terminal<'a> {
    socket: String,
    folder: &'a Folder,
}

impl Terminal<'_> {
    fn new(folder: &Folder, (width, height): (u32, u32)) -> Terminal<'_> {
        let socket = folder.path("tmux");
        let terminal = Terminal { socket, folder };
        let (width, height) = (width.to_string(), height.to_string());
        terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &width,
            "-y",
            &height,
            "env PS1='ready> ' sh",
        ]);
        terminal.wait("ready>");
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.current_dir(&self.folder.0).env_remove("TMUX").args(["-S", &self.socket]).args(arguments);
        let out = command.output().unwrap();
        assert!(out.status.success(), "{arguments:?}: {}", crate::common::stderr(&out));
        crate::common::stdout(&out)
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The first screen that shows this part: the next one may be drawn without it.
    fn wait(&self, part: &str) -> String {
        let mut screen = String::new();
        wait_until(|| {
            screen = self.screen();
            screen.contains(part)
        });
        screen
    }

    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    fn start(&self, arguments: &str) {
        // What is typed must not look like what is printed.
        let line = format!("{} {arguments}; echo co''de $?", env!("CARGO_BIN_EXE_smelt"));
        self.tmux(&["send-keys", "-l", &line]);
        self.press("Enter");
    }

    /// Whether the shell has the terminal as it was: no alternate screen, a cursor, and keys that are shown.
    fn assert_clean(&self) {
        self.wait("code ");
        let state = self.tmux(&["display-message", "-p", "#{alternate_on} #{cursor_flag}"]);
        assert_eq!(state.trim(), "0 1", "{}", self.screen());
        self.tmux(&["send-keys", "-l", "echo typ''ed"]);
        self.wait("echo typ''ed");
        self.press("Enter");
        self.wait("typed");
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-S", &self.socket, "kill-server"]).output();
    }
}

const FUZZ: &str = "fuzz -S builtin -S builtin:segfault-xor --seed 1 --time 1d -o store";

/// Whether a campaign runs in a folder: processes of others may run campaigns elsewhere.
fn is_running(folder: &Folder) -> bool {
    let here = std::fs::canonicalize(&folder.0).unwrap();
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|e| std::fs::read(e.path().join("cmdline")).ok().map(|c| (e, c))).any(|(e, cmdline)| {
        String::from_utf8_lossy(&cmdline).contains("\0fuzz\0")
            && std::fs::read_link(e.path().join("cwd")).is_ok_and(|cwd| cwd == here)
    })
}

#[test]
#[ignore = "needs tmux"]
fn the_view_updates_pauses_opens_and_quits() {
    // Two keys that are sent together arrive as one with Alt, and mean the same.
    for (size, keys) in [((80, 24), &[&["Escape"][..], &["q"]][..]), ((200, 50), &[&["Escape", "q"]])] {
        let folder = Folder::new(&format!("view-{}", size.0));
        let terminal = Terminal::new(&folder, size);
        terminal.start(FUZZ);
        terminal.wait("findings: ");
        terminal.wait("segfault-xor");
        terminal.wait("crash");
        terminal.wait("strategies");
        terminal.press("p");
        terminal.wait("PAUSED");
        terminal.press("p");
        terminal.wait("p pause");
        terminal.press("Enter");
        let screen = terminal.wait("Esc back");
        assert!(screen.contains("fingerprint "), "{screen}");
        let widest = screen.lines().map(|l| l.chars().count()).max().unwrap();
        assert!(widest <= size.0 as usize, "{screen}");
        for keys in keys {
            terminal.tmux(&[&["send-keys"], *keys].concat());
            wait_until(|| !terminal.screen().contains("Esc back"));
        }
        terminal.assert_clean();
        assert!(
            terminal.tmux(&["capture-pane", "-p", "-S", "-200"]).contains("STRATEGY "),
            "{}",
            terminal.screen()
        );
        wait_until(|| !is_running(&folder));
    }
}

#[test]
#[ignore = "needs tmux"]
fn interrupts_leave_the_terminal_clean() {
    let folder = Folder::new("view-interrupt");
    let terminal = Terminal::new(&folder, (80, 24));
    terminal.start(FUZZ);
    terminal.wait("findings: ");
    terminal.press("C-c");
    terminal.assert_clean();
    terminal.tmux(&["send-keys", "clear", "Enter"]);
    wait_until(|| !terminal.screen().contains("code"));
    terminal.start("fuzz --resume --out store");
    terminal.wait("findings: ");
    let shell = terminal.tmux(&["display-message", "-p", "#{pane_pid}"]);
    let children = Command::new("pgrep").args(["-P", shell.trim(), "-x", "smelt"]).output().unwrap();
    let smelt = crate::common::stdout(&children).lines().next().unwrap().to_owned();
    assert!(Command::new("kill").args(["-TERM", &smelt]).status().unwrap().success());
    terminal.assert_clean();
}

#[test]
#[ignore = "needs tmux"]
fn a_closed_terminal_ends_a_campaign() {
    let folder = Folder::new("view-hangup");
    let terminal = Terminal::new(&folder, (80, 24));
    terminal.start(FUZZ);
    terminal.wait("findings: ");
    assert!(is_running(&folder));
    terminal.tmux(&["kill-server"]);
    wait_until(|| !is_running(&folder));
}

#[test]
fn a_campaign_that_ignores_hangups_goes_on() {
    let folder = Folder::new("view-nohup");
    // With the embedded seeds: of one small seed there may be too few different mutants.
    let fuzz = "fuzz -S builtin -s operator,shuffle --tests 40 --seed 1 -j 1 --no-cache -o store";
    let line = format!("trap '' HUP; exec {} {fuzz}", env!("CARGO_BIN_EXE_smelt"));
    let mut command = Command::new("sh");
    let child = command.args(["-c", &line]).current_dir(&folder.0).stdout(Stdio::piped()).spawn().unwrap();
    wait_until(|| folder.0.join("store/campaign.sqlite").exists());
    assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
    let out = child.wait_with_output().unwrap();
    assert!(crate::common::stdout(&out).starts_with("40 tests"), "{}", crate::common::stdout(&out));
}

#[test]
#[ignore = "needs tmux"]
fn plain_is_one_line_that_fits() {
    let folder = Folder::new("view-plain");
    let terminal = Terminal::new(&folder, (80, 24));
    terminal.start(&format!("{FUZZ} --plain"));
    let screen = terminal.wait("tests, ");
    let state = terminal.tmux(&["display-message", "-p", "#{alternate_on}"]);
    assert_eq!(state.trim(), "0");
    assert_eq!(screen.lines().filter(|l| l.contains("tests, ")).count(), 1, "{screen}");
    terminal.press("C-c");
    terminal.assert_clean();
}
