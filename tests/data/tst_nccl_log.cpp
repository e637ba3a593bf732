// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of nccl-tests in the forms in which people keep them.
#include "data/import/nccl_log.h"
#include "data/json/json.h"
#include "data/validation/published_json.h"

#include <QtTest>

namespace tst_nccl_log {

using namespace alidade;
using data::NcclTable;

namespace {

const std::string header = "#                                                              out-of-place      "
                           "                 in-place\n"
                           "#       size         count      type   redop    root     time   algbw   busbw "
                           "#wrong     time   algbw   busbw "
                           "#wrong\n"
                           "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)    "
                           "        (us)  (GB/s)  (GB/s)\n";

const std::string reduceRows = "     1048576        262144     float     sum      -1    110.0    9.53   "
                               "17.87      0    108.0    9.71   18.20  "
                               "    0\n"
                               "  1073741824     268435456     float     sum      -1   4500.0  238.61  "
                               "447.39      0   4490.0  239.14  448.39  "
                               "    0\n";

const std::string gatherRows = "    33554432        524288     float    none      -1    300.0  111.85  "
                               "104.86    N/A    290.0  115.70  108.47  "
                               "  N/A\n";

std::string devices(int ranks, int perHost, const char* name) {
    std::string out;
    for (int rank = 0; rank < ranks; ++rank) {
        out += "#  Rank " + std::to_string(rank) + " Group  0 Pid  " + std::to_string(4000 + rank) +
               " on trainer-" + std::to_string(rank / perHost) + " device  " +
               std::to_string(rank % perHost) + " [0x0f] " + name + "\n";
    }
    return out;
}

/// The only table of a log; the faults of one without are its warnings.
NcclTable tableOf(const std::string& text, const std::string& file = "run.log",
                  const data::NcclMachine& known = {}) {
    data::NcclReading reading = data::readNcclLog(text, file, known);
    if (reading.tables.size() != 1) {
        NcclTable none;
        none.warnings = reading.faults;
        return none;
    }
    return reading.tables.front();
}

std::string prefixed(const std::string& text, const std::string& prefix) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = text.find('\n', at);
        out += prefix + text.substr(at, end - at + 1);
        at = end + 1;
    }
    return out;
}

} // namespace

class TestNcclLog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsWhatTheLogSays() {
        const NcclTable table = tableOf("# nccl-tests version 2.17.6 nccl-headers=22602 nccl-library=22602\n"
                                        "# Collective test starting: all_reduce_perf\n" +
                                        devices(16, 8, "NVIDIA H100 80GB HBM3") + header + reduceRows +
                                        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 232.9\n");
        QCOMPARE(table.op, std::string("all_reduce"));
        QCOMPARE(table.dtype, std::string("float"));
        QCOMPARE(table.ranks, 16);
        QVERIFY(!table.ranksDerived);
        QCOMPARE(table.nodes, 2);
        QCOMPARE(table.gpu, std::string("H100"));
        QCOMPARE(table.ncclVersion, std::string("2.26.2"));
        QCOMPARE(table.testsVersion, std::string("2.17.6"));
        QCOMPARE(table.averageBusBandwidth, std::optional(232.9e9));
        QCOMPARE(table.points.size(), std::size_t(4)); // out of place and in place
        QCOMPARE(table.points[3].inPlace, true);
        QCOMPARE(table.points[3].timeS, 4490e-6);
        QCOMPARE(table.points[2].busBandwidth, 447.39e9);
        QVERIFY(table.warnings.empty());
    }

    void prefixesOfLaunchersAreNoPartOfTheLog_data() {
        QTest::addColumn<QString>("prefix");
        QTest::newRow("mpirun") << QStringLiteral("[1,0]<stdout>:");
        QTest::newRow("mpirun, blank") << QStringLiteral("[1,0]<stdout>: ");
        QTest::newRow("srun") << QStringLiteral("0: ");
        QTest::newRow("srun, wide") << QStringLiteral("  0: ");
        QTest::newRow("host") << QStringLiteral("ip-10-0-1-11.ec2.internal: ");
        QTest::newRow("time") << QStringLiteral("2026-11-20T10:00:00.123456Z ");
        QTest::newRow("stern and rank") << QStringLiteral("nccl-launcher-x7k2p launcher [1,0]<stdout>: ");
        QTest::newRow("stern, time and rank")
            << QStringLiteral("nccl-launcher-x7k2p launcher 2026-11-20T10:00:00Z [1,0]<stdout>:");
        QTest::newRow("compose") << QStringLiteral("launcher-1  | ");
        QTest::newRow("compose and rank") << QStringLiteral("launcher-1  | [1,0]<stdout>:");
        QTest::newRow("kubectl and host") << QStringLiteral("[pod/nccl-0/main] gpu-0001: ");
        QTest::newRow("time and rank") << QStringLiteral("2026-11-20T10:00:00Z [1,0]<stdout>:");
    }
    void prefixesOfLaunchersAreNoPartOfTheLog() {
        QFETCH(QString, prefix);
        const std::string log = devices(16, 8, "NVIDIA H100 80GB HBM3") + header + reduceRows;
        const NcclTable plain = tableOf(log), table = tableOf(prefixed(log, prefix.toStdString()));
        QCOMPARE(table.points.size(), plain.points.size());
        QCOMPARE(table.ranks, 16);
        QCOMPARE(table.nodes, 2);
        QCOMPARE(table.points.back().busBandwidth, plain.points.back().busBandwidth);
    }

    /// A run with in-place buffers alone, as newer nccl-tests can make.
    void inPlaceAloneIsATable() {
        const std::string log =
            devices(16, 8, "NVIDIA H100 80GB HBM3") +
            "#                                                              in-place\n"
            "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
            "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n"
            "     1048576        262144     float     sum      -1    108.0    9.71   18.20      0\n"
            "  1073741824     268435456     float     sum      -1   4490.0  239.14  448.39      0\n";
        for (const char* prefix : {"", "nccl-launcher-x7k2p launcher [1,0]<stdout>: ", "launcher-1  | "}) {
            const NcclTable table = tableOf(prefixed(log, prefix));
            QVERIFY2(table.warnings.empty(), table.warnings.empty() ? "" : table.warnings.front().c_str());
            QCOMPARE(table.points.size(), std::size_t(2));
            QVERIFY(table.points[0].inPlace && table.points[1].inPlace);
            QCOMPARE(table.points[1].timeS, 4490e-6);
            QCOMPARE(table.points[1].busBandwidth, 448.39e9);
            QCOMPARE(table.ranks, 16);
        }
    }

    void figuresTellTheRanksOfALogWithoutDevices() {
        const NcclTable reduce = tableOf(header + reduceRows); // 447.39/238.61 is 2 x 15/16
        QCOMPARE(reduce.op, std::string("all_reduce"));
        QCOMPARE(reduce.ranks, 16);
        QVERIFY(reduce.ranksDerived);
        QCOMPARE(reduce.nodes, 0); // nobody says
        const NcclTable gather = tableOf(header + gatherRows, "p5-allgather.txt");
        QCOMPARE(gather.op, std::string("all_gather"));
        QCOMPARE(gather.ranks, 16); // 33554432 / (524288 x 4)
        QVERIFY(QString::fromStdString(gather.warnings.front()).contains(QStringLiteral("file name")));
    }

    void theLogAndTheCallerMustAgree() {
        const std::string log = devices(16, 8, "NVIDIA H100 80GB HBM3") + header + reduceRows;
        const auto said = [&](const data::NcclMachine& known) {
            return QString::fromStdString(tableOf(log, "run.log", known).warnings.front());
        };
        QVERIFY(said({.gpu = "B200"})
                    .startsWith(QStringLiteral("run.log:18: the log was made on H100, not on B200")));
        QVERIFY(said({.nodes = 4}).contains(QStringLiteral("2 nodes, not on 4")));
        const std::string named = "# Collective test starting: all_reduce_perf\n" + log;
        const NcclTable other = tableOf(named, "run.log", {.op = "all_gather"});
        QVERIFY(
            QString::fromStdString(other.warnings.front()).contains(QStringLiteral("measures all_reduce")));
        QCOMPARE(tableOf(log, "run.log", {.gpu = "h100", .nodes = 2}).nodes, 2);
    }

    void aRunAfterTheOtherIsATableOfItsOwn() {
        const std::string log =
            "# Collective test starting: all_reduce_perf\n" + devices(8, 8, "NVIDIA H200") + header +
            "  1073741824     268435456     float     sum      -1   4000.0  268.44  469.76      0 "
            "  4000.0  268.44  469.76      0\n"
            "# Collective test starting: all_gather_perf\n" +
            devices(16, 8, "NVIDIA H100 80GB HBM3") + header + gatherRows;
        const data::NcclReading reading = data::readNcclLog(log, "both.log");
        QCOMPARE(reading.tables.size(), std::size_t(2));
        QCOMPARE(reading.tables[0].ranks, 8);
        QCOMPARE(reading.tables[0].gpu, std::string("H200"));
        QCOMPARE(reading.tables[1].op, std::string("all_gather"));
        QCOMPARE(reading.tables[1].nodes, 2);
    }

    void typesOfOneRunAreTablesOfTheirOwn() {
        const std::string half = "  1073741824     536870912      half     sum      -1   4500.0  238.61  "
                                 "447.39      0   4490.0  239.14  "
                                 "448.39      0\n";
        const data::NcclReading reading = data::readNcclLog(
            devices(16, 8, "NVIDIA H100 80GB HBM3") + header + reduceRows + half, "types.log");
        QCOMPARE(reading.tables.size(), std::size_t(2));
        QCOMPARE(reading.tables[1].dtype, std::string("half"));
        QCOMPARE(reading.tables[1].nodes, 2); // the devices are those of both
    }

    void whatIsOddIsSaid() {
        std::string wrong = reduceRows;
        wrong.replace(wrong.find("      0"), 7, "     12");
        const NcclTable table =
            tableOf(devices(16, 8, "NVIDIA Graphics Device") + header +
                    "           0             0     float     sum      -1    15.51    0.00    0.00 "
                    "     0    15.52    0.00    0.00      0\n" +
                    wrong + "# Out of bounds values : 12 FAILED\n  2147483648     5368709\n");
        QStringList said;
        for (const std::string& warning : table.warnings)
            said.push_back(QString::fromStdString(warning));
        const QString all = said.join(u'\n');
        QVERIFY2(all.contains(QStringLiteral("FAILED")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("truncated")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("0 bytes")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("does not name the GPU")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("1 measurements have wrong")), qPrintable(all));
        QCOMPARE(table.points.size(), std::size_t(4));
    }

    void refusals_data() {
        QTest::addColumn<QString>("log");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const std::string& log, const char* said) {
            QTest::newRow(name) << QString::fromStdString(log) << QString::fromUtf8(said);
        };
        row("nothing", "hello\n", "run.log: no nccl-tests table found");
        row("empty", "", "run.log: no nccl-tests table found");
        row("header alone", header, "run.log:2: the table is empty");
        row("short line", header + "  1048576  262144 float sum\n" + reduceRows,
            "run.log:4: 4 columns under");
        row("no time", header + "1048576 262144 float sum -1 x 9.5 17.8 0 1 1 1 0\n",
            "run.log:4: 'x 9.5 17.8'");
        row("negative", header + "1048576 262144 float sum -1 -5 9.5 17.8 0 1 1 1 0\n",
            "run.log:4: '-5 9.5 17.8'");
        row("which collective", header + gatherRows, "run.log:2: the log does not name its collective");
        row("other collective", "# Collective test starting: broadcast_perf\n" + header + reduceRows,
            "run.log:3: measurements of broadcast are not supported");
        row("unknown ranks", header + "8 2 float sum -1 12.9 0.00 0.00 0 12.8 0.00 0.00 0\n",
            "run.log:2: the number of GPUs is unknown");
    }
    void refusals() {
        QFETCH(QString, log);
        QFETCH(QString, said);
        const data::NcclReading reading = data::readNcclLog(log.toStdString(), "run.log");
        QVERIFY(reading.tables.empty());
        QVERIFY(!reading.faults.empty());
        const QString fault = QString::fromStdString(reading.faults.front());
        QVERIFY2(fault.startsWith(said), qPrintable(fault));
        QVERIFY(fault.contains(QStringLiteral("; ")) || fault.contains(QStringLiteral("not kept")));
    }

    void rowsAreThoseThatValidateReads() {
        const data::NcclMachine known{.instance = "p5.48xlarge"};
        const data::NcclReading reading =
            data::readNcclLog(devices(16, 8, "NVIDIA H100 80GB HBM3") + header + reduceRows, "p5.log", known);
        const std::string text =
            data::writeNcclRows({{"logs/p5.log", reading.tables}, {"more/p5.log", reading.tables}}, known);
        std::vector<data::JsonFault> faults;
        const PublishedRows rows = data::readPublished(text, faults);
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().message.c_str());
        QCOMPARE(rows.collectives.size(), std::size_t(8));
        const PublishedCollective& row = rows.collectives[2];
        QCOMPARE(row.bytes, std::optional(1073741824.0));
        QCOMPARE(row.timeS, std::optional(4500e-6));
        QCOMPARE(row.inPlace, std::optional(false));
        QCOMPARE(row.gpus, 16);
        QCOMPARE(row.nodes, 2);
        QCOMPARE(row.instance, std::string("p5.48xlarge"));
        QVERIFY(rows.collectives[0].series != rows.collectives[4].series);
        QVERIFY(rows.collectives[0].id != rows.collectives[4].id);
    }
};

QTEST_GUILESS_MAIN(TestNcclLog)

} // namespace tst_nccl_log

#include "tst_nccl_log.moc"
