# SPDX-License-Identifier: GPL-3.0-or-later
"""What the training job says of itself."""
import math

from config import STEP_LE
from series import Series, fmt, labelstr

def training_series(sim):
    cfg = sim.cfg["training"]
    naming = sim.cfg["exporters"]["training_naming"]
    a = sim.job
    out = []
    jl = [("job_name", cfg["name"])]
    nan = sim.find("nan_loss")

    def add(name, typ, hlp, labels, fn, family=None):
        out.append(Series((family or name, typ, hlp), name, labelstr(labels), fn))

    def inc(c):
        cur = sim.incarnations[0]
        for x in sim.incarnations:
            if x[0] <= c.t:
                cur = x
        return cur

    def cnt(key):
        return lambda c: math.floor(max(0.0, sim.at(a[key], c) - inc(c)[1][key]))

    def loss(c):
        rel = c.t - sim.epoch
        if any(f["start"] <= rel < f["end"] for f in nan):
            return float("nan")
        g = sim.at(a["gstep"], c)
        return cfg["loss_floor"] + (cfg["loss_start"] - cfg["loss_floor"]) * (1 + g / 25.0) ** -0.55 \
            + 0.012 * sim.nz(int(g), 77)

    def step(c):
        return a["st"][c.k] * (1 + 0.012 * sim.nz(int(sim.at(a["gstep"], c)), 5))

    def tps(c):
        return sim.tokens_per_step / step(c)

    def tflops(c):
        return sim.flops_per_token * tps(c) / sim.n_gpu / 1e12
    if naming == "torchtitan":
        p = "torchtitan_"
        add(p + "loss_metrics_global_avg_loss", "gauge", "loss_metrics/global_avg_loss", jl, lambda c: fmt(loss(c)))
        add(p + "throughput_tps", "gauge", "throughput(tps): tokens per second per device", jl,
            lambda c: fmt(tps(c) / sim.n_gpu))
        add(p + "tflops", "gauge", "tflops: model TFLOP/s per device", jl, lambda c: fmt(tflops(c)))
        add(p + "mfu_percent", "gauge", "mfu(%)", jl, lambda c: fmt(100 * tflops(c) * 1e12 / sim.hw["peak_flops"]))
        add(p + "time_metrics_end_to_end_s", "gauge", "time_metrics/end_to_end(s)", jl, lambda c: fmt(step(c)))
        add(p + "time_metrics_data_loading_s", "gauge", "time_metrics/data_loading(s)", jl,
            lambda c: fmt(cfg["data_stall_s"]))
        add(p + "ntokens_seen", "gauge", "ntokens_seen", jl,
            lambda c: fmt(math.floor(sim.at(a["gstep"], c)) * sim.tokens_per_step))
        return out
    if naming == "millis":
        add("train_step_duration_ms", "gauge", "Step duration in milliseconds.", jl, lambda c: fmt(1000 * step(c)))
        add("train_tokens_per_second", "gauge", "Tokens per second, whole job.", jl, lambda c: fmt(tps(c)))
        add("train_tflops_per_gpu", "gauge", "Model TFLOP/s per GPU.", jl, lambda c: fmt(tflops(c)))
        add("train_loss", "gauge", "Training loss.", jl, lambda c: fmt(loss(c)))
        return out
    add("training_info", "gauge", "Job description; value is always 1.",
        jl + [("framework", "megatron-core"), ("tensor_parallel", sim.G), ("data_parallel", sim.n_train),
              ("pipeline_parallel", 1), ("precision", "bf16"), ("gpus", sim.n_gpu),
              ("tokens_per_step", sim.tokens_per_step)], lambda c: "1")
    add("training_global_step", "gauge", "Optimizer step; goes back to the last checkpoint on a restart.", jl,
        lambda c: fmt(math.floor(sim.at(a["gstep"], c))))
    add("training_steps_total", "counter", "Steps completed by this process.", jl, lambda c, f=cnt("steps"): fmt(f(c)))
    add("training_tokens_total", "counter", "Tokens processed by this process.", jl,
        lambda c, f=cnt("steps"): fmt(f(c) * sim.tokens_per_step))
    add("training_step_time_seconds", "gauge", "Duration of the last step.", jl, lambda c: fmt(step(c)))
    add("training_tokens_per_second", "gauge", "Tokens per second over the last step, whole job.", jl,
        lambda c: fmt(tps(c)))
    add("training_tflops_per_gpu", "gauge", "Model TFLOP/s per GPU over the last step.", jl, lambda c: fmt(tflops(c)))
    add("training_loss", "gauge", "Training loss of the last step.", jl, lambda c: fmt(loss(c)))
    add("training_grad_norm", "gauge", "Gradient norm of the last step.", jl,
        lambda c: fmt(0.42 + 0.05 * sim.nz(int(sim.at(a["gstep"], c)), 21)))
    add("training_learning_rate", "gauge", "Learning rate.", jl, lambda c: "1.5e-05")
    add("training_data_loading_seconds", "gauge", "Data wait of the last step.", jl,
        lambda c: fmt(cfg["data_stall_s"] * (1 + 0.2 * sim.nz(c.i, 4))))
    add("training_last_step_timestamp_seconds", "gauge", "Unix time at which the last step ended.", jl,
        lambda c: "%.3f" % a["last"][c.k])
    fam = "training_checkpoint_duration_seconds"
    add(fam + "_sum", "summary", "Blocking checkpoint time.", jl,
        lambda c: fmt(max(0.0, sim.at(a["ckpt_s"], c) - inc(c)[1]["ckpt_s"])), fam)
    add(fam + "_count", "summary", "Blocking checkpoint time.", jl, lambda c, f=cnt("ckpt_n"): fmt(f(c)), fam)
    fam = "training_step_duration_seconds"
    for i, le in enumerate(STEP_LE):
        add(fam + "_bucket", "histogram", "Duration of steps.", jl + [("le", le)],
            lambda c, i=i: fmt(math.floor(max(0.0, sim.at(sim.step_h[i], c) - inc(c)[2][i]))), fam)
    add(fam + "_bucket", "histogram", "Duration of steps.", jl + [("le", "+Inf")], lambda c, f=cnt("steps"): fmt(f(c)), fam)
    add(fam + "_sum", "histogram", "Duration of steps.", jl,
        lambda c: fmt(max(0.0, sim.at(sim.step_sum, c) - inc(c)[1]["step_sum"] - a["st"][c.k] * (
            (sim.at(a["steps"], c) - inc(c)[1]["steps"]) % 1.0))), fam)
    add(fam + "_count", "histogram", "Duration of steps.", jl, lambda c, f=cnt("steps"): fmt(f(c)), fam)
    for node in sim.by_role["train"]:
        slow = sim.find("straggler", node)

        def comp(c, node=node, slow=slow):
            g = sim.t_gemm
            for f in slow:
                if f["start"] <= c.t - sim.epoch < f["end"]:
                    g = sim.t_gemm * sim.hw["f_load_mhz"] / f["clock_mhz"]
            return fmt((g + sim.t_mem) * (1 + 0.006 * sim.nz(c.i, node + 300)))
        add("training_rank_compute_seconds", "gauge", "Compute time of the last step, slowest local rank of the node.",
            jl + [("node", sim.hosts[node])], comp)
    return out
