"""Records the answers of SciPy and statsmodels that the tests compare with, in answers.json beside this file.

    python -m pip install scipy==1.17.1 statsmodels==0.15.0
    python crates/statistics/tests/answers/record.py

The exact distribution of rank sums with ties, the intervals of Hodges and Lehmann and the permutation of means are enumerated here, since
SciPy enumerates none of them with ties.
"""

import itertools
import json
import pathlib

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

SIZES = [(3, 3), (4, 4), (5, 3), (4, 7), (6, 6), (8, 8), (12, 9), (20, 25), (26, 30), (50, 50)]


def midrank_sum_p(control, test):
    """Twice the smaller tail of the rank sum of test over all choices."""
    ranks = np.round(2 * stats.rankdata(np.concatenate([control, test]))).astype(int)
    real = ranks[len(control) :].sum()
    sums = np.array([sum(chosen) for chosen in itertools.combinations(ranks.tolist(), len(test))])
    return min(1.0, 2 * min((sums <= real).mean(), (sums >= real).mean()))


def permutation_p(control, test):
    """The share of all choices with a difference of means at least as large."""
    pooled = np.concatenate([control, test])
    n, total = len(test), pooled.sum()
    sums = np.array([sum(chosen) for chosen in itertools.combinations(pooled.tolist(), n)])
    differences = np.abs(sums / n - (total - sums) / len(control))
    real = abs(np.mean(test) - np.mean(control))
    return (differences >= real - 1e-9).mean()


def shift(control, test):
    """The median of the differences, and the order statistics at the exact level that is nearest to 95 %."""
    differences = np.sort(np.subtract.outer(test, control).ravel())
    m, n = len(control), len(test)
    if max(m, n) <= 25:
        counts = exact_counts(m, n)
        tails = np.cumsum(counts) / sum(counts)
        half = tails[: (m * n + 1) // 2]
        skipped = int(np.argmin(np.abs(half - 0.025)))
        level = 1 - 2 * half[skipped]
    else:
        deviation = np.sqrt(m * n * (m + n + 1) / 12)
        skipped = int(np.floor(m * n / 2 - stats.norm.ppf(0.975) * deviation))
        level = 0.95
    return [float(np.median(differences)), float(differences[skipped]), float(differences[-1 - skipped]), float(level)]


def exact_counts(m, n):
    """Arrangements without ties by U, by the recurrence of Mann and Whitney."""
    table = {}

    def count(m, n):
        if (m, n) not in table:
            if m == 0 or n == 0:
                table[m, n] = [1]
            else:
                with_largest, without = count(m - 1, n), count(m, n - 1)
                answer = [0] * (m * n + 1)
                for u, ways in enumerate(with_largest):
                    answer[u + n] += ways
                for u, ways in enumerate(without):
                    answer[u] += ways
                table[m, n] = answer
        return table[m, n]

    return count(m, n)


def two_samples(generator):
    cases = []
    for (m, n), ties, spread in itertools.product(SIZES, [False, True], [1.0, 2.0]):
        control = generator.normal(100, 5, m)
        test = generator.normal(104, 5 * spread, n)
        control, test = (
            (np.round(control / 4) if ties else np.round(control, 6)),
            (np.round(test / 4) if ties else np.round(test, 6)),
        )
        if len(set(control)) == 1 or len(set(test)) == 1:
            continue
        asymptotic = stats.mannwhitneyu(test, control, method="asymptotic", use_continuity=True)
        welch = stats.ttest_ind(test, control, equal_var=False)
        brunner = stats.brunnermunzel(control, test)
        small = m + n <= 16
        exact = None
        if max(m, n) <= 25 and not ties:
            exact = float(stats.mannwhitneyu(test, control, method="exact").pvalue)
        elif small:
            exact = midrank_sum_p(control, test)
        cases.append(
            {
                "control": control.tolist(),
                "test": test.tolist(),
                "u": float(asymptotic.statistic),
                "asymptotic_p": float(asymptotic.pvalue),
                "exact_p": exact,
                "welch": [
                    float(welch.statistic),
                    float(welch.df),
                    float(welch.pvalue),
                    *map(float, welch.confidence_interval(0.95)),
                ],
                "brunner_munzel": [float(brunner.statistic), float(brunner.pvalue)] if np.isfinite(brunner.statistic) else None,
                "permutation_p": float(permutation_p(control, test)) if small else None,
                "shift": shift(control, test),
                "mad": float(stats.median_abs_deviation(test, scale="normal")),
            }
        )
    return cases


def bootstraps(generator):
    cases = []
    for m, n, skewed in [(10, 12, False), (15, 15, True), (40, 30, True)]:
        draw = (lambda size: generator.lognormal(0, 0.8, size)) if skewed else (lambda size: generator.normal(10, 2, size))
        control, test = np.round(draw(m), 6), np.round(1.2 * draw(n), 6)
        answer = stats.bootstrap(
            (control, test),
            lambda control, test, axis: test.mean(axis) - control.mean(axis),
            n_resamples=400_000,
            batch=10_000,
            method="BCa",
            rng=np.random.default_rng(1),
        )
        cases.append({"control": control.tolist(), "test": test.tolist(), "bca": list(map(float, answer.confidence_interval))})
    return cases


def distributions():
    shares = [1e-12, 1e-6, 0.001, 0.025, 0.2, 0.5, 0.8, 0.975, 0.999, 1 - 1e-9]
    points = [-30.0, -8.0, -2.5, -0.3, 0.0, 0.7, 1.96, 5.0, 12.0]
    degrees = [0.5, 1.0, 2.0, 3.7, 10.0, 58.3, 1e4]
    return {
        "normal_cdf": [[x, float(stats.norm.cdf(x))] for x in points],
        "normal_quantile": [[p, float(stats.norm.ppf(p))] for p in shares],
        "student_cdf": [[x, d, float(stats.t.cdf(x, d))] for x in points for d in degrees],
        "student_quantile": [[p, d, float(stats.t.ppf(p, d))] for p in shares[1:-1] for d in degrees if d >= 1],
    }


def corrections(generator):
    cases = []
    for count in [1, 2, 7, 40]:
        p = np.round(generator.uniform(size=count) ** 3, 6)
        cases.append({"p": p.tolist(), "q": multipletests(p, method="fdr_bh")[1].tolist()})
    return cases


def descents(generator):
    """Trees of p: Benjamini–Hochberg over each level of what is open. A node opens what is below it if the Simes p of its subtree, corrected
    among those of its level, is at most 0.05; with `either` also if its own q is; with `subtree` the root has the larger one of both."""
    cases = []
    for count, power in [(1, 1), (4, 2), (12, 2), (12, 4), (40, 1), (40, 3), (40, 6)]:
        parents = [None] + [int(generator.integers(0, at)) for at in range(1, count)]
        p = np.round(generator.uniform(size=count) ** power, 6)
        subtree = [{at} for at in range(count)]
        for at in reversed(range(1, count)):
            subtree[parents[at]] |= subtree[at]
        case = {"parents": parents, "p": p.tolist()}
        for opens in ["either", "subtree"]:
            q, level = [None] * count, [0]
            while level:
                own = multipletests(p[level], method="fdr_bh")[1]
                simes = [multipletests(p[sorted(subtree[at])], method="fdr_bh")[1].min() for at in level]
                below = multipletests(simes, method="fdr_bh")[1]
                kept = (below <= 0.05) | ((own <= 0.05) & (opens == "either"))
                if level == [0] and count > 1 and opens == "subtree":
                    own = np.maximum(own, below)
                for at, value in zip(level, own, strict=True):
                    q[at] = float(value)
                opened = {at for at, is_kept in zip(level, kept, strict=True) if is_kept}
                level = [at for at in range(count) if parents[at] in opened]
            case[opens] = q
        cases.append(case)
    return cases


def predictions(generator):
    cases = []
    for count in [2, 5, 30]:
        values = np.round(generator.normal(50, 3, count), 6)
        half = stats.t.ppf(0.975, count - 1) * values.std(ddof=1) * np.sqrt(1 + 1 / count)
        cases.append({"values": values.tolist(), "interval": [float(values.mean() - half), float(values.mean() + half)]})
    return cases


def main():
    generator = np.random.default_rng(19)
    answers = {
        "two_samples": two_samples(generator),
        "bootstraps": bootstraps(generator),
        "distributions": distributions(),
        "corrections": corrections(generator),
        "predictions": predictions(generator),
        "descents": descents(generator),
    }
    text = ",\n".join(f'"{name}": {json.dumps(answer)}' for name, answer in answers.items())
    pathlib.Path(__file__).with_name("answers.json").write_text("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
