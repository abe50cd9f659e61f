//! Declarations of arguments: data that parser, help and completion read.

/// The declaration of one argument.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// `CONTROL` for a positional argument, `control-rank` for a flag.
    pub name: &'static str,
    /// Positional or flag.
    pub form: Form,
    /// The kind of its value.
    pub kind: Kind,
    /// Its meaning, in one line.
    pub help: &'static str,
    /// The default as the help page shows it; may be empty.
    pub default: &'static str,
    /// Whether it may be given more than once; of positional arguments only the last.
    pub repeatable: bool,
    /// For lists: the index of the positional trace whose ranks, iterations or streams it names.
    pub trace: usize,
}

/// How an argument is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Positional and required.
    Required,
    /// Positional and optional, after the required ones.
    Optional,
    /// As `--name`.
    Flag,
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The label of a loaded trace.
    Trace,
    /// Labels of loaded traces and groups of runs, comma-separated.
    Runs,
    /// A Rust variable or expression that holds a data frame.
    Variable,
    /// A [`Kind::Trace`] or a [`Kind::Variable`].
    TraceOrVariable,
    /// A file or folder to read.
    Path,
    /// A file to write.
    File,
    /// A file or folder to write.
    Target,
    /// Any text.
    Text,
    /// Comma-separated texts.
    Texts,
    /// A substring of the name of an operator of the trace.
    Operator,
    /// The name of an event of the trace.
    Event,
    /// Which annotations of one name: a number from 0, a range or `all`.
    Instance,
    /// A folder to go to.
    Folder,
    /// A new name: a Rust identifier.
    Name,
    /// A regular expression.
    Regex,
    /// A whole number, zero included.
    Whole,
    /// Any number.
    Number,
    /// A size of memory or files: `8G`, `500M`, or bytes.
    Size,
    /// A percentage: `5%`, or `5`.
    Percent,
    /// A percentage above 0 and below 100.
    Margin,
    /// Ids of a trace: `0,2,4-7`, or `all`.
    List(IdKind),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Some of these words, comma-separated.
    Choices(&'static [&'static str]),
    /// Comma-separated names of columns.
    Columns,
    /// Event arguments and groups of them, comma-separated: `default,sm::occupancy`.
    ParserArgs,
    /// A condition on events: `name ~ "^nccl" and dur > 100us`.
    Where,
    /// A condition on the rows of a table: `counts > 10 and name ~ "^nccl"`.
    RowsWhere,
    /// A condition on events and a factor: `name ~ "gemm" x 0.5`.
    Change,
    /// Part of the name of an annotation; an empty text is the whole recording.
    Annotation,
    /// The name of one column.
    Column,
    /// Rust or a magic: the rest of the line verbatim, or the lines below.
    Code,
    /// A column to sort by: `COL`, `COL:asc`, `COL:desc`.
    Sort,
    /// On or off; needs no value.
    Switch,
}

/// What the numbers of a list identify.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    /// Ranks of a trace.
    Ranks,
    /// Ranks of a trace, or the word `slowest`: of each iteration the slowest rank.
    RanksOrSlowest,
    /// Iterations of a trace.
    Iterations,
    /// Streams of a trace.
    Streams,
}

/// Arguments under one heading of the help page.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The heading.
    pub title: &'static str,
    /// The arguments.
    pub arguments: &'static [Argument],
}

impl Group {
    /// Creates a group.
    pub const fn new(title: &'static str, arguments: &'static [Argument]) -> Self {
        Self { title, arguments }
    }
}

impl Argument {
    /// Declares a required positional argument.
    pub const fn required(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { name, form: Form::Required, kind, help, default: "", repeatable: false, trace: 0 }
    }

    /// Declares an optional positional argument.
    pub const fn optional(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { form: Form::Optional, ..Self::required(name, kind, help) }
    }

    /// Declares a flag, `--name`.
    pub const fn flag(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { form: Form::Flag, ..Self::required(name, kind, help) }
    }

    /// Sets the default that the help page shows.
    pub const fn or(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    /// Allows it to be given more than once.
    pub const fn repeatable(self) -> Self {
        Self { repeatable: true, ..self }
    }

    /// Makes the list of the flag name ids of the second trace of the line.
    pub const fn of_second_trace(self) -> Self {
        Self { trace: 1, ..self }
    }

    /// Returns whether it is a flag.
    pub fn is_flag(&self) -> bool {
        self.form == Form::Flag
    }

    /// Returns whether it is a switch that is on unless `--no-NAME` turns it off.
    pub fn is_on(&self) -> bool {
        self.kind == Kind::Switch && self.default == "true"
    }

    /// Returns `CONTROL`, `--control-rank LIST`, `--log`: the form of usage lines and help.
    pub fn spelled(&self) -> String {
        match (self.form, self.kind.placeholder()) {
            (Form::Flag, placeholder) if placeholder.is_empty() => format!("--{}", self.name),
            (Form::Flag, placeholder) => format!("--{} {placeholder}", self.name),
            _ => self.name.to_owned(),
        }
    }

    /// Returns whether `name`, without dashes, means this flag: `_` is `-`, and a list may be in the plural.
    pub fn answers_to(&self, name: &str) -> bool {
        let name = name.replace('_', "-");
        self.is_flag()
            && (name == self.name
                || (matches!(self.kind, Kind::List(_)) && name.strip_suffix('s').is_some_and(|one| one == self.name)))
    }
}

impl Kind {
    /// Returns the explanation that follows the notes of a help page; empty if none is needed.
    pub fn notes(self) -> &'static str {
        match self {
            Kind::Where => {
                "--where takes comparisons of event columns (%trace_info NAME --memory lists them) and of rank, joined by \
                 and, or, not and parentheses: 'stream in 7,20 and (dur > 100us or name ~ \"^nccl\") and not iteration \
                 is null'. Operators: == != < <= > >=; ~ and !~ match a regular expression; in and not in take lists \
                 such as 0,4-7; is null; is not null. Times need a unit: ns, us, ms, s; ts and end are relative to the \
                 first event. Events without a value pass only !=, !~, not in and is null."
            }
            Kind::RowsWhere => {
                "--where takes comparisons of the columns of the table, joined by and, or, not and parentheses: 'dur > 100us and (rank in 0,4-7 \
                 or name ~ \"^nccl\")'. Operators: == != < <= > >=; ~ and !~ match a regular expression; is null; is not null. Columns in \
                 ns need a unit: ns, us, ms, s."
            }
            Kind::Change => {
                "A change is a condition and a factor. Short: communication x 0, memory x 0.5, compute x 0.5, idle x 0 (all that is no work of the \
                 GPU), python x 0, graphs x 0 (of each run of short kernels all but one launch), fusion x 0 (also the gaps between them), aten::mm x 0.5 (this name), gemm x 0.5 (names that contain it). Written out, a condition is one in the \
                 language of --where, on columns of events and rank: 'name ~ \"gemm\" x 0.5' makes \
                 kernels of this name twice as fast, 'cat = \"cuda_runtime\" x 0' makes runtime calls free. It changes the own time of the \
                 events: of an operator the time outside of what it calls. A condition on bound_by, the column of the tables, also \
                 chooses what is not the own time of an event: 'bound_by = \"python\" x 0', 'bound_by = \"gpu_kernel_launch_overhead\" x 0.5'."
            }
            _ => "",
        }
    }

    /// Returns the placeholder of the value in usage lines.
    pub fn placeholder(self) -> String {
        match self {
            Kind::Trace | Kind::Name => "NAME".to_owned(),
            Kind::Runs => "NAME,NAME".to_owned(),
            Kind::Variable | Kind::TraceOrVariable => "VARIABLE".to_owned(),
            Kind::Path | Kind::Target | Kind::Folder => "PATH".to_owned(),
            Kind::Text | Kind::Operator | Kind::Event | Kind::Instance | Kind::Annotation => "TEXT".to_owned(),
            Kind::Texts => "TEXT,TEXT".to_owned(),
            Kind::File => "FILE".to_owned(),
            Kind::Regex => "REGEX".to_owned(),
            Kind::Whole => "N".to_owned(),
            Kind::Number => "X".to_owned(),
            Kind::Size => "SIZE".to_owned(),
            Kind::Percent | Kind::Margin => "P%".to_owned(),
            Kind::List(_) => "LIST".to_owned(),
            Kind::Choice(words) => words.join("|"),
            Kind::Choices(words) => words.join(","),
            Kind::Columns => "COL,COL".to_owned(),
            Kind::Column => "COL".to_owned(),
            Kind::Code => "CODE".to_owned(),
            Kind::ParserArgs => "ARG,ARG".to_owned(),
            Kind::Where | Kind::RowsWhere => "EXPR".to_owned(),
            Kind::Change => "'WHERE x FACTOR'".to_owned(),
            Kind::Sort => "COL[:asc|desc]".to_owned(),
            Kind::Switch => String::new(),
        }
    }
}
