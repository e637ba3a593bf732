# SPDX-License-Identifier: GPL-3.0-or-later
"""How a sample is printed, and what it is computed from."""
import math

def norm_cdf(x):
    return 0.5 * (1.0 + math.erf(x / 1.4142135623730951))


def lognormal_cdf(x, mean, sigma):
    """CDF at x of a log-normal with this mean (not median) and log-sigma."""
    return norm_cdf((math.log(x / mean) + 0.5 * sigma * sigma) / sigma)


def fmt(v):
    """A float the way Prometheus client libraries print it."""
    if v != v:
        return "NaN"
    if v == math.inf:
        return "+Inf"
    if v == -math.inf:
        return "-Inf"
    if v == int(v) and abs(v) < 1e15:
        return "%d" % v
    return "%.10g" % v


def esc(s):
    return str(s).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def labelstr(pairs):
    return ",".join('%s="%s"' % (k, esc(v)) for k, v in pairs if v is not None)


class Ctx:
    """One evaluation time: tick index and fraction, and the DCGM averaging window."""
    __slots__ = ("t", "k", "f", "w0", "w1", "wi", "i")

    def __init__(self, sim, t):
        dt = sim.dt
        x = max(0.0, (t - sim.epoch) / dt)
        self.t = t
        self.k = int(x)
        self.f = x - self.k
        span = sim.collect
        wi = int(max(0.0, t - sim.epoch) // span)
        self.wi = wi
        self.w1 = int(wi * span / dt)
        self.w0 = max(0, self.w1 - int(span / dt))
        self.i = self.k


class Series:
    __slots__ = ("name", "labels", "fn", "family")

    def __init__(self, family, name, labels, fn):
        self.family = family        # (family name, type, help)
        self.name = name
        self.labels = labels        # already formatted, without braces
        self.fn = fn                # Ctx -> str | None
