//! Something that a cell can name.

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Module,
    Struct,
    Enum,
    Trait,
    Alias,
    Function,
    Macro,
    Constant,
    /// A function that is called on a value.
    Method,
    /// A function of a type that takes no value of it.
    Associated,
    Field,
    Variant,
}

const LETTERS: &[(Kind, char, &str)] = &[
    (Kind::Module, 'o', "module"),
    (Kind::Struct, 's', "class"),
    (Kind::Enum, 'e', "enum"),
    (Kind::Trait, 't', "interface"),
    (Kind::Alias, 'a', "type"),
    (Kind::Function, 'n', "function"),
    (Kind::Macro, 'M', "macro"),
    (Kind::Constant, 'c', "constant"),
    (Kind::Method, 'm', "method"),
    (Kind::Associated, 'A', "function"),
    (Kind::Field, 'd', "field"),
    (Kind::Variant, 'v', "constant"),
];

impl Kind {
    /// The letter that the index writes.
    pub(crate) fn letter(self) -> char {
        LETTERS.iter().find(|(kind, ..)| *kind == self).map_or('?', |(_, letter, _)| *letter)
    }

    pub(crate) fn from_letter(text: &str) -> Option<Self> {
        LETTERS.iter().find(|(_, letter, _)| text.chars().eq([*letter])).map(|(kind, ..)| *kind)
    }

    /// The word that Jupyter shows beside a completion.
    pub(crate) fn word(self) -> &'static str {
        LETTERS.iter().find(|(kind, ..)| *kind == self).map_or("", |(.., word)| word)
    }

    /// Whether it is called with a value in front.
    pub(crate) fn is_behind_a_dot(self) -> bool {
        matches!(self, Kind::Method | Kind::Field)
    }
}

/// An item or a member, as the index's text has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'t> {
    pub(crate) kind: Kind,
    pub(crate) name: &'t str,
    pub(crate) signature: &'t str,
    /// Markdown, with `\n` for line ends.
    doc: &'t str,
    /// The type it belongs to, as its `impl` names it; empty for an item.
    pub(crate) of: &'t str,
    pub(crate) origin: Origin,
}

/// Where it comes from; of items of one name the first counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A cell of the notebook.
    Cell,
    Ours,
    Polars,
    Plotly,
    Json,
    Std,
}

impl Origin {
    /// The origin of a crate, by its name.
    pub(crate) fn of_crate(name: &str) -> Option<Self> {
        match name {
            "std" | "core" | "alloc" => Some(Self::Std),
            "polars" => Some(Self::Polars),
            "plotly" => Some(Self::Plotly),
            "serde_json" => Some(Self::Json),
            _ => None,
        }
    }

    /// How a page of help names it; empty for what is ours.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Cell => "defined in a cell",
            Self::Ours => "",
            Self::Polars => "polars",
            Self::Plotly => "plotly",
            Self::Json => "serde_json",
            Self::Std => "standard library",
        }
    }
}

impl<'t> Item<'t> {
    pub(crate) fn new(
        kind: Kind,
        name: &'t str,
        signature: &'t str,
        doc: &'t str,
        of: &'t str,
        origin: Origin,
    ) -> Self {
        Self { kind, name, signature, doc, of, origin }
    }

    /// The documentation, as Markdown.
    pub(crate) fn doc(&self) -> String {
        let mut text = String::new();
        let mut chars = self.doc.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => text.push(if let Some('\\') = chars.next() { '\\' } else { '\n' }),
                c => text.push(c),
            }
        }
        text
    }

    /// What is seldom meant comes behind the rest: what has no documentation, is unsafe, or is for other crates.
    pub(crate) fn weight(&self) -> u8 {
        let inner =
            self.name.starts_with('_') || self.name.ends_with("_unchecked") || self.signature.contains("unsafe fn");
        if inner || self.name.contains("_ptr") || self.name == "clone_from" { 2 } else { u8::from(self.doc.is_empty()) }
    }

    /// The signature, without the escapes of the index.
    pub(crate) fn signature(&self) -> String {
        self.signature.replace("\\\\", "\\")
    }

    /// The type of what it answers; for a field its type.
    pub(crate) fn answers(&self) -> Option<&'t str> {
        match self.kind {
            Kind::Field | Kind::Constant => Some(self.signature.split_once(':')?.1.split('=').next()?.trim()),
            Kind::Function | Kind::Method | Kind::Associated => {
                // Behind the parameters, since those may be functions with arrows of their own.
                let open = self.signature.find('(')?;
                let mut depth = 0_usize;
                let close = self.signature[open..].char_indices().find_map(|(at, c)| {
                    match c {
                        '(' => depth += 1,
                        ')' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    (depth == 0).then_some(open + at)
                })?;
                let answer = self.signature[close + 1..].trim_start().strip_prefix("->")?;
                Some(answer.split(" where ").next()?.trim())
            }
            _ => None,
        }
    }
}
