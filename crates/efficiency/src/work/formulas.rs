//! Formulas as text: operations, bytes, and the section of the page of models that derives them.

pub(super) const MM: [&str; 3] = ["2MNK", "MK·e_a + KN·e_b + MN·e_o (+ bias)", "products"];
pub(super) const SCALED: [&str; 3] = ["2MNK", "MK·e_a + KN·e_b + MN·e_o + scales (+ bias)", "products"];
pub(super) const BMM: [&str; 3] = ["2BMNK", "B(MK·e_a + KN·e_b + MN·e_o)", "products"];
pub(super) const GROUPED: [&str; 3] =
    ["2MNK, M or N or K of all groups", "numel of X, W and result, each · e", "groups"];
pub(super) const MOE: [&str; 3] =
    ["2THIkg + 2THIk + TH(2k − 1)", "TH·e_in + E′HI(g + 1)·e_w + TH·e_o, E′ = E(1 − ((E − k)/E)^T)", "experts"];
pub(super) const CONV: [&str; 3] =
    ["2·numel(out)·prod(w[1:]) (+ numel(out) bias)", "(numel(x) + numel(w) + numel(out))·e (+ bias)", "convolutions"];
pub(super) const SPREAD: [&str; 3] =
    ["2·numel(x)·prod(w[1:]) (+ numel(out) bias)", "(numel(x) + numel(w) + numel(out))·e (+ bias)", "convolutions"];
pub(super) const CONV_BACK: [&str; 3] = [
    "2·numel(g)·prod(w[1:]) for dx, the same for dW, numel(g) for the bias; transposed: numel(x) in place of numel(g)",
    "(numel(g) + numel(w) + numel(x))·e for dx, the same for dW",
    "convolutions",
];
pub(super) const ATTENTION: [&str; 3] = [
    "2·H_Q·S·(d + d_v), S pairs of all sequences",
    "(N_Q·H_Q + N_KV·H_KV)(d + d_v)·e of all sequences (+ bias)",
    "attention",
];
pub(super) const ATTENTION_BACK: [&str; 3] = [
    "2·H_Q·S·(3d + 2d_v) + N_KV(d + d_v)(H_Q/H_KV − 1)H_KV of all sequences",
    "2(q + k + v) + out + its gradient + 4·N_Q·H_Q of all sequences",
    "attention backward",
];
pub(super) const SERVED: [&str; 3] = [
    "2·H_Q·S·(d + d_v), S = Σsqsk − (Σsqsq − Σsq)/2",
    "Σsq(H_Q + H_KV)(d + d_v)·e + (Σsk − Σsq)H_KV(d + d_v)·e_kv",
    "served attention",
];
pub(super) const NORM: [&str; 3] = ["5n + 6C; 2n + 6C without statistics", "2n·e + weights", "norms"];
pub(super) const NORM_BACK: [&str; 3] = ["9n", "3n·e + 3 weights", "norms"];
pub(super) const RMS: [&str; 3] =
    ["rows(2C + 2) + n, + n with weight, + n with residual", "2n·e + C·e (+ 2n·e residual)", "norms"];
pub(super) const RMS_BACK: [&str; 3] = ["8n, 10n with weight", "3n·e + 2C·e", "norms"];
pub(super) const POINT: [&str; 3] = ["n of the result", "Σ numel·e of the inputs + n·e_o", "elementwise"];
pub(super) const FOREACH: [&str; 3] = ["n of the first list", "Σ numel·e of the lists + n·e", "elementwise"];
pub(super) const FOREACH_NORM: [&str; 3] = ["2n of the list", "Σ numel·e of the list", "reductions"];
pub(super) const GATE: [&str; 3] = ["5n of the result", "2n·e + n·e_o", "elementwise"];
pub(super) const ROPE: [&str; 3] = ["3n", "2n·e", "elementwise"];
pub(super) const REDUCE: [&str; 3] = ["n of the input", "n·e + result", "reductions"];
pub(super) const REDUCE_2: [&str; 3] = ["2n of the input", "n·e + result", "reductions"];
pub(super) const SOFTMAX: [&str; 3] = ["5n", "n·e + n·e_o", "softmax"];
pub(super) const SOFTMAX_BACK: [&str; 3] = ["4n", "2n·e + n·e_o", "softmax"];
pub(super) const MOVED: [&str; 3] = ["0", "bytes read + bytes written", "movement"];
pub(super) const ADDED: [&str; 3] = ["numel of the gradient", "gradient + indices + table", "movement"];
