// SPDX-License-Identifier: GPL-3.0-or-later
// How signs of faults become findings: their words, what policies ask for, their order, and which node goes
// first.
#include "model/observation/finding_marks.h"
#include "model/observation/health_policy.h"
#include "tests/model/hand_made_cluster.h"

#include <QTest>

#include <cmath>

namespace tst_findings {

using namespace alidade;
using namespace alidade::tests;

namespace {

/// Twenty minutes of hosts a, b and c with two GPUs each.
HandMade quiet() {
    HandMade out(20);
    for (const char* host : {"a", "b", "c"})
        for (int gpu = 0; gpu < 2; ++gpu)
            out.flat(Signal::gpuTemperature, {host, gpu, {}}, 60);
    return out;
}

QByteArray told(const std::vector<Finding>& findings) {
    QByteArray out;
    for (const Finding& each : findings) {
        out += QByteArray::fromStdString(each.title + " | " + each.evidence) + " | " +
               QByteArray::number(each.start - handMadeStart) + ".." +
               (each.end ? QByteArray::number(*each.end - handMadeStart) : QByteArray()) + '\n';
    }
    return out;
}
QByteArray judged(const HandMade& cluster, const HealthPolicy& policy = {}) {
    return told(judgeHealth(cluster.observation, policy));
}

JobStop stopAt(std::size_t begin, std::size_t end, double hung, bool gone, bool lasts = false) {
    JobStop out;
    out.span = {begin, end, end - begin};
    out.start = handMadeStart + 60 * static_cast<double>(begin) - 20;
    out.end = handMadeStart + 60 * static_cast<double>(end) - 30;
    out.hung = hung;
    out.processGone = gone;
    out.lasts = lasts;
    return out;
}

Finding of(const char* host, HealthAction action, double seconds, int times, const char* title) {
    Finding out;
    out.where.host = host;
    out.action = action;
    out.times = times;
    out.title = title;
    if (seconds > 0)
        out.cost = FaultCost{seconds, 0, 0, {}};
    return out;
}

} // namespace

/// Findings as a person reads them.
class TestFindings : public QObject {
    Q_OBJECT

private slots:
    void titlesOfCodes() {
        HandMade cluster = quiet();
        cluster.row(Signal::xid, {"a", 0, {}}, runs({{5, 0}, {1, 94}, {1, 0}, {2, 94}, {11, 0}}));
        cluster.row(Signal::xid, {"b", 1, {}}, runs({{20, 13}}));
        HealthPolicy policy;
        QCOMPARE(judged(cluster, policy),
                 QByteArray("b, GPU 1: XID 13 | Since before the observed time | 0..\n"
                            "a, GPU 0: XID 94 | 2 times | 300..480\n"));
        policy.rules = {{FaultKind::xid, 94, HealthAction::watch, "contained", "Restart.", {}},
                        {FaultKind::xid, 0, HealthAction::watch, "any code", "Look.", {}}};
        QCOMPARE(judged(cluster, policy),
                 QByteArray("b, GPU 1: XID 13 | Since before the observed time | 0..\n"
                            "a, GPU 0: XID 94, contained | 2 times | 300..480\n"));
        policy.rules.front().meaning.clear();
        QVERIFY(judged(cluster, policy).contains("a, GPU 0: XID 94 |"));
        const std::vector<Finding> findings = judgeHealth(cluster.observation, policy);
        QCOMPARE(findings[0].advice, std::string("Look."));
        QCOMPARE(findings[1].advice, std::string("Restart."));
        QCOMPARE(findings[1].times, 2);
        QVERIFY(findings[0].before && !findings[1].before && findings[1].code == 94);
    }

    void titlesOfOtherFaults() {
        HandMade cluster = quiet();
        cluster.set(Signal::gpuTemperature, {"a", 1, {}}, 10, 20, none);
        for (const char* host : {"a", "b", "c"}) {
            cluster.flat(Signal::targetUp, {host, -1, "dcgm"}, 1)
                .flat(Signal::targetUp, {host, -1, "node"}, 1);
            cluster.flat(Signal::rowRemapFailure, {host, 0, {}}, 0)
                .flat(Signal::rowRemapPending, {host, 0, {}}, 0);
            cluster.flat(Signal::rowsRemappedCorrectable, {host, 0, {}}, 7);
        }
        cluster.flat(Signal::targetUp, {"c", -1, "slurm"}, 1)
            .set(Signal::targetUp, {"c", -1, "slurm"}, 2, 4, 0);
        cluster.set(Signal::targetUp, {"c", -1, "dcgm"}, 4, 6, 0)
            .set(Signal::targetUp, {"c", -1, "node"}, 4, 6, 0);
        cluster.row(Signal::bootTime, {"b", -1, {}},
                    runs({{5, handMadeStart - 1000}, {15, handMadeStart + 290}}));
        cluster.set(Signal::rowRemapFailure, {"a", 0, {}}, 6, 7, 1);
        cluster.set(Signal::rowRemapPending, {"b", 0, {}}, 7, 8, 1);
        cluster.set(Signal::rowsRemappedCorrectable, {"c", 0, {}}, 8, 20, 8);
        cluster.flat(Signal::eccDoubleBit, {"b", 1, {}}, 0).set(Signal::eccDoubleBit, {"b", 1, {}}, 9, 10, 1);
        QCOMPARE(judged(cluster),
                 QByteArray(
                     "c: no metrics of slurm | The exporter is silent | 120..180\n"
                     "c: no metrics | All 2 exporters are silent | 240..300\n"
                     "b: rebooted |  | 290..300\n"
                     "a, GPU 0: row remap failed | Row remap failed | 360..360\n"
                     "b, GPU 0: row remap pending | Row remap pending | 420..420\n"
                     "c, GPU 0: rows remapped | 1 row remapped after corrected errors, 8 in all | 480..480\n"
                     "b, GPU 1: double-bit ECC errors | 1 double-bit error | 540..540\n"
                     "a, GPU 1: lost | 1 of 2 GPUs answer | 600..\n"));
    }

    /// The hardest action first, then the earliest; presets that ask for something else say so.
    void policiesDisagree() {
        HandMade cluster = quiet();
        cluster.row(Signal::xid, {"a", 0, {}}, runs({{5, 0}, {15, 94}}));
        cluster.row(Signal::xid, {"b", 0, {}}, runs({{3, 0}, {17, 13}}));
        cluster.row(Signal::xid, {"c", 0, {}}, runs({{7, 0}, {13, 31}}));
        const auto preset = [](const char* id, std::vector<HealthRule> rules) {
            HealthPolicy out;
            out.id = id;
            out.name = "The " + std::string(id);
            out.rules = std::move(rules);
            return out;
        };
        const HealthRule any{FaultKind::xid, 0, HealthAction::resetGpu, {}, {}, {}},
            of94{FaultKind::xid, 94, HealthAction::replaceNode, {}, {}, {}},
            other{FaultKind::power, 94, HealthAction::replaceNode, {}, {}, {}};
        const HealthPolicy mine =
            preset("mine", {{FaultKind::xid, 94, HealthAction::restartJob, {}, {}, {}}});
        const std::vector<Finding> findings =
            judgeHealth(cluster.observation, mine,
                        {preset("general", {any}), preset("strict", {any, of94}), preset("mine", {of94}),
                         preset("same", {{FaultKind::xid, 94, HealthAction::restartJob, {}, {}, {}}}),
                         preset("silent", {other})});
        QCOMPARE(findings.size(), std::size_t{3});
        QCOMPARE(findings[0].code, 94);
        QCOMPARE(findings[1].code, 13);
        QCOMPARE(findings[2].code, 31);
        QCOMPARE(findings[0].otherAdvice, std::vector<std::string>{"The strict: replace the node"});
        QVERIFY(findings[1].otherAdvice.empty()); // a rule of every code says nothing of this one
        HandMade lost = quiet();
        lost.set(Signal::gpuTemperature, {"a", 1, {}}, 10, 20, none);
        const std::vector<Finding> without =
            judgeHealth(lost.observation, mine,
                        {preset("p", {{FaultKind::missingGpu, 0, HealthAction::rebootNode, {}, {}, {}}})});
        QCOMPARE(without.front().otherAdvice, std::vector<std::string>{"The p: reboot the node"});
        QCOMPARE(without.front().advice, std::string("Watch it."));
    }

    void rulesOfPolicies() {
        HealthPolicy policy;
        policy.rules = {{FaultKind::power, 94, HealthAction::ignore, {}, {}, {}},
                        {FaultKind::xid, 0, HealthAction::resetGpu, {}, {}, {}},
                        {FaultKind::xid, 94, HealthAction::restartJob, {}, {}, {}}};
        QCOMPARE(findRule(policy, FaultKind::xid, 94)->action, HealthAction::restartJob);
        QCOMPARE(findRule(policy, FaultKind::xid, 13)->action, HealthAction::resetGpu);
        QVERIFY(findRule(policy, FaultKind::thermal, 94) == nullptr &&
                findRule(policy, FaultKind::power, 13) == nullptr);
        const HealthRule none = ruleFor(policy, FaultKind::thermal, 5);
        QVERIFY(none.kind == FaultKind::thermal && none.code == 0 && none.action == HealthAction::watch);
        QCOMPARE(none.meaning, std::string("thermal throttling"));
        for (const auto& [action, level] :
             {std::pair(HealthAction::ignore, "none"), std::pair(HealthAction::watch, "watch"),
              std::pair(HealthAction::restartJob, "soon"), std::pair(HealthAction::resetGpu, "now"),
              std::pair(HealthAction::replaceNode, "now")})
            QCOMPARE(levelName(levelOf(action)), std::string_view(level));
    }

    /// Nodes to reset at least, by the hardest of their findings, then by cost, then by number.
    void whomToReplaceFirst() {
        using enum HealthAction;
        const std::vector<NodeRank> ranks = replaceFirst(
            {of("a", watch, 900, 9, "a1"), of("b", resetGpu, 10, 1, "b1"), of("c", resetGpu, 0, 2, "c1"),
             of("d", resetGpu, 0, 3, "d1"), of("e", restartJob, 5, 1, "e1"), of("b", restartJob, 20, 1, "b2"),
             of("e", replaceNode, 0, 1, "e2"), of("", replaceNode, 5, 1, "job"),
             of("b", resetGpu, 0, 2, "b3")});
        QStringList said;
        for (const NodeRank& each : ranks)
            said +=
                QStringLiteral("%1 %2 %3 s x%4: %5")
                    .arg(QString::fromStdString(each.host), QString::fromUtf8(actionName(each.action).data()))
                    .arg(each.seconds)
                    .arg(each.findings)
                    .arg(QString::fromStdString(each.why));
        QCOMPARE(said.join(u'\n'),
                 QStringLiteral("e replace_node 5 s x2: e2; e1\nb reset_gpu 30 s x4: b1; b2; b3\n"
                                "d reset_gpu 0 s x3: d1\nc reset_gpu 0 s x2: c1"));
    }

    void keysOfMarks() {
        Finding finding;
        finding.kind = FaultKind::xid;
        finding.code = 94;
        finding.where = {"gpu-0031", 0, {}};
        QCOMPARE(markKey(finding), std::string("xid 94 gpu-0031 0"));
        finding.kind = FaultKind::efaRetransmits;
        finding.code = 0;
        finding.where = {"gpu-0031", -1, "rdmap7"};
        QCOMPARE(markKey(finding), std::string("efa_retransmits gpu-0031 rdmap7"));
        finding.kind = FaultKind::stall;
        finding.where = {};
        QCOMPARE(markKey(finding), std::string("stall job"));
        FindingMark mark;
        QVERIFY(mark.isEmpty() && !isMuted(mark, 100));
        mark.mutedUntil = 100.5;
        QVERIFY(!mark.isEmpty() && isMuted(mark, 100) && !isMuted(mark, 100.5));
        QVERIFY(!FindingMark{.acknowledged = true}.isEmpty() && !FindingMark{.note = "x"}.isEmpty());
    }

    void stopsOfTheJob() {
        HandMade cluster = quiet();
        Detection detection(cluster);
        detection.job.stops = {stopAt(2, 4, 0, false),        stopAt(2, 4, 30, false),
                               stopAt(2, 4, 59, true),        stopAt(2, 4, 60, true),
                               stopAt(2, 4, 60, true, true),  stopAt(2, 4, 0, true, true),
                               stopAt(5, 20, 95, false, true)};
        // 110 s long; those that hang for less than a minute are restarts.
        QCOMPARE(tests::told(detection.found(findJobFaults)),
                 QByteArray("stall job [2,4)x2 100..210 <stalled> stop 0: no step for 2 min\n"
                            "stall job [2,4)x2 100..210 <hang> stop 1: GPUs busy without work or traffic for "
                            "30 s; no step for 2 min\n"
                            "restart job [2,4)x2 100..210 <restart> stop 2: GPUs busy without work or "
                            "traffic for 59 s; no step for 2 min\n"
                            "stall job [2,4)x2 100..210 <hang, then restart> stop 3: GPUs busy without work "
                            "or traffic for 60 s; no step for 2 min\n"
                            "stall job [2,4)x2 100..210 <hang, then the end of its processes> stop 4: GPUs "
                            "busy without work or traffic for 60 s; no step for 2 min\n"
                            "restart job [2,4)x2 100..210 <down> stop 5: no step for 2 min\n"
                            "stall job [5,20)x15 280..1170 lasts <hang> stop 6: GPUs busy without work or "
                            "traffic for 2 min; no step for 15 min\n"));
    }

    /// More than a point of work that is done again is told.
    void workThatIsDoneAgain() {
        const auto said = [](std::size_t saved) {
            HandMade cluster = quiet();
            for (const char* host : {"a", "b", "c"})
                for (int gpu = 0; gpu < 2; ++gpu) {
                    cluster.flat(Signal::tensorActive, {host, gpu, {}}, 0.4)
                        .flat(Signal::memoryUsed, {host, gpu, {}}, 70e9);
                    cluster.set(Signal::tensorActive, {host, gpu, {}}, 10, 14, 0)
                        .set(Signal::memoryUsed, {host, gpu, {}}, 10, 14, 0);
                }
            cluster.flat(Signal::stepTime, {}, 6).set(Signal::stepTime, {}, 10, 14, none);
            cluster.flat(Signal::checkpointShare, {}, 0)
                .set(Signal::checkpointShare, {}, saved, saved + 1, 0.5);
            return judged(cluster);
        };
        // A checkpoint of 30 s from 30 s before point 8: it ends 120 s before the stop; at point 9 it is 60
        // s.
        QCOMPARE(
            said(8),
            QByteArray("Job: restart | No step for 4 min, the last 2 min before it, since the checkpoint, "
                       "done again | 600..810\n"));
        QCOMPARE(said(9), QByteArray("Job: restart | No step for 4 min | 600..810\n"));
    }

    /// A loss that is missing while the job tells its step times: two minutes of points, three of a fine
    /// grid.
    void lossThatIsNoNumber() {
        const auto bad = [](std::size_t begin, std::size_t end, double value, double step = 60) {
            HandMade cluster(40, step);
            cluster.flat(Signal::gpuTemperature, {"a", 0, {}}, 60).flat(Signal::stepTime, {}, 6);
            cluster.flat(Signal::loss, {}, 2).set(Signal::loss, {}, begin, end, value);
            return tests::told(Detection(cluster).found(findJobFaults));
        };
        QCOMPARE(bad(10, 12, none),
                 QByteArray("bad_loss job [10,12)x2 600..660: the job reports step times but no loss\n"));
        QCOMPARE(bad(10, 11, none), QByteArray());
        QCOMPARE(bad(10, 12, none, 59), QByteArray());
        QVERIFY(!bad(10, 13, none, 59).isEmpty());
        QCOMPARE(bad(10, 11, HUGE_VAL),
                 QByteArray("bad_loss job [10,11)x1 600..600: the loss is infinite\n"));
        QCOMPARE(bad(10, 11, -HUGE_VAL),
                 QByteArray("bad_loss job [10,11)x1 600..600: the loss is infinite\n"));
        QCOMPARE(bad(0, 30, none), QByteArray()); // it begins later
        QCOMPARE(bad(0, 40, none), QByteArray());
        QCOMPARE(
            bad(1, 40, none),
            QByteArray("bad_loss job [1,40)x39 60..2340 lasts: the job reports step times but no loss\n"));
    }

    /// Of gaps a longer one tells: with 4 of the other 36 points missing ln(0.001 / 40) / ln(4 / 36) = 4.8.
    void lossAmongGaps() {
        HandMade cluster(40);
        cluster.flat(Signal::gpuTemperature, {"a", 0, {}}, 60)
            .flat(Signal::stepTime, {}, 6)
            .flat(Signal::loss, {}, 2);
        for (const std::size_t at : {2, 20, 25, 30})
            cluster.set(Signal::loss, {}, at, at + 1, none);
        cluster.set(Signal::loss, {}, 10, 14, none);
        QCOMPARE(tests::told(Detection(cluster).found(findJobFaults)), QByteArray());
        cluster.set(Signal::loss, {}, 14, 15, none);
        QCOMPARE(tests::told(Detection(cluster).found(findJobFaults)).count("[10,15)x5"), 1);
    }

    /// A job that tells nothing tells no loss; of what is told at the moment itself the last step goes first.
    void lossOfASilentJob() {
        HandMade cluster(40);
        cluster.flat(Signal::gpuTemperature, {"a", 0, {}}, 60)
            .flat(Signal::stepTime, {}, 6)
            .flat(Signal::loss, {}, 2);
        cluster.set(Signal::loss, {}, 10, 30, none);
        cluster.set(Signal::stepTime, {}, 10, 30, none);
        QCOMPARE(tests::told(Detection(cluster).found(findJobFaults)), QByteArray());
        cluster.set(Signal::stepTime, {}, 10, 30, 6);
        cluster.set(Signal::stepTime, {}, 19, 21, none); // two points that tell nothing do not end it
        QVERIFY(tests::told(Detection(cluster).found(findJobFaults)).startsWith("bad_loss job [10,30)x18"));
        cluster.set(Signal::stepTime, {}, 19, 22, none);
        QVERIFY(tests::told(Detection(cluster).found(findJobFaults)).startsWith("bad_loss job [10,19)x9"));
        cluster.set(Signal::stepTime, {}, 10, 30, 6);
        cluster.flat(Signal::lastStep, {}, none).flat(Signal::lastStep, {"x", -1, {}}, none);
        for (std::size_t i = 0; i < 40; ++i)
            if (i < 10 || i >= 30)
                cluster.set(Signal::lastStep, {"x", -1, {}}, i, i + 1,
                            handMadeStart + 60 * static_cast<double>(i));
        QCOMPARE(tests::told(Detection(cluster).found(findJobFaults)), QByteArray());
        cluster.set(Signal::lastStep, {"x", -1, {}}, 10, 13, handMadeStart + 600);
        QVERIFY(tests::told(Detection(cluster).found(findJobFaults)).contains("bad_loss job [10,13)x3"));
    }
};

QTEST_APPLESS_MAIN(TestFindings)

} // namespace tst_findings

#include "tst_findings.moc"
