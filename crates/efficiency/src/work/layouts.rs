//! The order of arguments of operators.

use super::attention::{self, CausalArgument, Order};
use super::convolution::{self, Transposed};
use super::matmul;
use super::optimizer::{self, is_read, is_updated};

pub(super) const fn product(a: usize, b: usize, rest: &'static [usize]) -> matmul::Layout {
    matmul::Layout { a, b, is_transposed: false, rest, out_type: None }
}

pub(super) const fn convolved(arguments: [usize; 3], bias: Option<usize>, groups: usize) -> convolution::Layout {
    let [stride, padding, dilation] = arguments;
    let dilation = Some(dilation);
    convolution::Layout { bias, stride, padding, dilation, transposed: Transposed::No, output_padding: None, groups }
}

pub(super) const fn spread(
    arguments: [usize; 3],
    bias: Option<usize>,
    output_padding: usize,
    groups: usize,
) -> convolution::Layout {
    let output_padding = Some(output_padding);
    convolution::Layout { transposed: Transposed::Yes, output_padding, ..convolved(arguments, bias, groups) }
}

pub(super) const GENERAL: convolution::Layout = convolution::Layout {
    bias: Some(2),
    stride: 3,
    padding: 4,
    dilation: Some(5),
    transposed: Transposed::At(6),
    output_padding: Some(7),
    groups: 8,
};

pub(super) const fn batch_first(inputs: [usize; 3], causal: usize, bias: Option<usize>) -> attention::Layout {
    let causal = CausalArgument::TopLeft(causal);
    attention::Layout { inputs, order: Order::HeadsFirst, causal, ends: None, longest: None, window: None, bias }
}

pub(super) const fn packed(
    inputs: [usize; 3],
    causal: CausalArgument,
    ends: [usize; 2],
    window: Option<[usize; 2]>,
) -> attention::Layout {
    let longest = Some([ends[0] + 2, ends[1] + 2]);
    attention::Layout { inputs, order: Order::LengthFirst, causal, ends: Some(ends), longest, window, bias: None }
}

pub(super) const fn dense(inputs: [usize; 3], causal: usize, window: [usize; 2]) -> attention::Layout {
    let causal = CausalArgument::End(causal);
    let (ends, longest, window) = (None, None, Some(window));
    attention::Layout { inputs, order: Order::LengthFirst, causal, ends, longest, window, bias: None }
}

pub(super) const ADAM: &[optimizer::StateList] =
    &[is_updated(0), is_read(1), is_updated(2), is_updated(3), is_updated(4)];
