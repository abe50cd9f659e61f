//! Flags of tables on a small frame: the table, the file, the bound variable.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use crate::display::Output;
use trace::Comparison;
use trace::polars::df;
use trace::polars::prelude::DataFrame;
use trace_view::{HTML, PLAIN};

/// A comparison in HTA's order: names of control, then of test only.
fn compared() -> DataFrame {
    let mut df = df!(
        "name" => ["b_gone", "c_more", "d_less", "e_same", "a_new"],
        "control_counts" => [2i64, 1, 4, 3, 0],
        "control_total_duration" => [20.5, 1000.0, 40_000.0, 3.0, 0.0],
        "test_counts" => [0i64, 3, 1, 3, 5],
        "test_total_duration" => [0.0, 3000.25, 10_000.0, 3.125, 50.0],
        "diff_counts" => [-2i64, 2, -3, 0, 5],
        "diff_duration" => [-20.5, 2000.25, -30_000.0, 0.125, 50.0],
    )
    .unwrap();
    let signs = ["-", "+", "-", "=", "+"];
    df.with_column(Comparison::marked("control", "test", "counts_change_categories", &signs).unwrap()).unwrap();
    df
}

fn notebook() -> Notebook {
    Notebook::default().with_frame("df", compared())
}

/// Returns the names of a table in the order shown.
fn names(code: &str) -> Vec<&'static str> {
    let text = notebook().text(code);
    let known = ["b_gone", "c_more", "d_less", "e_same", "a_new"];
    text.lines().filter_map(|line| known.into_iter().find(|name| line.contains(name))).collect()
}

/// Returns the CSV file of a call.
fn csv(flags: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    notebook().text(&format!("%show df --csv '{}' {flags}", path.display()));
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn rows_keep_the_order_of_the_variable() {
    assert_eq!(names("%show df"), ["b_gone", "c_more", "d_less", "e_same", "a_new"]);
}

#[test]
fn sort_puts_largest_numbers_first() {
    assert_eq!(names("%show df --sort diff_counts"), ["a_new", "c_more", "e_same", "b_gone", "d_less"]);
    assert_eq!(names("%show df --sort diff_counts:asc"), ["d_less", "b_gone", "e_same", "c_more", "a_new"]);
    assert_eq!(names("%show df --sort name"), ["a_new", "b_gone", "c_more", "d_less", "e_same"]);
    assert_eq!(
        names("%show df --sort counts_change_categories --sort diff_duration:desc"),
        ["c_more", "a_new", "b_gone", "d_less", "e_same"]
    );
}

#[test]
fn filter_and_category_select_rows() {
    assert_eq!(names("%show df --filter '^[ab]_'"), ["b_gone", "a_new"]);
    assert_eq!(names("%show df --category added,deleted"), ["b_gone", "a_new"]);
    assert_eq!(names("%show df --category increased"), ["c_more"]);
    assert_eq!(names("%show df --category decreased"), ["d_less"]);
    assert_eq!(names("%show df --category unchanged"), ["e_same"]);
    let text = notebook().text("%show df --category added");
    assert!(text.contains("1 of 5 rows match"), "{text}");
}

#[test]
fn top_and_min_us_hide_rows_with_a_note() {
    let text = notebook().text("%show df --top 2");
    assert!(text.contains("2 of 5 rows × 9 columns · --top 0 shows all"), "{text}");
    assert_eq!(names("%show df --top 2"), ["b_gone", "c_more"]);
    assert_eq!(names("%show df --top 0").len(), 5);
    assert_eq!(names("%show df --min-us 50"), ["c_more", "d_less", "a_new"]);
    assert!(notebook().text("%show df --min-us 50").contains("2 rows below 50 µs hidden"));
}

#[test]
fn table_has_one_unit_of_time() {
    assert!(notebook().text("%show df --unit us").contains("[µs]"));
    assert!(notebook().text("%show df --unit s").contains("[s]"));
    let auto = notebook().text("%show df");
    assert!(auto.contains("[ms]") && !auto.contains("[µs]"), "{auto}");
    assert!(notebook().text("%show df --filter e_same").contains("[µs]"));
}

#[test]
fn columns_are_selected_in_the_order_given() {
    let mut notebook = notebook();
    notebook.text("x = %show df --columns diff_counts,name --sort diff_duration:asc");
    let x = notebook.frame("x");
    assert_eq!(x.get_column_names(), ["diff_counts", "name"]);
    assert_eq!(x.column("name").unwrap().str().unwrap().get(0), Some("d_less"));
    assert_eq!(
        notebook.error("%show df --columns name,diff_count"),
        "UsageError: %show: unknown column `diff_count`: expected name, control_counts, control_total_duration, test_counts, \
         test_total_duration, diff_counts, diff_duration or counts_change_categories; did you mean diff_counts?"
    );
    assert_eq!(
        notebook.error("%show df --columns name,name"),
        "UsageError: %show: invalid --columns `name,name`: expected name only once"
    );
}

#[test]
fn csv_has_all_rows_unrounded_in_htas_order() {
    let whole = "name,control_counts,control_total_duration,test_counts,test_total_duration,diff_counts,diff_duration,counts_change_categories\n\
                 b_gone,2,20.5,0,0.0,-2,-20.5,-\n\
                 c_more,1,1000.0,3,3000.25,2,2000.25,+\n\
                 d_less,4,40000.0,1,10000.0,-3,-30000.0,-\n\
                 e_same,3,3.0,3,3.125,0,0.125,=\n\
                 a_new,0,0.0,5,50.0,5,50.0,+\n";
    assert_eq!(csv(""), whole);
    // Flags that apply only to the table.
    assert_eq!(csv("--top 1 --unit s --min-us 1000"), whole);
}

#[test]
fn explicit_flags_apply_to_the_file() {
    assert_eq!(csv("--columns name,diff_counts --category added,deleted"), "name,diff_counts\nb_gone,-2\na_new,5\n");
    assert_eq!(csv("--columns name --filter e_same"), "name\ne_same\n");
    assert_eq!(csv("--columns name --sort diff_duration --top 1"), "name\nc_more\na_new\ne_same\nb_gone\nd_less\n");
}

#[test]
fn unwritable_file_is_named_and_nothing_is_bound() {
    let mut notebook = notebook();
    assert_eq!(
        notebook.error("x = %show df --csv /no/such/folder/x.csv"),
        "FileError: cannot write /no/such/folder/x.csv: the folder /no/such/folder does not exist; create it, or choose another"
    );
    assert!(!notebook.cells.bound.contains_key("x"), "nothing is bound by a magic that failed");
}

#[test]
fn wrong_flag_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    notebook().error(&format!("%show df --csv '{}' --sort nothing", path.display()));
    assert!(!path.exists());
}

#[test]
fn assignment_binds_without_showing() {
    let mut notebook = notebook();
    assert_eq!(notebook.text("x = %show df"), "x: DataFrame 5 × 8\n");
    assert_eq!(notebook.text("let x = %show df --filter a_new;"), "x: DataFrame 1 × 8\n");
    assert_eq!(notebook.frame("x").height(), 1);
    assert_eq!(notebook.text("z = %show df --quiet"), "");
    assert_eq!(notebook.text("%show df --quiet"), "");
    assert_eq!(notebook.frame("z"), &compared());
    let view = notebook.session.view(&notebook.cells);
    let schema = &view.frames["x"];
    assert_eq!((schema.rows, schema.width, schema.columns[0].0.as_str()), (Some(1), 8, "name"));
}

#[test]
fn table_is_one_output_with_all_mime_types() {
    let outputs = notebook().outputs("%show df").unwrap();
    let [Output::Display { bundle, id: None }] = outputs.as_slice() else { panic!("{outputs:?}") };
    for mime in [PLAIN, HTML, trace_view::TABLE] {
        assert!(bundle.data.contains_key(mime), "{mime}");
    }
    assert!(bundle.plain().starts_with("df\n"), "{}", bundle.plain());
}

#[test]
fn category_and_filter_need_their_columns() {
    let mut notebook = Notebook::default().with_frame("df", df!("name" => ["a"], "n" => [1i64]).unwrap());
    assert_eq!(
        notebook.error("%show df --category added"),
        "UsageError: %show: cannot apply --category: the frame is not a comparison; pass the frame of %compare_traces with \
         its column counts_change_categories"
    );
    let mut notebook = Notebook::default().with_frame("df", df!("n" => [1i64]).unwrap());
    assert_eq!(
        notebook.error("%show df --filter a"),
        "UsageError: %show: cannot apply --filter: the frame has no column of names"
    );
}

#[test]
fn nulls_come_last_in_either_order() {
    let df = df!("name" => ["a", "b", "c"], "n" => [None, Some(1.0), Some(2.0)]).unwrap();
    let mut notebook = Notebook::default().with_frame("df", df);
    for (order, expected) in [("desc", ["c", "b", "a"]), ("asc", ["b", "c", "a"])] {
        notebook.text(&format!("x = %show df --sort n:{order}"));
        let names: Vec<_> = notebook
            .frame("x")
            .column("name")
            .unwrap()
            .str()
            .unwrap()
            .iter()
            .map(|name| name.unwrap().to_owned())
            .collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn empty_frame_shows_zero_rows() {
    let mut notebook = Notebook::default().with_frame("df", compared().head(Some(0)));
    let text = notebook.text("%show df");
    assert!(text.contains("0 rows"), "{text}");
}

#[test]
fn who_lists_variables() {
    let text = notebook().text("%who");
    assert!(text.contains("df") && text.contains("DataFrame"), "{text}");
    assert!(Notebook::default().text("%who").starts_with("No variables yet"));
}
