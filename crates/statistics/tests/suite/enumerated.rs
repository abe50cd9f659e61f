//! Exact answers against enumeration of every case.

use statistics::*;

/// Every way to choose `size` of `all` positions.
fn sets(all: usize, size: usize) -> Vec<Vec<usize>> {
    (0u32..1 << all)
        .filter(|bits| bits.count_ones() as usize == size)
        .map(|bits| (0..all).filter(|at| bits >> at & 1 == 1).collect())
        .collect()
}

fn split(values: &[f64], test: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for (at, &value) in values.iter().enumerate() {
        if test.contains(&at) { b.push(value) } else { a.push(value) }
    }
    (a, b)
}

/// Pairs in which test is larger, equal ones half.
fn u(control: &[f64], test: &[f64]) -> f64 {
    let pair = |a: f64, b: f64| {
        if b > a {
            1.0
        } else if b == a {
            0.5
        } else {
            0.0
        }
    };
    test.iter().map(|&b| control.iter().map(|&a| pair(a, b)).sum::<f64>()).sum()
}

#[test]
fn mann_whitney_is_the_share_of_arrangements() {
    let mut random = Random::new(3);
    for case in 0..60 {
        let (m, n) = (1 + random.below(5), 1 + random.below(5));
        // Few different values, so most cases have ties.
        let values: Vec<f64> = (0..m + n).map(|_| random.below(if case % 2 == 0 { 4 } else { 1_000 }) as f64).collect();
        let arrangements: Vec<f64> = sets(m + n, n)
            .iter()
            .map(|set| {
                let (control, test) = split(&values, set);
                u(&control, &test)
            })
            .collect();
        let (control, test) = split(&values, &(m..m + n).collect::<Vec<_>>());
        let real = u(&control, &test);
        let share = |of: &dyn Fn(f64) -> bool| {
            arrangements.iter().filter(|&&one| of(one)).count() as f64 / arrangements.len() as f64
        };
        let p = (2.0 * share(&|one| one <= real).min(share(&|one| one >= real))).min(1.0);
        let ours = mann_whitney(&control, &test).unwrap();
        assert_eq!(ours.u, real);
        assert!((ours.p - p).abs() < 1e-12, "{control:?} {test:?} {} {p}", ours.p);
    }
}

#[test]
fn shifts_are_order_statistics_of_all_differences() {
    let mut random = Random::new(4);
    for _ in 0..200 {
        let (m, n) = (1 + random.below(9), 1 + random.below(9));
        let mut draw = |n: usize| (0..n).map(|_| random.below(50) as f64 / 7.0 - 3.0).collect::<Vec<f64>>();
        let (control, test) = (draw(m), draw(n));
        let mut differences: Vec<f64> = test.iter().flat_map(|b| control.iter().map(move |a| b - a)).collect();
        differences.sort_by(f64::total_cmp);
        let ours = shift(&control, &test, 0.95, None).unwrap();
        assert!((ours.estimate - median(&differences)).abs() < 1e-12);
        let at = |value: f64| differences.iter().position(|&one| one == value).unwrap();
        let last = |value: f64| differences.iter().rposition(|&one| one == value).unwrap();
        assert!(at(ours.interval.low) <= differences.len() - 1 - last(ours.interval.high) + differences.len() / 2);
        let low = differences.iter().filter(|&&one| one < ours.interval.low).count();
        let high = differences.iter().filter(|&&one| one > ours.interval.high).count();
        assert!(low.abs_diff(high) <= differences.len() / 2);
        let mut means: Vec<f64> =
            (0..m).flat_map(|i| (i..m).map(move |j| (i, j))).map(|(i, j)| (control[i] + control[j]) / 2.0).collect();
        means.sort_by(f64::total_cmp);
        assert!((pseudo_median(&control).unwrap() - median(&means)).abs() < 1e-12);
    }
}

#[test]
fn the_interval_of_a_shift_holds_its_level_exactly() {
    // Every order of 4 control and 4 test values without ties is as likely: in how many is a shift of 0 inside?
    for (m, n) in [(3, 3), (4, 4), (4, 5), (5, 5)] {
        let values: Vec<f64> = (0..m + n).map(|at| (at * at) as f64).collect();
        let all = sets(m + n, n);
        let mut level = 0.0;
        let inside = all
            .iter()
            .filter(|set| {
                let (control, test) = split(&values, set);
                let interval = shift(&control, &test, 0.95, None).unwrap().interval;
                level = interval.level;
                interval.contains(0.0)
            })
            .count();
        assert!((inside as f64 / all.len() as f64 - level).abs() < 1e-12, "{m} {n} {level}");
    }
}

#[test]
fn max_t_of_one_quantity_is_a_permutation_test() {
    let row = vec![10.0, 11.0, 10.5, 10.2, 11.9, 12.0, 11.2, 12.5];
    let ours = max_t(&Matrix { rows: std::slice::from_ref(&row), control: 4 }, 0).unwrap();
    assert!(ours.is_exact());
    let by_means = permutation(&row[..4], &row[4..], 0, 0).unwrap();
    // With one quantity, the moderated t grows with the difference of means.
    assert!((ours.adjusted(&[vec![0]]).unwrap()[0] - by_means.p).abs() < 1e-12);
}

#[test]
fn max_t_is_right_for_most_of_all_arrangements() {
    // Of all arrangements of the same values, at most 5 % may have an adjusted p of at most 0.05 for any quantity.
    let mut random = Random::new(9);
    let rows: Vec<Vec<f64>> = (0..12).map(|_| (0..8).map(|_| 100.0 + random.uniform()).collect()).collect();
    let groups: Vec<Vec<usize>> = (0..rows.len()).map(|at| vec![at]).collect();
    let all = sets(8, 4);
    let alarms = all
        .iter()
        .filter(|set| {
            let arranged: Vec<Vec<f64>> = rows
                .iter()
                .map(|row| {
                    let (control, test) = split(row, set);
                    [control, test].concat()
                })
                .collect();
            let answer = max_t(&Matrix { rows: &arranged, control: 4 }, 0).unwrap();
            answer.adjusted(&groups).unwrap().iter().any(|&p| p <= 0.05)
        })
        .count();
    assert!(alarms as f64 <= 0.05 * all.len() as f64 && alarms > 0, "{alarms} of {}", all.len());
}
