//! Names that mark iterations: `ProfilerStep#N`.

/// What an event's name says about the iteration that it marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepName {
    /// Not a profiler step.
    Other,
    /// `ProfilerStep#N`.
    Number(i64),
    /// Starts with `ProfilerStep` but has no number.
    Unnumbered,
}

impl StepName {
    /// Whether an event of this name is a step. It is an annotation whatever its category: in 2021, Kineto wrote annotations as operators.
    pub fn is_step(name: &str) -> bool {
        Self::of(name) != Self::Other
    }

    /// Parses a name; white space around the `#` is allowed.
    pub fn of(name: &str) -> Self {
        let Some(rest) = name.strip_prefix("ProfilerStep") else { return Self::Other };
        let Some(rest) = rest.trim_start().strip_prefix('#') else { return Self::Unnumbered };
        let rest = rest.trim_start();
        let digits = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        rest[..digits].parse().map_or(Self::Unnumbered, Self::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn step_numbers_are_parsed_from_names() {
        assert_eq!(StepName::of("ProfilerStep#1009"), StepName::Number(1009));
        assert_eq!(StepName::of("ProfilerStep # 5"), StepName::Number(5));
        assert_eq!(StepName::of("ProfilerStep#7 (warm-up)"), StepName::Number(7));
        assert_eq!(StepName::of("ProfilerStep*"), StepName::Unnumbered);
        assert_eq!(StepName::of("ProfilerStep#"), StepName::Unnumbered);
        assert_eq!(StepName::of("aten::mm"), StepName::Other);
    }
}
