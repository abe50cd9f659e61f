//! Types parsed from text: a name, which determines the members, and its arguments.

use std::collections::BTreeMap;

/// A type without references and lifetimes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Type {
    /// The last segment of its path; `[]` for slices and arrays, `()` for tuples, the trait for `dyn` and `impl`.
    pub(crate) head: String,
    pub(crate) args: Vec<Type>,
}

impl Type {
    pub(crate) fn new(head: &str) -> Self {
        Self { head: head.to_owned(), args: Vec::new() }
    }

    pub(crate) fn of(head: &str, arg: Type) -> Self {
        Self { head: head.to_owned(), args: vec![arg] }
    }

    /// Parses a type. Invalid text becomes a type that has no members.
    pub(crate) fn parse(text: &str) -> Self {
        let mut text = text.trim();
        loop {
            let shorter = text.trim_start_matches('&').trim_start();
            let shorter = match shorter.strip_prefix('\'') {
                Some(lifetime) => lifetime.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start(),
                None => shorter,
            };
            let words = ["mut ", "dyn ", "impl ", "const "];
            let shorter = words.iter().find_map(|word| shorter.strip_prefix(word)).unwrap_or(shorter).trim_start();
            if shorter == text {
                break;
            }
            text = shorter;
        }
        // The first of several bounds.
        let text = split(text, '+').first().copied().unwrap_or(text).trim();
        if let Some(inner) = enclosed(text, '[', ']') {
            return Self::of("[]", Self::parse(split(inner, ';').first().copied().unwrap_or(inner)));
        }
        if let Some(inner) = enclosed(text, '(', ')') {
            let parts: Vec<&str> = split(inner, ',').into_iter().filter(|part| !part.trim().is_empty()).collect();
            return match parts.as_slice() {
                [one] if !inner.trim_end().ends_with(',') => Self::parse(one),
                parts => Self { head: "()".to_owned(), args: parts.iter().map(|part| Self::parse(part)).collect() },
            };
        }
        let (path, args) = match text.find('<') {
            // `<Self as Iterator>::Item`
            Some(0) => (text.rsplit("::").next().unwrap_or(text), ""),
            Some(open) => (&text[..open], enclosed(&text[open..], '<', '>').unwrap_or("")),
            None => (text, ""),
        };
        let head = path.trim().trim_end_matches("::").rsplit("::").next().unwrap_or(path).trim();
        let args = split(args, ',').into_iter().map(str::trim).filter(|arg| !arg.is_empty() && !arg.starts_with('\''));
        // `Item = T`
        let args = args.map(|arg| Self::parse(arg.split_once('=').map_or(arg, |(_, value)| value)));
        Self { head: head.to_owned(), args: args.collect() }
    }

    /// Returns the number of names in the type.
    pub(crate) fn size(&self) -> usize {
        1 + self.args.iter().map(Self::size).sum::<usize>()
    }

    /// Substitutes type parameters.
    pub(crate) fn substitute(&self, names: &BTreeMap<String, Type>) -> Self {
        if self.args.is_empty()
            && let Some(known) = names.get(&self.head)
        {
            return known.clone();
        }
        Self { head: self.head.clone(), args: self.args.iter().map(|arg| arg.substitute(names)).collect() }
    }

    /// Binds the type parameters of `pattern`, a type as an `impl` names it, to the arguments of this type.
    pub(crate) fn bind_params(&self, pattern: &Type) -> BTreeMap<String, Type> {
        let mut names = BTreeMap::new();
        for (name, arg) in pattern.args.iter().zip(&self.args) {
            if name.args.is_empty() {
                names.insert(name.head.clone(), arg.clone());
            }
        }
        names
    }
}

/// Returns the text inside the brackets that open at the start.
fn enclosed(text: &str, open: char, close: char) -> Option<&str> {
    let rest = text.strip_prefix(open)?;
    let mut depth = 1_usize;
    let mut before = ' ';
    for (at, c) in rest.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close && before != '-' {
            depth -= 1;
            if depth == 0 {
                return Some(&rest[..at]);
            }
        }
        before = c;
    }
    None
}

/// Splits at separators outside brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut from, mut before, mut parts) = (0_i32, 0, ' ', Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' => depth -= 1,
            c if c == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            _ => {}
        }
        before = c;
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        fn show(ty: &Type) -> String {
            match ty.args.as_slice() {
                [] => ty.head.clone(),
                args => format!("{}<{}>", ty.head, args.iter().map(show).collect::<Vec<_>>().join(",")),
            }
        }
        show(&Type::parse(text))
    }

    #[test]
    fn types_are_parsed() {
        for (text, is) in [
            ("&'a mut DataFrame", "DataFrame"),
            ("std::collections::HashMap<String, Vec<(u8, i32)>>", "HashMap<String,Vec<()<u8,i32>>>"),
            ("&[f64]", "[]<f64>"),
            ("[u8; 4]", "[]<u8>"),
            ("impl Iterator<Item = &'a str> + 'a", "Iterator<str>"),
            ("Box<dyn Fn(i32) -> bool + Send>", "Box<Fn(i32) -> bool>"),
            ("Self::Item", "Item"),
            ("Cow<'_, str>", "Cow<str>"),
            ("(i32)", "i32"),
            ("", ""),
        ] {
            assert_eq!(shown(text), is, "{text}");
        }
        for invalid in ["<", "Vec<", "&&&", "(", "[", "a::", "->", "é<ü"] {
            Type::parse(invalid);
        }
    }

    #[test]
    fn parameters_are_substituted() {
        let names = Type::parse("Result<DataFrame, PolarsError>").bind_params(&Type::parse("Result<T, E>"));
        assert_eq!(Type::parse("Option<T>").substitute(&names), Type::parse("Option<DataFrame>"));
    }
}
