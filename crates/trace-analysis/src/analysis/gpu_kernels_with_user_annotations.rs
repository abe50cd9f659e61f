//! The user annotation around each GPU event.

use super::listed::{AnswerFiles, Listed};
use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, ParameterKind, RankView, TableSchema, nothing_on};
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use crate::interval::{Span, innermost};
use crate::present::{Field, answer_frame, declared};
use crate::{Compat, Result, shorten_name};
use hashbrown::HashMap;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every GPU event with the user annotation around it.
///
/// ```text
/// annotations   |------------ forward ------------|
/// (of a stream)       |--- attention ---|
/// kernels        |a|    |b|   |c|           |d|    |e|
/// answer       forward  attention        forward   none
/// ```
///
/// Annotations are those that the profiler projects onto the streams (category `gpu_user_annotation`). If several overlap a
/// kernel, the shortest counts.
///
/// # Columns
/// One row per event with a stream, in file order: `Row::COLUMNS`. Empty if there are no such annotations.
///
/// # Source
/// HTA `TraceAnalysis.get_gpu_kernels_with_user_annotations`; its other columns are those of `events()`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuKernelsWithUserAnnotations {
    /// Whether `s_name` lacks parameters and template arguments.
    pub shorten_names: bool,
}

impl Default for GpuKernelsWithUserAnnotations {
    fn default() -> Self {
        Self { shorten_names: true }
    }
}

/// An event, with the texts of its rank.
struct Row<'a> {
    of: &'a Kernel,
    names: &'a [String],
    texts: &'a [String],
}

impl Row<'_> {
    const COLUMNS: [Field<Self>; 7] = [
        Field::id("index", "position of the event in the file's traceEvents", |row| Some(row.of.index)),
        Field::name("s_name", "name of the kernel", |row| Some(&row.names[row.of.name as usize])),
        Field::word("s_cat", "category: kernel, gpu_memcpy, …", |row| Some(&row.texts[row.of.cat as usize])),
        Field::time("ts", "start, since the first event of all ranks", |row| Some(row.of.ts)),
        Field::time("dur", "duration", |row| Some(row.of.dur)),
        Field::id("stream", "GPU stream", |row| Some(row.of.stream)),
        Field::name("s_user_annotation", "the shortest annotation around it, if there is one", |row| {
            Some(&row.texts[row.of.annotation? as usize])
        }),
    ];
}

/// The GPU events of one rank; each text is stored once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Kernels {
    texts: Vec<String>,
    rows: Vec<Kernel>,
}

/// An event: times in ns, texts as indices into [`Kernels::texts`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Kernel {
    index: i64,
    name: u32,
    cat: u32,
    ts: i64,
    dur: i64,
    stream: i64,
    annotation: Option<u32>,
}

impl Analysis for GpuKernelsWithUserAnnotations {
    const NAME: &'static str = "gpu_kernels_with_user_annotations";
    const SUMMARY: &'static str = "List the GPU events, each with the user annotation around it.";
    const PARAMETERS: &'static [Parameter] = &[Parameter::new(
        "shorten_names",
        ParameterKind::Switch,
        "shorten names of kernels: no parameters, no template arguments",
    )];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &declared(&Row::COLUMNS))];
    const NOTES: &'static str = "With several ranks each has a table of its own: out.rank0.csv, …";
    const FIRST_RANK_ONLY: bool = true;
    // A row per event of the GPU.
    const KEEPS_EVENTS: bool = true;
    /// `None` for a rank without annotations.
    type State = ByRank<Option<Listed<Kernels>>>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let rows = rank.rank_events();
        Ok(ByRank::of(rank.rank(), annotated(rows, rank).map(Listed::Found)))
    }

    fn move_to_files(&self, state: Self::State, files: &AnswerFiles) -> Result<Self::State> {
        state.try_map(|rank, kernels| {
            kernels.map(|kernels| kernels.moved(rank, files, |kernels| self.frame(&kernels))).transpose()
        })
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let several = state.0.len() > 1;
        let without = state.ranks_where(Option::is_none);
        let mut tables = Vec::new();
        for (rank, kernels) in state.0 {
            let rows = kernels.unwrap_or_default().finished(|kernels| self.frame(&kernels))?;
            let table = AnswerTable::new(&Self::TABLES[0], rows.into_frame());
            tables.push(if several { table.of_rank(rank) } else { table });
        }
        let note = nothing_on(&without, "No user annotations on the GPU");
        Ok(Answer { tables, notes: note.into_iter().collect(), ..Answer::default() })
    }
}

/// Finds the annotation around each event with a stream; `None` if there are no annotations on the GPU.
fn annotated(rows: &RankEvents, rank: &RankView) -> Option<Kernels> {
    let kinds = rows.kinds();
    // Of each device and stream: the rows of its annotations, and the indices in `all` of its kernels.
    let mut streams: BTreeMap<_, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    let mut all = Vec::new();
    let mut any = false;
    for &row in cancellable(rank.rows()) {
        let row = row as usize;
        if rows.ts(row).is_none() {
            continue;
        }
        let kind = kinds[row];
        if kind == EventKind::DeviceAnnotation {
            any = true;
            streams.entry(rows.thread(row)).or_default().0.push(row);
        } else if rows.stream(row).is_some() && kind != EventKind::Operator {
            streams.entry(rows.thread(row)).or_default().1.push(all.len());
            all.push((row, None));
        }
    }
    let span = |row: usize| {
        let start = rows.ts(row).unwrap_or(0);
        Span { start, end: start.saturating_add(rows.dur(row)) }
    };
    for (annotations, kernels) in streams.into_values() {
        // Differs from HTA: there a kernel of duration 0 has no annotation.
        let counts = |&index: &usize| rank.compat() == Compat::Exact || rows.dur(all[index].0) > 0;
        let kernels: Vec<usize> = kernels.into_iter().filter(counts).collect();
        let outer: Vec<Span> = annotations.iter().map(|&row| span(row)).collect();
        let inner: Vec<Span> = kernels.iter().map(|&index| span(all[index].0)).collect();
        for (index, found) in kernels.into_iter().zip(innermost(&outer, &inner)) {
            all[index].1 = found.map(|found| rows.name(annotations[found]));
        }
    }
    let mut texts = Texts::default();
    let kernel = |(row, annotation): (usize, Option<u32>)| Kernel {
        index: rows.index(row),
        name: texts.index(rows, rows.name(row)),
        cat: texts.index(rows, rows.cat(row)),
        ts: span(row).start.saturating_sub(rank.origin()),
        dur: rows.dur(row),
        stream: rows.stream(row).unwrap_or(-1),
        annotation: annotation.map(|name| texts.index(rows, name)),
    };
    let kernels = all.into_iter().map(kernel).collect();
    any.then_some(Kernels { rows: kernels, texts: texts.texts })
}

/// The texts that occur, each once.
#[derive(Default)]
struct Texts {
    indices: HashMap<u32, u32, foldhash::fast::FixedState>,
    texts: Vec<String>,
}

impl Texts {
    /// Returns the index of the text of `code`, adding it if it is new.
    fn index(&mut self, rows: &RankEvents, code: u32) -> u32 {
        *self.indices.entry(code).or_insert_with(|| {
            self.texts.push(rows.text(code).to_owned());
            self.texts.len() as u32 - 1
        })
    }
}

impl GpuKernelsWithUserAnnotations {
    fn frame(&self, kernels: &Kernels) -> Result<DataFrame> {
        let texts = &kernels.texts;
        let short: Vec<String> = match self.shorten_names {
            true => texts.iter().map(|text| shorten_name(text)).collect(),
            false => Vec::new(),
        };
        let names = if self.shorten_names { &short } else { texts };
        let rows: Vec<Row<'_>> = kernels.rows.iter().map(|of| Row { of, names, texts }).collect();
        answer_frame(&rows, &Row::COLUMNS)
    }
}
