"""Items, commands, dependencies and `.await` in Rust cells, and `%%opt`."""

import pytest

from driver import plain

pytestmark = pytest.mark.rust_cells

LONG = 300


@pytest.fixture
def fresh(tracebook):
    """A kernel for tests that clear it or add dependencies."""
    tracebook.ok("1", timeout=LONG)
    return tracebook


@pytest.fixture
def local_crate(tmp_path):
    """A local crate, which needs no network."""
    folder = tmp_path / "greeting"
    (folder / "src").mkdir(parents=True)
    folder.joinpath("Cargo.toml").write_text('[package]\nname = "greeting"\nversion = "0.3.0"\nedition = "2021"\n')
    folder.joinpath("src/lib.rs").write_text('pub fn greet(name: &str) -> String { format!("hello {name}") }\n')
    return folder


# Items


def test_items_stay(kernel):
    kernel.ok('const STEP: i32 = 2;\nstatic NAME: &str = "n";\ntype Number = i32;\nfn twice(x: Number) -> Number { x * STEP }')
    kernel.ok("mod inner { pub fn one() -> i32 { 1 } }\nuse inner::one;\nmacro_rules! plus { ($a:expr) => { $a + 1 } }")
    kernel.ok(
        "trait Area { fn area(&self) -> f64; }\nstruct Square(f64);\nimpl Area for Square { fn area(&self) -> f64 { self.0 * self.0 } }"
    )
    kernel.ok("#[derive(Debug, Clone, PartialEq)]\nenum Kind<T> { One(T), None }")
    assert (
        plain(kernel.ok("(twice(4), one(), plus!(1), NAME, Square(3.0).area(), Kind::One(1))")) == '(8, 1, 2, "n", 9.0, One(1))'
    )


def test_a_function_can_be_replaced(kernel):
    kernel.ok("fn answer() -> i32 { 1 }")
    kernel.ok('fn answer() -> &\'static str { "two" }')
    assert plain(kernel.ok("answer()")) == '"two"'


def test_a_struct_can_be_replaced(kernel):
    kernel.ok("#[derive(Debug)] struct Shape { sides: i32 }\nlet shape = Shape { sides: 3 };")
    assert plain(kernel.ok("shape.sides")) == "3"
    kernel.ok(
        '#[derive(Debug)] struct Shape { sides: i32, name: String }\nlet shape = Shape { sides: 4, name: "square".into() };'
    )
    assert plain(kernel.ok("shape")) == 'Shape { sides: 4, name: "square" }'


def test_redefined_type_names_the_variables_that_are_lost(kernel):
    """rustc gives a struct whose field changes only its type the same identity: an old value must not be read as the new type."""
    kernel.ok("#[derive(Debug)] struct Part { p: i32 }\n#[derive(Debug)] struct Whole { parts: Vec<Part> }\nstruct Aside;")
    kernel.ok(
        "let part = Part { p: 1 }; let whole = Whole { parts: vec![Part { p: 2 }] }; let aside = Some(Aside); let number = 3;"
    )
    assert kernel.run("struct Part { p: String, q: NoSuch }").status == "error"
    assert plain(kernel.ok("(part.p, number)")) == "(1, 3)", "a cell with an error defines nothing"
    kernel.ok("#[derive(Debug)] struct Part { p: i32 }")
    assert plain(kernel.ok("whole.parts.len()")) == "1", "the same again"
    ran = kernel.ok('#[derive(Debug)] struct Part { p: String }\nlet part = Part { p: String::from("new") };')
    assert ran.text("stderr") == "lost, since their type was redefined: whole\n"
    assert plain(kernel.ok("(part.p.clone(), aside.is_some(), number)")) == '("new", true, 3)'
    assert kernel.run("whole").status == "error"


def test_boxed_closures_and_threads_stay(kernel):
    kernel.ok(
        "let add: Box<dyn Fn(i32) -> i32 + Send> = Box::new(|x| x + 10);\nlet shared = std::sync::Arc::new(std::sync::Mutex::new(0));"
    )
    kernel.ok("let worker = { let shared = shared.clone(); std::thread::spawn(move || { *shared.lock().unwrap() += add(1); }) };")
    kernel.ok("worker.join().unwrap();")
    assert plain(kernel.ok("*shared.lock().unwrap()")) == "11"


def test_question_mark_ends_the_cell_and_drops_its_variables(kernel):
    ran = kernel.run('let early = 1;\nlet late: i32 = "x".parse()?;')
    assert ran.status == "error" and "invalid digit" in ran.content["evalue"]
    assert kernel.run("early").status == "error"


# Commands


def test_variables_and_types_are_listed(kernel):
    kernel.ok("let listed = vec![1u8];")
    assert "listed: Vec<u8>" in plain(kernel.ok(":vars")).replace("std::vec::", "").replace("alloc::vec::", "")
    assert "Vec<u8>" in plain(kernel.ok(":type listed"))
    assert "no_such" in kernel.run(":type no_such").content["evalue"]
    assert ":dep" in plain(kernel.ok(":help"))


def test_formats_can_be_chosen(kernel):
    kernel.ok(":fmt {:#?}")
    assert plain(kernel.ok("vec![1]")) == "[\n    1,\n]"
    kernel.ok(":fmt {:?}")
    assert plain(kernel.ok("vec![1]")) == "[1]"
    assert "{:x}" in kernel.run(":fmt {:x}").content["evalue"]
    kernel.ok(":efmt {:?}")
    assert "InvalidDigit" in kernel.run('let n: i32 = "x".parse()?;').content["evalue"]
    kernel.ok(":efmt {}")
    assert "invalid digit" in kernel.run('let n: i32 = "x".parse()?;').content["evalue"]


def test_quit_does_not_end_the_kernel(kernel):
    assert "shut the kernel down" in kernel.run(":quit").content["evalue"]
    assert plain(kernel.ok("1")) == "1"


def test_clear_forgets_everything(fresh):
    fresh.ok("let kept = 1; fn keeper() {}")
    fresh.ok(":clear")
    assert fresh.run("kept").status == "error" and fresh.run("keeper()").status == "error"
    assert plain(fresh.ok("1 + 1")) == "2"
    assert ":vars" in plain(fresh.ok(":help"))


# Dependencies


def test_a_local_crate_needs_no_network(fresh, local_crate):
    fresh.ok(":offline 1")
    ran = fresh.ok(f':dep {local_crate}\nlet greeted = greeting::greet("you"); greeted', timeout=LONG)
    assert plain(ran) == '"hello you"'
    assert "greeting v0.3.0" in ran.text("stderr"), "the build is reported"
    assert plain(fresh.ok('df!("n" => [1])?.height()', timeout=LONG)) == "1"
    assert plain(fresh.ok("greeted.len()", timeout=LONG)) == "9"
    assert plain(fresh.ok('async { greeting::greet("later") }.await', timeout=LONG)) == '"hello later"'


def test_a_dependency_changes_nothing_for_variables_and_moves(fresh, local_crate):
    fresh.ok(":offline 1")
    fresh.ok(
        "fn eat(df: DataFrame) -> usize { df.height() }\nstruct Own(i32);\nlet own = Own(7);\n"
        'let df = df!("a" => [1, 2])?;\nlet rows = vec![1, 2];',
        timeout=LONG,
    )
    assert "lost" not in fresh.ok(f":dep {local_crate}", timeout=LONG).text("stderr")
    ran = fresh.ok("own.0 + 1", timeout=LONG)
    assert (plain(ran), ran.text("stderr")) == ("8", ""), "the type is the same"
    for move in ["eat(df)", "df.lazy().collect()?.height()", "fn eat_here(df: DataFrame) -> usize { df.height() }\neat_here(df)"]:
        assert plain(fresh.ok(move, timeout=LONG)) == "2"
    assert plain(fresh.ok("df.height()", timeout=LONG)) == "2"
    assert "`rows` was moved by `let other = rows`" in fresh.ok("let other = rows;", timeout=LONG).text("stderr")
    later = fresh.run("rows.len()", timeout=LONG).content["evalue"]
    assert "`rows` was moved by `let other = rows` in an earlier cell" in later, later


def test_a_dependency_that_is_there_is_not_built(kernel):
    ran = kernel.ok(':dep polars = "0.55"\n:dep serde_json = "1"\nserde_json::json!(1)')
    assert plain(ran) == "Number(1)"
    assert ran.text("stderr").count("nothing to build") == 2


def test_clashing_dependency_is_refused_with_the_fix(kernel):
    ran = kernel.run(':dep polars = "0.44"\n1')
    assert (ran.kinds, ran.content["ename"]) == (["error"], "DependencyError"), "nothing is built"
    assert 'package = "polars"' in ran.content["evalue"]
    assert plain(kernel.ok("1")) == "1"


def test_second_polars_behind_a_crate_is_reported_with_the_fix(fresh, local_crate):
    other = local_crate.parent / "polars"
    (other / "src").mkdir(parents=True)
    other.joinpath("Cargo.toml").write_text('[package]\nname = "polars"\nversion = "0.44.2"\nedition = "2021"\n')
    other.joinpath("src/lib.rs").write_text("pub struct DataFrame;\n")
    manifest = local_crate / "Cargo.toml"
    manifest.write_text(manifest.read_text() + '[dependencies]\npolars = { path = "../polars" }\n')
    fresh.ok(":offline 1")
    reported = fresh.ok(f':dep {local_crate}\ngreeting::greet("you")', timeout=LONG).text("stderr")
    assert "greeting depends on polars 0.44.2, and cells use 0.55" in reported and "Parquet" in reported
    assert "brings" not in fresh.ok('df!("n" => [1])?.height()', timeout=LONG).text("stderr"), "reported once"


# `.await`


def test_await_needs_no_build(fresh):
    fresh.ok(":offline 1")
    ran = fresh.ok("tokio::time::sleep(std::time::Duration::from_millis(10)).await;\nlet waited = async { 5 }.await; waited")
    assert (ran.kinds, plain(ran)) == (["execute_result"], "5"), "no build is reported"
    assert plain(fresh.ok("let handle = tokio::spawn(async { 6 }); handle.await? + waited")) == "11"
    ran = fresh.run('let bad: i32 = async { "x".parse() }.await?;')
    assert ran.status == "error" and "invalid digit" in ran.content["evalue"]
    assert plain(fresh.ok("waited")) == "5"


def test_a_cell_that_waits_can_be_interrupted(fresh):
    fresh.ok("let awaited = async { 5 }.await;")
    code = 'println!("begun"); tokio::time::sleep(std::time::Duration::from_secs(600)).await;'
    message = fresh.begin(code, printed="begun", timeout=LONG)
    fresh.interrupt()
    ran = fresh.finish(message)
    assert ran.content["ename"] == "KeyboardInterrupt" and "no variable was lost" in ran.content["evalue"]
    assert plain(fresh.ok("awaited")) == "5"


# `%%opt`

# The optimiser makes a loop of it; without it, the stack is too small.
RECURSION = """
fn sum(n: u64, so_far: u64) -> u64 { if n == 0 { so_far } else { sum(n - 1, so_far + n) } }
sum(std::hint::black_box(100_000_000), 0)"""


def test_opt_optimises_one_cell(fresh):
    assert plain(fresh.ok("%%opt" + RECURSION)) == str(sum(range(100_000_001)))
    assert fresh.run(RECURSION).content["ename"] == "ProcessLost"


def test_opt_keeps_variables_and_overflow_is_an_error(kernel):
    kernel.ok("let before_opt = vec![250u8];")
    kernel.ok("%%opt\nlet summed: u64 = before_opt.iter().map(|x| u64::from(*x)).sum();")
    assert plain(kernel.ok("summed")) == "250"
    assert "overflow" in kernel.run("%%opt\nbefore_opt[0] + before_opt.len() as u8 * 10").content["evalue"]


def test_opt_takes_no_argument(kernel):
    ran = kernel.run("%%opt fast\n1")
    assert (ran.content["ename"], ran.kinds) == ("UsageError", ["error"])
    assert "%%opt" in ran.content["evalue"]
    assert "%%opt" in kernel.ok("%lsmagic").one("display_data")["data"]["text/plain"]


# Lines


@pytest.mark.parametrize("above", ["%lsmagic\n", "%%opt\n", "%%opt\n%lsmagic\n\n"])
def test_an_error_below_a_magic_names_the_line_of_the_cell(kernel, above):
    line = above.count("\n") + 2
    text = "\n".join(kernel.run(above + "let a = 1;\nlet b = a + undefined;").content["traceback"])
    assert f"line {line}, column 13" in text
    text = "\n".join(kernel.run(above + "let list: Vec<i32> = vec![];\nlist[7];").content["traceback"])
    assert f"line {line}" in text
