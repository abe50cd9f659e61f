//! Jobs of many shapes with noise: what changes save, against the truth.

use crate::program::{Shape, USUAL, run};
use causal::{BoundBy, Graph, Lag};

/// A change: classes of the truth, beginning of names, factor.
type Change = (&'static [&'static str], &'static str, f64);

const CHANGES: &[Change] = &[
    (&["gpu"], "gemm_fwd", 0.5),
    (&["gpu"], "gemm_bwd", 0.5),
    (&["gpu"], "", 0.5),
    (&["gpu"], "gemm_", 0.0),
    (&["comm"], "", 0.5),
    (&["comm"], "", 0.0),
    (&["cpu"], "", 0.5),
    (&["cpu"], "enumerate", 0.0),
    (&["cpu"], "aten::linear", 0.5),
    (&["cpu", "python", "runtime"], "", 0.0),
    (&["runtime", "launch"], "", 0.5),
    (&["python"], "", 0.0),
];

fn shapes() -> Vec<(&'static str, Shape)> {
    let gpu = USUAL;
    let cpu = Shape { kernel: 12_000.0, operator: 24_000.0, item: false, event_sync: true, graph: true, ..USUAL };
    let comm = Shape { kernel: 25_000.0, collective: 250_000.0, ranks: 3, ..USUAL };
    let even = Shape { kernel: 22_000.0, operator: 9_000.0, graph: true, ..USUAL };
    let alone = Shape { ranks: 1, collective: 5_000.0, event_sync: true, item: false, ..USUAL };
    let loose = Shape { kernel: 22_000.0, event_sync: true, item: false, ..USUAL };
    let shapes = [("gpu", gpu), ("cpu", cpu), ("comm", comm), ("even", even), ("alone", alone), ("loose", loose)];
    let forms = [("", true, false), (" nosync", false, false), (" µs", true, true), (" µs nosync", false, true)];
    let mut all = Vec::new();
    for (name, shape) in shapes {
        for (form, syncs, whole_us) in forms {
            for seed in 1..=3 {
                let name: &'static str = Box::leak(format!("{name}{form} {seed}").into_boxed_str());
                all.push((name, Shape { seed, syncs, whole_us, ..shape }));
            }
        }
    }
    all
}

fn is_class(lag: &Lag, class: &str) -> bool {
    match lag.bound_by {
        BoundBy::Cpu | BoundBy::DataLoading => class == "cpu",
        BoundBy::Python | BoundBy::NotRecorded => class == "python",
        BoundBy::CudaRuntime => class == "runtime",
        BoundBy::LaunchOverhead => class == "launch",
        BoundBy::Compute => class == "gpu",
        BoundBy::Communication => class == "comm",
        BoundBy::Memory => class == "gpu_copy",
        _ => false,
    }
}

fn job_end(graph: &Graph, factor: impl Fn(&Lag) -> f64) -> i64 {
    let end = |rank| graph.replay(&graph.whole(rank).unwrap(), &factor).bounds().1;
    (0..graph.ranks().len() as u32).map(end).max().unwrap()
}

#[test]
fn changes_of_noisy_jobs_save_what_the_model_says() {
    let mut all: Vec<f64> = Vec::new();
    for (name, shape) in shapes() {
        let (job, end) = run(&shape, &|_, _| 1.0);
        let graph = job.graph();
        assert_eq!(graph.replay_error_ns(), 0);
        let before = job_end(&graph, |_| 1.0);
        assert!((before - end).abs() <= 2_000, "{name}: {before} {end}");
        let mut errors = Vec::new();
        let mut words = String::new();
        for &(classes, start, factor) in CHANGES {
            let is_changed = |class: &str, name: &str| classes.contains(&class) && name.starts_with(start);
            let (_, truth) = run(&shape, &|class, name| if is_changed(class, name) { factor } else { 1.0 });
            let found = job_end(&graph, |lag| {
                let is_class = classes.iter().any(|class| is_class(lag, class));
                let is_named =
                    start.is_empty() || lag.own_event().is_some_and(|row| job.name(lag.rank, row).starts_with(start));
                if is_class && is_named { factor } else { 1.0 }
            });
            let error = ((end - truth) - (before - found)) as f64 / end as f64 * 100.0;
            if error.abs() > 1.0 {
                words += &format!(" {classes:?} {start} x {factor}: {error:.2} %");
            }
            errors.push(error.abs());
        }
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let worst = errors.iter().copied().fold(0.0, f64::max);
        println!("{name}: {mean:.3} % on average, {worst:.2} % at worst;{words}");
        all.extend(errors);
    }
    all.sort_by(f64::total_cmp);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    println!("all {}: mean {mean:.3} %, worst {:.2} %", all.len(), all[all.len() - 1]);
    assert!(mean <= 0.25 && all[all.len() - 1] <= 2.0, "mean {mean}");
}

#[test]
fn whole_us_hardly_change_shares() {
    let (cpu, comm) =
        (Shape { kernel: 12_000.0, operator: 24_000.0, ..USUAL }, Shape { collective: 250_000.0, ..USUAL });
    for shape in [USUAL, cpu, comm] {
        let shares = |whole_us: bool| {
            let (job, _) = run(&Shape { whole_us, ..shape }, &|_, _| 1.0);
            let graph = job.graph();
            let path = graph.path(&graph.whole(0).unwrap());
            let whole = path.iter().map(causal::Segment::duration).sum::<i64>() as f64;
            BoundBy::ALL.map(|of| {
                let of = path.iter().filter(|segment| segment.bound_by == of);
                of.map(causal::Segment::duration).sum::<i64>() as f64 * 100.0 / whole
            })
        };
        let (exact, cut) = (shares(false), shares(true));
        for (exact, cut) in exact.iter().zip(&cut) {
            assert!((exact - cut).abs() < 1.0, "{exact:?} {cut:?}");
        }
    }
}
