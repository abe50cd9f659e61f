//! Names of fused kernels, cut into operators.

/// Operators in names of fused kernels, without their namespace, and the operations that each takes for an element.
const OPERATORS: &[(&str, u32)] = &[
    // Moved or viewed.
    ("_to_copy", 0),
    ("_unsafe_view", 0),
    ("alias", 0),
    ("arange", 0),
    ("as_strided", 0),
    ("as_strided_scatter", 0),
    ("bernoulli", 0),
    ("cat", 0),
    ("clone", 0),
    ("constant_pad_nd", 0),
    ("convert_element_type", 0),
    ("copy", 0),
    ("copy_", 0),
    ("detach", 0),
    ("embedding", 0),
    ("empty", 0),
    ("expand", 0),
    ("fill", 0),
    ("full", 0),
    ("full_like", 0),
    ("gather", 0),
    ("index", 0),
    ("index_put", 0),
    ("index_select", 0),
    ("iota", 0),
    ("lift_fresh", 0),
    ("new_zeros", 0),
    ("ones", 0),
    ("ones_like", 0),
    ("permute", 0),
    ("rand", 0),
    ("repeat", 0),
    ("reshape", 0),
    ("scalar_tensor", 0),
    ("scatter", 0),
    ("select", 0),
    ("select_backward", 0),
    ("select_scatter", 0),
    ("slice", 0),
    ("slice_backward", 0),
    ("slice_scatter", 0),
    ("split", 0),
    ("split_with_sizes", 0),
    ("squeeze", 0),
    ("stack", 0),
    ("t", 0),
    ("transpose", 0),
    ("triu", 0),
    ("tril", 0),
    ("unsqueeze", 0),
    ("view", 0),
    ("zeros", 0),
    ("zeros_like", 0),
    // Products and convolutions beside which they are fused run in kernels of their own.
    ("addmm", 0),
    ("bmm", 0),
    ("convolution", 0),
    ("mm", 0),
    // One operation.
    ("abs", 1),
    ("add", 1),
    ("all", 1),
    ("amax", 1),
    ("amin", 1),
    ("any", 1),
    ("argmax", 1),
    ("argmin", 1),
    ("bitwise_and", 1),
    ("bitwise_not", 1),
    ("bitwise_or", 1),
    ("ceil", 1),
    ("clamp", 1),
    ("clamp_max", 1),
    ("clamp_min", 1),
    ("cumsum", 1),
    ("div", 1),
    ("embedding_dense_backward", 1),
    ("eq", 1),
    ("floor", 1),
    ("fmod", 1),
    ("ge", 1),
    ("gt", 1),
    ("isnan", 1),
    ("le", 1),
    ("logical_and", 1),
    ("logical_not", 1),
    ("logical_or", 1),
    ("lt", 1),
    ("masked_fill", 1),
    ("max", 1),
    ("maximum", 1),
    ("mean", 1),
    ("min", 1),
    ("minimum", 1),
    ("mul", 1),
    ("ne", 1),
    ("neg", 1),
    ("nll_loss_backward", 1),
    ("nll_loss_forward", 1),
    ("prod", 1),
    ("reciprocal", 1),
    ("relu", 1),
    ("remainder", 1),
    ("round", 1),
    ("rsub", 1),
    ("sign", 1),
    ("sub", 1),
    ("sum", 1),
    ("threshold_backward", 1),
    ("where", 1),
    // Several.
    ("addcdiv", 3),
    ("addcmul", 3),
    ("lerp", 3),
    ("native_dropout", 2),
    ("native_dropout_backward", 2),
    ("pow", 2),
    ("rsqrt", 2),
    ("sqrt", 2),
    ("std", 2),
    ("var", 2),
    ("var_mean", 2),
    ("cos", 4),
    ("erf", 4),
    ("exp", 4),
    ("exp2", 4),
    ("log", 4),
    ("log1p", 4),
    ("log2", 4),
    ("sigmoid", 4),
    ("sigmoid_backward", 3),
    ("sin", 4),
    ("tanh", 4),
    ("tanh_backward", 3),
    ("_log_softmax", 5),
    ("_log_softmax_backward_data", 4),
    ("_softmax", 5),
    ("_softmax_backward_data", 4),
    ("_native_batch_norm_legit", 5),
    ("_native_batch_norm_legit_functional", 5),
    ("_native_batch_norm_legit_no_training", 2),
    ("native_batch_norm_backward", 9),
    ("native_group_norm", 5),
    ("native_group_norm_backward", 9),
    ("native_layer_norm", 5),
    ("native_layer_norm_backward", 9),
    ("_fused_rms_norm", 4),
    ("silu", 5),
    ("silu_backward", 7),
    ("softplus", 8),
    ("gelu", 8),
    ("gelu_backward", 12),
];

/// The most words of a name that are looked at; torch cuts names long before.
const MOST_WORDS: usize = 256;
/// The most words of an operator.
const LONGEST: usize = 7;

/// A name of a fused kernel, cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Operators in the order of the name, each with its operations for an element.
    pub(crate) operators: Vec<(&'static str, u32)>,
    /// Words that belong to no operator.
    pub(crate) unknown: usize,
}

/// Cuts the words of a name (`add_cos_native_layer_norm`) so that the fewest words are unknown, then into the fewest operators.
pub(crate) fn cut(name: &str) -> Cut {
    let words: Vec<&str> = name.split('_').take(MOST_WORDS).collect();
    // For each number of words from the front: unknown words, operators, and the last operator with its words.
    type Best = (usize, usize, usize, Option<(&'static str, u32)>);
    let mut best: Vec<Best> = vec![(0, 0, 0, None)];
    for end in 1..=words.len() {
        let before = |length: usize| end.checked_sub(length).and_then(|start| best.get(start).copied());
        let (unknown, count, ..) = before(1).unwrap_or_default();
        let is_empty = words.get(end - 1).is_none_or(|word| word.is_empty());
        let mut found: Best = (unknown + usize::from(!is_empty), count, 1, None);
        for length in 1..=LONGEST.min(end) {
            let text = words.get(end - length..end).unwrap_or_default().join("_");
            let known = OPERATORS.iter().find(|(name, _)| *name == text);
            if let (Some(&operator), Some((unknown, count, ..))) = (known, before(length))
                && (unknown, count + 1) < (found.0, found.1)
            {
                found = (unknown, count + 1, length, Some(operator));
            }
        }
        best.push(found);
    }
    let mut operators = Vec::new();
    let mut at = words.len();
    while let Some(&(_, _, length, operator)) = best.get(at) {
        operators.extend(operator);
        if at == 0 || length == 0 {
            break;
        }
        at = at.saturating_sub(length);
    }
    operators.reverse();
    Cut { operators, unknown: best.last().map_or(0, |best| best.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<&'static str> {
        cut(name).operators.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn operators_with_underscores_are_found() {
        assert_eq!(names("add_cos_sin"), ["add", "cos", "sin"]);
        assert_eq!(names("_to_copy_add_native_layer_norm_view"), ["_to_copy", "add", "native_layer_norm", "view"]);
        assert_eq!(names("add__softmax_mul"), ["add", "_softmax", "mul"]);
        assert_eq!(names("_softmax_backward_data_clamp_min"), ["_softmax_backward_data", "clamp_min"]);
        assert_eq!(
            names("native_layer_norm_native_layer_norm_backward"),
            ["native_layer_norm", "native_layer_norm_backward"]
        );
        assert_eq!(names("mul__add_"), ["mul", "add"]);
    }

    #[test]
    fn unknown_words_are_counted() {
        let found = cut("add_frobnicate_now_mul");
        assert_eq!((found.unknown, found.operators), (2, vec![("add", 1), ("mul", 1)]));
        assert_eq!(cut("").operators, []);
        assert_eq!(cut(&"_x".repeat(100_000)).unknown, MOST_WORDS - 1);
    }
}
