//! `%parser_args`: the event arguments that can become columns.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use crate::Error;
use trace_core::config::{ALL_ARGS, ARG_GROUPS, AVAILABLE_ARGS, ArgGroup, AvailableArg, OWN_ARGS};
use trace_view::{Header, Kind as Shown, Part, Report, Table, TableValue, Unit};

pub(super) struct ParserArgs;

const ARGUMENTS: &[Group] = &[Group::new(
    "Arguments",
    &[Argument::optional("ARGS", Kind::ParserArgs, "list only what this value of --args of %trace_load selects")],
)];

impl Magic for ParserArgs {
    fn name(&self) -> &'static str {
        "parser_args"
    }

    fn summary(&self) -> &'static str {
        "List the event arguments that %trace_load --args turns into columns."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "--args takes comma-separated keys and groups. stream and correlation are always read, and what identifies a \
         collective; all reads every argument that occurs, known or not. Performance counters of CUPTI always become columns under their own names."
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%parser_args", "%parser_args input_shape,cpu_op::sequence_number"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let mut shown: Vec<&AvailableArg> = AVAILABLE_ARGS.iter().chain(OWN_ARGS).collect();
        if let Some(config) = call.parser_config("ARGS").filter(|config| !config.parse_all_args()) {
            let wanted = config.get_args()?;
            shown.retain(|arg| wanted.iter().any(|spec| spec.name == arg.column.name));
        }
        let mut report = Report::of(Part::Table(table(&shown)));
        if call.parser_config("ARGS").is_none() {
            report = report.with(Part::Table(groups()));
        }
        context.show(&report);
        Ok(())
    }
}

fn head(name: &str, kind: Shown, meaning: &str) -> Header {
    Header { meaning: meaning.to_owned(), ..Header::new(name, Unit::None, kind) }
}

/// Makes the table of arguments.
fn table(args: &[&AvailableArg]) -> Table {
    let row = |arg: &&AvailableArg| {
        let spec = arg.spec();
        let in_groups = ARG_GROUPS.iter().filter(|group| group.keys().contains(&arg.key)).map(|group| group.name);
        let texts = [
            arg.key.to_owned(),
            spec.name,
            spec.raw_name,
            spec.value_type.to_string(),
            spec.default_value.to_string(),
            spec.min_supported_version.to_string(),
            in_groups.collect::<Vec<_>>().join(", "),
            arg.column.meaning.to_owned(),
        ];
        texts.map(TableValue::Text).into()
    };
    Table {
        caption: "event arguments: %trace_load PATH --args KEY,KEY".to_owned(),
        headers: vec![
            head("key", Shown::Name, "value for --args"),
            head("column", Shown::Name, "name of the column"),
            head("args key", Shown::Name, "key in the trace"),
            head("type", Shown::Category, "Int, Float, String, or Object: numbers, else text or the JSON of lists"),
            head("default", Shown::Text, "HTA's value for events without it; here it is null"),
            head("since", Shown::Text, "version of HTA's table"),
            head("groups", Shown::Text, "groups that include it"),
            head("description", Shown::Text, "content"),
        ],
        total_rows: args.len(),
        rows: args.iter().map(row).collect(),
        notes: Vec::new(),
        ..Table::default()
    }
}

/// Makes the table of groups.
fn groups() -> Table {
    let row = |name: &str, count: TableValue, keys: String, meaning: &str| {
        vec![TableValue::Text(name.to_owned()), count, TableValue::Text(keys), TableValue::Text(meaning.to_owned())]
    };
    let of = |group: &ArgGroup| {
        let keys = group.keys();
        row(group.name, TableValue::Int(keys.len() as i64), keys.join(", "), group.meaning)
    };
    let all = row(ALL_ARGS, TableValue::Null, String::new(), "every argument that occurs in the trace, known or not");
    let rows: Vec<Vec<TableValue>> = ARG_GROUPS.iter().map(of).chain([all]).collect();
    Table {
        caption: "groups of event arguments: %trace_load PATH --args GROUP".to_owned(),
        headers: vec![
            head("group", Shown::Name, "value for --args"),
            Header::new("args", Unit::Count, Shown::Number),
            head("keys", Shown::Text, "arguments in the group"),
            head("description", Shown::Text, "purpose"),
        ],
        total_rows: rows.len(),
        rows,
        notes: Vec::new(),
        ..Table::default()
    }
}
