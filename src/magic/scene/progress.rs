//! How far a load is: shown after 0.3 s, at most ten times a second, gone when it is done.

use crate::display::{Output, Sink};
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace::LoadProgress;
use trace_view::{Bundle, HTML};

/// Work that is over by then shows no bar.
const PATIENCE: Duration = Duration::from_millis(300);
/// At most one update in this time.
const PACE: Duration = Duration::from_millis(100);

/// A bar that is drawn under one display id.
pub(in crate::magic) struct Progress<'a> {
    out: &'a Arc<dyn Sink>,
    id: String,
    start: Instant,
    /// When the bar was last drawn; `None` while there is none.
    drawn: Option<Instant>,
    enabled: bool,
}

impl<'a> Progress<'a> {
    /// A bar that starts now.
    pub(in crate::magic) fn new(out: &'a Arc<dyn Sink>, enabled: bool) -> Self {
        Self { out, id: uuid::Uuid::new_v4().to_string(), start: Instant::now(), drawn: None, enabled }
    }

    /// Draws how far it is, if it is time to.
    pub(in crate::magic) fn report(&mut self, progress: &LoadProgress) {
        let now = Instant::now();
        let due = match self.drawn {
            None => now - self.start >= PATIENCE,
            Some(drawn) => now - drawn >= PACE,
        };
        if self.enabled && due {
            self.draw(bar(progress, now - self.start));
            self.drawn = Some(now);
        }
    }

    /// Puts `last` in the place of the bar, if there is one; says whether there was.
    pub(in crate::magic) fn end(&mut self, last: &str) -> bool {
        let shown = self.drawn.is_some();
        if shown {
            self.draw(Bundle::text(last));
        }
        shown
    }

    /// The time since the start.
    pub(in crate::magic) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn draw(&self, bundle: Bundle) {
        let id = self.id.clone();
        self.out.emit(match self.drawn {
            None => Output::Display { bundle, id: Some(id) },
            Some(_) => Output::Update { bundle, id },
        });
    }
}

fn bar(progress: &LoadProgress, elapsed: Duration) -> Bundle {
    let total = progress.bytes_total.max(1);
    let percent = (100.0 * progress.bytes_read as f64 / total as f64).clamp(0.0, 100.0);
    let mut text = format!("loading {}", progress.file);
    if progress.files_total > 1 {
        text.push_str(&format!(" · {} of {} files done", progress.files_done, progress.files_total));
    }
    text.push_str(&format!(
        " · {percent:.0} % · {} events · {:.1} s",
        crate::magic::view::grouped(progress.events),
        elapsed.as_secs_f64()
    ));
    let html = format!(
        "<progress max=\"100\" value=\"{percent:.0}\" style=\"width:16em\"></progress> {}",
        html_escape::encode_text(&text)
    );
    Bundle::text(text).with(HTML, html.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_says_file_share_and_events() {
        let progress = LoadProgress {
            bytes_read: 50,
            bytes_total: 200,
            events: 12_345,
            files_done: 1,
            files_total: 4,
            file: "<rank>.json".to_owned(),
        };
        let bundle = bar(&progress, Duration::from_millis(1500));
        assert_eq!(bundle.plain(), "loading <rank>.json · 1 of 4 files done · 25 % · 12,345 events · 1.5 s");
        let html = bundle.data.get(HTML).and_then(|html| html.as_str()).unwrap_or_default();
        assert!(html.contains("<progress max=\"100\" value=\"25\"") && html.contains("&lt;rank&gt;"), "{html}");
    }
}
