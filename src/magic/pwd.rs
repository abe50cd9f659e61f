//! `%pwd`: the current folder.

use super::{Call, Group, Magic, Scene};
use crate::Error;

pub(super) struct Pwd;

impl Magic for Pwd {
    fn name(&self) -> &'static str {
        "pwd"
    }

    fn summary(&self) -> &'static str {
        "Print the current folder, where relative paths of magics and Rust cells begin."
    }

    fn arguments(&self) -> &'static [Group] {
        &[]
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%pwd"]
    }

    fn run(&self, call: &Call<'_>, scene: &mut Scene<'_>) -> Result<(), Error> {
        let gone = |error| {
            call.usage(format!("the current folder is not there any more ({error}); %cd PATH goes to another."))
        };
        scene.say(std::env::current_dir().map_err(gone)?.display());
        Ok(())
    }
}
