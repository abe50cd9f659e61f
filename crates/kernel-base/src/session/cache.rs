//! Cache of loaded traces of this program, from its environment.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use trace_core::{CACHE_VARIABLE, Cache, parse_size};

/// The most that a cache takes unless the user says otherwise, in bytes.
const MOST: u64 = 10 << 30;
/// The part of the disk that it takes at most.
const PART_OF_DISK: u64 = 10;

/// The cache as the environment sets it; opened when it is first needed.
#[derive(Debug, Default)]
pub struct CacheSetting {
    wanted: Wanted,
    opened: OnceLock<Result<Option<Cache>, String>>,
}

#[derive(Debug, Default)]
enum Wanted {
    #[default]
    Off,
    Folder {
        folder: Option<PathBuf>,
        limit: Option<u64>,
    },
    Invalid(String),
}

impl CacheSetting {
    /// Reads the environment: `off`, a size, or a folder; by default the folder of caches of the user.
    pub fn from_environment() -> Self {
        let text = std::env::var_os(CACHE_VARIABLE).unwrap_or_default();
        Self { wanted: Wanted::of(&text.to_string_lossy()), opened: OnceLock::new() }
    }

    /// Whether the environment says anything.
    pub fn is_chosen(&self) -> bool {
        !matches!(self.wanted, Wanted::Folder { folder: None, limit: None })
    }

    /// Returns the cache; `None` if it is off.
    ///
    /// # Errors
    /// Why it cannot be used: loads go on without it.
    pub fn get(&self) -> Result<Option<Cache>, String> {
        self.opened.get_or_init(|| self.wanted.open()).clone()
    }
}

impl Wanted {
    fn of(text: &str) -> Self {
        let text = text.trim();
        if text.eq_ignore_ascii_case("off") {
            Self::Off
        } else if text.is_empty() {
            Self::Folder { folder: None, limit: None }
        } else if let Some(bytes) = parse_size(text) {
            Self::Folder { folder: None, limit: Some(bytes) }
        } else if text.contains('/') {
            Self::Folder { folder: Some(PathBuf::from(text)), limit: None }
        } else {
            Self::Invalid(text.to_owned())
        }
    }

    fn open(&self) -> Result<Option<Cache>, String> {
        let (folder, limit) = match self {
            Self::Off => return Ok(None),
            Self::Invalid(text) => {
                return Err(format!(
                    "invalid {CACHE_VARIABLE}=\"{text}\": expected off, a size such as 10G, or the path of a folder"
                ));
            }
            Self::Folder { folder, limit } => (folder.clone(), *limit),
        };
        let default = || dirs::cache_dir().map(|folder| folder.join("tracebook").join("traces"));
        let folder = folder.or_else(default).ok_or_else(|| {
            format!("there is no folder for a cache: HOME is not set; set {CACHE_VARIABLE} to a folder, or to off")
        })?;
        let limit = limit.unwrap_or_else(|| default_limit(&folder));
        Cache::open(folder, limit).map(Some).map_err(|error| error.to_string())
    }
}

/// Returns the smaller of 10 GiB and a tenth of the disk of `folder`.
fn default_limit(folder: &Path) -> u64 {
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder);
    let disk = rustix::fs::statvfs(existing).map_or(0, |disk| disk.f_blocks.saturating_mul(disk.f_frsize));
    MOST.min(disk / PART_OF_DISK)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn variable_is_off_a_size_or_a_folder() {
        assert!(matches!(Wanted::of(" Off "), Wanted::Off));
        assert!(matches!(Wanted::of(""), Wanted::Folder { folder: None, limit: None }));
        assert!(matches!(Wanted::of("20G"), Wanted::Folder { folder: None, limit: Some(size) } if size == 20 << 30));
        assert!(matches!(Wanted::of("./c"), Wanted::Folder { folder: Some(_), limit: None }));
        let error = Wanted::of("on").open().unwrap_err();
        assert_eq!(error, "invalid TRACEBOOK_CACHE=\"on\": expected off, a size such as 10G, or the path of a folder");
        assert!(Wanted::Off.open().unwrap().is_none());
    }

    #[test]
    fn limit_is_a_part_of_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let limit = default_limit(&folder.path().join("not/yet"));
        assert!(limit > 0 && limit <= MOST, "{limit}");
        let setting = CacheSetting {
            wanted: Wanted::of(&folder.path().join("cache").display().to_string()),
            opened: OnceLock::new(),
        };
        assert!(setting.get().unwrap().unwrap().folder().ends_with("cache"));
    }
}
