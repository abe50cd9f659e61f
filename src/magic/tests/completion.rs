//! What Tab offers in a magic line.

#![allow(clippy::unwrap_used)]
use crate::magic::{CandidateKind, MAGICS, complete};
use crate::session::{Variable, View};

fn view() -> View {
    let variable = |name: &str, kind: &str| Variable { name: name.to_owned(), type_name: kind.to_owned() };
    View {
        labels: vec!["control".to_owned(), "test".to_owned()],
        variables: vec![variable("df", "DataFrame"), variable("n", "i64"), variable("lazy", "LazyFrame")],
        columns: vec![("df".to_owned(), vec!["name".to_owned(), "diff_counts".to_owned()])],
    }
}

/// What Tab offers at the `|`: where the replaced text starts and ends, and the texts.
fn offered(code: &str) -> Option<(usize, usize, Vec<String>)> {
    let at = code.find('|').unwrap();
    let completion = complete(&code.replacen('|', "", 1), at, &view())?;
    Some((completion.start, completion.end, completion.items.into_iter().map(|item| item.text).collect()))
}

fn texts(code: &str) -> Vec<String> {
    offered(code).unwrap().2
}

#[test]
fn names_after_a_percent() {
    assert_eq!(offered("%trace_l|"), Some((0, 8, vec!["%trace_load".into(), "%trace_list".into()])));
    assert_eq!(offered("let df = %comp|"), Some((9, 14, vec!["%compare_traces".into()])));
    assert_eq!(offered("?%ops|"), Some((1, 5, vec!["%ops_diff".into()])));
    assert_eq!(offered("?ops|"), Some((1, 4, vec!["ops_diff".into()])));
    assert_eq!(texts("%|").len(), MAGICS.len());
    assert_eq!(texts("let x = 1;\n%who|"), ["%who"]);
    assert_eq!(
        (texts("%op|"), texts("%%opt|")),
        (vec!["%ops_diff".to_owned(), "%%opt".to_owned()], vec!["%%opt".to_owned()])
    );
}

#[test]
fn rust_is_left_to_rust() {
    assert_eq!(offered("let x = a|"), None);
    assert_eq!(offered("a % b|"), None);
    assert_eq!(offered("f(\n%tra|"), None);
}

#[test]
fn traces_for_their_places() {
    assert_eq!(offered("%compare_traces |"), Some((16, 16, vec!["control".into(), "test".into()])));
    assert_eq!(texts("%compare_traces control |"), ["control", "test"]);
    assert_eq!(texts("%compare_traces control t|"), ["test"]);
    assert_eq!(texts("%compare_traces --control-rank 3 c|"), ["control"]);
    assert_eq!(texts("%compare_traces --use-short-name c|"), ["control"]);
    assert_eq!(texts("%trace_drop T|"), ["test"]);
}

#[test]
fn variables_where_frames_go_and_in_braces() {
    assert_eq!(texts("%show |"), ["df", "lazy"]);
    assert_eq!(texts("%visualize |"), ["control", "test", "df", "lazy"]);
    assert_eq!(offered("%compare_traces a b --control-rank {n|"), Some((36, 37, vec!["n".into()])));
    assert_eq!(texts("%show df --top {1 + d|"), ["df"]);
}

#[test]
fn flags_after_two_dashes() {
    assert_eq!(offered("%compare_traces a b --dev|"), Some((20, 25, vec!["--device-type".into()])));
    assert_eq!(texts("%compare_traces a b --control_i|"), ["--control-iteration"]);
    let rest = texts("%compare_traces a b --top 3 --sort x --|");
    assert!(!rest.contains(&"--top".to_owned()), "given once is enough");
    assert!(rest.contains(&"--sort".to_owned()), "may be repeated");
    assert!(rest.contains(&"--help".to_owned()));
    assert!(texts("%compare_traces control test |").contains(&"--device-type".to_owned()));
}

#[test]
fn values_of_flags() {
    assert_eq!(texts("%compare_traces a b --device-type |"), ["all", "cpu", "gpu"]);
    assert_eq!(offered("%compare_traces a b --device-type=c|"), Some((34, 35, vec!["cpu".into()])));
    assert_eq!(texts("%compare_traces a b --category added,d|"), ["deleted", "decreased"]);
    assert_eq!(texts("%compare_traces a b --log=|"), Vec::<String>::new());
    assert_eq!(texts("%visualize a b --log=|"), ["true", "false"]);
    assert_eq!(texts("%compare_traces a b --top |"), Vec::<String>::new());
}

#[test]
fn columns_of_the_frame_or_of_the_comparison_to_come() {
    assert_eq!(texts("%show df --sort d|"), ["diff_counts"]);
    assert_eq!(texts("%show df --sort diff_counts:|"), ["asc", "desc"]);
    assert_eq!(texts("%compare_traces control test --sort control_|"), ["control_counts", "control_total_duration"]);
    assert_eq!(offered("%compare_traces a b --columns name,diff_c|"), Some((35, 41, vec!["diff_counts".into()])));
}

#[test]
fn columns_of_an_answer_to_come_are_known_and_quoted_where_they_must_be() {
    assert_eq!(texts("%gpu_kernel_breakdown control --sort su|"), ["sum", "'sum (us)'"]);
    assert_eq!(texts("%queue_length_time_series control --columns rank,que|"), ["queue_length"]);
    assert_eq!(texts("%queue_length_time_series control --columns r|"), ["rank"]);
    assert_eq!(texts("%trace_with_counters control --time-series queue_length,|"), ["memcpy_bandwidth"]);
}

#[test]
fn paths_for_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("runs")).unwrap();
    let root = folder.path().to_str().unwrap();
    assert_eq!(texts(&format!("%trace_load {root}/r|")), [format!("{root}/runs/")]);
    assert_eq!(texts(&format!("%show df --csv={root}/r|")), [format!("{root}/runs/")]);
}

#[test]
fn candidates_say_what_they_are() {
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

#[test]
fn an_unknown_magic_offers_nothing() {
    assert_eq!(texts("%nope |"), Vec::<String>::new());
}
