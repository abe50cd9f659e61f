use super::Job;

/// Returns the JSON text of a rank.
fn text(job: &Job, rank: u64) -> String {
    let mut out = Vec::new();
    let written = job.write(rank, &mut out).unwrap();
    assert_eq!(written.bytes as usize, out.len());
    String::from_utf8(out).unwrap()
}

/// Returns the values of a key in the events whose text contains `of`, in ns.
fn nanos(text: &str, of: &str, key: &str) -> Vec<u64> {
    let events = text.split("{\"ph\": ").filter(|event| event.contains(of));
    events
        .filter_map(|event| {
            let value = event.split(&format!("\"{key}\": ")).nth(1)?;
            let digits: String = value.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            digits.replace('.', "").parse().ok()
        })
        .collect()
}

#[test]
fn jobs_have_about_the_wanted_size_and_equal_bytes() {
    for (ranks, bytes) in [(512, 10_000_000), (64, 20_000_000), (4, 8_000_000)] {
        let job = Job::of(ranks, bytes, 1);
        let each: usize = (0..4).map(|rank| text(&job, rank).len()).sum::<usize>() / 4;
        let wanted = (bytes / ranks) as usize;
        assert!((wanted * 3 / 4..wanted * 5 / 4).contains(&each), "{each} bytes instead of {wanted}");
    }
    assert_eq!(text(&Job::of(8, 400_000, 7), 3), text(&Job::of(8, 400_000, 7), 3));
    assert_ne!(text(&Job::of(8, 400_000, 7), 3), text(&Job::of(8, 400_000, 8), 3));
}

#[test]
fn collectives_end_at_once_and_stragglers_wait_least() {
    let job = Job::of(64, 3_000_000, 1);
    let of_rank = |rank| {
        let text = text(&job, rank);
        let (start, length) = (nanos(&text, "nccl", "ts"), nanos(&text, "nccl", "dur"));
        let ends: Vec<u64> = start.iter().zip(&length).map(|(start, length)| start + length).collect();
        (ends, length.iter().sum::<u64>())
    };
    let (ends, usual) = of_rank(0);
    assert!(ends.len() >= 6, "{ends:?}");
    for straggler in [job.slow_gpu(), job.slow_host()] {
        let (its_ends, time) = of_rank(straggler);
        assert_eq!(its_ends, ends);
        assert!(time < usual, "rank {straggler} is in collectives for {time} ns, rank 0 for {usual} ns");
    }
}
