#![allow(clippy::unwrap_used)]
use super::super::client::Clients;
use super::super::uri::Location;
use super::*;
use crate::read::open_input;
use object_store::memory::InMemory;
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use trace_base::Execution;
use trace_testkit::{TraceBuilder, gzip};

fn uri(text: &str) -> Uri {
    match Location::of(Path::new(text)).unwrap() {
        Location::Remote(uri) => uri,
        Location::Local(path) => panic!("{}", path.display()),
    }
}

/// Runs `work` while a bucket in memory has these objects.
fn with_bucket<T>(bucket: &str, objects: &[(&str, &[u8])], work: impl FnOnce() -> T) -> T {
    Execution::new().storage_timeout(Duration::from_millis(600)).run(|| {
        let (uri, meter) = (uri(&format!("s3://{bucket}")), Meter::default());
        let storage = Storage::here(&uri).unwrap();
        let store = Arc::new(InMemory::new());
        for (key, bytes) in objects {
            let (store, key, bytes) = (Arc::clone(&store), Key::parse(key).unwrap(), bytes.to_vec());
            storage
                .wait(&uri, &meter, async move {
                    store
                        .put(&key, bytes.into())
                        .await
                        .map(drop)
                        .map_err(|error| reason(&error, &super::tests::uri("s3://b")))
                })
                .unwrap();
        }
        storage.put_clients(
            &uri,
            Clients {
                quick: store.clone(),
                patient: store.clone(),
                transfer: store,
                endpoint: None,
                sends_credentials: true,
            },
        );
        work()
    })
}

fn names(bucket: &str, objects: &[&str], address: &str) -> Result<Vec<String>> {
    let objects: Vec<(&str, &[u8])> = objects.iter().map(|key| (*key, &b"x"[..])).collect();
    with_bucket(bucket, &objects, || Inputs::of(address).map(|inputs| inputs.files.iter().map(Input::uri).collect()))
}

#[test]
fn folder_of_a_bucket_has_the_files_of_a_local_folder() {
    let keys = [
        "run7/b.json.gz",
        "run7/a.json",
        "run7/a_with_counters.json",
        "run7/overlaid_a.json",
        "run7/notes.txt",
        "run7/deeper/c.json",
        "run70/d.json",
        "run7/überall x.json.zst",
    ];
    let folder = tempfile::tempdir().unwrap();
    for key in keys {
        let path = folder.path().join(key);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
    let local: Vec<String> = Inputs::of(folder.path().join("run7"))
        .unwrap()
        .files
        .iter()
        .map(|file| file.path.strip_prefix(folder.path()).unwrap().display().to_string())
        .collect();
    for address in ["s3://same/run7", "s3://same/run7/"] {
        let remote = names("same", &keys, address).unwrap();
        let remote: Vec<&str> = remote.iter().map(|name| name.strip_prefix("s3://same/").unwrap()).collect();
        assert_eq!(remote, local);
    }
    assert_eq!(local, ["run7/a.json", "run7/b.json.gz", "run7/überall x.json.zst"]);
}

#[test]
fn object_is_found_by_its_name() {
    assert_eq!(names("one", &["a.json", "b"], "s3://one/a.json").unwrap(), ["s3://one/a.json"]);
    assert_eq!(
        names("one", &["a.json", "b"], "s3://one/b").unwrap(),
        ["s3://one/b"],
        "by its content, as a local file"
    );
    assert_eq!(names("one", &["x/a.json/b.json"], "s3://one/x/a.json").unwrap(), ["s3://one/x/a.json/b.json"]);
    assert_eq!(names("one", &["a.json"], "s3://one").unwrap(), ["s3://one/a.json"]);
}

#[test]
fn missing_names_are_answered_with_what_there_is() {
    let message = |objects: &[&str], address: &str| names("gone", objects, address).unwrap_err().to_string();
    let near = message(&["runs/run6/a.json", "runs/run8/a.json", "runs/x.txt"], "s3://gone/runs/run7");
    assert!(near.contains("nothing of this name exists; s3://gone/runs/ has run6, run8, x.txt"), "{near}");
    let none = message(&["run7/x.txt", "run7/rank0/a.json"], "s3://gone/run7");
    assert!(none.contains("no trace file found in s3://gone/run7") && none.contains("rank0"), "{none}");
    let empty = message(&[], "s3://gone");
    assert!(empty.contains("no trace file found in s3://gone/"), "{empty}");
}

#[test]
fn patterns_match_folders_and_files() {
    let keys = ["r/run-1/a.json", "r/run-2/a.json", "r/run-3.json", "r/run-4.txt", "r/.run-5/a.json", "r/other/a.json"];
    let objects: Vec<(&str, &[u8])> = keys.iter().map(|key| (*key, &b"x"[..])).collect();
    let found = |pattern: &str| {
        with_bucket("match", &objects, || {
            let mut found: Vec<String> =
                Inputs::matches(pattern).unwrap().iter().map(|path| path.display().to_string()).collect();
            found.sort();
            found
        })
    };
    assert_eq!(found("s3://match/r/run-*"), ["s3://match/r/run-1", "s3://match/r/run-2", "s3://match/r/run-3.json"]);
    assert_eq!(found("s3://match/*/run-[12]/"), ["s3://match/r/run-1", "s3://match/r/run-2"]);
    assert_eq!(found("s3://match/r/run-1/*"), ["s3://match/r/run-1/a.json"]);
    assert_eq!(found("s3://match/r/none*"), Vec::<String>::new());
    assert_eq!(found("s3://match/r/run-1"), ["s3://match/r/run-1"]);
}

#[test]
fn texts_of_a_bucket_are_those_of_the_folder() {
    let text = |rank: i64| gzip(TraceBuilder::new().rank(rank).operator("aten::add", 0..5 + rank).json().as_bytes());
    let ranks = [text(0), text(1)];
    let folder = tempfile::tempdir().unwrap();
    let mut objects: Vec<(&str, &[u8])> = vec![("run/other.json", b"{}")];
    for (name, bytes) in [("run/rank0.json.gz", &ranks[0]), ("run/rank1.json.gz", &ranks[1])] {
        objects.push((name, bytes));
    }
    for (key, bytes) in &objects {
        std::fs::write(folder.path().join(key.strip_prefix("run/").unwrap()), bytes).unwrap();
    }
    let read = |address: &Path| -> Vec<(String, String)> {
        let meter = Meter::default();
        let inputs = Inputs::of(address).unwrap();
        let texts = inputs.files.iter().map(|file| {
            let mut text = String::new();
            open_input(file, &meter).unwrap().read_to_string(&mut text).unwrap();
            (file.path.file_name().unwrap().to_string_lossy().into_owned(), text)
        });
        texts.collect()
    };
    let local = read(folder.path());
    assert_eq!(local.len(), 3);
    with_bucket("trace", &objects, || assert_eq!(read(Path::new("s3://trace/run")), local));
}
