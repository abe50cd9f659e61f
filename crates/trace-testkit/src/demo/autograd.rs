//! Autograd: forward operators write a tape; the backward pass reads it in reverse, on a thread of its own.

use super::event::Phase;
use super::machine::{Machine, Tensor};
use super::training::gradient_is_complete;

/// The gradient of a forward operator.
#[derive(Clone, Copy)]
pub(super) struct Gradient {
    /// The name of the node, `MmBackward0`.
    pub(super) node: &'static str,
    /// The name of the engine's event around the node.
    pub(super) evaluated: &'static str,
    /// The work of the node.
    pub(super) run: fn(&mut Machine),
    /// The number of parameters whose gradients the node completes.
    pub(super) parameters: u64,
}

/// Declares a gradient with the names of its node and of the engine's event.
macro_rules! gradient {
    ($node:literal, $parameters:expr, $run:expr) => {
        $crate::demo::autograd::Gradient {
            node: $node,
            evaluated: concat!("autograd::engine::evaluate_function: ", $node),
            run: $run,
            parameters: $parameters,
        }
    };
}
pub(super) use gradient;

/// An entry of the tape.
pub(super) struct Tape {
    gradient: Gradient,
    sequence: u64,
    arrow: u64,
}

const ACCUMULATE: Gradient = gradient!("torch::autograd::AccumulateGrad", 0, |_| {});

impl Machine {
    /// Runs an operator and records its gradient on the tape.
    pub(super) fn differentiable(
        &mut self,
        name: &'static str,
        inputs: &[Tensor],
        nanos: u64,
        gradient: Gradient,
        body: impl FnOnce(&mut Self),
    ) {
        self.sequence += 1;
        self.arrows += 1;
        let (sequence, arrow) = (self.sequence, self.arrows);
        self.arrow(Phase::FlowStart(arrow));
        self.span("cpu_op", name.into(), inputs, Some((sequence, 0)), nanos, body);
        self.tape.push(Tape { gradient, sequence, arrow });
    }

    /// Runs the backward pass on the engine's thread, while the calling thread waits.
    pub(super) fn backward(&mut self) {
        let caller = self.thread;
        self.thread = caller + 1_207;
        self.spend(38_000);
        while let Some(entry) = self.tape.pop() {
            self.evaluate(entry.gradient, Some((entry.sequence, entry.arrow)));
            for _ in 0..entry.gradient.parameters {
                self.evaluate(ACCUMULATE, None);
            }
        }
        self.spend(21_000);
        self.thread = caller;
    }

    fn evaluate(&mut self, gradient: Gradient, forward: Option<(u64, u64)>) {
        let sequence = forward.map(|(sequence, _)| (sequence, 1));
        self.span("cpu_op", gradient.evaluated.into(), &[], sequence, 6_000, |machine| {
            if let Some((_, arrow)) = forward {
                machine.arrow(Phase::FlowEnd(arrow));
            }
            machine.span("cpu_op", gradient.node.into(), &[], sequence, 5_000, gradient.run);
            if forward.is_none() {
                gradient_is_complete(machine);
            }
        });
        self.spend(2_500);
    }
}
