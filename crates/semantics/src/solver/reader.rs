//! Cuts a stream of bytes into commands: each is available as soon as its last parenthesis has arrived.

/// A buffer of input text.
#[derive(Debug, Default)]
pub struct Reader {
    buffer: Vec<u8>,
    /// The start of the current command, and the end of the part that was scanned.
    start: usize,
    at: usize,
    depth: usize,
    inside: Inside,
    /// Lines before `start`.
    lines: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Inside {
    #[default]
    Nothing,
    Comment,
    String,
    Bars,
}

/// A piece of the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// One command, or a line of something else.
    pub text: Vec<u8>,
    /// How many lines are before it.
    pub line: usize,
    /// Whether the input ended in the middle of it.
    pub cut: bool,
}

impl Reader {
    /// Appends text.
    pub fn push(&mut self, bytes: &[u8]) {
        // Commands given out are dropped once they are most of the buffer, so each byte is moved at most once.
        if self.start > self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.at -= self.start;
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next command that is complete.
    pub fn next_piece(&mut self) -> Option<Piece> {
        while self.at < self.buffer.len() {
            let c = self.buffer[self.at];
            self.at += 1;
            match (self.inside, c) {
                (Inside::Comment, b'\n') | (Inside::String, b'"') | (Inside::Bars, b'|') => {
                    self.inside = Inside::Nothing;
                }
                (Inside::Nothing, b';') => self.inside = Inside::Comment,
                (Inside::Nothing, b'"') => self.inside = Inside::String,
                (Inside::Nothing, b'|') => self.inside = Inside::Bars,
                (Inside::Nothing, b'(') => self.depth += 1,
                (Inside::Nothing, b')') => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(self.cut(false));
                    }
                }
                // Something outside of parentheses ends with its line.
                (Inside::Nothing, b'\n') if self.depth == 0 && !self.is_blank() => {
                    return Some(self.cut(false));
                }
                _ => {}
            }
        }
        None
    }

    /// The rest at the end of the text; `None` if it is blank.
    pub fn finish(&mut self) -> Option<Piece> {
        self.at = self.buffer.len();
        let cut = self.depth > 0 || matches!(self.inside, Inside::String | Inside::Bars);
        self.depth = 0;
        self.inside = Inside::Nothing;
        let piece = self.cut(cut);
        (!is_blank(&piece.text)).then_some(piece)
    }

    fn is_blank(&self) -> bool {
        is_blank(&self.buffer[self.start..self.at])
    }

    fn cut(&mut self, cut: bool) -> Piece {
        let text = self.buffer[self.start..self.at].to_vec();
        let line = self.lines;
        self.lines += text.iter().filter(|&&c| c == b'\n').count();
        self.start = self.at;
        Piece { text, line, cut }
    }
}

/// Whether there is nothing but white space and comments.
fn is_blank(text: &[u8]) -> bool {
    let mut comment = false;
    text.iter().all(|&c| {
        comment = (comment || c == b';') && c != b'\n';
        comment || c.is_ascii_whitespace()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, step: usize) -> Vec<(String, usize)> {
        let mut reader = Reader::default();
        let mut out = Vec::new();
        for chunk in text.as_bytes().chunks(step) {
            reader.push(chunk);
            while let Some(p) = reader.next_piece() {
                out.push((String::from_utf8_lossy(&p.text).trim().to_owned(), p.line));
            }
        }
        if let Some(p) = reader.finish() {
            out.push((String::from_utf8_lossy(&p.text).trim().to_owned(), p.line));
        }
        out
    }

    #[test]
    fn commands_are_the_same_however_the_text_is_cut() {
        let text = "(a \"x)\"\"(\")\n; c (\n(b |)|) rubbish\n(c (d))(e)\n)\n(f";
        let whole = pieces(text, text.len());
        assert_eq!(whole.len(), 7, "{whole:?}");
        assert_eq!(whole[0], ("(a \"x)\"\"(\")".to_owned(), 0));
        assert_eq!(whole[6].0, "(f");
        for step in 1..7 {
            assert_eq!(pieces(text, step), whole);
        }
    }
}
