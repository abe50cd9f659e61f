//! The part of `ra_ap_ide` that evcxr uses. Completion and documentation at the cursor are empty: the kernel has its own.

use ra_ap_hir::ChangeWithProcMacros;
use ra_ap_ide_db::SnippetCap;
use ra_ap_ide_db::imports::insert_use::InsertUseConfig;
use std::convert::Infallible;

pub use ra_ap_base_db::{FileId, RootDatabase};
pub use ra_ap_edition::Edition;
pub use ra_ap_hir::Semantics;
pub use ra_ap_ide_db::SymbolKind;
pub use ra_ap_syntax::{TextRange, TextSize};

/// Texts that change, and answers about them.
#[derive(Debug, Default)]
pub struct AnalysisHost {
    database: RootDatabase,
}

impl AnalysisHost {
    /// Applies new texts.
    pub fn apply_change(&mut self, change: ChangeWithProcMacros) {
        change.apply(&mut self.database);
    }

    /// Returns the texts.
    #[must_use]
    pub fn raw_database(&self) -> &RootDatabase {
        &self.database
    }

    /// Returns answers about the texts.
    #[must_use]
    pub fn analysis(&self) -> Analysis {
        Analysis
    }
}

/// Answers about texts: none.
#[derive(Debug)]
pub struct Analysis;

impl Analysis {
    /// Returns no completion.
    ///
    /// # Errors
    /// Never.
    pub fn completions(
        &self,
        _: &CompletionConfig<'_>,
        _: FilePosition,
        _: Option<char>,
    ) -> Result<Option<Vec<CompletionItem>>, Infallible> {
        Ok(None)
    }

    /// Returns no documentation.
    ///
    /// # Errors
    /// Never.
    pub fn hover(&self, _: &HoverConfig, _: FileRange) -> Result<Option<RangeInfo<HoverResult>>, Infallible> {
        Ok(None)
    }
}

/// A position in a file.
#[derive(Debug, Clone, Copy)]
pub struct FilePosition {
    /// The file.
    pub file_id: FileId,
    /// The byte.
    pub offset: TextSize,
}

/// A part of a file.
#[derive(Debug, Clone, Copy)]
pub struct FileRange {
    /// The file.
    pub file_id: FileId,
    /// The bytes.
    pub range: TextRange,
}

/// An answer about a part of a file.
#[derive(Debug)]
pub struct RangeInfo<T> {
    /// The part.
    pub range: TextRange,
    /// The answer.
    pub info: T,
}

/// Documentation of a name.
#[derive(Debug)]
pub struct HoverResult {
    /// The text.
    pub markup: String,
}

/// A completion.
#[derive(Debug)]
pub struct CompletionItem {
    /// What is shown.
    pub label: CompletionItemLabel,
    /// What the name stands for.
    pub kind: CompletionItemKind,
    /// What is inserted.
    pub text_edit: TextEdit,
}

impl CompletionItem {
    /// Returns the text that typed letters are compared with.
    #[must_use]
    pub fn lookup(&self) -> &str {
        &self.label.primary
    }
}

/// The label of a completion.
#[derive(Debug)]
pub struct CompletionItemLabel {
    /// The name.
    pub primary: String,
}

/// What a completion stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "rust-analyzer's names")]
pub enum CompletionItemKind {
    SymbolKind(SymbolKind),
    Binding,
    BuiltinType,
    InferredType,
    Keyword,
    Snippet,
    UnresolvedReference,
    Expression,
}

/// Changes of a text.
#[derive(Debug)]
pub struct TextEdit {
    indels: Vec<Indel>,
}

impl TextEdit {
    /// Returns the changes.
    pub fn iter(&self) -> std::slice::Iter<'_, Indel> {
        self.indels.iter()
    }
}

/// One change of a text.
#[derive(Debug)]
pub struct Indel {
    /// The text that is inserted.
    pub insert: String,
    /// The bytes that are deleted.
    pub delete: TextRange,
}

/// How calls are completed.
#[derive(Debug, Clone, Copy)]
pub enum CallableSnippets {
    /// With placeholders for arguments.
    FillArguments,
}

/// Which parts of a completion may be computed later.
#[derive(Debug, Clone, Copy)]
pub struct CompletionFieldsToResolve;

impl CompletionFieldsToResolve {
    /// Returns no part.
    #[must_use]
    pub fn empty() -> Self {
        Self
    }
}

/// Settings for rust-analyzer's own tests.
#[derive(Debug, Default)]
pub struct RaFixtureConfig;

/// Settings of completion.
#[derive(Debug)]
#[allow(missing_docs, reason = "the names of rust-analyzer's settings")]
#[allow(clippy::struct_excessive_bools, reason = "the fields of rust-analyzer's settings")]
pub struct CompletionConfig<'a> {
    pub enable_postfix_completions: bool,
    pub enable_imports_on_the_fly: bool,
    pub enable_self_on_the_fly: bool,
    pub enable_auto_iter: bool,
    pub enable_auto_await: bool,
    pub enable_private_editable: bool,
    pub enable_term_search: bool,
    pub term_search_fuel: u64,
    pub full_function_signatures: bool,
    pub callable: Option<CallableSnippets>,
    pub add_colons_to_module: bool,
    pub add_semicolon_to_unit: bool,
    pub snippet_cap: Option<SnippetCap>,
    pub insert_use: InsertUseConfig,
    pub prefer_no_std: bool,
    pub prefer_prelude: bool,
    pub prefer_absolute: bool,
    pub snippets: Vec<String>,
    pub limit: Option<usize>,
    pub fields_to_resolve: CompletionFieldsToResolve,
    pub exclude_flyimport: Vec<String>,
    pub exclude_traits: &'a [String],
    pub ra_fixture: RaFixtureConfig,
}

/// The format of documentation.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "rust-analyzer's names")]
pub enum HoverDocFormat {
    Markdown,
    PlainText,
}

/// How long the types in documentation may be.
#[derive(Debug, Clone, Copy)]
pub enum SubstTyLen {
    /// As long as they are.
    Unlimited,
}

/// Settings of documentation.
#[derive(Debug)]
#[allow(missing_docs, reason = "the names of rust-analyzer's settings")]
#[allow(clippy::struct_excessive_bools, reason = "the fields of rust-analyzer's settings")]
pub struct HoverConfig {
    pub links_in_hover: bool,
    pub memory_layout: Option<String>,
    pub documentation: bool,
    pub keywords: bool,
    pub format: HoverDocFormat,
    pub max_trait_assoc_items_count: Option<usize>,
    pub max_fields_count: Option<usize>,
    pub max_enum_variants_count: Option<usize>,
    pub max_subst_ty_len: SubstTyLen,
    pub show_drop_glue: bool,
    pub ra_fixture: RaFixtureConfig,
}
