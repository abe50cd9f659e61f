//! Dates and times of day in UTC.

/// Nanoseconds of a day.
const DAY: i64 = 86_400 * SECOND;
const SECOND: i64 = 1_000_000_000;

/// Formats the date of a day since 1970: `2026-11-28`.
pub fn date(days: i64) -> String {
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Formats a moment in nanoseconds since 1970: `2026-11-28 21:46:18.000000123`.
pub fn utc(nanos: i64) -> String {
    let of_day = nanos.rem_euclid(DAY);
    let (seconds, nanos_of_second) = (of_day / SECOND, of_day % SECOND);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{} {hour:02}:{minute:02}:{second:02}.{nanos_of_second:09}", date(nanos.div_euclid(DAY)))
}

/// The date of a day since 1970 (Howard Hinnant's algorithm for the Gregorian calendar).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let days = [(0, "1970-01-01"), (11_016, "2000-02-29"), (19_782, "2024-02-29"), (20_779, "2026-11-22")];
        for (day, text) in days {
            assert_eq!(date(day), text);
        }
    }

    #[test]
    fn moments_are_of_the_gregorian_calendar() {
        for (nanos, text) in [
            (0, "1970-01-01 00:00:00.000000000"),
            (951_868_799_999_999_999, "2000-02-29 23:59:59.999999999"),
            (1_735_632_360_000_000_001, "2024-12-31 08:06:00.000000001"),
            (-1, "1969-12-31 23:59:59.999999999"),
        ] {
            assert_eq!(utc(nanos), text);
        }
    }
}
