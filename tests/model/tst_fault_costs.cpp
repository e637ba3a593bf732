// SPDX-License-Identifier: GPL-3.0-or-later
// What faults take from a job, from step times that are written out: 8 s instead of 6 s are a quarter of the
// time.
#include "tests/model/hand_made_cluster.h"

#include <QTest>

#include <cmath>

namespace tst_fault_costs {

using namespace alidade;
using namespace alidade::tests;

namespace {

using enum FaultKind;

constexpr double minute = 60;

Evidence fault(FaultKind kind, std::size_t begin, std::size_t end, const Entity& where = {"a", 0, {}}) {
    Evidence out;
    out.kind = kind;
    out.where = where;
    out.span = {begin, end, end - begin};
    return out;
}

/// Hosts a and b train, and the job has these step times, a minute apart.
struct Job {
    HandMade cluster;
    JobTimeline timeline;

    explicit Job(const std::vector<double>& stepTimes)
        : cluster(stepTimes.size()) {
        for (const char* host : {"a", "b"})
            cluster.flat(Signal::gpuTemperature, {host, 0, {}}, 60);
        timeline.stepTime = stepTimes;
        timeline.stopped.assign(stepTimes.size(), Sign::no);
    }
    void stop(std::size_t begin, std::size_t end, double start, double last) {
        JobStop out;
        out.span = {begin, end, end - begin};
        out.start = handMadeStart + start;
        out.end = handMadeStart + last;
        timeline.stops.push_back(out);
    }
    std::vector<std::optional<FaultCost>> costs(const EvidenceList& evidence,
                                                std::optional<double> rent = {}) const {
        Detection detection(cluster);
        detection.job = timeline;
        return faultCosts(detection.view(), evidence, rent);
    }
    /// Minutes that each takes, rounded to a thousandth; 0 where nothing shows.
    QByteArray minutes(const EvidenceList& evidence) const {
        QByteArray out;
        for (const std::optional<FaultCost>& each : costs(evidence))
            out += (out.isEmpty() ? "" : " ") + QByteArray::number(each ? each->seconds / minute : 0, 'f', 3);
        return out;
    }
};

} // namespace

/// The job's own quiet pace is what faults are held against.
class TestFaultCosts : public QObject {
    Q_OBJECT

private slots:
    /// Ten minutes at 8 s instead of 6 s: 150 s, in which the job would have done 25 steps; of half an hour.
    void aSlowNode() {
        const Job job(runs({{10, 6}, {10, 8}, {10, 6}}));
        const FaultCost cost = *job.costs({fault(straggler, 10, 20)}, 720).front();
        QCOMPARE(cost.seconds, 150.0);
        QCOMPARE(cost.steps, 25.0);
        QCOMPARE(cost.share, 150.0 / 1800);
        QCOMPARE(cost.dollars, std::optional(30.0)); // 720 an hour
        QVERIFY(!job.costs({fault(straggler, 10, 20)}).front()->dollars);
        QVERIFY(job.costs({}).empty());
    }

    void quickSteps() {
        const Job job(runs({{10, 0.3}, {10, 0.4}, {10, 0.3}}));
        const FaultCost cost = *job.costs({fault(straggler, 10, 20)}).front();
        QVERIFY(std::abs(cost.seconds - 150) < 1e-9 && std::abs(cost.steps - 500) < 1e-9);
    }

    void whoSlowsAJob() {
        Job job(runs({{10, 6}, {10, 8}, {10, 6}}));
        job.cluster.flat(Signal::requestsRunning, {"s", -1, {}}, 1).flat(Signal::gpuPower, {"s", 0, {}}, 500);
        for (const FaultKind kind : {straggler, thermal, power, efaRetransmits, efaConnections}) {
            QCOMPARE(job.minutes({fault(kind, 10, 20)}), QByteArray("2.500"));
            QCOMPARE(job.minutes({fault(kind, 10, 20, {})}), QByteArray("2.500"));           // of the room
            QCOMPARE(job.minutes({fault(kind, 10, 20, {"s", 0, {}})}), QByteArray("0.000")); // serves
        }
        for (const FaultKind kind : {xid, missingTarget, badLoss, blankValues})
            QCOMPARE(job.minutes({fault(kind, 10, 20)}), QByteArray("0.000"));
    }

    /// The time of the job alone counts: from its first step time to the last one.
    void shareOfTheTimeOfTheJob() {
        const Job job(runs({{5, none}, {5, 6}, {10, 8}, {5, 6}, {5, none}}));
        QCOMPARE(job.costs({fault(straggler, 10, 20)}).front()->share, 150.0 / (20 * minute));
    }

    /// A mean over minutes stays high after the fault, which is its: as long as it is above a quarter of the
    /// excess (1/3), for at most ten minutes. And above half of it up to three points before.
    void meansLookBack() {
        QCOMPARE(Job(runs({{10, 6}, {10, 8}, {2, 6.6}, {10, 6}})).minutes({fault(straggler, 10, 20)}),
                 QByteArray::number(2.5 + 2 * (1 - 6 / 6.6), 'f', 3));
        QCOMPARE(Job(runs({{10, 6}, {10, 8}, {2, 6.4}, {10, 6}})).minutes({fault(straggler, 10, 20)}),
                 QByteArray("2.500"));
        QCOMPARE(Job(runs({{20, 6}, {10, 8}, {15, 7}, {20, 6}})).minutes({fault(straggler, 20, 30)}),
                 QByteArray::number(2.5 + 10 * (1 - 6.0 / 7), 'f', 3));
        QCOMPARE(Job(runs({{20, 6}, {5, 7.2}, {10, 8}, {20, 6}})).minutes({fault(straggler, 25, 35)}),
                 QByteArray::number(2.5 + 3 * (1 - 6 / 7.2), 'f', 3));
        QCOMPARE(Job(runs({{20, 6}, {5, 6.9}, {10, 8}, {20, 6}})).minutes({fault(straggler, 25, 35)}),
                 QByteArray("2.500"));
        // The end of the data, and their beginning.
        QCOMPARE(Job(runs({{10, 6}, {10, 8}, {1, 7.5}})).minutes({fault(straggler, 10, 20)}),
                 QByteArray("2.700"));
        QCOMPARE(Job(runs({{1, 7.5}, {10, 8}, {12, 6}})).minutes({fault(straggler, 1, 11)}),
                 QByteArray("2.700"));
    }

    /// Not what noise makes: three standard deviations of a quiet pace that is 1 % off in the median are 4.4
    /// %.
    void meansLookBackBeyondNoise() {
        const auto minutes = [](double slow, double after) {
            std::vector<double> all = runs({{7, 5.94}, {7, 6}, {7, 6.06}, {9, slow}, {2, after}});
            const std::vector<double> rest = runs({{3, 5.94}, {3, 6}, {4, 6.06}});
            all.insert(all.end(), rest.begin(), rest.end());
            return Job(all).minutes({fault(straggler, 21, 30)});
        };
        QCOMPARE(minutes(6.36, 6.3), QByteArray::number(9 * (1 - 6 / 6.36) + 2 * (1 - 6 / 6.3), 'f', 3));
        QCOMPARE(minutes(6.24, 6.18), QByteArray::number(9 * (1 - 6 / 6.24), 'f', 3));
    }

    /// Each takes of the common loss (1/2) what it takes alone: 1/4 and 1/5.
    void overlappingFaults() {
        const Job job(runs({{10, 6}, {6, 8}, {4, 12}, {6, 7.5}, {10, 6}}));
        const double common = 4 * 0.5;
        QCOMPARE(job.minutes({fault(straggler, 10, 20), fault(efaRetransmits, 16, 26)}),
                 QByteArray::number(6 * 0.25 + common * 0.25 / 0.45, 'f', 3) + ' ' +
                     QByteArray::number(6 * 0.2 + common * 0.2 / 0.45, 'f', 3));
    }

    /// What is left over goes to the one that is never alone: of 1/2 the other takes 1/4.
    void faultsThatAreNeverAlone() {
        const Job job(runs({{10, 6}, {6, 8}, {4, 12}, {10, 6}}));
        QCOMPARE(job.minutes({fault(straggler, 10, 20), fault(efaRetransmits, 16, 20)}),
                 QByteArray("2.500 1.000"));
        QCOMPARE(job.minutes({fault(straggler, 10, 20), fault(efaRetransmits, 16, 20), fault(power, 16, 20)}),
                 QByteArray("2.500 0.500 0.500"));
        // Two points alone are too few to know: both halves of the common loss are alike, whatever they were
        // alone.
        const Job brief(runs({{10, 6}, {2, 8}, {4, 12}, {2, 7.5}, {10, 6}}));
        QCOMPARE(brief.minutes({fault(straggler, 10, 16), fault(efaRetransmits, 12, 18)}),
                 QByteArray("1.500 1.400"));
        const Job enough(runs({{10, 6}, {3, 8}, {4, 12}, {2, 7.5}, {10, 6}}));
        QCOMPARE(enough.minutes({fault(straggler, 10, 17), fault(efaRetransmits, 13, 19)}),
                 QByteArray("1.750 1.400"));
        // Alone neither takes anything; both together do: half each.
        const Job together(runs({{10, 6}, {4, 6}, {4, 12}, {4, 6}, {10, 6}}));
        QCOMPARE(together.minutes({fault(straggler, 10, 18), fault(efaRetransmits, 14, 22)}),
                 QByteArray("1.000 1.000"));
        // The whole loss is one's: nothing is left for the other.
        const Job whole(runs({{10, 6}, {8, 8}, {10, 6}}));
        QCOMPARE(whole.minutes({fault(straggler, 10, 18), fault(efaRetransmits, 14, 18)}),
                 QByteArray("2.000 0.000"));
    }

    /// Half a percent of the pace is noise, and so are three standard errors of it.
    void whatShows() {
        const auto of = [](const std::vector<double>& quiet, double slow, std::size_t points = 9) {
            std::vector<double> all = quiet;
            all.insert(all.end(), points, slow);
            return Job(all).minutes({fault(straggler, quiet.size(), all.size())}) != "0.000";
        };
        const std::vector<double> even(21, 6.0);
        QVERIFY(!of(even, 6 / (1 - 0.0049)));
        QVERIFY(of(even, 6 / (1 - 0.0051)));
        // A median deviation of 1 % is a standard deviation of 1.48 %, and its error of nine points a third
        // of it.
        const std::vector<double> noisy = runs({{7, 5.94}, {7, 6}, {7, 6.06}});
        QVERIFY(!of(noisy, 6 / (1 - 0.0147)));
        QVERIFY(of(noisy, 6 / (1 - 0.0149)));
        QVERIFY(of(noisy, 6 / (1 - 0.0112), 16)); // of sixteen a quarter
        QVERIFY(!of(noisy, 6 / (1 - 0.0110), 16));
    }

    /// The first point after a fault or a stop is not quiet; without three quiet points the best tenth is the
    /// pace.
    void theQuietPace() {
        // Points 3 and 6 look back on what was before them: quiet are 6, 6, 6 and 9, 9.
        QCOMPARE(Job(runs({{3, 6}, {5, 12}, {1, 9}, {2, 9}})).minutes({fault(straggler, 3, 8)}),
                 QByteArray::number(5 * 0.5 + 3 * (1 - 6.0 / 9), 'f', 3));
        QCOMPARE(Job({12, 9, 6, 6, 9}).minutes({fault(straggler, 0, 1)}),
                 QByteArray::number(0.5 + 1.0 / 3, 'f', 3)); // 6, 6 and 9 are quiet
        const std::vector<double> ill = runs({{1, 5}, {1, 4}, {10, 8}, {8, 10}});
        QCOMPARE(
            Job(ill).minutes({fault(straggler, 2, 20)}), // two quiet points; of twenty the third smallest
            QByteArray::number(8 * (1 - 8.0 / 10), 'f', 3));
        const std::vector<double> well = runs({{3, 5}, {10, 8}, {7, 10}});
        QCOMPARE(Job(well).minutes({fault(straggler, 3, 20)}),
                 QByteArray::number(10 * (1 - 5.0 / 8) + 7 * 0.5, 'f', 3));
    }

    /// Points without a step time lose as much as the others of the fault.
    void gapsLoseAsTheRest() {
        const std::vector<double> gaps = runs({{10, 6}, {5, none}, {5, 8}, {10, 6}});
        QCOMPARE(Job(gaps).minutes({fault(straggler, 10, 20)}), QByteArray("2.500"));
        const std::vector<double> unknown = runs({{10, 6}, {10, none}, {3, 8}, {10, 6}});
        QCOMPARE(Job(unknown).minutes({fault(straggler, 10, 20)}), QByteArray("0.000")); // nor what follows
        const std::vector<double> all = runs({{10, 6}, {10, none}, {10, 6}});
        QCOMPARE(Job(all).minutes({fault(straggler, 10, 20)}), QByteArray("0.000"));
    }

    /// A stop costs its time and what is done again, and takes the points in it from slow faults.
    void stops() {
        Job job(runs({{10, 6}, {10, 8}, {10, 6}}));
        job.stop(14, 18, 830, 1090);
        job.timeline.stops.front().redone = 40;
        Evidence stall = fault(restart, 14, 18, {});
        stall.stops = {0};
        QCOMPARE(job.minutes({fault(straggler, 10, 20), stall}), QByteArray("1.500 5.000"));
        job.timeline.stops.front().redone.reset();
        QCOMPARE(job.minutes({stall}), QByteArray("4.333"));
        job.timeline.stops.front().start = handMadeStart - 500; // stood before the observed time
        QCOMPARE(job.costs({stall}).front()->seconds, 1090.0);
        job.stop(25, 26, 1500, 1560);
        stall.stops = {0, 1};
        QCOMPARE(job.costs({stall}).front()->seconds, 1150.0);
        QCOMPARE(job.minutes({fault(xid, 14, 18)}), QByteArray("0.000"));
    }

    /// From a throughput there are no steps, and without step times only stops cost anything.
    void withoutStepTimes() {
        Job job(runs({{10, 6}, {10, 8}, {10, 6}}));
        job.timeline.stepTimeIsRelative = true;
        QCOMPARE(job.costs({fault(straggler, 10, 20)}).front()->seconds, 150.0);
        QCOMPARE(job.costs({fault(straggler, 10, 20)}).front()->steps, 0.0);
        job.timeline.stepTime.clear();
        job.timeline.stepTimeIsRelative = false;
        job.stop(14, 18, 840, 1080);
        Evidence stall = fault(restart, 14, 18, {});
        stall.stops = {0};
        const auto costs = job.costs({fault(straggler, 10, 20), stall});
        QVERIFY(!costs[0] && costs[1]);
        QCOMPARE(costs[1]->seconds, 240.0);
        QCOMPARE(costs[1]->steps, 0.0);
        QCOMPARE(costs[1]->share, 1.0); // all that is known of the job
    }

    void nothingIsKnown() {
        Job job(std::vector<double>{});
        QCOMPARE(job.costs({fault(straggler, 0, 0)}), std::vector<std::optional<FaultCost>>(1));
        Job idle(std::vector<double>(20, none));
        idle.stop(5, 5, 300, 360); // of no point
        Evidence stall = fault(restart, 5, 6, {});
        stall.stops = {0};
        QCOMPARE(idle.costs({stall}).front()->share, 60.0 / 1200); // of the whole time
    }
};

QTEST_APPLESS_MAIN(TestFaultCosts)

} // namespace tst_fault_costs

#include "tst_fault_costs.moc"
