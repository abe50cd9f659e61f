//! A notebook without a front end and without a compiler.

#![allow(clippy::unwrap_used)]
use crate::Failure;
use crate::cell::segments;
use crate::display::{Output, Sink};
use crate::magic::{Context, run};
use crate::session::{Binding, Cells, Session, Variable};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use trace::polars::prelude::DataFrame;

/// Session, fake worker process and recording sink.
#[derive(Default)]
pub(super) struct Notebook {
    pub(super) session: Session,
    pub(super) cells: FakeCells,
    pub(super) sink: Arc<RecordingSink>,
}

/// A worker process that stores bindings and answers with prepared texts.
#[derive(Default)]
pub(super) struct FakeCells {
    pub(super) bound: BTreeMap<String, Binding>,
    /// Values of expressions.
    pub(super) texts: BTreeMap<&'static str, &'static str>,
    /// Whether a magic requested optimisation.
    pub(super) optimised: bool,
}

/// A sink that records outputs.
#[derive(Default)]
pub(super) struct RecordingSink {
    outputs: Mutex<Vec<Output>>,
    pub(super) interrupted: AtomicBool,
}

impl Notebook {
    /// Runs the magics of a cell; returns their outputs.
    pub(super) fn outputs(&mut self, code: &str) -> Result<Vec<Output>, Failure> {
        let out: Arc<dyn Sink> = self.sink.clone();
        self.sink.outputs.lock().unwrap().clear();
        for segment in segments(code) {
            run(segment, &mut Context { session: &mut self.session, cells: &mut self.cells, out: &out })?;
        }
        Ok(std::mem::take(&mut self.sink.outputs.lock().unwrap()))
    }

    /// Returns the outputs of a cell as plain text, each ending with a newline.
    pub(super) fn text(&mut self, code: &str) -> String {
        let outputs = self.outputs(code).unwrap_or_else(|failure| panic!("{code}: {failure:?}"));
        outputs.iter().map(|output| format!("{}\n", plain(output).trim_end())).collect()
    }

    /// Returns the error of a cell, as the notebook prints it.
    pub(super) fn error(&mut self, code: &str) -> String {
        match self.outputs(code) {
            Ok(outputs) => panic!("{code}: no error, but {outputs:?}"),
            Err(failure) => {
                assert!(failure.traceback.len() <= 6, "{failure:?}");
                assert_eq!(failure.traceback.join("\n"), format!("{}: {}", failure.ename, failure.evalue));
                format!("{}: {}", failure.ename, failure.evalue)
            }
        }
    }

    /// Binds a variable to a frame.
    pub(super) fn with_frame(mut self, name: &str, df: DataFrame) -> Self {
        self.cells.bind(name, Binding::Frame(df));
        self
    }

    /// Returns the frame in a variable.
    pub(super) fn frame(&self, name: &str) -> &DataFrame {
        match self.cells.bound.get(name) {
            Some(Binding::Frame(df)) => df,
            _ => panic!("{name} is not a frame"),
        }
    }
}

pub(super) fn plain(output: &Output) -> String {
    match output {
        Output::Stdout(text) | Output::Stderr(text) => text.clone(),
        Output::Display { bundle, .. }
        | Output::Update { bundle, .. }
        | Output::Result(bundle)
        | Output::Page(bundle) => bundle.plain().to_owned(),
        Output::Clear { .. } => String::new(),
    }
}

impl Cells for FakeCells {
    fn bind(&mut self, name: &str, value: Binding) {
        self.bound.insert(name.to_owned(), value);
    }

    fn unbind(&mut self, name: &str) {
        self.bound.remove(name);
    }

    fn frame(&mut self, expr: &str) -> Result<DataFrame, Failure> {
        match self.bound.get(expr) {
            Some(Binding::Frame(df)) => Ok(df.clone()),
            _ => Err(Failure::new("CompileError", format!("{expr} is not a data frame"))),
        }
    }

    fn text(&mut self, expr: &str) -> Result<String, Failure> {
        let text = self.texts.get(expr).copied();
        text.map(str::to_owned).ok_or_else(|| Failure::new("CompileError", format!("cannot find value `{expr}`")))
    }

    fn optimise(&mut self, on: bool) {
        self.optimised = on;
    }

    fn variables(&self) -> Vec<Variable> {
        let type_name = |value: &Binding| match value {
            Binding::Trace(_) => "TraceSet",
            Binding::Frame(_) => "DataFrame",
            Binding::OpsDiff(_) => "OpsDiff",
        };
        let variable = |(name, value): (&String, &Binding)| Variable {
            name: name.clone(),
            type_name: type_name(value).to_owned(),
        };
        self.bound.iter().map(variable).collect()
    }
}

impl Sink for RecordingSink {
    fn emit(&self, output: Output) {
        self.outputs.lock().unwrap().push(output);
    }

    fn input(&self, _: &str, _: bool) -> Result<String, Failure> {
        Err(Failure::new("StdinNotImplementedError", "no input in tests"))
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
