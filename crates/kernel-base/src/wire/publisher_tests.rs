//! Tests of the publisher with subscribers of libzmq.
#![allow(clippy::unwrap_used)]

use super::*;

const MEGABYTE: usize = 1 << 20;

/// Returns a publisher that listens, and its address.
fn listening() -> (Arc<Publisher>, String) {
    // Freed at once; other programs are unlikely to choose this port in between.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let file = tempfile::NamedTempFile::new().unwrap();
    let json = serde_json::json!({
        "ip": "127.0.0.1", "transport": "tcp", "key": "", "signature_scheme": "hmac-sha256",
        "shell_port": 1, "stdin_port": 2, "control_port": 3, "hb_port": 4, "iopub_port": port,
    });
    std::fs::write(file.path(), json.to_string()).unwrap();
    let publisher = Arc::new(Publisher::default());
    let welcome: Arc<Welcome> = Arc::new(|topic: &[u8]| Some(vec![topic.to_vec(), b"welcome".to_vec()]));
    publisher.listen(&Connection::read(file.path()).unwrap(), welcome).unwrap();
    (publisher, format!("tcp://127.0.0.1:{port}"))
}

fn subscriber(endpoint: &str, topic: &[u8], high_water_mark: i32) -> zmq::Socket {
    let socket = zmq::Context::new().socket(zmq::SUB).unwrap();
    socket.set_rcvhwm(high_water_mark).unwrap();
    socket.set_rcvbuf(64 << 10).unwrap();
    socket.set_rcvtimeo(20_000).unwrap();
    socket.set_linger(0).unwrap();
    socket.set_subscribe(topic).unwrap();
    socket.connect(endpoint).unwrap();
    assert_eq!(socket.recv_multipart(0).unwrap(), [topic.to_vec(), b"welcome".to_vec()]);
    socket
}

#[test]
fn only_the_first_subscriber_gets_earlier_answers() {
    let (publisher, endpoint) = listening();
    for (topic, is_answer) in [(&b"status"[..], false), (b"busy", true), (b"other", true), (b"idle", true)] {
        publisher.publish(vec![topic.to_vec()], is_answer);
    }
    publisher.publish(vec![b"large".to_vec(), vec![7; MOST_EARLY]], true);
    let first = subscriber(&endpoint, b"", 1000);
    let second = subscriber(&endpoint, b"", 1000);
    publisher.publish(vec![b"next".to_vec()], true);
    let next = |socket: &zmq::Socket| socket.recv_multipart(0).unwrap().swap_remove(0);
    assert_eq!([(); 4].map(|()| next(&first)), [&b"busy"[..], b"other", b"idle", b"next"]);
    assert_eq!(next(&second), b"next");
}

#[test]
fn subscribers_get_their_topics_and_welcome() {
    let (publisher, endpoint) = listening();
    let all = subscriber(&endpoint, b"", 1000);
    let some = subscriber(&endpoint, b"b", 1000);
    for topic in [&b"a1"[..], b"b1", b"", b"b2"] {
        publisher.publish(vec![topic.to_vec(), Vec::new(), vec![7; 1000]], false);
    }
    let topics = |socket: &zmq::Socket, count: usize| -> Vec<Vec<u8>> {
        (0..count).map(|_| socket.recv_multipart(0).unwrap().swap_remove(0)).collect()
    };
    assert_eq!(topics(&all, 4), [&b"a1"[..], b"b1", b"", b"b2"], "no welcome of the other");
    assert_eq!(topics(&some, 2), [b"b1", b"b2"]);
    some.set_unsubscribe(b"b").unwrap();
    drop(all);
    for _ in 0..1200 {
        if publisher.lock().len() == 1 && publisher.lock()[0].lock().topics.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("a client left, and the other wants nothing: {}", publisher.lock().len());
}

#[test]
fn stalled_subscriber_does_not_affect_others() {
    let (publisher, endpoint) = listening();
    let stalled = subscriber(&endpoint, b"", 1);
    let healthy = subscriber(&endpoint, b"", 1000);
    let large = vec![7; 10 * MEGABYTE];
    for count in 0..60_u8 {
        publisher.publish(vec![b"large".to_vec(), vec![count], large.clone()], false);
        let got = healthy.recv_multipart(0).unwrap();
        assert_eq!((got[1].as_slice(), got[2].len()), (&[count][..], large.len()));
    }
    let most = publisher.lock().iter().map(|subscriber| subscriber.in_flight.load(Ordering::Relaxed)).max().unwrap();
    assert!(most > DROP_LIMITS[0].0 && most < DROP_LIMITS[0].0 + 11 * MEGABYTE, "{most}");
    // Small messages are still queued for it.
    publisher.publish(vec![b"small".to_vec(), vec![0; 100]], false);
    let waiting = || publisher.lock().iter().filter(|subscriber| !subscriber.lock().items.is_empty()).count();
    // The healthy subscriber takes its copy within moments.
    for _ in 0..6000 {
        if waiting() == 1 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(waiting(), 1);
    // It does not wait for a subscriber that never reads.
    publisher.wait(|| false);
    let mut last = Vec::new();
    while last != b"small" {
        last = stalled.recv_multipart(0).unwrap().swap_remove(0);
    }
}

#[test]
fn other_protocols_are_disconnected() {
    use std::io::{Read, Write};
    let (publisher, endpoint) = listening();
    let address = endpoint.strip_prefix("tcp://").unwrap();
    for greeting in [&b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..], &[0xff; 64], b"\0"] {
        let mut client = std::net::TcpStream::connect(address).unwrap();
        client.write_all(greeting).unwrap();
        // It may be disconnected by now; if its bytes were not all read, the connection is reset.
        let _ = client.shutdown(std::net::Shutdown::Write);
        let _ = client.read_to_end(&mut Vec::new());
    }
    let _connected = subscriber(&endpoint, b"", 1);
    assert_eq!(publisher.lock().len(), 1);
}
