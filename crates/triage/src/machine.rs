//! The machine and the time, for reports.

use std::time::{SystemTime, UNIX_EPOCH};

/// The operating system and the kind of processor.
pub fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="));
    let name = name.map_or(std::env::consts::OS, |n| n.trim_matches('"'));
    format!("{name}, {}", std::env::consts::ARCH)
}

/// Seconds since 1970-01-01.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

/// A moment, given in seconds since 1970-01-01, as date and time (UTC).
pub fn moment(seconds: u64) -> String {
    let minutes = seconds % 86_400 / 60;
    format!("{} {:02}:{:02} UTC", date(seconds / 86_400), minutes / 60, minutes % 60)
}

/// Today, as year, month and day (UTC).
pub(crate) fn today() -> String {
    date(now() / 86_400)
}

/// The date that is some days after 1970-01-01.
fn date(days: u64) -> String {
    // Years from March on, so that the odd day is at the end of the year; 146,097 days are 400 years.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{of_month:02}", era * 400 + year + next)
}

#[cfg(test)]
mod tests {
    #[test]
    fn days_become_dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_773, "2026-11-16"),
        ] {
            assert_eq!(super::date(days), date);
        }
        assert_eq!(super::moment(951_827_640), "2000-02-29 12:34 UTC");
    }
}
