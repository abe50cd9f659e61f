//! A comparison with the roles of control and test exchanged.

use super::answer::{Answer, Change};
use super::quantity::Quantity;
use crate::effect::shift::Shift;
use crate::many::controls::Controls;
use crate::numbers::interval::Interval;

/// The quantities with exchanged roles.
pub(crate) fn quantities(quantities: &[Quantity]) -> Vec<Quantity> {
    let exchange = |quantity: &Quantity| {
        let (control, test) = (quantity.test.clone(), quantity.control.clone());
        Quantity { control, test, ..*quantity }
    };
    quantities.iter().map(exchange).collect()
}

/// The answer with exchanged roles.
pub(crate) fn answer(answer: Answer) -> Answer {
    let controls = |controls: Controls| Controls {
        centre: -controls.centre,
        common_factor: controls.common_factor.map(|factor| 1.0 / factor),
        ..controls
    };
    Answer {
        samples: [answer.samples[1], answer.samples[0]],
        gpu: answer.gpu.map(controls),
        host: answer.host.map(controls),
        changes: answer.changes.into_iter().map(change).collect(),
        ..answer
    }
}

fn change(change: Change) -> Change {
    let negative = |interval: Interval| Interval { low: -interval.high, high: -interval.low, ..interval };
    let inverse = |interval: Interval| Interval { low: 1.0 / interval.high, high: 1.0 / interval.low, ..interval };
    Change {
        control: change.test,
        test: change.control,
        difference: -change.difference,
        interval: change.interval.map(negative),
        shift: change.shift.map(|shift| Shift { estimate: -shift.estimate, interval: negative(shift.interval) }),
        ratio: change.ratio.map(|ratio| Shift { estimate: 1.0 / ratio.estimate, interval: inverse(ratio.interval) }),
        superiority: change.superiority.map(|share| 1.0 - share),
        effective: [change.effective[1], change.effective[0]],
        verdict: change.verdict.mirrored(),
        ..change
    }
}
