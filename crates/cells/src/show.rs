//! The output of a value, chosen by its type.
//!
//! evcxr calls `evcxr_display` on the last expression of a cell. The kernel writes [`value`]`(&(…))` around that expression.
//! The choice is made by deref specialisation: the wrapper derefs level by level to the value, and Rust's method lookup takes
//! the first level whose trait applies:
//!
//! | level | trait | applies to |
//! | --- | --- | --- |
//! | [`AsRich`] | [`ShowRich`] | [`Rich`] types: tables, figures, containers of them. It comes before a method of the type's own, since that of `plotly::Plot` draws no picture |
//! | [`AsResult`] | [`ShowResult`] | a `Result` whose error implements `Display`; the error becomes the error of the cell |
//! | [`AsDebugResult`] | [`ShowDebugResult`] | a `Result` whose error implements `Debug` only |
//! | the value | an `evcxr_display` of its own, or [`ShowDebug`] | everything else |

use crate::channel::{send, send_all, send_result};
use crate::rich::{Rich, Shown};
use std::cell::Cell;
use std::fmt::{Debug, Display};
use std::ops::Deref;
use trace_view::Bundle;
use trace_view::envelope::Envelope;

/// The first level of the lookup; see [`value`].
pub struct AsRich<'a, T: ?Sized>(AsResult<'a, T>);

/// The second level: a result whose error implements `Display`.
pub struct AsResult<'a, T: ?Sized>(AsDebugResult<'a, T>);

/// The third level: a result whose error implements `Debug` only.
pub struct AsDebugResult<'a, T: ?Sized>(&'a T);

/// Wraps a value to be shown.
pub fn value<T: ?Sized>(shown: &T) -> AsRich<'_, T> {
    AsRich(AsResult(AsDebugResult(shown)))
}

/// Wraps a value to be shown under `:fmt {:#?}`: debug text is spread over lines.
pub fn pretty<T: ?Sized>(shown: &T) -> AsRich<'_, T> {
    PRETTY.set(true);
    value(shown)
}

thread_local! {
    /// Whether the next debug text is spread over lines.
    static PRETTY: Cell<bool> = const { Cell::new(false) };
}

fn debug_text(value: &dyn Debug) -> String {
    if PRETTY.take() { format!("{value:#?}") } else { format!("{value:?}") }
}

impl<'a, T: ?Sized> Deref for AsRich<'a, T> {
    type Target = AsResult<'a, T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<'a, T: ?Sized> Deref for AsResult<'a, T> {
    type Target = AsDebugResult<'a, T>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T: ?Sized> Deref for AsDebugResult<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

/// Shows a [`Rich`] value.
pub trait ShowRich {
    /// Returns the bundles, in order.
    ///
    /// # Errors
    /// The text of an error value.
    fn tracebook_bundles(&self) -> Shown;

    /// Shows the value as the cell's result.
    fn evcxr_display(&self) {
        finish(self.tracebook_bundles());
    }
}

impl<T: Rich + ?Sized> ShowRich for AsRich<'_, T> {
    fn tracebook_bundles(&self) -> Shown {
        self.0.0.0.bundles()
    }
}

/// Shows a result whose error implements `Display`.
pub trait ShowResult {
    /// Returns the bundles, as [`ShowRich::tracebook_bundles`] does.
    ///
    /// # Errors
    /// The text of an error value.
    fn tracebook_bundles(&self) -> Shown;

    /// Shows the value as the cell's result.
    fn evcxr_display(&self) {
        finish(self.tracebook_bundles());
    }
}

impl<T: Debug, E: Display> ShowResult for AsResult<'_, Result<T, E>> {
    fn tracebook_bundles(&self) -> Shown {
        result_text(debug(self.0.0), ToString::to_string)
    }
}

impl<T: Debug, E: Display> ShowResult for AsResult<'_, &Result<T, E>> {
    fn tracebook_bundles(&self) -> Shown {
        result_text(debug(self.0.0), ToString::to_string)
    }
}

/// Shows a result whose error implements `Debug` only.
pub trait ShowDebugResult {
    /// Returns the bundles, as [`ShowRich::tracebook_bundles`] does.
    ///
    /// # Errors
    /// The debug text of an error value.
    fn tracebook_bundles(&self) -> Shown;

    /// Shows the value as the cell's result.
    fn evcxr_display(&self) {
        finish(self.tracebook_bundles());
    }
}

impl<T: Debug, E: Debug> ShowDebugResult for AsDebugResult<'_, Result<T, E>> {
    fn tracebook_bundles(&self) -> Shown {
        result_text(debug(self.0), |error| format!("{error:?}"))
    }
}

impl<T: Debug, E: Debug> ShowDebugResult for AsDebugResult<'_, &Result<T, E>> {
    fn tracebook_bundles(&self) -> Shown {
        result_text(debug(self.0), |error| format!("{error:?}"))
    }
}

fn debug<T: Debug, E>(result: &Result<T, E>) -> Result<&dyn Debug, &E> {
    result.as_ref().map(|value| value as &dyn Debug)
}

fn result_text<E>(result: Result<&dyn Debug, &E>, text: impl FnOnce(&E) -> String) -> Shown {
    match result {
        Ok(value) => success(value),
        Err(error) => Err(text(error)),
    }
}

fn success(value: &dyn Debug) -> Shown {
    let text = debug_text(value);
    Ok(if text == "()" { Vec::new() } else { vec![Bundle::text(format!("Ok({text})"))] })
}

/// Shows debug text; of `()` nothing.
pub trait ShowDebug {
    /// Returns the bundles, as [`ShowRich::tracebook_bundles`] does.
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

// Not generic, so that it is compiled here once and not in every cell.

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

/// Replaces evcxr's fallback, which would show debug text after any error: the value is shown as at the first attempt.
#[doc(hidden)]
#[macro_export]
macro_rules! display_without_fallback {
    ((($value:expr))) => {
        ($value).evcxr_display()
    };
}

/// Expands to its statements. evcxr keeps the variables of the `let` statements that it finds, and does not look into macros.
#[doc(hidden)]
#[macro_export]
macro_rules! transient {
    ($($statement:tt)*) => { $($statement)* };
}

/// Returns the bundles of a value of any type.
#[doc(hidden)]
#[macro_export]
macro_rules! bundles_of {
    ($value:expr) => {{
        #[allow(unused_imports)]
        use $crate::{ShowDebug as _, ShowDebugResult as _, ShowResult as _, ShowRich as _};
        $crate::value(&$value).tracebook_bundles()
    }};
}

/// Sends the bundles of a value, or its error.
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
    fn first_applicable_level_shows_the_value() {
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
