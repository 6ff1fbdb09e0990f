//! Text tables: a header, columns as wide as their content, and no line wider than the terminal.

use std::io::Write;

use crate::{output, style};

/// One column.
pub(crate) struct Column {
    /// The word above it.
    pub(crate) head: &'static str,
    /// Numbers are on the right.
    pub(crate) right: bool,
    /// How soon it gives way on a narrow terminal; 0: it stays whole.
    pub(crate) gives_way: u8,
}

/// A column that stays whole.
pub(crate) const fn column(head: &'static str) -> Column {
    Column { head, right: false, gives_way: 0 }
}

impl Column {
    /// With numbers.
    pub(crate) const fn right(mut self) -> Column {
        self.right = true;
        self
    }

    /// One that is shortened, and left out in the end, on a narrow terminal; those with the highest number first.
    pub(crate) const fn gives_way(mut self, order: u8) -> Column {
        self.gives_way = order;
        self
    }
}

/// A shortened cell has this many characters at least.
const LEAST: usize = 8;
const GAP: usize = 2;

/// Rows of cells, and the colour of each row, by its urgency.
pub(crate) struct Table<'a> {
    columns: &'a [Column],
    rows: Vec<(Vec<String>, Option<usize>)>,
    indent: usize,
}

impl<'a> Table<'a> {
    pub(crate) fn new(columns: &'a [Column]) -> Table<'a> {
        Table { columns, rows: Vec::new(), indent: 0 }
    }

    /// Indented by this many spaces.
    pub(crate) fn indented(mut self, indent: usize) -> Table<'a> {
        self.indent = indent;
        self
    }

    /// Adds a row; `urgency` paints its second cell.
    pub(crate) fn row(&mut self, cells: Vec<String>, urgency: Option<usize>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "each row has a cell for each column");
        self.rows.push((cells.iter().map(|cell| output::printable(cell).into_owned()).collect(), urgency));
    }

    /// Writes it, no wider than the terminal.
    pub(crate) fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let widths = self.widths(output::width());
        let head = self.columns.iter().map(|c| c.head.to_owned()).collect::<Vec<_>>();
        writeln!(out, "{}", style::heading(&self.line(&head, &widths)))?;
        for (cells, urgency) in &self.rows {
            let line = self.line(cells, &widths);
            match urgency {
                // The first two cells: number and kind.
                Some(urgency) => {
                    let end = self.indent + widths.iter().take(2).flatten().map(|w| w + GAP).sum::<usize>();
                    let end = line.char_indices().nth(end).map_or(line.len(), |(at, _)| at);
                    writeln!(out, "{}{}", style::urgency(*urgency, &line[..end]), &line[end..])?;
                }
                None => writeln!(out, "{line}")?,
            }
        }
        Ok(())
    }

    /// The width of each column; `None` for those that are left out.
    fn widths(&self, limit: Option<usize>) -> Vec<Option<usize>> {
        let natural = |(i, column): (usize, &Column)| {
            let cells = self.rows.iter().map(|(cells, _)| cells[i].chars().count());
            cells.chain([column.head.len()]).max()
        };
        let mut widths: Vec<Option<usize>> = self.columns.iter().enumerate().map(natural).collect();
        let Some(limit) = limit else { return widths };
        loop {
            let total: usize = widths.iter().flatten().map(|w| w + GAP).sum::<usize>() + self.indent;
            let over = (total.saturating_sub(GAP)).saturating_sub(limit);
            let yielding =
                (0..widths.len()).filter(|i| self.columns[*i].gives_way > 0 && widths[*i].is_some());
            let Some(at) = yielding.max_by_key(|i| self.columns[*i].gives_way).filter(|_| over > 0) else {
                return widths;
            };
            // Shortened if that is enough, else left out.
            let width = widths[at].unwrap_or(0);
            widths[at] = width.checked_sub(over).filter(|left| *left >= LEAST && !self.columns[at].right);
        }
    }

    fn line(&self, cells: &[String], widths: &[Option<usize>]) -> String {
        let mut line = " ".repeat(self.indent);
        for ((cell, column), width) in cells.iter().zip(self.columns).zip(widths) {
            let Some(width) = *width else { continue };
            let cell = shortened(cell, width);
            line.push_str(&if column.right { format!("{cell:>width$}") } else { format!("{cell:<width$}") });
            line.push_str(&" ".repeat(GAP));
        }
        line.trim_end().to_owned()
    }
}

/// A text of at most this many characters.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let start: String = text.chars().take(width.saturating_sub(2)).collect();
    format!("{start}..")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 4] = [
        column("ID").right(),
        column("KIND"),
        column("SOLVER").gives_way(1),
        column("FINGERPRINT").gives_way(2),
    ];

    fn lines(limit: Option<usize>) -> Vec<String> {
        let mut table = Table::new(&COLUMNS);
        table.row(
            vec!["7".into(), "crash".into(), "z3@4.8.5 / cvc5@1.4.2".into(), "z3/crash/a-long-name".into()],
            None,
        );
        let widths = table.widths(limit);
        let head: Vec<String> = COLUMNS.iter().map(|c| c.head.to_owned()).collect();
        vec![table.line(&head, &widths), table.line(&table.rows[0].0, &widths)]
    }

    #[test]
    fn what_gives_way_is_shortened_first_and_then_left_out() {
        assert!(lines(None)[1].ends_with("z3/crash/a-long-name"));
        for limit in [60, 50, 40, 30, 20] {
            let lines = lines(Some(limit));
            assert!(lines.iter().all(|line| line.chars().count() <= limit), "{limit}: {lines:?}");
            assert!(lines[1].contains(" 7  crash"), "{lines:?}");
        }
        assert!(lines(Some(50))[0].contains("FINGERPR"));
        assert!(!lines(Some(40))[0].contains("FINGERPR"));
        assert!(lines(Some(20))[1].contains(".."));
    }
}
