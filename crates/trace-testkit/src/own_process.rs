//! Tests that need a process of their own: a mapped file that changes fails every call that runs at that time in the same process, and
//! the memory that is left to one test depends on what others use.

use std::process::Command;

/// Set in the process of such a test.
const OWN: &str = "TRACEBOOK_TEST_IN_OWN_PROCESS";

/// Runs the body of a test in a process of its own: this test program, with that test alone.
///
/// # Panics
/// With the output of that process if the test fails there.
pub fn in_own_process<T: FnOnce()>(body: T) {
    if is_own_process() {
        return body();
    }
    // The path of a closure is that of its function, behind the name of the crate.
    let path = std::any::type_name::<T>().trim_end_matches("::{{closure}}");
    let (_, test) = path.split_once("::").unwrap_or_default();
    let output = std::env::current_exe()
        .and_then(|program| Command::new(program).args(["--exact", test, "--nocapture"]).env(OWN, "1").output())
        .unwrap_or_else(|error| panic!("cannot start this test program: {error}"));
    let [out, problems] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success() && out.contains("1 passed"), "{test}:\n{out}\n{problems}");
}

/// Returns whether this process runs one test alone.
pub fn is_own_process() -> bool {
    std::env::var_os(OWN).is_some()
}
