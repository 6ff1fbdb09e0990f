//! Draws the live view. It needs at least 80 columns and 24 lines; nothing wraps or moves.

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Cell, Paragraph, Row, Table, TableState};
use smelt_core::{Kind, Severity, SolverProgress, StrategyProgress};

use super::state::{Opened, State};
use crate::output::printable;
use crate::table::shortened;

/// From this width on there is room for more columns.
const WIDE: u16 = 120;
/// The most rows of solvers and strategies that are shown on a small terminal.
const ROWS: u16 = 12;

pub(super) fn draw(frame: &mut Frame<'_>, state: &mut State, now: Instant) {
    let area = frame.area();
    let parts =
        u16::try_from(state.progress.solvers.len().max(state.progress.strategies.len())).unwrap_or(ROWS);
    let middle = match parts {
        0 => 0,
        // The border and the header.
        rows => (rows + 3).min(if area.height > 40 { 24 } else { ROWS + 3 }),
    };
    let [top, figures, middle, findings, note, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(middle),
        Constraint::Min(3),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(area);
    title(frame, state, top, now);
    frame.render_widget(figure_line(state, area.width.into()), figures);
    let left = match area.width {
        WIDE.. => Constraint::Length(solvers_width(&state.progress.solvers)),
        _ => Constraint::Percentage(62),
    };
    let [left, right] = Layout::horizontal([left, Constraint::Fill(1)]).areas(middle);
    if middle.height > 0 {
        solvers(frame, &state.progress.solvers, left);
        strategies(frame, &state.progress.strategies, right);
    }
    match &state.opened {
        Some(opened) => script(frame, opened, findings.union(middle)),
        None => found(frame, state, findings, now),
    }
    let text = shortened(&format!(" {}", state.note), area.width.into());
    frame.render_widget(Line::from(text).dark_gray(), note);
    frame.render_widget(key_line(state), keys);
}

/// A time as a clock shows it.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

fn title(frame: &mut Frame<'_>, state: &State, area: Rect, now: Instant) {
    let doing = state.doing(now);
    let right = format!("{doing}  {} ", clock(now.saturating_duration_since(state.started)));
    let width = usize::from(area.width);
    let left = shortened(&format!(" {}", state.title), width.saturating_sub(right.chars().count() + 1));
    let gap = width.saturating_sub(left.chars().count() + right.chars().count());
    let text = format!("{left}{}{right}", " ".repeat(gap));
    frame.render_widget(
        Line::from(text).style(Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD)),
        area,
    );
}

/// The figures; one that does not fit is left out, for a part of a number would be another number.
fn figure_line(state: &State, width: usize) -> Line<'static> {
    let p = &state.progress;
    let mut parts = Vec::new();
    if !p.unit.is_empty() {
        let total = p.total.map_or(String::new(), |total| format!(" of {total}"));
        let share = p.total.filter(|total| *total > 0).map(|total| format!("{}%", p.done * 100 / total));
        parts.push(format!("{}{total} {}", p.done, p.unit));
        parts.extend(share);
        parts.extend(p.rate.map(|rate| format!("{rate:.0}/s")));
        parts.extend(p.figures.iter().map(|(name, value)| format!("{name} {value}")));
    }
    let mut line = String::new();
    for part in parts {
        let gap = if line.is_empty() { " " } else { "  " };
        if line.chars().count() + gap.len() + part.chars().count() <= width {
            line.push_str(gap);
            line.push_str(&part);
        }
    }
    Line::from(line).bold()
}

fn header(cells: &[&'static str]) -> Row<'static> {
    Row::new(cells.iter().map(|text| Cell::from(*text)).collect::<Vec<_>>()).style(Style::new().dark_gray())
}

/// A number in a narrow column: thousands and millions, where all digits are too many.
fn short(n: u64, width: usize) -> String {
    let forms = [n.to_string(), format!("{}k", n / 1000), format!("{}M", n / 1_000_000)];
    forms.iter().find(|text| text.len() <= width).unwrap_or(&forms[2]).clone()
}

/// The columns of numbers: a name such as bitwuzla@0.9.1 has room beside these on a screen of 80 columns.
const WIDTHS: [u16; 6] = [6, 6, 4, 4, 4, 4];

/// The width at which the table of solvers is whole; half of a wide screen at most.
fn solvers_width(rows: &[SolverProgress]) -> u16 {
    let names = rows.iter().map(|row| row.solver.chars().count()).max().unwrap_or(0).max(20);
    let numbers = WIDTHS.iter().map(|width| width + 1).sum::<u16>();
    // The border.
    (u16::try_from(names).unwrap_or(u16::MAX).saturating_add(numbers + 2)).min(WIDE / 2 + 20)
}

fn solvers(frame: &mut Frame<'_>, rows: &[SolverProgress], area: Rect) {
    let number = |(n, color): (u64, Color), width: u16| match n {
        0 => Cell::from(Line::from("0").right_aligned()).dark_gray(),
        n => Cell::from(Line::from(short(n, width.into())).right_aligned()).style(color),
    };
    let row = |s: &SolverProgress| {
        let numbers = [
            (s.asked, Color::Reset),
            (s.answered, Color::Green),
            (s.unknown, Color::Yellow),
            (s.stopped, Color::Yellow),
            (s.rejected, Color::Magenta),
            (s.crashed, Color::Red),
        ];
        let name = Cell::from(printable(&s.solver).into_owned());
        Row::new(
            std::iter::once(name).chain(numbers.into_iter().zip(WIDTHS).map(|(n, width)| number(n, width))),
        )
    };
    let widths = [Constraint::Fill(1)].into_iter().chain(WIDTHS.map(Constraint::Length));
    let table = Table::new(rows.iter().map(row), widths)
        .header(header(&["", " asked", "solved", "unkn", " t/o", " rej", "died"]))
        .block(Block::bordered().title("solvers"));
    frame.render_widget(table, area);
}

fn strategies(frame: &mut Frame<'_>, rows: &[StrategyProgress], area: Rect) {
    let most = rows.iter().map(|r| r.weight).fold(f64::MIN_POSITIVE, f64::max);
    let bar = usize::from(area.width.saturating_sub(24)).clamp(3, 40);
    let row = |s: &StrategyProgress| {
        let length = (s.weight / most * bar as f64).round() as usize;
        let found = if s.found > 0 {
            Cell::from(Line::from(s.found.to_string()).right_aligned()).red()
        } else {
            Cell::from("")
        };
        Row::new(vec![
            Cell::from(s.strategy.clone()),
            Cell::from(Line::from(short(s.made, 5)).right_aligned()),
            found,
            Cell::from("▇".repeat(length)).cyan(),
        ])
    };
    let widths = [Constraint::Length(10), Constraint::Length(5), Constraint::Length(4), Constraint::Fill(1)];
    let table = Table::new(rows.iter().map(row), widths)
        .header(header(&["", "tests", "hits", "share"]))
        .block(Block::bordered().title("strategies"));
    frame.render_widget(table, area);
}

/// How a kind of finding is painted.
fn color(kind: Kind) -> Color {
    match kind.row().severity {
        Severity::Wrong => Color::Red,
        Severity::Dead | Severity::Invalid => Color::Yellow,
        _ => Color::Cyan,
    }
}

fn found(frame: &mut Frame<'_>, state: &State, area: Rect, now: Instant) {
    let flaky = if state.flaky > 0 { format!(", {} flaky", state.flaky) } else { String::new() };
    let last = match state.findings.is_empty() {
        true => String::new(),
        false => format!(", latest {} ago", clock(state.quiet(now))),
    };
    let block = Block::bordered().title(format!("findings: {}{flaky}{last}", state.findings.len()));
    if state.findings.is_empty() {
        frame.render_widget(Paragraph::new("none yet").dark_gray().block(block), area);
        return;
    }
    let is_wide = area.width >= WIDE;
    let rows = state.findings.iter().rev().map(|(f, at)| {
        let mut cells = vec![
            Cell::from(Line::from(f.id.clone()).right_aligned()),
            Cell::from(f.kind.to_string()).style(color(f.kind)),
            Cell::from(printable(&f.solver.to_string()).into_owned()),
            Cell::from(f.theory.clone().unwrap_or_default()),
            Cell::from(f.evidence.map_or("-", |e| e.as_str())),
            Cell::from(
                Line::from(format!("{} ago", clock(now.saturating_duration_since(*at)))).right_aligned(),
            ),
        ];
        if is_wide {
            cells.push(Cell::from(f.strategy.clone().unwrap_or_default()));
            cells.push(Cell::from(printable(&f.fingerprint).into_owned()));
        }
        Row::new(cells)
    });
    let (solver, theory) = match is_wide {
        true => (Constraint::Length(30), Constraint::Length(20)),
        false => (Constraint::Fill(2), Constraint::Fill(1)),
    };
    let mut widths =
        vec![Constraint::Length(4), Constraint::Length(22), solver, theory, Constraint::Length(12)];
    widths.push(Constraint::Length(11));
    let mut heads = vec!["  id", "kind", "solver", "theory", "evidence", "      found"];
    if is_wide {
        widths.extend([Constraint::Length(11), Constraint::Fill(1)]);
        heads.extend(["strategy", "fingerprint"]);
    }
    let table = Table::new(rows, widths)
        .header(header(&heads))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
        .block(block);
    let mut chosen = TableState::new().with_selected(state.chosen);
    frame.render_stateful_widget(table, area, &mut chosen);
}

fn script(frame: &mut Frame<'_>, opened: &Opened, area: Rect) {
    let block = Block::bordered().title(opened.title.clone().bold());
    let height = usize::from(area.height.saturating_sub(2));
    let width = usize::from(area.width.saturating_sub(2));
    let lines = opened.lines.iter().skip(opened.scroll).take(height);
    let lines: Vec<Line<'_>> = lines.map(|line| Line::from(shortened(line, width))).collect();
    frame.render_widget(ratatui::widgets::Clear, area);
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn key_line(state: &State) -> Line<'static> {
    let keys: &[(&str, &str)] = match (&state.opened, state.is_ending) {
        (Some(_), _) => &[("↑↓", "scroll"), ("Esc", "back")],
        (None, true) => &[("q", "quit now")],
        (None, false) if state.is_paused => {
            &[("p", "resume"), ("↑↓", "choose"), ("Enter", "open"), ("q", "quit")]
        }
        (None, false) => &[("p", "pause"), ("↑↓", "choose"), ("Enter", "open"), ("q", "quit")],
    };
    let spans = keys
        .iter()
        .flat_map(|(key, what)| [Span::from(" "), Span::from(*key).bold(), Span::from(format!(" {what} "))]);
    Line::from(spans.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::state::Break;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use smelt_core::{Event, Evidence, FindingRow, Progress, SolverId};

    fn finding(id: &str, file: &str) -> FindingRow {
        FindingRow {
            id: id.to_owned(),
            kind: Kind::RefutationUnsound,
            solver: "z3@4.8.5".to_owned(),
            accused: vec![SolverId::new("z3", Some("4.8.5".parse().unwrap()))],
            strategy: Some("fusion".to_owned()),
            theory: Some("strings".to_owned()),
            evidence: Some(Evidence::Construction),
            fingerprint: "z3/refutation-unsound/strings".to_owned(),
            file: file.to_owned(),
            reduced: None,
            bytes: 100,
        }
    }

    fn state() -> State {
        let mut state = State::new("smelt fuzz");
        let solver = |name: &str| SolverProgress {
            solver: name.to_owned(),
            asked: 123_456,
            answered: 99,
            ..Default::default()
        };
        let strategy =
            |name: &str| StrategyProgress { strategy: name.to_owned(), made: 7, weight: 0.1, found: 1 };
        let names =
            ["operator", "generative", "certified", "fusion", "shuffle", "skeleton", "weaken", "evolve"];
        state.take(&Event::Progress(Progress {
            done: 4711,
            unit: "tests",
            rate: Some(84.0),
            figures: vec![("solvers", "99%".into())],
            findings: Some(Default::default()),
            solvers: ["z3@5.4.0", "cvc5@1.4.2", "bitwuzla@0.9.1"].map(solver).to_vec(),
            strategies: names.map(strategy).to_vec(),
            ..Progress::default()
        }));
        state.take(&Event::Found(finding("7", "/nowhere.smt2")));
        state.take(&Event::note("a\u{1b}[31m note"));
        state
    }

    /// The lines of the screen.
    fn screen(state: &mut State, (width, height): (u16, u16)) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let now = state.started + Duration::from_secs(75);
        terminal.draw(|frame| draw(frame, state, now)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let cells: Vec<&str> = buffer.content().iter().map(|cell| cell.symbol()).collect();
        cells.chunks(usize::from(width)).map(|line| line.concat()).collect()
    }

    #[test]
    fn everything_is_on_a_small_and_on_a_large_screen() {
        for size in [(80, 24), (200, 50)] {
            let text = screen(&mut state(), size).join("\n");
            for part in [
                "smelt fuzz",
                "running",
                "1:15",
                "4711 tests",
                "84/s",
                "z3@5.4.0",
                "bitwuzla@0.9.1",
                "123456",
                "generative",
                "▇",
                "findings: 1",
                "refutation-unsound",
                "z3@4.8.5",
                "strings",
                "construction",
                ", latest ",
                "\\u{1b}[31m note",
                "pause",
                "quit",
            ] {
                assert!(text.contains(part), "{size:?}: {part}\n{text}");
            }
        }
    }

    #[test]
    fn a_figure_is_shown_whole_or_not_at_all() {
        let line = |width| {
            let mut state = state();
            state.progress.figures = vec![("solvers", "99%".into()), ("seeds left", "1234".into())];
            screen(&mut state, (width, 24))[1].trim_end().to_owned()
        };
        assert_eq!(line(80), " 4711 tests  84/s  solvers 99%  seeds left 1234");
        assert_eq!(line(45), " 4711 tests  84/s  solvers 99%");
    }

    #[test]
    fn large_numbers_fit_narrow_columns() {
        let shown = [(0, 4), (9999, 4), (10_000, 4), (1_234_567, 4), (123_456, 6), (1_234_567, 6)];
        let shown = shown.map(|(n, width)| short(n, width));
        assert_eq!(shown, ["0", "9999", "10k", "1M", "123456", "1234k"]);
    }

    #[test]
    fn a_phase_a_break_and_the_end_are_told() {
        let mut state = state();
        state.take(&Event::Working { doing: "reducing", at: 3, of: 26 });
        if let Some((_, at)) = &mut state.beside {
            *at = state.started + Duration::from_secs(70);
        }
        assert!(screen(&mut state, (80, 24))[0].contains("running, reducing 3 of 26"));
        state.pause(Break::Begins);
        let lines = screen(&mut state, (80, 24));
        assert!(lines[0].contains("PAUSED") && lines[23].contains("resume"), "{lines:?}");
        state.is_ending = true;
        assert!(screen(&mut state, (80, 24))[0].contains("ending"));
        let mut examination = State::new("smelt bugs examine");
        examination.take(&Event::Working { doing: "examining", at: 2, of: 7 });
        examination.started -= Duration::from_secs(75);
        if let Some((_, at)) = &mut examination.beside {
            *at = examination.started + Duration::from_secs(70);
        }
        let first = screen(&mut examination, (80, 24)).remove(0);
        assert!(first.contains("examining 2 of 7") && !first.contains("starting"), "{first}");
    }

    #[test]
    fn a_finding_is_opened_scrolled_and_closed() {
        let file = std::env::temp_dir().join(format!("smelt-view-{}.smt2", std::process::id()));
        std::fs::write(&file, "(assert true)\u{1b}[2J\n(check-sat)\n").unwrap();
        let mut state = state();
        state.take(&Event::Found(finding("8", &file.display().to_string())));
        state.open();
        let text = screen(&mut state, (80, 24)).join("\n");
        assert!(
            text.contains("finding 8:") && text.contains("(assert true)\\u{1b}[2J") && text.contains("back"),
            "{text}"
        );
        state.go(100);
        assert!(screen(&mut state, (80, 24)).join("\n").contains("(check-sat)"));
        state.opened = None;
        state.go(1);
        state.open();
        assert!(screen(&mut state, (80, 24)).join("\n").contains("cannot read /nowhere.smt2"));
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_tiny_screen_does_no_harm() {
        for size in [(1, 1), (10, 3), (40, 8)] {
            screen(&mut state(), size);
        }
    }
}
