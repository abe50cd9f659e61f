"""Names in scope of a cell without `use`: polars with its readers, plotly with pictures, input. Interrupts of the compiler."""

import pytest

from driver import LONG, plain
from processes import wait_for_compiler

pytestmark = pytest.mark.rust_cells

PLOTLY = "application/vnd.plotly.v1+json"


def test_everyday_polars_needs_no_use(kernel):
    kernel.ok(
        'let left = df!("k" => ["b", "a", "b"], "n" => [2i64, 1, 3])?;\n'
        'let right = df!("k" => ["a", "b"], "when" => ["2024-05-06", "2025-01-02"])?;\n'
        "let joined = left.clone().lazy()\n"
        '    .join(right.lazy(), [col("k")], [col("k")], JoinArgs::new(JoinType::Inner))\n'
        '    .with_column(col("when").str().to_date(StrptimeOptions::default()).dt().year().alias("year"))\n'
        '    .with_column(col("k").str().to_uppercase().alias("upper"))\n'
        '    .filter(col("n").gt(lit(1)))\n'
        '    .group_by([col("upper"), col("year")]).agg([col("n").sum(), len().alias("rows")])\n'
        '    .with_column(when(col("rows").gt(lit(1))).then(lit("many")).otherwise(lit("one")).alias("how"))\n'
        '    .sort(["n"], SortMultipleOptions::new().with_order_descending(true)).collect()?;',
        timeout=LONG,
    )
    assert plain(kernel.ok('(joined.height(), format!("{:?}", joined.get_row(0)?.0))')).startswith('(1, "[')
    row = plain(kernel.ok('format!("{:?}", joined.get_row(0)?.0)'))
    assert all(part in row for part in ('String(\\"B\\")', "Int32(2025)", "Int64(5)", "many")), row


def test_files_are_read_and_written_without_the_scans(kernel, tmp_path):
    kernel.ok(
        f'let mut saved = df!("k" => ["a", "b"], "n" => [1i64, 2])?; let folder = std::path::PathBuf::from("{tmp_path}");',
        timeout=LONG,
    )
    for name, writer, reader in [
        ("csv", "CsvWriter::new(file).finish(&mut saved)?;", "CsvReader::new(file).finish()?"),
        ("parquet", "ParquetWriter::new(file).finish(&mut saved)?;", "ParquetReader::new(file).finish()?"),
        ("arrow", "IpcWriter::new(file).finish(&mut saved)?;", "IpcReader::new(file).finish()?"),
    ]:
        kernel.ok(
            f'{{ use polars_io::prelude::*; let file = std::fs::File::create(folder.join("saved.{name}"))?; {writer} }};',
            timeout=LONG,
        )
        read = f'{{ use polars_io::prelude::*; let file = std::fs::File::open(folder.join("saved.{name}"))?; {reader}.equals(&saved) }}'
        assert plain(kernel.ok(read, timeout=LONG)) == "true", name


@pytest.mark.parametrize(
    "trace",
    [
        "plotly::Scatter::new(vec![1, 2], vec![2, 1])",
        "plotly::Scatter::new(vec![1, 2], vec![2, 1]).mode(plotly::common::Mode::Markers)",
        "plotly::Histogram::new(vec![1.0, 2.0, 2.5])",
        'plotly::BoxPlot::new(vec![1.0, 2.0, 4.0]).name("box")',
        'plotly::Pie::new(vec![1, 2]).labels(vec!["a", "b"])',
    ],
)
def test_plots_have_a_picture(kernel, trace):
    data = kernel.ok(f"let mut plot = plotly::Plot::new(); plot.add_trace({trace}); plot", timeout=LONG).one("execute_result")[
        "data"
    ]
    assert set(data) == {PLOTLY, "image/png", "text/plain"}


def test_a_heat_map_says_what_it_is(kernel):
    data = kernel.ok(
        "let mut plot = plotly::Plot::new(); plot.add_trace(plotly::HeatMap::new_z(vec![vec![1, 2, 3], vec![4, 5, 6]])); plot",
        timeout=LONG,
    )
    assert data.one("execute_result")["data"]["text/plain"] == "plotly figure: 1 heatmap of 2 × 3"


def test_the_marker_for_input_asks(kernel):
    code = 'println!("EVCXR_INPUT_REQUEST:name? "); let mut said = String::new(); std::io::stdin().read_line(&mut said)?; said.trim().to_owned()'
    message = kernel.client.execute(code, allow_stdin=True)
    assert "name?" in kernel.client.get_stdin_msg(timeout=LONG)["content"]["prompt"]
    kernel.client.input("Ada")
    assert plain(kernel.finish(message, timeout=LONG)) == '"Ada"'


def test_an_interrupt_of_the_compiler_loses_nothing(kernel):
    kernel.ok("let before_compiling = 7;", timeout=LONG)
    # Many calls that take the compiler long.
    slow = "\n".join(f'let t{n} = df!("n" => [{n}])?.lazy().select([col("n").sum()]).collect()?;' for n in range(2000))
    message = kernel.client.execute(slow)
    wait_for_compiler(kernel)
    kernel.interrupt()
    ran = kernel.finish(message, timeout=LONG)
    assert ran.content["ename"] == "KeyboardInterrupt" and "lost" in ran.content["evalue"], ran.content
    assert plain(kernel.ok("before_compiling", timeout=LONG)) == "7"
