//! Repeated measurements of a time, as in `%timeit`.

use crate::format::seconds;
use std::fmt;
use std::time::{Duration, Instant};

/// The least time of a run whose number of loops is not given.
const LEAST_RUN: Duration = Duration::from_millis(200);
/// The number of runs if it is not given.
const RUNS: u64 = 7;
/// The most time of all runs together, about, if their number is not given.
const MOST_TOTAL: Duration = Duration::from_secs(10);

/// The times of several runs, each of several loops.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeated {
    /// The time of one loop in seconds, per run.
    pub seconds: Vec<f64>,
    /// The number of loops per run.
    pub loops: u64,
}

impl Repeated {
    /// Measures `run` in `runs` runs of `loops` loops. By default a run has 1, 10, 100, … loops, as many as take at least 0.2 s, and
    /// there are seven runs, or fewer if they would take more than 10 s.
    ///
    /// # Errors
    /// The first error of `run`.
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
                    if took >= LEAST_RUN || loops >= 1_000_000_000 {
                        break loops;
                    }
                    loops *= 10;
                }
            }
        };
        let fitting = |took: Duration| (MOST_TOTAL.as_secs_f64() / took.as_secs_f64().max(1e-9)) as u64;
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
    /// Writes `7.31 ms ± 120 µs per loop (mean ± std. dev. of 7 runs, 10 loops each)`.
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
