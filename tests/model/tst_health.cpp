// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_policy.h"
#include "model/observation/plan_actual.h"
#include "synthetic_cluster.h"

#include <QTest>

#include <algorithm>

namespace tst_health {

using namespace alidade;
using namespace alidade::tests;
using Kind = Trouble::Kind;

namespace {

HealthPolicy plainPolicy() {
    HealthPolicy policy;
    policy.id = "plain";
    policy.name = "Plain";
    policy.rules = {
        {FaultKind::xid, 94, HealthAction::restartJob, "contained memory error", "Restart.", "test"},
        {FaultKind::missingGpu, 0, HealthAction::replaceNode, "lost", "Replace.", "test"}};
    return policy;
}

std::vector<Finding> judged(const SyntheticCluster& cluster, const HealthContext& context = {}) {
    return judgeHealth(cluster.observe(), plainPolicy(), {}, context);
}

QByteArray told(const std::vector<Finding>& findings) {
    QByteArray out;
    for (const Finding& each : findings) {
        out += QByteArray::fromStdString(each.title) + " [" + QByteArray::number(each.start - 1767225600) +
               ", " + (each.end ? QByteArray::number(*each.end - 1767225600) : QByteArray("-")) + "] " +
               QByteArray::fromStdString(each.evidence) +
               (each.cost ? " | " + QByteArray::number(each.cost->seconds) + " s, " +
                                QByteArray::number(each.cost->steps) + " steps"
                          : QByteArray()) +
               '\n';
    }
    return out;
}

/// The one finding of a kind; the test stops if there is none, or more.
const Finding* only(const std::vector<Finding>& findings, FaultKind kind) {
    return std::ranges::count(findings, kind, &Finding::kind) == 1
               ? &*std::ranges::find(findings, kind, &Finding::kind)
               : nullptr;
}

bool near(double a, double b, double within) { return std::abs(a - b) <= within; }

struct Expected {
    const char* name;
    Trouble trouble;
    FaultKind kind;
    int gpu; ///< that is named; -1: the node, -2: the job
    bool ends;
    double slackS = 60;
};

const Expected single[] = {
    {"straggler", {Kind::straggler, 2, 3, 1800, 3000, 1.3}, FaultKind::straggler, 3, true},
    {"heat", {Kind::heat, 2, 5, 1800, 3000}, FaultKind::thermal, 5, true},
    {"retransmits", {Kind::retransmits, 3, 0, 3300, 3900, 0.06}, FaultKind::efaRetransmits, -1, true, 150},
    {"hang", {Kind::hang, 0, 0, 4200, 4500}, FaultKind::stall, -2, true},
    {"XID", {Kind::xid, 4, 2, 5400, 1e9, 0, 79}, FaultKind::xid, 2, false},
    {"lost GPU", {Kind::lostGpu, 5, 6, 6300}, FaultKind::missingGpu, 6, false},
    {"target down", {Kind::down, 6, 0, 6000, 6600}, FaultKind::missingTarget, -1, true},
    {"blank", {Kind::blank, 6, 0, 5400, 6600}, FaultKind::blankValues, -1, true},
    {"bad loss", {Kind::badLoss, 0, 0, 4200, 5100}, FaultKind::badLoss, -2, true},
    {"rising errors", {Kind::risingErrors, 1, 5, 600}, FaultKind::singleBitErrors, 5, false, 400},
    {"remap failure", {Kind::remapFailure, 1, 5, 600}, FaultKind::rowRemap, 5, false},
    {"connections", {Kind::connections, 1, 0, 600, 1e9, 3}, FaultKind::efaConnections, -1, true},
};

} // namespace

/// Judgment of synthetic clusters with known faults.
class TestHealth : public QObject {
    Q_OBJECT

private slots:
    void oneFault_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<double>("step");
        for (int i = 0; i < static_cast<int>(std::size(single)); ++i)
            for (const double step : {20.0, 60.0, 300.0})
                QTest::addRow("%s at %g s", single[i].name, step) << i << step;
    }

    /// Each fault alone is found, at its place and time, and nothing else is.
    void oneFault() {
        QFETCH(int, index);
        QFETCH(double, step);
        const Expected& expected = single[index];
        SyntheticCluster cluster;
        cluster.step = step;
        cluster.rateWindow = std::max(120.0, step);
        cluster.troubles = {expected.trouble};
        const std::vector<Finding> findings = judged(cluster);
        QVERIFY2(findings.size() == 1, told(findings));
        const Finding& finding = findings.front();
        // One point in five minutes does not tell a hang from the restart after it.
        const bool blurred = expected.kind == FaultKind::stall && step > 120;
        QVERIFY2(finding.kind == expected.kind || (blurred && finding.kind == FaultKind::restart),
                 told(findings));
        QCOMPARE(finding.where.gpu, std::max(expected.gpu, -1));
        QCOMPARE(finding.where.host,
                 expected.gpu == -2 ? std::string() : SyntheticCluster::host(expected.trouble.host));
        const double slack = expected.slackS + 2 * step;
        QVERIFY2(near(finding.start - cluster.start, expected.trouble.start, slack), told(findings));
        QVERIFY2(finding.end.has_value() == expected.ends, told(findings));
        const double end = expected.kind == FaultKind::stall            ? expected.trouble.end + 150
                           : expected.kind == FaultKind::efaConnections ? expected.trouble.start
                                                                        : expected.trouble.end;
        QVERIFY2(!finding.end || near(*finding.end - cluster.start, end, slack), told(findings));
        QVERIFY(!finding.before);
    }

    /// An XID, the errors behind it, the reboot and the restart of the job are one story.
    void aCrashIsOneFinding() {
        for (const double step : {20.0, 60.0}) {
            SyntheticCluster cluster;
            cluster.step = step;
            cluster.troubles = {{Kind::xid, 4, 2, 5400, 1e9, 0, 94, true}};
            const std::vector<Finding> findings = judged(cluster);
            QVERIFY2(findings.size() == 1, told(findings));
            const Finding& xid = findings.front();
            QCOMPARE(xid.code, 94);
            QCOMPARE(xid.where, (Entity{"gpu-0005", 2, {}}));
            QCOMPARE(xid.action, HealthAction::restartJob);
            QVERIFY2(xid.end && near(*xid.end - cluster.start, 5500, 120), told(findings));
            QVERIFY2(xid.evidence.find("double-bit") != std::string::npos, told(findings));
            QVERIFY2(xid.evidence.find("rebooted") != std::string::npos, told(findings));
            QVERIFY2(xid.evidence.find("job restarted") != std::string::npos, told(findings));
            // 150 s of restart and the work since the checkpoint, which is at most 250 s old.
            QVERIFY2(xid.cost && xid.cost->seconds > 120 && xid.cost->seconds < 150 + 250 + 90,
                     told(findings));
        }
    }

    /// A GPU that falls off the bus tells so by a code, and stops to answer five minutes later.
    void aCodeAndTheLossOfItsGpuAreOneFinding() {
        SyntheticCluster cluster;
        cluster.troubles = {{Kind::xid, 4, 2, 5400, 1e9, 0, 79}, {Kind::lostGpu, 4, 2, 5700}};
        const std::vector<Finding> findings = judged(cluster);
        QVERIFY2(findings.size() == 1, told(findings));
        QCOMPARE(findings.front().kind, FaultKind::xid);
        QCOMPARE(findings.front().code, 79);
        QCOMPARE(findings.front().where, (Entity{"gpu-0005", 2, {}}));
        QVERIFY2(findings.front().evidence.find("GPU no longer responds") != std::string::npos,
                 told(findings));
    }

    /// One code on two GPUs of a node at a time is of the node; two codes are two findings.
    void oneCodeOnGpusOfANodeIsOneFinding() {
        SyntheticCluster cluster;
        cluster.troubles = {{Kind::xid, 4, 2, 5400, 1e9, 0, 94}, {Kind::xid, 4, 3, 5400, 1e9, 0, 94}};
        std::vector<Finding> findings = judged(cluster);
        QVERIFY2(findings.size() == 1, told(findings));
        QCOMPARE(findings.front().where, (Entity{"gpu-0005", -1, {}}));
        cluster.troubles.back().code = 74;
        findings = judged(cluster);
        QVERIFY2(findings.size() == 2, told(findings));
        QVERIFY2(findings.front().where.gpu + findings.back().where.gpu == 2 + 3, told(findings));
    }

    /// The metric keeps a code until the reset: it is one event, and one that is at the start is old.
    void aStickyCodeIsNoNewEvent() {
        SyntheticCluster cluster;
        cluster.hours = 1;
        cluster.troubles = {{Kind::xid, 1, 2, -100, 1e9, 0, 94}, {Kind::down, 1, 0, 900, 1300}};
        std::vector<Finding> findings = judged(cluster);
        const Finding* xid = only(findings, FaultKind::xid);
        QVERIFY2(xid != nullptr && xid->before && xid->times == 1 && !xid->end, told(findings));
        QVERIFY2(only(findings, FaultKind::missingTarget) != nullptr && findings.size() == 2, told(findings));
        cluster.troubles = {{Kind::xid, 1, 2, 300, 600, 0, 94}, {Kind::xid, 1, 2, 1200, 1500, 0, 94}};
        findings = judged(cluster);
        QVERIFY2(findings.size() == 1 && findings.front().times == 2, told(findings));
    }

    void stragglerByClocksAlone() {
        SyntheticCluster cluster;
        cluster.ownTimes = false;
        cluster.jobMetrics = false;
        cluster.troubles = {{Kind::straggler, 2, 3, 1800, 3000, 1.3}};
        const std::vector<Finding> findings = judged(cluster);
        QVERIFY2(findings.size() == 1 && findings.front().kind == FaultKind::straggler, told(findings));
        QCOMPARE(findings.front().where, (Entity{"gpu-0003", 3, {}}));
    }

    /// A hot GPU is not why another one, which is cool, has a low clock. Of a single node no times of nodes
    /// tell so, only clocks do.
    void aHotGpuExplainsItselfAlone() {
        SyntheticCluster cluster;
        cluster.nodes = 1;
        cluster.troubles = {{Kind::heat, 0, 5, 1800, 3000}, {Kind::straggler, 0, 1, 1800, 3000, 1.3}};
        Observation observation = cluster.observe();
        const Entity slow{SyntheticCluster::host(0), 1, {}};
        for (SignalTable& table : observation.tables) {
            const bool heat = table.signal == Signal::thermalViolation;
            if (!heat && table.signal != Signal::gpuTemperature)
                continue;
            const auto row = std::ranges::find(table.rows, slow) - table.rows.begin();
            const auto points = static_cast<std::ptrdiff_t>(observation.grid.points);
            std::fill_n(table.values.begin() + row * points, points, heat ? 0.0 : 60.0);
        }
        const std::vector<Finding> findings = judgeHealth(observation, plainPolicy(), {}, {});
        const Finding* hot = only(findings, FaultKind::thermal);
        const Finding* straggler = only(findings, FaultKind::straggler);
        QVERIFY2(findings.size() == 2 && hot != nullptr && straggler != nullptr, told(findings));
        QCOMPARE(hot->where, (Entity{"gpu-0001", 5, {}}));
        QCOMPARE(straggler->where, slow);
        QVERIFY2(straggler->evidence.find("SM clock") != std::string::npos, told(findings));
    }

    void costs_data() {
        QTest::addColumn<double>("step");
        QTest::addColumn<double>("window");
        QTest::newRow("15 s") << 15.0 << 60.0;
        QTest::newRow("30 s") << 30.0 << 120.0;
        QTest::newRow("60 s") << 60.0 << 240.0;
    }

    /// What faults cost, alone and where they overlap, within a tenth.
    void costs() {
        QFETCH(double, step);
        QFETCH(double, window);
        SyntheticCluster cluster;
        cluster.step = step;
        cluster.rateWindow = window;
        cluster.troubles = {{Kind::straggler, 2, 3, 1800, 3000, 1.3},
                            {Kind::retransmits, 5, 0, 4000, 4900, 0.06}};
        const double quiet = cluster.stepTime;
        HealthContext context;
        context.dollarsPerHour = 3600;
        std::vector<Finding> findings = judged(cluster, context);
        const Finding* slow = only(findings, FaultKind::straggler);
        const Finding* network = only(findings, FaultKind::efaRetransmits);
        QVERIFY2(slow != nullptr && network != nullptr && slow->cost && network->cost, told(findings));
        // Checkpoints take their share of the time whether a fault is on or not; the loss is of the steps.
        const double slowTruth = 1200 * (1 - 1 / 1.27), networkTruth = 900 * (1 - 1 / 1.06);
        QVERIFY2(near(slow->cost->seconds, slowTruth, 0.1 * slowTruth), told(findings));
        QVERIFY2(near(network->cost->seconds, networkTruth, 0.1 * networkTruth), told(findings));
        QVERIFY(near(slow->cost->steps, slow->cost->seconds / quiet, 0.5));
        QCOMPARE(*slow->cost->dollars, slow->cost->seconds);
        // Overlapping: each second is counted once, and each fault gets what it takes alone.
        cluster.troubles[1].start = 2400;
        cluster.troubles[1].end = 4200;
        findings = judged(cluster, context);
        slow = only(findings, FaultKind::straggler);
        network = only(findings, FaultKind::efaRetransmits);
        QVERIFY2(slow != nullptr && network != nullptr && slow->cost && network->cost, told(findings));
        const double both = 600 * (1 - 1 / 1.27) + 600 * (1 - 1 / (1.27 * 1.06)) + 1200 * (1 - 1 / 1.06);
        QVERIFY2(near(slow->cost->seconds + network->cost->seconds, both, 0.1 * both), told(findings));
        QVERIFY2(near(slow->cost->seconds, slowTruth, 0.12 * slowTruth), told(findings));
    }

    void aHangCostsItsTimeOnce() {
        SyntheticCluster cluster;
        cluster.troubles = {{Kind::hang, 0, 0, 4200, 4500}, {Kind::straggler, 2, 3, 4000, 5000, 1.3}};
        const std::vector<Finding> findings = judged(cluster);
        const Finding* hang = only(findings, FaultKind::stall);
        const Finding* slow = only(findings, FaultKind::straggler);
        QVERIFY2(hang != nullptr && slow != nullptr && hang->cost && slow->cost, told(findings));
        QVERIFY2(hang->title.find("hang, then restart") != std::string::npos, told(findings));
        QVERIFY2(hang->cost->seconds > 400 && hang->cost->seconds < 450 + 280, told(findings));
        const double slowTruth = 550 * (1 - 1 / 1.27);
        QVERIFY2(near(slow->cost->seconds, slowTruth, 0.2 * slowTruth), told(findings));
    }

    void faultsOfSparesCostNothing() {
        SyntheticCluster cluster;
        cluster.spares = 2;
        cluster.troubles = {{Kind::lostGpu, 7, 6, 3000}, {Kind::xid, 6, 1, 4200, 1e9, 0, 79}};
        const std::vector<Finding> findings = judged(cluster);
        QVERIFY2(findings.size() == 2, told(findings));
        QVERIFY(!findings[0].cost && !findings[1].cost);
    }

    void whomToReplaceFirst() {
        SyntheticCluster cluster;
        cluster.troubles = {{Kind::lostGpu, 5, 6, 3000},
                            {Kind::xid, 4, 2, 5400, 1e9, 0, 94, true},
                            {Kind::straggler, 2, 3, 1800, 3000, 1.3}};
        const std::vector<NodeRank> ranks = replaceFirst(judged(cluster));
        QCOMPARE(ranks.size(), 1u);
        QCOMPARE(ranks.front().host, std::string("gpu-0006"));
        QCOMPARE(ranks.front().action, HealthAction::replaceNode);
    }

    void presetsDisagreeOpenly() {
        SyntheticCluster cluster;
        cluster.hours = 1;
        cluster.troubles = {{Kind::xid, 1, 2, 900, 1e9, 0, 94}};
        HealthPolicy strict = plainPolicy(), same = plainPolicy(), silent = plainPolicy();
        strict.id = "strict";
        strict.name = "Strict";
        strict.rules.front().action = HealthAction::replaceNode;
        same.id = "same";
        silent.id = "silent";
        silent.rules.clear();
        const std::vector<Finding> findings =
            judgeHealth(cluster.observe(), plainPolicy(), {plainPolicy(), strict, same, silent});
        QCOMPARE(findings.size(), 1u);
        QCOMPARE(findings.front().title, std::string("gpu-0002, GPU 2: XID 94, contained memory error"));
        QCOMPARE(findings.front().otherAdvice, std::vector<std::string>{"Strict: replace the node"});
        QCOMPARE(judgeHealth(cluster.observe(), strict).front().action, HealthAction::replaceNode);
    }

    void rulesOfCodesGoBeforeThoseOfKinds() {
        HealthPolicy policy = plainPolicy();
        policy.rules.push_back({FaultKind::xid, 0, HealthAction::resetGpu, "any", "Reset.", "test"});
        QCOMPARE(ruleFor(policy, FaultKind::xid, 94).action, HealthAction::restartJob);
        QCOMPARE(ruleFor(policy, FaultKind::xid, 48).action, HealthAction::resetGpu);
        QCOMPARE(ruleFor(policy, FaultKind::thermal, 0).action, HealthAction::watch);
    }

    /// The straggler's row stands out of the map at its time, and no other row does.
    void theMapShowsTheStraggler() {
        for (const bool ownTimes : {true, false}) {
            SyntheticCluster cluster;
            cluster.ownTimes = ownTimes;
            cluster.troubles = {{Kind::straggler, 2, 3, 1800, 3000, 1.3}};
            const NodeMap map = relativeNodeTimes(cluster.observe());
            const std::size_t points = 240;
            QCOMPARE(map.values.size(), map.hosts.size() * points);
            int loud = 0;
            for (std::size_t host = 0; host < map.hosts.size(); ++host) {
                for (std::size_t i = 0; i < points; ++i) {
                    const double t = 30.0 * static_cast<double>(i), value = map.values[host * points + i];
                    const bool slow = host == 2 && t >= 1800 && t < 3000;
                    loud += slow && value > 1.2;
                    QVERIFY2(slow || !std::isfinite(value) || std::abs(value - 1) < 0.08,
                             qPrintable(QStringLiteral("host %1 at %2: %3").arg(host).arg(t).arg(value)));
                }
            }
            QVERIFY2(loud >= 34, QByteArray::number(loud)); // of 40: all clocks are alike in checkpoints
        }
    }
};

QTEST_APPLESS_MAIN(TestHealth)

} // namespace tst_health

#include "tst_health.moc"
