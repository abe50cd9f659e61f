//! State of one sequence of packets: its interned data, defaults, and the slices that it begins and ends.

use super::slices::Run;
use super::strings::{Strings, Symbol};
use super::wire::{Malformed, Message};
use hashbrown::HashMap;

type Table<T> = HashMap<u64, T, foldhash::fast::FixedState>;

/// Interned data by its number (iid).
#[derive(Default)]
pub(super) struct Sequence {
    pub(super) categories: Table<Symbol>,
    pub(super) names: Table<Symbol>,
    pub(super) annotation_names: Table<Symbol>,
    pub(super) annotation_values: Table<Symbol>,
    /// Render stages and hardware queues.
    pub(super) specifications: Table<Symbol>,
    pub(super) kernels: Table<Symbol>,
    pub(super) launch_args: Table<Symbol>,
    /// GPU and names of counters.
    pub(super) counters: Table<(Option<i64>, Table<Symbol>)>,
    pub(super) default_track: Option<u64>,
    pub(super) default_clock: u32,
    pub(super) run: Run,
}

impl Sequence {
    /// Forgets the interned data and the defaults.
    pub(super) fn clear(&mut self) {
        let run = std::mem::take(&mut self.run);
        *self = Self { run, ..Self::default() };
    }

    /// Takes an `InternedData`.
    ///
    /// # Errors
    /// If it is malformed.
    pub(super) fn intern(&mut self, message: Message<'_>, strings: &mut Strings) -> Result<(), Malformed> {
        for field in message.fields() {
            let (number, value) = field?;
            let table = match number {
                1 => &mut self.categories,
                2 => &mut self.names,
                3 => &mut self.annotation_names,
                24 => &mut self.specifications,
                29 => &mut self.annotation_values,
                1000 => &mut self.kernels,
                1001 => &mut self.launch_args,
                47 => {
                    self.intern_counters(value.message(), strings)?;
                    continue;
                }
                _ => continue,
            };
            let (mut id, mut name) = (0, None);
            for field in value.message().fields() {
                match field? {
                    (1, value) => id = value.number(),
                    // Of a kernel, the demangled name follows the name.
                    (2, value) => name = Some(value.message()),
                    (3, value) if number == 1000 => name = Some(value.message()),
                    _ => {}
                }
            }
            table.insert(id, name.map_or(Symbol::EMPTY, |name| strings.symbol(&name.text())));
        }
        Ok(())
    }

    /// Takes an `InternedGpuCounterDescriptor`.
    fn intern_counters(&mut self, message: Message<'_>, strings: &mut Strings) -> Result<(), Malformed> {
        let (mut id, mut gpu, mut names) = (0, None, Table::default());
        for field in message.fields() {
            match field? {
                (1, value) => id = value.number(),
                (2, value) => names = counter_names(value.message(), strings)?,
                (3, value) => gpu = Some(value.signed()),
                _ => {}
            }
        }
        self.counters.insert(id, (gpu, names));
        Ok(())
    }

    /// Takes a `TracePacketDefaults`.
    ///
    /// # Errors
    /// If it is malformed.
    pub(super) fn set_defaults(&mut self, message: Message<'_>) -> Result<(), Malformed> {
        for field in message.fields() {
            match field? {
                (58, value) => self.default_clock = value.number() as u32,
                (11, value) => {
                    for field in value.message().fields() {
                        if let (11, value) = field? {
                            self.default_track = Some(value.number());
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns the names of the counters of a `GpuCounterDescriptor`, by their ids.
///
/// # Errors
/// If it is malformed.
pub(super) fn counter_names(message: Message<'_>, strings: &mut Strings) -> Result<Table<Symbol>, Malformed> {
    let mut names = Table::default();
    for field in message.fields() {
        if let (1, specification) = field? {
            let (mut id, mut name) = (0, None);
            for field in specification.message().fields() {
                match field? {
                    (1, value) => id = value.number(),
                    (2, value) => name = Some(strings.symbol(&value.message().text())),
                    _ => {}
                }
            }
            if let Some(name) = name.filter(|name| *name != Symbol::EMPTY) {
                names.insert(id, name);
            }
        }
    }
    Ok(names)
}
