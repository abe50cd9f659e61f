//! Rules of what PyTorch records with operators: the arguments of collectives, the numbers of backward functions.

use super::checked::Checked;
use super::rules::RuleName;
use crate::Result;
use crate::analysis::RankView;
use crate::exec::checkpoint::cancellable;
use crate::frame::IntColumn;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::prelude::{BooleanChunked, DataFrame, IdxCa};
use std::collections::BTreeMap;

/// What PyTorch records with a collective: the key in `args`, and its column.
const OF_COLLECTIVES: [(&str, &str); 5] = [
    ("Collective name", "collective_name"),
    ("dtype", "msg_dtype"),
    ("In msg nelems", "in_msg_nelems"),
    ("Out msg nelems", "out_msg_nelems"),
    ("Group size", "group_size"),
];
/// The event that has them.
const COLLECTIVE: &str = "record_param_comms";

/// What the events of backward functions begin with.
const BACKWARD: &str = "autograd::engine::evaluate_function:";
const NUMBER: &str = "sequence";
const FORWARD_THREAD: &str = "fwd_thread_id";

/// Checks the operators of a view.
///
/// # Errors
/// If events cannot be read any more.
pub(super) fn check(view: &RankView, found: &mut BTreeMap<RuleName, Checked>) -> Result<()> {
    let rows = view.rank_events();
    let mut class = rows.per_text(|name| match name {
        COLLECTIVE => Some(true),
        name if name.starts_with(BACKWARD) => Some(false),
        _ => None,
    });
    let (mut collectives, mut backward) = (Vec::new(), Vec::new());
    for &row in cancellable(view.rows()) {
        match class(rows.name(row as usize)) {
            Some(true) => collectives.push(row),
            Some(false) => backward.push(row),
            None => {}
        }
    }
    if !collectives.is_empty()
        && let Some(args) = view.args(&OF_COLLECTIVES.map(|(_, column)| column))?
    {
        found.insert(RuleName::CollectiveIsDescribed, described(view, &args, collectives)?);
    }
    if !backward.is_empty()
        && let Some(args) = view.args(&[NUMBER, FORWARD_THREAD])?
    {
        found.insert(RuleName::OneBackwardPerNumber, numbered(view, &args, &backward)?);
    }
    Ok(())
}

fn described(view: &RankView, args: &DataFrame, collectives: Vec<u32>) -> Result<Checked> {
    let rows = view.rank_events();
    let positions = IdxCa::from_vec("row".into(), collectives.clone());
    let mut lacks: Vec<(&str, Option<BooleanChunked>)> = Vec::new();
    for (key, column) in OF_COLLECTIVES {
        let column = args.column(column).ok().map(|column| column.take(&positions)).transpose()?;
        lacks.push((key, column.map(|column| column.is_null())));
    }
    let mut checked = Checked::default();
    for (at, &row) in cancellable(collectives.iter().enumerate()) {
        let is_missing =
            |lacks: &Option<BooleanChunked>| lacks.as_ref().is_none_or(|lacks| lacks.get(at) == Some(true));
        let is_right = !lacks.iter().any(|(_, lacks)| is_missing(lacks));
        checked.add(is_right, rows.index(row as usize), || {
            let missing = lacks.iter().filter(|(_, lacks)| is_missing(lacks)).map(|(key, _)| *key);
            format!("{COLLECTIVE} without {}", missing.collect::<Vec<_>>().join(", "))
        });
    }
    Ok(checked)
}

/// Checks that the backward functions of a number have one name.
fn numbered(view: &RankView, args: &DataFrame, backward: &[u32]) -> Result<Checked> {
    let rows = view.rank_events();
    let mut checked = Checked::default();
    if args.column(NUMBER).is_err() {
        return Ok(checked);
    }
    let number = IntColumn::of(args, NUMBER)?;
    let thread = args.column(FORWARD_THREAD).is_ok().then(|| IntColumn::of(args, FORWARD_THREAD)).transpose()?;
    // The name of a number, and whether another one was found.
    let mut names: HashMap<(Option<i64>, i64), (u32, bool), FixedState> = HashMap::default();
    for &row in cancellable(backward) {
        let row = row as usize;
        let Some(number) = number.get(row).filter(|&number| number >= 0) else { continue };
        let key = (thread.as_ref().and_then(|thread| thread.get(row)), number);
        let name = rows.name(row);
        let Some((first, is_broken)) = names.get_mut(&key) else {
            names.insert(key, (name, false));
            checked.checked += 1;
            continue;
        };
        if *first == name || *is_broken {
            continue;
        }
        *is_broken = true;
        // The number was counted with its first name.
        checked.checked -= 1;
        let other = rows.text(*first).trim_start_matches(BACKWARD).trim();
        checked.add(false, rows.index(row), || {
            format!("number {number} of {} and {other}", rows.text(name).trim_start_matches(BACKWARD).trim())
        });
    }
    Ok(checked)
}
