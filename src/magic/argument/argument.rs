//! What a magic takes, as data: parser, help and completion read it.

/// One thing that a magic takes.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// `CONTROL` for a value by its place, `control-rank` for a flag.
    pub name: &'static str,
    /// How it is given.
    pub form: Form,
    /// What its value is.
    pub kind: Kind,
    /// One line of meaning.
    pub help: &'static str,
    /// What holds without it, as the help page says it; empty if nothing needs saying.
    pub default: &'static str,
    /// Whether the flag may be given more than once.
    pub repeatable: bool,
    /// Which trace of the line a list of its numbers is about: 0 is the first that stands by its place.
    pub trace: usize,
}

/// How an argument is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// By its place, and never left out.
    Required,
    /// By its place, after the required ones.
    Optional,
    /// By `--name`.
    Flag,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The label of a loaded trace.
    Trace,
    /// A Rust variable or expression that holds a data frame.
    Variable,
    /// Either of the two.
    TraceOrVariable,
    /// A file or folder to read.
    Path,
    /// A file to write.
    File,
    /// A file or folder to write.
    Target,
    /// Any text.
    Text,
    /// Texts, with commas between.
    Texts,
    /// Part of the name of an operator of the trace.
    Operator,
    /// A folder to go to.
    Folder,
    /// A name for something new: a Rust identifier.
    Name,
    /// A regular expression.
    Regex,
    /// A whole number, zero included.
    Whole,
    /// Any number.
    Number,
    /// A share: `5%`, or `5`.
    Percent,
    /// Whole numbers of a trace: `0,2,4-7`, or `all`.
    List(IdKind),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Some of these words, with commas between.
    Choices(&'static [&'static str]),
    /// Names of columns, with commas between.
    Columns,
    /// Arguments of events and groups of them, with commas between: `default,sm::occupancy`.
    ParserArgs,
    /// Which events count: `name ~ "^nccl" and dur > 100us`.
    Where,
    /// The name of one column.
    Column,
    /// Rust or a magic: the rest of the line as it stands, or the lines below.
    Code,
    /// A column to sort by: `COL`, `COL:asc`, `COL:desc`.
    Sort,
    /// There or not; takes no value of its own.
    Switch,
}

/// What the numbers of a list are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdKind {
    /// Ranks of a trace.
    Ranks,
    /// Iterations of a trace.
    Iterations,
    /// Streams of a trace.
    Streams,
}

/// Arguments that belong together, under one heading of the help page.
#[derive(Debug, Clone, Copy)]
pub struct Group {
    /// The heading.
    pub title: &'static str,
    /// The arguments.
    pub arguments: &'static [Argument],
}

impl Group {
    /// `arguments` under the heading `title`.
    pub const fn new(title: &'static str, arguments: &'static [Argument]) -> Self {
        Self { title, arguments }
    }
}

impl Argument {
    /// A value that must be given, by its place.
    pub const fn required(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { name, form: Form::Required, kind, help, default: "", repeatable: false, trace: 0 }
    }

    /// A value that may be given, by its place.
    pub const fn optional(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { form: Form::Optional, ..Self::required(name, kind, help) }
    }

    /// A flag, `--name`.
    pub const fn flag(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { form: Form::Flag, ..Self::required(name, kind, help) }
    }

    /// The argument, with words for what holds without it.
    pub const fn or(self, default: &'static str) -> Self {
        Self { default, ..self }
    }

    /// The flag, if it may be given more than once.
    pub const fn repeatable(self) -> Self {
        Self { repeatable: true, ..self }
    }

    /// The flag, if its list is about the second trace of the line.
    pub const fn of_second_trace(self) -> Self {
        Self { trace: 1, ..self }
    }

    /// Whether it is a flag.
    pub fn is_flag(&self) -> bool {
        self.form == Form::Flag
    }

    /// Whether it is a switch that is on unless `--no-NAME` turns it off.
    pub fn is_on(&self) -> bool {
        self.kind == Kind::Switch && self.default == "true"
    }

    /// `CONTROL`, `--control-rank LIST`, `--log`: as usage and help write it.
    pub fn spelled(&self) -> String {
        match (self.form, self.kind.placeholder()) {
            (Form::Flag, placeholder) if placeholder.is_empty() => format!("--{}", self.name),
            (Form::Flag, placeholder) => format!("--{} {placeholder}", self.name),
            _ => self.name.to_owned(),
        }
    }

    /// Whether `name` (without dashes) means this flag: `_` is `-`, and a list may be named in the plural.
    pub fn answers_to(&self, name: &str) -> bool {
        let name = name.replace('_', "-");
        self.is_flag()
            && (name == self.name
                || (matches!(self.kind, Kind::List(_)) && name.strip_suffix('s').is_some_and(|one| one == self.name)))
    }
}

impl Kind {
    /// What every help page says of it, below what it says of its magic; empty if its name says enough.
    pub fn notes(self) -> &'static str {
        match self {
            Kind::Where => {
                "--where takes comparisons of columns of events (%trace_info NAME --memory lists them) and of rank, \
                 joined by and, or, not and brackets: 'stream in 7,20 and (dur > 100us or name ~ \"^nccl\") and not \
                 iteration is null'. There are == != < <= > >=, ~ and !~ for a regular expression, in and not in for \
                 lists such as 0,4-7, is null, is not null. Times need a unit: ns, us, ms, s; ts and end count from the \
                 first event. An event without the value passes only !=, !~, not in and is null."
            }
            _ => "",
        }
    }

    /// What stands for the value in usage lines.
    pub fn placeholder(self) -> String {
        match self {
            Kind::Trace | Kind::Name => "NAME".to_owned(),
            Kind::Variable | Kind::TraceOrVariable => "VARIABLE".to_owned(),
            Kind::Path | Kind::Target | Kind::Folder => "PATH".to_owned(),
            Kind::Text | Kind::Operator => "TEXT".to_owned(),
            Kind::Texts => "TEXT,TEXT".to_owned(),
            Kind::File => "FILE".to_owned(),
            Kind::Regex => "REGEX".to_owned(),
            Kind::Whole => "N".to_owned(),
            Kind::Number => "X".to_owned(),
            Kind::Percent => "P%".to_owned(),
            Kind::List(_) => "LIST".to_owned(),
            Kind::Choice(words) => words.join("|"),
            Kind::Choices(words) => words.join(","),
            Kind::Columns => "COL,COL".to_owned(),
            Kind::Column => "COL".to_owned(),
            Kind::Code => "CODE".to_owned(),
            Kind::ParserArgs => "ARG,ARG".to_owned(),
            Kind::Where => "EXPR".to_owned(),
            Kind::Sort => "COL[:asc|desc]".to_owned(),
            Kind::Switch => String::new(),
        }
    }
}
