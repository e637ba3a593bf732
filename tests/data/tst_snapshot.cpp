// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/snapshot.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <random>

namespace tst_snapshot {

using namespace alidade;
using namespace alidade::data;

namespace {

Observation sampleObservation(int hosts = 3, std::size_t points = 50) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> noise(0, 1);
    Observation out;
    out.server = "http://prometheus.example:9090";
    out.job = "llama-70b-sft";
    out.grid = {.start = 1'767'225'600, .step = 30, .points = points};
    out.newest = out.grid.end();
    out.warnings = {"one series was cut off"};
    out.missing = {{Signal::smActive, "not exported"}};
    SignalTable power{.signal = Signal::gpuPower, .metric = "DCGM_FI_DEV_POWER_USAGE", .expression = "x"};
    SignalTable steps{.signal = Signal::stepTime, .statistic = Statistic::p90, .bucketWidth = 0.5};
    for (int host = 0; host < hosts; ++host) {
        out.hosts.push_back("gpu-" + std::to_string(1000 + host));
        for (int gpu = 0; gpu < 8; ++gpu) {
            power.rows.push_back({out.hosts.back(), gpu, {}});
            for (std::size_t i = 0; i < points; ++i)
                power.values.push_back(i % 11 == 3 ? std::nan("") : 600 + noise(random));
        }
    }
    steps.rows.push_back({{}, -1, "llama"});
    for (std::size_t i = 0; i < points; ++i)
        steps.values.push_back(6 + 0.01 * noise(random));
    out.tables = {power, steps};
    return out;
}

} // namespace

/// What was measured, kept and read again.
class TestSnapshot : public QObject {
    Q_OBJECT

private slots:
    void nothingIsLost() {
        const Observation before = sampleObservation();
        const PackedSnapshot packed = packSnapshot(before);
        QVERIFY(looksLikeSnapshot(packed.body));
        const Result<Observation> after = unpackSnapshot(packed.body);
        QVERIFY2(after, after.error().c_str());
        QCOMPARE(after->server, before.server);
        QCOMPARE(after->job, before.job);
        QVERIFY(after->grid == before.grid);
        QCOMPARE(after->hosts, before.hosts);
        QCOMPARE(after->warnings, before.warnings);
        QCOMPARE(after->missing.size(), std::size_t(1));
        QCOMPARE(after->missing[0].why, before.missing[0].why);
        QCOMPARE(after->newest, before.newest);
        QCOMPARE(after->tables.size(), before.tables.size());
        for (std::size_t i = 0; i < before.tables.size(); ++i) {
            const SignalTable &a = after->tables[i], &b = before.tables[i];
            QVERIFY(a.signal == b.signal && a.statistic == b.statistic);
            QVERIFY(a.rows == b.rows);
            QCOMPARE(a.metric, b.metric);
            QCOMPARE(a.bucketWidth, b.bucketWidth);
            QCOMPARE(a.values.size(), b.values.size());
            for (std::size_t j = 0; j < a.values.size(); ++j) {
                QVERIFY(std::bit_cast<std::uint64_t>(a.values[j]) ==
                        std::bit_cast<std::uint64_t>(b.values[j]));
            }
        }
    }

    void emptyOneIsKeptToo() {
        const Result<Observation> after = unpackSnapshot(packSnapshot({}).body);
        QVERIFY2(after, after.error().c_str());
        QVERIFY(after->tables.empty());
    }

    void summaryTellsWhatIsIn() {
        const Result<SnapshotSummary> summary = readSnapshotSummary(packSnapshot(sampleObservation()).json);
        QVERIFY2(summary, summary.error().c_str());
        QCOMPARE(summary->job, "llama-70b-sft");
        QCOMPARE(summary->hosts, 3);
        QCOMPARE(summary->series, 25);
        QCOMPARE(summary->grid.points, std::size_t(50));
        QVERIFY(!readSnapshotSummary("{\"alidade\": 1}"));
        QVERIFY(!readSnapshotSummary("no JSON"));
    }

    void everyCutIsRefused() {
        const std::string whole = packSnapshot(sampleObservation(1, 20)).body;
        for (std::size_t size = 0; size < whole.size(); size += 7) {
            const Result<Observation> cut = unpackSnapshot(std::string_view(whole).substr(0, size));
            QVERIFY2(!cut, std::to_string(size).c_str());
            QVERIFY(!cut.error().empty());
        }
    }

    void everyFlippedByteIsRefused() {
        std::string body = packSnapshot(sampleObservation(1, 20)).body;
        for (std::size_t at = 0; at < body.size(); at += 5) {
            body[at] = static_cast<char>(body[at] ^ 4);
            QVERIFY2(!unpackSnapshot(body), std::to_string(at).c_str());
            body[at] = static_cast<char>(body[at] ^ 4);
        }
        QVERIFY(unpackSnapshot(body));
    }

    void isSmallerThanItsNumbers() {
        // What hardly changes is next to nothing.
        Observation quiet = sampleObservation(8, 240);
        for (double& each : quiet.tables[0].values)
            each = std::round(each);
        const std::size_t raw = quiet.tables[0].values.size() * sizeof(double);
        QVERIFY(packSnapshot(quiet).body.size() < raw / 4);
    }
};

QTEST_GUILESS_MAIN(TestSnapshot)

} // namespace tst_snapshot

#include "tst_snapshot.moc"
