#![allow(clippy::unwrap_used)]
use super::super::describe;
use super::super::server::{Manner, Server};
use super::super::uri::Location;
use super::*;
use crate::Error;
use crate::error::StorageError;
use std::path::Path;
use std::sync::atomic::Ordering;
use trace::{Execution, TraceSet};
use trace_testkit::{Random, TraceBuilder, gzip};

/// All tests of storage share it, and with it the thread of requests.
const TIMEOUT: Duration = Duration::from_millis(600);

fn bytes(length: usize) -> Vec<u8> {
    let mut random = Random::new(11);
    (0..length).map(|_| random.below(256) as u8).collect()
}

fn uri(url: &str) -> Uri {
    match Location::of(Path::new(url)).unwrap() {
        Location::Remote(uri) => uri,
        Location::Local(path) => panic!("{}", path.display()),
    }
}

/// Transfers the file of a server; the bytes before an error, and its reason.
fn transferred(server: &Server) -> (Vec<u8>, Option<StorageReason>) {
    Execution::new().storage_timeout(TIMEOUT).run(|| {
        let (uri, meter) = (uri(&server.url("a.bin")), Meter::default());
        let input = describe(&uri, &meter).unwrap();
        read(&uri, &input, &meter)
    })
}

fn read(uri: &Uri, input: &Input, meter: &Meter) -> (Vec<u8>, Option<StorageReason>) {
    let mut reader = open(uri, input, meter).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 50_000];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return (bytes, None),
            Ok(length) => bytes.extend_from_slice(&buffer[..length]),
            Err(error) => return (bytes, error.get_ref().and_then(|inner| inner.downcast_ref()).cloned()),
        }
    }
}

#[test]
fn transfer_continues_where_it_broke() {
    let body = bytes(900_000);
    for etag in [None, Some("\"1\"")] {
        let server = Server::start(Manner { etag, cut: 400_000, ..Manner::of(&body) });
        let (read, error) = transferred(&server);
        assert!(read == body, "{etag:?} {} {error:?}", read.len());
        assert_eq!((error, server.gets.load(Ordering::Relaxed)), (None, 3), "{etag:?}");
    }
}

#[test]
fn transfer_that_ends_early_names_the_byte() {
    let body = bytes(600_000);
    for manner in [
        Manner { cut: 200_000, has_ranges: false, ..Manner::of(&body) },
        Manner { end: 200_000, ..Manner::of(&body) },
        Manner { end: 200_000, etag: Some("\"1\""), ..Manner::of(&body) },
    ] {
        let (read, error) = transferred(&Server::start(manner));
        assert!(read == body[..200_000], "{} {error:?}", read.len());
        let error = error.unwrap();
        assert!(matches!(error, StorageReason::CutShort { byte: 200_000, bytes: 600_000, .. }), "{error:?}");
        assert!(error.is_transient(), "{error}");
    }
}

#[test]
fn server_that_repeats_the_start_is_noticed() {
    let body = bytes(600_000);
    let server = Server::start(Manner { cut: 200_000, has_ranges: false, etag: Some("\"1\""), ..Manner::of(&body) });
    let error = transferred(&server).1.unwrap();
    assert!(matches!(error, StorageReason::CutShort { .. }), "{error}");
}

#[test]
fn other_content_than_described_is_refused() {
    let server = Server::start(Manner { etag: Some("\"new\""), ..Manner::of(&bytes(1000)) });
    let (uri, meter) = (uri(&server.url("a.bin")), Meter::default());
    let found = Execution::new().storage_timeout(TIMEOUT).run(|| describe(&uri, &meter).unwrap());
    for other in [Input { etag: Some("\"old\"".to_owned()), ..found.clone() }, Input { size: 999, ..found.clone() }] {
        let (read, error) = Execution::new().storage_timeout(TIMEOUT).run(|| read(&uri, &other, &meter));
        assert_eq!((read.len(), error), (0, Some(StorageReason::Changed)));
    }
    let weak = Input { etag: Some("W/\"new\"".to_owned()), ..found };
    assert_eq!(Execution::new().storage_timeout(TIMEOUT).run(|| read(&uri, &weak, &meter)).0.len(), 1000);
}

#[test]
fn cancelled_read_ends_at_once() {
    let server = Server::start(Manner { cut: 1000, stalls: true, ..Manner::of(&bytes(100_000)) });
    let meter = Meter::default();
    Execution::new().storage_timeout(Duration::from_secs(600)).run(|| {
        let uri = uri(&server.url("a.bin"));
        let mut reader = open(&uri, &describe(&uri, &meter).unwrap(), &meter).unwrap();
        let mut buffer = [0; 1000];
        reader.read_exact(&mut buffer).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                meter.stop.store(true, Ordering::Relaxed);
            });
            assert_eq!(reader.read(&mut buffer).unwrap_err().kind(), ErrorKind::ConnectionAborted);
        });
    });
}

#[test]
fn only_some_bytes_are_received_ahead() {
    let server = Server::start(Manner::of(&vec![7; 96 << 20]));
    let meter = Meter::default();
    Execution::new().storage_timeout(TIMEOUT).run(|| {
        let uri = uri(&server.url("a.bin"));
        let mut reader = open(&uri, &describe(&uri, &meter).unwrap(), &meter).unwrap();
        reader.read_exact(&mut [0; 10]).unwrap();
        let (mut before, mut now) = (usize::MAX, 0);
        while before != now {
            std::thread::sleep(Duration::from_millis(150));
            (before, now) = (now, server.sent.load(Ordering::Relaxed));
        }
        // The buffers of both sockets take some, too.
        assert!(now < 40 << 20, "{now}");
    });
}

#[test]
fn refusals_have_reasons() {
    let reason = |url: &str| {
        let load = || TraceSet::load(url).unwrap_err();
        match Execution::new().storage_timeout(Duration::from_millis(600)).run(load) {
            Error::Storage(StorageError::Refused { reason, .. }) => reason,
            other => panic!("{url}: {other}"),
        }
    };
    let of = |status: &'static str| {
        let server = Server::start(Manner { status: Some(status), ..Manner::of(b"") });
        reason(&server.url("a.json"))
    };
    assert!(matches!(of("404 Not Found"), StorageReason::NotFound { .. }));
    for status in ["403 Forbidden", "401 Unauthorized"] {
        assert!(matches!(of(status), StorageReason::DeniedToAnyone { .. }), "web servers are sent no credentials");
    }
    let busy = of("503 Slow Down");
    assert!(matches!(busy, StorageReason::Busy { .. }) && busy.is_transient(), "{busy}");
    assert!(of("501 Not Implemented").to_string().contains("check the endpoint"));
    assert!(matches!(reason("http://127.0.0.1:1/a.json"), StorageReason::NoConnection { .. }));
    let no_host = reason("http://no-such-host.invalid/a.json");
    assert!(matches!(no_host, StorageReason::NoHost { .. }), "{no_host:?}");
    assert!(matches!(reason("http://127.0.0.1:1/folder/"), StorageReason::NoListing));
}

#[test]
fn trace_of_a_web_server_is_that_of_its_file() {
    let text = TraceBuilder::new().operator("aten::add", 0..5).operator("aten::mul", 5..9).json();
    let name = "rank 0%.json.gz";
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), gzip(text.as_bytes())).unwrap();
    let server = Server::start(Manner { cut: 60, ..Manner::of(&gzip(text.as_bytes())) });
    let remote =
        Execution::new().storage_timeout(TIMEOUT).run(|| TraceSet::load(server.url("rank%200%25.json.gz")).unwrap());
    let local = TraceSet::load(folder.path().join(name)).unwrap();
    assert!(remote.events().equals_missing(&local.events()));
    let instants = remote.instants().unwrap();
    assert!(instants.equals_missing(&local.instants().unwrap()), "read again from the server");
    assert_eq!(remote.label(), "rank%200%25");
    let of_file = TraceSet::load(format!("file://{}/rank%200%25.json.gz", folder.path().display())).unwrap();
    assert!(of_file.events().equals_missing(&local.events()));
}

#[test]
fn cut_transfer_is_no_truncated_trace() {
    let text = TraceBuilder::new().operator("aten::add", 0..5).operator("aten::mul", 5..9).json();
    for body in [gzip(text.as_bytes()), text.into_bytes(), zstd::encode_all(&b"{\"traceEvents\": []}"[..], 1).unwrap()]
    {
        let server = Server::start(Manner { end: 12, ..Manner::of(&body) });
        let load = || TraceSet::load(server.url("a.json")).unwrap_err();
        let error = Execution::new().storage_timeout(TIMEOUT).run(load);
        let message = error.to_string();
        assert!(message.contains(&format!("/a.json: the transfer ended at byte 12 of {}", body.len())), "{message}");
        assert!(error.is_transient());
    }
}
