//! The part of `ra_ap_ide_db` that evcxr uses: settings of its completion, and the kinds of names.

pub use rustc_hash::FxHashMap;

/// Whether an editor understands snippets.
#[derive(Debug, Clone, Copy)]
pub struct SnippetCap;

impl SnippetCap {
    /// Returns the capability if `understood`.
    #[must_use]
    pub fn new(understood: bool) -> Option<Self> {
        understood.then_some(Self)
    }
}

/// What completion inserts.
pub mod imports {
    /// How `use` is inserted.
    pub mod insert_use {
        use ra_ap_hir::PrefixKind;

        /// Which names share one `use`.
        #[derive(Debug, Clone, Copy)]
        pub enum ImportGranularity {
            /// Each has its own.
            Item,
        }

        /// How `use` is inserted.
        #[derive(Debug)]
        #[allow(missing_docs, reason = "the names of rust-analyzer's settings")]
        pub struct InsertUseConfig {
            pub granularity: ImportGranularity,
            pub enforce_granularity: bool,
            pub prefix_kind: PrefixKind,
            pub group: bool,
            pub skip_glob_imports: bool,
        }
    }
}

/// The kind of what a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "rust-analyzer's names")]
pub enum SymbolKind {
    Attribute,
    BuiltinAttr,
    Const,
    ConstParam,
    CrateRoot,
    Derive,
    DeriveHelper,
    Enum,
    Field,
    Function,
    Label,
    Local,
    Macro,
    Method,
    Module,
    ProcMacro,
    SelfParam,
    SelfType,
    Static,
    Struct,
    ToolModule,
    Trait,
    TypeAlias,
    TypeParam,
    Union,
    ValueParam,
    Variant,
}
