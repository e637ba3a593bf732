# SPDX-License-Identifier: GPL-3.0-or-later
"""The cluster over time: what its job and its engines did up to each instant."""
import bisect
import math
import random
import threading
from array import array

from config import (DEFAULT_FAULTS, DEFAULTS, HARDWARE, ITL_LE, LAT_LE, STEP_LE, TOK_LE, TTFT_LE, merged)
from series import Ctx, lognormal_cdf, norm_cdf

class Sim:
    def __init__(self, config):
        self.cfg = cfg = merged(DEFAULTS, config)
        self.hw = merged(HARDWARE[cfg["instance_type"]], cfg.get("hardware", {}))
        self.seed = cfg["seed"]
        self.epoch = float(cfg["epoch"])
        self.dt = float(cfg["tick_s"])
        self.collect = float(cfg["exporters"]["dcgm_collect_interval_s"])
        n = cfg["nodes"]
        self.G = cfg["gpus_per_node"]
        serve = cfg["serving_nodes"] if cfg["serving_nodes"] is not None else (max(1, n // 16) if n > 1 else 0)
        spare = cfg["spare_nodes"] if cfg["spare_nodes"] is not None else (n // 16 if n >= 16 else 0)
        self.n_train = n - serve - spare
        if self.n_train < 1:
            raise SystemExit("no nodes left for training: nodes=%d" % n)
        self.roles = ["train"] * self.n_train + ["serve"] * serve + ["spare"] * spare
        self.hosts = ["gpu-%04d" % (i + 1) for i in range(n)]
        self.by_role = {r: [i for i, x in enumerate(self.roles) if x == r] for r in ("train", "serve", "spare")}
        rng = random.Random("noise/%s" % self.seed)
        self.noise = [max(-3.0, min(3.0, rng.gauss(0, 1))) for _ in range(4096)]
        self.faults = self._resolve_faults()
        self._train_model()
        self._serve_model()
        self.lock = threading.Lock()
        self.ticks = 0              # arrays hold values at boundaries 0..ticks
        self._init_job()
        self._init_servers()

    # -- faults --------------------------------------------------------------
    def _resolve_faults(self):
        faults = self.cfg["faults"]
        if faults == "none":
            return []
        src = DEFAULT_FAULTS if faults == "default" else faults
        out = []
        for f in src:
            f = dict(f)
            if "node" not in f:
                pool = self.by_role.get(f.get("role", "train")) or []
                if not pool:
                    continue
                f["node"] = pool[min(len(pool) - 1, int(f.get("pick", 0.0) * len(pool)))]
            elif not 0 <= f["node"] < len(self.hosts):
                continue
            f.setdefault("end", float("inf"))
            out.append(f)
        return out

    def find(self, kind, node=None):
        return [f for f in self.faults if f["kind"] == kind and (node is None or f["node"] == node)]

    # -- ground-truth models ---------------------------------------------------
    def _train_model(self):
        t, hw = self.cfg["training"], self.hw
        self.n_gpu = self.n_train * self.G
        self.tokens_per_step = self.n_train * t["sequences_per_node"] * t["seq_len"]
        # model FLOPs: 6N per token + causal attention 6*L*h*s (forward + backward)
        self.flops_per_token = 6.0 * t["params"] + 6.0 * t["layers"] * t["hidden"] * t["seq_len"]
        self.model_flops_gpu = self.flops_per_token * self.tokens_per_step / self.n_gpu
        self.hw_flops_gpu = self.model_flops_gpu * t["recompute_factor"]
        tok_node = t["sequences_per_node"] * t["seq_len"]
        act = tok_node * t["hidden"] * 2.0
        # tensor parallel with sequence parallelism: 10 all-gather/reduce-scatter of `act` per layer
        self.nvl_bytes = 10 * t["layers"] * act * (self.G - 1) / self.G
        shard = 2.0 * t["params"] / self.G
        dp = self.n_train
        self.efa_bytes_node = 2.0 * shard * (dp - 1) / dp * self.G     # reduce-scatter + all-gather
        self.t_gemm = self.hw_flops_gpu / (hw["peak_flops"] * t["gemm_eff"])
        self.t_mem = t["mem_bytes_per_step"] / (hw["hbm_Bps"] * t["hbm_eff"])
        self.t_nvl = self.nvl_bytes / (hw["nvlink_Bps"] * t["nvlink_eff"])
        self.t_efa = self.efa_bytes_node / (hw["efa_node_Bps"] * t["efa_eff"])
        self.t_rest = t["bubble_frac"] * (self.t_gemm + self.t_mem) + t["data_stall_s"] + t["host_s"]
        self.step_nominal = self.step_time(None)

    def step_time(self, rel):
        """Step time at rel seconds after the epoch (None: without faults)."""
        t = self.cfg["training"]
        gemm, efa_x = self.t_gemm, t["efa_exposed"] * self.t_efa
        pen = 0.0
        if rel is not None:
            for f in self.faults:
                if f["start"] <= rel < f["end"]:
                    if f["kind"] == "straggler":
                        gemm = max(gemm, self.t_gemm * self.hw["f_load_mhz"] / f["clock_mhz"])
                    elif f["kind"] == "efa_retrans":
                        pen = max(pen, f.get("step_penalty", 0.0))
        return (gemm + self.t_mem + t["nvlink_exposed"] * self.t_nvl + efa_x + self.t_rest) * (1.0 + pen)

    def run_gauges(self, step, clock=None):
        """Averages over a running step of one training GPU: TA, SM, GR, DRAM, NVL(B/s), power."""
        t, hw = self.cfg["training"], self.hw
        clk = clock or hw["f_load_mhz"]
        ta = self.hw_flops_gpu * t["tile_overhead"] / (hw["peak_flops"] * step) * hw["f_peak_mhz"] / clk
        comp = (self.t_gemm * hw["f_load_mhz"] / clk + self.t_mem) / step
        sm = min(0.99, 0.97 * comp + max(0.0, 1 - comp) * 16.0 / hw["sms"])
        gr = 1.0 - 0.6 * self.t_rest / step
        dram = (t["mem_bytes_per_step"] + t["gemm_bytes_per_step"]) / (hw["hbm_Bps"] * step)
        nvl = self.nvl_bytes * t["nvlink_header"] / step
        p = hw["idle_w"] + (hw["tdp_w"] - hw["idle_w"]) * min(1.0, 0.30 * sm + 1.05 * ta * clk / hw["f_load_mhz"])
        return ta, sm, gr, dram, nvl, min(p, 0.99 * hw["tdp_w"])

    def _serve_model(self):
        s, hw = self.cfg["serving"], self.hw
        tp = self.G
        comp_tok = s["prompt_mean"] * (1 - s["prefix_hit"])
        self.t_prefill = 2.0 * s["params"] * comp_tok / tp / (hw["peak_flops"] * s["prefill_eff"]) \
            + s["prefill_overhead_s"]
        self.ctx_mean = s["prompt_mean"] + 0.5 * s["output_mean"]

    def decode_iter(self, batch):
        s, hw = self.cfg["serving"], self.hw
        by = (s["weight_bytes"] + batch * self.ctx_mean * s["kv_bytes_per_token"]) / self.G
        return by / (hw["hbm_Bps"] * s["decode_hbm_eff"]) + s["decode_overhead_s"], by

    def serve_state(self, rel, replica):
        """rate, rho, batch, inter-token latency, queue wait of one replica."""
        s = self.cfg["serving"]
        lam = s["rate_rps"] * (1 + s["rate_swing"] * math.sin(
            2 * math.pi * rel / s["rate_period_s"] + 0.7 * replica))
        rho = min(0.93, lam * self.t_prefill)
        b = 1.0
        for _ in range(40):
            it, _by = self.decode_iter(b)
            itl = it / (1 - rho)
            b = lam * s["output_mean"] * itl
        wait = rho * self.t_prefill / (2 * (1 - rho))
        return lam, rho, b, itl, wait

    # -- training job over time -------------------------------------------------
    def _init_job(self):
        a = self.job = {k: array("d", [0.0]) for k in (
            "work", "tokens", "steps", "runsec", "ckpt_n", "ckpt_s", "ckpt_b",
            "ta", "sm", "gr", "dram", "nvl", "p", "efa", "busy")}
        a["gstep"] = array("d", [0.0])
        a["st"] = array("d", [self.step_nominal])
        a["mode"] = array("b", [0])            # 0 run, 1 checkpoint, 2 hang, 3 down
        a["last"] = array("d", [self.epoch])
        self.step_h = [array("d", [0.0]) for _ in STEP_LE]
        self.step_sum = array("d", [0.0])
        self.slow = {}                         # straggler fault index -> cum ta, sm, p
        for i, f in enumerate(self.faults):
            if f["kind"] == "straggler":
                self.slow[i] = {k: array("d", [0.0]) for k in ("ta", "sm", "p")}
        self.incarnations = [(self.epoch, {k: 0.0 for k in ("tokens", "steps", "ckpt_n", "ckpt_s", "step_sum")},
                              [0.0] * len(STEP_LE))]
        cuts = set()
        for f in self.faults:
            if f["kind"] in ("straggler", "efa_retrans", "hang", "xid"):
                cuts.add(f["start"])
                if f["end"] != float("inf"):
                    cuts.add(f["end"])
        self.cuts = sorted(cuts)
        self.js = {"mode": 0, "until": 0.0, "g": 0.0, "ckpt": 0.0, "next": float(
            self.cfg["training"]["checkpoint_every_steps"]), "last": 0.0}

    def _job_tick(self, k):
        t, hw, j, a = self.cfg["training"], self.hw, self.js, self.job
        now, end = k * self.dt, (k + 1) * self.dt
        d = dict.fromkeys(("work", "tokens", "steps", "runsec", "ckpt_n", "ckpt_s", "ckpt_b",
                           "ta", "sm", "gr", "dram", "nvl", "p", "efa", "busy"), 0.0)
        slow = {i: [0.0, 0.0, 0.0] for i in self.slow}
        step = self.step_time(now)
        hsum = 0.0
        hist = [0.0] * len(STEP_LE)
        while now < end - 1e-9:
            ci = bisect.bisect_right(self.cuts, now + 1e-9)
            nxt = min(end, self.cuts[ci] if ci < len(self.cuts) else end)
            if j["mode"] == 0:
                for f in self.faults:
                    if f["kind"] == "xid" and f.get("crash") and abs(f["start"] - now) < 1e-6 \
                            and not f.get("_done"):
                        f["_done"] = True
                        j["mode"], j["until"] = 3, now + t["restart_s"]
                    if f["kind"] == "hang" and f["start"] <= now < f["end"]:
                        j["mode"], j["until"] = 2, f["end"]
            m = j["mode"]
            if m in (1, 2, 3):
                span = min(nxt, j["until"]) - now
                if m == 1:
                    g = (0.0, 0.02, 0.10, 0.02, 0.0, hw["idle_w"] + 45)
                    d["ckpt_s"] += span
                    d["ckpt_b"] += span * t["checkpoint_bytes"] / t["checkpoint_s"]
                    d["busy"] += 0.12 * span
                elif m == 2:
                    g = (0.0, 16.0 / hw["sms"], 0.999, 0.003, 0.0, hw["idle_w"] + 0.22 * hw["tdp_w"])
                    d["busy"] += span
                else:
                    g = (0.0, 0.0, 0.0, 0.0, 0.0, hw["idle_w"])
                for key, v in zip(("ta", "sm", "gr", "dram", "nvl", "p"), g):
                    d[key] += v * span
                for i in slow:
                    slow[i][0] += g[0] * span
                    slow[i][1] += g[1] * span
                    slow[i][2] += g[5] * span
                now += span
                if now >= j["until"] - 1e-9:
                    if m == 1:
                        j["mode"], j["ckpt"] = 0, j["next"]
                        j["next"] += t["checkpoint_every_steps"]
                        d["ckpt_n"] += 1
                    elif m == 2:
                        j["mode"], j["until"] = 3, now + t["restart_s"]
                    else:
                        j["mode"], j["g"] = 0, j["ckpt"]
                        j["next"] = j["ckpt"] + t["checkpoint_every_steps"]
                        base = {q: a[q][k] + d[q] for q in ("tokens", "steps", "ckpt_n", "ckpt_s")}
                        base["step_sum"] = self.step_sum[k] + hsum
                        self.incarnations.append((self.epoch + now, base,
                                                  [self.step_h[i][k] + hist[i] for i in range(len(STEP_LE))]))
                continue
            step = self.step_time(now)
            span = min(nxt - now, max(1e-6, (j["next"] - j["g"]) * step))
            n = span / step
            j["g"] += n
            d["work"] += n
            d["steps"] += n
            d["tokens"] += n * self.tokens_per_step
            d["runsec"] += span
            d["efa"] += n * self.efa_bytes_node
            d["busy"] += 0.995 * span
            hsum += n * step
            for i, le in enumerate(STEP_LE):
                hist[i] += n * norm_cdf((le - step) / (0.012 * step))
            g = self.run_gauges(step)
            for key, v in zip(("ta", "sm", "gr", "dram", "nvl", "p"), g):
                d[key] += v * span
            for i in slow:
                f = self.faults[i]
                gi = self.run_gauges(step, f["clock_mhz"]) if f["start"] <= now < f["end"] else g
                slow[i][0] += gi[0] * span
                slow[i][1] += gi[1] * span
                slow[i][2] += gi[5] * span * (0.8 if gi is not g else 1.0)
            now += span
            j["last"] = now - (j["g"] - math.floor(j["g"] + 1e-9)) * step
            if j["g"] >= j["next"] - 1e-6:
                j["g"] = j["next"]
                j["mode"], j["until"] = 1, now + t["checkpoint_s"]
        for key, v in d.items():
            a[key].append(a[key][k] + v)
        for i, v in enumerate(hist):
            self.step_h[i].append(self.step_h[i][k] + v)
        self.step_sum.append(self.step_sum[k] + hsum)
        for i, v in slow.items():
            for key, x in zip(("ta", "sm", "p"), v):
                self.slow[i][key].append(self.slow[i][key][k] + x)
        a["gstep"].append(j["g"])
        a["st"].append(step)
        a["mode"].append(j["mode"])
        a["last"].append(self.epoch + j["last"])

    # -- servers over time --------------------------------------------------------
    SERVE_HIST = [("time_to_first_token_seconds", TTFT_LE), ("inter_token_latency_seconds", ITL_LE),
                  ("request_time_per_output_token_seconds", ITL_LE),
                  ("e2e_request_latency_seconds", LAT_LE), ("request_queue_time_seconds", LAT_LE),
                  ("request_prefill_time_seconds", LAT_LE), ("request_decode_time_seconds", LAT_LE),
                  ("request_prompt_tokens", TOK_LE), ("request_generation_tokens", TOK_LE)]

    def _init_servers(self):
        self.servers = []
        for idx, node in enumerate(self.by_role["serve"]):
            srv = {"node": node, "idx": idx, "c": {k: array("d", [0.0]) for k in (
                "req", "prompt", "gen", "hits", "ta", "sm", "gr", "dram", "nvl", "p")}}
            st = self.serve_state(0.0, idx)
            srv["batch"] = array("d", [st[2]])
            srv["wait"] = array("d", [st[0] * st[4]])
            srv["h"] = {name: ([array("d", [0.0]) for _ in le], array("d", [0.0]), array("d", [0.0]))
                        for name, le in self.SERVE_HIST}
            srv["restarts"] = sorted((self.epoch + f["end"]) for f in self.find("server_restart", node)
                                     if f["end"] != float("inf"))
            self.servers.append(srv)

    def _server_tick(self, srv, k):
        s, hw = self.cfg["serving"], self.hw
        rel = (k + 0.5) * self.dt
        dt = self.dt
        off = any(f["start"] <= rel < f["end"] for f in self.find("server_restart", srv["node"]))
        lam, rho, b, itl, wait = self.serve_state(rel, srv["idx"])
        c = srv["c"]
        if off:
            vals = dict(req=0, prompt=0, gen=0, hits=0, ta=0, sm=0, gr=0, dram=0, nvl=0, p=hw["idle_w"])
        else:
            it, by = self.decode_iter(b)
            dec = 1 - rho                         # share of time in decode iterations
            clk = hw["f_peak_mhz"] / hw["f_max_mhz"]
            eff_pf = s["prefill_eff"] * (self.t_prefill - s["prefill_overhead_s"]) / self.t_prefill
            dflops = b / it * dec * 2 * s["params"] / self.G / hw["peak_flops"]
            vals = dict(req=lam, prompt=lam * s["prompt_mean"], gen=lam * s["output_mean"],
                        hits=lam * s["prompt_mean"] * s["prefix_hit"],
                        ta=(rho * eff_pf + dflops) * clk, sm=0.93 * rho + 0.86 * dec, gr=0.985,
                        dram=(by / it * dec + 0.25 * hw["hbm_Bps"] * rho) / hw["hbm_Bps"],
                        nvl=(lam * s["prompt_mean"] * (1 - s["prefix_hit"]) + b / it * dec) * 2.6e6 * 7 / 8,
                        p=hw["idle_w"] + (hw["tdp_w"] - hw["idle_w"]) * (0.45 * dec + 0.85 * rho))
        for key, v in vals.items():
            c[key].append(c[key][k] + v * dt)
        srv["batch"].append(0.0 if off else self.serve_state((k + 1) * dt, srv["idx"])[2])
        srv["wait"].append(0.0 if off else lam * wait)
        ttft = wait + self.t_prefill
        dec_t = (s["output_mean"] - 1) * itl
        spec = {"time_to_first_token_seconds": (lam, ttft, 0.45),
                "inter_token_latency_seconds": (lam * (s["output_mean"] - 1), itl, 0.30),
                "request_time_per_output_token_seconds": (lam, itl, 0.15),
                "e2e_request_latency_seconds": (lam, ttft + dec_t, 0.7),
                "request_queue_time_seconds": (lam, wait, 0.9),
                "request_prefill_time_seconds": (lam, self.t_prefill, 0.35),
                "request_decode_time_seconds": (lam, dec_t, 0.7),
                "request_prompt_tokens": (lam, s["prompt_mean"], s["prompt_sigma"]),
                "request_generation_tokens": (lam, s["output_mean"], s["output_sigma"])}
        for name, le in self.SERVE_HIST:
            buckets, total, count = srv["h"][name]
            rate, mean, sig = spec[name]
            n = 0.0 if off else rate * dt
            for i, x in enumerate(le):
                buckets[i].append(buckets[i][k] + (n * lognormal_cdf(x, mean, sig) if n else 0.0))
            total.append(total[k] + n * mean)
            count.append(count[k] + n)

    def ensure(self, t):
        """Extend the arrays to cover time t."""
        need = int((t - self.epoch) / self.dt) + 2
        if need <= self.ticks:
            return
        with self.lock:
            while self.ticks < need:
                self._job_tick(self.ticks)
                for srv in self.servers:
                    self._server_tick(srv, self.ticks)
                self.ticks += 1

    def ctx(self, t):
        self.ensure(max(t, self.epoch))
        return Ctx(self, t)

    # -- helpers used by the exporters ------------------------------------------------
    @staticmethod
    def at(arr, c):
        k = c.k
        return arr[k] + (arr[k + 1] - arr[k]) * c.f if c.f else arr[k]

    def at_t(self, arr, t):
        x = max(0.0, (t - self.epoch) / self.dt)
        k = min(int(x), len(arr) - 2)
        return arr[k] + (arr[k + 1] - arr[k]) * (x - k)

    def win(self, arr, c):
        """Average over the last complete DCGM collection window."""
        span = (c.w1 - c.w0) * self.dt
        if span <= 0:
            return 0.0
        return (arr[c.w1] - arr[c.w0]) / span

    def nz(self, i, sid):
        return self.noise[(i * 2654435761 + sid * 40503) >> 3 & 4095]

    def factor(self, *key):
        rng = random.Random("f/%s/%s" % (self.seed, "/".join(map(str, key))))
        return rng.gauss(0, 1)

    def down(self, exporter, node, t):
        rel = t - self.epoch
        for f in self.faults:
            if f["kind"] == "silence" and f["start"] <= rel < f["end"]:
                return True         # the network between the server and all of them
            if f["node"] != node:
                continue
            if f["kind"] == "target_down" and exporter in f["exporters"] and f["start"] <= rel < f["end"]:
                return True
            if f["kind"] == "xid" and "reboot_after" in f and exporter in ("dcgm", "node", "efa", "lustre"):
                b = f["start"] + f["reboot_after"]
                if b <= rel < b + f.get("reboot_s", 60):
                    return True
            if f["kind"] == "server_restart" and exporter in ("vllm", "sglang") and f["start"] <= rel < f["end"]:
                return True
        return False

    def reset_time(self, exporter, node, t):
        """Absolute time before t at which the counters of an exporter began anew, or None."""
        times = [self.epoch + f["start"] for f in self.find("counter_reset", node) if exporter in f["exporters"]]
        boot = self.reboot_time(node)
        if boot is not None:
            times.append(boot)
        return max((x for x in times if x <= t), default=None)

    def reboot_time(self, node):
        """Absolute time at which this node came back from a reboot, or None."""
        for f in self.find("xid", node):
            if "reboot_after" in f:
                return self.epoch + f["start"] + f["reboot_after"] + f.get("reboot_s", 60)
        return None

    def training_down(self, t):
        if self.down("training", None, t):
            return True
        c = self.ctx(t)
        return self.job["mode"][c.k] == 3 and self.job["mode"][c.k + 1] == 3
