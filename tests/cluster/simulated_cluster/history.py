# SPDX-License-Identifier: GPL-3.0-or-later
"""A history as OpenMetrics text and as blocks of a Prometheus."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from options import build_config, span
from series import labelstr
from simulation import Sim
from targets import target_labels, targets
from truth import truth


def scrapes(sim, start, end, step):
    """Instants at which every target is scraped."""
    how = sim.cfg["collection"]
    times = []
    t = start
    while t < end - 1e-9:
        rel = t - sim.epoch
        if not any(a <= rel < b for a, b in how["gaps"]):
            times.append(t)
        t += next((every for since, every in sorted(how["intervals"], reverse=True) if rel >= since), step)
    return times


def write_openmetrics(sim, start, end, step, fh, stats):
    """Series-major OpenMetrics text; one line per sample, timestamps in seconds."""
    n_s = n_v = 0
    times = scrapes(sim, start, end, step)
    sim.ensure(end)
    ctxs = [sim.ctx(t) for t in times]
    tail = [" %s\n" % ("%d" % t if t == int(t) else "%.3f" % t) for t in times]
    for tg in targets(sim):
        extra = labelstr(target_labels(sim, tg) + [("job", tg.job)])
        alive = [not tg.is_down(sim, t) for t in times]
        fh.write("".join("up{%s} %d%s" % (extra, ok, ts) for ok, ts in zip(alive, tail)))
        n_s += 1
        n_v += len(times)
        for s in tg.series():
            pre = "%s{%s%s%s} " % (s.name, s.labels, "," if s.labels else "", extra)
            fn = s.fn
            lines = []
            for c, ok, ts in zip(ctxs, alive, tail):
                if ok:
                    v = fn(c)
                    if v is not None:
                        lines.append(pre + v + ts)
            if lines:
                n_s += 1
                n_v += len(lines)
                fh.write("".join(lines))
        tg._series = None                     # let the closures go
    fh.write("# EOF\n")
    stats.update(series=n_s, samples=n_v)


def cmd_openmetrics(a):
    sim = Sim(build_config(a))
    start, end = span(a, sim)
    stats = {}
    t0 = time.time()
    with (sys.stdout if a.out == "-" else open(a.out, "w", buffering=1 << 20)) as fh:
        write_openmetrics(sim, start, end, a.step, fh, stats)
    stats["seconds"] = round(time.time() - t0, 2)
    print(json.dumps(stats), file=sys.stderr)
    return 0


def cmd_backfill(a):
    promtool = shutil.which(a.promtool)
    if not promtool:
        print("promtool not found (Debian: apt-get install prometheus)", file=sys.stderr)
        return 2
    sim = Sim(build_config(a))
    start, end = span(a, sim)
    os.makedirs(a.data_dir, exist_ok=True)
    tmp = tempfile.mkdtemp(prefix="backfill-", dir=a.tmp)
    stats = {"start": start, "end": end, "step": a.step, "nodes": len(sim.hosts), "profile": sim.cfg["profile"]}
    try:
        path = os.path.join(tmp, "history.om")
        t0 = time.time()
        with open(path, "w", buffering=1 << 20) as fh:
            write_openmetrics(sim, start, end, a.step, fh, stats)
        stats["generate_s"] = round(time.time() - t0, 2)
        stats["openmetrics_bytes"] = os.path.getsize(path)
        t0 = time.time()
        cmd = [promtool, "tsdb", "create-blocks-from", "openmetrics", "-q", path, a.data_dir]
        p = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if p.returncode:
            print(p.stdout, file=sys.stderr)
            return p.returncode
        stats["promtool_s"] = round(time.time() - t0, 2)
        stats["data_bytes"] = sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(a.data_dir) for f in fs)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
    if a.truth_out:
        with open(a.truth_out, "w") as fh:
            json.dump(truth(sim), fh, indent=1)
    print(json.dumps(stats))
    return 0
