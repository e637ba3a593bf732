// SPDX-License-Identifier: GPL-3.0-or-later
// Which signs of faults have one cause: pairs of them at all distances around the limits.
#include "tests/model/hand_made_cluster.h"

#include <QTest>

namespace tst_health_story {

using namespace alidade;
using namespace alidade::tests;

namespace {

using enum FaultKind;

const Entity gpu0{"a", 0, {}}, gpu1{"a", 1, {}}, nodeA{"a", -1, {}}, nodeB{"b", -1, {}}, job{};

Evidence sign(FaultKind kind, const Entity& where, double start, double last,
              std::vector<std::string> facts = {}) {
    Evidence out;
    out.kind = kind;
    out.where = where;
    out.start = handMadeStart + start;
    out.last = handMadeStart + last;
    out.facts = std::move(facts);
    return out;
}
Evidence code(int code, const Entity& where, double start, double last) {
    Evidence out = sign(xid, where, start, last);
    out.code = code;
    return out;
}
Evidence remap(int code, const Entity& where, double start, double last) {
    Evidence out = sign(rowRemap, where, start, last, {"rows"});
    out.code = code;
    return out;
}
Evidence reboot(const Entity& where, double start, double last) {
    Evidence out = sign(missingTarget, where, start, last);
    out.what = "rebooted";
    return out;
}
Evidence stopped(FaultKind kind, double start, double last, std::size_t index = 0) {
    Evidence out = sign(kind, job, start, last);
    out.stops = {index};
    return out;
}
Evidence before(Evidence of) {
    of.before = true;
    return of;
}
Evidence lasting(Evidence of) {
    of.lasts = true;
    return of;
}

/// Hosts a and b train, s serves. Points are a minute apart, so that 120 s and one point are the same moment.
/// Stops: 0 restarted after 5 min, 1 stalled for 5 min, 2 lasts; all begin at 6,000 s.
QByteArray story(EvidenceList evidence) {
    HandMade of(300);
    for (const char* host : {"a", "b", "s"})
        of.flat(Signal::gpuTemperature, {host, 0, {}}, 60);
    of.flat(Signal::requestsRunning, {"s", -1, {}}, 1);
    Detection detection(of);
    JobStop stop;
    stop.start = handMadeStart + 6000;
    stop.end = handMadeStart + 6300;
    detection.job.stops.assign(3, stop);
    detection.job.stops[0].processGone = true;
    detection.job.stops[2].lasts = true;
    tellStories(detection.view(), evidence);
    return told(evidence).replace(" [0,0)x0", "");
}

/// Both signs are told.
bool apart(const Evidence& a, const Evidence& b) { return story({a, b}).count('\n') == 2; }

} // namespace

/// Signs of one cause become one finding.
class TestHealthStory : public QObject {
    Q_OBJECT

private slots:
    void oneCodeOnGpusOfANode() {
        QCOMPARE(story({code(94, gpu1, 780, 800), lasting(code(94, gpu0, 600, 700))}),
                 QByteArray("xid 94 a 600..700 lasts\n"));
        QCOMPARE(story({code(94, gpu0, 600, 700), lasting(code(94, gpu1, 780, 800))}),
                 QByteArray("xid 94 a 600..700 lasts\n"));
        QVERIFY(apart(code(94, gpu0, 600, 700), code(94, gpu1, 781, 800)));
        QVERIFY(apart(code(94, gpu0, 600, 700), code(95, gpu1, 600, 700)));
        QVERIFY(apart(code(94, gpu0, 600, 700), code(94, gpu0, 600, 700)));
        QVERIFY(apart(code(94, gpu0, 600, 700), code(94, {"b", 1, {}}, 600, 700)));
        QVERIFY(apart(before(code(94, gpu0, 600, 700)), code(94, gpu1, 600, 700)));
    }

    void codesThatFollowAnother() {
        for (const int late : {43, 45, 63})
            QCOMPARE(story({code(79, gpu0, 1000, 1100), code(late, gpu0, 1900, 2000)}),
                     QByteArray("xid 79 a 0 1000..1100: then XID " + QByteArray::number(late) + '\n'));
        QVERIFY(!apart(code(79, gpu0, 1000, 1100), code(43, gpu0, 820, 1100)));
        QVERIFY(apart(code(79, gpu0, 1000, 1100), code(43, gpu0, 819, 1100)));
        QVERIFY(apart(code(79, gpu0, 1000, 1100), code(43, gpu0, 1901, 2000)));
        QVERIFY(apart(code(79, gpu0, 1000, 1100), code(44, gpu0, 1100, 2000)));
        QVERIFY(apart(code(45, gpu0, 1000, 1100), code(43, gpu0, 1100, 2000)));
        QVERIFY(apart(code(79, gpu0, 1000, 1100), code(43, gpu1, 1100, 2000)));
    }

    void silenceAndANewBootTime() {
        QCOMPARE(story({sign(missingTarget, nodeA, 2000, 2100, {"silent"}), reboot(nodeA, 3000, 3000)}),
                 QByteArray("missing_target a 2000..2100 <rebooted>: silent\n"));
        QVERIFY(apart(sign(missingTarget, nodeA, 2000, 2100), reboot(nodeA, 3001, 3001)));
        QVERIFY(!apart(sign(missingTarget, nodeA, 2000, 2100), reboot(nodeA, 1000, 1100)));
        QVERIFY(apart(sign(missingTarget, nodeA, 2000, 2100), reboot(nodeA, 1000, 1099)));
        QVERIFY(apart(sign(missingTarget, nodeA, 2000, 2100), reboot(nodeB, 2000, 2000)));
        QVERIFY(apart(sign(missingTarget, nodeA, 2000, 2100), sign(missingTarget, nodeA, 2000, 2000)));
        QVERIFY(apart(reboot(nodeA, 2000, 2000), reboot(nodeA, 2000, 2000)));
        QVERIFY(apart(sign(thermal, nodeA, 2000, 2100), reboot(nodeA, 2000, 2000)));
    }

    void memoryOfACode() {
        const Evidence leading = code(94, gpu0, 2000, 2100);
        QCOMPARE(story({leading, sign(doubleBitErrors, gpu0, 2900, 2900, {"1 error", "more"})}),
                 QByteArray("xid 94 a 0 2000..2100: 1 error\n"));
        QCOMPARE(story({leading, sign(doubleBitErrors, gpu0, 1100, 1100)}),
                 QByteArray("xid 94 a 0 2000..2100\n"));
        QVERIFY(apart(leading, sign(doubleBitErrors, gpu0, 2901, 2901)));
        QVERIFY(apart(leading, sign(doubleBitErrors, gpu0, 1099, 1099)));
        QVERIFY(apart(leading, sign(doubleBitErrors, gpu1, 2000, 2000)));
        QVERIFY(!apart(leading, remap(0, gpu0, 2000, 2000)));
        QVERIFY(!apart(leading, remap(remapPending, gpu0, 2000, 2000)));
        QVERIFY(apart(leading, remap(remapFailed, gpu0, 2000, 2000)));
        QVERIFY(apart(leading, sign(singleBitErrors, gpu0, 2000, 2000)));
    }

    void memoryWithoutACode() {
        const Evidence errors = sign(doubleBitErrors, gpu0, 2000, 2100);
        QCOMPARE(story({errors, remap(0, gpu0, 2900, 2900)}),
                 QByteArray("double_bit_errors a 0 2000..2100: rows\n"));
        QVERIFY(!apart(errors, remap(remapPending, gpu0, 1100, 1100)));
        QVERIFY(apart(errors, remap(remapPending, gpu0, 1099, 5000)));
        QVERIFY(apart(errors, remap(0, gpu0, 2901, 2901)));
        QVERIFY(apart(errors, remap(0, gpu1, 2000, 2000)));
        QVERIFY(apart(errors, remap(remapFailed, gpu0, 2000, 2000)));
        QCOMPARE(story({remap(remapFailed, gpu0, 2000, 2000), remap(remapPending, gpu0, 2000, 2000)}),
                 QByteArray("row_remap 1 a 0 2000..2000: rows; rows\n"));
        QVERIFY(!apart(remap(remapPending, gpu0, 2000, 2000), remap(0, gpu0, 2000, 2000)));
        QVERIFY(apart(remap(0, gpu0, 2000, 2000), remap(0, gpu0, 2000, 2000)));
        // Corrected errors take the rows that were remapped for them, however long they grow.
        const Evidence corrected = sign(singleBitErrors, gpu0, 2000, 9000);
        QCOMPARE(story({corrected, remap(0, gpu0, 9900, 9900)}),
                 QByteArray("single_bit_errors a 0 2000..9000: rows\n"));
        QVERIFY(apart(corrected, remap(0, gpu0, 9901, 9901)));
        QVERIFY(!apart(corrected, remap(0, gpu0, 1000, 1100)));
        QVERIFY(apart(corrected, remap(0, gpu0, 1000, 1099)));
        QVERIFY(apart(corrected, remap(remapPending, gpu0, 2000, 2000)));
        QVERIFY(apart(sign(thermal, gpu0, 2000, 2000), remap(0, gpu0, 2000, 2000)));
    }

    void aGpuThatACodeHasTaken() {
        const Evidence leading = code(79, gpu0, 2000, 2100);
        QCOMPARE(story({leading, lasting(sign(missingGpu, gpu0, 3800, 4000, {"7 of 8"}))}),
                 QByteArray("xid 79 a 0 2000..2100 lasts: the GPU no longer responds: 7 of 8\n"));
        QVERIFY(apart(leading, sign(missingGpu, gpu0, 3801, 4000, {"7"})));
        QCOMPARE(story({leading, sign(missingGpu, gpu0, 1820, 4000, {"7"})}),
                 QByteArray("xid 79 a 0 2000..2100: the GPU no longer responds: 7\n"));
        QVERIFY(apart(leading, sign(missingGpu, gpu0, 1819, 4000, {"7"})));
        QVERIFY(apart(leading, sign(missingGpu, gpu1, 2000, 4000, {"7"})));
        QVERIFY(apart(sign(doubleBitErrors, gpu0, 2000, 2100), sign(missingGpu, gpu0, 2000, 4000, {"7"})));
    }

    void rebootsAfterACause() {
        const Evidence leading = lasting(code(79, gpu0, 2000, 2100));
        // The code ends with the reboot, a point after it.
        QCOMPARE(story({leading, reboot(nodeA, 3800, 3800)}),
                 QByteArray("xid 79 a 0 2000..3860: node rebooted, 60 s without metrics\n"));
        Evidence silent = reboot(nodeA, 2600, 3200);
        QCOMPARE(story({leading, silent}),
                 QByteArray("xid 79 a 0 2000..3260: node rebooted, 10 min without metrics\n"));
        QVERIFY(apart(leading, reboot(nodeA, 3801, 3801)));
        QVERIFY(!apart(leading, reboot(nodeA, 1820, 1820)));
        QVERIFY(apart(leading, reboot(nodeA, 1819, 1819)));
        QVERIFY(apart(leading, reboot(nodeB, 2000, 2000)));
        QVERIFY(apart(before(leading), reboot(nodeA, 2000, 2000)));
        QCOMPARE(story({leading, sign(missingTarget, nodeA, 2600, 2900)}),
                 QByteArray("xid 79 a 0 2000..2900 lasts: then its exporters stopped responding\n"));
        QCOMPARE(story({leading, sign(missingTarget, nodeA, 2000, 2050)}),
                 QByteArray("xid 79 a 0 2000..2100 lasts: then its exporters stopped responding\n"));
        QVERIFY(apart(leading, sign(missingTarget, nodeA, 2601, 2900)));
        QVERIFY(apart(leading, sign(missingTarget, {"a", -1, "slurm"}, 2600, 2900)));
        QVERIFY(!apart(sign(doubleBitErrors, gpu0, 2000, 2100), reboot(nodeA, 2500, 2500)));
        QVERIFY(!apart(sign(missingGpu, gpu0, 2000, 2100), reboot(nodeA, 2500, 2500)));
        QVERIFY(apart(sign(thermal, gpu0, 2000, 2100), reboot(nodeA, 2500, 2500)));
    }

    void slownessOfOneNode() {
        const Evidence slow = sign(straggler, nodeA, 2000, 3000, {"slow"});
        QCOMPARE(story({slow, sign(thermal, gpu1, 1900, 2500)}),
                 QByteArray("straggler a 1 1900..3000: slow; thermal violation\n"));
        QCOMPARE(story({sign(straggler, nodeA, 2000, 3000, {"thermal violation"}),
                        sign(thermal, gpu1, 2400, 2500)}),
                 QByteArray("straggler a 1 2000..3000: thermal violation\n"));
        QCOMPARE(story({slow, sign(power, gpu1, 3360, 3500)}),
                 QByteArray("straggler a 1 2000..3000: slow\n"));
        QVERIFY(apart(slow, sign(power, gpu1, 3361, 3500)));
        QVERIFY(!apart(slow, sign(power, gpu1, 1000, 1640)));
        QVERIFY(apart(slow, sign(power, gpu1, 1000, 1639)));
        QVERIFY(apart(slow, sign(power, {"b", 1, {}}, 2000, 3000)));
        QVERIFY(apart(sign(straggler, gpu0, 2000, 3000), sign(power, gpu1, 2000, 3000)));
        QVERIFY(!apart(sign(straggler, gpu0, 2000, 3000), sign(power, gpu0, 2000, 3000)));
        QVERIFY(!apart(sign(straggler, gpu0, 2000, 3000), sign(power, nodeA, 2000, 3000)));
        QVERIFY(apart(slow, sign(efaRetransmits, nodeA, 2000, 3000)));
        QVERIFY(apart(sign(straggler, job, 2000, 3000), sign(power, job, 2000, 3000)));
        // Of two stragglers the longer one leads.
        QCOMPARE(story({sign(straggler, gpu0, 2000, 2900), sign(straggler, gpu1, 2500, 3500)}),
                 QByteArray("straggler a 1 2000..3500\n"));
        QCOMPARE(story({sign(straggler, gpu0, 2000, 3000), sign(straggler, gpu1, 2500, 3500)}),
                 QByteArray("straggler a 0 2000..3000\n"));
    }

    void complaintsOfANodeThatRetransmits() {
        const Evidence again = sign(efaRetransmits, nodeA, 2000, 3000);
        QCOMPARE(story({again, sign(efaConnections, nodeA, 3300, 3400, {"2 impaired", "1 silent"})}),
                 QByteArray("efa_retransmits a 2000..3000: 2 impaired\n"));
        QVERIFY(apart(again, sign(efaConnections, nodeA, 3301, 3400)));
        QVERIFY(!apart(again, sign(efaConnections, nodeA, 1000, 1700)));
        QVERIFY(apart(again, sign(efaConnections, nodeA, 1000, 1699)));
        QVERIFY(apart(again, sign(efaConnections, nodeB, 2000, 3000)));
        QVERIFY(apart(sign(straggler, nodeA, 2000, 3000), sign(efaConnections, nodeA, 2000, 3000)));
    }

    void whatEndedTheJob() {
        const Evidence stop = stopped(restart, 6000, 6300);
        QCOMPARE(story({code(79, gpu0, 5900, 5950), stop}),
                 QByteArray("xid 79 a 0 5900..5950 stop 0: the job restarted after 5 min\n"));
        QCOMPARE(story({sign(doubleBitErrors, gpu0, 5900, 5950), stopped(stall, 6000, 6300, 1)}),
                 QByteArray("double_bit_errors a 0 5900..5950 stop 1: the job stalled for 5 min\n"));
        QCOMPARE(story({sign(missingTarget, nodeA, 5900, 5950), stopped(stall, 6000, 6300, 2)}),
                 QByteArray("missing_target a 5900..5950 stop 2: the job has stalled since then\n"));
        QVERIFY(!apart(code(79, gpu0, 5820, 5950), stop)); // three minutes before it
        QVERIFY(apart(code(79, gpu0, 5819, 5950), stop));
        QVERIFY(!apart(code(79, gpu0, 6180, 6200), stop)); // or seen three minutes later
        QVERIFY(apart(code(79, gpu0, 6181, 6200), stop));
        QVERIFY(!apart(sign(missingGpu, gpu0, 6480, 6500), stop)); // a series that ends is seen for longer
        QVERIFY(apart(sign(missingGpu, gpu0, 6481, 6500), stop));
        QVERIFY(apart(before(code(79, gpu0, 5900, 5950)), stop));
        QVERIFY(apart(sign(missingTarget, {"a", -1, "slurm"}, 5900, 5950), stop));
        QVERIFY(apart(code(79, {"s", 0, {}}, 5900, 5950), stop)); // serves
        QVERIFY(apart(sign(thermal, gpu0, 5900, 5950), stop));
        QVERIFY(apart(code(79, gpu0, 5900, 5950), sign(restart, job, 6000, 6300)));
        QVERIFY(apart(code(79, gpu0, 5900, 5950), sign(badLoss, job, 6000, 6300)));
    }

    /// What is complained of within the stop is of it, with a point of slack; with two minutes for
    /// connections.
    void partsOfAStop() {
        const Evidence stop = stopped(restart, 6000, 6300);
        QCOMPARE(story({stop, sign(efaConnections, nodeA, 5880, 6420, {"2 impaired"})}),
                 QByteArray("restart job 6000..6300 stop 0: EFA connections unresponsive\n"));
        QVERIFY(apart(stop, sign(efaConnections, nodeA, 5879, 6420)));
        QVERIFY(apart(stop, sign(efaConnections, nodeA, 5880, 6421)));
        for (const FaultKind kind : {badLoss, efaRetransmits}) {
            QCOMPARE(story({stop, sign(kind, nodeA, 5940, 6360, {"x"})}),
                     QByteArray("restart job 6000..6300 stop 0\n"));
            QVERIFY(apart(stop, sign(kind, nodeA, 5939, 6360)));
            QVERIFY(apart(stop, sign(kind, nodeA, 5940, 6361)));
        }
        QVERIFY(apart(stop, sign(thermal, nodeA, 6000, 6300)));
        QVERIFY(apart(sign(restart, job, 6000, 6300), sign(badLoss, job, 6000, 6300)));
        // A crash and its stop take what belongs to the stop.
        QCOMPARE(story({code(79, gpu0, 5900, 5950), stop, sign(badLoss, job, 6000, 6300)}),
                 QByteArray("xid 79 a 0 5900..5950 stop 0: the job restarted after 5 min\n"));
    }
};

QTEST_APPLESS_MAIN(TestHealthStory)

} // namespace tst_health_story

#include "tst_health_story.moc"
