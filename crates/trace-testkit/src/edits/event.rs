//! Events of a trace file with their times as integers.

use serde_json::{Number, Value};

/// Role of an event in the edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Operator.
    Operator,
    /// Annotation of the user.
    Annotation,
    /// Frame of a module or of Python.
    Stack,
    /// Runtime or driver call.
    Call,
    /// Work on a GPU.
    Gpu,
    /// Flow, metadata, instant, span.
    Other,
}

/// Precision of the times of a trace file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Microsecond,
    Nanosecond,
}

impl Unit {
    pub(super) fn of(events: &[Value]) -> Self {
        let whole = |value: Option<&Value>| value.and_then(Value::as_f64).is_none_or(|number| number.fract() == 0.0);
        let is_whole = events.iter().all(|event| whole(event.get("ts")) && whole(event.get("dur")));
        if is_whole { Self::Microsecond } else { Self::Nanosecond }
    }
}

/// One event.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) value: Value,
    pub(super) role: Role,
    /// Begin and end in ns; 0 without a time.
    pub(super) start: i64,
    pub(super) end: i64,
    /// Positions in the original.
    pub(super) origins: Vec<u32>,
}

impl Event {
    pub(super) fn of(value: Value, at: u32) -> Self {
        let ns = |name: &str| match value.get(name) {
            // Not as a float: a whole number of ns since 1970 does not fit one.
            Some(time) if time.is_i64() => time.as_i64().unwrap_or(0) * 1000,
            time => (time.and_then(Value::as_f64).unwrap_or(0.0) * 1e3).round() as i64,
        };
        let (start, dur) = (ns("ts"), ns("dur"));
        let is_complete = value.get("ph").and_then(Value::as_str) == Some("X") && value.get("ts").is_some();
        let role = match value.get("cat").and_then(Value::as_str).unwrap_or("") {
            _ if !is_complete => Role::Other,
            "cpu_op" | "Operator" => Role::Operator,
            "user_annotation" => Role::Annotation,
            "python_function" => Role::Stack,
            "kernel" | "Kernel" | "gpu_memcpy" | "gpu_memset" | "Memcpy" | "Memset" => Role::Gpu,
            cat if cat.ends_with("_runtime") || cat.ends_with("_driver") || cat == "Runtime" => Role::Call,
            _ => Role::Other,
        };
        Self { value, role, start, end: start + dur.max(0), origins: vec![at] }
    }

    pub(super) fn is_host(&self) -> bool {
        !matches!(self.role, Role::Gpu | Role::Other)
    }

    pub(super) fn name(&self) -> &str {
        self.value.get("name").and_then(Value::as_str).unwrap_or("")
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.value[name] = value.into();
    }

    pub(super) fn correlation(&self) -> Option<i64> {
        self.value.get("args").and_then(|args| args.get("correlation")).and_then(Value::as_i64)
    }

    /// Process and thread as texts: some files write names.
    pub(super) fn thread(&self) -> (String, String) {
        let text = |name: &str| self.value.get(name).map_or(String::new(), Value::to_string);
        (text("pid"), text("tid"))
    }

    pub(super) fn shift(&mut self, ns: i64) {
        self.start += ns;
        self.end += ns;
    }

    /// Returns the event with its times written back.
    pub(super) fn into_value(self, unit: Unit) -> Value {
        let mut value = self.value;
        let number = |ns: i64| match unit {
            Unit::Microsecond => Number::from(ns.div_euclid(1000)),
            Unit::Nanosecond => Number::from_f64(ns as f64 / 1e3).unwrap_or_else(|| Number::from(0)),
        };
        let whole = |ns: i64| if unit == Unit::Microsecond { ns.div_euclid(1000) * 1000 } else { ns };
        if value.get("ts").is_some() {
            value["ts"] = Value::Number(number(self.start));
        }
        if value.get("dur").is_some() {
            // Both ends are rounded alike, or rounding would change the nesting.
            value["dur"] = Value::Number(number(whole(self.end) - whole(self.start)));
        }
        value
    }
}
