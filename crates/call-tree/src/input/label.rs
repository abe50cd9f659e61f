//! Labels of events: one text at four levels of detail, shared by both sides of a comparison.

use super::family::Family;
use super::kind::Kind;
use super::vendor::fold_vendors;
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Begin of the names of the profiler's iterations.
const STEP: &str = "ProfilerStep#";

/// A text that was seen before has the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

/// The labels of an event: equal ids are equal at every level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LabelId(u32);

impl LabelId {
    /// Returns the label of a number.
    pub(crate) fn numbered(number: usize) -> Self {
        Self(number as u32)
    }

    /// Returns its number.
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

/// Level of detail of labels and of hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Exact,
    Shape,
    Name,
}

/// One event's labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Label {
    pub(crate) kind: Kind,
    /// Name as recorded, for people.
    pub(crate) text: Symbol,
    pub(crate) exact: Symbol,
    pub(crate) shape: Symbol,
    pub(crate) name: Symbol,
    /// Input shapes; `None` if not recorded or empty.
    pub(crate) shapes: Option<Symbol>,
    /// Counter of a module instance.
    pub(crate) counter: Option<u32>,
    pub(crate) family: Family,
    /// The label of the same event without inputs; `None` if it has none itself.
    bare: Option<LabelId>,
}

impl Label {
    /// Returns the label at a level.
    pub(crate) fn at(&self, level: Level) -> Symbol {
        match level {
            Level::Exact => self.exact,
            Level::Shape => self.shape,
            Level::Name => self.name,
        }
    }
}

/// The labels of all events of a comparison.
///
/// | level | host events | kernels |
/// | --- | --- | --- |
/// | exact | name, input shapes, types; module counters, line numbers | full name |
/// | shape | as exact, without counters and line numbers | full name |
/// | name | name, with words of vendors folded; all launch calls are one | without template arguments, parameters, digits |
/// | family | | what the kernel does |
///
/// No level holds addresses; paths keep their last two parts.
#[derive(Debug, Default)]
pub struct Labels {
    symbols: HashMap<Arc<str>, Symbol>,
    /// Symbols of names with inputs.
    pairs: HashMap<(Symbol, Symbol), Symbol>,
    texts: Vec<Arc<str>>,
    known: HashMap<(Kind, Symbol, Option<Symbol>), LabelId>,
    labels: Vec<Label>,
}

impl Labels {
    /// Returns the labels of an event by its name and `inputs`: shapes and types as one text, empty if not recorded.
    pub fn add(&mut self, kind: Kind, name: &str, inputs: &str) -> LabelId {
        let text = self.symbol(name);
        let shapes = (!inputs.is_empty()).then(|| self.symbol(inputs));
        if let Some(&id) = self.known.get(&(kind, text, shapes)) {
            return id;
        }
        let label = self.label(kind, name, text, shapes);
        let bare = label.shapes.map(|_| self.add(kind, name, ""));
        let id = LabelId(self.labels.len() as u32);
        self.labels.push(Label { bare, ..label });
        self.known.insert((kind, text, shapes), id);
        id
    }

    fn label(&mut self, kind: Kind, name: &str, text: Symbol, shapes: Option<Symbol>) -> Label {
        let family = Family::of(name);
        if kind.is_gpu() {
            let short = kernel_name(name);
            let name = self.symbol(&short);
            return Label {
                kind,
                text,
                exact: text,
                shape: text,
                name,
                shapes: None,
                counter: None,
                family,
                bare: None,
            };
        }
        let plain = shorten_paths(&without_addresses(name));
        let (base, counter) = match kind {
            Kind::Module => split_counter(&plain),
            Kind::Python => (without_line(&plain), None),
            Kind::Annotation if plain.starts_with(STEP) => ("ProfilerStep".to_owned(), None),
            _ => (plain.clone(), None),
        };
        let folded =
            if matches!(kind, Kind::Launch | Kind::GraphLaunch) { "launch".to_owned() } else { fold_vendors(&base) };
        let plain = if base == "ProfilerStep" { &base } else { &plain };
        let inputs = shapes.unwrap_or_else(|| self.symbol(""));
        let [exact, shape] = [plain, &base].map(|name| {
            let name = self.symbol(name);
            self.pair(name, inputs)
        });
        let name = self.symbol(&folded);
        Label { kind, text, exact, shape, name, shapes, counter, family, bare: None }
    }

    fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.symbols.insert(text, symbol);
        symbol
    }

    /// Returns the symbol of a name with inputs, which has no text of its own: texts of inputs are long.
    fn pair(&mut self, name: Symbol, inputs: Symbol) -> Symbol {
        let next = Symbol(self.texts.len() as u32);
        let symbol = *self.pairs.entry((name, inputs)).or_insert(next);
        if symbol == next {
            self.texts.push(Arc::default());
        }
        symbol
    }

    /// Returns the name of an event as it was recorded.
    pub fn text(&self, id: LabelId) -> &str {
        &self.texts[self.get(id).text.0 as usize]
    }

    /// Returns shapes and types of the inputs as one text; empty if not recorded, and of kernels.
    pub fn inputs(&self, id: LabelId) -> &str {
        self.get(id).shapes.map_or("", |shapes| self.text_of(shapes))
    }

    /// Returns the symbol of the name as it was recorded, which labels of other inputs share.
    pub fn symbol_of(&self, id: LabelId) -> Symbol {
        self.get(id).text
    }

    /// Returns the full name of an event whose kernel has this name without template arguments, parameters and digits.
    pub fn full_name(&self, name: Symbol) -> &str {
        self.text_of(self.labels.iter().find(|label| label.name == name).map_or(name, |label| label.text))
    }

    /// Returns the text of a symbol.
    pub fn text_of(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }

    /// Tells whether an event is the profiler's annotation of an iteration.
    pub fn is_step(&self, id: LabelId) -> bool {
        self.kind(id) == Kind::Annotation && self.text(id).starts_with(STEP)
    }

    /// Returns the labels of the same event without inputs.
    pub fn without_inputs(&self, id: LabelId) -> LabelId {
        self.get(id).bare.unwrap_or(id)
    }

    /// Tells whether two events agree but for their inputs, and for addresses in their names.
    pub(crate) fn agree_in_name(&self, one: LabelId, other: LabelId) -> bool {
        let (a, b) = (self.get(one), self.get(other));
        one == other || (a.kind == b.kind && (a.text == b.text || a.exact == b.exact))
    }

    /// Returns the role of the events with these labels.
    pub fn kind(&self, id: LabelId) -> Kind {
        self.get(id).kind
    }

    /// Tells whether two chains are equal at a level.
    pub(crate) fn equal(&self, level: Level, a: &[LabelId], b: &[LabelId]) -> bool {
        a.len() == b.len() && self.is_prefix(level, a, b)
    }

    /// Tells whether the shorter chain is the begin of the longer one at a level.
    pub(crate) fn is_prefix(&self, level: Level, a: &[LabelId], b: &[LabelId]) -> bool {
        a.iter().zip(b).all(|(&one, &other)| self.get(one).at(level) == self.get(other).at(level))
    }

    pub(crate) fn get(&self, id: LabelId) -> &Label {
        &self.labels[id.0 as usize]
    }
}

impl Symbol {
    pub(crate) fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// Returns a kernel's name without template arguments, parameters and digits: `void at::native::k<4, float>(int)` → `at::native::k`.
pub fn kernel_name(name: &str) -> String {
    let mut depth = 0_i32;
    let mut short = String::with_capacity(name.len());
    for c in name.replace("(anonymous namespace)::", "").replace("->", "").chars() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            _ if depth > 0 || c.is_ascii_digit() => {}
            _ => short.push(c),
        }
    }
    let short = short.trim().strip_prefix("void ").unwrap_or(short.trim());
    // A copy's direction is in brackets, and tells it from others.
    if name.starts_with("Memcpy") { name.to_owned() } else { short.trim().to_owned() }
}

/// Replaces addresses (`0x7498db9d`) by nothing.
fn without_addresses(name: &str) -> String {
    let mut cleaned = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find("0x") {
        cleaned.push_str(&rest[..at]);
        rest = rest[at + 2..].trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    cleaned.push_str(rest);
    cleaned
}

/// Keeps the last two parts of a path: `torch/nn/modules/linear.py(114): forward` → `modules/linear.py(114): forward`.
fn shorten_paths(name: &str) -> String {
    let Some(at) = name.find(".py(") else { return name.to_owned() };
    let (path, rest) = name.split_at(at);
    let parts = path.rsplit('/').take(2).collect::<Vec<_>>();
    parts.into_iter().rev().collect::<Vec<_>>().join("/") + rest
}

/// `linear.py(114): forward` → `linear.py: forward`
fn without_line(name: &str) -> String {
    let Some(open) = name.find(".py(") else { return name.to_owned() };
    let open = open + 3;
    match name[open..].find(')') {
        Some(close) if name[open + 1..open + close].bytes().all(|b| b.is_ascii_digit()) => {
            format!("{}{}", &name[..open], &name[open + close + 1..])
        }
        _ => name.to_owned(),
    }
}

/// `nn.Module: Linear_12` → `nn.Module: Linear` and 12
fn split_counter(name: &str) -> (String, Option<u32>) {
    match name.rsplit_once('_') {
        Some((base, digits)) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            (base.to_owned(), digits.parse().ok())
        }
        _ => (name.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;

    fn level(labels: &Labels, a: LabelId, b: LabelId) -> &'static str {
        let (a, b) = (labels.get(a), labels.get(b));
        match () {
            () if a.exact == b.exact => "exact",
            () if a.shape == b.shape => "shape",
            () if a.name == b.name => "name",
            () => "none",
        }
    }

    #[test]
    fn labels_agree_at_the_level_the_names_allow() {
        let mut labels = Labels::default();
        for (kind, one, other, expected) in [
            (Kind::Module, "nn.Module: Linear_12", "nn.Module: Linear_13", "shape"),
            (
                Kind::Python,
                "torch/nn/modules/linear.py(114): forward",
                "lib/nn/modules/linear.py(116): forward",
                "shape",
            ),
            (
                Kind::Python,
                "<built-in method f of X object at 0x7f01>",
                "<built-in method f of X object at 0x8a>",
                "exact",
            ),
            (Kind::Operator, "aten::cudnn_convolution", "aten::miopen_convolution", "name"),
            (Kind::Launch, "cudaLaunchKernel", "hipModuleLaunchKernel", "name"),
            (Kind::Annotation, "ProfilerStep#5", "ProfilerStep#6", "exact"),
            (Kind::Gpu(Class::Compute), "void k<4, float>(int)", "void k<8, half>(int, int)", "name"),
            (Kind::Gpu(Class::Compute), "Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pinned)", "none"),
            (Kind::Operator, "aten::add", "aten::mul", "none"),
        ] {
            let (a, b) = (labels.add(kind, one, ""), labels.add(kind, other, ""));
            assert_eq!(level(&labels, a, b), expected, "{one} ~ {other}");
        }
        let (a, b) =
            (labels.add(Kind::Operator, "aten::mm", "[[2,2]]"), labels.add(Kind::Operator, "aten::mm", "[[4,2]]"));
        assert_eq!(level(&labels, a, b), "name");
    }

    #[test]
    fn equal_events_share_their_labels() {
        let mut labels = Labels::default();
        let first = labels.add(Kind::Operator, "aten::mm", "");
        labels.add(Kind::Gpu(Class::Compute), "aten::mm", "");
        assert_eq!(labels.add(Kind::Operator, "aten::mm", ""), first);
        assert_eq!(labels.text(first), "aten::mm");
    }
}
