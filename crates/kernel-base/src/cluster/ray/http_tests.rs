//! The calls against a small server in this process: what each answer becomes.
#![allow(clippy::unwrap_used)]

use super::super::engine::Ray;
use super::super::interrupt::pause_before;
use super::*;
use crate::cluster::choice::Needs;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use trace_core::task::{Bundle, Engine, Input, Job, JobSpec};

/// Method and path of a request, its header `Authorization`, and its body.
type Request = (String, String, Vec<u8>);

/// The status of an answer that does not come.
const HANGS: u16 = 0;

/// Answers requests in turn; the last answer stays.
struct Server {
    address: String,
    heard: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers each path that begins so with these, in order.
    fn start(answers: &[(&str, u16, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<Request>>> = Arc::default();
        let mut left: BTreeMap<String, VecDeque<(u16, String)>> = BTreeMap::new();
        for (path, status, body) in answers {
            left.entry((*path).to_owned()).or_default().push_back((*status, (*body).to_owned()));
        }
        let record = Arc::clone(&heard);
        std::thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let (mut first, mut token, mut length) = (String::new(), String::new(), 0);
                stream.read_line(&mut first).unwrap();
                loop {
                    let mut line = String::new();
                    if stream.read_line(&mut line).unwrap_or(0) < 3 {
                        break;
                    }
                    match line.trim().split_once(": ") {
                        Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                            length = value.parse().unwrap()
                        }
                        Some((name, value)) if name.eq_ignore_ascii_case("authorization") => token = value.to_owned(),
                        _ => {}
                    }
                }
                let mut body = vec![0; length];
                stream.read_exact(&mut body).unwrap();
                let request = first.rsplit_once(' ').map_or(String::new(), |(request, _)| request.to_owned());
                let found = left.iter_mut().filter(|(path, _)| request.starts_with(path.as_str()));
                let answers = found.max_by_key(|(path, _)| path.len()).map(|(_, answers)| answers);
                let (status, text) = answers.map_or((404, String::new()), |answers| {
                    if answers.len() > 1 { answers.pop_front().unwrap() } else { answers[0].clone() }
                });
                record.lock().unwrap().push((request, token, body));
                if status == HANGS {
                    open.push(stream);
                    continue;
                }
                let head =
                    format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", text.len());
                // The client may have gone.
                let _ = stream.get_mut().write_all((head + &text).as_bytes());
            }
        });
        Self { address, heard }
    }

    fn http(&self, token: Option<Token>) -> Http {
        Http::new(Address::of(&self.address).unwrap(), token).unwrap()
    }

    fn heard(&self, path: &str) -> usize {
        self.heard.lock().unwrap().iter().filter(|(request, ..)| request.starts_with(path)).count()
    }

    /// Tells whether it got a POST to a path with this end.
    fn posted(&self, end: &str) -> bool {
        let heard = self.heard.lock().unwrap();
        heard.iter().any(|(request, ..)| request.starts_with("POST") && request.ends_with(end))
    }
}

const VERSION: (&str, u16, &str) = ("GET /api/version", 200, r#"{"version": "4", "ray_version": "2.60.0"}"#);

#[test]
fn refusals_name_the_fix() {
    let reason = |status: u16, body: &str| {
        Server::start(&[("GET /api/version", status, body)]).http(None).version().unwrap_err().reason
    };
    assert!(reason(401, "").contains("wants a token (401"), "{}", reason(401, ""));
    assert!(reason(401, "").contains("RAY_AUTH_TOKEN_PATH"));
    assert!(reason(200, "<html>").contains("no Ray dashboard"));
    assert!(reason(404, "").contains("port 8265"));
    let silent = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let http = Http::new(Address::of(&format!("http://{silent}")).unwrap(), None).unwrap();
    let refusal = http.version().unwrap_err();
    assert!(refusal.is_passing && refusal.reason.contains("`ray[default]`"), "{}", refusal.reason);
    let server =
        Server::start(&[("PUT /api/packages", 413, ""), ("POST /api/jobs", 400, "Traceback\nno such runtime_env")]);
    let http = server.http(None);
    assert!(http.put_package("p", vec![0; 10]).unwrap_err().reason.contains("TRACEBOOK_TASK_PROGRAM"));
    assert!(http.submit(&json!({})).unwrap_err().reason.contains("no such runtime_env"));
    assert_eq!(server.http(None).job("none").unwrap(), None);
}

/// The engine at a server, without a program to ship.
fn ray(server: &Server) -> Ray {
    Ray::connect_with(Address::of(&server.address).unwrap(), Needs::default(), None, Some("/program".to_owned()))
        .unwrap()
}

fn asked(ray: &Ray, is_interrupted: &dyn Fn() -> bool) -> trace_core::Result<trace_core::task::Ran> {
    let plan: JobSpec = serde_json::from_value(json!({
        "build": ray.build(), "question": "describe", "traces": [], "most_bytes": 1000
    }))
    .unwrap();
    let input = Input { uri: "/r".to_owned(), at: 0, bytes: 5, modified: None, trace: 0 };
    let bundles = [Bundle { inputs: vec![input], weight: 5, node: None }];
    ray.run(&Job { spec: &plan, bundles: Some(&bundles), label: "job", is_interrupted })
}

/// Asks, and interrupts once a job is submitted.
fn interrupt_once_submitted(server: &Server) {
    let submitted = || server.heard("POST /api/jobs/") > 0;
    assert!(matches!(asked(&ray(server), &submitted), Err(trace_core::Error::Interrupted)));
}

fn log_of(lines: &[serde_json::Value]) -> String {
    let text: String = lines.iter().map(|line| format!("tracebook: {line}\n(raylet) noise\n")).collect();
    json!({"logs": text}).to_string()
}

#[test]
fn a_job_is_sent_polled_and_read() {
    let sha = {
        use sha2::{Digest, Sha256};
        hex::encode(Sha256::digest(b"state"))
    };
    let (started, progress) = (
        json!({"event": "started", "nodes": 3, "slots": 2}),
        json!({"event": "progress", "done": 5, "whole": 5, "tasks": 1, "failed": 0}),
    );
    let state = json!({"event": "state", "bytes": 5, "sha256": sha, "base64": "c3RhdGU="});
    let (half, whole) = (log_of(std::slice::from_ref(&started)), log_of(&[started, progress, state]));
    let server = Server::start(&[
        VERSION,
        ("GET /api/packages", 404, ""),
        ("GET /api/packages", 200, ""),
        ("PUT /api/packages", 200, ""),
        ("POST /api/jobs/", 200, "{}"),
        ("GET /api/jobs/", 404, ""),
        ("GET /api/jobs/", 200, r#"{"status": "PENDING"}"#),
        ("GET /api/jobs/", 503, "busy"),
        ("GET /api/jobs/", 200, r#"{"status": "RUNNING"}"#),
        ("GET /api/jobs/", 200, &half),
        ("GET /api/jobs/", 200, r#"{"status": "SUCCEEDED"}"#),
        ("GET /api/jobs/", 200, &half),
        ("GET /api/jobs/", 200, r#"{"status": "SUCCEEDED"}"#),
        ("GET /api/jobs/", 200, &whole),
    ]);
    let ray = ray(&server);
    let ran = asked(&ray, &|| false).unwrap();
    assert_eq!((ran.state.as_slice(), ran.failed.len()), (&b"state"[..], 0));
    assert_eq!((ray.size(), ray.slots(), ray.jobs().len()), ("3 nodes, 2 slots".to_owned(), 2, 1));
    assert_eq!((server.heard("PUT"), server.heard("GET /api/packages")), (1, 2), "one GET pins what was sent");
    let heard = server.heard.lock().unwrap();
    let (_, _, body) = heard.iter().find(|(request, ..)| request.starts_with("POST")).unwrap();
    let request: Value = serde_json::from_slice(body).unwrap();
    assert_eq!(request["entrypoint"], "exec python driver.py");
    assert!(request["runtime_env"].get("py_modules").is_none(), "an empty list fails the job");
    assert!(request["runtime_env"].get("env_vars").is_none() && request.get("entrypoint_num_cpus").is_none());
}

#[test]
fn jobs_that_fail_say_why() {
    let failed = |job: &str, log: &str| {
        let server = Server::start(&[
            VERSION,
            ("GET /api/packages", 200, ""),
            ("POST /api/jobs/", 200, "{}"),
            ("GET /api/jobs/", 404, ""),
            ("GET /api/jobs/", 200, job),
            ("GET /api/jobs/", 200, log),
        ]);
        asked(&ray(&server), &|| false).unwrap_err().to_string()
    };
    let broken = r#"{"status": "FAILED", "message": "runtime_env setup failed: no package"}"#;
    let of = |text: &str| json!({"logs": text}).to_string();
    assert!(failed(broken, &of("")).contains("the job failed: runtime_env setup failed: no package"));
    assert!(failed(broken, &of("ModuleNotFoundError: No module named 'ray'")).contains("TRACEBOOK_RAY_PYTHON"));
    let fatal = log_of(&[json!({"event": "fatal", "reason": "no node of the cluster can run a task: it needs x"})]);
    let message = failed(r#"{"status": "FAILED"}"#, &fatal);
    assert!(message.starts_with("Ray 2.60.0 at 127.0.0.1:") && message.ends_with("it needs x"), "{message}");
    let wrong = log_of(&[json!({"event": "state", "bytes": 5, "sha256": "00", "base64": "c3RhdGU="})]);
    assert!(failed(r#"{"status": "SUCCEEDED"}"#, &wrong).contains("another SHA-256"));
    assert!(failed(r#"{"status": "STOPPED"}"#, &of("")).contains("stopped from outside"));
}

#[test]
fn an_interrupt_stops_the_job() {
    let server = Server::start(&[
        VERSION,
        ("GET /api/packages", 200, ""),
        ("POST /api/jobs/", 200, "{}"),
        ("GET /api/jobs/", 404, ""),
        ("GET /api/jobs/", 200, r#"{"status": "PENDING"}"#),
    ]);
    interrupt_once_submitted(&server);
    assert!(server.posted("/stop"), "{:?}", server.heard.lock().unwrap());
}

#[test]
fn found_job_that_another_process_stops_is_submitted_again() {
    let server = Server::start(&[
        VERSION,
        ("GET /api/packages", 200, ""),
        ("GET /api/jobs/", 200, r#"{"status": "PENDING"}"#),
        ("GET /api/jobs/", 200, r#"{"status": "STOPPED"}"#),
        ("GET /api/jobs/", 200, r#"{"logs": ""}"#),
        ("GET /api/jobs/", 200, r#"{"status": "STOPPED"}"#),
        ("GET /api/jobs/", 404, ""),
        ("POST /api/jobs/", 200, "{}"),
        ("GET /api/jobs/", 200, r#"{"status": "PENDING"}"#),
    ]);
    interrupt_once_submitted(&server);
    assert!(server.posted("/jobs/"), "{:?}", server.heard.lock().unwrap());
}

#[test]
fn job_that_has_not_started_is_stopped_once_it_starts() {
    let server = Server::start(&[
        VERSION,
        ("GET /api/packages", 200, ""),
        ("POST /api/jobs/", 200, "{}"),
        ("POST /api/jobs/", 200, r#"{"stopped": false}"#),
        ("POST /api/jobs/", 200, r#"{"stopped": false}"#),
        ("POST /api/jobs/", 200, r#"{"stopped": true}"#),
        ("GET /api/jobs/", 404, ""),
        ("GET /api/jobs/", 200, r#"{"status": "PENDING"}"#),
    ]);
    interrupt_once_submitted(&server);
    assert_eq!(server.heard("POST /api/jobs/"), 4);
}

#[test]
fn long_answers_are_refused_by_name() {
    let huge = "x".repeat((1 << 20) + 1);
    for path in ["GET /api/version", "GET /api/packages", "POST /api/jobs/"] {
        let http = Server::start(&[(path, 200, &huge)]).http(None);
        let refusal = match path {
            "GET /api/version" => http.version().unwrap_err(),
            "GET /api/packages" => http.has_package("p").unwrap_err(),
            _ => http.submit(&json!({})).unwrap_err(),
        };
        assert!(refusal.reason.contains("has more than 1 MiB") && !refusal.is_passing, "{path} {}", refusal.reason);
    }
    let http = Server::start(&[("GET /api/jobs/", 200, &"x".repeat((16 << 20) + 1))]).http(None);
    assert!(http.job("x").unwrap_err().reason.contains("the state of the job has more than 16 MiB"));
    let reason = http.log("x", 1000).unwrap_err().reason;
    assert!(reason.contains("the log of the job has more than 1000 B"), "{reason}");
}

#[test]
fn long_refusals_are_cut() {
    let http = Server::start(&[("POST /api/jobs/", 400, &"é".repeat(1 << 20))]).http(None);
    let reason = http.submit(&json!({})).unwrap_err().reason;
    assert!(reason.contains("400") && reason.chars().count() < 700, "{reason}");
    let http =
        Server::start(&[("GET /api/version", 200, &json!({"ray_version": "2".repeat(41)}).to_string())]).http(None);
    assert!(http.version().unwrap_err().reason.contains("no Ray dashboard"));
}

#[test]
fn secrets_in_answers_are_not_shown() {
    let token = || Token::of(|_| Some("cluster-token".into()), None);
    let body = "no: cluster-token of http://me:pw@head?key=k, Authorization: Bearer other-token";
    let server =
        Server::start(&[("POST /api/jobs/", 400, body), ("GET /api/jobs/", 200, &log_of(&[json!("cluster-token")]))]);
    let http = server.http(token());
    let reason = http.submit(&json!({})).unwrap_err().reason;
    assert!(reason.contains("no: … of http://…@head"), "{reason}");
    for secret in ["cluster-token", "pw", "key=k", "other-token"] {
        assert!(!reason.contains(secret), "{reason}");
    }
    assert!(!http.log("x", 10_000).unwrap().contains("cluster-token"));
}

#[test]
fn dashboard_that_contradicts_itself_is_left_soon() {
    let server = Server::start(&[
        VERSION,
        ("GET /api/packages", 200, ""),
        ("POST /api/jobs/", 500, "job already exists"),
        ("GET /api/jobs/", 404, ""),
    ]);
    let message = asked(&ray(&server), &|| false).unwrap_err().to_string();
    assert!(message.contains("exists, and does not know it"), "{message}");
    assert_eq!((server.heard("POST /api/jobs/"), server.heard("GET /api/jobs/")), (4, 4));
    let pauses: Vec<u128> = [0, 7, 8, 9, 17, 400].map(|attempt| pause_before(attempt).as_millis()).to_vec();
    assert_eq!(pauses, [0, 0, 100, 200, 1000, 1000]);
}

#[test]
fn interrupt_while_the_log_hangs_stops_the_job() {
    let server = Server::start(&[
        VERSION,
        ("GET /api/packages", 200, ""),
        ("POST /api/jobs/", 200, "{}"),
        ("GET /api/jobs/", 404, ""),
        ("GET /api/jobs/", 200, r#"{"status": "RUNNING"}"#),
        ("GET /api/jobs/", HANGS, ""),
    ]);
    let ray = ray(&server);
    let hangs = || server.heard("GET /api/jobs/") > 2;
    assert!(matches!(asked(&ray, &hangs), Err(trace_core::Error::Interrupted)));
    let heard = server.heard.lock().unwrap();
    assert!(heard.iter().any(|(request, ..)| request.starts_with("POST") && request.ends_with("/stop")), "{heard:?}");
}

#[test]
fn a_token_goes_nowhere_but_to_its_cluster() {
    let token = || Token::of(|_| Some("secret".into()), None);
    let server = Server::start(&[VERSION, ("GET /api/jobs/", 403, "")]);
    let http = server.http(token());
    http.version().unwrap();
    assert_eq!(server.heard.lock().unwrap()[0].1, "Bearer secret");
    let refused = http.job("x").unwrap_err().reason;
    assert!(refused.contains("was refused (403") && !refused.contains("secret"), "{refused}");
    assert!(!format!("{http:?}").contains("secret"));
    let far = Http::new(Address::of("http://ray.example:8265").unwrap(), token()).unwrap();
    assert!(far.refused(StatusCode::UNAUTHORIZED, false).contains("ssh -L 8265:localhost:8265"));
}
