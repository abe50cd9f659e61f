//! Reasons for which a parameter of an analysis or query is refused.

/// Why a parameter of an analysis or query is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterReason {
    /// The analysis has no such parameter.
    #[error("unknown parameter `{name}`")]
    Unknown {
        /// The parameter.
        name: String,
    },
    /// The parameter must be given.
    #[error("missing {name}: expected {expected}")]
    Missing {
        /// The parameter.
        name: &'static str,
        /// What is accepted.
        expected: &'static str,
    },
    /// The parameter has a value that the analysis does not accept.
    #[error("invalid {name} `{value}`: expected {expected}")]
    Invalid {
        /// The parameter.
        name: &'static str,
        /// The value.
        value: String,
        /// What is accepted.
        expected: String,
    },
    /// The query does not have this setting.
    #[error("cannot select by {name}; leave it out")]
    NotSelectable {
        /// The setting.
        name: &'static str,
    },
    /// A value has the wrong type: serde_json's message.
    #[error("{0}")]
    Type(String),
}
