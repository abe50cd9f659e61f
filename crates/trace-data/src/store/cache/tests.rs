//! Entries: kept, found, evicted, and never believed when they should not be.
#![allow(clippy::unwrap_used)]

use super::{Cache, Key};
use crate::store::{NewTable, StoredTable, TableKind};
use crate::{Compat, Trace, TraceSet, Warning};
use polars::prelude::DataFrame;
use std::fs::FileTimes;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};
use trace_testkit::{Stream, TraceBuilder, in_own_process};

/// Set for processes that a test starts, to what they do.
const ROLE: &str = "TRACEBOOK_TEST_ROLE";
const LONG: Duration = Duration::from_secs(1);

/// A cache and a trace file in a folder of their own.
pub(super) struct Setting {
    pub(super) folder: PathBuf,
    pub(super) cache: Cache,
    source: PathBuf,
    pub(super) rank: Trace,
    /// Many rows.
    pub(super) frame: DataFrame,
}

impl Setting {
    pub(super) fn in_folder(folder: &Path) -> Self {
        let source = folder.join("0.json");
        if !source.exists() {
            let json = TraceBuilder::new()
                .step(1, 0..100)
                .operator("aten::mm", 10..20)
                .runtime("cudaLaunchKernel", 4, 12..14)
                .kernel("void gemm<float>(int)", Stream(7), 30..50)
                .correlation(4);
            std::fs::write(&source, json.json()).unwrap();
            settle(&source);
        }
        let rank = TraceSet::load(&source).unwrap().traces()[0].clone();
        let mut frame = rank.frame().unwrap();
        while frame.height() < 70_000 {
            frame.vstack_mut(&frame.clone()).unwrap();
        }
        let cache = Cache::open(folder.join("cache"), 1 << 30).unwrap();
        Self { folder: folder.to_owned(), cache, source, rank, frame }
    }

    fn key(&self, wanted: &str) -> Key {
        Key::of(&self.source, wanted, Compat::Exact, false).unwrap()
    }

    fn table<'t>(&'t self, warnings: &'t [Warning]) -> NewTable<'t> {
        NewTable { table: TableKind::Events, info: self.rank.info(), compat: Compat::Exact, warnings, is_small: false }
    }

    pub(super) fn insert(&self, wanted: &str) -> Option<StoredTable> {
        let warnings = [Warning::NoRank { file: self.rank.info().file.clone() }];
        self.cache.insert(&self.key(wanted), self.table(&warnings), &self.frame, LONG)
    }

    fn lookup(&self, wanted: &str) -> Option<StoredTable> {
        self.cache.lookup(&self.key(wanted), TableKind::Events, "0.json")
    }

    pub(super) fn entries(&self) -> Vec<PathBuf> {
        self.cache.files().into_iter().map(|file| file.path).collect()
    }

    fn parts(&self) -> usize {
        let names = std::fs::read_dir(self.cache.folder()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".part")).count()
    }

    /// The setting as another process sees it, which has opened nothing yet.
    pub(super) fn afresh(self) -> Self {
        let Self { folder, cache, .. } = self;
        drop(cache);
        Self::in_folder(&folder)
    }
}

/// Gives a file an older time of change.
fn settle(file: &Path) {
    let file = std::fs::File::options().write(true).open(file).unwrap();
    file.set_times(FileTimes::new().set_modified(SystemTime::now() - Duration::from_secs(60))).unwrap();
}

fn writable(path: &Path) {
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}

#[test]
fn kept_rank_is_found_by_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    assert!(setting.lookup("all").is_none());
    let inserted = setting.insert("all").unwrap();
    let found = setting.lookup("all").unwrap();
    for table in [&inserted, &found] {
        assert!(setting.frame.equals_missing(&table.frame().unwrap()));
    }
    // Facts and warnings name the file as it is loaded now.
    assert_eq!(found.info().file, "0.json");
    assert_eq!(found.warnings(), [Warning::NoRank { file: "0.json".into() }]);
    assert!(setting.lookup("other arguments").is_none());
    let hta = Key::of(&setting.source, "all", Compat::Hta, false).unwrap();
    assert!(setting.cache.lookup(&hta, TableKind::Events, "0.json").is_none());
    assert!(setting.cache.lookup(&setting.key("all"), TableKind::Counters, "0.json").is_none());
    // A trace that changed has another key.
    std::fs::write(&setting.source, std::fs::read(&setting.source).unwrap()).unwrap();
    assert!(setting.lookup("all").is_none());
    assert_eq!(setting.cache.take_problem(), None);
}

#[test]
fn only_what_is_worth_it_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut setting = Setting::in_folder(folder.path());
    let few = setting.frame.head(Some(9_999));
    let some = setting.frame.head(Some(20_000));
    let keep = |setting: &Setting, frame: &DataFrame, took: Duration| {
        setting.cache.insert(&setting.key("all"), setting.table(&[]), frame, took).is_some()
    };
    assert!(!keep(&setting, &few, LONG));
    assert!(!keep(&setting, &some, Duration::from_millis(5)));
    assert!(keep(&setting, &some, LONG));
    // A file that was written to a moment ago may still change unnoticed.
    std::fs::write(&setting.source, std::fs::read(&setting.source).unwrap()).unwrap();
    assert!(!keep(&setting, &some, LONG));
    settle(&setting.source);
    assert!(keep(&setting, &some, LONG));
    // More than a part of the limit.
    setting.cache.set_limit(some.estimated_size() as u64).unwrap();
    settle(&setting.source);
    setting = setting.afresh();
    setting.cache.set_limit(some.estimated_size() as u64).unwrap();
    assert!(!keep(&setting, &setting.frame, LONG));
    // What is no file of its own is not kept.
    assert!(Key::of(folder.path(), "all", Compat::Exact, false).is_none());
    assert!(Key::of(Path::new("/dev/null"), "all", Compat::Exact, false).is_none());
}

#[test]
fn entries_are_evicted_by_their_last_use() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    let bytes = setting.insert("a").unwrap().bytes();
    for wanted in ["b", "c", "d"] {
        setting.insert(wanted).unwrap();
    }
    // Entries that this process has opened stay, whatever the limit.
    setting.cache.set_limit(1).unwrap();
    assert_eq!(setting.entries().len(), 4);
    let setting = setting.afresh();
    for (age, wanted) in [(40, "b"), (30, "c"), (20, "d"), (10, "a")] {
        let path = setting.cache.folder().join(Cache::file_name(&setting.key(wanted), TableKind::Events));
        let used = SystemTime::now() - Duration::from_secs(age);
        std::fs::File::open(path).unwrap().set_times(FileTimes::new().set_accessed(used)).unwrap();
    }
    // The use of the oldest makes it the newest.
    assert!(setting.lookup("b").is_some());
    let setting = setting.afresh();
    setting.cache.set_limit(4 * bytes + bytes / 2).unwrap();
    assert!(setting.insert("e").is_some());
    setting.cache.set_limit(3 * bytes + bytes / 2).unwrap();
    let left: Vec<&str> =
        ["a", "b", "c", "d", "e"].into_iter().filter(|wanted| setting.lookup(wanted).is_some()).collect();
    assert_eq!(left, ["a", "b", "e"]);
    assert!(setting.cache.bytes() <= setting.cache.limit());
}

#[test]
fn entries_are_listed_and_cleared() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    setting.insert("a").unwrap();
    setting.insert("b").unwrap();
    let [entry] = setting.cache.entries().try_into().unwrap();
    assert_eq!(entry.source, std::fs::canonicalize(&setting.source).unwrap());
    assert_eq!((entry.ranks, entry.events, entry.bytes), (1, setting.rank.info().events, setting.cache.bytes()));
    assert!(entry.last_used.elapsed().unwrap() < Duration::from_secs(60));
    let cleared = setting.cache.clear(None).unwrap();
    assert_eq!((cleared.files, cleared.in_use), (0, 2), "this process uses them");
    let setting = setting.afresh();
    assert_eq!(setting.cache.clear(Some(Path::new("/somewhere/else"))).unwrap().files, 0);
    assert_eq!(setting.cache.clear(Some(folder.path())).unwrap().files, 2);
    assert_eq!((setting.cache.bytes(), setting.cache.entries().len()), (0, 0));
}

#[test]
fn changed_entries_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    let path = setting.insert("all").unwrap().path().to_owned();
    let whole = std::fs::read(&path).unwrap();
    let written = std::fs::metadata(&path).unwrap().modified().unwrap();
    let damage = |bytes: &[u8], time: Option<SystemTime>| {
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, bytes).unwrap();
        if let Some(time) = time {
            std::fs::File::open(&path).unwrap().set_times(FileTimes::new().set_modified(time)).unwrap();
        }
    };
    // The same content, but written to since.
    damage(&whole, None);
    assert!(setting.lookup("all").is_none() && !path.exists());
    damage(&whole, Some(written));
    assert!(setting.lookup("all").is_some());
    // Damage that leaves the time: of header, manifest and layout.
    let footer = whole.len() - 10 - u32::from_le_bytes(whole[whole.len() - 10..][..4].try_into().unwrap()) as usize;
    let mut refused = 0;
    for at in (footer..whole.len()).step_by(7) {
        let mut changed = whole.clone();
        changed[at] ^= 0xff;
        damage(&changed, Some(written));
        match setting.lookup("all").map(|table| table.frame()) {
            Some(Ok(frame)) => assert_eq!(frame.height(), setting.frame.height()),
            None => {
                refused += 1;
                assert!(!path.exists());
            }
            Some(Err(_)) => refused += 1,
        }
    }
    assert!(refused > 20, "{refused}");
    for bytes in [&b""[..], b"foreign", &whole[..whole.len() / 2]] {
        damage(bytes, Some(written));
        assert!(setting.lookup("all").is_none() && !path.exists());
    }
    assert!(setting.insert("all").is_some() && setting.lookup("all").is_some());
}

#[test]
fn entry_rewritten_in_place_is_made_again() {
    in_own_process(|| {
        use std::os::unix::fs::FileExt;
        let folder = tempfile::tempdir().unwrap();
        let setting = Setting::in_folder(folder.path());
        let path = setting.insert("all").unwrap().path().to_owned();
        let found = setting.lookup("all").unwrap();
        let mapped = found.frame().unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let (whole, written) = (std::fs::read(&path).unwrap(), std::fs::metadata(&path).unwrap().modified().unwrap());
        writable(&path);
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        // Bytes of columns: the texts are few.
        let middle = whole.len() / 2;
        file.write_all_at(&whole[middle..][..4096].iter().map(|byte| !byte).collect::<Vec<u8>>(), middle as u64)
            .unwrap();
        file.set_times(FileTimes::new().set_modified(written)).unwrap();
        assert!(found.check().is_err() && found.frame().is_err());
        assert!(!path.exists() && setting.lookup("all").is_none(), "the next load reads the trace");
        drop(mapped);
        assert!(setting.insert("all").is_some());
        assert!(setting.frame.equals_missing(&setting.lookup("all").unwrap().frame().unwrap()));
    });
}

#[test]
fn entry_that_may_not_have_reached_the_disk_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    let path = setting.insert("all").unwrap().path().to_owned();
    // The thread takes the right to write away once the file is on the disk.
    let is_synced = || super::sync::is_synced(&std::fs::metadata(&path).unwrap());
    for _ in 0..6000 {
        if is_synced() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(is_synced());
    // As if it had been written before the machine crashed.
    writable(&path);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    std::fs::File::open(&path).unwrap().set_times(FileTimes::new().set_modified(long_ago)).unwrap();
    assert!(!super::sync::is_whole(&std::fs::metadata(&path).unwrap()));
    assert!(setting.lookup("all").is_none() && !path.exists());
}

#[test]
fn unusable_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(Cache::open(&file, 1).unwrap_err().to_string().contains("TRACEBOOK_CACHE"));
    let open = folder.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let error = Cache::open(&open, 1).unwrap_err().to_string();
    assert!(error.contains("other users may write to it"), "{error}");
    if cfg!(target_os = "linux") && Path::new("/dev/shm").is_dir() {
        let error = Cache::open("/dev/shm/tracebook-cache-test", 1).unwrap_err().to_string();
        assert!(error.contains("it is in memory"), "{error}");
        assert!(!Path::new("/dev/shm/tracebook-cache-test").exists());
    }
}

/// Starts this test program as another process in a role.
fn start(role: &str, folder: &Path, shell: Option<&str>) -> Child {
    let test = "store::cache::tests::process_that_a_test_started";
    let program = std::env::current_exe().unwrap();
    let mut command = match shell {
        Some(before) => {
            let mut command = Command::new("sh");
            command.arg("-c").arg(format!("{before}; exec \"$0\" \"$@\"")).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args(["--exact", test, "--nocapture"]).env(ROLE, role).env("TRACEBOOK_TEST_FOLDER", folder);
    command.stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn process_that_a_test_started() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = PathBuf::from(std::env::var_os("TRACEBOOK_TEST_FOLDER").unwrap());
    let mut setting = Setting::in_folder(&folder);
    match role.as_str() {
        "write" => {
            while setting.frame.height() < 4_000_000 {
                setting.frame.vstack_mut(&setting.frame.clone()).unwrap();
            }
            setting.insert("all");
        }
        "race" => {
            for round in 0..20 {
                let wanted = (round % 5).to_string();
                let found = setting.lookup(&wanted).or_else(|| setting.insert(&wanted));
                let found = found.unwrap_or_else(|| panic!("{:?}", setting.cache.take_problem()));
                assert!(setting.frame.equals_missing(&found.frame().unwrap()));
                found.check().unwrap();
                setting.cache.clear(None).unwrap();
                setting.cache = Cache::open(setting.cache.folder(), 1 << 30).unwrap();
            }
        }
        "full" => {
            assert!(setting.insert("all").is_none());
            let problem = setting.cache.take_problem().unwrap();
            assert!(problem.contains("File too large") && problem.contains("is not kept"), "{problem}");
            assert!(setting.cache.take_problem().is_none(), "once");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn write_that_is_killed_leaves_nothing_to_believe() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    for _ in 0..10 {
        let mut child = start("write", folder.path(), None);
        while setting.parts() == 0 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().unwrap();
        if setting.parts() > 0 {
            break;
        }
        let _ = std::fs::remove_dir_all(setting.cache.folder());
        let _ = Cache::open(setting.cache.folder(), 1 << 30).unwrap();
    }
    assert_eq!((setting.parts(), setting.entries().len()), (1, 0), "killed in the middle of the write");
    assert!(setting.lookup("all").is_none());
    let setting = setting.afresh();
    assert_eq!(setting.parts(), 0, "removed at the next start");
    assert!(setting.insert("all").is_some() && setting.lookup("all").is_some());
}

#[test]
fn processes_share_a_folder_and_read_only_what_is_right() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    let mut children: Vec<Child> = (0..3).map(|_| start("race", folder.path(), None)).collect();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(setting.parts(), 0);
}

#[test]
fn full_disk_only_costs_the_entry() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    let mut child = start("full", folder.path(), Some("trap '' XFSZ; ulimit -f 64"));
    assert!(child.wait().unwrap().success());
    assert_eq!((setting.parts(), setting.entries().len()), (0, 0));
}

/// The columns of a handwritten trace, as text, have this CRC-32.
const ANSWERS: u32 = 789_402_881;

#[test]
fn reader_version_is_raised_when_answers_change() {
    let json = TraceBuilder::new()
        .step(1, 0..100)
        .operator("aten::mm", 10..20)
        .arg("Input Dims", "[[2, 3]]")
        .runtime("cudaLaunchKernel", 4, 12..14)
        .kernel("void gemm<float>(int)", Stream(7), 30..50)
        .correlation(4)
        .json();
    let rank = TraceSet::from_bytes(json.as_bytes()).unwrap().traces()[0].clone();
    let mut text = format!(
        "{:?}\n",
        rank.columns().iter().map(|(name, dtype)| (name.to_string(), dtype.to_string())).collect::<Vec<_>>()
    );
    for column in rank.decoded().unwrap().columns() {
        for row in 0..column.len() {
            text.push_str(&format!("{:?}\n", column.get(row).unwrap()));
        }
    }
    let mut crc = flate2::Crc::new();
    crc.update(text.as_bytes());
    assert_eq!(crc.sum(), ANSWERS, "the reader answers otherwise: raise READER in key.rs, then set ANSWERS:\n{text}");
}
