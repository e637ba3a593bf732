# SPDX-License-Identifier: GPL-3.0-or-later
"""What the serving engines say of themselves."""
import math

from series import Series, fmt, labelstr

def since_start(sim, srv):
    """What a counter of the engine shows: it begins anew with each start."""
    def base(c):
        b = None
        for r in srv["restarts"]:
            if c.t >= r:
                b = r
        return b

    def since(arr, c):
        b = base(c)
        return max(0.0, sim.at(arr, c) - (sim.at_t(arr, b) if b is not None else 0.0))
    return since


def engine_of(sim, srv):
    kinds = sim.cfg["serving"]["engines"]
    return kinds[srv["idx"] % len(kinds)]


def engine_series(sim, srv):
    return {"vllm": vllm_series, "sglang": sglang_series}[engine_of(sim, srv)](sim, srv)


def vllm_series(sim, srv):
    s = sim.cfg["serving"]
    ver = sim.cfg["exporters"]["vllm_naming"]
    out = []
    lab = [("model_name", s["model_name"]), ("engine", "0")]

    def add(name, typ, hlp, labels, fn, family=None):
        out.append(Series((family or name, typ, hlp), name, labelstr(labels), fn))

    since = since_start(sim, srv)
    add("vllm:num_requests_running", "gauge", "Number of requests in model execution batches.", lab,
        lambda c: fmt(max(0, round(sim.at(srv["batch"], c) + 1.2 * sim.nz(c.i, 900 + srv["idx"])))) + ".0")
    add("vllm:num_requests_waiting", "gauge", "Number of requests waiting to be processed.", lab,
        lambda c: fmt(max(0, round(sim.at(srv["wait"], c) + 0.35 * sim.nz(c.i, 950 + srv["idx"])))) + ".0")
    kv = lambda c: fmt(min(1.0, sim.at(srv["batch"], c) * sim.ctx_mean / (s["kv_blocks"] * s["block_size"])))
    if ver == "v0.9.1":
        add("vllm:gpu_cache_usage_perc", "gauge", "GPU KV-cache usage. 1 means 100 percent usage.", lab, kv)
    else:
        add("vllm:kv_cache_usage_perc", "gauge", "KV-cache usage. 1 means 100 percent usage.", lab, kv)
    pre = "vllm:gpu_prefix_cache" if ver == "v0.9.1" else "vllm:prefix_cache"
    c_ = srv["c"]
    for name, arr, hlp in ((pre + "_queries", c_["prompt"], "Prefix cache queries, in terms of number of queried tokens."),
                           (pre + "_hits", c_["hits"], "Prefix cache hits, in terms of number of cached tokens."),
                           ("vllm:prompt_tokens", c_["prompt"], "Number of prefill tokens processed."),
                           ("vllm:generation_tokens", c_["gen"], "Number of generation tokens processed.")):
        add(name + "_total", "counter", hlp, lab, lambda c, a=arr: fmt(math.floor(since(a, c))) + ".0")
    add("vllm:num_preemptions_total", "counter", "Cumulative number of preemption from the engine.", lab, lambda c: "0.0")
    for reason, share in (("stop", 0.93), ("length", 0.06), ("abort", 0.01)):
        add("vllm:request_success_total", "counter", "Count of successfully processed requests.",
            lab + [("finished_reason", reason)], lambda c, x=share: fmt(math.floor(x * since(c_["req"], c))) + ".0")
    hlp = {"time_to_first_token_seconds": "Histogram of time to first token in seconds.",
           "inter_token_latency_seconds": "Histogram of inter-token latency in seconds.",
           "request_time_per_output_token_seconds": "Histogram of time_per_output_token_seconds per request.",
           "e2e_request_latency_seconds": "Histogram of e2e request latency in seconds.",
           "request_queue_time_seconds": "Histogram of time spent in WAITING phase for request.",
           "request_prefill_time_seconds": "Histogram of time spent in PREFILL phase for request.",
           "request_decode_time_seconds": "Histogram of time spent in DECODE phase for request.",
           "request_prompt_tokens": "Number of prefill tokens processed.",
           "request_generation_tokens": "Number of generation tokens processed."}
    for name, les in sim.SERVE_HIST:
        names = [name]
        if name == "inter_token_latency_seconds":
            names = {"v0.9.1": ["time_per_output_token_seconds"],
                     "v0.11": ["time_per_output_token_seconds", name]}.get(ver, [name])
        if name == "request_time_per_output_token_seconds" and ver == "v0.9.1":
            continue
        buckets, total, count = srv["h"][name]
        for n in names:
            fam = "vllm:" + n
            for i, le in enumerate(les):
                add(fam + "_bucket", "histogram", hlp[name], lab + [("le", le)],
                    lambda c, b=buckets[i]: fmt(math.floor(since(b, c))) + ".0", fam)
            add(fam + "_bucket", "histogram", hlp[name], lab + [("le", "+Inf")],
                lambda c, b=count: fmt(math.floor(since(b, c))) + ".0", fam)
            add(fam + "_sum", "histogram", hlp[name], lab, lambda c, b=total: fmt(since(b, c)), fam)
            add(fam + "_count", "histogram", hlp[name], lab, lambda c, b=count: fmt(math.floor(since(b, c))) + ".0", fam)
    add("vllm:cache_config_info", "gauge", "Information of the LLMEngine CacheConfig",
        [("block_size", s["block_size"]), ("cache_dtype", "auto"), ("enable_prefix_caching", "True"),
         ("engine", "0"), ("gpu_memory_utilization", "0.9"), ("num_gpu_blocks", s["kv_blocks"])], lambda c: "1.0")
    return out


def sglang_series(sim, srv):
    s = sim.cfg["serving"]
    out = []
    lab = [("model_name", s["model_name"] + "-sglang"), ("engine_type", "unified"), ("tp_rank", "0")]
    since = since_start(sim, srv)
    c_ = srv["c"]

    def add(name, typ, hlp, labels, fn, family=None):
        out.append(Series((family or name, typ, hlp), name, labelstr(labels), fn))

    add("sglang:num_running_reqs", "gauge", "The number of running requests.", lab,
        lambda c: fmt(max(0, round(sim.at(srv["batch"], c) + 1.2 * sim.nz(c.i, 900 + srv["idx"])))) + ".0")
    add("sglang:num_queue_reqs", "gauge", "The number of requests in the waiting queue.", lab,
        lambda c: fmt(max(0, round(sim.at(srv["wait"], c) + 0.35 * sim.nz(c.i, 950 + srv["idx"])))) + ".0")
    add("sglang:token_usage", "gauge", "The token usage.", lab,
        lambda c: fmt(min(1.0, sim.at(srv["batch"], c) * sim.ctx_mean / (s["kv_blocks"] * s["block_size"]))))
    add("sglang:max_total_num_tokens", "gauge", "Maximum total number of tokens in the KV cache pool.", lab,
        lambda c: fmt(s["kv_blocks"] * s["block_size"]))
    for name, arr, hlp in (("sglang:num_requests", c_["req"], "Number of requests processed."),
                           ("sglang:prompt_tokens", c_["prompt"], "Number of prefill tokens processed."),
                           ("sglang:cached_tokens", c_["hits"], "Number of cached prompt tokens."),
                           ("sglang:generation_tokens", c_["gen"], "Number of generation tokens processed.")):
        add(name + "_total", "counter", hlp, lab, lambda c, a=arr: fmt(math.floor(since(a, c))) + ".0")
    names = {"time_to_first_token_seconds": "time_to_first_token_seconds",
             "inter_token_latency_seconds": "inter_token_latency_seconds",
             "e2e_request_latency_seconds": "e2e_request_latency_seconds",
             "request_queue_time_seconds": "queue_time_seconds"}
    for name, les in sim.SERVE_HIST:
        if name not in names:
            continue
        buckets, total, count = srv["h"][name]
        fam = "sglang:" + names[name]
        for i, le in enumerate(les):
            add(fam + "_bucket", "histogram", fam, lab + [("le", le)],
                lambda c, b=buckets[i]: fmt(math.floor(since(b, c))) + ".0", fam)
        add(fam + "_bucket", "histogram", fam, lab + [("le", "+Inf")],
            lambda c, b=count: fmt(math.floor(since(b, c))) + ".0", fam)
        add(fam + "_sum", "histogram", fam, lab, lambda c, b=total: fmt(since(b, c)), fam)
        add(fam + "_count", "histogram", fam, lab, lambda c, b=count: fmt(math.floor(since(b, c))) + ".0", fam)
    return out
