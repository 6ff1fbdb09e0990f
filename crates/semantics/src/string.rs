//! Strings: sequences of code points up to 0x2FFFF, their literals, and SMT-LIB `UnicodeStrings`.
//!
//! Functions that need a regular language are in [`crate::regex`].

use std::fmt;
use std::sync::Arc;

use crate::Gap;
use crate::number::{Int, int};
use crate::sequence;

/// The greatest code point of a string.
pub const MAX_CODE: u32 = 0x2FFFF;

/// A string; the derived order is `str.<`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Str(Arc<[u32]>);

impl Str {
    /// The string of some code points; none if one is too large.
    pub fn new(codes: Vec<u32>) -> Option<Str> {
        codes.iter().all(|c| *c <= MAX_CODE).then(|| Str(codes.into()))
    }

    /// The string of the body of a literal, in which doubled quotes are single already: `\u` escapes are
    /// decoded, other backslashes stand for themselves. None if a character is not ASCII: the standard has no such literals,
    /// and solvers take their bytes or their code points.
    pub fn from_literal(body: &str) -> Option<Str> {
        if body.bytes().any(|b| b > b'~') {
            return None;
        }
        let mut codes = Vec::with_capacity(body.len());
        let mut rest = body;
        while let Some(c) = rest.chars().next() {
            let (code, length) = decode_escape(rest).unwrap_or((c.into(), c.len_utf8()));
            codes.push(code);
            rest = &rest[length..];
        }
        Str::new(codes)
    }

    /// The string of some text, taken as it is; none if a character is beyond [`MAX_CODE`].
    pub fn from_text(text: &str) -> Option<Str> {
        Str::new(text.chars().map(u32::from).collect())
    }

    /// The empty string.
    pub fn empty() -> Str {
        Str(Arc::new([]))
    }

    /// The code points.
    pub fn codes(&self) -> &[u32] {
        &self.0
    }

    /// `str.++` of many.
    pub fn concat(parts: &[&Str]) -> Result<Str, Gap> {
        let parts: Vec<&[u32]> = parts.iter().map(|s| s.codes()).collect();
        sequence::concat(&parts).map(Str::from_valid)
    }

    /// A string of code points that are known to be valid.
    pub(crate) fn from_valid(codes: Vec<u32>) -> Str {
        debug_assert!(codes.iter().all(|c| *c <= MAX_CODE));
        Str(codes.into())
    }

    /// `(str.replace self pattern by)`.
    pub fn replace(&self, pattern: &Str, by: &Str) -> Result<Str, Gap> {
        sequence::replace(&self.0, &pattern.0, &by.0).map(Str::from_valid)
    }

    /// `str.to_lower`: ASCII letters only.
    pub fn to_lower(&self) -> Str {
        self.map_range('A', 'Z', 'a')
    }

    /// `str.to_upper`: ASCII letters only.
    pub fn to_upper(&self) -> Str {
        self.map_range('a', 'z', 'A')
    }

    fn map_range(&self, first: char, last: char, to: char) -> Str {
        let (first, last, to) = (u32::from(first), u32::from(last), u32::from(to));
        let map = |c: &u32| if (first..=last).contains(c) { c - first + to } else { *c };
        Str(self.0.iter().map(map).collect())
    }

    /// `str.is_digit`: one ASCII digit.
    pub fn is_digit(&self) -> bool {
        matches!(*self.0, [0x30..=0x39])
    }

    /// `str.to_code`: the code of a string of length one, else -1.
    pub fn to_code(&self) -> Int {
        match *self.0 {
            [c] => c.into(),
            _ => Int::NEG_ONE,
        }
    }

    /// `str.from_code`: empty for numbers that are not code points.
    pub fn from_code(code: &Int) -> Str {
        u32::try_from(code).ok().and_then(|c| Str::new(vec![c])).unwrap_or_else(Str::empty)
    }

    /// `str.to_int`: the value of a non-empty string of ASCII digits, else -1.
    pub fn to_int(&self) -> Int {
        let digits: Option<String> =
            self.0.iter().map(|c| char::from_u32(*c).filter(char::is_ascii_digit)).collect();
        digits.and_then(|d| d.parse().ok()).unwrap_or(Int::NEG_ONE)
    }

    /// `str.from_int`: empty for negative integers.
    pub fn from_int(value: &Int) -> Str {
        if int::is_negative(value) {
            return Str::empty();
        }
        Str(value.to_string().bytes().map(u32::from).collect())
    }
}

/// The code and length of the escape at the start of a text: `\u` and four hexadecimal digits, or `\u{..}`
/// with one to five of them and a value within the range of code points.
fn decode_escape(text: &str) -> Option<(u32, usize)> {
    let after = text.strip_prefix("\\u")?;
    let (digits, length) = match after.strip_prefix('{') {
        Some(braced) => {
            let digits = &braced[..braced.find('}')?];
            ((1..=5).contains(&digits.len()).then_some(digits)?, digits.len() + 4)
        }
        None => (after.get(..4)?, 6),
    };
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let code = u32::from_str_radix(digits, 16).ok()?;
    (code <= MAX_CODE).then_some((code, length))
}

/// SMT-LIB text: a literal in printable ASCII, quotes doubled, all else (the backslash too) escaped.
impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.iter() {
            match char::from_u32(*c) {
                Some('"') => f.write_str("\"\"")?,
                Some(c) if matches!(c, ' '..='~') && c != '\\' => write!(f, "{c}")?,
                _ => write!(f, "\\u{{{c:x}}}")?,
            }
        }
        f.write_str("\"")
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(text: &str) -> Str {
        Str::from_text(text).unwrap()
    }

    #[test]
    fn escapes_are_decoded_exactly_where_the_standard_says() {
        let cases: [(&str, &[u32]); 12] = [
            ("\\u0041", &[0x41]),
            ("\\u{41}\\u{2FFFF}", &[0x41, 0x2FFFF]),
            ("\\u00411", &[0x41, 0x31]),
            ("\\u{0}", &[0]),
            ("\\u{00041}", &[0x41]),
            ("\\u{000041}", &[0x5c, 0x75, 0x7b, 0x30, 0x30, 0x30, 0x30, 0x34, 0x31, 0x7d]),
            ("\\u{30000}", &[0x5c, 0x75, 0x7b, 0x33, 0x30, 0x30, 0x30, 0x30, 0x7d]),
            ("\\u{}", &[0x5c, 0x75, 0x7b, 0x7d]),
            ("\\u{4g}", &[0x5c, 0x75, 0x7b, 0x34, 0x67, 0x7d]),
            ("\\u004", &[0x5c, 0x75, 0x30, 0x30, 0x34]),
            ("\\n\\x41", &[0x5c, 0x6e, 0x5c, 0x78, 0x34, 0x31]),
            ("\\\\u0041", &[0x5c, 0x41]),
        ];
        for (body, codes) in cases {
            assert_eq!(Str::from_literal(body).unwrap().codes(), codes, "{body}");
        }
        assert_eq!(Str::from_literal("\\u00é4"), None, "no literal of the standard");
        assert_eq!(Str::from_text("\u{30000}"), None);
    }

    #[test]
    fn printed_literals_read_back() {
        for codes in [vec![], (0..300).collect(), vec![0x2FFFF, 0x22, 0x5c, 0x75, 0x7b, 0x34, 0x31, 0x7d]] {
            let string = Str::new(codes).unwrap();
            let text = string.to_string();
            let body = text[1..text.len() - 1].replace("\"\"", "\"");
            assert_eq!(Str::from_literal(&body).unwrap(), string);
        }
    }

    #[test]
    fn conversions_have_the_standard_corners() {
        assert_eq!(
            (s("007").to_int(), s("").to_int(), s("-1").to_int()),
            (7.into(), (-1).into(), (-1).into())
        );
        assert_eq!(
            (s("1_0").to_int(), s("+1").to_int(), s("١").to_int()),
            ((-1).into(), (-1).into(), (-1).into())
        );
        assert_eq!((Str::from_int(&12.into()), Str::from_int(&(-1).into())), (s("12"), s("")));
        assert_eq!((s("a").to_code(), s("ab").to_code()), (97.into(), (-1).into()));
        assert_eq!(Str::from_code(&0x2FFFF.into()).to_code(), 0x2FFFF.into());
        assert_eq!((Str::from_code(&0x30000.into()), Str::from_code(&(-1).into())), (s(""), s("")));
        assert!(s("5").is_digit() && !s("55").is_digit() && !s("").is_digit());
        assert!(s("") < s("a") && s("a") < s("aa") && s("aa") < s("b"));
        assert_eq!((s("aZ{é").to_upper(), s("aZ[É").to_lower()), (s("AZ{é"), s("az[É")));
    }
}
