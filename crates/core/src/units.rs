//! Durations and sizes in the usual notation: `500ms`, `2s`, `1h30m`, `1d`; `512MiB`, `4G`.

use std::time::Duration;

/// The units of durations, in milliseconds; the largest first.
const DURATIONS: [(&str, f64); 5] = [("d", 8.64e7), ("h", 3.6e6), ("m", 6e4), ("s", 1e3), ("ms", 1.0)];
/// The units of sizes, in bytes. All are binary: `4G` is `4GiB`.
const SIZES: [(&str, f64); 9] = [
    ("B", 1.0),
    ("KiB", 1024.0),
    ("K", 1024.0),
    ("MiB", 1048576.0),
    ("M", 1048576.0),
    ("GiB", 1073741824.0),
    ("G", 1073741824.0),
    ("TiB", 1099511627776.0),
    ("T", 1099511627776.0),
];

/// Reads a duration: numbers with the units `d`, `h`, `m`, `s` and `ms`, the largest first.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || match text.parse::<f64>() {
        Ok(number) if number > 0.0 => format!("`{text}` has no unit: write {text}s, {text}m or {text}h"),
        Ok(_) => short(text),
        Err(_) => format!("`{text}` is not a duration such as 500ms, 2s, 10m, 1h30m or 1d"),
    };
    if text.strip_prefix('-').is_some_and(|rest| duration(rest).is_ok()) {
        return Err(short(text));
    }
    let (mut millis, mut rest, mut largest) = (0.0, text, 0);
    while !rest.is_empty() {
        let (number, unit, after) = part(rest).ok_or_else(wrong)?;
        let at = DURATIONS.iter().position(|(name, _)| *name == unit).ok_or_else(wrong)?;
        if at < largest {
            return Err(wrong());
        }
        largest = at + 1;
        millis += number * DURATIONS[at].1;
        rest = after;
    }
    match millis {
        _ if text.is_empty() => Err(wrong()),
        m if m < 1.0 => Err(short(text)),
        m if m > 1e12 => Err(format!("`{text}` is too long")),
        m => Ok(Duration::from_millis(m.round() as u64)),
    }
}

fn short(text: &str) -> String {
    format!("`{text}` is too short: a duration must be 1ms or more")
}

/// Reads a size in bytes: a number and `B`, `K`, `M`, `G`, `T`, or `KiB`, `MiB`, `GiB`, `TiB`.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size such as 64K, 512MiB or 4G");
    let small = || format!("`{text}` is too small: a size must be 1B or more");
    if text.strip_prefix('-').is_some_and(|rest| size(rest).is_ok()) || text == "0" {
        return Err(small());
    }
    let (number, unit, after) = part(text).ok_or_else(wrong)?;
    let found = SIZES.iter().find(|(name, _)| *name == unit).filter(|_| after.is_empty());
    match number * found.ok_or_else(wrong)?.1 {
        b if b < 1.0 => Err(small()),
        b if b > 1e18 => Err(format!("`{text}` is too large")),
        b => Ok(b as u64),
    }
}

/// A number, the letters behind it, and the rest.
fn part(text: &str) -> Option<(f64, &str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, rest) = text.split_at(end);
    let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some((number.parse().ok()?, &rest[..letters], &rest[letters..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_a_number_and_a_unit() {
        for (text, millis) in [
            ("500ms", 500),
            ("2s", 2000),
            ("1.5s", 1500),
            ("10m", 600_000),
            ("1h", 3_600_000),
            ("1h30m", 5_400_000),
            ("1m30s", 90_000),
            ("1d", 86_400_000),
            ("1d2h3m4s5ms", 93_784_005),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in [
            "",
            "2",
            "s",
            "-1s",
            "2 s",
            "0s",
            "0.1ms",
            "2sec",
            "1e3s",
            "..s",
            "99999999999999h",
            "1m1h",
            "1h1h",
            "1h30",
            "1d-1h",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_duration_is_said_in_plain_words() {
        for (text, part) in [
            ("-5s", "too short"),
            ("0s", "too short"),
            ("0", "too short"),
            ("-1", "too short"),
            ("90", "write 90s"),
            ("soon", "not a duration"),
        ] {
            assert!(duration(text).unwrap_err().contains(part), "{text}");
        }
        assert!(size("-4G").unwrap_err().contains("too small"));
    }

    #[test]
    fn sizes_are_a_number_and_a_unit() {
        for (text, bytes) in [
            ("512MiB", 512 << 20),
            ("4GiB", 4 << 30),
            ("4G", 4 << 30),
            ("64KiB", 65536),
            ("64K", 65536),
            ("7B", 7),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "512", "512MB", "0MiB", "-1MiB", "1e30GiB", "MiB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
