//! The loop: one event after the other, none of which can end it but a wish to end.

use super::execute::Executions;
use super::parent_process::Parent;
use super::reply::{failed, typed};
use super::runner::{Finished, Runner};
use super::signals::{self, Wish};
use super::stdin::Stdin;
use super::{comm, complete, inspect, is_complete, kernel_info, shutdown};
use crate::Failure;
use crate::engine::{Engine, Stop};
use crate::session::memory;
use crate::wire::{Channel, Connection, Outbox, Request, Wire, WireError};
use jupyter_protocol::{InterruptReply, Status};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, sleep_until};

/// What the loop is told.
enum Event {
    Request(Request),
    Finished(Finished),
    Wish(Wish),
}

/// Serves a front end until it, or a signal, asks for the end, or its process is gone.
///
/// # Errors
/// If the sockets cannot be opened or a thread cannot be started.
pub fn run(connection: &Connection, engine: Box<dyn Engine>) -> Result<(), WireError> {
    crate::log::start();
    memory::keep_little();
    let open = |what| move |source| WireError::Open { what, source };
    let (sender, mut events) = unbounded_channel();
    let tell = |sender: &tokio::sync::mpsc::UnboundedSender<Event>| {
        let sender = sender.clone();
        // The loop is gone only when the kernel ends.
        move |event| drop(sender.send(event))
    };
    let (requests, cells, wishes) = (tell(&sender), tell(&sender), tell(&sender));
    let parent = Parent::now();
    signals::listen(move |wish| wishes(Event::Wish(wish))).map_err(open("signal handlers"))?;
    let press = engine.interrupter();
    let runner =
        Runner::start(engine, move |finished| cells(Event::Finished(finished))).map_err(open("cell thread"))?;
    let wire = Wire::open(connection, move |request| requests(Event::Request(request)))?;

    let outbox = wire.outbox().clone();
    tracing::info!("tracebook {} listens", env!("CARGO_PKG_VERSION"));
    outbox.publish(None, "status", &Status::starting());
    crate::introspect::warm_up();
    let stdin = Arc::new(Stdin::default());
    let executions = Executions::new(outbox.clone(), runner, Arc::clone(&stdin));
    let mut kernel = Kernel { outbox, executions, stdin, press };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(open("event loop"))?;
    // A defect of ours in one event is no reason to stop serving: what was loaded stays.
    while catch_unwind(AssertUnwindSafe(|| runtime.block_on(kernel.serve(&mut events, &parent)))).is_err() {
        tracing::warn!("a defect of tracebook; the kernel goes on");
    }
    kernel.end();
    wire.close();
    tracing::info!("the kernel ends");
    Ok(())
}

/// Whether the loop goes on.
#[derive(PartialEq, Eq)]
enum Flow {
    On,
    End,
}

struct Kernel {
    outbox: Outbox,
    executions: Executions,
    stdin: Arc<Stdin>,
    /// The interrupt button of the Rust side.
    press: Box<dyn Fn() -> Stop + Send + Sync>,
}

impl Kernel {
    async fn serve(&mut self, events: &mut UnboundedReceiver<Event>, parent: &Parent) {
        let mut watch = interval(Duration::from_millis(500));
        let mut flush = interval(Duration::from_millis(50));
        flush.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let due = self.executions.due();
            tokio::select! {
                biased;
                _ = flush.tick(), if self.executions.is_printing() => self.executions.flush(),
                () = async { sleep_until(due.unwrap_or_else(tokio::time::Instant::now)).await }, if due.is_some() => {
                    self.executions.release();
                }
                event = events.recv() => match event {
                    Some(Event::Request(request)) => {
                        if self.handle(request) == Flow::End {
                            return;
                        }
                    }
                    Some(Event::Finished(finished)) => self.executions.finish(finished),
                    Some(Event::Wish(Wish::Interrupt)) => self.interrupt(),
                    Some(Event::Wish(Wish::End)) | None => return,
                },
                _ = watch.tick() => {
                    if parent.is_gone() {
                        tracing::warn!("Jupyter is gone, so the kernel ends");
                        return;
                    }
                }
            }
        }
    }

    fn handle(&mut self, request: Request) -> Flow {
        match (request.channel, request.msg_type.as_str()) {
            (Channel::Stdin, "input_reply") => self.stdin.answer(&request.content),
            (Channel::Stdin, other) => tracing::warn!("a {other} on stdin is ignored"),
            (_, "execute_request") => self.executions.push(request),
            _ => return self.answer(request),
        }
        Flow::On
    }

    /// Answers what needs no waiting, between `busy` and `idle`.
    fn answer(&mut self, mut request: Request) -> Flow {
        let came = std::time::Instant::now();
        self.outbox.publish(Some(&request.origin), "status", &Status::busy());
        let content = request.content.take();
        let is_shutdown = request.msg_type == "shutdown_request";
        // A defect in one answer is no reason to give no more.
        let reply = catch_unwind(AssertUnwindSafe(|| self.reply(&request, content)));
        let reply = reply.unwrap_or_else(|_| Some(Err(Failure::new("InternalError", "a defect of tracebook"))));
        if let Some(reply) = reply {
            let kind = request.msg_type.replace("_request", "_reply");
            let reply = reply.unwrap_or_else(|failure| failed(&failure));
            if is_shutdown {
                self.outbox.publish(Some(&request.origin), &kind, &reply);
            }
            self.outbox.send(request.channel, &request.origin, &kind, &reply);
        }
        self.outbox.publish(Some(&request.origin), "status", &Status::idle());
        let took = crate::log::milliseconds(came.elapsed());
        tracing::debug!("{} {} on {:?}: {took}", request.msg_type, request.origin.msg_id(), request.channel);
        if is_shutdown { Flow::End } else { Flow::On }
    }

    /// The content of the reply; none for messages that have no reply.
    fn reply(&mut self, request: &Request, content: Value) -> Option<Result<Value, Failure>> {
        Some(match request.msg_type.as_str() {
            "kernel_info_request" => Ok(kernel_info::reply()),
            "complete_request" => complete::reply(content, &self.executions.runner().view()),
            "inspect_request" => inspect::reply(content, &self.executions.runner().view()),
            "is_complete_request" => is_complete::reply(content),
            "history_request" => self.executions.history().reply(content),
            "comm_info_request" => Ok(comm::info()),
            "interrupt_request" => {
                self.interrupt();
                Ok(typed(&InterruptReply::new()))
            }
            "shutdown_request" => Ok(json!({"status": "ok", "restart": content["restart"] == true})),
            "comm_open" => {
                self.outbox.publish(Some(&request.origin), "comm_close", &comm::close(&content));
                return None;
            }
            "comm_msg" | "comm_close" => return None,
            other => {
                tracing::warn!("no answer to a {other}");
                let unknown = Failure::new("ProtocolError", format!("{other} is not supported"));
                return other.ends_with("_request").then_some(Err(unknown));
            }
        })
    }

    /// Interrupts the running cell; without one, nothing happens.
    fn interrupt(&self) {
        if !self.executions.interrupt() {
            return;
        }
        // On a thread of its own, since it may have to wait, and a second interrupt must not wait for the first.
        let stop = (self.press)();
        if let Err(error) = std::thread::Builder::new().name("interrupt".to_owned()).spawn(stop) {
            tracing::warn!("cannot interrupt: {error}");
        }
    }

    fn end(&mut self) {
        self.interrupt();
        shutdown::end(self.executions.close());
    }
}
