//! Counts of each family, computed by hand on small shapes.

use crate::shared::{counted, inputs, numbers};
use efficiency::{Call, DataType, Experts, Family, NoModel, Note, PeakClass, mixture_of_experts, work, work_of_leaf};

#[test]
fn products_of_matrices_count_two_operations_a_pair() {
    let two = inputs("[[2, 3], [3, 5]]", "['float', 'float']", "");
    assert_eq!(numbers("aten::mm", &two), (60, 4 * (6 + 15 + 10)));
    let bias = inputs("[[5], [2, 3], [3, 5]]", "['c10::Half', 'c10::Half', 'c10::Half']", "");
    assert_eq!(numbers("aten::addmm", &bias), (60, 2 * (6 + 15 + 10 + 5)));
    let batch = inputs("[[7, 2, 3], [7, 3, 5]]", "['float', 'float']", "");
    assert_eq!(numbers("aten::bmm", &batch), (420, 4 * 7 * 31));
    let vector = inputs("[[2, 3], [3]]", "['float', 'float']", "");
    assert_eq!(numbers("aten::mv", &vector), (12, 4 * (6 + 3 + 2)));
    assert_eq!(numbers("aten::dot", &inputs("[[3], [3]]", "['float', 'float']", "")), (6, 4 * 7));
    let whole = inputs("[[2, 3], [3, 5]]", "['signed char', 'signed char']", "");
    assert_eq!(numbers("aten::_int_mm", &whole), (60, 6 + 15 + 40));
    assert_eq!(counted("aten::_int_mm", &whole).unwrap().peak, PeakClass::Int8);
}

#[test]
fn scaled_products_take_each_type_by_itself() {
    let types = "['c10::Float8_e4m3fn', 'c10::Float8_e5m2', 'float', 'float', '', '', 'Scalar', 'Scalar']";
    let dims = "[[4, 64], [64, 8], [4, 1], [1, 8], [], [], [], []]";
    let wide = inputs(dims, types, "['', '', '', '', '', '', '6', 'False']");
    assert_eq!(numbers("aten::_scaled_mm", &wide), (2 * 4 * 64 * 8, 256 + 512 + 16 + 32 + 4 * 32));
    // Without the number of the type of the result, two bytes.
    let unknown = inputs(dims, types, "");
    assert_eq!(numbers("aten::_scaled_mm", &unknown).1, 256 + 512 + 16 + 32 + 2 * 32);
    assert_eq!(counted("aten::_scaled_mm", &wide).unwrap().peak, PeakClass::Fp8);
    // Pairs of 4 bits: 32 elements are 64 values, with a scale of a byte for each 32.
    let pairs = inputs(
        "[[4, 32], [32, 8], [8], [16], [], [], [], []]",
        "['c10::Float4_e2m1fn_x2', 'c10::Float4_e2m1fn_x2', 'c10::Float8_e8m0fnu', 'c10::Float8_e8m0fnu', '', '', 'Scalar', '']",
        "['', '', '', '', '', '', '15', '']",
    );
    assert_eq!(numbers("aten::_scaled_mm", &pairs), (2 * 4 * 64 * 8, 128 + 256 + 8 + 16 + 64));
    assert_eq!(counted("aten::_scaled_mm", &pairs).unwrap().peak, PeakClass::Fp4);
}

#[test]
fn outer_operators_count_only_without_inner_ones() {
    let linear = inputs("[[2, 4, 3], [5, 3], [5]]", "['float', 'float', 'float']", "");
    assert_eq!(counted("aten::linear", &linear), Err(NoModel::Composite));
    let leaf = work_of_leaf(&Call::new("aten::linear", &linear)).unwrap();
    assert_eq!((leaf.flops, leaf.bytes), (2 * 8 * 3 * 5, 4 * (24 + 15 + 5 + 40)));
    let repeated = inputs("[[7, 1, 2, 3], [6, 3, 5]]", "['float', 'float']", "");
    assert_eq!(work_of_leaf(&Call::new("aten::matmul", &repeated)).unwrap().flops, 2 * 42 * 2 * 3 * 5);
    assert_eq!(work_of_leaf(&Call::new("aten::to", &linear)), Err(NoModel::Composite));
}

#[test]
fn groups_share_one_input() {
    let types = "['c10::BFloat16', 'c10::BFloat16', 'int', '', '']";
    // Rows divided among 3 groups.
    let rows = inputs("[[8, 4], [3, 4, 5], [3], [], []]", types, "");
    assert_eq!(numbers("aten::_grouped_mm", &rows), (2 * 8 * 4 * 5, 2 * (32 + 60 + 40)));
    // The shared dimension divided: a result for each group.
    let inner = inputs("[[4, 8], [8, 5], [3], [], []]", types, "");
    assert_eq!(numbers("aten::_grouped_mm", &inner), (2 * 4 * 8 * 5, 2 * (32 + 40 + 3 * 20)));
    let mismatched = inputs("[[8, 4], [3, 5, 5], [3], [], []]", types, "");
    assert_eq!(counted("aten::_grouped_mm", &mismatched), Err(NoModel::Mismatch));
}

#[test]
fn experts_count_the_chosen_ones_and_weights_once() {
    let sizes = Experts {
        tokens: 1,
        hidden: 8,
        inner: 4,
        experts: 16,
        chosen: 2,
        is_gated: true,
        input: DataType::Bf16,
        weights: DataType::F8,
        output: DataType::Bf16,
    };
    let one = mixture_of_experts(&sizes);
    // One token reaches exactly the experts that it chooses.
    assert_eq!((one.flops, one.bytes), (2 * 8 * 4 * 2 * 2 + 2 * 8 * 4 * 2 + 8 * 3, 16 + 2 * 8 * 4 * 3 + 16));
    assert_eq!((one.peak, one.note), (PeakClass::Bf16, Some(Note::ExpertsExpected)));
    let many = mixture_of_experts(&Experts { tokens: 100_000, ..sizes });
    assert_eq!(many.bytes, 100_000 * 32 + 16 * 8 * 4 * 3);
    let call = inputs(
        "[[1, 8], [16, 8, 8], [16, 8, 4], [1, 2], [1, 2]]",
        "['c10::BFloat16', 'c10::Float8_e4m3fn', 'c10::Float8_e4m3fn', 'float', 'int']",
        "",
    );
    assert_eq!(numbers("vllm::outplace_fused_experts", &call), (one.flops, one.bytes));
}

#[test]
fn convolutions_of_groups_count_channels_of_a_group() {
    let types =
        "['float', 'float', 'float', 'ScalarList', 'ScalarList', 'ScalarList', 'Scalar', 'ScalarList', 'Scalar']";
    let grouped = inputs(
        "[[2, 8, 10, 10], [12, 4, 3, 3], [12], [], [], [], [], [], []]",
        types,
        "['', '', '', '[1, 1]', '[1, 1]', '[1, 1]', 'False', '[0, 0]', '2']",
    );
    let out = 2 * 12 * 100;
    assert_eq!(numbers("aten::convolution", &grouped), (2 * out * 36 + out, 4 * (1600 + 432 + 12 + out)));
    // Transposed: 8 channels to 2 groups of 3, 10 to 2·9 − 2 + 2 + 1 + 1 = 20.
    let spread = inputs(
        "[[2, 8, 10, 10], [8, 3, 3, 3], [], [], [], [], [], [], []]",
        "['float', 'float', '', 'ScalarList', 'ScalarList', 'ScalarList', 'Scalar', 'ScalarList', 'Scalar']",
        "['', '', '', '[2, 2]', '[1, 1]', '[1, 1]', 'True', '[1, 1]', '2']",
    );
    assert_eq!(numbers("aten::convolution", &spread), (2 * 1600 * 27, 4 * (1600 + 216 + 2 * 6 * 400)));
    let library = inputs(
        "[[2, 8, 10, 10], [12, 4, 3, 3], [], [], [], []]",
        "['float', 'float', 'ScalarList', 'ScalarList', 'ScalarList', 'Scalar']",
        "['', '', '[1, 1]', '[2, 2]', '[1, 1]', '2']",
    );
    assert_eq!(numbers("aten::cudnn_convolution", &library).0, 2 * (2 * 12 * 25) * 36);
    let unknown = inputs("[[2, 8, 10, 10], [12, 4, 3, 3]]", "['float', 'float']", "");
    assert_eq!(counted("aten::cudnn_convolution", &unknown), Err(NoModel::NoValue { argument: 3 }));
}

#[test]
fn gradients_of_convolutions_follow_the_mask() {
    let of = |mask: &str| {
        let values = format!("['', '', '', '[12]', '[1, 1]', '[1, 1]', '[1, 1]', 'False', '[0, 0]', '2', '{mask}']");
        let types = "['float', 'float', 'float', 'ScalarList', 'ScalarList', 'ScalarList', 'ScalarList', 'Scalar', 'ScalarList', 'Scalar', 'ScalarList']";
        let dims = "[[2, 12, 10, 10], [2, 8, 10, 10], [12, 4, 3, 3], [], [], [], [], [], [], [], []]";
        numbers("aten::convolution_backward", &inputs(dims, types, &values))
    };
    // With two groups, torch multiplies by all input channels for the weight, twice too many.
    let (one, moved) = (2 * 2400 * 36, 4 * (2400 + 1600 + 432));
    assert_eq!(of("[True, True, False]"), (2 * one, 2 * moved));
    assert_eq!(of("[False, True, True]"), (one + 2400, moved + 4 * 12));
    assert_eq!(of("[False, False, True]"), (2400, 4 * (2400 + 12)));
    assert_eq!(of("[False, False, False]"), (0, 0));
}

#[test]
fn norms_count_elements_and_channels() {
    let layer = inputs(
        "[[4, 6, 8], [], [8], [8], []]",
        "['float', 'ScalarList', 'float', 'float', 'Scalar']",
        "['', '[8]', '', '', '1e-05']",
    );
    assert_eq!(numbers("aten::native_layer_norm", &layer), (5 * 192 + 48, 4 * (192 + 192 + 16)));
    let batch = |training: &str| {
        let values = format!("['', '', '', '', '', '{training}', '0.1', '1e-05']");
        let types = "['float', 'float', 'float', 'float', 'float', 'Scalar', 'Scalar', 'Scalar']";
        numbers("aten::native_batch_norm", &inputs("[[4, 6, 8], [6], [6], [6], [6], [], [], []]", types, &values))
    };
    assert_eq!(batch("True"), (5 * 192 + 36, 4 * (384 + 12)));
    assert_eq!(batch("False"), (2 * 192 + 36, 4 * (384 + 12 + 12)));
    let gradient = inputs(
        "[[4, 8], [4, 8], [], [4, 1], [4, 1], [8], [8], []]",
        "['float', 'float', 'ScalarList', 'float', 'float', 'float', 'float', 'ScalarList']",
        "",
    );
    assert_eq!(numbers("aten::native_layer_norm_backward", &gradient), (9 * 32, 4 * (96 + 24)));
    let root = inputs("[[4, 8], [4, 8], [8], []]", "['c10::Half', 'c10::Half', 'c10::Half', 'Scalar']", "");
    assert_eq!(numbers("_C::rms_norm", &root), (4 * 18 + 64, 2 * (64 + 8)));
    let plain = inputs("[[4, 8], [], [], []]", "['float', 'ScalarList', '', 'Scalar']", "['', '[8]', '', '1e-6']");
    assert_eq!(numbers("aten::_fused_rms_norm", &plain), (4 * 18 + 32, 4 * 64));
}

#[test]
fn elements_of_the_repeated_result_count() {
    let types = "['float', 'float', 'Scalar']";
    let add = inputs("[[4, 1, 8], [6, 1], []]", types, "['', '', '1']");
    assert_eq!(numbers("aten::add", &add), (192, 4 * (32 + 6 + 192)));
    let inplace = inputs("[[4, 6, 8], [8], []]", types, "['', '', '1']");
    assert_eq!(numbers("aten::add_", &inplace), (192, 4 * (192 + 8 + 192)));
    let compared = inputs("[[5], []]", "['long int', 'Scalar']", "['', '1']");
    assert_eq!(numbers("aten::eq", &compared), (5, 40 + 5));
    let mixed = inputs("[[5], [5]]", "['c10::Half', 'float']", "");
    assert_eq!(numbers("aten::mul", &mixed), (5, 10 + 20 + 20));
    let number = inputs("[[5], []]", "['c10::Half', 'double']", "");
    assert_eq!(numbers("aten::mul", &number), (5, 10 + 8 + 10));
    assert_eq!(counted("aten::mul", &inputs("[[5], [4]]", "['float', 'float']", "")), Err(NoModel::Mismatch));
    let masked = inputs("[[5], [5], []]", "['float', 'bool', 'Scalar']", "['', '', '1.1']");
    assert_eq!(numbers("aten::native_dropout_backward", &masked), (5, 20 + 5 + 20));
    let gated = inputs("[[3, 4], [3, 8]]", "['c10::BFloat16', 'c10::BFloat16']", "");
    assert_eq!(numbers("_C::silu_and_mul", &gated), (60, 2 * 36));
}

#[test]
fn reductions_keep_the_other_dimensions() {
    let types = "['float', 'ScalarList', 'Scalar', '']";
    let rows = inputs("[[4, 6], [], [], []]", types, "['', '[-1]', 'True', '']");
    assert_eq!(numbers("aten::sum", &rows), (24, 4 * (24 + 4)));
    let all = inputs("[[4, 6], []]", "['float', '']", "['', '']");
    assert_eq!(numbers("aten::mean", &all), (24, 4 * 25));
    let position = inputs("[[4, 6], [], []]", "['float', 'Scalar', 'Scalar']", "['', '0', 'False']");
    assert_eq!(numbers("aten::argmax", &position), (24, 96 + 48));
    assert_eq!(numbers("aten::max", &position), (24, 96 + 6 * 12));
    assert_eq!(numbers("aten::max", &inputs("[[4], [4]]", "['float', 'float']", "")), (4, 48));
    let spread = inputs("[[4, 6], [], [], []]", types, "['', '[0]', '', 'False']");
    assert_eq!(numbers("aten::var", &spread), (48, 4 * (24 + 6)));
}

#[test]
fn softmax_and_losses_count_classes() {
    let soft = inputs("[[4, 6], [], []]", "['c10::Half', 'Scalar', 'Scalar']", "['', '-1', 'True']");
    assert_eq!(numbers("aten::_softmax", &soft), (120, 48 + 96));
    let back = inputs("[[4, 6], [4, 6], [], []]", "['float', 'float', 'Scalar', 'Scalar']", "['', '', '1', '5']");
    assert_eq!(numbers("aten::_softmax_backward_data", &back), (96, 96 + 96 + 48));
    let types = "['float', 'long int', '', 'Scalar', 'Scalar']";
    let loss = inputs("[[4, 6], [4], [], [], []]", types, "['', '', '', '1', '-100']");
    assert_eq!(numbers("aten::nll_loss_forward", &loss), (4, 16 + 32 + 4));
    let entropy = work_of_leaf(&Call::new("aten::cross_entropy_loss", &loss)).unwrap();
    assert_eq!((entropy.flops, entropy.bytes), (120, 96 + 48));
}

#[test]
fn movements_count_bytes_only() {
    let copy = inputs("[[4, 6], [4, 6], []]", "['float', 'c10::Half', 'Scalar']", "");
    assert_eq!(numbers("aten::copy_", &copy), (0, 24 * 6));
    assert_eq!(numbers("aten::clone", &inputs("[[4], []]", "['float', 'Scalar']", "")), (0, 32));
    assert_eq!(numbers("aten::zero_", &inputs("[[4]]", "['float']", "")), (0, 16));
    let table = inputs("[[100, 8], [3, 2], [], [], []]", "['c10::Half', 'long int', 'Scalar', 'Scalar', 'Scalar']", "");
    assert_eq!(numbers("aten::embedding", &table), (0, 2 * 6 * 8 * 2 + 48));
    let back = inputs(
        "[[3, 2, 8], [3, 2], [], [], []]",
        "['float', 'long int', 'Scalar', 'Scalar', 'Scalar']",
        "['', '', '100', '-1', 'False']",
    );
    assert_eq!(numbers("aten::embedding_dense_backward", &back), (48, 192 + 48 + 3200));
    let rows = inputs("[[4, 5, 6], [], [9]]", "['float', 'Scalar', 'long int']", "['', '-2', '']");
    assert_eq!(numbers("aten::index_select", &rows), (0, 2 * 4 * (4 * 9 * 6) + 72));
    let lists = inputs("[[4, 5, 6], [[2, 1], [], [3]]]", "['float', ['long int', '', 'long int']]", "");
    assert_eq!(numbers("aten::index", &lists), (0, 2 * 4 * (6 * 5) + 8 * 5));
    let joined = inputs("[[[2, 3], [4, 3]], []]", "[['c10::Half', 'c10::Half'], 'Scalar']", "['', '0']");
    assert_eq!(numbers("aten::cat", &joined), (0, 2 * 2 * 18));
}

#[test]
fn lists_without_types_are_marked_as_bounds() {
    let joined = inputs("[[[2, 3], [4, 3]], []]", "['TensorList', 'Scalar']", "['', '0']");
    let found = counted("aten::cat", &joined).unwrap();
    assert_eq!((found.bytes, found.is_bound, found.note), (2 * 4 * 18, true, Some(Note::ListTypeUnknown)));
    let known = work(&Call { out_type: Some(DataType::Bf16), ..Call::new("aten::cat", &joined) }).unwrap();
    assert_eq!((known.bytes, known.is_bound), (2 * 2 * 18, false));
    assert_eq!(counted("aten::cat", &inputs("[[], []]", "['TensorList', 'Scalar']", "")), Err(NoModel::NoShapes));
}

#[test]
fn optimizers_move_each_state_as_often_as_they_use_it() {
    let floats = "['float', 'float']";
    let types = format!("[{floats}, {floats}, {floats}, {floats}, 'TensorList', {floats}, 'Scalar']");
    let lists = "[[[10], [2, 5]], [[10], [2, 5]], [[10], [2, 5]], [[10], [2, 5]], [], [[], []], []]";
    let adam = inputs(lists, &types, "");
    assert_eq!(numbers("aten::_fused_adamw_", &adam), (14 * 20, 28 * 20));
    assert_eq!(numbers("aten::_fused_adam_", &adam).0, 15 * 20);
    let two = inputs("[[[10]], [[10]], []]", "[['float'], ['float'], 'Scalar']", "");
    assert_eq!(numbers("aten::_foreach_add_", &two), (10, 4 * 30));
    assert_eq!(numbers("aten::_foreach_copy_", &two), (0, 4 * 20));
    assert_eq!(numbers("aten::_foreach_norm", &two), (20, 40));
}

#[test]
fn fused_kernels_count_the_operators_of_their_name() {
    let types = "['float', 'float', 'float', 'Scalar']";
    let pointwise = inputs("[[10, 10], [10, 10], [10, 10], []]", types, "['', '', '', '100']");
    let found = counted("triton_poi_fused_add_cos_sin_0", &pointwise).unwrap();
    assert_eq!((found.flops, found.bytes, found.family), (900, 1200, Family::Fused));
    // A table of which 100 elements are read at most.
    let table = inputs("[[1000, 64], [100], []]", "['float', 'float', 'Scalar']", "['', '', '100']");
    assert_eq!(numbers("triton_poi_fused_embedding_mul_3", &table), (100, 800));
    let types = "['float', 'float', 'Scalar', 'Scalar']";
    let reduced = inputs("[[8, 16], [8], [], []]", types, "['', '', '8', '16']");
    assert_eq!(numbers("triton_red_fused_sum_2", &reduced), (128, 4 * 136));
    let unknown = counted("triton_per_fused__softmax_2", &inputs("[[8, 16]]", "['float']", "")).unwrap();
    assert_eq!((unknown.flops, unknown.is_bound, unknown.note), (640, true, Some(Note::SizeUnknown)));
    assert_eq!(counted("triton_tem_fused_mm_2", &reduced), Err(NoModel::UnknownName));
}
