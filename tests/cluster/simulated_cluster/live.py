# SPDX-License-Identifier: GPL-3.0-or-later
"""Exporters that answer now, and the prometheus.yml that scrapes them."""
import http.server
import json
import os
import signal
import socketserver
import threading
import time
import urllib.parse

from config import JOBS
from options import build_config
from series import labelstr
from simulation import Sim
from targets import page, target_labels, targets
from truth import truth

def cmd_serve(a):
    sim = Sim(build_config(a))
    tgs = targets(sim)
    by_path = {t.path: t for t in tgs}
    combined = {}
    for t in tgs:
        if t.path.startswith("/node/"):
            combined.setdefault("/node/%s/metrics" % t.path.split("/")[2], []).append(t)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "fake-cluster"

        def log_message(self, *args):
            pass

        def send(self, code, body, ctype):
            body = body.encode()
            self.send_response(code)
            self.send_header("Content-Type", ctype)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                pass

        def do_GET(self):
            path = urllib.parse.urlsplit(self.path).path
            now = time.time()
            text = "text/plain; version=0.0.4; charset=utf-8"
            if path in by_path:
                tg = by_path[path]
                if tg.is_down(sim, now):
                    return self.send(503, "down\n", "text/plain")
                return self.send(200, page(tg.series(), sim.ctx(now)), text)
            if path in combined:
                live = [t for t in combined[path] if not t.is_down(sim, now)]
                if not live:
                    return self.send(503, "down\n", "text/plain")
                return self.send(200, page([s for t in live for s in t.series()], sim.ctx(now)), text)
            if path.startswith("/sd/"):
                job = path[4:]
                host = "%s:%d" % self.server.server_address[:2]
                return self.send(200, json.dumps(sd(sim, tgs, job, host)), "application/json")
            if path == "/truth":
                return self.send(200, json.dumps(truth(sim), indent=1), "application/json")
            if path in ("/", "/healthz"):
                return self.send(200, "\n".join(sorted(by_path)) + "\n", "text/plain")
            self.send(404, "not found\n", "text/plain")

    class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
        daemon_threads = True
        allow_reuse_address = True
        request_queue_size = 512

    sim.ensure(time.time())
    srv = Server(("127.0.0.1", a.port), Handler)
    port = srv.server_address[1]
    if a.sd_dir:
        os.makedirs(a.sd_dir, exist_ok=True)
        for job in JOBS:
            path = os.path.join(a.sd_dir, job + ".json")
            with open(path + ".tmp", "w") as fh:
                json.dump(sd(sim, tgs, job, "127.0.0.1:%d" % port), fh)
            os.replace(path + ".tmp", path)
    stop = threading.Event()
    for sig in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sig, lambda *_: stop.set())
    thread = threading.Thread(target=srv.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True)
    thread.start()
    print(json.dumps({"url": "http://127.0.0.1:%d" % port, "pid": os.getpid(), "epoch": sim.epoch,
                      "targets": len(tgs)}), flush=True)
    stop.wait()
    srv.shutdown()
    srv.server_close()
    return 0


def sd(sim, tgs, job, host):
    out = []
    for t in tgs:
        if job in ("all", t.job):
            lab = dict((k, str(v)) for k, v in target_labels(sim, t))
            lab["__metrics_path__"] = t.path
            if job == "all":
                lab["job"] = t.job
            out.append({"targets": [host], "labels": lab})
    return out


def cmd_prom_config(a):
    lines = ["global:", "  scrape_interval: %s" % a.interval, "  scrape_timeout: %s" % a.timeout,
             "  evaluation_interval: %s" % a.interval, "scrape_configs:"]
    for job in JOBS:
        lines += ["  - job_name: %s" % job]
        if a.sd_dir:
            lines += ["    file_sd_configs:", "      - files: ['%s']" % os.path.join(os.path.abspath(a.sd_dir), job + ".json")]
        else:
            lines += ["    http_sd_configs:", "      - url: %s/sd/%s" % (a.url.rstrip("/"), job), "        refresh_interval: 30s"]
    print("\n".join(lines))
    return 0
