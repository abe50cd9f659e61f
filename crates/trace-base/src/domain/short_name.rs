//! Short names, as HTA makes them: without template arguments, parameters and return types.

/// Shortens the name of an operator or kernel: removes brackets with their contents, then everything before the last blank.
///
/// Names of copies and names without brackets stay whole. Different names can share a short name, even the empty one.
///
/// # Source
/// HTA `shorten_name`, its quirks included: a `>` without a `<` before it removes all that precedes it.
///
/// # Example
/// ```
/// use trace::shorten_name;
///
/// assert_eq!(shorten_name("void at::native::foo<4, X<int> >(int)"), "at::native::foo");
/// assert_eq!(shorten_name("Memcpy DtoD (Device -> Device)"), "Memcpy DtoD (Device -> Device)");
/// ```
pub fn shorten_name(name: &str) -> String {
    let is_memory = ["Memcpy", "Memset", "hipMemcpy", "hipMemset", "dma"].iter().any(|start| name.starts_with(start));
    if is_memory || !name.contains(['<', '(']) {
        return name.to_owned();
    }
    let mut short = String::with_capacity(name.len());
    for character in name.replace("->", "").chars() {
        let opening = match character {
            '>' => '<',
            ')' => '(',
            other => {
                short.push(other);
                continue;
            }
        };
        short.truncate(short.rfind(opening).unwrap_or(0));
    }
    short.rsplit(' ').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shortened_as_by_hta() {
        for (name, short) in [
            ("a<int>(b)", "a"),
            ("void at::native::foo<4, X<int> >(int)", "at::native::foo"),
            ("void (anonymous namespace)::k<float>(float*)", "::k"),
            ("autograd::engine::evaluate_function: AddBackward0", "autograd::engine::evaluate_function: AddBackward0"),
            ("std::function<int()>::operator() const", "const"),
            ("a > b(c)", "b"),
            ("nccl:all_reduce", "nccl:all_reduce"),
            ("Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)"),
            ("## forward ##", "## forward ##"),
            ("operator<", "operator<"),
            ("operator<(", "operator<("),
            ("<built-in method x>", ""),
            ("foo.py(12): bar", "bar"),
            ("x.py(3): <lambda>", ""),
            ("[param|x(1)|0]", "[param|x|0]"),
            ("x(y) ", ""),
            ("a->b(c)", "ab"),
            ("f<a(b>c)d", "d"),
            ("a)b(c)", "b"),
            ("hipMemcpy<x>", "hipMemcpy<x>"),
            ("void k<(A)1>(int)", "k"),
            ("x::{lambda()#1}::operator()() const::{lambda(int)#1}", "const::{lambda#1}"),
            ("Optimizer.step#SGD.step", "Optimizer.step#SGD.step"),
        ] {
            assert_eq!(shorten_name(name), short, "{name}");
        }
    }
}
