# SPDX-License-Identifier: GPL-3.0-or-later
"""What is simulated by default: hardware, jobs, exporters, faults."""

# Peak values are dense BF16. f_peak_mhz is the SM clock at which the published
# peak holds (132 SM x 4096 FLOP/cycle x 1.830 GHz = 989.4 TFLOP/s on H100 SXM).
HARDWARE = {
    "p5.48xlarge": {
        "model_name": "NVIDIA H100 80GB HBM3", "peak_flops": 989.5e12, "hbm_Bps": 3.35e12,
        "fb_mib": 81559, "nvlink_Bps": 450e9, "efa_node_Bps": 400e9, "efa_per_gpu": 4,
        "f_peak_mhz": 1830, "f_max_mhz": 1980, "f_load_mhz": 1755, "mem_mhz": 2619,
        "tdp_w": 700, "idle_w": 118, "sms": 132},
    "p5en.48xlarge": {
        "model_name": "NVIDIA H200", "peak_flops": 989.5e12, "hbm_Bps": 4.8e12,
        "fb_mib": 143771, "nvlink_Bps": 450e9, "efa_node_Bps": 400e9, "efa_per_gpu": 2,
        "f_peak_mhz": 1830, "f_max_mhz": 1980, "f_load_mhz": 1740, "mem_mhz": 3201,
        "tdp_w": 700, "idle_w": 122, "sms": 132},
    "p6-b200.48xlarge": {
        "model_name": "NVIDIA B200", "peak_flops": 2250e12, "hbm_Bps": 8.0e12,
        "fb_mib": 183359, "nvlink_Bps": 900e9, "efa_node_Bps": 400e9, "efa_per_gpu": 1,
        "f_peak_mhz": 1856, "f_max_mhz": 1965, "f_load_mhz": 1770, "mem_mhz": 3996,
        "tdp_w": 1000, "idle_w": 145, "sms": 148},
}

DEFAULTS = {
    "seed": 7,
    "cluster": "sim",
    "instance_type": "p5.48xlarge",
    "nodes": 64,
    "gpus_per_node": 8,
    "serving_nodes": None,          # None: max(1, nodes // 16); 0 for a single node
    "spare_nodes": None,            # None: nodes // 16 when nodes >= 16, else 0
    "epoch": 1767225600,            # 2026-01-01T00:00:00Z; t = 0 of the simulation
    "tick_s": 5,
    "profile": "full",              # full | core (fewer metrics per node)
    "exporters": {
        "dcgm_hostname_label": "Hostname",   # "hostname" from dcgm-exporter after 4.5.3-4.8.2
        "dcgm_collect_interval_s": 30,       # dcgm-exporter default --collect-interval 30000
        "dcgm_violation_unit": "ns",         # "us" in files written before 2025
        "hpc_job": "4711",                   # dcgm-exporter --hpc-job-mapping-dir; "" = off
        "dcgm_blank": "int64",               # which of DCGM_BLANKS a blank sample shows
        "blank_metrics": "DCGM_FI_PROF_",    # what the names of blank metrics begin with
        "training_naming": "generic",        # generic | torchtitan | millis
        "vllm_naming": "v0.13",              # v0.9.1 | v0.11 | v0.13
        "without_jobs": [],                  # scrape jobs that are not set up: ["efa_exporter"]
        "without_metrics": [],               # metrics that an exporter leaves out: ["DCGM_FI_PROF_SM_ACTIVE"]
        "instance_addresses": False,         # node-level targets are addresses (10.0.0.1:9100), not host names
    },
    "training": {                   # ground truth of one synchronous dense-model job
        "name": "llama70b-pretrain",
        "params": 70.55e9, "layers": 80, "hidden": 8192, "seq_len": 8192,
        "sequences_per_node": 8,    # data parallel over nodes, tensor parallel inside
        "recompute_factor": 1.04,   # hardware FLOPs / model FLOPs
        "tile_overhead": 1.03,      # tensor-pipe FLOPs issued / useful hardware FLOPs
        "gemm_eff": 0.62,           # of peak, while GEMM kernels run
        "hbm_eff": 0.82,            # of peak, while memory-bound kernels run
        "nvlink_eff": 0.78, "nvlink_exposed": 0.45, "nvlink_header": 1.06,
        "efa_eff": 0.85, "efa_exposed": 0.35, "efa_header": 1.02,
        "mem_bytes_per_step": 2.0e12,      # per GPU, memory-bound kernels
        "gemm_bytes_per_step": 3.0e12,     # per GPU, HBM traffic hidden under GEMMs
        "bubble_frac": 0.0, "data_stall_s": 0.05, "host_s": 0.10,
        "checkpoint_every_steps": 40, "checkpoint_s": 12.0, "checkpoint_bytes": 0.99e12,
        "dataset_bytes_per_token": 4.0,
        "restart_s": 150.0, "loss_start": 11.8, "loss_floor": 1.72,
    },
    "serving": {                    # ground truth of one vLLM replica per serving node (TP = 8)
        "model_name": "meta-llama/Llama-3.3-70B-Instruct",
        "params": 70.55e9, "weight_bytes": 141.1e9,
        "kv_bytes_per_token": 327680, "kv_blocks": 73800, "block_size": 16,
        "decode_hbm_eff": 0.78, "decode_overhead_s": 0.0029,
        "prefill_eff": 0.52, "prefill_overhead_s": 0.012,
        "rate_rps": 4.0, "rate_swing": 0.5, "rate_period_s": 2400,
        "engines": ["vllm"],        # of the replicas in turn: vllm, sglang
        "prompt_mean": 2048, "prompt_sigma": 0.6, "output_mean": 256, "output_sigma": 0.7,
        "prefix_hit": 0.30,
    },
    "collection": {                 # how a history is collected, in seconds after the epoch
        "gaps": [],                 # [[start, end]]: not scraped
        "intervals": [],            # [[start, seconds]]: scrape interval from then on; before it that of --step
    },
    "faults": "default",            # "default" | "none" | list of fault objects
}

# Seconds after the epoch; "role" picks a node so that the list suits any size.
DEFAULT_FAULTS = [
    {"kind": "sbe", "role": "train", "pick": 0.22, "gpu": 5, "start": 600},
    {"kind": "straggler", "role": "train", "pick": 0.12, "gpu": 3, "start": 1800, "end": 3000,
     "clock_mhz": 1290},
    {"kind": "efa_retrans", "role": "train", "pick": 0.35, "start": 3300, "end": 3900,
     "fraction": 0.008, "devices": 4, "step_penalty": 0.06},
    {"kind": "hang", "role": "train", "pick": 0.0, "start": 4200, "end": 4500},
    {"kind": "xid", "role": "train", "pick": 0.55, "gpu": 2, "start": 5400, "code": 94,
     "crash": True, "reboot_after": 30, "reboot_s": 60},
    {"kind": "server_restart", "role": "serve", "pick": 0.0, "start": 6000, "end": 6090},
    {"kind": "nan_loss", "role": "train", "pick": 0.0, "start": 6300, "end": 6420},
    {"kind": "target_down", "role": "train", "pick": 0.72, "start": 6000, "end": 6600,
     "exporters": ["dcgm", "node", "efa", "lustre"]},
    {"kind": "dcgm_blank", "role": "train", "pick": 0.80, "start": 6300, "end": 6600},
    {"kind": "lost_gpu", "role": "spare", "pick": 0.0, "gpu": 6, "start": 6750},
]

XID_TEXT = {0: "No Error", 48: "Double Bit ECC Error", 63: "ECC page retirement or row remapping recording event",
            64: "ECC page retirement or row remapper recording failure", 74: "NVLINK Error",
            79: "GPU has fallen off the bus", 94: "Contained ECC error", 95: "Uncontained ECC error",
            119: "GSP RPC Timeout", 120: "GSP Error", 140: "Unrecovered ECC Error",
            145: "NVLINK: RLW Error", 149: "NVLINK: NETIR Error"}

# Blanks of DCGM (dcgm_structs.h); old exporters printed them instead of leaving the sample out.
DCGM_BLANKS = {"int64": "9223372036854775794", "int64_blank": "9223372036854775792",
               "int32": "2147483632", "int32_not_found": "2147483633", "int32_not_supported": "2147483634",
               "fp64": "140737488355328"}

JOBS = ["dcgm_exporter", "node_exporter", "efa_exporter", "lustre_exporter",
        "training", "vllm", "sglang", "slurm_exporter"]

TTFT_LE = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5,
           10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0]
ITL_LE = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
          20.0, 40.0, 80.0]
LAT_LE = [0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0,
          240.0, 480.0, 960.0, 1920.0, 7680.0]
TOK_LE = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0,
          20000.0, 50000.0, 100000.0]
STEP_LE = [1.0, 2.0, 4.0, 6.0, 7.0, 8.0, 8.5, 9.0, 9.5, 10.0, 12.0, 15.0, 20.0, 30.0, 60.0]


def merged(base, over):
    out = dict(base)
    for key, val in over.items():
        if isinstance(val, dict) and isinstance(out.get(key), dict):
            out[key] = merged(out[key], val)
        else:
            out[key] = val
    return out
