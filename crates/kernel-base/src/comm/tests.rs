#![allow(clippy::unwrap_used)]

use super::*;
use crate::Failure;
use crate::session::{LoadId, Session, SharedSnapshot, Snapshot};
use crate::sync::lock;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use trace_core::{Execution, TraceSet};

/// A message to the front end: type, content and buffers.
type Message = (String, Value, Vec<Vec<u8>>);

/// What a front end received, each with the name of the request that it answers.
#[derive(Default)]
struct Received {
    messages: Mutex<Vec<(String, Message)>>,
    changed: Condvar,
}

impl Received {
    fn add(&self, request: &str, kind: &str, content: Value, buffers: Vec<Vec<u8>>) {
        lock(&self.messages).push((request.to_owned(), (kind.to_owned(), content, buffers)));
        self.changed.notify_all();
    }

    /// Waits until a request is idle; returns what it was answered.
    fn until_idle(&self, request: &str) -> Vec<Message> {
        let is_idle =
            |messages: &[(String, Message)]| messages.iter().any(|(of, (kind, ..))| of == request && kind == "idle");
        let waited = self
            .changed
            .wait_timeout_while(lock(&self.messages), Duration::from_secs(60), |messages| !is_idle(messages));
        let (messages, _) = waited.unwrap();
        assert!(is_idle(&messages), "{request} is not idle: {:?}", *messages);
        let of_request = messages.iter().filter(|(of, (kind, ..))| of == request && kind != "idle");
        of_request.map(|(_, message)| message.clone()).collect()
    }
}

struct TestLine(String, Arc<Received>);

impl Line for TestLine {
    fn publish(&self, kind: &'static str, content: Value, buffers: Vec<Vec<u8>>) {
        self.1.add(&self.0, kind, content, buffers);
    }

    fn idle(&self) {
        self.1.add(&self.0, "idle", Value::Null, Vec::new());
    }

    fn wait(&self, _: &dyn Fn() -> bool) {}
}

/// Works as long as its messages say: `{"ms": N}`, unless it is cancelled; `{"deaf": true}` until `HEARD`. `{"panic": TEXT}` panics.
struct Slow;

static HEARD: AtomicBool = AtomicBool::new(false);

struct Slowly(Vec<LoadId>);

impl Target for Slow {
    fn name(&self) -> &'static str {
        "test.slow"
    }

    fn open(&self, request: &Value, session: &Snapshot, _: Reply) -> Result<Box<dyn Conversation>, Failure> {
        assert!(request["panic"].is_null(), "as asked");
        let about = request["about"].as_str().map(|label| session.trace(label)).transpose()?;
        Ok(Box::new(Slowly(about.into_iter().map(|loaded| loaded.id).collect())))
    }
}

impl Conversation for Slowly {
    fn message(&mut self, data: &Value, _: &[Vec<u8>], reply: &Reply) -> Result<(), Failure> {
        assert!(data["panic"].is_null(), "as asked");
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(data["ms"].as_u64().unwrap_or(0)) && !reply.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        while data["deaf"] == true && !HEARD.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        if data["fail"].is_string() {
            return Err(Failure::new("TestError", "as asked"));
        }
        reply.send(json!({"id": data["id"]}), Vec::new());
        Ok(())
    }

    fn loads(&self) -> Vec<LoadId> {
        self.0.clone()
    }
}

struct Client {
    comms: Comms,
    received: Arc<Received>,
    sent: std::cell::Cell<usize>,
}

impl Client {
    fn new(session: SharedSnapshot) -> Self {
        let targets: Vec<&'static dyn Target> = TARGETS.iter().copied().chain([&Slow as &dyn Target]).collect();
        Self {
            comms: Comms::new(targets, session, Execution::new()),
            received: Arc::default(),
            sent: Default::default(),
        }
    }

    /// Returns the name of the request.
    fn send(&self, to: fn(&Comms, Incoming), content: Value, buffers: Vec<Vec<u8>>) -> String {
        self.sent.set(self.sent.get() + 1);
        let name = self.sent.get().to_string();
        let line = Arc::new(TestLine(name.clone(), Arc::clone(&self.received)));
        let content_bytes = content.to_string().len();
        to(&self.comms, Incoming { content, content_bytes, buffers, line });
        name
    }

    fn open(&self, id: &str, target: &str, data: Value) -> Vec<Message> {
        let content = json!({"comm_id": id, "target_name": target, "data": data});
        self.received.until_idle(&self.send(Comms::open, content, Vec::new()))
    }

    fn begin(&self, id: &str, data: Value) -> String {
        self.send(Comms::message, json!({"comm_id": id, "data": data}), Vec::new())
    }

    fn ask(&self, id: &str, data: Value) -> Vec<Message> {
        self.received.until_idle(&self.begin(id, data))
    }

    fn close(&self, id: &str) {
        self.received.until_idle(&self.send(Comms::close, json!({"comm_id": id, "data": {}}), Vec::new()));
    }

    fn count(&self) -> usize {
        self.comms.info(None)["comms"].as_object().unwrap().len()
    }
}

fn client() -> Client {
    Client::new(SharedSnapshot::default())
}

/// Returns the name of the error with which the only answer closes the conversation.
fn closed_with(answers: &[Message]) -> String {
    let [(kind, content, _)] = answers else { unreachable!("{answers:?}") };
    assert_eq!(kind, "comm_close");
    content["data"]["error"]["ename"].as_str().unwrap().to_owned()
}

#[test]
fn buffers_go_both_ways() {
    let client = client();
    assert_eq!(client.open("a", "tracebook.echo", json!({"x": 1}))[0].1, json!({"comm_id": "a", "data": {"x": 1}}));
    let buffers = vec![vec![0, 255], Vec::new(), vec![7; 100_000]];
    let content = json!({"comm_id": "a", "data": {"id": 5}});
    let answers = client.received.until_idle(&client.send(Comms::message, content.clone(), buffers.clone()));
    assert_eq!(answers, [("comm_msg".to_owned(), content, buffers)]);
    assert_eq!(client.comms.info(Some("tracebook.echo"))["comms"], json!({"a": {"target_name": "tracebook.echo"}}));
    assert_eq!(client.comms.info(Some("other"))["comms"], json!({}));
    client.close("a");
    assert_eq!(client.count(), 0);
    assert_eq!(closed_with(&client.ask("a", json!({}))), "NotOpen");
}

#[test]
fn invalid_messages_are_refused() {
    let client = client();
    assert_eq!(closed_with(&client.open("a", "other", json!({}))), "UnknownTarget");
    assert_eq!(closed_with(&client.open("a", "tracebook.echo", json!([1]))), "ProtocolError");
    client.open("a", "test.slow", json!({}));
    assert_eq!(
        client.ask("a", json!({"id": 1, "fail": "x"}))[0].1["data"],
        json!({"type": "error", "id": 1, "ename": "TestError", "message": "as asked"})
    );
    assert_eq!(client.ask("a", json!(7))[0].1["data"]["ename"], "ProtocolError");
    assert_eq!(client.ask("a", json!({"x": "x".repeat(5 << 20)}))[0].1["data"]["ename"], "MessageTooLarge");
    assert_eq!(client.count(), 1);
    assert_eq!(closed_with(&client.open("a", "tracebook.echo", json!({}))), "ProtocolError");
    assert_eq!(client.count(), 0, "both sides gave it up");
    for content in [json!({}), json!({"comm_id": 7}), json!({"comm_id": ""}), json!({"comm_id": "x".repeat(300)})] {
        assert!(client.received.until_idle(&client.send(Comms::open, content, Vec::new())).is_empty());
    }
}

#[test]
fn panic_closes_only_its_own_conversation() {
    let client = client();
    client.open("a", "test.slow", json!({}));
    client.open("b", "test.slow", json!({}));
    assert_eq!(closed_with(&client.open("c", "test.slow", json!({"panic": "now"}))), "InternalError");
    assert_eq!(closed_with(&client.ask("a", json!({"panic": "now"}))), "InternalError");
    assert_eq!(client.ask("b", json!({"id": 3}))[0].1["data"]["id"], 3);
    assert_eq!(client.count(), 1);
}

#[test]
fn newer_message_replaces_older_ones() {
    let client = client();
    client.open("a", "test.slow", json!({}));
    let ask = |id: u64, ms: u64| client.begin("a", json!({"id": id, "ms": ms, "replaces": "window"}));
    let other = client.begin("a", json!({"id": 0, "ms": 1}));
    let older: Vec<String> = (1..50).map(|id| ask(id, 60_000)).collect();
    let newest = ask(99, 1);
    assert_eq!(client.received.until_idle(&newest)[0].1["data"]["id"], 99);
    for (id, older) in (1..50).zip(&older) {
        assert_eq!(client.received.until_idle(older)[0].1["data"], json!({"type": "skipped", "id": id}));
    }
    assert_eq!(client.received.until_idle(&other)[0].1["data"]["id"], 0);
}

#[test]
fn closed_work_leaves_its_thread_to_others() {
    let client = client();
    let ids: Vec<String> = (0..8).map(|n| n.to_string()).collect();
    for id in &ids {
        client.open(id, "test.slow", json!({}));
    }
    for id in &ids {
        client.begin(id, json!({"deaf": true}));
    }
    for id in &ids {
        client.close(id);
    }
    client.open("a", "test.slow", json!({}));
    assert_eq!(client.ask("a", json!({"id": 1}))[0].1["data"]["id"], 1);
    HEARD.store(true, Ordering::Relaxed);
}

#[test]
fn too_much_is_refused() {
    let client = client();
    client.open("a", "test.slow", json!({}));
    client.begin("a", json!({"ms": 60_000}));
    let sent: Vec<String> = (0..300).map(|id| client.begin("a", json!({"id": id}))).collect();
    let reasons: Vec<String> = sent.iter().flat_map(|name| client.received.until_idle(name)).map(|it| it.0).collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|kind| kind == "comm_close"), "{reasons:?}");
}

#[test]
fn conversation_that_was_not_used_makes_room() {
    let client = client();
    for n in 0..600 {
        client.open(&n.to_string(), "tracebook.echo", json!({}));
        if n >= 5 {
            assert_eq!(client.ask("5", json!({"id": n}))[0].1["data"]["id"], n);
        }
    }
    assert_eq!(client.count(), 512);
    assert_eq!(closed_with(&client.ask("20", json!({}))), "NotOpen");
    let evicted = lock(&client.received.messages).iter().filter(|(_, (kind, ..))| kind == "comm_close").count();
    assert_eq!(evicted, 600 - 512 + 1);
}

#[test]
fn conversation_ends_with_its_trace() {
    let trace = |label: &str| {
        let json =
            r#"{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}"#;
        Arc::new(TraceSet::from_bytes(json).unwrap().with_label(label))
    };
    let mut session = Session::default();
    let client = Client::new(session.shared());
    assert_eq!(closed_with(&client.open("a", "test.slow", json!({"about": "control"}))), "UsageError");
    let control = trace("control");
    let (weak, mapped) = (Arc::downgrade(&control), trace("control"));
    session.insert(Arc::clone(&control), "control.json".into());
    session.insert(trace("test"), "test.json".into());
    let answer = &client.open("b", "tracebook.session", json!({}))[0].1["data"];
    assert_eq!((&answer["traces"][0]["label"], &answer["traces"][1]["events"]), (&json!("control"), &json!(1)));
    client.open("a", "test.slow", json!({"about": "control"}));
    session.replace(vec![(control, Arc::clone(&mapped))]);
    assert_eq!((client.count(), weak.strong_count()), (2, 0), "the same trace, mapped");
    session.remove("test");
    assert_eq!(client.count(), 2);
    session.insert(trace("control"), "control.json".into());
    assert_eq!(client.comms.info(None)["comms"], json!({"b": {"target_name": "tracebook.session"}}));
    assert_eq!(Arc::strong_count(&mapped), 1);
}

#[test]
fn timeline_answers_and_its_selection_is_kept() {
    let trace = trace_testkit::TraceBuilder::new().operator("aten::mm", 0..10).operator("aten::add", 20..30);
    let trace = TraceSet::from_bytes(trace.json()).unwrap().with_label("a");
    let open = trace_core::TimelineQuery::new(&trace).run().unwrap().to_json()["open"].clone();
    let mut session = Session::default();
    session.insert(Arc::new(trace), "a.json".into());
    let client = Client::new(session.shared());
    let opened = client.open("1", "tracebook.timeline", open.clone());
    assert_eq!(opened[0].1["data"], json!({"type": "ready"}));
    let view = json!({"type": "view", "id": 7, "start": 0, "end": 30_000, "width_px": 100});
    let answered = &client.ask("1", view)[0];
    assert_eq!((&answered.1["data"]["id"], &answered.1["data"]["tracks"]), (&json!(7), &json!([[0, 0, 2]])));
    assert_eq!(answered.2.len(), 10);
    client.ask("1", json!({"type": "selection", "id": 8, "start": 0, "end": 10_000, "lanes": [0]}));
    assert!(session.shared().selection().unwrap().contains("ts < 10000ns"));
    session.remove("a");
    let gone = &client.open("2", "tracebook.timeline", open)[0];
    assert_eq!(gone.0, "comm_close");
    assert!(gone.1["data"].to_string().contains("a is not loaded"), "{}", gone.1);
}
