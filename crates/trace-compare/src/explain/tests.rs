//! Explanations of hand-made traces and of the demo data.

use crate::collective::Collectives;
use crate::companion::{Iterations, recording};
use crate::{Error, Explain, SelectEvents, TraceSet, Unlike, Warning, WaterfallLevel};
use call_tree::{Kind, Labels};
use serde_json::{Value, json};
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{Part, Present, TableValue};

/// Two iterations of 100 µs: an operator with a kernel of `us` each, and a copy.
fn timeline(us: i64) -> TraceSet {
    let mut trace = TraceBuilder::new();
    for (iteration, at) in [(1, 0), (2, 100)] {
        let id = 10 * iteration;
        trace = trace
            .step(iteration, at..at + 100)
            .operator("aten::mm", at + 5..at + 30)
            .runtime("cudaLaunchKernel", id, at + 10..at + 20)
            .kernel("gemm", Stream(7), at + 30..at + 30 + us)
            .correlation(id);
    }
    TraceSet::from_bytes(trace.json()).unwrap().with_label(if us == 20 { "a" } else { "b" })
}

#[test]
fn a_slower_kernel_is_all_of_the_change_but_idle() {
    let explained = Explain::new(timeline(20), timeline(35)).run().unwrap();
    assert_eq!((explained.step.control_us, explained.step.delta_us), (100.0, 0.0));
    let class = |name: &str| explained.classes.iter().find(|class| class.class == name).unwrap().delta_us;
    assert_eq!((class("compute"), class("idle"), class("exposed_copy")), (15.0, -15.0, 0.0));
    let rows = explained.rows();
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((row.path.as_slice(), row.name.as_str(), row.grade), (&["aten::mm".to_owned()][..], "gemm", "exact"));
    assert_eq!((row.count, row.attributed_us, row.delta_us), ([1.0, 1.0], [20.0, 35.0], 15.0));
    assert_eq!((row.count_part_us, row.cost_part_us), (0.0, 15.0));
    let idle: Vec<(&str, &str, f64)> =
        explained.idle.iter().map(|idle| (idle.cause, idle.frame.as_str(), idle.control_us)).collect();
    assert!(idle.contains(&("drain", "", 50.0)), "{idle:?}");
}

#[test]
fn other_shapes_of_inputs_are_no_equal_calls() {
    let of_shape = |label: &str, rows: i64| {
        let mut trace = TraceBuilder::new();
        for (iteration, at) in [(1, 0), (2, 100)] {
            trace = trace
                .step(iteration, at..at + 100)
                .operator("aten::mm", at + 5..at + 30)
                .arg("Input Dims", &format!("[[{rows}, 64], [64, 64]]"))
                .arg("Input type", r#"["float", "float"]"#)
                .runtime("cudaLaunchKernel", iteration, at + 10..at + 20)
                .kernel("gemm", Stream(7), at + 30..at + 30 + rows)
                .correlation(iteration);
        }
        TraceSet::from_bytes(trace.json()).unwrap().with_label(label)
    };
    let grade = |test: i64| {
        let explained = Explain::new(of_shape("a", 8), of_shape("b", test)).run().unwrap();
        let of_inputs =
            |warning: &&Warning| matches!(warning, Warning::UnlikeRecording { what: Unlike::InputShapes, .. });
        let warning = explained.warnings.iter().find(of_inputs).map(ToString::to_string);
        (explained.rows()[0].grade, warning)
    };
    assert_eq!(grade(8), ("exact", None));
    let (grade, warning) = grade(16);
    let warning = warning.unwrap();
    assert_eq!(grade, "name", "{warning}");
    assert!(
        warning.contains("aten::mm [[8, 64], [64, 64]]") && warning.contains("aten::mm [[16, 64], [64, 64]]"),
        "{warning}"
    );
}

/// In 2021, Kineto wrote operators, annotations and steps in one category.
#[test]
fn steps_in_the_category_of_operators_are_steps() {
    let old = |us: i64| {
        let mut trace = TraceBuilder::new();
        for (iteration, at) in [(1, 0), (2, 100)] {
            trace = trace
                .complete("Operator", &format!("ProfilerStep#{iteration}"), 1, 1, at..at + 100)
                .complete("Operator", "aten::mm", 1, 1, at + 5..at + 30)
                .complete("Runtime", "cudaLaunchKernel", 1, 1, at + 10..at + 20)
                .correlation(10 * iteration)
                .complete("Kernel", "gemm", 0, 7, at + 30..at + 30 + us)
                .arg("stream", "7")
                .correlation(10 * iteration);
        }
        TraceSet::from_bytes(trace.json()).unwrap().with_label(if us == 20 { "a" } else { "b" })
    };
    let [now, old] = [timeline as fn(i64) -> TraceSet, old].map(|of| Explain::new(of(20), of(35)).run().unwrap());
    assert_eq!(old.step.control_us, 100.0);
    assert_eq!(old.sides[0].samples, now.sides[0].samples);
    let classes = |explained: &crate::Explanation| {
        explained.classes.iter().map(|class| (class.class, class.delta_us.to_string())).collect::<Vec<_>>()
    };
    assert_eq!(classes(&old), classes(&now));
}

#[test]
fn parts_of_every_waterfall_add_up_to_the_step() {
    let (control, test) = (demo("control"), demo("test"));
    let explained = Explain::new(&control, &test).warmup(1).run().unwrap();
    assert_eq!(explained.sides[0].samples, 5);
    for (word, level) in WaterfallLevel::WORDS {
        let figure = explained.waterfall(level);
        let values = &figure.series[0].y;
        let (changes, totals) = (&values[1..values.len() - 1], (values[0], values[values.len() - 1]));
        assert!((totals.0 + changes.iter().sum::<f64>() - totals.1).abs() < 1e-9, "{word}");
        assert!(figure.intervals.iter().skip(1).any(Option::is_some), "{word}");
    }
    let classes: f64 = explained.classes.iter().map(|class| class.delta_us).sum();
    let idle: f64 = explained.idle.iter().map(|idle| idle.delta_us).sum();
    let regions: f64 = explained.rows().iter().map(|row| row.delta_us).sum();
    assert!((classes - explained.step.delta_us).abs() < 1e-6);
    assert!((regions + explained.unattributed.delta_us + idle - explained.step.delta_us).abs() < 1e-6);
}

#[test]
fn the_document_has_its_fields_and_adds_up() {
    let explained = Explain::new(demo("control"), demo("test")).run().unwrap();
    let json = explained.to_json();
    assert_eq!((json["version"].as_u64(), json["scope"].as_str()), (Some(3), Some("recording")));
    let interval: Vec<f64> = serde_json::from_value(json["step"]["interval_ns"].clone()).unwrap();
    let delta = json["step"]["delta_ns"].as_f64().unwrap();
    assert!(interval[0] < delta && delta < interval[1], "{interval:?} {delta}");
    assert_eq!(
        (&json["step"]["verdict"], &json["step"]["n"], &json["seed"]),
        (&json!("regression"), &json!([6, 6]), &json!(0))
    );
    for side in ["control", "test"] {
        let coverage = &json["coverage"][side];
        let selected = coverage["selected_gpu_ns"].as_i64().unwrap();
        let left_out: i64 =
            coverage["left_out"].as_array().unwrap().iter().map(|out| out["gpu_ns"].as_i64().unwrap()).sum();
        assert_eq!(coverage["recorded_gpu_ns"].as_i64().unwrap(), selected + left_out);
        let regions = json["regions"].as_array().unwrap();
        assert_eq!(regions.iter().map(|region| region[side]["gpu_total_ns"].as_i64().unwrap()).sum::<i64>(), selected);
    }
}

#[test]
fn the_document_has_the_tables_of_the_page() {
    let explained = Explain::new(demo("control"), demo("test")).run().unwrap();
    let json = explained.to_json();
    let report = explained.report(usize::MAX);
    let table = |begin: &str| {
        let found = report.parts.iter().find_map(|part| match part {
            Part::Table(table) if table.caption.starts_with(begin) => Some(table),
            _ => None,
        });
        found.unwrap()
    };
    let (operators, rows) = (table("operators and kernels"), json["operators"].as_array().unwrap());
    assert!(rows.len() > 20 && rows.len() == operators.rows.len(), "{}", rows.len());
    for (row, shown) in rows.iter().zip(&operators.rows) {
        let text = |at: usize| match &shown[at] {
            TableValue::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        };
        let float = |at: usize| match shown[at] {
            TableValue::Float(value) => value,
            ref other => panic!("{other:?}"),
        };
        assert_eq!((row["operator"].as_str().unwrap(), row["kernel"].as_str().unwrap()), (&*text(0), &*text(1)));
        for (key, at) in [("control_ns", 2), ("test_ns", 3), ("delta_ns", 4), ("count_part_ns", 10)] {
            let ns = row[key].as_f64().unwrap();
            assert!((ns - 1e3 * float(at)).abs() < 1e-3, "{key}: {ns}, {}", float(at));
        }
        assert!(text(5).starts_with(row["verdict"].as_str().unwrap()), "{} {}", text(5), row["verdict"]);
        assert_eq!((row["q"].as_f64().unwrap(), row["interval_ns"].is_array()), (float(7), true));
        assert_eq!(row["grade"], text(9));
    }
    let mut ids: Vec<u64> =
        rows.iter().flat_map(|row| row["regions"].as_array().unwrap()).filter_map(Value::as_u64).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..explained.region_count() as u64).collect::<Vec<_>>(), "each region is in one row");
    assert_eq!(json["host_waits"].as_array().unwrap().len(), table("calls that wait").total_rows);
    let first = &json["sentences"][0];
    assert_eq!((&first["kind"], &first["text"]), (&"step".into(), &explained.lead().lines().next().unwrap().into()));
    assert_eq!(first["numbers"]["delta_us"].as_f64().unwrap(), explained.step.delta_us);
    let all: Vec<&str> =
        json["sentences"].as_array().unwrap().iter().filter_map(|sentence| sentence["text"].as_str()).collect();
    assert_eq!(all.join("\n"), explained.sentences());
}

#[test]
fn a_trace_with_itself_changes_nothing() {
    let trace = demo("control");
    let explained = Explain::new(&trace, &trace).run().unwrap();
    assert_eq!((explained.step.delta_us, explained.region_count()), (0.0, explained.rows().len()));
    assert!(explained.rows().iter().all(|row| row.grade == "exact" && row.delta_us == 0.0));
    assert!(explained.sentences().contains("as fast as control"));
}

#[test]
fn several_runs_are_samples_of_one_side() {
    let (control, test) = (timeline(20), timeline(35));
    let explained = Explain::of_runs(vec![(&control).into(), (&test).into()], vec![(&test).into()]).run().unwrap();
    assert_eq!((explained.sides[0].samples, explained.sides[0].runs), (4, 2));
    assert_eq!(explained.sides[0].label, "a,b");
    let compute = &explained.classes[0];
    assert_eq!((compute.control_us, compute.test_us), (27.5, 35.0));
}

#[test]
fn markers_take_the_place_of_steps() {
    let trace = timeline(20);
    let marker = regex::Regex::new("^aten::mm$").unwrap();
    let explained = Explain::new(&trace, &trace).marker(marker).run().unwrap();
    assert_eq!((explained.sides[0].samples, explained.step.control_us), (2, 25.0));
    let error = Explain::new(&trace, &trace).marker(regex::Regex::new("decode").unwrap()).run().unwrap_err();
    assert!(matches!(error, Error::NoMarker { .. }), "{error}");
}

#[test]
fn selections_that_do_not_exist_are_named() {
    let (a, b) = (timeline(20), timeline(35));
    let error = |explain: Explain| explain.run().unwrap_err().to_string();
    assert_eq!(error(Explain::new(&a, &b).control_rank(7)), "trace \"a\" has no rank 7 (has 0)");
    assert_eq!(error(Explain::new(&a, &b).test_iteration(9)), "trace \"b\" has no iteration 9 (has 1, 2)");
    assert_eq!(
        error(Explain::new(&a, &b).warmup(5)),
        "no iteration of trace \"a\" is left without the first 5 of each rank (has 1, 2)"
    );
}

#[test]
fn a_recording_without_gpu_work_is_divided_by_operators() {
    let trace = |us: i64| {
        let json = TraceBuilder::new()
            .step(1, 0..100)
            .operator("aten::linear", 10..60)
            .operator("aten::mm", 20..20 + us)
            .json();
        TraceSet::from_bytes(json).unwrap()
    };
    let explained = Explain::new(trace(10), trace(30)).run().unwrap();
    let classes: Vec<(&str, f64)> = explained.classes.iter().map(|class| (class.class, class.delta_us)).collect();
    assert_eq!(classes, [("host", 0.0), ("idle", 0.0)]);
    let mut rows: Vec<(String, f64)> = explained.rows().into_iter().map(|row| (row.name, row.delta_us)).collect();
    rows.sort_by(|one, other| one.1.total_cmp(&other.1));
    assert_eq!(rows, [("aten::linear".to_owned(), -20.0), ("aten::mm".to_owned(), 20.0)]);
}

#[test]
fn the_page_has_sentences_a_waterfall_and_tables() {
    let explained = Explain::new(demo("control"), demo("test")).run().unwrap();
    let report = explained.present();
    let count = |is: fn(&Part) -> bool| report.parts.iter().filter(|part| is(part)).count();
    assert_eq!(count(|part| matches!(part, Part::Figure(_))), 1);
    // Classes, operators and kernels, idle time, calls that wait for the GPU.
    assert_eq!(count(|part| matches!(part, Part::Table(_))), 4);
    let text = explained.sentences();
    assert!(text.starts_with("test is ") && text.contains("slower") && text.contains("By class: "), "{text}");
    assert!(text.contains("Between these recordings (6 + 6 iterations): the step is a regression; an iteration of test is slower in 100 of 100 pairs"), "{text}");
    assert!(text.contains("cannot be told from one recording of each"), "{text}");
}

#[test]
fn the_page_begins_with_how_much_where_and_how_sure() {
    let explained = Explain::new(demo("control"), demo("test")).run().unwrap();
    let lead = explained.lead();
    let lines: Vec<&str> = lead.lines().collect();
    assert_eq!(lines.len(), 3, "{lead}");
    assert!(lines[0].starts_with("test is ") && lines[1].starts_with("Between these recordings"), "{lead}");
    // The host frame of the largest idle time, and its share.
    let idle = &explained.idle[0];
    let share = 100.0 * idle.delta_us / explained.step.delta_us;
    assert!(lines[0].contains("): +3.91 ms of idle GPU while the host is in enumerate(DataLoader)"), "{lead}");
    assert!(
        lines[0].contains(&format!("({share:.0} % of the change); +1.29 ms in aten::embedding_dense_backward › ")),
        "{lead}"
    );
    let report = explained.present();
    let [Part::Text(text), Part::Folded(details), ..] = &report.parts[..] else { panic!("{report:?}") };
    assert!(*text == lead && !details.is_warning && details.text.starts_with("Structure, gone: "), "{}", details.text);
    // Places lead in the direction of the step, and a step without a relevant change has none.
    let faster = Explain::new(demo("test"), demo("control")).run().unwrap().lead();
    assert!(faster.contains("): −3.91 ms of idle GPU while the host is in enumerate(DataLoader)"), "{faster}");
    let same = Explain::new(demo("control"), demo("control")).run().unwrap().lead();
    assert!(!same.contains("of the change"), "{same}");
    assert!(lines[2].starts_with("Whether the programs differ cannot be told"), "{lead}");
    let tree = explained.tree().present();
    assert!(matches!(&tree.parts[0], Part::Text(text) if *text == lead), "and no further sentence: {tree:?}");
}

#[test]
fn a_change_beyond_what_could_be_shown_may_be_chance() {
    let explained = Explain::new(demo("bound/control"), demo("bound/test")).run().unwrap();
    let lead = explained.lead();
    // +78 %, whose interval is narrow: few iterations that depend on each other show no order.
    assert!(lead.contains("837 µs slower (78.3 %)") && !lead.contains("smallest change"), "{lead}");
    let why = "inconclusive, since so few independent iterations can be in that order by chance.";
    assert!(lead.contains(why), "{lead}");
    // All-reduce alone takes more than that.
    assert!(lead.contains("+1.52 ms in c10d::allreduce_") && !lead.contains("of the change)"), "{lead}");
}

#[test]
fn events_keep_their_roles() {
    let trace = demo("control");
    let mut labels = Labels::default();
    let rank = &trace.traces()[0];
    let mut collectives = Collectives::default();
    let recording = recording(rank, trace.compat(), &Iterations::default(), &mut labels, &mut collectives).unwrap();
    let count = |kind: fn(&Kind) -> bool| recording.events.iter().filter(|event| kind(&event.kind)).count();
    assert_eq!(recording.windows.len(), 6);
    assert!(count(|kind| kind.is_gpu()) > 500 && count(|kind| *kind == Kind::Launch) > 500);
    assert!(count(|kind| *kind == Kind::Operator) > 500);
    assert!(recording.events.iter().all(|event| event.end >= event.start));
}

fn demo(name: &str) -> TraceSet {
    TraceSet::load(format!("../../notebooks/data/{name}")).unwrap().with_label(name)
}

#[test]
fn new_call_that_waits_for_gpu_is_named() {
    let load = |side: &str| {
        let folder = format!("{}/../../notebooks/data/synchronized/{side}", env!("CARGO_MANIFEST_DIR"));
        TraceSet::load(folder).unwrap().with_label(side)
    };
    let (control, test) = (load("control"), load("test"));
    let explanation = Explain::new(&control, &test).run().unwrap();
    let sentences = explanation.sentences();
    assert!(
        sentences.contains("New calls that wait for the GPU: cudaStreamSynchronize in aten::item, 1 a step."),
        "{sentences}"
    );
    // Compute gets faster, the step slower.
    let class = |name: &str| explanation.classes.iter().find(|class| class.class == name).unwrap().delta_us;
    assert!(class("compute") < -2_000.0 && class("idle") > 2_500.0 && explanation.step.delta_us > 800.0);
    let waits = explanation.waits();
    assert_eq!((waits[0].call.as_str(), waits[0].caller.as_str()), ("cudaStreamSynchronize", "aten::item"));
    assert_eq!(waits[0].calls, [0.0, 1.0]);
    let events = waits.iter().find(|wait| wait.call == "cudaEventSynchronize").unwrap();
    assert_eq!((events.caller.as_str(), events.calls), ("## log ##", [1.0, 1.0]));
    let itself = Explain::new(&control, &control).run().unwrap();
    assert!(!itself.sentences().contains("wait for the GPU") && itself.wait_table().is_none());
}
