//! The model of a name, and the rule by which a piece of work is counted once.

use super::call::{Call, NoModel, Work};
use super::model::Model;
use super::models::MODELS;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Operators without a model that call operators which may have one.
const WRAPPERS: &[&str] = &[
    "aten::_reshape_alias_copy",
    "aten::_to_copy",
    "aten::_weight_norm_interface",
    "aten::_convolution_mode",
    "aten::dropout",
    "aten::einsum",
    "aten::empty_like",
    "aten::flatten",
    "aten::full",
    "aten::full_like",
    "aten::index_put_",
    "aten::inner",
    "aten::nll_loss",
    "aten::nll_loss_nd",
    "aten::ones",
    "aten::ones_like",
    "aten::reshape",
    "aten::tensordot",
    "aten::to",
    "aten::zeros",
    "aten::zeros_like",
];

/// Models by name, and those by the front of a name.
struct Names {
    exact: BTreeMap<&'static str, &'static Model>,
    fronts: Vec<(&'static str, &'static Model)>,
}

fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut found = Names { exact: BTreeMap::new(), fronts: Vec::new() };
        for model in MODELS {
            for name in model.names {
                match name.strip_suffix('*') {
                    Some(front) => found.fronts.push((front, model)),
                    None => {
                        found.exact.insert(name, model);
                    }
                }
            }
        }
        found
    })
}

/// Returns the model of an operator, also of a composite one. An operator in place has the model of the other: `aten::add_`.
pub fn model(name: &str) -> Option<&'static Model> {
    let names = names();
    let exact = |name: &str| names.exact.get(name).copied();
    let inplace = || {
        let plain = name.strip_suffix('_')?;
        let model = exact(plain)?;
        matches!(model.family, super::call::Family::Elementwise).then_some(model)
    };
    exact(name)
        .or_else(|| names.fronts.iter().find(|(front, _)| name.starts_with(front)).map(|(_, model)| *model))
        .or_else(inplace)
}

/// Whether operators that this one calls do its work, so that they are counted instead of it.
pub fn is_composite(name: &str) -> bool {
    model(name).map_or_else(|| WRAPPERS.contains(&name), |model| model.is_composite)
}

/// Counts the work of a call.
///
/// To count a call tree so that nothing counts twice: walk from each root towards the leaves. Where this function has an answer,
/// count it and go no deeper, since the model contains what the operator calls (`aten::addmm` copies the bias,
/// `aten::_scaled_dot_product_flash_attention` calls `aten::_flash_attention_forward`). Where it has none, go on with what the
/// operator calls; at a composite operator that called no operator, ask [`work_of_leaf`].
///
/// So of all operators on a path at most one counts: the outermost that has a model, is not composite and whose inputs were
/// recorded.
pub fn work(call: &Call<'_>) -> Result<Work, NoModel> {
    if is_composite(call.name) {
        return Err(NoModel::Composite);
    }
    work_of_leaf(call)
}

/// Counts the work of a call that called no operator, also of a composite one.
pub fn work_of_leaf(call: &Call<'_>) -> Result<Work, NoModel> {
    match model(call.name) {
        Some(model) => (model.count)(call),
        None if WRAPPERS.contains(&call.name) => Err(NoModel::Composite),
        None => Err(NoModel::UnknownName),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_one_row_each() {
        let mut seen = BTreeMap::new();
        for model in MODELS {
            for name in model.names {
                assert_eq!(seen.insert(name, ()), None, "{name} is in two rows");
                assert!(!WRAPPERS.contains(name), "{name} has a model");
            }
        }
        assert!(seen.len() > 190, "{}", seen.len());
    }

    #[test]
    fn operators_in_place_have_the_model_of_the_others() {
        assert!(model("aten::add_").is_some_and(|model| model.names.contains(&"aten::add")));
        assert!(model("aten::mm_").is_none());
        assert!(model("aten::_foreach_add_").is_some());
        assert!(model("triton_poi_fused_add_0").is_some());
        assert!(is_composite("aten::linear") && is_composite("aten::to") && !is_composite("aten::mm"));
        assert!(!is_composite("aten::view"));
    }
}
