//! Events as JSON text, written one by one.

use super::Written;
use super::stencil::{decimal, micros};
use std::io::{self, Sink, Write};

/// Bytes that are buffered before they are written.
const BLOCK: usize = 1 << 18;

/// The file of a rank, being written.
pub(super) struct EventWriter<W> {
    out: W,
    block: Vec<u8>,
    written: Written,
    /// False if events are counted, but not written as text.
    writes: bool,
}

/// The arguments of an event.
pub(super) struct Args<'t> {
    text: &'t mut Vec<u8>,
    any: bool,
}

impl EventWriter<Sink> {
    /// Creates a writer that ignores all events.
    pub(super) fn nowhere() -> Self {
        Self { writes: false, ..Self::new(io::sink()) }
    }
}

impl<W: Write> EventWriter<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, block: Vec::new(), written: Written { bytes: 0, events: 0 }, writes: true }
    }

    /// Writes what precedes the events.
    pub(super) fn head(&mut self, rank: u64, ranks: u64) -> io::Result<()> {
        let last = ranks.saturating_sub(1);
        writeln!(
            self.block,
            "{{\n\"schemaVersion\": 1,\n\"deviceProperties\": [{{\"id\": 0, \"name\": \"Simulated GPU 80GB\", \
             \"totalGlobalMem\": 85899345920, \"numSms\": 108}}],\n\"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": \
             {rank}, \"world_size\": {ranks}, \"pg_count\": 1, \"pg_config\": [{{\"pg_name\": \"0\", \"pg_desc\": \
             \"default_pg\", \"pg_size\": {ranks}, \"ranks\": \"[0, ..., {last}]\"}}]}},\n\"displayTimeUnit\": \"ms\", \
             \"baseTimeNanoseconds\": 1767225600000000000,\n\"traceEvents\": ["
        )
    }

    /// Writes an event with a duration.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn complete(
        &mut self,
        category: &str,
        name: &str,
        process: u64,
        thread: u64,
        start: u64,
        duration: u64,
        args: impl FnOnce(&mut Args<'_>),
    ) -> io::Result<()> {
        if !self.writes {
            return Ok(());
        }
        let text = &mut self.block;
        text.extend_from_slice(b"{\"ph\": \"X\", \"cat\": \"");
        text.extend_from_slice(category.as_bytes());
        text.extend_from_slice(b"\", \"name\": \"");
        text.extend_from_slice(name.as_bytes());
        thread_and_time(text, process, thread, start);
        text.extend_from_slice(b", \"dur\": ");
        micros(text, duration);
        text.extend_from_slice(b",\n \"args\": {");
        args(&mut Args { text, any: false });
        text.extend_from_slice(b"}},\n");
        self.end_event()
    }

    pub(super) fn annotation(
        &mut self,
        name: &str,
        process: u64,
        thread: u64,
        start: u64,
        duration: u64,
    ) -> io::Result<()> {
        self.complete("user_annotation", name, process, thread, start, duration, |_| {})
    }

    /// Writes an event of the allocator.
    pub(super) fn instant(
        &mut self,
        name: &str,
        process: u64,
        thread: u64,
        at: u64,
        bytes: u64,
        total: u64,
    ) -> io::Result<()> {
        if !self.writes {
            return Ok(());
        }
        let text = &mut self.block;
        text.extend_from_slice(b"{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"");
        text.extend_from_slice(name.as_bytes());
        thread_and_time(text, process, thread, at);
        text.extend_from_slice(b",\n \"args\": {");
        Args { text, any: false }.number("Bytes", bytes).number("Total Allocated", total).number("Device Type", 1);
        text.extend_from_slice(b"}},\n");
        self.end_event()
    }

    /// Writes the value of a counter.
    pub(super) fn counter(&mut self, name: &str, process: u64, at: u64, value: u64) -> io::Result<()> {
        if !self.writes {
            return Ok(());
        }
        let text = &mut self.block;
        text.extend_from_slice(b"{\"ph\": \"C\", \"name\": \"");
        text.extend_from_slice(name.as_bytes());
        thread_and_time(text, process, 0, at);
        text.extend_from_slice(b", \"args\": {");
        Args { text, any: false }.number("value", value);
        text.extend_from_slice(b"}},\n");
        self.end_event()
    }

    /// Writes what follows the events.
    pub(super) fn tail(&mut self, process: u64, start: u64, end: u64) -> io::Result<()> {
        let text = &mut self.block;
        text.extend_from_slice(b"{\"ph\": \"M\", \"name\": \"process_name");
        thread_and_time(text, process, 0, start);
        text.extend_from_slice(b", \"args\": {\"name\": \"python3\"}},\n");
        text.extend_from_slice(b"{\"ph\": \"X\", \"cat\": \"Trace\", \"name\": \"PyTorch Profiler (0)\", \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\", \"ts\": ");
        micros(text, start);
        text.extend_from_slice(b", \"dur\": ");
        micros(text, end.saturating_sub(start));
        text.extend_from_slice(b", \"args\": {\"Op count\": 0}}\n],\n\"traceName\": \"rank.json\"\n}\n");
        self.written.events += 2;
        Ok(())
    }

    /// Ends the file; returns its size.
    pub(super) fn written(mut self) -> io::Result<Written> {
        self.flush()?;
        self.out.flush()?;
        Ok(self.written)
    }

    fn end_event(&mut self) -> io::Result<()> {
        self.written.events += 1;
        if self.block.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.block)?;
        self.written.bytes += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }
}

/// Ends the name of an event, and writes its process, thread and time.
fn thread_and_time(text: &mut Vec<u8>, process: u64, thread: u64, at: u64) {
    text.extend_from_slice(b"\", \"pid\": ");
    decimal(text, process);
    text.extend_from_slice(b", \"tid\": ");
    decimal(text, thread);
    text.extend_from_slice(b",\n \"ts\": ");
    micros(text, at);
}

impl Args<'_> {
    pub(super) fn number(&mut self, key: &str, value: u64) -> &mut Self {
        self.key(key);
        decimal(self.text, value);
        self
    }

    /// Writes a value that is given in thousandths.
    pub(super) fn thousandths(&mut self, key: &str, value: u64) -> &mut Self {
        self.key(key);
        micros(self.text, value);
        self
    }

    pub(super) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key);
        self.text.push(b'"');
        self.text.extend_from_slice(value.as_bytes());
        self.text.push(b'"');
        self
    }

    fn key(&mut self, key: &str) {
        if self.any {
            self.text.extend_from_slice(b", ");
        }
        self.any = true;
        self.text.push(b'"');
        self.text.extend_from_slice(key.as_bytes());
        self.text.extend_from_slice(b"\": ");
    }
}
