//! Critical paths: bounds of the steps of a recording, savings of changes, and their difference between runs.

#![deny(missing_docs)]

pub mod bounds;
pub mod critical_path;

pub use bounds::{BoundChange, ClassBound, RegionBound};
pub use critical_path::{BoundWindow, CriticalPath, CriticalPathAnswer, Instance, SHORT_FORMS, TimeChange, WhatIf};

use trace_base::{Compat, Error, Result, domain, error, exec, interval, stats};
use trace_compare::{Explain, Explanation, SelectEvents};
use trace_data::{RankInfo, Trace, TraceSet, frame, present, write};
use trace_events::{FoundSteps, callstack, collective, companion, filter};
