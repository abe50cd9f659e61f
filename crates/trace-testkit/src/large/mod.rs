//! Traces of any size, for benchmarks: the simulated job repeated, each time with other times, durations and ids; and jobs of
//! any number of ranks.

mod events;
mod job;
mod pattern;
mod stencil;

#[cfg(test)]
mod tests;

pub use job::Job;

use crate::demo::Run;
use crate::random::Random;
use pattern::pattern;
use std::io::{self, Write};
use stencil::{Micros, Shift, Stencil};

/// The description of a trace: one rank, five profiler steps, all of HTA's 20 default arguments.
///
/// Equal fields give equal bytes on every machine. Repetitions are more than a megabyte apart, so that gzip (with its window of
/// 32 KB) compresses the trace like a real one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Large {
    /// The least number of bytes of JSON; the trace ends with the next event.
    pub bytes: u64,
    /// The seed of the durations.
    pub seed: u64,
    /// The rank of the trace.
    pub rank: u64,
}

/// The size of a written trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Bytes of JSON.
    pub bytes: u64,
    /// Events of all kinds.
    pub events: u64,
}

/// The number of profiler steps: a larger trace has longer steps.
const STEPS: u64 = 5;
/// The start of the recording, in nanoseconds of the machine's clock.
const START: u64 = 5_349_821_034_512_347;
/// Bytes that are buffered before they are written.
const BLOCK: usize = 1 << 20;

impl Large {
    /// Writes the trace as plain JSON.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, out: impl Write) -> io::Result<Written> {
        let runs = [Run::Control, Run::Job(0), Run::Test, Run::Job(1), Run::Job(2), Run::Job(3)];
        let patterns: Vec<Stencil> = runs.into_iter().map(|run| pattern(run, self.process(), self.rank)).collect();
        let mut file = File { out, block: Vec::with_capacity(2 * BLOCK), written: Written { bytes: 0, events: 0 } };
        file.head(self.rank)?;
        let mut random = Random::new(self.seed ^ self.rank);
        let mut shift = Shift { time: START, id: 0 };
        let mut steps = self.steps(&patterns).into_iter().peekable();
        'file: loop {
            for pattern in &patterns {
                while let Some((number, start, length)) = steps.next_if(|step| step.1 <= shift.time) {
                    file.step(self.process(), number, start, length)?;
                }
                for event in pattern.events() {
                    if file.written.bytes + file.block.len() as u64 >= self.bytes {
                        break 'file;
                    }
                    event.write(&mut file.block, shift, &mut random);
                    file.event()?;
                }
                shift.time += pattern.length;
                shift.id += pattern.ids;
            }
        }
        file.tail(self.process(), shift.time - START)?;
        Ok(file.written)
    }

    /// The process that was profiled.
    const fn process(&self) -> u64 {
        40_711 + self.rank
    }

    /// Returns number, start and length of each profiler step; together they cover about the whole file.
    fn steps(&self, patterns: &[Stencil]) -> Vec<(u64, u64, u64)> {
        let bytes: u64 = patterns.iter().map(Stencil::typical_bytes).sum();
        let nanos: u64 = patterns.iter().map(|pattern| pattern.length).sum();
        let length = u128::from(self.bytes) * u128::from(nanos) / u128::from(bytes * STEPS);
        let length = u64::try_from(length).unwrap_or(u64::MAX / (2 * STEPS)).max(1000);
        (0..STEPS).map(|step| (1000 + step, START + step * length, length - 100)).collect()
    }
}

/// The file being written.
struct File<W> {
    out: W,
    block: Vec<u8>,
    written: Written,
}

impl<W: Write> File<W> {
    fn head(&mut self, rank: u64) -> io::Result<()> {
        writeln!(
            self.block,
            "{{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {{\"id\": 0, \"name\": \"Simulated GPU 80GB\", \
             \"totalGlobalMem\": 85899345920, \"numSms\": 108}}\n  ],\n  \"distributedInfo\": {{\"backend\": \"nccl\", \
             \"rank\": {rank}, \"world_size\": 8}},\n  \"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": \
             1767225600000000000,\n  \"traceEvents\": ["
        )
    }

    fn step(&mut self, process: u64, number: u64, start: u64, length: u64) -> io::Result<()> {
        writeln!(
            self.block,
            "  {{\n    \"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#{number}\", \"pid\": {process}, \
             \"tid\": {process},\n    \"ts\": {}, \"dur\": {},\n    \"args\": {{\n      \"Record function id\": 0\n    }}\n  }},",
            Micros(start),
            Micros(length),
        )?;
        self.event()
    }

    fn event(&mut self) -> io::Result<()> {
        self.written.events += 1;
        if self.block.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn tail(&mut self, process: u64, length: u64) -> io::Result<()> {
        writeln!(
            self.block,
            "  {{\n    \"name\": \"process_name\", \"ph\": \"M\", \"ts\": {start}, \"pid\": {process}, \"tid\": 0,\n    \
             \"args\": {{\n      \"name\": \"python3\"\n    }}\n  }},\n  {{\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": {start}, \
             \"dur\": {},\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": \"PyTorch Profiler (0)\",\n    \
             \"args\": {{\n      \"Op count\": 0\n    }}\n  }}\n  ],\n  \"traceName\": \"large.json\"\n}}",
            Micros(length),
            start = Micros(START),
        )?;
        self.written.events += 2;
        self.flush()?;
        self.out.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.block)?;
        self.written.bytes += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }
}
