// SPDX-License-Identifier: GPL-3.0-or-later
// Two hours of 64 nodes with 8 GPUs at 30 s from a real Prometheus: the charted metrics, by this client and
// by curl with the same queries, as many at a time and compressed alike. The fetch runs on a worker while the
// main thread runs an event loop with a timer of 1 ms, as the window's would; counters tell the longest that
// this timer had to wait, and how much the process grew. Environment: ALIDADE_PROMETHEUS_URL with
// ALIDADE_PROMETHEUS_START (Unix s) for a server that is there; else one is started with a simulated history
// (a minute for the first time). ALIDADE_BENCH_NODES, ALIDADE_BENCH_HOURS and ALIDADE_BENCH_STEP (s) ask for
// another cluster, range and grid. Goals: at most 1.5 times curl's time, 50 ms, 300 MiB;
// a refresh after the first reading in 300 ms and 2 MB on the wire; 24 h of 256 nodes below 700 MiB and
// 1.15 of curl's time.
#include "data/catalog/mapping_json.h"
#include "data/observation/follow.h"
#include "tests/cluster/prometheus_server.h"
#include "tests/cluster/simulated_cluster.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QProcess>
#include <QTemporaryFile>
#include <QTimer>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <thread>
#include <time.h>

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

namespace {

constexpr int concurrency = 4;

struct Setting {
    Connection connection;
    TimeGrid grid;
    MetricMapping mapping;
    std::vector<RangeQuery> queries;
};
Setting setting;

std::vector<double> oursMs, curlMs, refreshMs;

double mib(const char* field) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == field) {
            double kib = 0;
            status >> kib;
            return kib / 1024;
        }
    }
    return 0;
}

/// Time that the threads of this process have computed, ms.
double computedMs() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

/// Forgets how large the process has been.
void resetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values.empty() ? 0 : values[values.size() / 2];
}

/// Runs work on a thread while this one runs its event loop. \returns the longest gap between two ticks, ms
template <class Work>
double besideEventLoop(Work work) {
    QEventLoop loop;
    QTimer timer;
    QElapsedTimer clock;
    qint64 last = 0, longest = 0;
    timer.setTimerType(Qt::PreciseTimer);
    QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
        const qint64 now = clock.nsecsElapsed();
        longest = std::max(longest, now - last);
        last = now;
    });
    clock.start();
    timer.start(1);
    std::thread worker([&] {
        work();
        QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection);
    });
    loop.exec();
    longest = std::max(longest, clock.nsecsElapsed() - last);
    worker.join();
    return static_cast<double>(longest) / 1e6;
}

struct Measured {
    double ms = 0, gapMs = 0, grownMiB = 0;
};

template <class Work>
Measured measured(Work work) {
    Measured out;
    resetPeak();
    const double before = mib("VmRSS:");
    out.gapMs = besideEventLoop([&] {
        QElapsedTimer clock;
        clock.start();
        work();
        out.ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    });
    out.grownMiB = mib("VmHWM:") - before;
    return out;
}

template <class Work>
void measure(benchmark::State& state, Work work, std::vector<double>* times) {
    double gap = 0, grown = 0;
    for (auto each : state) {
        const Measured once = measured(work);
        state.SetIterationTime(once.ms / 1e3);
        gap = std::max(gap, once.gapMs);
        grown = std::max(grown, once.grownMiB);
        if (times != nullptr)
            times->push_back(once.ms);
    }
    state.counters["gap_ms"] = gap;
    state.counters["grown_MiB"] = grown;
}

void ours(benchmark::State& state) {
    std::size_t series = 0;
    measure(
        state,
        [&series] {
            HttpExchange exchange(setting.connection, {}, {.concurrency = concurrency});
            const auto results = PrometheusApi(exchange).ranges(setting.queries);
            series = 0;
            for (const auto& result : results) {
                if (!result)
                    qFatal("%s", result.error().c_str());
                series += result->series.size();
            }
        },
        &oursMs);
    state.counters["series"] = static_cast<double>(series);
}

/// The same queries with everything that a view needs: rows sorted, units, percentiles.
void observation(benchmark::State& state) {
    measure(
        state,
        [] {
            HttpExchange exchange(setting.connection, {}, {.concurrency = concurrency});
            PrometheusApi api(exchange);
            const auto read = collectObservation(api, setting.mapping, {.grid = setting.grid});
            if (!read)
                qFatal("%s", read.error().c_str());
        },
        nullptr);
}

/// A poll of the window after the first: two hours that moved on by a step, by what is new.
void refresh(benchmark::State& state) {
    HttpExchange exchange(setting.connection, {}, {.concurrency = concurrency});
    PrometheusApi api(exchange);
    ObservationFollower follower;
    constexpr double ahead = 600; // s that the time moves on by at most
    ObservationRequest request{.grid = setting.grid};
    request.grid.start -= ahead;
    const auto read = [&] {
        const auto seen = follower.observe(api, setting.mapping, request);
        if (!seen)
            qFatal("%s", seen.error().c_str());
    };
    read();
    const std::size_t before = api.wireBytes();
    const double computed = computedMs();
    measure(
        state,
        [&] {
            request.grid.start += request.grid.step;
            read();
        },
        &refreshMs);
    state.counters["median_ms"] = median(refreshMs);
    state.counters["fastest_ms"] = *std::ranges::min_element(refreshMs);
    state.counters["own_cpu_ms"] = (computedMs() - computed) / static_cast<double>(state.iterations());
    state.counters["wire_bytes"] =
        static_cast<double>(api.wireBytes() - before) / static_cast<double>(state.iterations());
}

void curl(benchmark::State& state) {
    QTemporaryFile config;
    if (!config.open())
        qFatal("no temporary file");
    const auto line = [&config](const std::string& text) { config.write((text + "\n").c_str()); };
    for (std::size_t i = 0; i < setting.queries.size(); ++i) {
        const RangeQuery& query = setting.queries[i];
        std::string expression = query.expression;
        for (std::size_t at = 0; (at = expression.find_first_of("\"\\", at)) != std::string::npos; at += 2)
            expression.insert(at, "\\");
        line(i == 0 ? "silent" : "next\nsilent");
        line("url = \"" + setting.connection.url + "/api/v1/query_range\"");
        line("compressed\noutput = \"/dev/null\"");
        line("data-urlencode = \"query=" + expression + "\"");
        line("data = \"start=" + QString::number(query.grid.start, 'f', 3).toStdString() + "\"");
        line("data = \"end=" + QString::number(query.grid.end(), 'f', 3).toStdString() + "\"");
        line("data = \"step=" + QString::number(query.grid.step).toStdString() + "\"");
    }
    config.close();
    for (auto each : state) {
        QElapsedTimer clock;
        clock.start();
        const int status = QProcess::execute(
            QStringLiteral("curl"),
            {QStringLiteral("--parallel"), QStringLiteral("--parallel-max"), QString::number(concurrency),
             QStringLiteral("--no-progress-meter"), QStringLiteral("-K"), config.fileName()});
        if (status != 0)
            qFatal("curl ended with %d", status);
        curlMs.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        state.SetIterationTime(curlMs.back() / 1e3);
    }
}

int environment(const char* name, int otherwise) {
    bool known = false;
    const int value = qEnvironmentVariableIntValue(name, &known);
    return known && value > 0 ? value : otherwise;
}

int hours() { return environment("ALIDADE_BENCH_HOURS", 2); }
int step() { return environment("ALIDADE_BENCH_STEP", 30); }

/// What is charted: the queries that the collector asks for the mapping that fits the server.
bool findQueries(double start) {
    setting.grid = alignedGrid(start, start + hours() * 3600 - step(), step());
    HttpExchange exchange(setting.connection, {});
    PrometheusApi api(exchange);
    const auto mapping = detectMapping(api, metricPresets(), setting.grid.start, setting.grid.end());
    if (!mapping) {
        std::fprintf(stderr, "%s\n", mapping.error().c_str());
        return false;
    }
    setting.mapping = *mapping;
    const auto read = collectObservation(api, setting.mapping, {.grid = setting.grid});
    if (!read) {
        std::fprintf(stderr, "%s\n", read.error().c_str());
        return false;
    }
    std::size_t rows = 0;
    for (const SignalTable& table : read->tables) {
        rows += table.rows.size();
        const bool known = std::ranges::any_of(
            setting.queries, [&](const RangeQuery& query) { return query.expression == table.expression; });
        if (!known && !table.expression.empty())
            setting.queries.push_back({table.expression, setting.grid});
    }
    const int most = qEnvironmentVariableIntValue("ALIDADE_BENCH_QUERIES");
    if (most > 0 && setting.queries.size() > static_cast<std::size_t>(most))
        setting.queries.erase(setting.queries.begin() + most, setting.queries.end());
    std::printf("%zu queries of %zu points, %zu rows\n", setting.queries.size(), setting.grid.points, rows);
    return !setting.queries.empty();
}

} // namespace

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    std::unique_ptr<PrometheusServer> server;
    double start = qEnvironmentVariable("ALIDADE_PROMETHEUS_START", QStringLiteral("1767225600")).toDouble();
    setting.connection.url = qEnvironmentVariable("ALIDADE_PROMETHEUS_URL").toStdString();
    if (setting.connection.url.empty()) {
        const SimulatedCluster cluster({.nodes = environment("ALIDADE_BENCH_NODES", 64),
                                        .hours = static_cast<double>(hours()),
                                        .step = std::min<double>(step(), 60)});
        if (cluster.error().isEmpty())
            server = std::make_unique<PrometheusServer>(PrometheusOptions{.blocks = cluster.blocks()});
        const QString fault = server ? server->error() : cluster.error();
        if (!fault.isEmpty()) {
            std::fprintf(stderr, "%s\n", qPrintable(fault));
            return 1;
        }
        setting.connection.url = server->url();
        start = cluster.start();
    }
    if (!findQueries(start))
        return 1;
    const auto add = [](const char* name, void (*function)(benchmark::State&), int times = 5) {
        benchmark::RegisterBenchmark(name, function)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond)
            ->Iterations(times);
    };
    add("curl", curl);
    add("ours", ours);
    add("observation", observation);
    add("refresh", refresh, 19); // within the ten minutes after which all is asked anew
    benchmark::RunSpecifiedBenchmarks();
    if (!oursMs.empty() && !curlMs.empty()) {
        std::printf("median: ours %.0f ms, curl %.0f ms, ratio %.2f\n", median(oursMs), median(curlMs),
                    median(oursMs) / median(curlMs));
    }
    return 0;
}
