// SPDX-License-Identifier: GPL-3.0-or-later
// When a training job stands, by each of the signs that tell so.
#include "tests/model/hand_made_cluster.h"

#include <QTest>

#include <cmath>

namespace tst_job_stops {

using namespace alidade;
using namespace alidade::tests;

namespace {

constexpr std::size_t points = 60;

/// An hour of a job on two nodes, a minute a point, with the series that a test asks for.
struct Job {
    HandMade cluster{points};

    Job() {
        for (const char* host : {"a", "b"})
            cluster.flat(Signal::gpuTemperature, {host, 0, {}}, 60);
    }
    Job& gpus(Signal signal, double value) {
        for (const char* host : {"a", "b"})
            cluster.flat(signal, {host, signalInfo(signal).scope == SignalScope::gpu ? 0 : -1, {}}, value);
        return *this;
    }
    Job& at(Signal signal, std::size_t begin, std::size_t end, double value) {
        for (const Entity& where : std::vector<Entity>(cluster.table(signal).rows))
            cluster.set(signal, where, begin, end, value);
        return *this;
    }
    Job& of(Signal signal, double value) {
        cluster.flat(signal, {}, value);
        return *this;
    }
    /// The last step ended 3 s ago, but in [begin, end) 30 s after the point before `begin`.
    Job& lastStep(std::size_t begin, std::size_t end) {
        cluster.flat(Signal::lastStep, {}, 0);
        for (std::size_t i = 0; i < points; ++i) {
            const double now = handMadeStart + 60 * static_cast<double>(i);
            const bool stands = i >= begin && i < end;
            cluster.set(Signal::lastStep, {}, i, i + 1,
                        stands ? handMadeStart + 60 * static_cast<double>(begin) - 30 : now - 3);
        }
        return *this;
    }

    JobTimeline timeline(double stallSteps = 3) const {
        return jobTimeline(ClusterDigest(cluster.observation), stallSteps);
    }
    QByteArray stops(double stallSteps = 3) const {
        QByteArray out;
        for (const JobStop& each : timeline(stallSteps).stops) {
            const auto seconds = [](double time) { return QByteArray::number(time - handMadeStart); };
            out += '[' + QByteArray::number(static_cast<qulonglong>(each.span.begin)) + ',' +
                   QByteArray::number(static_cast<qulonglong>(each.span.end)) + ") " + seconds(each.start) +
                   ".." + seconds(each.end);
            out += each.hung > 0 ? " hung " + QByteArray::number(each.hung) : QByteArray();
            out += each.processGone ? " gone" : "";
            out += each.before ? " before" : "";
            out += each.lasts ? " lasts" : "";
            out += each.redone ? " redone " + QByteArray::number(*each.redone) : QByteArray();
            out += '\n';
        }
        return out;
    }
};

/// Tensor pipes are active at 0.4, the GPUs busy, 70 of 80 GB in use.
Job running() {
    return Job()
        .gpus(Signal::tensorActive, 0.4)
        .gpus(Signal::gpuUtilization, 0.99)
        .gpus(Signal::memoryUsed, 70e9)
        .of(Signal::stepTime, 6);
}
/// GPUs that wait in a kernel.
Job hanging(std::size_t begin, std::size_t end) {
    return running().lastStep(begin, end).at(Signal::tensorActive, begin, end, 0);
}
/// Memory is free and nothing is told.
Job restarting(std::size_t begin, std::size_t end) {
    Job out = running();
    out.at(Signal::tensorActive, begin, end, 0).at(Signal::gpuUtilization, begin, end, 0);
    return out.at(Signal::memoryUsed, begin, end, 1e9).at(Signal::stepTime, begin, end, none);
}
/// GPUs that do nothing, with the job's memory.
Job idling(std::size_t begin, std::size_t end) {
    return running().at(Signal::tensorActive, begin, end, 0).at(Signal::gpuUtilization, begin, end, 0.1);
}

} // namespace

/// Times in which a job makes no step.
class TestJobStops : public QObject {
    Q_OBJECT

private slots:
    void aJobThatRuns() {
        const JobTimeline job = running().lastStep(0, 0).timeline();
        QVERIFY(job.stops.empty() && !job.stepTimeIsRelative);
        QCOMPARE(job.stepTime, std::vector<double>(points, 6));
        QCOMPARE(job.activity, std::vector<double>(points, 0.4));
        QCOMPARE(job.stopped, std::vector<Sign>(points, Sign::no));
        const Observation nothing;
        const JobTimeline noJob = jobTimeline(ClusterDigest(nothing), 3);
        QVERIFY(noJob.stopped.empty() && noJob.stepTime.empty());
    }

    /// From the last step, which is told to have ended 30 s before point 20, to the middle before point 30.
    /// At the last point GPUs may work again: nine points and those 30 s are hung.
    void hang() {
        QCOMPARE(hanging(20, 30).stops(), QByteArray("[20,30) 1170..1770 hung 570\n"));
        QCOMPARE(hanging(50, 60).stops(), QByteArray("[50,60) 2970..3540 hung 570 lasts\n"));
        QCOMPARE(hanging(20, 30).at(Signal::gpuUtilization, 20, 60, 0.9).stops(),
                 QByteArray("[20,30) 1170..1770 hung 570\n"));
        // GPUs that are less busy do not wait in a kernel: nothing reports checkpoints, and ten minutes may
        // be one.
        QCOMPARE(hanging(20, 30).at(Signal::gpuUtilization, 20, 60, 0.89).stops(),
                 QByteArray("[20,30) 1170..1770\n"));
        QCOMPARE(hanging(20, 29).at(Signal::gpuUtilization, 20, 60, 0.89).stops(), QByteArray());
        // Two points before the next step; one is none.
        QCOMPARE(hanging(20, 22).stops(), QByteArray("[20,22) 1170..1290 hung 90\n"));
        QCOMPARE(hanging(20, 21).stops(), QByteArray());
    }

    /// Where it had made no step it may be warming up, for as long as ten minutes in a kernel.
    void hangAtTheBeginning() {
        QCOMPARE(hanging(0, 10).stops(), QByteArray("[0,10) -30..570 hung 570 before\n"));
        QCOMPARE(hanging(1, 11).stops(), QByteArray("[1,11) 30..630 hung 570\n"));
        const auto untold = [](std::size_t end) {
            return running().at(Signal::tensorActive, 0, end, 0).stops();
        };
        QCOMPARE(untold(10), QByteArray());
        QCOMPARE(untold(11), QByteArray("[0,11) 0..630 hung 600 before\n"));
    }

    /// Less than a fifth of the memory, or an exporter of the job that is down.
    void restart() {
        QCOMPARE(restarting(20, 24).stops(), QByteArray("[20,24) 1200..1410 gone\n"));
        QCOMPARE(restarting(20, 24).at(Signal::memoryUsed, 20, 24, 13.9e9).stops(),
                 QByteArray("[20,24) 1200..1410 gone\n"));
        QCOMPARE(restarting(20, 24).at(Signal::memoryUsed, 20, 24, 14.1e9).stops(), QByteArray()); // a pause
        Job exporter = running();
        exporter.cluster.flat(Signal::targetUp, {"a", -1, "trainer"}, 1)
            .flat(Signal::targetUp, {"b", -1, "trainer"}, 1);
        exporter.at(Signal::tensorActive, 20, 24, 0.1);
        QCOMPARE(exporter.stops(), QByteArray());
        exporter.at(Signal::targetUp, 20, 24, 0.49);
        QCOMPARE(exporter.stops(), QByteArray("[20,24) 1200..1410 gone\n"));
        exporter.cluster.set(Signal::targetUp, {"b", -1, "trainer"}, 20, 24,
                             0.5); // one that answers is enough
        QCOMPARE(exporter.stops(), QByteArray());
        exporter.at(Signal::targetUp, 20, 24, 0).at(Signal::tensorActive, 20, 24, 0.4);
        QCOMPARE(exporter.stops(), QByteArray());     // it works all the same
        Job late = restarting(20, 24).lastStep(0, 0); // a last step after the beginning moves nothing
        late.at(Signal::lastStep, 20, 24, handMadeStart + 1210);
        QCOMPARE(late.stops(), QByteArray("[20,24) 1200..1410 gone\n"));
        // Of one point, if it lasts a minute; the memory is free at once.
        QCOMPARE(restarting(20, 21).stops(), QByteArray());
        QCOMPARE(restarting(20, 21).lastStep(20, 21).stops(), QByteArray("[20,21) 1170..1230 gone\n"));
    }

    /// Half an hour at the end: the job is over.
    void end() {
        QCOMPARE(restarting(29, 60).stops(), QByteArray("[29,60) 1740..3540 gone lasts\n"));
        QCOMPARE(restarting(28, 60).stops(), QByteArray());
        QCOMPARE(hanging(28, 60).stops(), QByteArray("[28,60) 1650..3540 hung 1890 lasts\n"));
    }

    /// Without tensor work only the age of the last step tells: more than three steps, at least half a
    /// minute, beyond the usual 3 s.
    void ageOfTheLastStep() {
        const auto stands = [](double stepTime, double age, double stallSteps = 3) {
            Job out;
            out.of(Signal::stepTime, stepTime).lastStep(0, 0).of(Signal::checkpointShare, 0);
            for (std::size_t i = 20; i < 30; ++i)
                out.at(Signal::lastStep, i, i + 1, handMadeStart + 60 * static_cast<double>(i) - age);
            return !out.stops(stallSteps).isEmpty();
        };
        QVERIFY(!stands(6, 33) && stands(6, 33.1));
        QVERIFY(!stands(20, 63) && stands(20, 63.1));
        QVERIFY(!stands(20, 103, 5) && stands(20, 103.1, 5));
        Job prompt; // told at once: then half a minute is late
        prompt.of(Signal::stepTime, 6).lastStep(0, 0).of(Signal::checkpointShare, 0);
        for (std::size_t i = 0; i < points; ++i) {
            const double age = i >= 20 && i < 30 ? 30.5 : 0;
            prompt.at(Signal::lastStep, i, i + 1, handMadeStart + 60 * static_cast<double>(i) - age);
        }
        QVERIFY(!prompt.stops().isEmpty());
        Job unknown; // without a step time no age is long
        unknown.lastStep(20, 30).of(Signal::checkpointShare, 0);
        QCOMPARE(unknown.stops(), QByteArray());
        QCOMPARE(unknown.timeline().stopped, std::vector<Sign>(points, Sign::no));
    }

    /// A stop is longer than three steps: 600 s are none if a step takes 201 s.
    void longSteps() {
        const auto of = [](double stepTime, double stallSteps = 3) {
            return !hanging(20, 30).at(Signal::stepTime, 0, points, stepTime).stops(stallSteps).isEmpty();
        };
        QVERIFY(of(199) && !of(201));
        QVERIFY(!of(199, 4) && of(149, 4));
    }

    /// A checkpoint takes a third of the time at least; a last step that is two minutes late is no
    /// checkpoint.
    void checkpoints() {
        const auto saving = [](double share) {
            return idling(20, 35)
                .of(Signal::checkpointShare, 0)
                .at(Signal::checkpointShare, 20, 35, share)
                .stops();
        };
        QCOMPARE(saving(0.29), QByteArray("[20,35) 1200..2070\n"));
        QCOMPARE(saving(0.3), QByteArray());
        Job late = idling(20, 35).lastStep(20, 35);
        late.of(Signal::checkpointShare, 0).at(Signal::checkpointShare, 20, 35, 1);
        // The last step is 30 s old at point 20; it is old from 33 s on, and late from 153 s on: at point 23
        // (210 s).
        QCOMPARE(late.stops(), QByteArray("[23,35) 1317..2070\n"));
    }

    /// Where nothing reports checkpoints, writes of more than five times the usual do.
    void burstsOfWriting() {
        const auto writing = [](double usual, double burst) {
            Job out = idling(20, 35);
            out.gpus(Signal::lustreWrite, usual).at(Signal::lustreWrite, 20, 35, burst);
            return out.stops();
        };
        QCOMPARE(writing(1e9, 5.1e9), QByteArray());
        QCOMPARE(writing(1e9, 5e9), QByteArray("[20,35) 1200..2070\n"));
        QCOMPARE(writing(0, 0), QByteArray("[20,35) 1200..2070\n"));
        // A third of the largest burst is one.
        Job small = idling(20, 35);
        small.gpus(Signal::lustreWrite, 0)
            .at(Signal::lustreWrite, 20, 35, 2.9e9)
            .at(Signal::lustreWrite, 5, 6, 1e10);
        QCOMPARE(small.stops(), QByteArray("[20,35) 1200..2070\n"));
        small.at(Signal::lustreWrite, 20, 35, 3.1e9);
        QCOMPARE(small.stops(), QByteArray());
    }

    /// A tenth of the usual activity is none, three tenths are work; traffic shows that something goes on.
    void activity() {
        const auto stands = [](double tensor, double network = 0) {
            Job out = idling(20, 35).at(Signal::tensorActive, 20, 35, tensor);
            out.gpus(Signal::efaTransmit, 1e9).at(Signal::efaTransmit, 20, 35, network);
            return !out.stops().isEmpty();
        };
        QVERIFY(stands(0.0399) && !stands(0.0401));
        QVERIFY(stands(0, 0.29e9) && !stands(0, 0.31e9));
        const auto works = [](double tensor) {
            return restarting(20, 24).at(Signal::tensorActive, 20, 24, tensor).stops().isEmpty();
        };
        QVERIFY(works(0.121) && !works(0.119));
        const auto level = [](double usual) {
            return !idling(20, 35)
                        .at(Signal::tensorActive, 0, points, usual)
                        .at(Signal::tensorActive, 20, 35, 0)
                        .stops()
                        .isEmpty();
        };
        QVERIFY(level(0.021) && !level(0.019)); // a job without tensor work
    }

    /// A rate of steps below a fiftieth of the usual.
    void rateOfSteps() {
        const auto stands = [](double rate) {
            Job out;
            out.of(Signal::stepsPerSecond, 0.5).at(Signal::stepsPerSecond, 20, 35, rate);
            return out.stops();
        };
        QCOMPARE(stands(0.0099), QByteArray("[20,35) 1200..2070\n"));
        QCOMPARE(stands(0.0101), QByteArray());
    }

    void pausesThatMayBeCheckpoints() {
        QCOMPARE(idling(20, 30).stops(), QByteArray()); // 570 s
        QCOMPARE(idling(20, 31).stops(), QByteArray("[20,31) 1200..1830\n"));
        QCOMPARE(idling(20, 30).of(Signal::checkpointShare, 0).stops(), QByteArray("[20,30) 1200..1770\n"));
    }

    /// Three alike are checkpoints or evaluations; one of more than twice their length is not.
    void stopsThatRecur() {
        const auto stops = [](std::initializer_list<std::pair<std::size_t, std::size_t>> spans) {
            Job out = running().of(Signal::checkpointShare, 0);
            for (const auto& [begin, end] : spans)
                out.at(Signal::tensorActive, begin, end, 0).at(Signal::gpuUtilization, begin, end, 0.1);
            return out.stops();
        };
        QCOMPARE(stops({{5, 8}, {20, 23}}).count('\n'), 2);
        QCOMPARE(stops({{5, 8}, {20, 23}, {30, 33}}), QByteArray());
        QCOMPARE(stops({{5, 8}, {20, 23}, {30, 33}, {40, 45}}), QByteArray()); // 150 s, 150 s, 150 s, 270 s
        QCOMPARE(stops({{5, 8}, {20, 23}, {30, 33}, {40, 46}}), QByteArray("[40,46) 2400..2730\n"));
        Job restarts = restarting(5, 8);
        for (const std::size_t begin : {20, 30, 40}) {
            restarts.at(Signal::tensorActive, begin, begin + 3, 0);
            restarts.at(Signal::memoryUsed, begin, begin + 3, 0);
        }
        QCOMPARE(restarts.stops().count('\n'), 4);
    }

    /// Checkpoints at 5 and at 15 to 16 min, the last one 48 s long from the middle before point 15: 918 s.
    void workThatIsDoneAgain() {
        const auto redone = [](std::vector<double> share) {
            Job out = restarting(20, 24);
            out.cluster.row(Signal::checkpointShare, {}, std::move(share));
            return out.stops();
        };
        QCOMPARE(redone(runs({{5, 0}, {1, 0.4}, {9, 0}, {1, 0.5}, {1, 0.3}, {43, 0}})),
                 QByteArray("[20,24) 1200..1410 gone redone 282\n"));
        // Up to a fiftieth of the largest share is quiet.
        QCOMPARE(redone(runs({{15, 0.009}, {1, 0.5}, {1, 0.3}, {43, 0.009}})),
                 QByteArray("[20,24) 1200..1410 gone redone 282\n"));
        QCOMPARE(redone(runs({{15, 0}, {1, 0.5}, {1, 0.3}, {1, 0.02}, {42, 0}})),
                 QByteArray("[20,24) 1200..1410 gone redone 280.8\n"));
        // One that runs into the stop, and what is of the time after it.
        QCOMPARE(redone(runs({{18, 0}, {2, 1}, {40, 1}})), QByteArray("[20,24) 1200..1410 gone redone 30\n"));
        QCOMPARE(redone(runs({{30, 0}, {1, 1}, {29, 0}})), QByteArray("[20,24) 1200..1410 gone\n"));
        QCOMPARE(redone(runs({{60, 1}})), QByteArray("[20,24) 1200..1410 gone\n")); // they run together
        QCOMPARE(redone(runs({{60, 0}})), QByteArray("[20,24) 1200..1410 gone\n"));
        QCOMPARE(redone(runs({{1, 0}, {1, 1}, {58, 0}})),
                 QByteArray("[20,24) 1200..1410 gone redone 1110\n"));
    }

    /// Points that say nothing are bridged for five minutes.
    void unknownPoints() {
        const auto gap = [](std::size_t end) {
            return restarting(20, 22)
                .at(Signal::gpuUtilization, 22, end + 3, 0)
                .at(Signal::tensorActive, 22, end, none)
                .at(Signal::memoryUsed, 22, end, none)
                .at(Signal::tensorActive, end, end + 3, 0)
                .at(Signal::memoryUsed, end, end + 3, 0)
                .stops();
        };
        QCOMPARE(gap(27), QByteArray("[20,30) 1200..1770 gone\n"));
        QCOMPARE(gap(28), QByteArray("[20,22) 1200..1290 gone\n[28,31) 1680..1830 gone\n"));
    }

    void stepTimesOfOtherSeries() {
        Job several;
        several.cluster.flat(Signal::stepTime, {"x", -1, {}}, 4).flat(Signal::stepTime, {"y", -1, {}}, 8);
        several.cluster.set(Signal::stepTime, {"x", -1, {}}, 1, 2, none)
            .set(Signal::stepTime, {"y", -1, {}}, 2, 3, 0);
        several.at(Signal::stepTime, 3, 4, 0);
        JobTimeline job = several.timeline();
        QCOMPARE(job.stepTime[0], 6.0); // the mean of those that tell
        QCOMPARE(job.stepTime[1], 8.0);
        QCOMPARE(job.stepTime[2], 2.0);
        QVERIFY(std::isnan(job.stepTime[3]) && !job.stepTimeIsRelative);
        job = Job().of(Signal::tokensPerSecond, 5e5).of(Signal::stepsPerSecond, 0.25).timeline();
        QCOMPARE(job.stepTime[0], 2e-6);
        QVERIFY(job.stepTimeIsRelative);
        job = Job().of(Signal::stepsPerSecond, 0.25).timeline();
        QCOMPARE(job.stepTime[0], 4.0);
        QVERIFY(!job.stepTimeIsRelative);
        // The newest of several ranks is the last step.
        Job ranks;
        ranks.of(Signal::stepTime, 6).lastStep(0, 0).of(Signal::checkpointShare, 0);
        ranks.cluster.flat(Signal::lastStep, {"z", -1, {}}, handMadeStart);
        QCOMPARE(ranks.stops(), QByteArray());
    }

    void timeOfTheJob() {
        JobTimeline job;
        QCOMPARE(timeOfJob(job, 10), (PointSpan{10, 10, 0}));
        job.stepTime = {none, none, 6, none, 6, none, none, none, none, none};
        QCOMPARE(timeOfJob(job, 10), (PointSpan{2, 5, 0}));
        JobStop stop;
        stop.span = {1, 2, 1};
        job.stops.push_back(stop);
        stop.span = {6, 8, 2};
        job.stops.push_back(stop);
        QCOMPARE(timeOfJob(job, 10), (PointSpan{1, 8, 0}));
    }
};

QTEST_APPLESS_MAIN(TestJobStops)

} // namespace tst_job_stops

#include "tst_job_stops.moc"
