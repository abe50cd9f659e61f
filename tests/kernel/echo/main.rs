//! A kernel whose "Rust" is a toy language without a compiler: one command per line. The protocol tests use it where a
//! cell must take a given time, print given bytes or ask for input, to the millisecond and on any machine.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod targets;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use trace::polars::prelude::DataFrame;
use trace_view::Bundle;
use tracebook::Failure;
use tracebook::display::{Output, Sink};
use tracebook::engine::{Engine, Stop};
use tracebook::session::{Binding, Cells, Variable};

/// `Run FILE`.
fn main() {
    let file = std::env::args().next_back().expect("a connection file");
    tracebook::start();
    let connection = tracebook::wire::Connection::read(Path::new(&file)).unwrap();
    let targets = tracebook::comm::TARGETS.iter().copied().chain([&targets::Work as _]).collect();
    tracebook::dispatch::run_with(&connection, || Box::new(Echo::default()), targets).unwrap();
}

#[derive(Default)]
struct Echo {
    stopped: Arc<AtomicBool>,
}

impl Engine for Echo {
    fn run(&mut self, code: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        self.stopped.store(false, Ordering::SeqCst);
        code.lines().map(str::trim).filter(|line| !line.is_empty()).try_for_each(|line| self.line(line, out))
    }

    fn run_within(&mut self, code: &str, _: &[(usize, String)], out: &Arc<dyn Sink>) -> Result<(), Failure> {
        self.run(code, out)
    }

    fn take_run_time(&mut self) -> Duration {
        Duration::ZERO
    }

    fn interrupter(&self) -> Box<dyn Fn() -> Stop + Send + Sync> {
        let stopped = Arc::clone(&self.stopped);
        Box::new(move || {
            let stopped = Arc::clone(&stopped);
            Box::new(move || stopped.store(true, Ordering::SeqCst))
        })
    }
}

impl Echo {
    fn line(&self, line: &str, out: &Arc<dyn Sink>) -> Result<(), Failure> {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        let number = || rest.parse::<u64>().expect("a number");
        match command {
            "//" => {}
            // Text without an end of line.
            "print" => out.emit(Output::Stdout(rest.to_owned())),
            "println" => out.emit(Output::Stdout(format!("{rest}\n"))),
            "eprintln" => out.emit(Output::Stderr(format!("{rest}\n"))),
            // So many lines of 63 characters each.
            "lines" => (0..number()).for_each(|n| out.emit(Output::Stdout(format!("{n:062}\n")))),
            // So many bytes without an end of line.
            "bytes" => out.emit(Output::Stdout("x".repeat(number() as usize))),
            "result" => out.emit(Output::Result(Bundle::text(rest))),
            "display" => out.emit(Output::Display { bundle: Bundle::text(rest), id: Some("an-id".to_owned()) }),
            // So many displays, one after the other.
            "displays" => (0..number()).for_each(|n| {
                out.emit(Output::Display { bundle: Bundle::text(n.to_string()), id: None });
            }),
            "update" => out.emit(Output::Update { bundle: Bundle::text(rest), id: "an-id".to_owned() }),
            "clear" => out.emit(Output::Clear { wait: false }),
            "input" => {
                let answer = out.input(rest, rest == "password")?;
                out.emit(Output::Stdout(answer));
            }
            "fail" => return Err(Failure::new("EchoError", rest)),
            "panic" => panic!("{rest}"),
            // Sleeps so many milliseconds, or until interrupted.
            "sleep" => {
                let end = Instant::now() + Duration::from_millis(number());
                while Instant::now() < end {
                    if self.stopped.load(Ordering::SeqCst) {
                        return Err(Failure::new("KeyboardInterrupt", "interrupted"));
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            // Sleeps so many milliseconds and cannot be stopped.
            "hang" => std::thread::sleep(Duration::from_millis(number())),
            // Starts a process and leaves it running.
            "spawn" => drop(std::process::Command::new("sleep").arg(rest).spawn().unwrap()),
            // Prints so many milliseconds later, from a thread that outlives the cell.
            "later" => {
                let (out, wait) = (Arc::clone(out), Duration::from_millis(number()));
                std::thread::spawn(move || {
                    std::thread::sleep(wait);
                    out.emit(Output::Stdout("later".to_owned()));
                    std::thread::sleep(Duration::from_millis(500));
                });
            }
            other => return Err(Failure::new("EchoError", format!("no command `{other}`"))),
        }
        Ok(())
    }
}

impl Cells for Echo {
    fn bind(&mut self, _name: &str, _value: Binding) {}

    fn unbind(&mut self, _name: &str) {}

    fn frame(&mut self, expr: &str) -> Result<DataFrame, Failure> {
        Err(Failure::new("EchoError", format!("no frame `{expr}`")))
    }

    fn text(&mut self, expr: &str) -> Result<String, Failure> {
        Err(Failure::new("EchoError", format!("no text `{expr}`")))
    }

    fn optimise(&mut self, _on: bool) {}

    fn variables(&self) -> Vec<Variable> {
        vec![Variable { name: "échelle".to_owned(), type_name: "i32".to_owned() }]
    }
}
