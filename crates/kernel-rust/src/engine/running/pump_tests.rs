//! Tests of the pump: pipes written as a worker process writes them.

use super::*;

struct Collected(Mutex<Vec<Output>>);

impl Sink for Collected {
    fn emit(&self, output: Output) {
        self.0.lock().unwrap().push(output);
    }

    fn input(&self, _: &str, _: bool) -> Result<String, Failure> {
        Ok("an answer".to_owned())
    }

    fn interrupted(&self) -> bool {
        true
    }
}

impl Collected {
    /// The printed text, and the plain text of what was shown.
    fn text(&self) -> String {
        let plain = |output: &Output| match output {
            Output::Stdout(text) | Output::Stderr(text) => text.clone(),
            Output::Display { bundle, .. } => bundle.plain().to_owned(),
            _ => String::new(),
        };
        self.0.lock().unwrap().iter().map(plain).collect()
    }
}

fn started(folder: &Path) -> (Pump, Arc<Collected>) {
    let pump = Pump::start(folder, "t").unwrap();
    let collected = begin(&pump);
    (pump, collected)
}

fn begin(pump: &Pump) -> Arc<Collected> {
    let collected = Arc::new(Collected(Mutex::new(Vec::new())));
    let sink: Arc<dyn Sink> = collected.clone();
    pump.begin(&sink).unwrap();
    collected
}

fn shown(text: &str) -> Envelope {
    Envelope::Display { bundle: Bundle::text(text), id: None }
}

#[test]
fn finish_waits_for_all_output() {
    let folder = tempfile::tempdir().unwrap();
    let (pump, collected) = started(folder.path());
    let mut out = open(folder.path(), "out").unwrap();
    out.write_all(&vec![b'x'; 300_000]).unwrap();
    out.write_all(&Envelope::Failure { message: "no".to_owned() }.encode("t", 1)).unwrap();
    let report = pump.finish(false);
    assert_eq!(report.error.as_deref(), Some("no"));
    assert_eq!(collected.text().len(), 300_000);
}

#[test]
fn late_envelope_reaches_only_its_own_cell() {
    let folder = tempfile::tempdir().unwrap();
    let (pump, first) = started(folder.path());
    pump.finish(false);
    let second = begin(&pump);
    let mut out = open(folder.path(), "out").unwrap();
    for (cell, text) in [(1, "of the first"), (2, "of the second"), (0, "of none"), (3, "of none")] {
        out.write_all(&shown(text).encode("t", cell)).unwrap();
    }
    for cell in [1, 3] {
        out.write_all(&Envelope::Failure { message: "no".to_owned() }.encode("t", cell)).unwrap();
        out.write_all(&Envelope::Panicked.encode("t", cell)).unwrap();
    }
    assert_eq!(pump.finish(false), CellReport::default());
    assert_eq!((first.text().as_str(), second.text().as_str()), ("of the first", "of the second"));
}

#[test]
fn output_after_timeout_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let (mut pump, first) = started(folder.path());
    pump.timeout = Duration::from_millis(100);
    // Nothing is delivered while this is held; the sink reports an interrupt, so its wait is bounded.
    let held = first.0.lock().unwrap();
    let mut out = open(folder.path(), "out").unwrap();
    out.write_all(&[&shown("a").encode("t", 1)[..], b"b\n", &Envelope::Panicked.encode("t", 1)].concat()).unwrap();
    assert!(pump.finish(false).cut_off);
    let second = begin(&pump);
    drop(held);
    out.write_all(b"c").unwrap();
    assert_eq!(pump.finish(false), CellReport::default());
    assert_eq!((first.text().as_str(), second.text().as_str()), ("a", "c"));
}
