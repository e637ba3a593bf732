# SPDX-License-Identifier: GPL-3.0-or-later
"""Synthetic metrics of a GPU cluster, for testing a Prometheus client.

Python 3 standard library only. Every value is a pure function of
(configuration, seed, time), so a live /metrics page and a backfilled history of
the same epoch agree with each other and from run to run.

  python3 simulated_cluster config                    print the default configuration
  python3 simulated_cluster truth        [options]    print ground truth + expected PromQL results
  python3 simulated_cluster serve        [options]    serve /metrics pages and http_sd on 127.0.0.1
  python3 simulated_cluster prom-config  [options]    print a prometheus.yml for a running `serve`
  python3 simulated_cluster openmetrics  [options]    write a history as OpenMetrics text
  python3 simulated_cluster backfill     [options]    write a history into a Prometheus data directory
  python3 simulated_cluster verify --url U [options]  run the expected PromQL against a Prometheus
"""
import argparse
import json
import sys

from config import DEFAULT_FAULTS, DEFAULTS, HARDWARE
from history import cmd_backfill, cmd_openmetrics
from live import cmd_prom_config, cmd_serve
from options import build_config
from simulation import Sim
from truth import truth
from verify import cmd_verify

def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = ap.add_subparsers(dest="cmd", required=True)

    def common(p):
        p.add_argument("--config", help="JSON file merged over the defaults")
        p.add_argument("--nodes", type=int)
        p.add_argument("--seed", type=int)
        p.add_argument("--cluster")
        p.add_argument("--instance-type", choices=sorted(HARDWARE))
        p.add_argument("--profile", choices=("full", "core"))
        p.add_argument("--epoch", help="unix time of t = 0, or now, now-7200, ...")
        p.add_argument("--no-faults", action="store_true")
        p.add_argument("--training-naming", choices=("generic", "torchtitan", "millis"))
        p.add_argument("--vllm-naming", choices=("v0.9.1", "v0.11", "v0.13"))
        return p
    sub.add_parser("config")
    common(sub.add_parser("truth"))
    p = common(sub.add_parser("serve"))
    p.add_argument("--port", type=int, default=0)
    p.add_argument("--sd-dir", help="also write file_sd JSON files there")
    p = sub.add_parser("prom-config")
    p.add_argument("--url", default="http://127.0.0.1:0", help="URL that `serve` printed")
    p.add_argument("--sd-dir", help="use file_sd from this directory instead of http_sd")
    p.add_argument("--interval", default="15s")
    p.add_argument("--timeout", default="5s")
    for name in ("openmetrics", "backfill"):
        p = common(sub.add_parser(name))
        p.add_argument("--start", help="unix time or now-7200 ...; default: the epoch")
        p.add_argument("--hours", type=float, default=2.0)
        p.add_argument("--step", type=float, default=15.0)
        if name == "openmetrics":
            p.add_argument("--out", default="-")
        else:
            p.add_argument("--data-dir", required=True)
            p.add_argument("--promtool", default="promtool")
            p.add_argument("--tmp", help="directory for the intermediate file")
            p.add_argument("--truth-out", help="write the ground truth there")
    p = common(sub.add_parser("verify"))
    p.add_argument("--url", required=True)
    a = ap.parse_args(argv)
    if a.cmd == "config":
        print(json.dumps(dict(DEFAULTS, faults=DEFAULT_FAULTS, hardware_table=HARDWARE), indent=1))
        return 0
    if a.cmd == "truth":
        print(json.dumps(truth(Sim(build_config(a))), indent=1))
        return 0
    return {"serve": cmd_serve, "prom-config": cmd_prom_config, "openmetrics": cmd_openmetrics,
            "backfill": cmd_backfill, "verify": cmd_verify}[a.cmd](a)


if __name__ == "__main__":
    sys.exit(main())
