# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is scraped, and the page that each shows."""
from dcgm import dcgm_series
from engines import engine_of, engine_series
from nodes import efa_series, lustre_series, node_series, slurm_series
from series import labelstr
from training import training_series

class Target:
    without = ()

    def __init__(self, job, path, instance, exporter, node, make):
        self.job, self.path, self.instance = job, path, instance
        self.exporter, self.node, self._make, self._series = exporter, node, make, None

    def series(self):
        if self._series is None:
            self._series = [s for s in self._make() if s.name not in self.without]
        return self._series

    def is_down(self, sim, t):
        if self.exporter == "training":
            return sim.training_down(t)
        return sim.down(self.exporter, self.node, t)


PORTS = {"dcgm": 9400, "node": 9100, "efa": 9109, "lustre": 9169}


def targets(sim):
    out = []
    Target.without = set(sim.cfg["exporters"]["without_metrics"])
    for i, host in enumerate(sim.hosts):
        p = "/node/%04d/" % (i + 1)
        for job, ex, mk in (("dcgm_exporter", "dcgm", dcgm_series), ("node_exporter", "node", node_series),
                            ("efa_exporter", "efa", efa_series), ("lustre_exporter", "lustre", lustre_series)):
            out.append(Target(job, p + ex + "/metrics", host, ex, i, lambda mk=mk, i=i: mk(sim, i)))
    out.append(Target("training", "/job/train/metrics", sim.hosts[0], "training", 0, lambda: training_series(sim)))
    for srv in sim.servers:
        kind = engine_of(sim, srv)
        port = {"vllm": 8000, "sglang": 30000}[kind]
        out.append(Target(kind, "/server/%d/metrics" % srv["idx"], "%s:%d" % (sim.hosts[srv["node"]], port), kind,
                          srv["node"], lambda srv=srv: engine_series(sim, srv)))
    out.append(Target("slurm_exporter", "/slurm/metrics", "head-node", "slurm", -1, lambda: slurm_series(sim)))
    return [t for t in out if t.job not in sim.cfg["exporters"]["without_jobs"]]


def target_labels(sim, tg):
    instance = tg.instance
    if sim.cfg["exporters"]["instance_addresses"] and tg.exporter in PORTS:
        instance = "10.0.%d.%d:%d" % (tg.node // 250, tg.node % 250 + 1, PORTS[tg.exporter])
    lab = [("cluster", sim.cfg["cluster"]), ("instance", instance)]
    if tg.node >= 0:
        lab.append(("instance_type", sim.cfg["instance_type"]))
    return lab


def page(series, c):
    """Prometheus text format (0.0.4)."""
    lines, last = [], None
    for s in sorted(series, key=lambda s: s.family[0]):
        v = s.fn(c)
        if v is None:
            continue
        if s.family[0] != last:
            last, typ, hlp = s.family
            lines.append("# HELP %s %s" % (last, hlp))
            lines.append("# TYPE %s %s" % (last, typ))
        lines.append("%s{%s} %s" % (s.name, s.labels, v) if s.labels else "%s %s" % (s.name, v))
    lines.append("")
    return "\n".join(lines)
