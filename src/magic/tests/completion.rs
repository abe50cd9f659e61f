//! Completion in magic lines.

#![allow(clippy::unwrap_used)]
use super::fixtures::{folder, loaded, notebook_with};
use crate::magic::{CandidateKind, Form, Kind, MAGICS, complete};
use crate::session::{Variable, View};
use std::sync::Arc;
use trace_view::FrameSchema;

fn view() -> View {
    let variable = |name: &str, kind: &str| Variable { name: name.to_owned(), type_name: kind.to_owned() };
    let columns = [("name", "str"), ("diff_counts", "i64")];
    let schema = FrameSchema::new(Some(3), columns.into_iter());
    View {
        labels: vec!["control".to_owned(), "test".to_owned()],
        variables: vec![variable("df", "DataFrame"), variable("n", "i64"), variable("lazy", "LazyFrame")],
        frames: [("df".to_owned(), Arc::new(schema))].into(),
        ..View::default()
    }
}

/// Returns the completion at the `|`: start and end of the replaced text, and the candidates.
fn offered(code: &str) -> Option<(usize, usize, Vec<String>)> {
    let at = code.find('|').unwrap();
    let completion = complete(&code.replacen('|', "", 1), at, &view())?;
    Some((completion.start, completion.end, completion.items.into_iter().map(|item| item.text).collect()))
}

fn texts(code: &str) -> Vec<String> {
    offered(code).unwrap().2
}

#[test]
fn percent_offers_magics() {
    assert_eq!(offered("%trace_l|"), Some((0, 8, vec!["%trace_load".into(), "%trace_list".into()])));
    assert_eq!(offered("let df = %comp|"), Some((9, 14, vec!["%compare_traces".into(), "%compare_ranks".into()])));
    assert_eq!(offered("?%ops|"), Some((1, 5, vec!["%ops_diff".into()])));
    assert_eq!(offered("?ops|"), Some((1, 4, vec!["ops_diff".into()])));
    assert_eq!(texts("%|").len(), MAGICS.len());
    assert_eq!(texts("let x = 1;\n%who|"), ["%who"]);
    assert_eq!(
        (texts("%op|"), texts("%%opt|")),
        (["%ops_diff", "%open_perfetto", "%operators", "%%opt"].map(str::to_owned).to_vec(), vec!["%%opt".to_owned()])
    );
}

#[test]
fn rust_code_has_no_completion_here() {
    assert_eq!(offered("let x = a|"), None);
    assert_eq!(offered("a % b|"), None);
    assert_eq!(offered("f(\n%tra|"), None);
}

#[test]
fn trace_arguments_offer_labels() {
    assert_eq!(offered("%compare_traces |"), Some((16, 16, vec!["control".into(), "test".into()])));
    assert_eq!(texts("%compare_traces control |"), ["control", "test"]);
    assert_eq!(texts("%compare_traces control t|"), ["test"]);
    assert_eq!(texts("%compare_traces --control-rank 3 c|"), ["control"]);
    assert_eq!(texts("%compare_traces --use-short-name c|"), ["control"]);
    assert_eq!(texts("%trace_drop T|"), ["test"]);
}

#[test]
fn frame_arguments_and_braces_offer_variables() {
    assert_eq!(texts("%show |"), ["df", "lazy"]);
    assert_eq!(texts("%visualize |"), ["control", "test", "df", "lazy"]);
    assert_eq!(offered("%compare_traces a b --control-rank {n|"), Some((36, 37, vec!["n".into()])));
    assert_eq!(texts("%show df --top {1 + d|"), ["df"]);
}

#[test]
fn dashes_offer_flags_not_given_yet() {
    assert_eq!(offered("%compare_traces a b --dev|"), Some((20, 25, vec!["--device-type".into()])));
    assert_eq!(texts("%compare_traces a b --control_i|"), ["--control-iteration"]);
    let rest = texts("%compare_traces a b --top 3 --sort x --|");
    assert!(!rest.contains(&"--top".to_owned()), "given once is enough");
    assert!(rest.contains(&"--sort".to_owned()), "may be repeated");
    assert!(rest.contains(&"--help".to_owned()));
    assert!(texts("%compare_traces control test |").contains(&"--device-type".to_owned()));
}

#[test]
fn flags_offer_their_values() {
    assert_eq!(texts("%compare_traces a b --device-type |"), ["all", "cpu", "gpu"]);
    assert_eq!(offered("%compare_traces a b --device-type=c|"), Some((34, 35, vec!["cpu".into()])));
    assert_eq!(texts("%compare_traces a b --category added,d|"), ["deleted", "decreased"]);
    assert_eq!(texts("%compare_traces a b --log=|"), Vec::<String>::new());
    assert_eq!(texts("%visualize a b --log=|"), ["true", "false"]);
    assert_eq!(texts("%compare_traces a b --top |"), Vec::<String>::new());
}

#[test]
fn sort_and_columns_offer_columns_of_frame_or_comparison() {
    assert_eq!(texts("%show df --sort d|"), ["diff_counts"]);
    assert_eq!(texts("%show df --sort diff_counts:|"), ["asc", "desc"]);
    assert_eq!(texts("%compare_traces control test --sort control_|"), ["control_counts", "control_total_duration"]);
    assert_eq!(offered("%compare_traces a b --columns name,diff_c|"), Some((35, 41, vec!["diff_counts".into()])));
}

#[test]
fn columns_of_analyses_are_offered_and_quoted() {
    assert_eq!(texts("%gpu_kernel_breakdown control --sort su|"), ["sum", "'sum (us)'"]);
    assert_eq!(texts("%queue_length_time_series control --columns rank,que|"), ["queue_length"]);
    assert_eq!(texts("%queue_length_time_series control --columns r|"), ["rank"]);
    assert_eq!(texts("%trace_with_counters control --time-series queue_length,|"), ["memcpy_bandwidth"]);
}

#[test]
fn file_arguments_offer_paths() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("runs")).unwrap();
    let root = folder.path().to_str().unwrap();
    assert_eq!(texts(&format!("%trace_load {root}/r|")), [format!("{root}/runs/")]);
    assert_eq!(texts(&format!("%show df --csv={root}/r|")), [format!("{root}/runs/")]);
}

#[test]
fn candidates_have_kinds() {
    let kind = |code: &str| {
        let at = code.len();
        complete(code, at, &view()).unwrap().items.first().map(|item| item.kind)
    };
    assert_eq!(kind("%"), Some(CandidateKind::Magic));
    assert_eq!(kind("%trace_drop "), Some(CandidateKind::Trace));
    assert_eq!(kind("%show --"), Some(CandidateKind::Flag));
    assert_eq!(kind("%show "), Some(CandidateKind::Variable));
    assert_eq!(kind("%show df --unit "), Some(CandidateKind::Value));
    assert_eq!(CandidateKind::Path.as_str(), "path");
}

/// Returns the candidates at the end of `line`.
fn offered_in(view: &View, line: &str) -> Vec<String> {
    let items = complete(line, line.len(), view).unwrap().items;
    items.into_iter().map(|item| item.text).collect()
}

/// The view of a notebook with the traces control and test, and a frame.
fn with_traces() -> View {
    let folder = folder();
    let notebook = loaded(&folder);
    View { frames: view().frames, variables: view().variables, ..notebook.session.view(&notebook.cells) }
}

#[test]
fn every_flag_with_known_values_offers_them() {
    let folder = folder();
    // A view holds traces weakly.
    let notebook = loaded(&folder);
    let view = View { frames: view().frames, variables: view().variables, ..notebook.session.view(&notebook.cells) };
    let mut checked = 0;
    for magic in MAGICS.iter() {
        let positional =
            magic.arguments().iter().flat_map(|group| group.arguments).filter(|a| a.form == Form::Required);
        let mut line = magic.spelled();
        let mut labels = [" control", " test"].into_iter();
        for argument in positional {
            line.push_str(match argument.kind {
                Kind::Trace | Kind::Runs | Kind::TraceOrVariable => labels.next().unwrap_or_default(),
                Kind::Variable => " df",
                _ => " x",
            });
        }
        if ["visualize", "timeline", "flame"].contains(&magic.name()) {
            line.push_str(" test");
        }
        if magic.name() == "baseline" {
            line = "%baseline add main control".to_owned();
        }
        for flag in magic.arguments().iter().flat_map(|group| group.arguments).filter(|a| a.is_flag()) {
            // %trace_load does not know the ranks yet; texts, numbers and new names are free.
            let is_known = match flag.kind {
                Kind::List(_) => magic.name() != "trace_load",
                Kind::Choice(_) | Kind::Choices(_) | Kind::ParserArgs | Kind::Columns | Kind::Column | Kind::Sort => {
                    true
                }
                Kind::Operator | Kind::Event | Kind::Instance => true,
                _ => false,
            };
            let tables =
                magic.columns().len() + usize::from(line.contains(" df")) + usize::from(line.contains(" test"));
            let lacks_table = matches!(flag.kind, Kind::Columns | Kind::Sort) && tables == 0;
            if is_known && !lacks_table {
                let typed = format!("{line} --{} ", flag.name);
                assert!(!offered_in(&view, &typed).is_empty(), "{typed}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn ids_come_from_the_trace() {
    let view = with_traces();
    let texts = |line: &str| offered_in(&view, line);
    assert_eq!(texts("%compare_traces control test --control-rank "), ["0", "all"]);
    assert_eq!(texts("%compare_traces control test --test-iteration "), ["1", "all"]);
    assert_eq!(texts("%compare_traces control test --test-iteration=1,"), Vec::<String>::new());
    assert_eq!(texts("%idle_time_breakdown control --streams "), ["7", "all"]);
    assert_eq!(texts("%idle_time_breakdown nothing --streams "), Vec::<String>::new());
    assert_eq!(
        texts("%ops_diff control test --columns group,"),
        ["name", "group", "control_counts", "test_counts", "diff_counts"]
    );
    assert_eq!(texts("%show df --as bar --x "), ["name", "diff_counts"]);
}

#[test]
fn operators_that_launch_kernels_are_offered() {
    let mut trace = trace_testkit::TraceBuilder::new()
        .step(1, 0..100)
        .operator("aten::linear", 0..50)
        .operator("aten::add", 50..60);
    for id in 0..3 {
        trace = trace
            .runtime("cudaLaunchKernel", id, 10 + 2 * id..11 + 2 * id)
            .kernel("k", trace_testkit::Stream(7), 60 + id..61 + id)
            .correlation(id);
    }
    let (_folder, notebook) = notebook_with(&[("t", trace)]);
    let view = notebook.session.view(&notebook.cells);
    for typed in ["", "aten", "lin"] {
        let line = format!("%frequent_cuda_kernel_sequences t {typed}");
        assert_eq!(offered_in(&view, &line), ["aten::linear"], "{typed}");
    }
}

#[test]
fn changes_are_offered_with_their_factors() {
    let trace = trace_testkit::TraceBuilder::new().step(1, 0..100).operator("aten::linear", 0..50);
    let (_folder, notebook) = notebook_with(&[("t", trace)]);
    let view = notebook.session.view(&notebook.cells);
    for (line, expected) in [
        ("%what_if t com", vec!["communication", "compute"]),
        ("%what_if t communication ", vec!["x 0", "x 0.5"]),
        ("%what_if t communication x ", vec!["0", "0.5", "2"]),
        ("%what_if t communication x 0 id", vec!["idle"]),
        ("%critical_path t --what-if mem", vec!["memory"]),
    ] {
        assert_eq!(offered_in(&view, line), expected, "{line}");
    }
}

#[test]
fn unknown_magic_offers_nothing() {
    assert_eq!(texts("%nope |"), Vec::<String>::new());
}
