"""Rust cells: scope, display of values, what survives an error, and what they share with magics."""

import json
import os

import pytest

from driver import LONG
from long_load import long_load
from places import DATA

pytestmark = pytest.mark.rust_cells

TABLE = "application/vnd.tracebook.table.v1+json"
PLOTLY = "application/vnd.plotly.v1+json"


@pytest.fixture(scope="module")
def traces(kernel):
    """The demo pair, loaded by magics."""
    kernel.ok(f"%trace_load '{DATA}/control' --as control --quiet\n%trace_load '{DATA}/test' --as test --quiet")
    return kernel


def result(ran):
    return ran.one("execute_result")["data"]


def plain(ran):
    return result(ran)["text/plain"]


# Types of `let`


@pytest.mark.parametrize(
    ("binding", "shown", "value"),
    [
        ("let l1 = vec![1, 2];", "l1", "[1, 2]"),
        ("let l2 = vec![1.5].iter().map(|x| x * 2.0).collect::<Vec<_>>();", "l2", "[3.0]"),
        ('let (l3, l4) = (1u8, String::from("grüße"));', "(l3, l4.clone())", '(1, "grüße")'),
        ("let mut l5 = std::collections::BTreeMap::new(); l5.insert(1, 'x');", "l5.len()", "1"),
        ('let l6 = "text"; let l6 = l6.len();', "l6", "4"),
        ("struct Point { x: i32, y: i32 }\nlet Point { x, y: l7 } = Point { x: 1, y: 2 };", "(x, l7)", "(1, 2)"),
        ("let l8 = Some(3); let Some(l9) = l8 else { panic!() };", "l9", "3"),
        ("let l10: Box<dyn Fn(i32) -> i32> = Box::new(|x| x + 1);", "l10(1)", "2"),
        ("let (l13, l14): (Vec<i32>, Vec<i32>) = (0..3).partition(|x| *x < 1);", "(l13, l14)", "([0], [1, 2])"),
        ("let gone = vec![1]; drop(gone); let l11 = 1;", "l11", "1"),
        ('let l12 = df!("n" => [1])?.lazy().group_by([col("n")]);', "l12.agg([len()]).collect()?.height()", "1"),
    ],
)
def test_a_variable_is_kept_without_a_type(kernel, binding, shown, value):
    kernel.ok(binding, timeout=LONG)
    assert plain(kernel.ok(shown)) == value


# Errors


def test_a_compiler_error_points_at_the_users_column(kernel):
    ran = kernel.run("let ä = 1;\nlet b = ä + undefined;")
    text = "\n".join(ran.content["traceback"])
    assert ran.content["ename"] == "CompileError"
    assert "line 2, column 13" in text and "undefined" in ran.content["evalue"]
    (caret,) = [line for line in ran.content["traceback"] if "^^^^^^^^^" in line]
    assert "not found" in caret


def test_a_panic_names_the_line_and_keeps_the_variables(kernel):
    kernel.ok("let before_panic = 5;")
    ran = kernel.run("let list: Vec<i32> = vec![1];\nlet index = 10;\nlist[index];")
    assert ran.content["ename"] == "Panic" and "index out of bounds" in ran.content["evalue"]
    assert any("cell, line 3" in line for line in ran.content["traceback"])
    assert plain(kernel.ok("before_panic")) == "5"


def test_a_question_mark_is_an_error(kernel):
    ran = kernel.run('let n: i32 = "abc".parse()?; n')
    assert ran.status == "error" and "invalid digit" in ran.content["evalue"]
    assert ran.kinds == ["error"]


def test_an_error_value_at_the_end_is_an_error(kernel):
    ran = kernel.run('TraceSet::load("/no/such/trace")')
    assert ran.status == "error" and "/no/such/trace" in ran.content["evalue"]


def test_output_before_an_error_is_kept(kernel):
    ran = kernel.run('print!("seen"); panic!("then")')
    assert ran.text() == "seen" and ran.status == "error"


# Interrupt


def interrupted(kernel, code):
    """Interrupts `code` once it runs; returns the result."""
    message = kernel.begin(f'println!("begun"); {code}', printed="begun", timeout=LONG)
    kernel.interrupt()
    ran = kernel.finish(message, timeout=LONG)
    assert ran.content["ename"] == "KeyboardInterrupt", ran.content
    return ran


@pytest.mark.parametrize("loop", ["loop {}", "while true { std::hint::black_box(1); }", "for n in 0.. { touched = n; }"])
def test_an_interrupted_loop_costs_no_variable(kernel, loop):
    kernel.ok("let survivor = vec![1, 2, 3]; let mut touched = 0;", timeout=LONG)
    assert "no variable was lost" in interrupted(kernel, loop).content["evalue"]
    assert plain(kernel.ok("survivor.len()")) == "3"


def test_interrupt_of_foreign_code_ends_it_and_names_the_losses(traces):
    traces.ok("let sleeper = 1;", timeout=LONG)
    ran = interrupted(traces, "std::thread::sleep(std::time::Duration::from_secs(600));")
    assert "sleeper" in ran.content["evalue"]
    assert plain(traces.ok("control.ranks()", timeout=LONG)) == "[3]"


def test_a_moved_trace_comes_back(traces):
    traces.ok("drop(test);", timeout=LONG)
    assert plain(traces.ok("test.ranks()")) == "[1]"


def test_an_interrupted_load_costs_no_variable(kernel, tmp_path):
    long_load(tmp_path / "long.json.gz")
    kernel.ok("let here = 1;", timeout=LONG)
    load = f'TraceSet::load("{tmp_path}/long.json.gz")'
    on_thread = f"let cell = Execution::current(); std::thread::spawn(move || cell.run(|| {load})).join().unwrap()"
    for code in (load, on_thread):
        ran = interrupted(kernel, f"{code}?.ranks()")
        assert "no variable was lost" in ran.content["evalue"], code
        assert plain(kernel.ok("here")) == "1"


# Display


def test_a_frame_shows_as_a_table(kernel):
    data = result(kernel.ok('df!("name" => ["<b>x</b>"], "n" => [1])?'))
    assert set(data) == {TABLE, "text/html", "text/plain"}
    assert "<b>x" not in data["text/html"] and "&lt;b&gt;" in data["text/html"]


def test_several_displays_in_one_cell_each_appear_in_order(kernel):
    ran = kernel.ok('print!("a"); display(&df!("n" => [1])?); println!("b"); display(&7); "end"')
    assert ran.kinds == ["stream", "display_data", "stream", "display_data", "execute_result"]


def test_display_next_to_a_variable_without_a_type(kernel):
    ran = kernel.ok("let shown = vec![1, 2]; for one in &shown { display(one); }\n(shown.len(), 7)", timeout=LONG)
    assert ran.kinds == ["display_data", "display_data", "execute_result"]


def test_a_display_can_be_replaced(kernel):
    ran = kernel.ok('display_id("bar", &"half"); update_display("bar", &"done");')
    assert ran.kinds == ["display_data", "update_display_data"]
    ids = {message["content"]["transient"]["display_id"] for message in ran.outputs if message["msg_type"] != "execute_input"}
    assert ids == {"bar"}


def test_markers_of_evcxr_become_displays(kernel):
    ran = kernel.ok('println!("EVCXR_BEGIN_CONTENT text/html\\n<i>x</i>\\nEVCXR_END_CONTENT");')
    assert ran.one("display_data")["data"]["text/html"] == "<i>x</i>"


def test_lazy_frames_show_their_plan(kernel):
    assert "FILTER" in plain(kernel.ok('df!("n" => [1])?.lazy().filter(col("n").gt(lit(0)))'))


# Traces and magics


def test_a_loaded_trace_is_a_variable(traces):
    assert plain(traces.ok("control.ranks()")) == "[3]"
    assert plain(traces.ok("test.iterations()")) == "[1009, 1010, 1011, 1012, 1013, 1014]"
    assert plain(traces.ok("control.label().to_owned()")) == '"control"'
    assert TABLE in result(traces.ok("control.events()"))
    assert "control" in plain(traces.ok("control"))
    assert plain(traces.ok('control.events().column("rank")?.unique()?.len()')) == "1"


def test_a_first_mention_is_offered_again_after_an_error(traces):
    """A bound value becomes a variable in the compilation of the cell that first mentions it."""
    traces.ok("once_more = %compare_traces control test --device-type cpu")
    ran = traces.run("let x = 1; once_more.no_such_method();")
    assert "no_such_method" in ran.content["evalue"]
    assert sum("^^^^" in line and "method not found" in line for line in ran.content["traceback"]) == 1
    assert "line 1, column 22" in "\n".join(ran.content["traceback"]), "where the user wrote it"
    assert traces.run("let y = once_more.height(); missing").status == "error"
    assert traces.run('once_more.column("no_such")?;').status == "error"
    ran = traces.run('// a comment first\nonce_more.column("no_such").unwrap(); panic!()')
    assert ran.content["ename"] == "Panic" and any("cell, line 2" in line for line in ran.content["traceback"])
    assert int(plain(traces.ok("once_more.height()"))) > 0
    traces.ok("once_more = once_more.head(Some(2));")
    assert plain(traces.ok("once_more.height()")) == "2", "a variable made from it stays"


def test_a_first_mention_may_stand_behind_items_and_commands(traces):
    traces.ok("behind = %compare_traces control test --device-type cpu")
    assert (
        int(plain(traces.ok("use std::cmp::max;\nfn rows(df: &DataFrame) -> usize { df.height() }\nmax(0, rows(&behind))"))) > 0
    )
    traces.ok("typed = %compare_traces control test --device-type cpu")
    assert "DataFrame" in plain(traces.ok(":type typed"))


def test_rust_variables_are_listed_and_shown_by_magics(traces):
    traces.ok('let own_frame = df!("n" => [3, 1, 2])?; let own_lazy = own_frame.clone().lazy();')
    listed = traces.ok("%who").one("display_data")["data"]["text/plain"]
    assert all(name in listed for name in ("own_frame", "own_lazy", "control", "LazyFrame"))
    for shown in ("own_frame", "own_lazy", "'own_frame.head(Some(3))'"):
        assert TABLE in traces.ok(f"%show {shown} --sort n").one("display_data")["data"]
    traces.ok('let limit = 1; let wanted_column = "n".to_owned();')
    shown = traces.ok("%show own_frame --top {limit + 1} --sort {wanted_column}").one("display_data")["data"]["text/plain"]
    assert "2 of 3" in shown, shown
    ran = traces.run("%show own_frame --top {no_such}")
    assert "no_such" in ran.content["evalue"]


def test_rank_says_which_there_are(traces):
    assert plain(traces.ok("control.rank(3)?.events().height() == control.events().height()")) == "true"
    ran = traces.run("control.rank(7)?")
    assert ran.status == "error" and "has 3" in ran.content["evalue"]


def test_frame_goes_from_a_magic_to_rust_to_a_magic(traces):
    ran = traces.ok("changes = %compare_traces control test --device-type cpu")
    assert ran.kinds == ["stream"]
    traces.ok(
        'let most = changes.clone().lazy().sort(["diff_counts"], SortMultipleOptions::new().with_order_descending(true)).limit(3).collect()?;'
    )
    figure = traces.ok("%visualize most --kind counts").one("display_data")["data"]
    assert set(figure) == {PLOTLY, "image/png", "text/plain"}
    names = traces.ok('for name in most.column("name")?.str()?.iter().flatten() { println!("{name}"); }').text().splitlines()
    assert [len(series["x"]) for series in figure[PLOTLY]["data"]] == [3, 3, 3]
    assert figure[PLOTLY]["data"][0]["x"] == names


def changes(bundle):
    """The kinds of change of a table and their numbers of rows, in the order of the facet."""
    changes = bundle[TABLE]["changes"]
    counts = [changes["rows"].count(kind) for kind in range(len(changes["kinds"]))]
    return dict(zip(changes["kinds"], counts, strict=True))


def test_changes_are_those_of_ops_diff_for_any_labels(traces):
    traces.ok(f"%trace_load '{DATA}/control' --as a --quiet\n%trace_load '{DATA}/test' --as b --quiet")
    for control, test in [("a", "b"), ("b", "a")]:
        groups = f"{{ let ops = TraceDiff::new(&{control}, &{test}).ops_diff()?; ops.lists().map(|(_, names)| names.len()) }}"
        sizes = json.loads(plain(traces.ok(groups)))
        traces.ok(f"x = %compare_traces {control} {test}")
        # Before the table comes a note on the iterations that are not compared.
        outputs = traces.ok(f"%compare_traces {control} {test}").outputs
        bundles = [output["content"]["data"] for output in outputs if output["msg_type"] == "display_data"]
        (shown,) = [bundle for bundle in bundles if TABLE in bundle]
        assert list(changes(shown).values()) == sizes and min(sizes) > 0
        assert changes(result(traces.ok("x"))) == changes(shown)
        lazy = (
            'x.clone().lazy().filter(col("counts_change_categories").eq(lit("+"))).sort(["name"], Default::default()).collect()?'
        )
        more = changes(result(traces.ok(lazy)))
        assert more == {**dict.fromkeys(more, 0), "added": sizes[0], "increased": sizes[2]}


def test_frames_that_are_no_comparison_are_plain_tables(traces):
    traces.ok("plain_frame = %compare_traces control test")
    described = result(traces.ok("plain_frame.describe()?"))[TABLE]
    assert "changes" not in described and "events" not in described
    assert {column["kind"] for column in described["columns"]} == {"text", "name", "number"}
    column = result(traces.ok('plain_frame["name"].clone()'))[TABLE]
    assert column["caption"] == "Column"


def test_a_long_frame_says_how_to_see_all_of_it(traces):
    traces.ok("let five = control.events();")
    for code, name in [("five", "five"), ("five.clone()", "VARIABLE")]:
        content = result(traces.ok(code))[TABLE]
        assert len(content["rows"]) == 500 < content["total_rows"]
        assert content["rest"].startswith(f"`%show {name} --"), content["rest"]


def test_both_ways_give_the_same_numbers(traces):
    traces.ok("way_one = %compare_traces control test --control-rank 3 --test-rank 1 --device-type gpu")
    traces.ok(
        "let way_two = TraceDiff::new(&control, &test).control_rank(3).test_rank(1).device_type(DeviceType::GPU).compare_traces()?;"
    )
    assert plain(traces.ok("way_one.equals_missing(&way_two)")) == "true"


def test_figures_and_groups_show_themselves(traces):
    ran = traces.ok("TraceDiff::visualize_duration_diff(&TraceDiff::new(&control, &test).compare_traces()?)?")
    assert set(result(ran)) == {PLOTLY, "image/png", "text/plain"}
    assert TABLE in result(traces.ok("TraceDiff::new(&control, &test).ops_diff()?"))


def test_magics_and_rust_run_in_order(traces):
    ran = traces.ok('println!("first");\n%trace_list\nprintln!("last");')
    assert ran.kinds == ["stream", "display_data", "stream"]


def test_an_argument_takes_a_rust_value(traces):
    traces.ok("let wanted = vec![1009, 1010];")
    ran = traces.ok("%compare_traces control test --control-iteration {wanted} --test-iteration {wanted}")
    assert "1009, 1010 → 1009, 1010" in ran.one("display_data")["data"]["text/plain"].splitlines()[0]


def test_a_dropped_trace_is_gone(traces):
    traces.ok(f"%trace_load '{DATA}/test' --as short_lived --quiet")
    traces.ok("short_lived.ranks()")
    traces.ok("%trace_drop short_lived")
    assert traces.run("short_lived.ranks()").status == "error"


def test_a_crash_loses_no_trace(traces):
    traces.ok("let lost_one = 1;")
    ran = traces.run("std::process::abort()")
    assert ran.content["ename"] == "ProcessLost" and "lost_one" in ran.content["evalue"]
    assert plain(traces.ok("control.ranks()", timeout=LONG)) == "[3]"
    assert traces.run("lost_one").status == "error"


def test_items_and_imports_are_kept(kernel):
    kernel.ok("use std::collections::HashSet;\nfn twice(x: i32) -> i32 { x * 2 }\nconst LIMIT: i32 = 3;")
    assert plain(kernel.ok("let set: HashSet<i32> = (0..LIMIT).map(twice).collect(); set.len()")) == "3"


def test_input_is_asked_for(kernel):
    message = kernel.client.execute('let said = input("name? "); said', allow_stdin=True)
    request = kernel.client.get_stdin_msg(timeout=LONG)
    assert request["content"] == {"prompt": "name? ", "password": False}
    kernel.client.input("Ada")
    ran = kernel.finish(message)
    assert (plain(ran), ran.text()) == ('"Ada"', "")


def test_input_where_there_is_none_is_an_error(kernel):
    ran = kernel.run('input("name? ")', allow_stdin=False)
    assert ran.status == "error" and "input" in ran.content["evalue"]


@pytest.mark.skipif(not os.environ.get("TRACEBOOK_NETWORK_TESTS"), reason="fetches a crate; set TRACEBOOK_NETWORK_TESTS=1")
def test_a_dependency_of_the_users_works_beside_ours(kernel):
    ran = kernel.ok(':dep itoa = "1"\nlet digits = itoa::Buffer::new().format(12).to_owned(); digits', timeout=LONG)
    assert plain(ran) == '"12"'
    assert plain(kernel.ok('df!("n" => [1])?.height()')) == "1"


def test_standard_output_and_error_and_displays_keep_their_order(kernel):
    ran = kernel.ok(
        'for n in 0..50 { println!("out {n}"); eprintln!("err {n}"); display!(&n); dbg!(n); }\neprint!("{}", 7); eprintln!()',
        timeout=LONG,
    )
    shown = []
    for message in ran.outputs:
        content = message["content"]
        if message["msg_type"] == "stream":
            shown += [(content["name"], line) for line in content["text"].splitlines()]
        elif message["msg_type"] == "display_data":
            shown.append(("display", content["data"]["text/plain"]))
    expected = [
        each
        for n in range(50)
        for each in [("stdout", f"out {n}"), ("stderr", f"err {n}"), ("display", str(n)), ("stderr", f"[cell] n = {n}")]
    ]
    assert shown == [*expected, ("stderr", "7")]


def test_dbg_hands_its_value_on(kernel):
    ran = kernel.ok('let (one, two) = dbg!(1 + 1, String::from("x")); dbg!(); format!("{one}{two}")', timeout=LONG)
    assert plain(ran) == '"2x"' and ran.text("stderr") == '[cell] 1 + 1 = 2\n[cell] String::from("x") = "x"\n[cell]\n'
    ran = kernel.ok("fn dbg(x: i32) -> i32 { x }\nmacro_rules! own { () => { 5 } }\ndbg(own!())")
    assert plain(ran) == "5", "a function of that name is not the macro"


@pytest.mark.parametrize(
    "code",
    [
        'std::thread::spawn(|| { if true { panic!("caught") } }).join().is_err()',
        'std::panic::catch_unwind(|| { if true { panic!("caught") } }).is_err()',
    ],
)
def test_caught_panic_is_shown_and_is_not_an_error(kernel, code):
    ran = kernel.ok(code, timeout=LONG)
    assert plain(ran) == "true" and "caught" in ran.text("stderr")


def test_a_panic_past_the_hook_is_an_error(kernel):
    assert kernel.run("std::panic::resume_unwind(Box::new(1))").content["ename"] == "Panic"


def test_what_is_no_text_is_replaced(kernel):
    assert kernel.ok('{ use std::io::Write; std::io::stdout().write_all(b"a\\xff\\xfeb")?; }').text() == "a\ufffd\ufffdb"


READ = "let mut line = String::new(); let length = std::io::stdin().read_line(&mut line)?; (length, line.clone())"


def test_cell_that_reads_standard_input_gets_a_prompt(kernel):
    message = kernel.client.execute(READ, allow_stdin=True)
    assert kernel.client.get_stdin_msg(timeout=LONG)["content"]["prompt"] == "standard input: "
    kernel.client.input("typed")
    assert plain(kernel.finish(message)) == '(6, "typed\\n")'


def test_standard_input_is_empty_if_the_front_end_has_none(kernel):
    ran = kernel.run(READ, allow_stdin=False)
    assert ran.status == "error" and "input" in ran.content["evalue"]
    assert plain(kernel.ok("1")) == "1"


def test_a_cell_that_waits_for_standard_input_can_be_interrupted(kernel):
    kernel.ok("let before_reading = 1;")
    message = kernel.client.execute(READ, allow_stdin=True)
    kernel.client.get_stdin_msg(timeout=LONG)
    kernel.interrupt()
    ran = kernel.finish(message)
    assert ran.content["ename"] == "KeyboardInterrupt" and "no variable was lost" in ran.content["evalue"]
    assert plain(kernel.ok("before_reading")) == "1"


def test_a_frame_describes_itself(kernel):
    ran = kernel.ok('df!("a" => [1i64, 2, 3])?.describe()?', timeout=LONG)
    (result,) = [message["content"] for message in ran.outputs if message["msg_type"] == "execute_result"]
    assert "null_count" in result["data"]["text/plain"] and "25%" in result["data"]["text/plain"]
