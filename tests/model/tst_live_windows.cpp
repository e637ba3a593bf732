// SPDX-License-Identifier: GPL-3.0-or-later
// Which instants of an observation a calibration uses, and means and spreads over them.
#include "model/calibration/live_kinds.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace tst_live_windows {

using namespace alidade;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

SignalTable table(Signal signal, std::vector<Entity> rows, std::vector<double> values) {
    SignalTable out;
    out.signal = signal;
    out.rows = std::move(rows);
    out.values = std::move(values);
    return out;
}

/// 60 instants, every 10 s from 1000 to 1590, of hosts a and b.
Observation quiet() {
    Observation out;
    out.grid = {1000, 10, 60};
    out.hosts = {"a", "b"};
    out.tables.push_back(
        table(Signal::gpuPower, {{"a", 0, {}}, {"b", 0, {}}}, std::vector<double>(120, 500)));
    return out;
}

Finding finding(FaultKind kind, double start, std::optional<double> end, const char* host = "b",
                int code = 0) {
    Finding out;
    out.kind = kind;
    out.where.host = host;
    out.start = start;
    out.end = end;
    out.code = code;
    return out;
}

/// "why 1090-1160; why 1300-1310": from the instant before the first one that is left out to the last one.
QString left(const UsableTime& time) {
    QString out;
    for (const ExcludedWindow& each : time.excluded) {
        out += QLatin1String(out.isEmpty() ? "" : "; ") + QString::fromStdString(each.why) +
               QStringLiteral(" %1-%2").arg(each.start).arg(each.end);
    }
    return out;
}

} // namespace

class TestLiveWindows : public QObject {
    Q_OBJECT

private slots:
    void lookback_data() {
        QTest::addColumn<QString>("expression");
        QTest::addColumn<double>("seconds");
        const std::pair<const char*, double> known[] = {{"a", 15},
                                                        {"rate(a[90s])", 90},
                                                        {"rate(a[2m])", 120},
                                                        {"rate(a[1h30m])", 5400},
                                                        {"rate(a[1d])", 86400},
                                                        {"max_over_time(a[20m:30s])", 1200},
                                                        {"rate(a[30500ms])", 30.5},
                                                        {"rate(a[5s])", 15},
                                                        {"rate(a[1m30s500ms])", 90.5},
                                                        {"a[x]", 15},
                                                        {"rate(a[1m]) / rate(b[3m]) + rate(c[2m])", 180}};
        for (const auto& [expression, seconds] : known)
            QTest::newRow(expression) << expression << seconds;
    }
    void lookback() {
        QFETCH(QString, expression);
        Observation o;
        o.grid = {0, 15, 4};
        o.tables.emplace_back().expression = expression.toStdString();
        QTEST(lookbackOf(o), "seconds");
        o.tables.emplace_back().window = 1e5; // whatever the expressions say
        QCOMPARE(lookbackOf(o), 1e5);
    }

    void faults_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("lasting"); // from 1100 to 1150
        QTest::addColumn<QString>("open");    // from 1100 on
        const auto add = [](const char* name, FaultKind kind, const char* lasting, const char* open) {
            QTest::newRow(name) << static_cast<int>(kind) << lasting << open;
        };
        // Rates look back over 10 s. What strikes once is over after 300 s, and warm-up takes 60 s.
        add("XID", FaultKind::xid, "XID 79 b 1090-1220", "XID 79 b 1090-1470");
        add("double-bit errors", FaultKind::doubleBitErrors, "double-bit errors b 1090-1220",
            "double-bit errors b 1090-1470");
        add("restart", FaultKind::restart, "restart and warm-up 1090-1220", "restart and warm-up 1090-1470");
        add("engine restart", FaultKind::engineRestart, "engine restart b 1090-1220",
            "engine restart b 1090-1470");
        add("standstill", FaultKind::stall, "standstill 1090-1220", "standstill 1090-1590");
        add("heat", FaultKind::thermal, "thermal throttling b 1090-1160", "thermal throttling b 1090-1590");
        add("lost GPU", FaultKind::missingGpu, "missing GPU b 1090-1160", "missing GPU b 1090-1590");
        add("target", FaultKind::missingTarget, "target down b 1090-1160", "target down b 1090-1590");
        add("retransmits", FaultKind::efaRetransmits, "EFA retransmits b 1090-1160",
            "EFA retransmits b 1090-1590");
        add("connections", FaultKind::efaConnections, "EFA connections b 1090-1160",
            "EFA connections b 1090-1590");
        add("straggler", FaultKind::straggler, "straggler b 1090-1160", "straggler b 1090-1590");
        add("blanks", FaultKind::blankValues, "blank values b 1090-1160", "blank values b 1090-1590");
        // They do not change the pace.
        add("corrected errors", FaultKind::singleBitErrors, "", "");
        add("remapped rows", FaultKind::rowRemap, "", "");
        add("power", FaultKind::power, "", "");
        add("loss", FaultKind::badLoss, "", "");
    }
    void faults() {
        QFETCH(int, kind);
        const auto of = [&](std::optional<double> end) {
            return left(
                usableTime(quiet(), {finding(static_cast<FaultKind>(kind), 1100, end, "b", 79)}, {}, true));
        };
        QTEST(of(1150), "lasting");
        QTEST(of(std::nullopt), "open");
    }

    /// Of the hosts that count; without a host they are those of the training job.
    void faultsElsewhere() {
        const auto of = [](const char* host, const std::set<std::string>& hosts, bool training) {
            return left(
                usableTime(quiet(), {finding(FaultKind::straggler, 1100, 1150, host)}, hosts, training));
        };
        QCOMPARE(of("b", {"a"}, true), QString());
        QCOMPARE(of("b", {"a", "b"}, false), QStringLiteral("straggler b 1090-1160"));
        QCOMPARE(of("", {"a"}, true), QStringLiteral("straggler 1090-1160"));
        QCOMPARE(of("", {"a"}, false), QString());
    }

    void warmUpIsFiveSteps() {
        Observation o = quiet();
        o.tables.push_back(table(Signal::stepTime, {{}}, std::vector<double>(60, 20)));
        const std::vector<Finding> restart{finding(FaultKind::restart, 1100, 1150)};
        QCOMPARE(left(usableTime(o, restart, {}, true)), QStringLiteral("restart and warm-up 1090-1260"));
        o.tables.back().values.assign(60, 5); // at least a minute
        QCOMPARE(left(usableTime(o, restart, {}, true)), QStringLiteral("restart and warm-up 1090-1220"));
        o.tables.back().window = 30; // what rates look back over
        QCOMPARE(left(usableTime(o, restart, {}, true)), QStringLiteral("restart and warm-up 1090-1240"));
        QCOMPARE(usableTime(o, restart, {}, true).lookback, 30.0);
    }

    void whatAPersonLeavesOut() {
        const UsableTime time =
            usableTime(quiet(), {}, {}, true, {{1100, 1150, "maintenance"}, {1140, 1170, "again"}});
        QCOMPARE(left(time), QStringLiteral("maintenance 1090-1160; again 1160-1180"));
        QCOMPARE(time.points(), std::size_t{60 - 9});
        QVERIFY(time.used[9] && !time.used[10] && !time.used[18] && time.used[19]);
        // From the first instant on.
        QCOMPARE(left(usableTime(quiet(), {}, {}, true, {{900, 1010, "start"}})),
                 QStringLiteral("start 1000-1020"));
        QCOMPARE(left(usableTime(quiet(), {}, {}, true)), QString());
    }

    void timesWithoutData() {
        Observation o = quiet();
        for (const std::size_t row : {0U, 60U})
            for (const std::size_t i : {0U, 1U, 20U, 21U, 22U})
                o.tables[0].values[row + i] = none;
        QVERIFY2(left(usableTime(o, {}, {}, true)).startsWith(QLatin1String("no data 1000-")),
                 qPrintable(left(usableTime(o, {}, {}, true))));
        // Until the first value after it, and as long as rates look back: 1230, 1240.
        QVERIFY2(left(usableTime(o, {}, {}, true)).endsWith(QLatin1String("; no data 1190-1240")),
                 qPrintable(left(usableTime(o, {}, {}, true))));
    }

    /// A share of 0.3 % in checkpoints and 2 % throttled are nothing; more is. Each shows by itself.
    void sharesOfTime() {
        Observation o = quiet();
        std::vector<double> share(60, 0.003);
        share[10] = share[11] = 0.0031;
        share[20] = none;
        o.tables.push_back(table(Signal::checkpointShare, {{}}, share));
        std::vector<double> hot(120, 0.02);
        hot[60 + 30] = 0.021;
        hot[40] = 0.03;
        o.tables.push_back(table(Signal::thermalViolation, {{"a", 0, {}}, {"b", 0, {}}}, hot));
        QCOMPARE(left(usableTime(o, {}, {}, true)),
                 QStringLiteral(
                     "checkpoint 1090-1110; thermal throttling b 1290-1300; thermal throttling a 1390-1400"));
        QCOMPARE(left(usableTime(o, {}, {"b"}, false)), QStringLiteral("thermal throttling b 1290-1300"));
    }

    /// A target that is down now was so at the instant before at the latest, and rates look back at it.
    void targetsDown() {
        Observation o = quiet();
        std::vector<double> up(120, 1);
        up[60 + 30] = 0;
        o.tables.push_back(table(Signal::targetUp, {{"a", -1, "dcgm"}, {"b", -1, "dcgm"}}, up));
        QCOMPARE(left(usableTime(o, {}, {}, true)), QStringLiteral("target down b 1280-1310"));
        QCOMPARE(left(usableTime(o, {}, {"a"}, true)), QString());
        QCOMPARE(left(usableTime(o, {}, {"b"}, true)), QStringLiteral("target down b 1280-1310"));
    }

    /// Below 5 % of the usual pace a job stands; then it warms up for a minute.
    void pace() {
        Observation o = quiet();
        std::vector<double> pace(60, 0.2);
        pace[10] = 0.0099;
        pace[11] = none;
        pace[20] = 0.011;
        o.tables.push_back(table(Signal::stepsPerSecond, {{}}, pace));
        QCOMPARE(left(usableTime(o, {}, {}, true)),
                 QStringLiteral("standstill 1090-1110; restart and warm-up 1110-1190"));
        QCOMPARE(left(usableTime(o, {}, {}, false)), QString()); // of a training job
        // What was found first is the reason.
        QCOMPARE(left(usableTime(o, {finding(FaultKind::stall, 1100, 1110)}, {}, true)),
                 QStringLiteral("standstill 1090-1180; restart and warm-up 1180-1190"));
        QCOMPARE(left(usableTime(o, {}, {}, true, {{1100, 1150, "maintenance"}})),
                 QStringLiteral("maintenance 1090-1160; restart and warm-up 1160-1190"));
    }

    void meansOfRows() {
        const SignalTable t =
            table(Signal::gpuPower, {{"a", 0, {}}, {"b", 0, {}}}, {1, none, 3, none, 5, 6, 7, none});
        const std::vector<double> all = meanOfRows(t, 4);
        QCOMPARE((std::vector<double>{all[0], all[1], all[2]}), (std::vector<double>{3, 6, 5}));
        QVERIFY(std::isnan(all[3]));
        const std::vector<double> one = meanOfRows(t, 4, [](const Entity& row) { return row.host == "a"; });
        QCOMPARE(one[0], 1.0);
        QVERIFY(std::isnan(one[1]));
        UsableTime time;
        time.used = {true, true, false, true};
        QCOMPARE(usedValues(time, t.row(0, 4)), std::vector<double>{1});
        QCOMPARE(usedValues(time, t.row(1, 4)), (std::vector<double>{5, 6}));
        QCOMPARE(meanOf({1, 2, 6}), 3.0);
        QVERIFY(std::isnan(meanOf({})));
    }

    void blocks() {
        UsableTime time;
        time.used.assign(10, true);
        using Blocks = std::vector<std::pair<std::size_t, std::size_t>>;
        const auto of = [&](double seconds) { return blocksOf(time, {0, 10, 10}, seconds); };
        QCOMPARE(of(30), (Blocks{{0, 3}, {3, 6}, {6, 9}, {9, 10}}));
        QCOMPARE(of(30 + 1e-9), of(30));
        QCOMPARE(of(31), (Blocks{{0, 4}, {4, 8}, {8, 10}}));
        QCOMPARE(of(0).size(), std::size_t{10});
        time.used.assign(10, false);
        time.used[4] = true;
        QCOMPARE(of(30), (Blocks{{3, 6}}));
    }

    /// Quartiles between the values: of 1 to 5 they are 2 and 4, of 1 to 4 1.75 and 3.25.
    void spreads() {
        const auto is = [](std::vector<double> values, double median, double relative) {
            const Spread found = spreadOf(std::move(values));
            return std::abs(found.median - median) < 1e-12 && std::abs(found.relative - relative) < 1e-12;
        };
        QVERIFY(is({5, 3, 1, 2, 4}, 3, 2 / 6.0));
        QVERIFY(is({4, 1, 3, 2}, 2.5, 1.5 / 5));
        QVERIFY(is({-5, -3, -1, -2, -4}, -3, 2 / 6.0));
        QVERIFY(is({-1, 0, 1}, 0, 0));
        QVERIFY(is({7}, 7, 0));
        QVERIFY(is({none, 7, std::numeric_limits<double>::infinity()}, 7, 0));
        QVERIFY(std::isnan(spreadOf({}).median) && std::isnan(spreadOf({none}).relative));
    }

    void spanOfUsedTime() {
        UsableTime time;
        time.used = {false, true, false, true, false};
        QCOMPARE(spanOf(time, {100, 10, 5}), (std::pair{110.0, 130.0}));
        time.used.assign(5, false);
        QCOMPARE(spanOf(time, {100, 10, 5}), (std::pair{0.0, 0.0}));
    }

    void figuresOfACalibration() {
        QCOMPARE(figureText(0.78449), std::string("0.784"));
        QCOMPARE(figureText(1234.5, " ms"), std::string("1.23e+03 ms"));
        // Twice 1.28155 sd from 10 % to 90 %.
        CalibratedParameter p = measuredFigure("name", "Label", "s", 1, 2, 1.5, 3, "how");
        QCOMPARE(p.name + " " + p.label + " " + p.unit + " " + p.how, std::string("name Label s how"));
        QCOMPARE(p.before, 1.0);
        QCOMPARE(p.after, 2.0);
        QCOMPARE(p.low, 1.5);
        QCOMPARE(p.high, 3.0);
        QCOMPARE(p.dataShare, 1.0);
        QVERIFY(std::abs(p.logSd - std::log(2) / 2 / 1.2815515655) < 1e-9);
        QVERIFY(!p.interval && !p.applied && !p.changed);
        QCOMPARE(measuredFigure("", "", "", 1, 2, 0, 3, "").logSd, 0.0);
        QCOMPARE(measuredFigure("", "", "", 1, 2, 3, 3, "").logSd, 0.0);
        p = boundedFigure("name", "Label", "s", 1, 0.5, 1, "how");
        QVERIFY(p.interval && std::isnan(p.after));
        QCOMPARE(p.low, 0.5);
        QCOMPARE(p.high, 1.0);
        QCOMPARE(p.name + " " + p.label + " " + p.unit + " " + p.how, std::string("name Label s how"));
        Observation o;
        o.server = "server";
        QCOMPARE(sourceOf(o), std::string("server"));
        o.job = "llama";
        QCOMPARE(sourceOf(o), std::string("server, job llama"));
    }
};

QTEST_APPLESS_MAIN(TestLiveWindows)

} // namespace tst_live_windows

#include "tst_live_windows.moc"
