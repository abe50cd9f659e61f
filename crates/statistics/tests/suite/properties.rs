//! Properties for any input: symmetry, monotonicity, uniform p, no panic.

use statistics::*;

fn normal(random: &mut Random) -> f64 {
    normal_quantile(random.uniform().max(1e-16))
}

fn sample(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| 10.0 + normal(random)).collect()
}

/// The p of every test of two samples.
fn all_p(control: &[f64], test: &[f64]) -> [f64; 4] {
    [
        mann_whitney(control, test).unwrap().p,
        welch(control, test).unwrap().p,
        brunner_munzel(control, test).unwrap().p,
        permutation(control, test, 500, 1).unwrap().p,
    ]
}

#[test]
fn p_is_uniform_if_nothing_changed() {
    let mut random = Random::new(11);
    let repetitions = 2_000;
    for (m, n) in [(12, 15), (30, 26)] {
        let mut below = [[0; 3]; 4];
        for _ in 0..repetitions {
            let p = all_p(&sample(&mut random, m), &sample(&mut random, n));
            for (below, p) in below.iter_mut().zip(p) {
                for (count, bound) in below.iter_mut().zip([0.05, 0.2, 0.5]) {
                    *count += usize::from(p <= bound);
                }
            }
        }
        for (test, below) in below.iter().enumerate() {
            for (&count, bound) in below.iter().zip([0.05f64, 0.2, 0.5]) {
                let share = count as f64 / repetitions as f64;
                // Four standard errors; 1 % for discrete p and approximations.
                let allowed = 0.01 + 4.0 * (bound * (1.0 - bound) / repetitions as f64).sqrt();
                assert!((share - bound).abs() < allowed, "test {test}, {m} + {n}: {share} below {bound}");
            }
        }
    }
}

#[test]
fn exchanged_sides_have_the_same_p_and_the_mirrored_effect() {
    let mut random = Random::new(12);
    for _ in 0..50 {
        let (m, n) = (2 + random.below(30), 2 + random.below(30));
        let (a, b) = (sample(&mut random, m), sample(&mut random, n));
        let (there, back) = (mann_whitney(&a, &b).unwrap(), mann_whitney(&b, &a).unwrap());
        assert!((there.p - back.p).abs() < 1e-12 && (there.superiority + back.superiority - 1.0).abs() < 1e-12);
        let (there, back) = (shift(&a, &b, 0.95, None).unwrap(), shift(&b, &a, 0.95, None).unwrap());
        assert_eq!(there.estimate, -back.estimate);
        assert_eq!([there.interval.low, there.interval.high], [-back.interval.high, -back.interval.low]);
        let (there, back) = (welch(&a, &b).unwrap(), welch(&b, &a).unwrap());
        assert!((there.p - back.p).abs() < 1e-12 && (there.t + back.t).abs() < 1e-12);
        let (there, back) = (brunner_munzel(&a, &b).unwrap(), brunner_munzel(&b, &a).unwrap());
        assert!((there.p - back.p).abs() < 1e-9 && (there.superiority + back.superiority - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_larger_shift_has_a_smaller_p() {
    let mut random = Random::new(13);
    let (control, test) = (sample(&mut random, 12), sample(&mut random, 12));
    let mut before = [1.0f64; 4];
    for step in 0..12 {
        let moved: Vec<f64> = test.iter().map(|value| value + 1.5 + f64::from(step) * 0.3).collect();
        let mut p = all_p(&control, &moved);
        // The degrees of Brunner and Munzel's test depend on how the sides overlap, so its p need not fall.
        p[2] = 0.0;
        for (p, before) in p.iter().zip(before) {
            assert!(*p <= before + 1e-12, "{p} {before}");
        }
        before = p;
    }
}

#[test]
fn estimates_follow_shifts_and_scales() {
    let mut random = Random::new(14);
    let (control, test) = (sample(&mut random, 9), sample(&mut random, 14));
    let plain = ratio(&control, &test, 0.95, None).unwrap();
    let scaled: Vec<f64> = test.iter().map(|value| value * 3.0).collect();
    let tripled = ratio(&control, &scaled, 0.95, None).unwrap();
    assert!((tripled.estimate / plain.estimate - 3.0).abs() < 1e-12);
    assert!((tripled.interval.high / plain.interval.high - 3.0).abs() < 1e-12);
    let same = mann_whitney(&control, &test).unwrap();
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    assert_eq!(mann_whitney(&logs(&control), &logs(&test)).unwrap(), same);
}

#[test]
fn wider_levels_and_fewer_values_have_wider_intervals() {
    let mut random = Random::new(15);
    let (control, test) = (sample(&mut random, 40), sample(&mut random, 40));
    let width = |n: usize, level: f64| shift(&control[..n], &test[..n], level, None).unwrap().interval.half_width();
    assert!(width(40, 0.99) > width(40, 0.95) && width(40, 0.95) > width(40, 0.5));
    let correlated = shift(&control, &test, 0.95, Some([10.0, 10.0])).unwrap().interval.half_width();
    assert!(correlated > 1.5 * width(40, 0.95));
    assert!(needed(0.02, 0.01, 0.05).unwrap() > needed(0.02, 0.02, 0.05).unwrap());
    assert_eq!(needed(0.0, 0.01, 0.05), Some(4));
    assert_eq!(needed(f64::NAN, 0.01, 0.05), None);
    // 2 % noise, 1 % change: about 2 (1.96 + 0.84)² · 4 = 63.
    assert!((60..70).contains(&needed(0.02, 0.01, 0.05).unwrap()));
}

#[test]
fn correlated_series_are_worth_fewer_values() {
    let mut random = Random::new(16);
    let mut mean_correlation = 0.0;
    for _ in 0..200 {
        let mut state = normal(&mut random);
        let series: Vec<f64> = (0..30)
            .map(|_| {
                state = 0.5 * state + 0.75f64.sqrt() * normal(&mut random);
                state
            })
            .collect();
        mean_correlation += correlation(&[&series]) / 200.0;
    }
    assert!((mean_correlation - 0.5).abs() < 0.05, "{mean_correlation}");
    assert_eq!(effective_size(24, 0.0), 24.0);
    // (1 − ρ)/(1 + ρ), for long series.
    assert!((effective_size(10_000, 0.5) / 10_000.0 - 1.0 / 3.0).abs() < 0.001);
    assert!((autocorrelation(&[1.0, -1.0, 1.0, -1.0], 1) + 0.75).abs() < 1e-12);
}

#[test]
fn change_points_and_warm_up_are_found() {
    let mut random = Random::new(17);
    let mut series: Vec<f64> = sample(&mut random, 40);
    assert_eq!(warm_up(&series, 0), 0);
    for value in &mut series[..6] {
        *value += 8.0;
    }
    assert_eq!(warm_up(&series, 0), 6);
    // A change in the last third is none of warm-up.
    series.reverse();
    assert_eq!(warm_up(&series, 0), 0);
    assert_eq!(change_point(&series, 1, 0).unwrap().unwrap().at, 34);
    let steps: Vec<f64> = (0..60).map(|at| f64::from(at / 20) * 9.0 + normal(&mut random)).collect();
    let found: Vec<usize> = change_points(&steps, 1, 0).unwrap().iter().map(|point| point.at).collect();
    assert_eq!(found, [20, 40]);
    let alarms = (0..100).filter(|_| change_point(&sample(&mut random, 30), 1, 0).unwrap().unwrap().p <= 0.05).count();
    assert!(alarms <= 12, "{alarms}");
}

#[test]
fn outliers_are_named() {
    let mut values = vec![10.0, 10.1, 9.9, 10.05, 9.95, 10.02, 10.0];
    assert!(outliers(&values).is_empty());
    values.push(14.0);
    assert_eq!(outliers(&values), [7]);
    assert_eq!(outliers(&[5.0, 5.0, 5.0, 5.0, 5.0, 9.0]), [5]);
    assert!(outliers(&[5.0; 9]).is_empty());
}

#[test]
fn controls_tell_noise_from_a_common_factor() {
    let errors = [0.001; 12];
    let mut random = Random::new(18);
    let ratios: Vec<f64> = (0..12).map(|_| 0.01 * normal(&mut random)).collect();
    let noise = controls(&ratios, &errors, &[1.0; 12]).unwrap();
    assert!(noise.common_factor.is_none() && !noise.is_chance);
    assert!(noise.floor > 0.003 && noise.excess <= noise.floor);
    let slower: Vec<f64> = ratios.iter().map(|ratio| ratio + 0.2).collect();
    let factor = controls(&slower, &errors, &[1.0; 12]).unwrap().common_factor.unwrap();
    assert!((factor - 1.22).abs() < 0.02, "{factor}");
    // A quantity that moved as all did is not special; one that moved by 20 % more is.
    assert!(controls(&slower, &errors, &[1.0; 12]).unwrap().p(0.2, 0.001, 20.0) > 0.2);
    assert!(controls(&slower, &errors, &[1.0; 12]).unwrap().p(0.4, 0.001, 20.0) < 0.001);
    // Four of twelve quantities moved: they count if they are most of the time, and a single large one does not.
    let mut moved = ratios.clone();
    for ratio in &mut moved[..4] {
        *ratio -= 1.0 + ratio.abs() * 20.0;
    }
    let few = controls(&moved, &errors, &[1.0; 12]).unwrap();
    let large: Vec<f64> = (0..12).map(|at| if at < 4 { 20.0 } else { 1.0 }).collect();
    let one: Vec<f64> = (0..12).map(|at| if at < 1 { 500.0 } else { 10.0 }).collect();
    assert!(few.excess < 0.05 && controls(&moved, &errors, &one).unwrap().excess < 0.05);
    assert!(controls(&moved, &errors, &large).unwrap().excess > 0.05);
    assert_eq!(controls(&ratios[..7], &errors[..7], &[1.0; 7]), Err(Error::TooFew { needed: 8, have: 7 }));
}

#[test]
fn a_descent_stays_above_what_is_not_kept() {
    // 0: step; 1, 2: classes; 3, 4: regions of 1; 5: region of 2.
    let parents = [None, Some(0), Some(0), Some(1), Some(1), Some(2)];
    let p = [0.5, 0.4, 0.9, 1e-6, 0.7, 0.001];
    let by_rate = |groups: &[Vec<usize>]| {
        let each: Vec<f64> =
            groups.iter().map(|group| simes(&group.iter().map(|&at| p[at]).collect::<Vec<_>>())).collect();
        Ok(benjamini_hochberg(&each))
    };
    let found = descend(&parents, 1e-4, Opens::Either, &by_rate).unwrap();
    // The step and its class are kept for what is below them, though their own p are large.
    assert_eq!(found.selected, [true, true, false, true, false, false]);
    assert!(found.q[3].unwrap() < 1e-4 && found.q[5].is_none());
    assert_eq!(descend(&[Some(0)], 0.05, Opens::Either, &by_rate), Err(Error::Shape));
    assert_eq!(descend(&[Some(1), None], 0.05, Opens::Either, &by_rate), Err(Error::Shape));
}

#[test]
fn unusual_input_never_panics() {
    let strange: Vec<Vec<f64>> = vec![
        vec![],
        vec![0.0],
        vec![-0.0, 0.0],
        vec![f64::NAN, 1.0, 2.0],
        vec![f64::INFINITY, 1.0, 2.0, 3.0],
        vec![f64::MAX, f64::MIN, 0.0, 1.0],
        vec![1e-300, 2e-300, 1e-310, 5e-324],
        vec![1e140, -1e140, 1e139, 3.0, 4.0],
        vec![7.0; 30],
        vec![-5.0, 3.0, 0.0, 2.0, 2.0],
        (0..60).map(f64::from).collect(),
    ];
    for a in &strange {
        for b in &strange {
            let finite = a.iter().chain(b).all(|value| value.abs() < 1e150);
            let in_range = |p: f64| (0.0..=1.0).contains(&p);
            assert!(mann_whitney(a, b).map_or(!finite || a.is_empty() || b.is_empty(), |answer| in_range(answer.p)));
            assert!(mann_whitney_correlated(a, b, [2.0, f64::INFINITY]).map_or(true, |answer| in_range(answer.p)));
            assert!(mann_whitney_correlated(a, b, [f64::NAN, -1.0]).is_err());
            assert!(welch(a, b).map_or(true, |answer| in_range(answer.p)), "{a:?} {b:?}");
            assert!(brunner_munzel(a, b).map_or(true, |answer| in_range(answer.p)), "{a:?} {b:?}");
            assert!(permutation(a, b, 10, 0).map_or(true, |answer| in_range(answer.p)));
            for level in [0.95, 0.0, 1.0, f64::NAN, -3.0] {
                if let Ok(answer) = shift(a, b, level, None) {
                    assert!(answer.interval.low <= answer.interval.high && answer.interval.contains(answer.estimate));
                }
                let _ = (ratio(a, b, level, Some([2.0, 3.0])), prediction(a, level));
                let resamples = Plan::new(&[a.len()], &[b.len()], Design::Blocks(3), 120, 1)
                    .and_then(|plan| plan.differences(&[[a, b]]));
                if let Ok(resamples) = resamples {
                    let _ = bca(mean(b) - mean(a), &resamples[0], [a, b], level, 1.0);
                }
            }
            let _ = (
                controls(a, b, a),
                benjamini_hochberg(a),
                simes(b),
                Plan::new(&[3], &[0], Design::Pairs, 5, 1).is_err(),
            );
            if let Ok(answer) = max_t(&Matrix { rows: &[a.clone(), b.clone()], control: 2 }, 0) {
                assert_eq!(answer.adjusted(&[vec![9]]), Err(Error::Shape));
                assert!(answer.adjusted(&[vec![0], vec![]]).unwrap().into_iter().all(in_range));
            }
        }
        let _ = (median(a), mad(a), variance(a), pseudo_median(a), outliers(a), warm_up(a, 0), autocorrelation(a, 3));
        let _ = (change_points(a, 0, 1), correlation(&[a, a]), effective_size(a.len(), f64::NAN));
    }
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 2.0] {
        let _ = (normal_cdf(number), normal_quantile(number), student_cdf(1.0, number), student_cdf(number, 3.0));
        let _ = (student_quantile(number, 3.0), student_quantile(0.3, number), needed(number, number, number));
        let _ = smallest_change(number, number, number);
    }
    assert!(max_t(&Matrix { rows: &[vec![1.0; 4]], control: 9 }, 0).is_err());
    assert!(Runs::new(&[]).is_err() && Runs::new(&[vec![]]).is_err() && Runs::new(&[vec![f64::NAN]]).is_err());
}

#[test]
fn random_numbers_are_those_of_the_generator() {
    // SplitMix64 and xoshiro256++ of the authors' C code, seed 0.
    let mut random = Random::new(0);
    assert_eq!(random.bits(), 5_987_356_902_031_041_503);
    assert_eq!(random.bits(), 7_051_070_477_665_621_255);
    let mut counts = [0; 6];
    for _ in 0..60_000 {
        counts[random.below(6)] += 1;
    }
    assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    assert_eq!(random.below(0), 0);
}

/// The standard deviation of the difference of means over resamples.
fn spread(control: &[f64], test: &[f64], lengths: &[usize], design: Design) -> f64 {
    let plan = Plan::new(lengths, lengths, design, 4_000, 3).unwrap();
    let resamples = plan.differences(&[[control, test]]).unwrap();
    assert!((mean(&resamples[0]) - (mean(test) - mean(control))).abs() < 0.2);
    variance(&resamples[0]).sqrt()
}

#[test]
fn resamples_keep_what_their_design_says() {
    let mut random = Random::new(19);
    // Waves: neighbours are alike, runs are not.
    let wave = |phase: f64| (0..60).map(move |at| (f64::from(at) / 5.0 + phase).sin()).collect::<Vec<f64>>();
    let noise =
        |values: &[f64], random: &mut Random| values.iter().map(|x| x + 0.1 * normal(random)).collect::<Vec<f64>>();
    let control = noise(&wave(0.0), &mut random);
    let test = noise(&wave(0.0), &mut random);
    let iterations = spread(&control, &test, &[60], Design::Iterations);
    assert!((iterations / (variance(&control) / 60.0 + variance(&test) / 60.0).sqrt() - 1.0).abs() < 0.05);
    assert!(spread(&control, &test, &[60], Design::Blocks(5)) > 1.5 * iterations);
    // Both sides have the same wave, which pairs take out.
    assert!(spread(&control, &test, &[60], Design::Pairs) < 0.5 * iterations);
    assert!(Plan::new(&[60], &[59], Design::Pairs, 100, 1).is_err());
    // Six runs of ten, each with a level of its own.
    let levels: Vec<f64> = (0..60).map(|at| f64::from(at / 10)).collect();
    let (control, test) = (noise(&levels, &mut random), noise(&levels, &mut random));
    let runs = spread(&control, &test, &[10; 6], Design::TwoLevels);
    assert!((runs / (2.0 * variance(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]) * (5.0 / 6.0) / 6.0).sqrt() - 1.0).abs() < 0.05);
    assert!(spread(&control, &test, &[10; 6], Design::Iterations) < 0.2 * runs);
}
