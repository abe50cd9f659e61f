//! Arguments that one load requests.

use super::groups::{self, ALL_ARGS, ARG_GROUPS, ArgGroup};
use super::own_args::known_args;
use super::{AVAILABLE_ARGS, AttributeSpec, AvailableArg, YamlVersion};
use crate::domain::EventKind;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The arguments of events that become columns, and the events that are skipped. A plain value: changing a copy leaves
/// the original unchanged.
///
/// `stream` and `correlation` are always read. The counters of `cuda_profiler_range` events (CUPTI) become columns under
/// their own names, whatever is requested. An argument that no event carries has no column.
///
/// The other fields of HTA's `ParserConfig` are not used in HTA (`min_required_cols`, `drop_gpu_user_annotation`,
/// `user_provide_trace_type`, `convert_ts_to_integer`, `max_event_duration_us`) or belongs to its own reader
/// (`trace_memory`, `batch_size`).
///
/// # Source
/// HTA `ParserConfig`. Differs from HTA: its lists are shared, so that `add_args` on one config changes others.
///
/// # Example
/// ```
/// use trace::ParserConfig;
///
/// let config = ParserConfig::new(ParserConfig::ARGS_MINIMUM).add_args(ParserConfig::ARGS_BANDWIDTH);
/// let same: ParserConfig = "minimum,bandwidth".parse()?;
/// assert_eq!(config, same);
/// # Ok::<(), trace::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParserConfig {
    args: Vec<AttributeSpec>,
    selected_arg_keys: Option<Vec<String>>,
    parse_all_args: bool,
    parser_backend: ParserBackend,
    skip_event_types: Option<BTreeSet<String>>,
    version: YamlVersion,
}

/// HTA's readers. All four names are one reader here; they differ in the events that are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum ParserBackend {
    /// HTA's default: reads all events.
    #[default]
    Json,
    /// Skips `python_function` events unless told otherwise.
    Ijson,
    /// As [`ParserBackend::Ijson`].
    IjsonBatched,
    /// As [`ParserBackend::Ijson`].
    IjsonBatchAndCompress,
}

impl ParserBackend {
    /// All of them, in HTA's order.
    pub const EACH: [Self; 4] = [Self::Json, Self::Ijson, Self::IjsonBatched, Self::IjsonBatchAndCompress];
}

impl fmt::Display for ParserBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "json",
            Self::Ijson => "ijson",
            Self::IjsonBatched => "ijson_batched",
            Self::IjsonBatchAndCompress => "ijson_batch_and_compress",
        })
    }
}

impl ParserConfig {
    /// Correlations of kernels and launches.
    pub const ARGS_MINIMUM: ArgGroup = groups::MINIMUM;
    /// Sizes and speeds of copies.
    pub const ARGS_BANDWIDTH: ArgGroup = groups::BANDWIDTH;
    /// Targets of synchronisations.
    pub const ARGS_SYNC: ArgGroup = groups::SYNC;
    /// Shapes, types and strides of inputs.
    pub const ARGS_INPUT_SHAPE: ArgGroup = groups::INPUT_SHAPE;
    /// Ids of operators and Python calls.
    pub const ARGS_INDEX: ArgGroup = groups::INDEX;
    /// Amounts that collectives send and receive.
    pub const ARGS_COMMUNICATION: ArgGroup = groups::COMMUNICATION;
    /// Sources of Triton's kernels.
    pub const ARGS_TRITON_KERNELS: ArgGroup = groups::TRITON_KERNELS;
    /// Labels and names.
    pub const ARGS_INFO: ArgGroup = groups::INFO;
    /// Every known argument except those of info.
    pub const ARGS_COMPLETE: ArgGroup = groups::COMPLETE;
    /// Minimum, bandwidth, sync, input shape, index, communication.
    pub const ARGS_DEFAULT: ArgGroup = groups::DEFAULT;

    /// Creates a config that requests these arguments; [`ParserConfig::ARGS_DEFAULT`] if `args` is empty, as in HTA.
    pub fn new(args: impl IntoIterator<Item = AttributeSpec>) -> Self {
        let config = Self {
            args: Vec::new(),
            selected_arg_keys: None,
            parse_all_args: false,
            parser_backend: ParserBackend::default(),
            skip_event_types: None,
            version: YamlVersion::default(),
        };
        let config = config.add_args(args);
        if config.args.is_empty() { config.add_args(Self::ARGS_DEFAULT) } else { config }
    }

    /// Returns the config of a version of HTA's table. All default arguments are in 1.0.0.
    ///
    /// # Errors
    /// [`Error::UnknownVersion`] for a version older than the first.
    pub fn get_versioned_cfg(version: YamlVersion) -> Result<Self> {
        if version < YamlVersion::default() {
            return Err(Error::UnknownVersion { version: version.to_string() });
        }
        let known = Self::ARGS_DEFAULT.into_iter().filter(|spec| spec.min_supported_version <= version);
        Ok(Self { version, ..Self::new(known) })
    }

    /// Returns the arguments that are always read.
    pub fn get_minimum_args() -> Vec<AttributeSpec> {
        Self::ARGS_MINIMUM.into_iter().collect()
    }

    /// Returns the arguments that are read by default.
    pub fn get_default_args() -> Vec<AttributeSpec> {
        Self::ARGS_DEFAULT.into_iter().collect()
    }

    /// Labels and names.
    pub fn get_info_args() -> Vec<AttributeSpec> {
        Self::ARGS_INFO.into_iter().collect()
    }

    /// Returns every argument that HTA knows, by its key: `cpu_op::input_dims`.
    pub fn get_all_available_args() -> &'static [AvailableArg] {
        AVAILABLE_ARGS
    }

    /// Returns the table as text, a line per argument: key, column, key in `args`, type, default.
    pub fn show_available_args() -> String {
        let line = |arg: &AvailableArg| {
            let spec = arg.spec();
            let (key, kind, default) = (arg.key, spec.value_type, spec.default_value);
            format!("{key:<27} {:<34} {:<34} {kind:<6} {default}", spec.name, spec.raw_name)
        };
        AVAILABLE_ARGS.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Returns the available argument of a key.
    ///
    /// # Errors
    /// [`Error::UnknownArg`] if there is none.
    pub fn arg(key: &str) -> Result<AttributeSpec> {
        let found = known_args().find(|arg| arg.key == key);
        found.map(AvailableArg::spec).ok_or_else(|| Error::UnknownArg { word: key.to_owned() })
    }

    /// Adds the arguments of collectives.
    #[must_use]
    pub fn enable_communication_args(self) -> Self {
        self.add_args(Self::ARGS_COMMUNICATION)
    }

    /// Adds arguments. Of two for one column the first counts.
    #[must_use]
    pub fn add_args(mut self, args: impl IntoIterator<Item = AttributeSpec>) -> Self {
        for spec in args {
            if !self.args.iter().any(|known| known.name == spec.name) {
                self.args.push(spec);
            }
        }
        self
    }

    /// Replaces the arguments.
    #[must_use]
    pub fn set_args(mut self, args: impl IntoIterator<Item = AttributeSpec>) -> Self {
        self.args.clear();
        self.add_args(args)
    }

    /// Returns the requested arguments; with a selector, those it names, in its order.
    ///
    /// # Errors
    /// [`Error::UnknownArg`] if the selector names a column that is not requested.
    pub fn get_args(&self) -> Result<Vec<AttributeSpec>> {
        let Some(selected) = &self.selected_arg_keys else { return Ok(self.args.clone()) };
        let find = |name: &String| self.args.iter().find(|spec| spec.name == *name).cloned();
        selected.iter().map(|name| find(name).ok_or_else(|| Error::UnknownArg { word: name.clone() })).collect()
    }

    /// Restricts the request to these of its columns; `None` for all.
    #[must_use]
    pub fn set_args_selector<N: Into<String>>(self, names: Option<impl IntoIterator<Item = N>>) -> Self {
        Self { selected_arg_keys: names.map(|names| names.into_iter().map(Into::into).collect()), ..self }
    }

    /// Requests every argument that occurs, or only those of the config. A known argument has its known column; for
    /// another one the column is named after the key (`Trace iteration` → `trace_iteration`) and typed by its values.
    #[must_use]
    pub fn set_parse_all_args(self, parse_all_args: bool) -> Self {
        Self { parse_all_args, ..self }
    }

    /// Whether every argument that occurs is requested.
    pub fn parse_all_args(&self) -> bool {
        self.parse_all_args
    }

    /// Selects another of HTA's readers.
    #[must_use]
    pub fn set_parser_backend(self, parser_backend: ParserBackend) -> Self {
        Self { parser_backend, ..self }
    }

    /// Skips events of these categories; `None` skips none.
    #[must_use]
    pub fn set_skip_event_types<N: Into<String>>(self, categories: Option<impl IntoIterator<Item = N>>) -> Self {
        let categories = categories.map(|names| names.into_iter().map(Into::into).collect()).unwrap_or_default();
        Self { skip_event_types: Some(categories), ..self }
    }

    /// Returns the categories that are skipped: those set, otherwise none for [`ParserBackend::Json`] and `python_function` for the
    /// other readers.
    pub fn skip_event_types(&self) -> BTreeSet<String> {
        let by_backend = || match self.parser_backend {
            ParserBackend::Json => BTreeSet::new(),
            _ => BTreeSet::from([EventKind::PYTHON.to_owned()]),
        };
        self.skip_event_types.clone().unwrap_or_else(by_backend)
    }

    /// Returns the version of HTA's table that it was made from.
    pub fn version(&self) -> YamlVersion {
        self.version
    }

    /// Returns what decides about the columns of a frame: the requested columns, sorted, and whether all are requested.
    pub fn get_fingerprint_key(&self) -> (Vec<String>, bool) {
        let mut names: Vec<String> = self.args.iter().map(|spec| spec.name.clone()).collect();
        names.sort_unstable();
        (names, self.parse_all_args)
    }
}

/// Parses groups and keys separated by commas: `default,cpu_op::sequence_number`. The minimum is always included; `all`
/// requests every argument that occurs.
impl FromStr for ParserConfig {
    type Err = Error;

    fn from_str(words: &str) -> Result<Self> {
        let mut config = Self::new(Self::ARGS_MINIMUM);
        for word in words.split(',').map(str::trim) {
            config = if word == ALL_ARGS {
                config.set_parse_all_args(true)
            } else if let Some(group) = ARG_GROUPS.iter().find(|group| group.name == word) {
                config.add_args(*group)
            } else {
                config.add_args([Self::arg(word)?])
            };
        }
        Ok(config)
    }
}
