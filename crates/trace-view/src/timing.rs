//! Measured times: how long something takes, as text, and again and again until that is known well enough.

use crate::format::seconds;
use std::fmt;
use std::time::{Duration, Instant};

/// As long as this a run of loops takes, unless their number is given.
const ENOUGH: Duration = Duration::from_millis(200);
/// Runs, unless their number is given.
const RUNS: u64 = 7;
/// All runs together take about this long at most, unless their number is given.
const MOST: Duration = Duration::from_secs(10);

/// Times of runs, each of several loops.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeated {
    /// The time of one loop in seconds, by run.
    pub seconds: Vec<f64>,
    /// Loops of each run.
    pub loops: u64,
}

impl Repeated {
    /// Calls `run` in `runs` runs of `loops` loops. Without numbers a run has 1, 10, 100, … loops, so many that it takes
    /// 0.2 s, and there are seven runs, fewer if they would take more than 10 s.
    ///
    /// # Errors
    /// The first one of `run`.
    pub fn measure<E>(
        loops: Option<u64>,
        runs: Option<u64>,
        mut run: impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut time = |loops: u64| -> Result<Duration, E> {
            let start = Instant::now();
            for _ in 0..loops {
                run()?;
            }
            Ok(start.elapsed())
        };
        let mut last = None;
        let loops = match loops {
            Some(loops) => loops.max(1),
            None => {
                let mut loops = 1;
                loop {
                    let took = time(loops)?;
                    last = Some(took);
                    if took >= ENOUGH || loops >= 1_000_000_000 {
                        break loops;
                    }
                    loops *= 10;
                }
            }
        };
        let fitting = |took: Duration| (MOST.as_secs_f64() / took.as_secs_f64().max(1e-9)) as u64;
        let runs = runs.unwrap_or_else(|| last.map_or(RUNS, |took| fitting(took).clamp(1, RUNS))).max(1);
        let each = |took: Duration| took.as_secs_f64() / loops as f64;
        let mut seconds = Vec::new();
        for _ in 0..runs {
            seconds.push(each(time(loops)?));
        }
        Ok(Self { seconds, loops })
    }
}

impl fmt::Display for Repeated {
    /// `7.31 ms ± 120 µs per loop (mean ± std. dev. of 7 runs, 10 loops each)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.seconds.len().max(1) as f64;
        let mean = self.seconds.iter().sum::<f64>() / count;
        let deviation = (self.seconds.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / count).sqrt();
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let (runs, loops) = (self.seconds.len() as u64, self.loops);
        write!(
            f,
            "{} ± {} per loop (mean ± std. dev. of {runs} run{}, {loops} loop{} each)",
            seconds(mean),
            seconds(deviation),
            plural(runs),
            plural(loops)
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn given_loops_and_runs_are_kept_and_errors_returned() {
        let mut calls = 0;
        let repeated = Repeated::measure(Some(3), Some(2), || {
            calls += 1;
            Ok::<(), ()>(())
        });
        assert_eq!((repeated.unwrap().seconds.len(), calls), (2, 6));
        assert_eq!(Repeated::measure(None, None, || Err("no")), Err("no"));
    }

    #[test]
    fn quick_code_is_looped_until_measurable() {
        let repeated = Repeated::measure(None, Some(2), || {
            std::thread::sleep(Duration::from_millis(3));
            Ok::<(), ()>(())
        });
        let repeated = repeated.unwrap();
        assert_eq!(repeated.loops, 100);
        assert!(repeated.to_string().ends_with("per loop (mean ± std. dev. of 2 runs, 100 loops each)"), "{repeated}");
    }
}
