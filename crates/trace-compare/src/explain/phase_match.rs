//! Match of the iterations of an explanation: phases, and request shapes.

use super::phases::ShapeMatch;
use crate::phases::{PhaseChoice, PhaseSteps};

/// How iterations of different phases or request shapes were matched.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PhaseMatch {
    /// All phases, that with the most iterations first; empty if there is one.
    pub phases: Vec<PhaseSteps>,
    /// Position of the phase that is compared; `None` if the mean is over all.
    pub compared: Option<usize>,
    /// Iterations that take part, of control and of test.
    pub retained: [usize; 2],
    /// All iterations that could.
    pub of: [usize; 2],
    /// Property by which iterations of both sides are matched.
    pub by: MatchedBy,
}

/// Property by which iterations of both sides are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MatchedBy {
    /// Names of their annotations, with the shapes of requests.
    Shape,
    /// Names of their annotations, whose shapes of requests differ.
    Phase,
    /// Kernels and times.
    Structure,
}

impl MatchedBy {
    /// Returns the words of the document.
    pub fn words(self) -> &'static str {
        match self {
            Self::Shape => "phase and request shape",
            Self::Phase => "phase",
            Self::Structure => "structure",
        }
    }
}

impl PhaseMatch {
    /// Joins the choice of a phase with the match of request shapes in it; `None` without either.
    pub(super) fn of(choice: Option<PhaseChoice>, shapes: Option<ShapeMatch>) -> Option<Self> {
        let by = |shapes: ShapeMatch| if shapes.by_shape { MatchedBy::Shape } else { MatchedBy::Phase };
        let Some(PhaseChoice { phases, compared, is_named, .. }) = choice else {
            let shapes = shapes?;
            let ShapeMatch { retained, of, .. } = shapes;
            return Some(Self { phases: Vec::new(), compared: None, retained, of, by: by(shapes) });
        };
        let of = [0, 1].map(|side| phases.iter().map(|phase| phase.iterations[side]).sum());
        let retained = shapes.map_or(phases[compared].iterations, |shapes| shapes.retained);
        let usual = if is_named { MatchedBy::Shape } else { MatchedBy::Structure };
        Some(Self { phases, compared: Some(compared), retained, of, by: shapes.map_or(usual, by) })
    }

    /// The phase that is compared.
    pub fn compared(&self) -> Option<&PhaseSteps> {
        self.phases.get(self.compared?)
    }
}
