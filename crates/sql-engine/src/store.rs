//! Tables while a statement runs: the parts that were read, their indexes, and the texts that SQLite may still point at.

use crate::column::{Column, Dictionary};
use crate::index::Index;
use crate::table::{Failure, Host, Part, Table};
use crate::value::{Kind, OwnedValue};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Calls of a table function with other arguments whose rows are kept.
const MOST_CALLS: usize = 64;

/// Why a scan ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    Interrupted,
    Failed(Failure),
}

/// The first error of a table in a statement: SQLite passes on only texts.
pub(crate) type FirstFailure = Arc<Mutex<Option<Failure>>>;

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A part that was read.
pub(crate) struct Loaded {
    number: usize,
    part: Part,
    /// The columns that were read, also those without values.
    read: Vec<usize>,
    indexes: Mutex<Vec<(usize, Option<Arc<Index>>)>>,
}

impl Loaded {
    pub(crate) fn rows(&self) -> usize {
        self.part.rows
    }

    pub(crate) fn column(&self, column: usize) -> Option<&dyn Column> {
        self.part.columns.get(column)?.as_deref()
    }

    /// Returns the index of a column, which is built or taken over from an earlier statement at the first call; none if it does not fit in
    /// memory.
    ///
    /// # Errors
    /// An interrupt.
    pub(crate) fn index(&self, state: &TableState, column: usize, kind: Kind) -> Result<Option<Arc<Index>>, Stop> {
        let mut indexes = locked(&self.indexes);
        if let Some((_, known)) = indexes.iter().find(|(of, _)| *of == column) {
            return Ok(known.clone());
        }
        state.check()?;
        let rows = self.rows();
        let index = self.column(column).filter(|_| u32::try_from(rows).is_ok()).and_then(|values| {
            let fits = || state.host.fits(Index::bytes_needed(rows));
            let build = || fits().then(|| Index::of(values, kind, rows));
            match state.arguments {
                0 => state.table.index(self.number, column, values, &build),
                _ => build().map(Arc::new),
            }
        });
        indexes.push((column, index.clone()));
        Ok(index)
    }
}

/// A part, the arguments with which it was read, and its rows.
type Read = (usize, Vec<OwnedValue>, Arc<Loaded>);

/// A table of a connection.
pub(crate) struct TableState {
    pub(crate) table: Arc<dyn Table>,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) failed: FirstFailure,
    /// The number of columns that are arguments, which are the last ones.
    pub(crate) arguments: usize,
    loaded: Mutex<Vec<Read>>,
    /// Dictionaries whose texts SQLite may point at, though the part that had them is gone.
    dictionaries: Mutex<Vec<Arc<dyn Dictionary>>>,
}

impl TableState {
    pub(crate) fn of(table: Arc<dyn Table>, host: Arc<dyn Host>, failed: FirstFailure) -> Self {
        let arguments = table.columns().iter().filter(|column| column.is_argument).count();
        Self { table, host, failed, arguments, loaded: Mutex::default(), dictionaries: Mutex::default() }
    }

    pub(crate) fn kind(&self, column: usize) -> Kind {
        self.table.columns().get(column).map_or(Kind::Text, |column| column.kind)
    }

    /// Returns the number of the first column that is an argument.
    pub(crate) fn first_argument(&self) -> usize {
        self.table.columns().len() - self.arguments
    }

    /// Whether parts stay until the connection is closed.
    pub(crate) fn keeps_parts(&self) -> bool {
        self.table.parts().len() <= 1 && self.arguments == 0
    }

    /// # Errors
    /// An interrupt.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        if self.host.is_interrupted() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    /// Returns a part with these columns; what was read before is not read again.
    ///
    /// # Errors
    /// Those of the table, and an interrupt.
    pub(crate) fn part(&self, part: usize, columns: &[usize], arguments: &[OwnedValue]) -> Result<Arc<Loaded>, Stop> {
        self.check()?;
        let known = {
            let loaded = locked(&self.loaded);
            loaded.iter().find(|(of, with, _)| *of == part && with == arguments).map(|(_, _, known)| Arc::clone(known))
        };
        let missing: Vec<usize> = match &known {
            Some(known) => columns.iter().copied().filter(|column| !known.read.contains(column)).collect(),
            None => columns.to_vec(),
        };
        if let Some(known) = known.as_ref().filter(|_| missing.is_empty()) {
            return Ok(Arc::clone(known));
        }
        let read = match self.table.read(part, &missing, arguments) {
            Ok(read) => read,
            Err(failure) => {
                // Parts that no scan stands at make room for this one.
                let dropped = !self.keeps_parts() && {
                    let mut loaded = locked(&self.loaded);
                    let before = loaded.len();
                    loaded.retain(|(of, _, _)| *of == part);
                    loaded.len() < before
                };
                if !dropped {
                    return Err(Stop::Failed(failure));
                }
                self.table.read(part, &missing, arguments).map_err(Stop::Failed)?
            }
        };
        let loaded = Arc::new(self.merged(part, known.as_deref(), read, &missing));
        let mut all = locked(&self.loaded);
        all.retain(|(of, with, _)| !(*of == part && with == arguments));
        if self.arguments > 0 && all.len() >= MOST_CALLS {
            all.remove(0);
        }
        all.push((part, arguments.to_vec(), Arc::clone(&loaded)));
        Ok(loaded)
    }

    fn merged(&self, number: usize, known: Option<&Loaded>, read: Part, columns: &[usize]) -> Loaded {
        let mut merged = Part { rows: read.rows, columns: Vec::new() };
        merged.columns.resize_with(self.table.columns().len(), || None);
        let mut all = columns.to_vec();
        let mut indexes = Vec::new();
        if let Some(known) = known {
            all.extend(&known.read);
            indexes.clone_from(&locked(&known.indexes));
            merged.columns.clone_from_slice(&known.part.columns);
        }
        for &column in columns {
            if let Some(slot) = merged.columns.get_mut(column) {
                *slot = read.columns.get(column).cloned().flatten();
            }
        }
        if !self.keeps_parts() {
            let mut dictionaries = locked(&self.dictionaries);
            for dictionary in merged.columns.iter().flatten().filter_map(|column| column.dictionary()) {
                if !dictionaries.iter().any(|known| Arc::ptr_eq(known, dictionary)) {
                    dictionaries.push(Arc::clone(dictionary));
                }
            }
        }
        Loaded { number, part: merged, read: all, indexes: Mutex::new(indexes) }
    }
}
