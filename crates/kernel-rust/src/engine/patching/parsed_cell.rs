//! The syntax tree of a cell: its bindings, loops and first statement, and the insertions that follow from them.
//!
//! evcxr writes the type of every variable it keeps, and only the compiler knows it. So an analysis finds the types, and the binding is
//! repeated with its type behind the `let`, on the same line:
//!
//! ```text
//! let (a, b) = pair();                                          // as typed
//! let (a, b) = pair(); let a: i32 = a; let b: String = b;       // as compiled
//! ```

use super::edits::Edits;
use super::placeholders::{self, can_be_written};
use crate::cell::without_commands;
use ra_ap_syntax::ast::{self, HasArgList, HasLoopBody, HasModuleItem, HasName};
use ra_ap_syntax::{AstNode, Edition, SourceFile, SyntaxKind, SyntaxNode};
use std::collections::{BTreeMap, BTreeSet};

/// A parsed cell. Offsets are those of its text.
pub(in crate::engine) struct ParsedCell {
    /// The cell as the body of a function.
    body: Option<ast::BlockExpr>,
    /// Whether it has neither commands of evcxr's nor syntax errors.
    pure_rust: bool,
    /// Whether our parser found a syntax error.
    has_errors: bool,
}

/// A binding of a `let` without a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::engine) struct Untyped {
    pub(in crate::engine) name: String,
    mutable: bool,
    /// The byte offset at which its statement ends.
    end: usize,
}

/// The macros that show a value in the middle of a cell.
const DISPLAYS: &[&str] = &["display", "display_id", "update_display"];

const HEAD: &str = "fn cell() {";

impl ParsedCell {
    /// Parses a cell; evcxr's commands count as blanks.
    pub(in crate::engine) fn parse(code: &str) -> Self {
        let rust = without_commands(code);
        let parsed = SourceFile::parse(&format!("{HEAD}{rust}\n}}"), Edition::Edition2024);
        let body = parsed.tree().items().find_map(|item| match item {
            ast::Item::Fn(function) => function.body(),
            _ => None,
        });
        let has_errors = !parsed.errors().is_empty();
        Self { body, pure_rust: !has_errors && rust == code, has_errors }
    }

    /// Whether our parser found a syntax error. The compiler's parser may differ.
    pub(in crate::engine) fn has_errors(&self) -> bool {
        self.has_errors
    }

    /// Whether it has neither commands of evcxr's nor syntax errors.
    pub(in crate::engine) fn is_pure_rust(&self) -> bool {
        self.pure_rust
    }

    /// Whether a `let` binds a closure, whose type has no name.
    pub(in crate::engine) fn binds_closure(&self) -> bool {
        let mut statements = self.body.iter().flat_map(ast::BlockExpr::statements);
        statements.any(|statement| match statement {
            ast::Stmt::LetStmt(statement) => matches!(statement.initializer(), Some(ast::Expr::ClosureExpr(_))),
            _ => false,
        })
    }

    /// Returns the offset of the first statement that is not an item: all statements see what is inserted there. `None` if there
    /// is none, or the cell is not pure Rust.
    pub(in crate::engine) fn first_statement(&self) -> Option<usize> {
        let statements = self.body.as_ref().filter(|_| self.pure_rust)?.stmt_list()?;
        let first = statements.syntax().children().find(|node| {
            ast::Expr::can_cast(node.kind()) || matches!(node.kind(), SyntaxKind::LET_STMT | SyntaxKind::EXPR_STMT)
        })?;
        start(&first)
    }

    /// Returns the bindings without a type; for a name that is bound twice, the last.
    pub(in crate::engine) fn untyped(&self) -> Vec<Untyped> {
        let mut found = BTreeMap::new();
        for statement in self.body.iter().flat_map(ast::BlockExpr::statements) {
            let ast::Stmt::LetStmt(statement) = statement else { continue };
            let end = usize::from(statement.syntax().text_range().end()) - HEAD.len();
            let Some(pattern) = statement.pat() else { continue };
            // evcxr does not derive the types of variables from the type of a pattern.
            let is_name = matches!(pattern, ast::Pat::IdentPat(_));
            let typed = (is_name && statement.ty().is_some()) || statement.initializer().is_none();
            for node in pattern.syntax().descendants() {
                let Some(name) = ast::IdentPat::cast(node) else { continue };
                let mutable = name.mut_token().is_some();
                let by_reference = name.ref_token().is_some();
                let Some(name) = name.name().map(|name| name.text().to_string()) else { continue };
                let is_binding = name.starts_with(|first: char| first.is_lowercase() || first == '_');
                if typed || by_reference || !is_binding {
                    found.remove(&name);
                } else {
                    found.insert(name.clone(), Untyped { name, mutable, end });
                }
            }
        }
        found.into_values().collect()
    }

    /// Returns the variables that its statements bind.
    pub(in crate::engine) fn bound(&self) -> BTreeSet<String> {
        let statements = self.body.iter().flat_map(ast::BlockExpr::statements);
        let patterns = statements.filter_map(|statement| match statement {
            ast::Stmt::LetStmt(statement) => statement.pat(),
            _ => None,
        });
        patterns.flat_map(|pattern| names_in(&pattern)).collect()
    }

    /// Hides the statements that bind one of `names` from evcxr, which then keeps none of their variables: puts them into a macro
    /// that expands to the statement. Must be called before types are added. Returns the other variables of those statements.
    pub(in crate::engine) fn hide(&self, names: impl Fn(&str) -> bool, edits: &mut Edits) -> BTreeSet<String> {
        let mut also_hidden = BTreeSet::new();
        for statement in self.body.iter().flat_map(ast::BlockExpr::statements) {
            let ast::Stmt::LetStmt(statement) = statement else { continue };
            let bound = statement.pat().iter().flat_map(names_in).collect::<Vec<_>>();
            let (hidden, rest): (Vec<String>, Vec<String>) = bound.into_iter().partition(|name| names(name));
            let (Some(from), false) = (start(statement.syntax()), hidden.is_empty()) else { continue };
            edits.insert(from, "cells::transient! { ");
            edits.insert(usize::from(statement.syntax().text_range().end()) - HEAD.len(), " };");
            also_hidden.extend(rest);
        }
        also_hidden
    }

    /// Returns the frame from which the cell wanted a column of this name, as an expression that can be evaluated again without
    /// effects: a variable, or the events of a loaded trace.
    pub(in crate::engine) fn frame_with_column(&self, column: &str) -> Option<String> {
        let quoted = format!("\"{column}\"");
        let calls = self.nodes().filter_map(ast::MethodCallExpr::cast);
        let mut matching = calls.filter(|call| {
            let arguments = call.arg_list().map(|list| list.syntax().text().to_string()).unwrap_or_default();
            arguments.contains(&quoted)
        });
        let of_call = matching.next().and_then(|call| call.receiver());
        let is_it = |index: &ast::IndexExpr| index.index().is_some_and(|at| at.syntax().text() == quoted.as_str());
        let of_index = || self.nodes().filter_map(ast::IndexExpr::cast).find(is_it)?.base();
        self.without_effects(&of_call.or_else(of_index)?, 0)
    }

    /// Returns an expression if it has no effects, with the variables of this cell replaced by their initialisers.
    fn without_effects(&self, expression: &ast::Expr, depth: usize) -> Option<String> {
        if depth > 8 {
            return None;
        }
        match expression {
            ast::Expr::PathExpr(path) => {
                let name = path.syntax().text().to_string();
                match self.initializer(&name) {
                    Some(initializer) => self.without_effects(&initializer, depth + 1),
                    None => Some(name),
                }
            }
            ast::Expr::ParenExpr(inner) => self.without_effects(&inner.expr()?, depth + 1),
            ast::Expr::RefExpr(inner) => self.without_effects(&inner.expr()?, depth + 1),
            ast::Expr::TryExpr(inner) => Some(format!("{}?", self.without_effects(&inner.expr()?, depth + 1)?)),
            ast::Expr::MethodCallExpr(call) => {
                let name = call.name_ref()?.text().to_string();
                let arguments = call.arg_list()?.syntax().text().to_string();
                let is_plain = arguments.chars().all(|c| c.is_ascii_digit() || matches!(c, '(' | ')' | ' ' | '-'));
                let reads = matches!(name.as_str(), "events" | "rank" | "clone" | "lazy");
                let receiver = self.without_effects(&call.receiver()?, depth + 1)?;
                (reads && is_plain).then(|| format!("{receiver}.{name}{arguments}"))
            }
            _ => None,
        }
    }

    /// Returns the initialiser of the last `let` of this cell that binds `name` alone.
    fn initializer(&self, name: &str) -> Option<ast::Expr> {
        let statements = self.body.iter().flat_map(ast::BlockExpr::statements);
        let bindings = statements.filter_map(|statement| match statement {
            ast::Stmt::LetStmt(statement) => Some(statement),
            _ => None,
        });
        let own = bindings.filter(|binding| match binding.pat() {
            Some(ast::Pat::IdentPat(pattern)) => pattern.name().is_some_and(|bound| bound.text() == name),
            _ => false,
        });
        own.last()?.initializer()
    }

    /// Returns the text of each definition on which the layout of a variable can depend, by name.
    pub(in crate::engine) fn definitions(&self) -> BTreeMap<String, String> {
        let mut definitions = BTreeMap::new();
        for statement in self.body.iter().flat_map(ast::BlockExpr::statements) {
            let ast::Stmt::Item(item) = statement else { continue };
            let name = match &item {
                ast::Item::Struct(item) => item.name(),
                ast::Item::Enum(item) => item.name(),
                ast::Item::Union(item) => item.name(),
                ast::Item::TypeAlias(item) => item.name(),
                ast::Item::Trait(item) => item.name(),
                ast::Item::Const(item) => item.name(),
                ast::Item::Module(item) => item.name(),
                _ => None,
            };
            if let Some(name) = name {
                definitions.insert(name.text().to_string(), item.syntax().text().to_string());
            }
        }
        definitions
    }

    /// Inserts a checkpoint at the head of every loop body, at which an interrupt ends the loop and the worker process survives. Leaves
    /// out constant code and the arguments of macros.
    pub(in crate::engine) fn add_checkpoints(&self, edits: &mut Edits) {
        for node in self.nodes() {
            let body = match ast::Expr::cast(node) {
                Some(ast::Expr::LoopExpr(expr)) => expr.loop_body(),
                Some(ast::Expr::WhileExpr(expr)) => expr.loop_body(),
                Some(ast::Expr::ForExpr(expr)) => expr.loop_body(),
                _ => None,
            };
            let Some(body) = body.filter(|body| !is_const(body)) else { continue };
            if let Some(brace) = body.stmt_list().and_then(|list| list.l_curly_token()) {
                edits.insert(usize::from(brace.text_range().end()) - HEAD.len(), " cells::rt::checkpoint();");
            }
        }
    }

    /// Adds the `!` to calls of `display`, `display_id` and `update_display`, unless the cell or an earlier one (`defined`) defines
    /// the name.
    pub(in crate::engine) fn call_macros(&self, defined: impl Fn(&str) -> bool, edits: &mut Edits) {
        if !self.pure_rust {
            return;
        }
        let own = |name: &str| {
            self.nodes().filter_map(ast::Name::cast).any(|declared| declared.text() == name) || defined(name)
        };
        let names: Vec<&str> = DISPLAYS.iter().copied().filter(|name| !own(name)).collect();
        for call in self.nodes().filter_map(ast::CallExpr::cast) {
            let Some(callee) = call.expr().filter(|callee| names.iter().any(|name| callee.syntax().text() == *name))
            else {
                continue;
            };
            edits.insert(usize::from(callee.syntax().text_range().end()) - HEAD.len(), "!");
        }
    }

    /// Wraps the last expression, which evcxr shows, so that it is shown in our way first. `wrapper` is `value` or `pretty`.
    pub(in crate::engine) fn wrap_last(&self, wrapper: &str, edits: &mut Edits) {
        if !self.pure_rust {
            return;
        }
        let last = self.body.as_ref().and_then(ast::BlockExpr::tail_expr);
        let Some(last) = last else { return };
        if let Some(start) = start(last.syntax()) {
            // A hint below the value names the variable.
            let (noted, end) = match variable(&last) {
                Some(name) => (format!("cells::named(\"{name}\", "), ")"),
                None => Default::default(),
            };
            edits.insert(start, &format!("cells::{wrapper}({noted}&("));
            edits.insert(usize::from(last.syntax().text_range().end()) - HEAD.len(), &format!(")){end}"));
        }
    }

    fn nodes(&self) -> impl Iterator<Item = SyntaxNode> {
        self.body.iter().flat_map(|body| body.syntax().descendants())
    }
}

/// Returns the names that a pattern binds.
fn names_in(pattern: &ast::Pat) -> Vec<String> {
    let nodes = pattern.syntax().descendants();
    nodes.filter_map(|node| Some(ast::IdentPat::cast(node)?.name()?.text().to_string())).collect()
}

/// Returns the name if an expression is a variable.
fn variable(expr: &ast::Expr) -> Option<String> {
    let ast::Expr::PathExpr(expr) = expr else { return None };
    let name = expr.path()?.as_single_name_ref()?.text().to_string();
    name.starts_with(|first: char| first.is_lowercase() || first == '_').then_some(name)
}

/// Returns the offset of the first token of a node that is neither a blank nor a comment.
fn start(node: &SyntaxNode) -> Option<usize> {
    let tokens = node.descendants_with_tokens().filter_map(|element| element.into_token());
    let first = tokens.into_iter().find(|token| !token.kind().is_trivia())?;
    usize::from(first.text_range().start()).checked_sub(HEAD.len())
}

/// Returns the offset of a `!` at the start of the first line of Rust, which evcxr would run as a shell command.
pub(in crate::engine) fn leading_negation(code: &str) -> Option<usize> {
    let rust = without_commands(code);
    let mut at = 0;
    for line in rust.split_inclusive('\n') {
        if !line.trim().is_empty() && !line.starts_with("//") {
            return line.starts_with('!').then_some(at);
        }
        at += line.len();
    }
    None
}

/// Inserts a typed binding behind each statement, for the variables that `is_stored` accepts and whose type is known.
pub(in crate::engine) fn add_types(
    untyped: &[Untyped],
    types: &BTreeMap<String, String>,
    is_stored: impl Fn(&str) -> bool,
    edits: &mut Edits,
) {
    for binding in untyped.iter().filter(|binding| is_stored(&binding.name)) {
        let Some(type_name) = types.get(&binding.name).filter(|type_name| can_be_written(type_name)) else { continue };
        let (name, mutable) = (&binding.name, if binding.mutable { "mut " } else { "" });
        edits.insert(binding.end, &format!(" let {mutable}{name}: {type_name} = {name};"));
    }
}

/// Inserts a binding with a placeholder behind each statement; the first placeholder has the number `first`.
pub(in crate::engine) fn add_placeholders(untyped: &[Untyped], first: usize, edits: &mut Edits) {
    for (at, binding) in untyped.iter().enumerate() {
        edits.insert(binding.end, &placeholders::binding(&binding.name, binding.mutable, first + at));
    }
}

fn is_const(body: &ast::BlockExpr) -> bool {
    body.syntax().ancestors().any(|node| match node.kind() {
        SyntaxKind::CONST | SyntaxKind::STATIC => true,
        SyntaxKind::FN => ast::Fn::cast(node).is_some_and(|function| function.const_token().is_some()),
        SyntaxKind::BLOCK_EXPR => ast::BlockExpr::cast(node).is_some_and(|block| block.const_token().is_some()),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(code: &str, types: &[(&str, &str)]) -> String {
        let types = types.iter().map(|(name, type_name)| ((*name).to_owned(), (*type_name).to_owned())).collect();
        let mut edits = Edits::default();
        add_types(&ParsedCell::parse(code).untyped(), &types, |_| true, &mut edits);
        edits.apply(code)
    }

    fn checked(code: &str) -> String {
        let mut edits = Edits::default();
        ParsedCell::parse(code).add_checkpoints(&mut edits);
        edits.apply(code).replace(" cells::rt::checkpoint();", "@")
    }

    #[test]
    fn every_loop_gets_a_checkpoint() {
        assert_eq!(checked("loop {}"), "loop {@}");
        assert_eq!(
            checked(":dep x\nfor i in 0..3 {\n while ok(i) { a() } }\nfn f() { 'b: loop { break 'b } }"),
            ":dep x\nfor i in 0..3 {@\n while ok(i) {@ a() } }\nfn f() { 'b: loop {@ break 'b } }"
        );
    }

    #[test]
    fn constant_code_gets_no_checkpoint() {
        let code =
            "const fn f() -> i32 { let mut i = 0; while i < 3 { i += 1 } i }\nconst A: i32 = { loop { break 1 } };";
        assert_eq!(checked(code), code);
    }

    #[test]
    fn first_statement_is_behind_items_and_comments() {
        for (code, first) in [
            ("a.b()", "a"),
            ("// one\n/* two */ use x::y;\nfn f() {}\n// three\n#[allow(unused)] let z = 1; z", "#[allow"),
            ("if a { b }", "if"),
            ("println!(\"{a}\");", "println"),
        ] {
            assert_eq!(ParsedCell::parse(code).first_statement(), code.find(first), "{code}");
        }
        for code in ["fn f() {}", "", ":type a\na", "a b", "use x;"] {
            assert_eq!(ParsedCell::parse(code).first_statement(), None, "{code}");
        }
    }

    #[test]
    fn last_expression_is_wrapped() {
        let shown = |code: &str| {
            let mut edits = Edits::default();
            let cell = ParsedCell::parse(code);
            cell.call_macros(|name| name == "update_display", &mut edits);
            cell.wrap_last("value", &mut edits);
            edits.apply(code)
        };
        assert_eq!(shown("let a = 1; a + 1 // one"), "let a = 1; cells::value(&(a + 1)) // one");
        assert_eq!(
            shown("for x in y { display(&x); update_display(&x) }"),
            "cells::value(&(for x in y { display!(&x); update_display(&x) }))"
        );
        for code in ["let a = 1;", "fn display(x: i32) {}\ndisplay(1);", ":type a", "a b", ""] {
            assert_eq!(shown(code), code);
        }
    }

    #[test]
    fn each_binding_is_typed_behind_its_statement() {
        assert_eq!(
            typed("let mut a = 1;\nlet (b, c) = f(); a", &[("a", "i32"), ("b", "u8"), ("c", "bool")]),
            "let mut a = 1; let mut a: i32 = a;\nlet (b, c) = f(); let b: u8 = b; let c: bool = c; a"
        );
    }

    #[test]
    fn leading_negation_is_found() {
        assert_eq!(leading_negation(":dep x\n// one\n!ls;"), Some(14));
        for code in ["a\n!b", " !a", "", "// !a"] {
            assert_eq!(leading_negation(code), None, "{code}");
        }
    }

    #[test]
    fn hidden_bindings_are_in_the_macro() {
        let code = "// one\nlet f = |x: i32| x; let (a, b) = (1, || 2); f(a)";
        let mut edits = Edits::default();
        let cell = ParsedCell::parse(code);
        let also_hidden = cell.hide(|name| name == "f" || name == "b", &mut edits);
        let types = [("a".to_owned(), "i32".to_owned()), ("b".to_owned(), "i32".to_owned())].into();
        add_types(&cell.untyped(), &types, |name| name == "a", &mut edits);
        assert_eq!(
            edits.apply(code),
            "// one\ncells::transient! { let f = |x: i32| x; }; \
             cells::transient! { let (a, b) = (1, || 2); }; let a: i32 = a; f(a)"
        );
        assert_eq!(also_hidden.into_iter().collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn frame_with_wanted_column_is_found() {
        for (code, frame) in [
            ("df.column(\"x\")?", Some("df")),
            (
                "let evs = control.rank(3)?.events(); let n = 1; evs.column(\"x\")?.len()",
                Some("control.rank(3)?.events()"),
            ),
            ("(&df).clone().select([\"y\", \"x\"])?", Some("df.clone()")),
            ("make()?.column(\"x\")?", None),
            ("df[\"x\"].len()", Some("df")),
            ("df.column(\"y\")?", None),
        ] {
            assert_eq!(ParsedCell::parse(code).frame_with_column("x").as_deref(), frame, "{code}");
        }
    }

    #[test]
    fn typed_uninitialised_and_nameless_bindings_stay() {
        let code = "let a: u8 = 1; let b; let c = || 1; let Some(d) = e else { return }; b = 2;";
        let types = [("a", "u8"), ("b", "i32"), ("c", "{closure@src/lib.rs:1}"), ("d", "i64")];
        assert_eq!(
            typed(code, &types),
            "let a: u8 = 1; let b; let c = || 1; let Some(d) = e else { return }; let d: i64 = d; b = 2;"
        );
    }

    #[test]
    fn parts_of_a_typed_pattern_are_typed() {
        assert_eq!(
            typed("let (a, b): (i32, u8) = f();", &[("a", "i32"), ("b", "u8")]),
            "let (a, b): (i32, u8) = f(); let a: i32 = a; let b: u8 = b;"
        );
    }

    #[test]
    fn last_binding_of_shadowed_name_is_typed() {
        assert_eq!(
            typed("let a = 1;\nlet a = \"x\";", &[("a", "&str")]),
            "let a = 1;\nlet a = \"x\"; let a: &str = a;"
        );
    }
}
