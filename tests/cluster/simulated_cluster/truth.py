# SPDX-License-Identifier: GPL-3.0-or-later
"""What is true of the cluster, and the PromQL that should find it."""
from config import TTFT_LE

def bucket_quantile(q, les, cums):
    """What PromQL histogram_quantile() returns for classic buckets (last one +Inf)."""
    rank = q * cums[-1]
    i = next(n for n, v in enumerate(cums) if v >= rank)
    if i == len(cums) - 1:
        return les[-1]
    lo = les[i - 1] if i else 0.0
    below = cums[i - 1] if i else 0.0
    return lo + (les[i] - lo) * (rank - below) / (cums[i] - below)


def truth(sim):
    t, s, hw = sim.cfg["training"], sim.cfg["serving"], sim.hw
    T = sim.epoch + 1500
    W = 1200.0
    sim.ensure(sim.epoch + 7200)

    def d(arr, a=T - W, b=T):
        return sim.at_t(arr, b) - sim.at_t(arr, a)
    j = sim.job
    run = d(j["runsec"]) / W
    mfu = sim.model_flops_gpu / (hw["peak_flops"] * sim.step_nominal)
    ga = sim.run_gauges(sim.step_nominal)
    job = sim.cfg["exporters"]["hpc_job"]
    sel = '{hpc_job="%s"}' % job if job else '{instance=~"%s"}' % "|".join(sim.hosts[i] for i in sim.by_role["train"])
    exp = []

    def add(id_, promql, expect, tol, meaning):
        exp.append({"id": id_, "promql": promql, "time": T, "expect": expect, "rel_tol": tol, "meaning": meaning})
    peakN = sim.n_gpu * hw["peak_flops"]
    steps = d(j["steps"])
    if sim.cfg["exporters"]["training_naming"] == "generic":
        add("tokens_per_s", "sum(rate(training_tokens_total[20m]))", steps * sim.tokens_per_step / W, 0.02,
            "goodput, checkpoints included")
        add("step_time", "sum(rate(training_step_duration_seconds_sum[20m])) / sum(rate(training_step_duration_seconds_count[20m]))",
            sim.step_nominal, 0.02, "mean step, checkpoints excluded")
        add("mfu_goodput", "sum(rate(training_tokens_total[20m])) * %.6g / %.6g" % (sim.flops_per_token, peakN),
            steps * sim.tokens_per_step / W * sim.flops_per_token / peakN, 0.02, "MFU with checkpoint time in the denominator")
        add("mfu_step", "%.6g / (sum(rate(training_step_duration_seconds_sum[20m])) / sum(rate(training_step_duration_seconds_count[20m])))"
            % (sim.tokens_per_step * sim.flops_per_token / peakN), mfu, 0.02, "MFU of running steps")
        add("checkpoint_fraction", "sum(rate(training_checkpoint_duration_seconds_sum[20m]))", d(j["ckpt_s"]) / W, 0.08,
            "share of wall time blocked by checkpoints")
        add("efa_bytes_per_step", "sum(rate(node_amazonefa_tx_bytes[20m])) / sum(rate(training_steps_total[20m]))",
            sim.n_train * sim.efa_bytes_node * t["efa_header"], 0.03, "all-node transmitted bytes per step, headers included")
    add("ofu", "avg(avg_over_time(DCGM_FI_PROF_PIPE_TENSOR_ACTIVE%s[20m]) * avg_over_time(DCGM_FI_DEV_SM_CLOCK%s[20m])) / %g"
        % (sel, sel, hw["f_peak_mhz"]), ga[0] * hw["f_load_mhz"] / hw["f_peak_mhz"] * run, 0.04,
        "tensor-pipe FLOPs / peak = MFU x recompute x tile overhead x run fraction")
    add("sm_active", "avg(avg_over_time(DCGM_FI_PROF_SM_ACTIVE%s[20m]))" % sel,
        (d(j["sm"]) / W), 0.03, "upper bound on the share of time in compute kernels")
    add("dram_active", "avg(avg_over_time(DCGM_FI_PROF_DRAM_ACTIVE%s[20m]))" % sel, d(j["dram"]) / W, 0.03,
        "HBM bytes / (peak x time)")
    add("nvlink_util", "avg(avg_over_time(DCGM_FI_PROF_NVLINK_TX_BYTES%s[20m])) / %g" % (sel, hw["nvlink_Bps"]),
        d(j["nvl"]) / W / hw["nvlink_Bps"], 0.03, "average NVLink transmit utilization, one direction")
    add("efa_util", "avg(sum by (instance) (rate(node_amazonefa_tx_bytes{instance=~\"%s\"}[20m]))) / %g"
        % ("|".join(sim.hosts[i] for i in sim.by_role["train"]), hw["efa_node_Bps"]),
        d(j["efa"]) * t["efa_header"] / W / hw["efa_node_Bps"], 0.03, "average EFA transmit utilization of a training node")
    add("power_w", "avg(avg_over_time(DCGM_FI_DEV_POWER_USAGE%s[20m]))" % sel, d(j["p"]) / W, 0.03, "average board power")
    add("lustre_write_Bps", "sum(rate(lustre_write_bytes_total[20m]))", d(j["ckpt_b"]) / W, 0.06, "checkpoint traffic")
    if sim.servers:
        itl_n = {"v0.9.1": "time_per_output_token_seconds", "v0.11": "time_per_output_token_seconds"}.get(
            sim.cfg["exporters"]["vllm_naming"], "inter_token_latency_seconds")

        def hs(name):
            return (sum(d(x["h"][name][1]) for x in sim.servers), sum(d(x["h"][name][2]) for x in sim.servers))
        isum, icnt = hs("inter_token_latency_seconds")
        psum, pcnt = hs("request_prefill_time_seconds")
        itl = isum / icnt
        add("itl_mean", "sum(rate(vllm:%s_sum[20m])) / sum(rate(vllm:%s_count[20m]))" % (itl_n, itl_n), itl, 0.02, "mean inter-token latency")
        tb = [sum(d(x["h"]["time_to_first_token_seconds"][0][i]) for x in sim.servers) for i in range(len(TTFT_LE))]
        tb.append(hs("time_to_first_token_seconds")[1])
        add("ttft_p95", "histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket[20m])))",
            bucket_quantile(0.95, TTFT_LE, tb), 0.05, "p95 time to first token, interpolated inside its bucket")
        add("generation_tps", "sum(rate(vllm:generation_tokens_total[20m]))", sum(d(x["c"]["gen"]) for x in sim.servers) / W, 0.02,
            "output tokens per second, all replicas")
        rho = psum / (W * len(sim.servers))
        add("prefill_share", "avg(rate(vllm:request_prefill_time_seconds_sum[20m]))", rho, 0.03,
            "share of engine time in prefill (holds while prefills do not overlap)")
        hit = "vllm:%sprefix_cache_hits_total" % ("gpu_" if sim.cfg["exporters"]["vllm_naming"] == "v0.9.1" else "")
        pf_tok = sum(d(x["c"]["prompt"]) - d(x["c"]["hits"]) for x in sim.servers)
        add("prefill_eff_apparent", "(sum(rate(vllm:prompt_tokens_total[20m])) - sum(rate(%s[20m]))) * %.6g / "
            "(sum(rate(vllm:request_prefill_time_seconds_sum[20m])) * %.6g)" % (hit, 2 * s["params"] / sim.G, hw["peak_flops"]),
            pf_tok * 2 * s["params"] / sim.G / (psum * hw["peak_flops"]), 0.03,
            "prefill FLOPs / (prefill time x peak); below prefill_eff by the fixed overhead per prefill")
        batch = sum(d(x["c"]["gen"]) for x in sim.servers) / W * itl / len(sim.servers)
        add("batch_little", "sum(rate(vllm:generation_tokens_total[20m])) * sum(rate(vllm:%s_sum[20m])) / sum(rate(vllm:%s_count[20m])) / %d"
            % (itl_n, itl_n, len(sim.servers)), batch, 0.03, "running batch per replica by Little's law")
        add("batch_gauge", "avg(avg_over_time(vllm:num_requests_running[20m]))", batch, 0.08, "the same from the gauge")
        by = sim.decode_iter(batch)[1]
        add("decode_bw_eff_apparent", "%.6g / (%.6g * sum(rate(vllm:%s_sum[20m])) / sum(rate(vllm:%s_count[20m])) * (1 - avg(rate(vllm:request_prefill_time_seconds_sum[20m]))))"
            % (by, hw["hbm_Bps"], itl_n, itl_n), by / (hw["hbm_Bps"] * itl * (1 - rho)), 0.03,
            "decode bytes / (peak x ITL without prefill share); below decode_hbm_eff by the fixed overhead per iteration")
    return {
        "epoch": sim.epoch, "nodes": len(sim.hosts), "training_nodes": sim.n_train, "serving_nodes": len(sim.servers),
        "gpus_training": sim.n_gpu, "instance_type": sim.cfg["instance_type"], "hardware": hw,
        "training": {
            "parameters": t, "tokens_per_step": sim.tokens_per_step, "flops_per_token": sim.flops_per_token,
            "step_s": sim.step_nominal, "mfu": mfu, "hfu": mfu * t["recompute_factor"],
            "composition_s": {"gemm": sim.t_gemm, "memory_bound": sim.t_mem, "nvlink_exposed": t["nvlink_exposed"] * sim.t_nvl,
                              "efa_exposed": t["efa_exposed"] * sim.t_efa, "rest": sim.t_rest},
            "nvlink_bytes_per_gpu_step": sim.nvl_bytes, "efa_bytes_per_node_step": sim.efa_bytes_node,
            "tensor_active_running": ga[0], "sm_active_running": ga[1], "dram_active_running": ga[3]},
        "serving": {"parameters": s, "t_prefill_s": sim.t_prefill,
                    "low_high_load": [] if not sim.servers else [dict(zip(("rate_rps", "prefill_share", "batch", "itl_s", "queue_s"),
                                               sim.serve_state(x * s["rate_period_s"] / 4, 0))) for x in (3, 1)]},
        "faults": [dict({k: v for k, v in f.items() if not k.startswith("_") and v != float("inf")},
                        host=sim.hosts[f["node"]], start_time=sim.epoch + f["start"],
                        end_time=(sim.epoch + f["end"]) if f["end"] != float("inf") else None) for f in sim.faults],
        "job_restarts": [x[0] for x in sim.incarnations[1:]],
        "quiet_window": [sim.epoch + 120, sim.epoch + 1780],
        "expected": exp,
    }
