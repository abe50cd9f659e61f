//! Flame graphs as files of other tools: speedscope's, and folded stacks.

use super::graph::FlameGraph;
use serde_json::{Value, json};
use std::io::{Result, Write};

/// The schema that speedscope's files name.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

impl FlameGraph {
    /// Writes folded stacks: a line per stack, its names joined by `;`, then its own time in ns; of two traces that of control and of test,
    /// as `difffolded.pl` writes them. A `;` or a line break in a name becomes `:` or a blank.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_folded(&self, out: &mut dyn Write) -> Result<()> {
        for (stack, own) in self.merged.stacks() {
            let names: Vec<String> = stack.iter().map(|&name| folded(self.name(name))).collect();
            write!(out, "{} {}", names.join(";"), own[0])?;
            if self.labels.len() > 1 {
                write!(out, " {}", own[1])?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes a file for speedscope: a profile per trace, in order of time.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_speedscope(&self, out: &mut dyn Write) -> Result<()> {
        let frames: Vec<Value> = self.names.iter().map(|name| json!({ "name": name })).collect();
        write!(out, "{{\"$schema\":{},\"exporter\":\"tracebook\",", json!(SCHEMA))?;
        write!(out, "\"name\":{},\"shared\":{},\"profiles\":[", json!(self.title()), json!({ "frames": frames }))?;
        for (side, label) in self.labels.iter().enumerate() {
            let stacks = || self.in_time.stacks().filter(move |(_, own)| own[side] > 0);
            let total: i64 = stacks().map(|(_, own)| own[side]).sum();
            let comma = if side > 0 { "," } else { "" };
            write!(
                out,
                "{comma}{{\"type\":\"sampled\",\"name\":{},\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":{total},\"samples\":[",
                json!(label)
            )?;
            for (number, (stack, _)) in stacks().enumerate() {
                write!(out, "{}{}", if number > 0 { "," } else { "" }, json!(stack))?;
            }
            let weights: Vec<i64> = stacks().map(|(_, own)| own[side]).collect();
            write!(out, "],\"weights\":{}}}", json!(weights))?;
        }
        writeln!(out, "]}}")
    }

    /// The text of a name.
    pub(super) fn name(&self, name: u32) -> &str {
        self.names.get(name as usize).map_or("", String::as_str)
    }
}

/// A name inside a folded stack.
fn folded(name: &str) -> String {
    name.chars()
        .map(|c| match c {
            ';' => ':',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect()
}
