//! How values show themselves: at the end of a cell, and wherever a cell calls `display`.
//!
//! evcxr calls `evcxr_display` on the last expression of a cell. The kernel writes [`value`]`(&(…))` around that
//! expression, so that Rust's method lookup, which goes from a wrapper to what it wraps, finds in this order:
//!
//! 1. what we know how to show ([`Rich`]), before a method of the type's own: `plotly::Plot` has one that knows no picture;
//! 2. a result, whose error becomes the error of the cell;
//! 3. an `evcxr_display` of the type's own;
//! 4. debug text.

use crate::channel::{send, send_all, send_result};
use crate::rich::{Rich, Shown};
use std::cell::{Cell, RefCell};
use std::fmt::{Debug, Display};
use std::ops::Deref;
use trace_view::Bundle;
use trace_view::envelope::Envelope;

/// The first step of the lookup; see [`value`].
pub struct Value<'a, T: ?Sized>(Outcome<'a, T>);

/// The second step: a result whose error has a text.
pub struct Outcome<'a, T: ?Sized>(Ended<'a, T>);

/// The third step: a result whose error has debug text only.
pub struct Ended<'a, T: ?Sized>(&'a T);

/// Wraps what is to be shown.
pub fn value<T: ?Sized>(shown: &T) -> Value<'_, T> {
    Value(Outcome(Ended(shown)))
}

/// The same under `:fmt {:#?}`: what shows as debug text is spread over lines.
pub fn pretty<T: ?Sized>(shown: &T) -> Value<'_, T> {
    PRETTY.set(true);
    value(shown)
}

/// Notes what the shown expression is called, if it is a variable, and passes the value on: a hint names it.
pub fn named<'a, T: ?Sized>(name: &str, shown: &'a T) -> &'a T {
    NAME.set(Some(name.to_owned()));
    shown
}

/// The variable that is being shown, once.
pub(crate) fn shown_name() -> Option<String> {
    NAME.take()
}

thread_local! {
    /// The variable that [`named`] noted.
    static NAME: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Whether the next debug text is spread over lines.
    static PRETTY: Cell<bool> = const { Cell::new(false) };
}

fn debug_text(value: &dyn Debug) -> String {
    if PRETTY.take() { format!("{value:#?}") } else { format!("{value:?}") }
}

impl<'a, T: ?Sized> Deref for Value<'a, T> {
    type Target = Outcome<'a, T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'a, T: ?Sized> Deref for Outcome<'a, T> {
    type Target = Ended<'a, T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T: ?Sized> Deref for Ended<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// Shows what we know how to show.
pub trait ShowRich {
    /// The bundles, in order.
    ///
    /// # Errors
    /// The text of an error value.
    fn tracebook_bundles(&self) -> Shown;

    /// Shows the value as the cell's result.
    fn evcxr_display(&self) {
        finish(self.tracebook_bundles());
    }
}

impl<T: Rich + ?Sized> ShowRich for Value<'_, T> {
    fn tracebook_bundles(&self) -> Shown {
        self.0.0.0.bundles()
    }
}

/// Shows a result of anything with debug text.
pub trait ShowOutcome {
    /// As [`ShowRich::tracebook_bundles`].
    ///
    /// # Errors
    /// The text of an error value.
    fn tracebook_bundles(&self) -> Shown;

    /// Shows the value as the cell's result.
    fn evcxr_display(&self) {
        finish(self.tracebook_bundles());
    }
}

impl<T: Debug, E: Display> ShowOutcome for Outcome<'_, Result<T, E>> {
    fn tracebook_bundles(&self) -> Shown {
        outcome(debug(self.0.0), ToString::to_string)
    }
}

impl<T: Debug, E: Display> ShowOutcome for Outcome<'_, &Result<T, E>> {
    fn tracebook_bundles(&self) -> Shown {
        outcome(debug(self.0.0), ToString::to_string)
    }
}

/// Shows a result whose error has debug text only.
pub trait ShowEnded {
    /// As [`ShowRich::tracebook_bundles`].
    ///
    /// # Errors
    /// The debug text of an error value.
    fn tracebook_bundles(&self) -> Shown;

    /// Shows the value as the cell's result.
    fn evcxr_display(&self) {
        finish(self.tracebook_bundles());
    }
}

impl<T: Debug, E: Debug> ShowEnded for Ended<'_, Result<T, E>> {
    fn tracebook_bundles(&self) -> Shown {
        outcome(debug(self.0), |error| format!("{error:?}"))
    }
}

impl<T: Debug, E: Debug> ShowEnded for Ended<'_, &Result<T, E>> {
    fn tracebook_bundles(&self) -> Shown {
        outcome(debug(self.0), |error| format!("{error:?}"))
    }
}

fn debug<T: Debug, E>(result: &Result<T, E>) -> Result<&dyn Debug, &E> {
    result.as_ref().map(|value| value as &dyn Debug)
}

fn outcome<E>(result: Result<&dyn Debug, &E>, text: impl FnOnce(&E) -> String) -> Shown {
    match result {
        Ok(value) => success(value),
        Err(error) => Err(text(error)),
    }
}

fn success(value: &dyn Debug) -> Shown {
    let text = debug_text(value);
    Ok(if text == "()" { Vec::new() } else { vec![Bundle::text(format!("Ok({text})"))] })
}

/// Shows debug text. `()` has nothing to show.
pub trait ShowDebug {
    /// As [`ShowRich::tracebook_bundles`].
    ///
    /// # Errors
    /// None.
    fn tracebook_bundles(&self) -> Shown;

    /// Shows the value as the cell's result.
    fn evcxr_display(&self) {
        finish(self.tracebook_bundles());
    }
}

impl<T: Debug + ?Sized> ShowDebug for T {
    fn tracebook_bundles(&self) -> Shown {
        plain(&self)
    }
}

// What follows is not generic: it is compiled once, here, and not in every cell.

fn plain(value: &dyn Debug) -> Shown {
    let text = debug_text(value);
    Ok(if text == "()" { Vec::new() } else { vec![Bundle::text(text)] })
}

fn finish(shown: Shown) {
    match shown {
        Ok(bundles) => send_result(bundles),
        Err(message) => send(&Envelope::Failure { message }),
    }
}

/// Shows a value here and now, in the middle of a cell.
///
/// In a cell it may be written as a call, `display(&table)`: the kernel puts the `!` behind it.
///
/// # Example
/// ```no_run
/// # use cells::prelude::*;
/// for rank in 0..2 {
///     display!(&format!("rank {rank}"));
/// }
/// ```
#[macro_export]
macro_rules! display {
    ($value:expr $(,)?) => {
        $crate::rt::display($crate::bundles_of!($value))
    };
}

/// Shows a value under an id, so that [`update_display!`](crate::update_display) can replace it later.
#[macro_export]
macro_rules! display_id {
    ($id:expr, $value:expr $(,)?) => {
        $crate::rt::display_id($id, $crate::bundles_of!($value))
    };
}

/// Replaces what was shown under an id.
#[macro_export]
macro_rules! update_display {
    ($id:expr, $value:expr $(,)?) => {
        $crate::rt::update_display($id, $crate::bundles_of!($value))
    };
}

/// What stands in place of evcxr's second way to show a value: the first one again.
#[doc(hidden)]
#[macro_export]
macro_rules! as_before {
    ((($value:expr))) => {
        ($value).evcxr_display()
    };
}

/// A statement as it stands. evcxr, which keeps the variables of the `let` statements that it sees, does not see this one.
#[doc(hidden)]
#[macro_export]
macro_rules! transient {
    ($($statement:tt)*) => { $($statement)* };
}

/// The bundles of a value, whatever its type.
#[doc(hidden)]
#[macro_export]
macro_rules! bundles_of {
    ($value:expr) => {{
        #[allow(unused_imports)]
        use $crate::{ShowDebug as _, ShowEnded as _, ShowOutcome as _, ShowRich as _};
        $crate::value(&$value).tracebook_bundles()
    }};
}

/// What [`display!`](crate::display) does with the bundles.
pub(crate) fn show_all(shown: Shown) {
    match shown {
        Ok(bundles) => send_all(bundles),
        Err(message) => send(&Envelope::Failure { message }),
    }
}

#[cfg(test)]
mod tests {
    use crate::prelude::*;

    struct Own;

    impl Own {
        fn evcxr_display(&self) -> &'static str {
            "its own"
        }
    }

    #[test]
    fn the_nearest_way_to_show_is_taken() {
        let plain = |shown: crate::Shown| {
            shown.map(|bundles| bundles.iter().map(|bundle| bundle.plain().to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(plain(crate::bundles_of!(1 + 1)), Ok(vec!["2".to_owned()]));
        assert_eq!(plain(crate::bundles_of!(())), Ok(vec![]));
        assert_eq!(plain(crate::bundles_of!(Ok::<(), String>(()))), Ok(vec![]));
        assert_eq!(plain(crate::bundles_of!("a".parse::<i32>().map_err(|_| "no number"))), Err("no number".to_owned()));
        assert_eq!(plain(crate::bundles_of!(Err::<i32, _>(Some(1)))), Err("Some(1)".to_owned()));
        assert_eq!(plain(crate::bundles_of!(Ok::<_, String>(1))), Ok(vec!["Ok(1)".to_owned()]));
        let frame = df!("n" => [1]).unwrap();
        assert_eq!(crate::bundles_of!(vec![frame.clone(), frame.clone()]).unwrap().len(), 2);
        assert_eq!(crate::bundles_of!(&Some(frame)).unwrap()[0].data.len(), 3);
        assert_eq!(crate::value(&Own).evcxr_display(), "its own");
    }
}
