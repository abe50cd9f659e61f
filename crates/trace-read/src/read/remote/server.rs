//! A web server of one file for tests, which can do wrong what networks and servers do wrong.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How the server behaves.
#[derive(Clone)]
pub(super) struct Manner {
    pub(super) body: Vec<u8>,
    pub(super) etag: Option<&'static str>,
    /// Whether it sends parts of the file.
    pub(super) has_ranges: bool,
    /// How many bytes a connection sends before it is cut.
    pub(super) cut: usize,
    /// How many bytes of the file are ever sent.
    pub(super) end: usize,
    /// Whether it waits where it would cut.
    pub(super) stalls: bool,
    /// The status of all answers, instead of the file.
    pub(super) status: Option<&'static str>,
}

impl Manner {
    pub(super) fn of(body: &[u8]) -> Self {
        let end = usize::MAX;
        Self { body: body.to_vec(), etag: None, has_ranges: true, cut: end, end, stalls: false, status: None }
    }
}

pub(super) struct Server {
    port: u16,
    pub(super) gets: Arc<AtomicUsize>,
    pub(super) sent: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Server {
    pub(super) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (gets, sent) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let stop = Arc::new(AtomicBool::new(false));
        {
            let (gets, sent, stop) = (Arc::clone(&gets), Arc::clone(&sent), Arc::clone(&stop));
            std::thread::spawn(move || {
                for connection in listener.incoming().flatten() {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let (manner, gets, sent, stop) = (manner.clone(), gets.clone(), sent.clone(), stop.clone());
                    std::thread::spawn(move || answer(&connection, &manner, &gets, &sent, &stop));
                }
            });
        }
        Self { port, gets, sent, stop }
    }

    pub(super) fn url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }
}

/// Answers one request, and closes the connection.
fn answer(
    mut to: &TcpStream,
    manner: &Manner,
    gets: &AtomicUsize,
    sent: &AtomicUsize,
    stop: &AtomicBool,
) -> Option<()> {
    let mut lines = BufReader::new(to).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let is_head = lines.next()?.starts_with("HEAD");
    let range =
        lines.filter_map(|line| Some(line.to_ascii_lowercase().strip_prefix("range: bytes=")?.to_owned())).last();
    gets.fetch_add(usize::from(!is_head), Ordering::Relaxed);
    if let Some(status) = manner.status {
        return write!(to, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").ok();
    }
    let size = manner.body.len();
    let start =
        range.filter(|_| manner.has_ranges).and_then(|range| range.split('-').next()?.parse().ok()).unwrap_or(0);
    let mut head = format!("Content-Length: {}\r\nConnection: close\r\n", size - start);
    if let Some(etag) = manner.etag {
        head.push_str(&format!("ETag: {etag}\r\n"));
    }
    if start > 0 {
        head.push_str(&format!("Content-Range: bytes {start}-{}/{size}\r\n", size - 1));
    }
    let status = if start > 0 { "206 Partial Content" } else { "200 OK" };
    write!(to, "HTTP/1.1 {status}\r\n{head}\r\n").ok()?;
    if is_head {
        return Some(());
    }
    let end = size.min(start.saturating_add(manner.cut)).min(manner.end);
    for piece in manner.body.get(start..end)?.chunks(16 << 10) {
        to.write_all(piece).ok()?;
        sent.fetch_add(piece.len(), Ordering::Relaxed);
    }
    while manner.stalls && end < size && !stop.load(Ordering::Relaxed) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Some(())
}
