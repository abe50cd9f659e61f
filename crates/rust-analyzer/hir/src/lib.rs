//! The part of `ra_ap_hir` that evcxr uses: sources are parsed, no type is inferred.

use ra_ap_base_db::{EditionedFileId, FileId, RootDatabase, SourceRoot};
use ra_ap_syntax::ast::{Pat, SourceFile};
use ra_ap_syntax::SyntaxNode;

/// New texts of files.
#[derive(Debug, Default)]
pub struct ChangeWithProcMacros {
    texts: Vec<(FileId, Option<String>)>,
}

impl ChangeWithProcMacros {
    /// Replaces the text of a file.
    pub fn change_file(&mut self, file: FileId, text: Option<String>) {
        self.texts.push((file, text));
    }

    /// Ignores the folders of a project.
    pub fn set_roots(&mut self, _: Vec<SourceRoot>) {}

    /// Ignores the crates of a project.
    pub fn set_crate_graph<G>(&mut self, _: G) {}

    /// Writes the texts to a database.
    pub fn apply(self, database: &mut RootDatabase) {
        for (file, text) in self.texts {
            database.set_text(file, text);
        }
    }
}

/// Runs a function; rust-analyzer would make the database known to its thread.
pub fn attach_db<T>(_: &RootDatabase, run: impl FnOnce() -> T) -> T {
    run()
}

/// What is known about sources: their syntax.
#[derive(Debug)]
pub struct Semantics<'db, D> {
    /// The texts.
    pub db: &'db D,
}

impl<'db> Semantics<'db, RootDatabase> {
    /// Returns what is known about the texts of a database.
    #[must_use]
    pub fn new(db: &'db RootDatabase) -> Self {
        Self { db }
    }

    /// Parses a file.
    #[must_use]
    pub fn parse(&self, file: EditionedFileId) -> SourceFile {
        SourceFile::parse(self.db.text(file.file), file.edition).tree()
    }

    /// Returns the scope of a node.
    #[must_use]
    pub fn scope(&self, _: &SyntaxNode) -> Option<Scope> {
        Some(Scope)
    }

    /// Returns `None`: the compiler infers types, not this crate.
    #[must_use]
    pub fn type_of_pat(&self, _: &Pat) -> Option<TypeInfo> {
        None
    }
}

/// The scope of a node.
#[derive(Debug)]
pub struct Scope;

impl Scope {
    /// Returns the module of the scope.
    #[must_use]
    pub fn module(&self) -> Module {
        Module
    }
}

/// A module.
#[derive(Debug, Clone, Copy)]
pub struct Module;

/// The type of an expression; there is none.
#[derive(Debug)]
pub enum TypeInfo {}

impl TypeInfo {
    /// Returns the type before coercion.
    #[must_use]
    pub fn original(self) -> Type {
        match self {}
    }
}

/// A type; there is none.
#[derive(Debug)]
pub enum Type {}

impl Type {
    /// Whether the type is that of a closure.
    #[must_use]
    pub fn is_closure(&self) -> bool {
        match *self {}
    }
}

/// Writes a type as source code.
pub trait HirDisplay {
    /// Returns the type as code of a module.
    ///
    /// # Errors
    /// If the type has no name there.
    fn display_source_code(&self, db: &RootDatabase, module: Module, allow_opaque: bool) -> Result<String, std::fmt::Error>;
}

impl HirDisplay for Type {
    fn display_source_code(&self, _: &RootDatabase, _: Module, _: bool) -> Result<String, std::fmt::Error> {
        match *self {}
    }
}

/// How imported names begin.
#[derive(Debug, Clone, Copy)]
pub enum PrefixKind {
    /// With the name of the crate.
    ByCrate,
}
