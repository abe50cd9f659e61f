//! Counts of attention, computed by hand on small shapes.

use crate::shared::{counted, inputs, numbers};
use efficiency::{
    Call, DataType, NoModel, Note, Operands, RequestSums, ServedHeads, Sums, served_attention, work, work_of_leaf,
};

fn flash(queries: u64, keys: u64, is_causal: bool) -> Operands {
    let dims = format!("[[2, 6, {queries}, 8], [2, 3, {keys}, 8], [2, 3, {keys}, 8], [], [], [], []]");
    let causal = if is_causal { "True" } else { "False" };
    let types = "['c10::Half', 'c10::Half', 'c10::Half', 'Scalar', 'Scalar', 'Scalar', 'Scalar']";
    inputs(&dims, types, &format!("['', '', '', '0.', '{causal}', 'False', '']"))
}

const FLASH: &str = "aten::_scaled_dot_product_flash_attention";

#[test]
fn each_pair_of_query_and_key_costs_two_products() {
    let found = numbers(FLASH, &flash(5, 7, false));
    assert_eq!(found, (2 * 2 * 6 * 35 * 16, 2 * 2 * (5 * 6 * 16 + 7 * 3 * 16)));
    let outer = "aten::scaled_dot_product_attention";
    let types = "['c10::Half', 'c10::Half', 'c10::Half', '', 'Scalar', 'Scalar', '', 'Scalar']";
    let dims = "[[2, 6, 5, 8], [2, 3, 7, 8], [2, 3, 7, 8], [], [], [], [], []]";
    let values = "['', '', '', '', '0.', 'False', '', 'True']";
    let operands = inputs(dims, types, values);
    assert_eq!(counted(outer, &operands), Err(NoModel::Composite));
    assert_eq!(work_of_leaf(&Call::new(outer, &operands)).unwrap().flops, found.0);
}

#[test]
fn causal_attention_is_aligned_by_the_name() {
    // 5 queries, 7 keys: 1 + 2 + 3 + 4 + 5 pairs from the first, 3 + 4 + 5 + 6 + 7 up to the last.
    let first = counted(FLASH, &flash(5, 7, true)).unwrap();
    assert_eq!((first.flops, first.note), (2 * 2 * 6 * 15 * 16, Some(Note::CausalTopLeft)));
    let types = "['c10::Half', 'c10::Half', 'c10::Half', 'Scalar', 'Scalar', 'Scalar', 'Scalar', 'Scalar']";
    let dims = "[[2, 5, 6, 8], [2, 7, 3, 8], [2, 7, 3, 8], [], [], [], [], []]";
    let window = |left: i64| inputs(dims, types, &format!("['', '', '', '0.', '1.', 'True', '{left}', '0']"));
    let name = "flash_attn::_flash_attn_forward";
    let last = counted(name, &window(-1)).unwrap();
    assert_eq!((last.flops, last.note), (2 * 2 * 6 * 25 * 16, Some(Note::CausalEnd)));
    // Of each query, three keys at most.
    assert_eq!(numbers(name, &window(2)).0, 2 * 2 * 6 * 15 * 16);
    let both = inputs(dims, types, "['', '', '', '0.', '1.', 'False', '2', '2']");
    let both = counted(name, &both).unwrap();
    assert_eq!((both.flops, both.is_bound), (2 * 2 * 6 * 35 * 16, true));
}

#[test]
fn packed_sequences_are_a_bound_until_lengths_are_known() {
    let types = "['c10::Half', 'c10::Half', 'c10::Half', 'int', 'int', 'Scalar', 'Scalar', 'Scalar', 'Scalar', 'Scalar', 'Scalar', 'Scalar']";
    let dims = "[[9, 6, 8], [9, 3, 8], [9, 3, 8], [4], [4], [], [], [], [], [], [], []]";
    let values = "['', '', '', '', '', '5', '5', '0.', '1.', 'False', '-1', '-1']";
    let operands = inputs(dims, types, values);
    let call = Call::new("flash_attn::_flash_attn_varlen_forward", &operands);
    let bound = work(&call).unwrap();
    // Of three sequences of up to 5 of 9: at most 9·5 pairs.
    assert_eq!((bound.flops, bound.note), (2 * 6 * 45 * 16, Some(Note::LengthsUnknown)));
    let lengths = [[5, 5], [3, 3], [1, 1]];
    let exact = work(&Call { lengths: &lengths, ..call }).unwrap();
    assert_eq!((exact.flops, exact.is_bound), (2 * 6 * (25 + 9 + 1) * 16, false));
    assert!(exact.flops <= bound.flops && exact.bytes == bound.bytes);
}

#[test]
fn gradients_of_attention_cost_five_products() {
    let types =
        "['c10::Half', 'c10::Half', 'c10::Half', 'c10::Half', 'c10::Half', 'float', 'Scalar', 'Scalar', '', '']";
    let dims = "[[2, 6, 5, 8], [2, 6, 5, 8], [2, 6, 7, 8], [2, 6, 7, 8], [2, 6, 5, 8], [2, 6, 5], [], [], [], []]";
    let values = "['', '', '', '', '', '', '0.', 'False', '', '']";
    let name = "aten::_scaled_dot_product_flash_attention_for_cpu_backward";
    let elements = 2 * 6 * 8 * (5 + 7 + 7) * 2 + 2 * 2 * 6 * 5 * 8;
    assert_eq!(numbers(name, &inputs(dims, types, values)), (2 * 2 * 6 * 35 * 40, 2 * elements + 4 * 60));
    // Two heads of queries share one of keys: its gradient is a sum of two.
    let shared = dims.replace("[2, 6, 7, 8]", "[2, 3, 7, 8]");
    assert_eq!(numbers(name, &inputs(&shared, types, values)).0, 2 * 2 * 6 * 35 * 40 + 2 * 7 * 16 * 3);
}

const HEADS: ServedHeads = ServedHeads {
    query_heads: 8,
    key_heads: 2,
    width: 16,
    value_width: 16,
    has_shared_values: false,
    window: None,
    element: DataType::Bf16,
    cache: DataType::F8,
};

/// The sums of requests, of queries and keys each.
fn sums(requests: &[[u64; 2]]) -> RequestSums {
    requests.iter().fold(RequestSums::default(), |sums, &[q, k]| RequestSums {
        queries: sums.queries + q,
        keys: sums.keys + k,
        queries_squared: sums.queries_squared + q * q,
        queries_by_keys: sums.queries_by_keys + q * k,
    })
}

#[test]
fn served_attention_counts_each_request_exactly() {
    let (context, generation) = ([[4, 4], [3, 10]], [[1, 50], [1, 20]]);
    let found = served_attention(&HEADS, &Sums { context: sums(&context), generation: sums(&generation) });
    let pairs = (1 + 2 + 3 + 4) + (8 + 9 + 10) + 50 + 20;
    assert_eq!(found.flops, 2 * 8 * pairs * 32);
    // Queries and results, new keys and values of 9 tokens in 2 bytes; 75 old ones in 1.
    assert_eq!(found.bytes, 9 * (8 + 2) * 32 * 2 + 75 * 2 * 32);
    let windowed = served_attention(
        &ServedHeads { window: Some(9), ..HEADS },
        &Sums { generation: sums(&generation), ..Sums::default() },
    );
    assert_eq!((windowed.flops, windowed.bytes), (2 * 8 * 20 * 32, 2 * 10 * 32 * 2 + 18 * 2 * 32));
}

#[test]
fn latent_attention_reads_its_cache_once() {
    let latent = ServedHeads {
        query_heads: 128,
        key_heads: 1,
        width: 576,
        value_width: 512,
        has_shared_values: true,
        cache: DataType::Bf16,
        ..HEADS
    };
    let found = served_attention(&latent, &Sums { generation: sums(&[[1, 1001]]), ..Sums::default() });
    assert_eq!(found.flops, 2 * 128 * 1001 * (576 + 512));
    assert_eq!(found.bytes, 2 * (128 * (576 + 512) + 576) + 1000 * 576 * 2);
}

#[test]
fn served_operators_need_the_sums_of_their_batch() {
    let types = "['c10::BFloat16', 'c10::BFloat16', 'c10::BFloat16', 'c10::BFloat16']";
    let operands = inputs("[[2, 8, 16], [2, 2, 16], [2, 2, 16], [2, 8, 16]]", types, "");
    let call = Call::new("vllm::unified_attention_with_output", &operands);
    assert_eq!(work(&call), Err(NoModel::NoSums));
    let generation = sums(&[[1, 50], [1, 20]]);
    let found = work(&Call { sums: Some(Sums { generation, ..Sums::default() }), ..call }).unwrap();
    assert_eq!(found.flops, 2 * 8 * 70 * 32);
}
