# SPDX-License-Identifier: GPL-3.0-or-later
"""What dcgm-exporter says of the GPUs of a node."""
import hashlib
import math
import random
import uuid

from config import DCGM_BLANKS, XID_TEXT, merged
from series import Series, fmt, labelstr

DCGM_HELP = {
    "DCGM_FI_DEV_SM_CLOCK": ("gauge", "SM clock frequency (in MHz)."),
    "DCGM_FI_DEV_MEM_CLOCK": ("gauge", "Memory clock frequency (in MHz)."),
    "DCGM_FI_DEV_MEMORY_TEMP": ("gauge", "Memory temperature (in C)."),
    "DCGM_FI_DEV_GPU_TEMP": ("gauge", "GPU temperature (in C)."),
    "DCGM_FI_DEV_POWER_USAGE": ("gauge", "Power draw (in W)."),
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": ("counter", "Total energy consumption since boot (in mJ)."),
    "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": ("counter", "Total number of PCIe retries."),
    "DCGM_FI_DEV_GPU_UTIL": ("gauge", "GPU utilization (in %)."),
    "DCGM_FI_DEV_MEM_COPY_UTIL": ("gauge", "Memory utilization (in %)."),
    "DCGM_FI_DEV_XID_ERRORS": ("gauge", "Value of the last XID error encountered."),
    "DCGM_FI_DEV_POWER_VIOLATION": ("counter", "Throttling duration due to power constraints."),
    "DCGM_FI_DEV_THERMAL_VIOLATION": ("counter", "Throttling duration due to thermal constraints."),
    "DCGM_FI_DEV_FB_FREE": ("gauge", "Framebuffer memory free (in MiB)."),
    "DCGM_FI_DEV_FB_USED": ("gauge", "Framebuffer memory used (in MiB)."),
    "DCGM_FI_DEV_FB_RESERVED": ("gauge", "Framebuffer memory reserved (in MiB)."),
    "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": ("counter", "Total number of single-bit volatile ECC errors."),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": ("counter", "Total number of double-bit volatile ECC errors."),
    "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL": ("counter", "Total number of single-bit persistent ECC errors."),
    "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL": ("counter", "Total number of double-bit persistent ECC errors."),
    "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": ("counter", "Number of remapped rows for uncorrectable errors"),
    "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": ("counter", "Number of remapped rows for correctable errors"),
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": ("gauge", "Whether remapping of rows has failed"),
    "DCGM_FI_DEV_ROW_REMAP_PENDING": ("gauge", "Whether remapping of rows is pending"),
    "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL": ("counter", "Total number of NVLink bandwidth counters for all lanes."),
    "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": ("counter", "Total number of NVLink flow-control CRC errors."),
    "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": ("counter", "Total number of NVLink retries."),
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": ("gauge", "Ratio of time the graphics engine is active."),
    "DCGM_FI_PROF_SM_ACTIVE": ("gauge", "The ratio of cycles an SM has at least 1 warp assigned."),
    "DCGM_FI_PROF_SM_OCCUPANCY": ("gauge", "The ratio of number of warps resident on an SM."),
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": ("gauge", "Ratio of cycles the tensor (HMMA) pipe is active."),
    "DCGM_FI_PROF_DRAM_ACTIVE": ("gauge", "Ratio of cycles the device memory interface is active sending or "
                                          "receiving data."),
    "DCGM_FI_PROF_PCIE_TX_BYTES": ("gauge", "The rate of data transmitted over the PCIe bus - including both "
                                            "protocol headers and data payloads - in bytes per second."),
    "DCGM_FI_PROF_PCIE_RX_BYTES": ("gauge", "The rate of data received over the PCIe bus - including both protocol "
                                            "headers and data payloads - in bytes per second."),
    "DCGM_FI_PROF_NVLINK_TX_BYTES": ("gauge", "The rate of data transmitted over NVLink, in bytes per second."),
    "DCGM_FI_PROF_NVLINK_RX_BYTES": ("gauge", "The rate of data received over NVLink, in bytes per second."),
}
DCGM_CORE = {"DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_POWER_USAGE",
             "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_XID_ERRORS",
             "DCGM_FI_DEV_THERMAL_VIOLATION", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE",
             "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
             "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS",
             "DCGM_FI_DEV_ROW_REMAP_FAILURE", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_SM_ACTIVE",
             "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE", "DCGM_FI_PROF_NVLINK_TX_BYTES",
             "DCGM_FI_PROF_NVLINK_RX_BYTES"}

PCI = ["53", "64", "75", "86", "97", "A8", "B9", "CA"]


def gpu_uuid(sim, node, g):
    h = hashlib.md5(("gpu/%s/%d/%d" % (sim.seed, node, g)).encode()).hexdigest()
    return "GPU-" + str(uuid.UUID(h))


def dcgm_series(sim, node):
    cfg, hw = sim.cfg, sim.hw
    role = sim.roles[node]
    ex = cfg["exporters"]
    core = cfg["profile"] == "core"
    out = []
    srv = next((s for s in sim.servers if s["node"] == node), None)
    reboot = sim.reboot_time(node)
    unit = 1e9 if ex["dcgm_violation_unit"] == "ns" else 1e6
    blank = [(sim.epoch + f["start"], sim.epoch + f["end"]) for f in sim.find("dcgm_blank", node)]
    for g in range(sim.G):
        sid = node * 64 + g * 8
        base = [("gpu", g), ("UUID", gpu_uuid(sim, node, g)),
                ("pci_bus_id", "00000000:%s:00.0" % PCI[g % 8]), ("device", "nvidia%d" % g),
                ("modelName", hw["model_name"]), (ex["dcgm_hostname_label"], sim.hosts[node]),
                ("DCGM_FI_DRIVER_VERSION", "570.172.08")]
        if ex["hpc_job"] and role == "train":
            base.append(("hpc_job", ex["hpc_job"]))
        lab = labelstr(base)
        slow_i = next((i for i, f in enumerate(sim.faults) if f["kind"] == "straggler"
                       and f["node"] == node and f["gpu"] == g), None)
        slow = sim.faults[slow_i] if slow_i is not None else None
        lost = next((sim.epoch + f["start"] for f in sim.find("lost_gpu", node) if f["gpu"] == g), None)
        xid = next((f for f in sim.find("xid", node) if f["gpu"] == g), None)
        sbe = next((f for f in sim.find("sbe", node) if f["gpu"] == g), None)
        fac = 1 + 0.010 * sim.factor("gpu", node, g)
        tfac = sim.factor("temp", node, g)
        remap0 = 1 if random.Random("rr/%s/%d/%d" % (sim.seed, node, g)).random() < 0.02 else 0

        if role == "train":
            cum = dict(sim.job)
            if slow is not None:
                cum = merged(cum, sim.slow[slow_i])
        elif srv is not None:
            cum = srv["c"]
        else:
            cum = None

        def avg(key, c, cum=cum, fac=fac, sid=sid):
            if cum is None:
                return 0.0
            return max(0.0, sim.win(cum[key], c) * fac * (1 + 0.006 * sim.nz(c.wi, sid + len(key))))

        def slow_on(c, slow=slow):
            return slow is not None and slow["start"] <= c.t - sim.epoch < slow["end"]

        def mode(c):
            if role == "train":
                return sim.job["mode"][c.k]
            return 0 if srv is not None else 3

        def power(c, avg=avg, sid=sid, cum=cum):
            p = avg("p", c) if cum is not None else hw["idle_w"]
            return p if p > 1 else hw["idle_w"] + sim.nz(c.wi, sid)

        def clock(c, sid=sid, slow_on=slow_on, slow=slow, mode=mode):
            m = mode(c)
            if m == 3:
                return 345.0
            if m in (1, 2) or role == "serve":
                return float(hw["f_max_mhz"])
            f = slow["clock_mhz"] if slow_on(c) else hw["f_load_mhz"]
            return float(15 * round((f + 9 * sim.nz(c.wi, sid + 3)) / 15.0))

        def gpu_temp(c, power=power, tfac=tfac, slow_on=slow_on):
            if slow_on(c):
                return 87.0
            return round(30 + 33.0 * power(c) / hw["tdp_w"] + 1.5 * tfac)

        def since_boot(fn, c):
            v = fn(c)
            if reboot is not None and c.t >= reboot:
                v -= fn(sim.ctx(reboot))
            return max(0.0, v)

        def energy(c, fac=fac, cum=cum):
            if cum is None:
                return hw["idle_w"] * (c.t - sim.epoch) * 1000
            return sim.at(cum["p"], c) * fac * 1000

        def viol(c, slow=slow):
            if slow is None:
                return 0.0
            x = min(c.t - sim.epoch, slow["end"]) - slow["start"]
            return max(0.0, 0.62 * x) * unit

        def sbe_n(c, sbe=sbe):
            if sbe is None:
                return 0.0
            x = c.t - sim.epoch - sbe["start"]
            return 0.0 if x <= 0 else math.floor(3 * (x / 600.0) ** 2 + x / 400.0)

        def after_xid(c, xid=xid):
            return xid is not None and c.t - sim.epoch >= xid["start"]

        def fb_used(c, mode=mode):
            if role == "spare" or mode(c) == 3:
                return 4.0
            return math.floor(hw["fb_mib"] * (0.87 if role == "train" else 0.90))

        reserved = 529.0
        vals = {
            "DCGM_FI_DEV_SM_CLOCK": lambda c, clock=clock: "%d" % clock(c),
            "DCGM_FI_DEV_MEM_CLOCK": lambda c: "%d" % hw["mem_mhz"],
            "DCGM_FI_DEV_MEMORY_TEMP": lambda c, t=gpu_temp: "%d" % (t(c) + 6),
            "DCGM_FI_DEV_GPU_TEMP": lambda c, t=gpu_temp: "%d" % t(c),
            "DCGM_FI_DEV_POWER_USAGE": lambda c, p=power: "%.6f" % p(c),
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": lambda c, e=energy, s=since_boot: "%d" % s(e, c),
            "DCGM_FI_DEV_PCIE_REPLAY_COUNTER": lambda c: "0",
            "DCGM_FI_DEV_GPU_UTIL": lambda c, avg=avg: "%d" % (
                min(100, round(100 * sim.win(sim.job["busy"], c))) if role == "train"
                else (100 if role == "serve" and avg("gr", c) > 0.3 else 0)),
            "DCGM_FI_DEV_MEM_COPY_UTIL": lambda c, avg=avg: "%d" % min(100, round(130 * avg("dram", c))),
            "DCGM_FI_DEV_POWER_VIOLATION": lambda c, fac=fac: "%d" % (
                (sim.at(sim.job["runsec"], c) * 0.11 * fac * unit) if role == "train" else 0),
            "DCGM_FI_DEV_THERMAL_VIOLATION": lambda c, v=viol, s=since_boot: "%d" % s(v, c),
            "DCGM_FI_DEV_FB_USED": lambda c, u=fb_used: "%d" % u(c),
            "DCGM_FI_DEV_FB_FREE": lambda c, u=fb_used: "%d" % (hw["fb_mib"] - reserved - u(c)),
            "DCGM_FI_DEV_FB_RESERVED": lambda c: "%d" % reserved,
            "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": lambda c, n=sbe_n, s=since_boot: "%d" % s(n, c),
            "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": lambda c, x=after_xid: "1" if x(c) and not (
                reboot is not None and c.t >= reboot) else "0",
            "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL": lambda c, n=sbe_n: "%d" % n(c),
            "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL": lambda c, x=after_xid: "1" if x(c) else "0",
            "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS": lambda c, x=after_xid, r=remap0: "%d" % (r + (1 if x(c) else 0)),
            "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS": lambda c, n=sbe_n: "%d" % (n(c) // 64),
            "DCGM_FI_DEV_ROW_REMAP_FAILURE": lambda c: "0",
            "DCGM_FI_DEV_ROW_REMAP_PENDING": lambda c, x=after_xid: "1" if x(c) and not (
                reboot is not None and c.t >= reboot) else "0",
            # Declared "counter" by every stock CSV although DCGM fills it with a rate in MB/s.
            "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL": lambda c, avg=avg: "%d" % (2 * avg("nvl", c) / 1.06 / 1.024e6),
            "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL": lambda c: "0",
            "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": lambda c: "0",
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE": lambda c, avg=avg: "%.6f" % min(1.0, avg("gr", c)),
            "DCGM_FI_PROF_SM_ACTIVE": lambda c, avg=avg: "%.6f" % min(1.0, avg("sm", c)),
            "DCGM_FI_PROF_SM_OCCUPANCY": lambda c, avg=avg: "%.6f" % min(1.0, 0.27 * avg("sm", c)),
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": lambda c, avg=avg: "%.6f" % min(1.0, avg("ta", c)),
            "DCGM_FI_PROF_DRAM_ACTIVE": lambda c, avg=avg: "%.6f" % min(1.0, avg("dram", c)),
            "DCGM_FI_PROF_PCIE_TX_BYTES": lambda c, fac=fac: "%d" % (
                (sim.win(sim.job["efa"], c) / sim.G * 1.10 * fac + 3e6) if role == "train" else 4e6),
            "DCGM_FI_PROF_PCIE_RX_BYTES": lambda c, fac=fac: "%d" % (
                (sim.win(sim.job["efa"], c) / sim.G * 1.12 * fac + 8e6) if role == "train" else 9e6),
            "DCGM_FI_PROF_NVLINK_TX_BYTES": lambda c, avg=avg: "%d" % avg("nvl", c),
            "DCGM_FI_PROF_NVLINK_RX_BYTES": lambda c, avg=avg: "%d" % (1.001 * avg("nvl", c)),
        }
        for name, fn in vals.items():
            if core and name not in DCGM_CORE:
                continue
            typ, hlp = DCGM_HELP[name]

            def wrap(c, fn=fn, name=name, lost=lost):
                if lost is not None and c.t >= lost:
                    return None
                if name.startswith(ex["blank_metrics"]):
                    for a, b in blank:
                        if a <= c.t < b:
                            return DCGM_BLANKS[ex["dcgm_blank"]]
                return fn(c)
            out.append(Series((name, typ, hlp), name, lab, wrap))
        # XID: the value also appears in err_code/err_msg, so a new XID is a new series.
        codes = [(None, 0)] + ([(xid["start"], xid["code"])] if xid else [])
        name = "DCGM_FI_DEV_XID_ERRORS"
        for n, (start, code) in enumerate(codes):
            nxt = codes[n + 1][0] if n + 1 < len(codes) else None

            def xfn(c, start=start, nxt=nxt, code=code, lost=lost):
                rel = c.t - sim.epoch
                if lost is not None and c.t >= lost:
                    return None
                on = (start is None or rel >= start) and (nxt is None or rel < nxt)
                if reboot is not None and c.t >= reboot:
                    on = start is None               # last XID is forgotten by a reboot
                return "%d" % code if on else None
            xl = labelstr(base + [("err_code", code), ("err_msg", XID_TEXT.get(code, "Unknown Error"))])
            out.append(Series((name,) + DCGM_HELP[name], name, xl, xfn))
    return out
