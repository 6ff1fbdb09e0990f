//! Durations and sizes as people write them: `500ms`, `2s`, `10m`; `512MiB`.

use std::time::Duration;

/// Reads a duration: a number and `ms`, `s`, `m` or `h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration: write 500ms, 2s, 10m or 1h");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let millis = match unit {
        "ms" => 1.0,
        "s" => 1e3,
        "m" => 6e4,
        "h" => 3.6e6,
        _ => return Err(wrong()),
    } * number;
    match millis {
        m if m < 1.0 => Err(format!("`{text}` is too short: a duration must be 1ms or more")),
        m if m > 1e12 => Err(format!("`{text}` is too long")),
        m => Ok(Duration::from_millis(m.round() as u64)),
    }
}

/// Reads a size in bytes: a number and `B`, `KiB`, `MiB` or `GiB`.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size: write 64KiB, 512MiB or 4GiB");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let bytes = match unit {
        "B" => 1.0,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    } * number;
    match bytes {
        b if b < 1.0 => Err(format!("`{text}` is too small")),
        b if b > 1e18 => Err(format!("`{text}` is too large")),
        b => Ok(b as u64),
    }
}

fn split(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_a_number_and_a_unit() {
        for (text, millis) in
            [("500ms", 500), ("2s", 2000), ("1.5s", 1500), ("10m", 600_000), ("1h", 3_600_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "2", "s", "-1s", "2 s", "0s", "0.1ms", "2sec", "1e3s", "..s", "99999999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_a_number_and_a_unit() {
        for (text, bytes) in [("512MiB", 512 << 20), ("4GiB", 4 << 30), ("64KiB", 65536), ("7B", 7)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "512", "512MB", "0MiB", "-1MiB", "1e30GiB", "MiB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
