"""Writes the reference vectors that come from SciPy. In this folder: python generate.py (needs scipy, which brings numpy)."""

import json
import platform
from pathlib import Path

import numpy
import scipy
from scipy import stats

SOURCE = f"python generate.py, Python {platform.python_version()}, SciPy {scipy.__version__}, NumPy {numpy.__version__}"


def write(name, call, cases):
    lines = ",\n    ".join(json.dumps(case) for case in cases)
    text = f'{{\n  "source": {json.dumps(SOURCE)},\n  "call": {json.dumps(call)},\n  "cases": [\n    {lines}\n  ]\n}}\n'
    (Path(__file__).parent / "vectors" / f"{name}.json").write_text(text)


def jackknife(pairs, level):
    """Miller's jackknife word for word, in extended precision: the statistic is computed anew without each pair in turn."""
    pairs = numpy.array(pairs, dtype=numpy.longdouble)
    n = len(pairs)

    def theta(some):
        time, base = some.sum(axis=0)
        return numpy.log(time / base)

    pseudo_values = numpy.array([n * theta(pairs) - (n - 1) * theta(numpy.delete(pairs, i, axis=0)) for i in range(n)])
    error = pseudo_values.std(ddof=1) / numpy.sqrt(numpy.longdouble(n))
    reach = stats.t.ppf((1 + level) / 2, n - 1) * error
    centre = pseudo_values.mean()
    return {"log": float(theta(pairs)), "low": float(centre - reach), "high": float(centre + reach)}


def total_ratio_cases():
    random = numpy.random.default_rng(19740101)
    for n, stalls, level in [(2, 0, 0.99), (3, 0, 0.95), (12, 0, 0.99), (12, 1, 0.99), (48, 5, 0.99), (200, 20, 0.99), (200, 20, 0.95)]:
        times = 21_000 * numpy.exp(random.normal(0.05, 0.1, n))
        times[:stalls] += random.exponential(200_000, stalls)
        base = 20_000 * numpy.exp(random.normal(0, 0.1, n))
        pairs = numpy.column_stack([times, base]).tolist()
        yield {"level": level, "pairs": pairs} | jackknife(pairs, level)


def proportion_cases():
    for trials in [1, 5, 20, 100, 180, 540, 2_000, 10_000]:
        for successes in sorted({0, 1, 2, 3, trials // 10, trials // 2, trials - 1, trials}):
            if successes <= trials:
                for level in [0.95, 0.99]:
                    interval = stats.binomtest(successes, trials).proportion_ci(level, method="exact")
                    yield {"level": level, "successes": successes, "trials": trials, "low": interval.low, "high": interval.high}


def welch_cases():
    random = numpy.random.default_rng(19470101)
    for launches, baseline, level in [(5, 5, 0.95), (6, 20, 0.99)]:
        one, other = numpy.exp(random.normal(0.1, 0.1, launches)), numpy.exp(random.normal(0, 0.02, baseline))
        test = stats.ttest_ind(numpy.log(one), numpy.log(other), equal_var=False)
        interval = test.confidence_interval(level)
        yield {
            "level": level,
            "launches": one.tolist(),
            "baseline": other.tolist(),
            "log": float(numpy.log(one).mean() - numpy.log(other).mean()),
            "low": float(interval.low),
            "high": float(interval.high),
            "degrees_of_freedom": float(test.df),
        }


def latency_cases():
    random = numpy.random.default_rng(20120101)
    shares = [0.5, 0.9, 0.95, 0.99, 0.999]
    for n in [6, 36, 72, 368, 3_688]:
        log = numpy.rint(numpy.exp(random.normal(9.5, 1.5, n))).astype(int)
        percentiles = numpy.quantile(log, shares, method="inverted_cdf").tolist()
        yield {"ops_ns": log.tolist(), "shares": shares, "percentiles_ns": percentiles}


write("total_ratio", "numpy, leaving out one pair at a time; scipy.stats.t.ppf", total_ratio_cases())
write("proportion", "scipy.stats.binomtest(successes, trials).proportion_ci(level, method='exact')", proportion_cases())
write("welch_scipy", "scipy.stats.ttest_ind(log(launches), log(baseline), equal_var=False).confidence_interval(level)", welch_cases())
write("latency", "numpy.quantile(ops_ns, shares, method='inverted_cdf')", latency_cases())
