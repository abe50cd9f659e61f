//! trace-testkit
