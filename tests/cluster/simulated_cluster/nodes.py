# SPDX-License-Identifier: GPL-3.0-or-later
"""The exporters of a node besides its GPUs: EFA, node_exporter, Lustre; and Slurm."""
import math

from series import Series, fmt, labelstr

EFA_HELP = {
    "tx_bytes": "Number of bytes transmitted", "rx_bytes": "Number of bytes received",
    "tx_pkts": "Number of packets transmitted", "rx_pkts": "Number of packets received",
    "rx_drops": "Number of packets droped", "send_bytes": "Number of bytes send",
    "send_wrs": "Number of wrs send", "recv_bytes": "Number of bytes recv bytes",
    "recv_wrs": "Number of bytes recv wrs", "rdma_read_bytes": "Number of bytes read with RDMA",
    "rdma_read_resp_bytes": "Number of read reponses bytes with RDMA",
    "rdma_read_wrs": "Number of read rs with RDMA", "rdma_read_wr_err": "Number of read write errors with RDMA",
    "rdma_write_bytes": "Number of bytes wrote with RDMA",
    "rdma_write_recv_bytes": "Number of bytes wrote and received with RDMA",
    "rdma_write_wrs": "Number of bytes wrote wrs RDMA",
    "rdma_write_wr_err": "Number of bytes wrote wr with error RDMA",
    "lifespan": "Lifespan of the port",
    "retrans_bytes": "Number of efa_srd bytes retransmitted",
    "retrans_pkts": "Number of efa_srd packets retransmitted",
    "retrans_timeout_events": "Number of times SRD traffic reached timeout and required network path change",
    "impaired_remote_conn_events": "Number of EFA SRD connections entered an impaired state, resulting in a "
                                   "reduced throughput rate limit.",
    "unresponsive_remote_events": "Number of times SRD connection remote was unresponsive",
}
EFA_CORE = ("tx_bytes", "rx_bytes", "rx_drops", "retrans_bytes", "retrans_timeout_events")


def efa_series(sim, node):
    out = []
    t = sim.cfg["training"]
    core = sim.cfg["profile"] == "core"
    per = sim.hw["efa_per_gpu"]
    ndev = sim.G * per
    train = sim.roles[node] == "train"
    reboot = sim.reboot_time(node)
    retr = sim.find("efa_retrans", node)
    names = EFA_CORE if core else EFA_HELP
    for d in range(ndev):
        dev = "rdmap%ds0" % (79 + 17 * (d // per) + d % per)
        lab = labelstr([("device", dev), ("port", "1")])
        fac = 1 + 0.015 * sim.factor("efa", node, d)

        def payload(c, fac=fac):
            return sim.at(sim.job["efa"], c) / ndev * fac if train else 0.0

        def bad(c, d=d):
            total = 0.0
            for f in retr:
                if d < f.get("devices", 4):
                    a = sim.at_t(sim.job["efa"], sim.epoch + f["start"])
                    b = sim.at_t(sim.job["efa"], min(c.t, sim.epoch + f["end"]))
                    total += max(0.0, b - a) / ndev * f["fraction"]
            return total
        fns = {
            "tx_bytes": lambda c, p=payload, b=bad: p(c) * t["efa_header"] + b(c),
            "rx_bytes": lambda c, p=payload: p(c) * t["efa_header"] * 0.9995,
            "tx_pkts": lambda c, p=payload: p(c) / 8704.0,
            "rx_pkts": lambda c, p=payload: p(c) / 8704.0,
            "rx_drops": lambda c: 0.0,
            "send_bytes": lambda c, p=payload: p(c) * 1.3e-4,
            "send_wrs": lambda c, p=payload: p(c) / 1.05e6,
            "recv_bytes": lambda c, p=payload: p(c) * 1.3e-4,
            "recv_wrs": lambda c, p=payload: p(c) / 1.05e6,
            "rdma_read_bytes": lambda c: 0.0, "rdma_read_resp_bytes": lambda c: 0.0,
            "rdma_read_wrs": lambda c: 0.0, "rdma_read_wr_err": lambda c: 0.0,
            "rdma_write_bytes": payload, "rdma_write_recv_bytes": payload,
            "rdma_write_wrs": lambda c, p=payload: p(c) / 1.05e6, "rdma_write_wr_err": lambda c: 0.0,
            "lifespan": lambda c: 12.0,
            "retrans_bytes": lambda c, p=payload, b=bad: p(c) * 2e-8 + b(c),
            "retrans_pkts": lambda c, p=payload, b=bad: (p(c) * 2e-8 + b(c)) / 8704.0,
            "retrans_timeout_events": lambda c, b=bad: b(c) / 5e8,
            "impaired_remote_conn_events": lambda c, b=bad: b(c) / 4e10,
            "unresponsive_remote_events": lambda c: 0.0,
        }
        for name in names:
            fn = fns[name]

            def wrap(c, fn=fn, name=name):
                v = fn(c)
                reset = sim.reset_time("efa", node, c.t)
                if reset is not None and name != "lifespan":
                    v -= fn(sim.ctx(reset))
                v = math.floor(max(0.0, v))
                return "%d" % v if v < 1e6 else "%.15g" % v
            full = "node_amazonefa_" + name
            out.append(Series((full, "counter", EFA_HELP[name]), full, lab, wrap))
        if not core:
            out.append(Series(("node_amazonefa_info", "gauge", "Non-numeric data from /sys/class/infiniband/<device>, "
                               "value is always 1."), "node_amazonefa_info", labelstr([("device", dev)]), lambda c: "1"))
    return out


def node_series(sim, node):
    out = []
    role = sim.roles[node]
    core = sim.cfg["profile"] == "core"
    reboot = sim.reboot_time(node)
    boot0 = sim.epoch - 86400 * (3 + node % 5)

    def add(name, typ, hlp, labels, fn):
        out.append(Series((name, typ, hlp), name, labelstr(labels), fn))

    def boot(c):
        return reboot - 30 if reboot is not None and c.t >= reboot else boot0

    def up(c):
        return c.t - boot(c)
    busy = {"train": 0.21, "serve": 0.08, "spare": 0.004}[role]
    for cpu in range(2 if core else 8):
        for mode, share in (("idle", 1 - busy - 0.012), ("user", busy * 0.8), ("system", busy * 0.2), ("iowait", 0.012)):
            add("node_cpu_seconds_total", "counter", "Seconds the CPUs spent in each mode.",
                [("cpu", cpu), ("mode", mode)], lambda c, s=share, n=cpu: "%.2f" % (up(c) * s * (1 + 0.003 * n)))
    mem = 2147483648 * 1024
    add("node_memory_MemTotal_bytes", "gauge", "Memory information field MemTotal_bytes.", [], lambda c: str(mem))
    add("node_memory_MemAvailable_bytes", "gauge", "Memory information field MemAvailable_bytes.", [],
        lambda c: "%d" % (mem * (1 - 0.8 * busy - 0.05) + 2e9 * sim.nz(c.i, node)))
    add("node_load1", "gauge", "1m load average.", [], lambda c: "%.2f" % (192 * busy + sim.nz(c.i, node + 9)))
    add("node_time_seconds", "gauge", "System time in seconds since epoch (1970).", [], lambda c: "%.3f" % c.t)
    add("node_boot_time_seconds", "gauge", "Node boot time, in unixtime.", [], lambda c: "%d" % boot(c))
    for mnt, fst, dev, size, free in (("/", "ext4", "/dev/root", 5.2e11, 0.61), ("/opt/dlami/nvme", "xfs", "/dev/md0", 3.07e13, 0.83),
                                      ("/fsx", "lustre", "10.1.200.11@tcp:/fsx", 1.2e14, 0.55)):
        lab = [("device", dev), ("fstype", fst), ("mountpoint", mnt)]
        add("node_filesystem_size_bytes", "gauge", "Filesystem size in bytes.", lab, lambda c, s=size: "%d" % s)
        add("node_filesystem_avail_bytes", "gauge", "Filesystem space available to non-root users in bytes.", lab,
            lambda c, s=size, f=free: "%d" % (s * f))
    for kind in ("receive", "transmit"):
        add("node_network_%s_bytes_total" % kind, "counter", "Network device statistic %s_bytes." % kind,
            [("device", "eth0")], lambda c: "%d" % (up(c) * 4.2e6))
    add("node_disk_read_bytes_total", "counter", "The total number of bytes read successfully.",
        [("device", "nvme1n1")], lambda c: "%d" % (up(c) * 1.1e6))
    add("node_disk_written_bytes_total", "counter", "The total number of bytes written successfully.",
        [("device", "nvme1n1")], lambda c: "%d" % (up(c) * 3.3e5))
    add("node_pressure_io_waiting_seconds_total", "counter", "Total time in seconds that processes have waited due "
        "to IO congestion", [], lambda c: "%.3f" % (up(c) * 0.004))
    add("node_vmstat_oom_kill", "untyped", "/proc/vmstat information field oom_kill.", [], lambda c: "0")
    add("node_uname_info", "gauge", "Labeled system information as provided by the uname system call.",
        [("domainname", "(none)"), ("machine", "x86_64"), ("nodename", sim.hosts[node]),
         ("release", "6.8.0-1031-aws"), ("sysname", "Linux"), ("version", "#33-Ubuntu SMP")], lambda c: "1")
    add("node_exporter_build_info", "gauge", "A metric with a constant '1' value labeled by version.",
        [("version", "1.9.1"), ("goversion", "go1.23.7"), ("branch", "HEAD")], lambda c: "1")
    return out


def lustre_series(sim, node):
    out = []
    role = sim.roles[node]
    t = sim.cfg["training"]
    reboot = sim.reboot_time(node)
    lab = [("component", "client"), ("target", "fsx-ffff9c2a41c6e800")]

    def add(name, typ, hlp, labels, fn):
        def wrap(c, fn=fn):
            v = fn(c)
            if typ == "counter" and reboot is not None and c.t >= reboot:
                v -= fn(sim.ctx(reboot))
            return "%d" % max(0, v)
        out.append(Series((name, typ, hlp), name, labelstr(labels), wrap))
    train = role == "train"
    read = lambda c: sim.at(sim.job["tokens"], c) * t["dataset_bytes_per_token"] / sim.n_train if train else 0
    write = lambda c: sim.at(sim.job["ckpt_b"], c) / sim.n_train if train else 0
    add("lustre_read_bytes_total", "counter", "The total number of bytes that have been read.", lab, read)
    add("lustre_write_bytes_total", "counter", "The total number of bytes that have been written.", lab, write)
    add("lustre_read_samples_total", "counter", "Total number of reads that have been recorded.", lab,
        lambda c: read(c) / 1048576)
    add("lustre_write_samples_total", "counter", "Total number of writes that have been recorded.", lab,
        lambda c: write(c) / 4194304)
    for op, per in (("open", 0.4), ("close", 0.4), ("getattr", 1.7), ("fsync", 0.01)):
        add("lustre_stats_total", "counter", "Number of operations the filesystem has performed.",
            lab + [("operation", op)], lambda c, p=per: sim.at(sim.job["work"], c) * p if train else 0)
    add("lustre_capacity_kibibytes", "gauge", "Capacity of the pool in kibibytes", lab, lambda c: 117187500000)
    add("lustre_available_kibibytes", "gauge", "Number of kibibytes readily available in the pool", lab,
        lambda c: 117187500000 * 0.55)
    add("lustre_health_check", "gauge", "Current health status for the indicated instance",
        [("component", "health"), ("target", "lustre")], lambda c: 1)
    return out


def slurm_series(sim):
    out = []

    def add(name, labels, fn):
        out.append(Series((name, "gauge", name), name, labelstr(labels), fn))
    n = len(sim.hosts)
    down = lambda c: sum(1 for i in range(n) if sim.down("node", i, c.t))
    add("slurm_nodes_alloc", [("partition", "gpu"), ("active_feature_set", "")],
        lambda c: "%d" % (sim.n_train + len(sim.servers) - down(c)))
    add("slurm_nodes_idle", [("partition", "gpu"), ("active_feature_set", "")], lambda c: "%d" % len(sim.by_role["spare"]))
    add("slurm_nodes_down", [("partition", "gpu"), ("active_feature_set", "")], lambda c: "%d" % down(c))
    add("slurm_gpus_total", [], lambda c: "%d" % (n * sim.G))
    add("slurm_gpus_alloc", [], lambda c: "%d" % ((sim.n_train + len(sim.servers)) * sim.G))
    add("slurm_queue_pending", [("user", "alice"), ("partition", "gpu"), ("reason", "Resources")], lambda c: "2")
    add("slurm_queue_running", [("user", "alice"), ("partition", "gpu")], lambda c: "%d" % (1 + len(sim.servers)))
    return out
