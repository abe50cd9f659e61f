//! `kernel_info_request`: name, version and language of the kernel. Answered before any cell can run.

use super::reply::typed;
use crate::wire::PROTOCOL_VERSION;
use jupyter_protocol::{CodeMirrorMode, HelpLink, KernelInfoReply, LanguageInfo, ReplyStatus};
use serde_json::{Value, json};

/// Version of the compiler that built the kernel and compiles cells.
const RUSTC_VERSION: &str = env!("TRACEBOOK_RUSTC_VERSION");

/// Returns the content of the reply.
pub(super) fn reply() -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let link = |text: &str, url: &str| HelpLink { text: text.to_owned(), url: url.to_owned() };
    let mut reply = typed(&KernelInfoReply {
        status: ReplyStatus::Ok,
        protocol_version: PROTOCOL_VERSION.to_owned(),
        implementation: "tracebook".to_owned(),
        implementation_version: version.to_owned(),
        language_info: LanguageInfo {
            name: "rust".to_owned(),
            version: RUSTC_VERSION.to_owned(),
            mimetype: Some("text/x-rust".to_owned()),
            file_extension: Some(".rs".to_owned()),
            pygments_lexer: Some("rust".to_owned()),
            codemirror_mode: Some(CodeMirrorMode::Simple("rust".to_owned())),
            nbconvert_exporter: None,
        },
        banner: format!(
            "Tracebook {version}: PyTorch profiler traces in Rust {RUSTC_VERSION}. %lsmagic lists the magics, %NAME? \
             explains one."
        ),
        help_links: vec![
            link("Rust book", "https://doc.rust-lang.org/book/"),
            link("Rust standard library", "https://doc.rust-lang.org/std/"),
            link("polars", "https://docs.rs/polars/latest/polars/"),
            link("Holistic Trace Analysis", "https://hta.readthedocs.io/"),
        ],
        debugger: false,
        error: None,
    });
    // A field newer than the protocol crate. Debugger and subshells are not supported.
    reply["supported_features"] = json!(["iopub_welcome"]);
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_info_is_complete() {
        let reply = reply();
        assert_eq!(reply["status"], "ok");
        assert_eq!(reply["protocol_version"], "5.5");
        let language = &reply["language_info"];
        assert_eq!(
            [&language["name"], &language["file_extension"], &language["mimetype"], &language["codemirror_mode"]],
            ["rust", ".rs", "text/x-rust", "rust"]
        );
        assert!(language["version"].as_str().is_some_and(|version| version.starts_with("1.")), "{language}");
    }
}
