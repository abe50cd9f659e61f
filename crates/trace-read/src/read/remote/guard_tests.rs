//! Redirects and long answers, from servers of this process.
#![allow(clippy::unwrap_used)]

use super::super::answer::Exchange;
use super::super::redirect::Names;
use super::*;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Mutex;

/// Answers each request with what a function makes of its first line; keeps the heads.
struct Server {
    address: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answer: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let log = Arc::clone(&heard);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let lines = BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
                let head: Vec<String> = lines.collect();
                let Some(first) = head.first() else { continue };
                let answer = answer(first);
                log.lock().unwrap().push(head.join("\n").to_ascii_lowercase());
                // The client may have read enough.
                let _ = stream.write_all(&answer);
            }
        });
        Self { address, heard }
    }

    fn heads(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

fn text(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}").into_bytes()
}

fn redirect(to: &str) -> Vec<u8> {
    text("302 Found", &format!("Location: {to}\r\n"), "")
}

fn guard(scheme: Scheme) -> Guard {
    let options = ClientOptions::new().with_allow_http(true);
    let names = Arc::new(Names::default());
    let made = client(&options, Arc::clone(&names)).unwrap();
    Guard { scheme, client: made, public: client_of_public_hosts(scheme, &options).unwrap(), names }
}

fn request(url: &str) -> HttpRequest {
    let mut request = HttpRequest::new(String::new().into());
    *request.uri_mut() = url.parse().unwrap();
    for (name, value) in
        [("authorization", "Bearer secret-token"), ("x-amz-security-token", "session"), ("range", "bytes=0-9")]
    {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

/// Sends a request; its status and body, or why it was refused.
fn asked(guard: &Guard, exchange: Exchange, url: &str) -> Result<(u16, String), StorageReason> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(exchange.ask(async {
        let reason = |error: HttpError| causes(&error).find_map(|cause| cause.downcast_ref().cloned()).unwrap();
        let answer = guard.call(request(url)).await.map_err(reason)?;
        let status = answer.status().as_u16();
        Ok((status, String::from_utf8(answer.into_body().bytes().await.map_err(reason)?.to_vec()).unwrap()))
    }))
}

fn default(guard: &Guard, url: &str) -> Result<(u16, String), StorageReason> {
    asked(guard, Exchange::default(), url)
}

#[test]
fn object_storage_leads_to_no_other_host() {
    let other = Server::start(|_| text("200 OK", "", "stolen"));
    let to = format!("http://{}/b/k", other.address);
    let storage = Server::start(move |_| redirect(&to));
    for scheme in [Scheme::S3, Scheme::Gs, Scheme::Az] {
        let reason = default(&guard(scheme), &format!("http://{}/b/k", storage.address)).unwrap_err();
        let message = reason.to_string();
        assert!(
            message.starts_with(&format!("{} redirects to http://{}", storage.address, other.address)),
            "{message}"
        );
        assert!(!reason.is_transient());
    }
    assert_eq!((other.heads().len(), storage.heads().len()), (0, 3), "one request each, without a retry");
    let elsewhere = Server::start(|_| text("301 Moved", "x-amz-bucket-region: eu-north-1\r\n", ""));
    let message = default(&guard(Scheme::S3), &format!("http://{}/b/k", elsewhere.address)).unwrap_err().to_string();
    assert!(message.contains("another region, eu-north-1; set AWS_REGION"), "{message}");
}

#[test]
fn redirect_to_another_host_takes_no_secret() {
    let other = Server::start(|_| text("200 OK", "", "body"));
    let to = format!("http://{}/k", other.address);
    let first = Server::start(move |line| if line.contains("/moved") { redirect(&to) } else { redirect("/moved") });
    let answer = default(&guard(Scheme::Http), &format!("http://{}/k", first.address)).unwrap();
    assert_eq!(answer, (200, "body".to_owned()));
    let (there, here) = (other.heads().concat(), first.heads());
    assert!(!there.contains("secret-token") && !there.contains("session"), "{there}");
    assert!(there.contains("range: bytes=0-9"), "{there}");
    assert!(here.len() == 2 && here.iter().all(|head| head.contains("secret-token")), "same origin: {here:?}");
}

#[test]
fn refusal_after_a_redirect_names_the_host() {
    for (status, part) in [("404 Not Found", "nothing of this name"), ("403 Forbidden", "no credentials were sent")] {
        let other = Server::start(move |_| text(status, "", ""));
        let to = format!("http://{}/k", other.address);
        let first = Server::start(move |_| redirect(&to));
        let message = default(&guard(Scheme::Http), &format!("http://{}/k", first.address)).unwrap_err().to_string();
        assert!(
            message.contains(&format!("leads to {}, which answered: ", other.address)) && message.contains(part),
            "{message}"
        );
    }
}

#[test]
fn public_host_leads_to_no_private_one() {
    let private = Server::start(|_| text("200 OK", "", "body"));
    for to in [
        format!("http://{}/k", private.address),
        format!("http://{}/k", private.address.replace("127.0.0.1", "localhost")),
    ] {
        let first = Server::start(move |_| redirect(&to));
        let address: std::net::SocketAddr = first.address.parse().unwrap();
        // A name that the guard does not look up counts as one of the internet.
        let names = Arc::new(Names::default());
        let made = builder(&ClientOptions::new().with_allow_http(true), Arc::clone(&names)).unwrap();
        let client = made.resolve("public.test", address).build().unwrap();
        let guard = Guard { client, names, ..guard(Scheme::Http) };
        let message = default(&guard, &format!("http://public.test:{}/k", address.port())).unwrap_err().to_string();
        assert!(message.contains("an address of this machine or of a private network"), "{message}");
        assert!(message.starts_with(&format!("public.test:{} redirects to http://", address.port())), "{message}");
    }
    assert_eq!(private.heads().len(), 0);
}

#[test]
fn redirects_without_end_are_refused_by_name() {
    let server = Server::start(|_| redirect("/again"));
    let message = default(&guard(Scheme::Http), &format!("http://{}/k", server.address)).unwrap_err().to_string();
    assert!(message.contains("after as many redirects as are followed") && !message.contains("busy"), "{message}");
    assert_eq!(server.heads().len(), MOST_REDIRECTS + 1);
}

#[test]
fn long_answer_is_refused_and_object_is_not() {
    let long = Arc::new("x".repeat((16 << 20) + 1));
    let body = Arc::clone(&long);
    let server = Server::start(move |_| text("200 OK", "", &body));
    let at = |path: &str| format!("http://{}/{path}", server.address);
    let message = default(&guard(Scheme::S3), &at("b?list-type=2")).unwrap_err().to_string();
    assert!(message.contains("a page of the listing is longer than 16 MiB"), "{message}");
    let message = default(&guard(Scheme::S3), &at("latest/credentials")).unwrap_err().to_string();
    assert!(message.contains("the answer of the server is longer than 16 MiB"), "{message}");
    let message =
        asked(&guard(Scheme::S3), Exchange::object("run/a.json"), &at("latest/credentials")).unwrap_err().to_string();
    assert!(message.contains("longer than 16 MiB"), "also while an object is transferred: {message}");
    let (_, whole) = asked(&guard(Scheme::S3), Exchange::object("run/a b.json"), &at("run/a%20b.json")).unwrap();
    assert_eq!(whole.len(), long.len());
}

#[test]
fn refusal_is_cut_and_repeats_no_secret() {
    let server = Server::start(|_| text("403 Forbidden", "", &format!("secret-token session {}", "é".repeat(100_000))));
    let (status, body) = default(&guard(Scheme::S3), &format!("http://{}/b", server.address)).unwrap();
    assert_eq!(status, 403);
    assert!(body.starts_with("… session é") && body.len() <= 70_000, "{}", body.len());
}
