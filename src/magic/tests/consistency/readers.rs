//! Readers of each quantity from the answer of each magic that shows it.

use super::{Case, Reader, Values};
use crate::magic::Quantity;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use trace::polars::prelude::DataFrame;
use trace_view::{FLAME, PLOTLY, TABLE};

fn step_of(rank: i64, iteration: i64) -> String {
    format!("rank {rank}, ProfilerStep#{iteration}")
}

/// A time in ns that is a number of another unit in the answer.
fn ns(value: f64) -> String {
    format!("{:.0}", value)
}

fn number(value: &Value) -> String {
    ns(value.as_f64().unwrap())
}

/// Rows of a frame as keys and numbers.
fn pairs(frame: &DataFrame, key: &str, value: &str, per_unit: f64) -> Values {
    let keys = frame.column(key).unwrap().as_materialized_series().iter();
    let values = frame.column(value).unwrap().as_materialized_series().iter();
    let text = |key: trace::polars::prelude::AnyValue<'_>| match key.get_str() {
        Some(text) => text.to_owned(),
        None => key.to_string(),
    };
    keys.zip(values).map(|(key, value)| (text(key), ns(value.try_extract::<f64>().unwrap() * per_unit))).collect()
}

/// The columns of a table of the extension by name, row by row.
fn column(table: &Value, name: &str) -> Option<Vec<Value>> {
    let at = table["columns"].as_array()?.iter().position(|column| column["name"] == name)?;
    Some(table["rows"].as_array()?.iter().map(|row| row[at].clone()).collect())
}

fn ranks_of(description: &Value, of: impl Fn(&Value) -> Option<String>) -> Values {
    let ranks = description["ranks"].as_array().unwrap().iter();
    ranks.filter_map(|rank| Some((rank["rank"].to_string(), of(rank)?))).collect()
}

pub(super) fn described(case: &mut Case) -> Option<Value> {
    Some(case.json("%describe control")?["description"].take())
}

fn of_control(values: impl Iterator<Item = (String, String)>) -> Option<Values> {
    Some(values.collect())
}

/// Asks a magic that compares two steps of one trace, or the means of a pair.
fn compared(case: &mut Case, magic: &str, read: impl Fn(&mut Case, &str) -> Option<[f64; 2]>) -> Option<Values> {
    if !case.is_pair() && case.iterations.is_empty() {
        // Without steps the whole recording is one, of the rank that has it alone.
        let [control, _] =
            (case.ranks.len() == 1).then(|| read(case, &format!("{magic} control control"))).flatten()?;
        return Some([("whole recording".to_owned(), ns(control))].into());
    }
    if case.is_pair() {
        let [control, test] = read(case, &format!("{magic} control {}", case.test))?;
        return Some([("control".to_owned(), ns(control)), ("test".to_owned(), ns(test))].into());
    }
    let mut found = Values::new();
    for (rank, iteration) in case.steps() {
        let code = format!("{magic} control control --rank {rank} --iteration {iteration}");
        if let Some([control, _]) = read(case, &code) {
            found.insert(step_of(rank, iteration), ns(control));
        }
    }
    Some(found)
}

pub(super) const READERS: &[Reader] = &[
    Reader("describe", Quantity::Events, |case| {
        Some(ranks_of(&described(case)?, |rank| Some(number(&rank["events"]))))
    }),
    Reader("trace_info", Quantity::Events, |case| {
        let tables = case.shown("%trace_info control", TABLE)?;
        let (ranks, events) = (column(&tables[0], "rank")?, column(&tables[0], "events")?);
        of_control(ranks.iter().zip(&events).map(|(rank, events)| (rank.to_string(), number(events))))
    }),
    Reader("trace_sql", Quantity::Events, |case| {
        let counts = case.sql("SELECT rank, COUNT(*) AS n FROM events WHERE trace = 'control' GROUP BY rank")?;
        Some(pairs(&counts, "rank", "n", 1.0))
    }),
    Reader("events", Quantity::Events, |case| {
        let all = case.frame("%events control --group-by rank --quiet")?;
        Some(pairs(&all, "rank", "rows", 1.0))
    }),
    Reader("trace_list", Quantity::Events, |case| {
        if case.ranks.len() > 1 || case.is_pair() {
            return None;
        }
        let tables = case.shown("%trace_list", TABLE)?;
        Some([(case.ranks[0].to_string(), number(&column(&tables[0], "events")?[0]))].into())
    }),
    Reader("describe", Quantity::Span, |case| Some(ranks_of(&described(case)?, |rank| Some(number(&rank["span_ns"]))))),
    Reader("trace_info", Quantity::Span, |case| {
        let tables = case.shown("%trace_info control", TABLE)?;
        let (ranks, spans) = (column(&tables[0], "rank")?, column(&tables[0], "span")?);
        of_control(ranks.iter().zip(&spans).map(|(rank, ms)| (rank.to_string(), ns(ms.as_f64().unwrap() * 1e6))))
    }),
    Reader("trace_sql", Quantity::Span, |case| {
        Some(pairs(&case.sql("SELECT rank, dur FROM ranks WHERE trace = 'control'")?, "rank", "dur", 1.0))
    }),
    Reader("describe", Quantity::Step, |case| {
        // It shows the shortest and the longest over the ranks.
        let (rank, page) = (case.ranks[0], described(case)?);
        if case.ranks.len() > 1 || case.is_pair() || case.iterations.is_empty() {
            return None;
        }
        let steps = page["iterations"].as_array()?.iter().take(2);
        of_control(steps.map(|step| (step_of(rank, step["iteration"].as_i64().unwrap()), number(&step["longest_ns"]))))
    }),
    Reader("trace_sql", Quantity::Step, |case| {
        if case.is_pair() || case.iterations.is_empty() {
            return None;
        }
        let steps = case.sql("SELECT rank, iteration, dur FROM iterations WHERE trace = 'control'")?;
        let steps = (0..steps.height()).map(|row| {
            let of = |name: &str| steps.column(name).unwrap().get(row).unwrap().try_extract::<i64>().unwrap();
            (step_of(of("rank"), of("iteration")), of("dur").to_string())
        });
        let wanted: BTreeSet<String> =
            case.steps().into_iter().map(|(rank, iteration)| step_of(rank, iteration)).collect();
        of_control(steps.filter(|(step, _)| wanted.contains(step)))
    }),
    Reader("explain", Quantity::Step, |case| {
        compared(case, "%explain", |case, code| {
            let step = case.json(code)?["step"].take();
            Some([step["control_ns"].as_f64()?, step["test_ns"].as_f64()?])
        })
    }),
    Reader("tree_diff", Quantity::Step, |case| {
        compared(case, "%tree_diff", |case, code| {
            let step = case.json(code)?["step"].take();
            Some([step["control_ns"].as_f64()?, step["test_ns"].as_f64()?])
        })
    }),
    Reader("waterfall", Quantity::Step, |case| {
        compared(case, "%waterfall", |case, code| {
            let figure = case.shown(code, PLOTLY)?.into_iter().next()?;
            let in_ms = figure["layout"]["yaxis"]["title"]["text"].as_str()?.contains("[ms]");
            let bars = figure["data"][0]["y"].as_array()?.clone();
            let per_unit = if in_ms { 1e6 } else { 1e3 };
            Some([bars.first()?.as_f64()? * per_unit, bars.last()?.as_f64()? * per_unit])
        })
    }),
    Reader("flame", Quantity::Step, |case| {
        if case.is_pair() {
            return None;
        }
        compared(case, "%flame", |case, code| {
            let flame = case.shown(&code.replace("control control", "control"), FLAME)?.into_iter().next()?;
            let total = flame["total"][0].as_f64()?;
            Some([total, total])
        })
    }),
    Reader("critical_path", Quantity::Step, |case| windows(case, "%critical_path control --top 0")),
    Reader("what_if", Quantity::Step, |case| {
        windows(case, "%what_if control 'name = \"no event has this name\" x 1'").filter(|steps| !steps.is_empty())
    }),
    Reader("describe", Quantity::Busy, |case| {
        let page = described(case)?;
        if case.iterations.len() > 1 {
            // Analyses leave the last step out.
            return None;
        }
        let times = |rank: &Value| {
            Some(format!("{} {}", number(rank["device"].get("busy_ns")?), number(&rank["device"]["idle_ns"])))
        };
        Some(ranks_of(&page, times))
    }),
    Reader("temporal_breakdown", Quantity::Busy, |case| {
        if case.iterations.len() > 1 {
            return None;
        }
        let frame = case.frame("%temporal_breakdown control --quiet")?;
        let idle = pairs(&frame, "rank", "idle_time(us)", 1e3);
        let span = pairs(&frame, "rank", "kernel_time(us)", 1e3);
        let whole = |text: &String| text.parse::<i64>().unwrap();
        of_control(
            span.iter()
                .map(|(rank, span)| (rank.clone(), format!("{} {}", whole(span) - whole(&idle[rank]), idle[rank]))),
        )
    }),
    Reader("describe", Quantity::Operators, |case| {
        let page = described(case)?;
        let operators = page["operators"].as_array()?.iter();
        of_control(operators.map(|of| (of["name"].as_str().unwrap().to_owned(), number(&of["count"]))))
    }),
    Reader("trace_sql", Quantity::Operators, |case| {
        let counts = case.sql(
            "SELECT name, COUNT(*) AS n FROM events WHERE trace = 'control' AND (cat = 'cpu_op' OR cat = 'Operator') AND NOT \
             name LIKE 'ProfilerStep%' GROUP BY name",
        )?;
        Some(pairs(&counts, "name", "n", 1.0))
    }),
    Reader("describe", Quantity::Kernels, |case| {
        let page = described(case)?;
        let kernels = page["kernels"].as_array()?.iter();
        of_control(kernels.map(|of| (of["name"].as_str().unwrap().to_owned(), number(&of["total_ns"]))))
    }),
    Reader("trace_sql", Quantity::Kernels, |case| {
        let sums = case.sql("SELECT name, SUM(dur) AS dur FROM kernels WHERE trace = 'control' GROUP BY name")?;
        Some(pairs(&sums, "name", "dur", 1.0))
    }),
    Reader("operators", Quantity::Operators, |case| {
        // Analyses leave the last step out.
        let is_whole = case.iterations.len() < 2;
        let frame = is_whole.then(|| case.frame("%operators control --quiet")).flatten()?;
        Some(pairs(&frame, "name", "count", 1.0))
    }),
    Reader("compare_traces", Quantity::Operators, |case| {
        let names = names_of(case, "operators")?;
        let frame = case.frame(&format!("%compare_traces control {} --device-type cpu --quiet", case.test))?;
        let counts = pairs(&frame, "name", "control_counts", 1.0);
        of_control(counts.into_iter().filter(|(name, count)| names.contains(name) && count != "0"))
    }),
    Reader("gpu_kernel_breakdown", Quantity::Kernels, |case| {
        if case.iterations.len() > 1 || case.ranks.len() > 1 {
            return None;
        }
        case.frame("%gpu_kernel_breakdown control --duration-ratio 1 --num-kernels 100000 --quiet")?;
        Some(pairs(case.notebook.frame("asked_kernels"), "name", "sum (us)", 1e3))
    }),
    Reader("kernels", Quantity::Kernels, |case| {
        if case.iterations.len() > 1 || case.ranks.len() > 1 {
            return None;
        }
        let frame = case.frame("%kernels control --quiet")?;
        let column = |name: &str| frame.column(name).unwrap().as_materialized_series().iter();
        let number = |value: trace::polars::prelude::AnyValue<'_>| value.try_extract::<f64>().unwrap();
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        for ((name, count), mean) in column("name").zip(column("count")).zip(column("mean (us)")) {
            *sums.entry(name.get_str().unwrap().to_owned()).or_default() += number(count) * number(mean) * 1e3;
        }
        // It lists no copies and fills: their times are those of %describe.
        for of in described(case)?["kernels"].as_array()? {
            if of["name"].as_str()?.starts_with("Mem") {
                sums.insert(of["name"].as_str()?.to_owned(), of["total_ns"].as_f64()?);
            }
        }
        of_control(sums.into_iter().map(|(name, sum)| (name, ns(sum))))
    }),
    Reader("compare_traces", Quantity::Kernels, |case| {
        let names = names_of(case, "kernels")?;
        let frame = case.frame(&format!("%compare_traces control {} --device-type gpu --quiet", case.test))?;
        let counts = pairs(&frame, "name", "control_total_duration", 1e3);
        of_control(counts.into_iter().filter(|(name, _)| names.contains(name)))
    }),
    Reader("tree_diff", Quantity::IdleByCause, |case| {
        let answer = case.json(&format!("%tree_diff control {}", case.test))?;
        let rows = answer["rows"].as_array()?;
        let whole = rows.iter().find(|row| row["kind"] == "idle" && row["depth"] == 0)?["id"].clone();
        let mut causes = Values::new();
        for row in rows.iter().filter(|row| row["parent"] == whole) {
            for side in ["control", "test"] {
                let time = row[side]["attributed_ns"].as_f64().unwrap_or(0.0);
                if time > 0.5 {
                    causes.insert(format!("{side}_ns {}", row["name"]), ns(time));
                }
            }
        }
        Some(causes)
    }),
    Reader("explain", Quantity::IdleByCause, |case| {
        let answer = case.json(&format!("%explain control {}", case.test))?;
        let mut causes: BTreeMap<String, f64> = BTreeMap::new();
        for row in answer["idle"].as_array()? {
            for side in ["control_ns", "test_ns"] {
                *causes.entry(format!("{side} {}", row["cause"])).or_default() += row[side].as_f64()?;
            }
        }
        of_control(causes.into_iter().filter(|(_, time)| *time > 0.5).map(|(cause, time)| (cause, ns(time))))
    }),
    Reader("explain", Quantity::Bound, |case| bounds(case, "%explain")),
    Reader("critical_path", Quantity::Bound, |case| bounds(case, "%critical_path")),
    Reader("describe", Quantity::Straggler, |case| straggler(case, "%describe control")),
    Reader("compare_ranks", Quantity::Straggler, |case| straggler(case, "%compare_ranks control")),
    Reader("collectives", Quantity::Straggler, |case| straggler(case, "%collectives control")),
    Reader("potential_stragglers", Quantity::Straggler, |case| straggler(case, "%potential_stragglers control")),
    Reader("critical_path", Quantity::Saving, |case| {
        let name = slowest_name(case)?;
        let answer = case.json("%critical_path control --instance 0")?;
        let row = answer["windows"][0]["by_name"].as_array()?.iter().find(|row| row["name"] == name.as_str())?.clone();
        Some([(name, number(&row["saved_if_twice_as_fast_ns"]))].into())
    }),
    Reader("what_if", Quantity::Saving, |case| {
        let name = slowest_name(case)?;
        let answer = case.json(&format!("%what_if control --instance 0 'name = \"{name}\" x 0.5'"))?;
        Some([(name, number(&answer["what_if"][0]["saved_ns"]))].into())
    }),
];

/// The names of the operators or kernels of control, where it has at most one step and is compared with another trace.
fn names_of(case: &mut Case, of: &str) -> Option<BTreeSet<String>> {
    if case.iterations.len() > 1 || !case.is_pair() {
        return None;
    }
    let page = described(case)?;
    Some(page[of].as_array()?.iter().map(|of| of["name"].as_str().unwrap().to_owned()).collect())
}

/// Windows of single steps: their lengths.
fn windows(case: &mut Case, code: &str) -> Option<Values> {
    if case.is_pair() || (case.iterations.is_empty() && case.ranks.len() > 1) {
        return None;
    }
    if case.iterations.is_empty() {
        let answer = case.json(&format!("{code} --annotation ''"))?;
        return Some([("whole recording".to_owned(), number(&answer["windows"][0]["duration_ns"]))].into());
    }
    let wanted: BTreeSet<String> = case.steps().into_iter().map(|(rank, iteration)| step_of(rank, iteration)).collect();
    let answer = case.json(&format!("{code} --rank all --instance all"))?;
    let windows = answer["windows"].as_array()?.iter();
    let found = windows.map(|window| {
        let annotation = window["annotation"].as_str().unwrap_or_default().to_owned();
        (format!("rank {}, {annotation}", window["rank"]), number(&window["duration_ns"]))
    });
    of_control(found.filter(|(step, _)| wanted.contains(step)))
}

/// The sentences that say what bounds the first rank of both sides.
fn bounds(case: &mut Case, magic: &str) -> Option<Values> {
    let rank = case.ranks[0];
    let text = case.text(&format!("{magic} control {} --rank {rank}", case.test))?;
    let from = text.find(": control is ")?;
    let to = from + text[from..].find(").")?;
    Some([("steps".to_owned(), text[from..to].to_owned())].into())
}

/// The sentence about waiting for each other.
fn straggler(case: &mut Case, code: &str) -> Option<Values> {
    let text = case.text(code)?;
    let sentence = text.lines().find(|line| line.contains("for each other in"))?;
    let sentence = sentence.trim().trim_start_matches("By waiting: ");
    Some([("ranks".to_owned(), sentence.to_owned())].into())
}

/// The kernel or operator with most time on the path of the first step, without quotes in its name.
fn slowest_name(case: &mut Case) -> Option<String> {
    if case.is_pair() {
        return None;
    }
    let answer = case.json("%critical_path control --instance 0")?;
    let rows = answer["windows"][0]["by_name"].as_array()?.iter();
    let is_kernel = |row: &&Value| {
        ["gpu_compute_bound", "gpu_memory_bound"].iter().any(|bound| row["bound_by"] == *bound)
            && !row["saved_if_twice_as_fast_ns"].is_null()
    };
    let names = rows.filter(is_kernel).filter_map(|row| row["name"].as_str());
    names.map(str::to_owned).find(|name| !name.contains(['"', '\\', '\'']))
}
