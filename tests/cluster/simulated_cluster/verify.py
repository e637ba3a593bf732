# SPDX-License-Identifier: GPL-3.0-or-later
"""The expected PromQL against a Prometheus."""
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from options import build_config
from simulation import Sim
from truth import truth

def cmd_verify(a):
    sim = Sim(build_config(a))
    want = truth(sim)["expected"]
    bad = 0
    for e in want:
        q = urllib.parse.urlencode({"query": e["promql"], "time": e["time"]}).encode()
        t0 = time.time()
        try:
            with urllib.request.urlopen(a.url.rstrip("/") + "/api/v1/query", q, timeout=60) as r:
                res = json.load(r)["data"]["result"]
        except urllib.error.HTTPError as err:
            res = []
            print(err.read().decode(), file=sys.stderr)
        ms = 1000 * (time.time() - t0)
        got = float(res[0]["value"][1]) if len(res) == 1 else float("nan")
        err = abs(got - e["expect"]) / (abs(e["expect"]) or 1.0)
        ok = err <= e["rel_tol"]
        bad += not ok
        print("%-24s %s  got %-12.6g expect %-12.6g err %6.2f%%  %5.0f ms" % (
            e["id"], "ok  " if ok else "FAIL", got, e["expect"], 100 * err, ms))
    return 1 if bad else 0
