//! Event loop of the kernel: one event after the other. It ends on shutdown, on SIGTERM, or when Jupyter has died.

use super::execute::CellQueue;
use super::parent_process::ParentProcess;
use super::reply::{failed, typed};
use super::runner::{Finished, Runner};
use super::signals::{self, Signal};
use super::stdin::Stdin;
use super::{comm, complete, inspect, is_complete, kernel_info, shutdown};
use crate::Failure;
use crate::comm::{Comms, TARGETS, Target};
use crate::engine::{Engine, Stop};
use crate::session::allocator;
use crate::wire::{Channel, Connection, Outbox, Request, Wire, WireError};
use jupyter_protocol::{InterruptReply, Status};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, sleep_until};

/// Interval at which the Jupyter process is checked.
const PARENT_INTERVAL: Duration = Duration::from_millis(500);

/// Interval at which printed text is flushed while a cell prints.
const FLUSH_INTERVAL: Duration = Duration::from_millis(50);

/// An event of the loop.
enum Event {
    Request(Request),
    CellFinished(Finished),
    Signal(Signal),
}

/// Serves a front end until a shutdown request, a signal, or the death of Jupyter; `engine` starts the engine, once the sockets are open.
///
/// # Errors
/// If the sockets cannot be opened or a thread cannot be started.
pub fn run(connection: &Connection, engine: impl FnOnce() -> Box<dyn Engine>) -> Result<(), WireError> {
    run_with(connection, engine, TARGETS.to_vec())
}

/// As [`run`], with these targets of conversations.
///
/// # Errors
/// Those of [`run`].
pub fn run_with(
    connection: &Connection,
    engine: impl FnOnce() -> Box<dyn Engine>,
    targets: Vec<&'static dyn Target>,
) -> Result<(), WireError> {
    crate::log::start();
    allocator::limit_retained_memory();
    let open = |what| move |source| WireError::Open { what, source };
    let (sender, mut events) = unbounded_channel();
    let send_to_loop = |sender: &UnboundedSender<Event>| {
        let sender = sender.clone();
        // The receiver is dropped only when the kernel ends.
        move |event| drop(sender.send(event))
    };
    let (requests, cells, signals) = (send_to_loop(&sender), send_to_loop(&sender), send_to_loop(&sender));
    let parent = ParentProcess::current();
    signals::listen(move |signal| signals(Event::Signal(signal))).map_err(open("signal handlers"))?;
    // Before the engine, which would go on to write into its folder while a kernel without sockets ends. Requests wait in the channel.
    let wire = Wire::open(connection, move |request| requests(Event::Request(request)))?;
    let engine = engine();
    let interrupter = engine.interrupter();
    let runner =
        Runner::start(engine, move |finished| cells(Event::CellFinished(finished))).map_err(open("cell thread"))?;

    let outbox = wire.outbox().clone();
    tracing::info!("tracebook {} started", env!("CARGO_PKG_VERSION"));
    outbox.publish(None, "status", &Status::starting());
    crate::introspect::warm_up();
    let stdin = Arc::new(Stdin::default());
    let comms = Comms::new(targets, runner.traces(), crate::execution::from_environment());
    let cells = CellQueue::new(outbox.clone(), runner, Arc::clone(&stdin));
    let mut kernel = Kernel { outbox, cells, comms, stdin, interrupter };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(open("event loop"))?;
    // A panic while one event is handled does not end the kernel: the loaded traces stay.
    while catch_unwind(AssertUnwindSafe(|| runtime.block_on(kernel.serve(&mut events, &parent)))).is_err() {
        tracing::warn!("internal error; the kernel continues");
    }
    kernel.end();
    wire.close();
    tracing::info!("tracebook stopped");
    Ok(())
}

struct Kernel {
    outbox: Outbox,
    cells: CellQueue,
    comms: Comms,
    stdin: Arc<Stdin>,
    /// Notes an interrupt request for the Rust segment that runs now; the `Stop` that it returns carries it out.
    interrupter: Box<dyn Fn() -> Stop + Send + Sync>,
}

impl Kernel {
    async fn serve(&mut self, events: &mut UnboundedReceiver<Event>, parent: &ParentProcess) {
        let mut check_parent = interval(PARENT_INTERVAL);
        let mut flush = interval(FLUSH_INTERVAL);
        flush.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let due = self.cells.held_until();
            tokio::select! {
                biased;
                _ = flush.tick(), if self.cells.is_printing() => self.cells.flush(),
                () = async { sleep_until(due.unwrap_or_else(tokio::time::Instant::now)).await }, if due.is_some() => {
                    self.cells.send_held_reply();
                }
                event = events.recv() => match event {
                    Some(Event::Request(request)) => {
                        if self.handle(request).is_break() {
                            return;
                        }
                    }
                    Some(Event::CellFinished(finished)) => self.cells.finish(finished),
                    Some(Event::Signal(Signal::Interrupt)) => self.interrupt(),
                    Some(Event::Signal(Signal::Terminate)) | None => return,
                },
                _ = check_parent.tick() => {
                    if parent.is_gone() {
                        tracing::warn!("Jupyter has exited: the kernel stops");
                        return;
                    }
                }
            }
        }
    }

    /// Handles a request; `Break` after a shutdown.
    fn handle(&mut self, request: Request) -> ControlFlow<()> {
        match (request.channel, request.msg_type.as_str()) {
            (Channel::Stdin, "input_reply") => self.stdin.reply(&request.content),
            (Channel::Stdin, other) => tracing::warn!("ignored {other} on the stdin channel"),
            (_, "execute_request") => self.cells.push(request),
            (_, "comm_open") => self.comms.open(comm::incoming(request, &self.outbox)),
            (_, "comm_msg") => self.comms.message(comm::incoming(request, &self.outbox)),
            (_, "comm_close") => self.comms.close(comm::incoming(request, &self.outbox)),
            _ => return self.answer(request),
        }
        ControlFlow::Continue(())
    }

    /// Answers a request at once, between `busy` and `idle`.
    fn answer(&mut self, mut request: Request) -> ControlFlow<()> {
        let received = std::time::Instant::now();
        self.outbox.publish(Some(&request.origin), "status", &Status::busy());
        let content = request.content.take();
        let is_shutdown = request.msg_type == "shutdown_request";
        // A panic in one reply does not prevent the next.
        let reply = catch_unwind(AssertUnwindSafe(|| self.reply(&request, content)));
        let reply = reply.unwrap_or_else(|_| Some(Err(Failure::new("InternalError", "bug in Tracebook: no reply"))));
        if let Some(reply) = reply {
            let kind = request.msg_type.replace("_request", "_reply");
            let reply = reply.unwrap_or_else(|failure| failed(&failure));
            if is_shutdown {
                self.outbox.publish(Some(&request.origin), &kind, &reply);
            }
            self.outbox.send(request.channel, &request.origin, &kind, &reply);
        }
        self.outbox.publish(Some(&request.origin), "status", &Status::idle());
        let took = crate::timeline::milliseconds(received.elapsed());
        tracing::debug!("{} {} on {:?}: {took}", request.msg_type, request.origin.msg_id(), request.channel);
        if is_shutdown { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns the content of the reply; `None` for messages without one.
    fn reply(&mut self, request: &Request, content: Value) -> Option<Result<Value, Failure>> {
        Some(match request.msg_type.as_str() {
            "kernel_info_request" => Ok(kernel_info::reply()),
            "complete_request" => complete::reply(content, &self.cells.runner().view()),
            "inspect_request" => inspect::reply(content, &self.cells.runner().view()),
            "is_complete_request" => is_complete::reply(content),
            "history_request" => self.cells.history().reply(content),
            "comm_info_request" => Ok(self.comms.info(content["target_name"].as_str())),
            "interrupt_request" => {
                self.interrupt();
                Ok(typed(&InterruptReply::new()))
            }
            "shutdown_request" => Ok(json!({"status": "ok", "restart": content["restart"] == true})),
            other => {
                tracing::warn!("no answer to a {other}");
                let unknown = Failure::new("ProtocolError", format!("{other} is not supported"));
                return other.ends_with("_request").then_some(Err(unknown));
            }
        })
    }

    /// Interrupts the running cell, if there is one.
    fn interrupt(&self) {
        if !self.cells.interrupt() {
            return;
        }
        // Stopping may wait for a checkpoint of the cell; on its own thread, so that a second interrupt is not delayed.
        let stop = (self.interrupter)();
        if let Err(error) = std::thread::Builder::new().name("interrupt".to_owned()).spawn(stop) {
            tracing::warn!("cannot interrupt: {error}");
        }
    }

    fn end(&mut self) {
        self.comms.end();
        self.interrupt();
        shutdown::end(self.cells.close());
    }
}
