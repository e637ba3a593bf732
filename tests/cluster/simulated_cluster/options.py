# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration from the command line."""
import json
import math
import time

def parse_epoch(text, now):
    text = str(text)
    if text.startswith("now"):
        off = float(text[3:] or 0)
        return 30 * math.floor((now + off) / 30)
    return float(text)


def build_config(a):
    cfg = {}
    if a.config:
        with open(a.config) as fh:
            cfg = json.load(fh)
    for key in ("nodes", "seed", "profile", "cluster", "instance_type"):
        if getattr(a, key, None) is not None:
            cfg[key] = getattr(a, key)
    if a.epoch is not None:
        cfg["epoch"] = parse_epoch(a.epoch, time.time())
    if a.no_faults:
        cfg["faults"] = "none"
    ex = cfg.setdefault("exporters", {})
    if a.training_naming:
        ex["training_naming"] = a.training_naming
    if a.vllm_naming:
        ex["vllm_naming"] = a.vllm_naming
    return cfg


def span(a, sim):
    start = sim.epoch if a.start is None else parse_epoch(a.start, time.time())
    return start, start + a.hours * 3600.0
