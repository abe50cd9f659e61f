//! Types of `let` without rust-analyzer: which bindings need one, and where it is written.
//!
//! evcxr must name the type of every variable it keeps. The compiler knows it; so the cell is analysed first (see
//! `compiler`), and behind each `let` without a type stands, on the same line, the same binding again with its type:
//!
//! ```text
//! let (a, b) = pair();                                          // as typed
//! let (a, b) = pair(); let a: i32 = a; let b: String = b;       // as compiled
//! ```

use super::edits::Edits;
use ra_ap_syntax::ast::{self, HasLoopBody, HasModuleItem, HasName};
use ra_ap_syntax::{AstNode, Edition, SourceFile, SyntaxKind};
use std::collections::BTreeMap;

/// A binding of a `let` without a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Untyped {
    name: String,
    mutable: bool,
    /// Where its statement ends in the cell.
    end: usize,
}

const HEAD: &str = "fn cell() {";

/// The bindings whose type evcxr would have to guess; of a name bound twice, the last.
pub(super) fn untyped(code: &str) -> Vec<Untyped> {
    let text = format!("{HEAD}{}\n}}", without_commands(code));
    let file = SourceFile::parse(&text, Edition::Edition2024).tree();
    let mut found = BTreeMap::new();
    for item in file.items() {
        let ast::Item::Fn(function) = item else { continue };
        let Some(body) = function.body() else { continue };
        for statement in body.statements() {
            let ast::Stmt::LetStmt(statement) = statement else { continue };
            let end = usize::from(statement.syntax().text_range().end()) - HEAD.len();
            let typed = statement.ty().is_some() || statement.initializer().is_none();
            let Some(pattern) = statement.pat() else { continue };
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
    }
    found.into_values().collect()
}

/// Writes the types that the compiler told behind the statements.
pub(super) fn add_types(untyped: &[Untyped], types: &BTreeMap<String, String>, edits: &mut Edits) {
    for binding in untyped {
        let Some(type_name) = types.get(&binding.name).filter(|type_name| can_be_written(type_name)) else { continue };
        let (name, mutable) = (&binding.name, if binding.mutable { "mut " } else { "" });
        edits.insert(binding.end, &format!(" let {mutable}{name}: {type_name} = {name};"));
    }
}

/// Puts a checkpoint at the head of every loop body, so that the interrupt button can end the loop without ending the
/// process. Code that must be computable while compiling is left alone, and so is what a macro is given.
pub(super) fn add_checkpoints(code: &str, edits: &mut Edits) {
    let text = format!("{HEAD}{}\n}}", without_commands(code));
    let file = SourceFile::parse(&text, Edition::Edition2024).tree();
    for node in file.syntax().descendants() {
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

fn is_const(body: &ast::BlockExpr) -> bool {
    body.syntax().ancestors().any(|node| match node.kind() {
        SyntaxKind::CONST | SyntaxKind::STATIC => true,
        SyntaxKind::FN => ast::Fn::cast(node).is_some_and(|function| function.const_token().is_some()),
        SyntaxKind::BLOCK_EXPR => ast::BlockExpr::cast(node).is_some_and(|block| block.const_token().is_some()),
        _ => false,
    })
}

/// Whether a type can be written at all: closures, functions and hidden types have no name.
fn can_be_written(type_name: &str) -> bool {
    !["{", "impl ", "_", "'"].iter().any(|part| match *part {
        "_" => type_name.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "_"),
        part => type_name.contains(part),
    })
}

/// The cell with evcxr's commands (`:dep …`) blanked out, positions kept.
fn without_commands(code: &str) -> String {
    code.split_inclusive('\n')
        .map(
            |line| {
                if line.trim_start().starts_with(':') {
                    line.replace(|c: char| c != '\n', " ")
                } else {
                    line.to_owned()
                }
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(code: &str, types: &[(&str, &str)]) -> String {
        let types = types.iter().map(|(name, type_name)| ((*name).to_owned(), (*type_name).to_owned())).collect();
        let mut edits = Edits::default();
        add_types(&untyped(code), &types, &mut edits);
        edits.apply(code)
    }

    fn checked(code: &str) -> String {
        let mut edits = Edits::default();
        add_checkpoints(code, &mut edits);
        edits.apply(code).replace(" cells::rt::checkpoint();", "@")
    }

    #[test]
    fn every_loop_has_a_checkpoint() {
        assert_eq!(checked("loop {}"), "loop {@}");
        assert_eq!(
            checked(":dep x\nfor i in 0..3 {\n while ok(i) { a() } }\nfn f() { 'b: loop { break 'b } }"),
            ":dep x\nfor i in 0..3 {@\n while ok(i) {@ a() } }\nfn f() { 'b: loop {@ break 'b } }"
        );
    }

    #[test]
    fn what_is_computed_while_compiling_has_none() {
        let code =
            "const fn f() -> i32 { let mut i = 0; while i < 3 { i += 1 } i }\nconst A: i32 = { loop { break 1 } };";
        assert_eq!(checked(code), code);
    }

    #[test]
    fn each_binding_is_typed_behind_its_statement() {
        assert_eq!(
            typed("let mut a = 1;\nlet (b, c) = f(); a", &[("a", "i32"), ("b", "u8"), ("c", "bool")]),
            "let mut a = 1; let mut a: i32 = a;\nlet (b, c) = f(); let b: u8 = b; let c: bool = c; a"
        );
    }

    #[test]
    fn typed_unfinished_and_nameless_bindings_stay() {
        let code = "let a: u8 = 1; let b; let c = || 1; let Some(d) = e else { return }; b = 2;";
        let types = [("a", "u8"), ("b", "i32"), ("c", "{closure@src/lib.rs:1}"), ("d", "i64")];
        assert_eq!(
            typed(code, &types),
            "let a: u8 = 1; let b; let c = || 1; let Some(d) = e else { return }; let d: i64 = d; b = 2;"
        );
    }

    #[test]
    fn of_a_shadowed_name_the_last_is_typed() {
        assert_eq!(
            typed("let a = 1;\nlet a = \"x\";", &[("a", "&str")]),
            "let a = 1;\nlet a = \"x\"; let a: &str = a;"
        );
    }
}
