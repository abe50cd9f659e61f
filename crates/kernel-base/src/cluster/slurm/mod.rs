//! The engine Slurm: one array of tasks per question, and a job that merges; plans, partial results and logs are files of a shared folder.

mod arrays;
mod commands;
mod engine;
mod folder;
mod left;
mod queue;
mod script;
mod watch;

pub(super) use engine::Slurm;
