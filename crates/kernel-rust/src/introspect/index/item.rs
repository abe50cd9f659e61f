//! Items and members that a cell can name.

/// Kind of an item or member.
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
    /// A function with a `self` parameter.
    Method,
    /// A function of a type without a `self` parameter.
    Associated,
    Field,
    Variant,
}

/// Kind, its letter in the index, its name in Jupyter.
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
    /// Returns the letter that the index uses.
    pub(crate) fn letter(self) -> char {
        LETTERS.iter().find(|(kind, ..)| *kind == self).map_or('?', |(_, letter, _)| *letter)
    }

    pub(crate) fn from_letter(text: &str) -> Option<Self> {
        LETTERS.iter().find(|(_, letter, _)| text.chars().eq([*letter])).map(|(kind, ..)| *kind)
    }

    /// Returns the word that Jupyter shows beside a completion.
    pub(crate) fn jupyter_name(self) -> &'static str {
        LETTERS.iter().find(|(kind, ..)| *kind == self).map_or("", |(.., word)| word)
    }

    /// Whether it is accessed on a value: `value.name`.
    pub(crate) fn needs_receiver(self) -> bool {
        matches!(self, Kind::Method | Kind::Field)
    }
}

/// An item or a member, borrowed from the text of the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'t> {
    pub(crate) kind: Kind,
    pub(crate) name: &'t str,
    pub(crate) signature: &'t str,
    /// Markdown, escaped.
    doc: &'t str,
    /// The type of a member, as its `impl` names it; empty for an item.
    pub(crate) of: &'t str,
    pub(crate) origin: Origin,
}

/// Source of an item. Among items of one name, the first origin wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A cell of the notebook.
    Cell,
    /// `trace`, `trace_view` or `cells`.
    Library,
    Polars,
    Plotly,
    Json,
    Std,
}

impl Origin {
    /// Returns the origin of a crate by its name.
    pub(crate) fn of_crate(name: &str) -> Option<Self> {
        match name {
            "std" | "core" | "alloc" => Some(Self::Std),
            "polars" => Some(Self::Polars),
            "plotly" => Some(Self::Plotly),
            "serde_json" => Some(Self::Json),
            _ => None,
        }
    }

    /// Returns the name on a help page; empty for the library.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Cell => "defined in a cell",
            Self::Library => "",
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

    /// Returns the documentation as Markdown.
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

    /// Returns the sort key of lists: undocumented items come after documented ones, unsafe and internal ones last.
    pub(crate) fn weight(&self) -> u8 {
        let is_internal =
            self.name.starts_with('_') || self.name.ends_with("_unchecked") || self.signature.contains("unsafe fn");
        if is_internal || self.name.contains("_ptr") || self.name == "clone_from" {
            2
        } else {
            u8::from(self.doc.is_empty())
        }
    }

    /// Returns the signature without escapes.
    pub(crate) fn signature(&self) -> String {
        self.signature.replace("\\\\", "\\")
    }

    /// Returns the result type of a function, or the type of a field or constant.
    pub(crate) fn result_type(&self) -> Option<&'t str> {
        match self.kind {
            Kind::Field | Kind::Constant => Some(self.signature.split_once(':')?.1.split('=').next()?.trim()),
            Kind::Function | Kind::Method | Kind::Associated => {
                // Skip the parameters, whose types may contain arrows.
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
                let result = self.signature[close + 1..].trim_start().strip_prefix("->")?;
                Some(result.split(" where ").next()?.trim())
            }
            _ => None,
        }
    }
}
