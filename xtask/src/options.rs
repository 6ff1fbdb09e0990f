//! Reads the options of a command.

use std::slice::Iter;
use std::str::FromStr;

/// What is left of the command line behind an option.
pub(crate) struct Values<'a>(Iter<'a, &'a str>);

impl Values<'_> {
    pub(crate) fn text(&mut self) -> Option<String> {
        self.0.next().map(|v| (*v).to_owned())
    }

    pub(crate) fn parse<T: FromStr>(&mut self) -> Option<T> {
        self.0.next()?.parse().ok()
    }

    /// A number above zero.
    pub(crate) fn count(&mut self) -> Option<usize> {
        self.parse().filter(|n| *n > 0)
    }

    /// A time above zero in whole seconds: `90s`, `90` or `5m`.
    pub(crate) fn seconds(&mut self) -> Option<u64> {
        let text = self.0.next()?;
        let (number, unit) = match text.strip_suffix('m') {
            Some(minutes) => (minutes, 60),
            None => (text.strip_suffix('s').unwrap_or(text), 1),
        };
        number.parse().ok().and_then(|n: u64| n.checked_mul(unit)).filter(|n| *n > 0)
    }
}

/// Passes each option to `take`, which takes the option's values and gives `None` for an option that it does not know.
pub(crate) fn read(
    options: &[&str],
    mut take: impl FnMut(&str, &mut Values<'_>) -> Option<()>,
) -> Option<()> {
    let mut values = Values(options.iter());
    while let Some(option) = values.0.next() {
        take(option, &mut values)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn seconds_have_units_and_are_not_zero() {
        let seconds = |text: &str| {
            let mut found = None;
            read(&["--time", text], |_, values| {
                found = values.seconds();
                Some(())
            });
            found
        };
        assert_eq!(["90", "90s", "5m"].map(seconds), [Some(90), Some(90), Some(300)]);
        assert_eq!(["", "0s", "1h", "m"].map(seconds), [None; 4]);
    }

    #[test]
    fn options_take_their_values_and_unknown_ones_are_refused() {
        let mut seen = (0, String::new());
        let mut parse = |options: &[&str]| {
            read(options, |name, values| {
                match name {
                    "--runs" => seen.0 = values.count()?,
                    "--only" => seen.1 = values.text()?,
                    _ => return None,
                }
                Some(())
            })
        };
        for wrong in [&["--runs"][..], &["--runs", "0"], &["--runs", "x"], &["--what"]] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
        assert_eq!(parse(&["--runs", "3", "--only", "a"]), Some(()));
        assert_eq!(seen, (3, "a".to_owned()));
    }
}
