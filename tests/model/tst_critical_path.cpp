// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/pipeline_idle.h"
#include "model/schedule/schedule_rules.h"
#include "model/schedule/timeline.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tst_critical_path {

using namespace alidade;

namespace {

using S = PipelineSchedule;

/// How the times of the stages differ.
enum class Times : std::uint8_t {
    any,           ///< each is drawn by itself
    slowOperation, ///< of equal ones, forward or one gradient of one stage takes five times as long
    slowStage,     ///< all of one stage take four times as long
};

class Draw {
public:
    PipelinePlan plan(S schedule, Times times, bool transfers) {
        PipelinePlan out{.schedule = schedule, .stages = whole(2, 6)};
        const int p = out.stages;
        out.microbatches = whole(1, 3 * p);
        out.chunks = scheduleChunks(schedule) == 0 ? whole(2, 4) : scheduleChunks(schedule);
        if (schedule == S::interleaved && whole(0, 1) == 1) {
            out.microbatches = p * whole(1, 3);
        } else if (schedule == S::dualPipe) {
            out.stages = p + p % 2;
            out.microbatches = 2 * (out.stages + whole(0, p));
        } else if (schedule == S::dualPipeV) {
            out.microbatches = 2 * p + whole(0, 2 * p);
        }
        out.transfer = transfers ? real(0, 1) : 0;
        out.combined = whole(0, 2) == 0 ? real(0.75, 1) : 1;
        out.virtualStages = evenChunks(stages(out.stages, out.chunks, times), out.chunks);
        return out;
    }

private:
    std::vector<StageSeconds<double>> stages(int count, double chunks, Times times) {
        std::vector<StageSeconds<double>> out(static_cast<std::size_t>(count), {chunks, chunks, chunks});
        StageSeconds<double>& slow = out[static_cast<std::size_t>(whole(0, count - 1))];
        const int operation = whole(0, 2);
        if (times == Times::slowStage)
            slow = {4 * chunks, 4 * chunks, 4 * chunks};
        else if (times == Times::slowOperation)
            (operation == 0 ? slow.forward : operation == 1 ? slow.backwardInput : slow.backwardWeight) *= 5;
        else
            for (StageSeconds<double>& each : out)
                each = {chunks * real(0.1, 2), chunks * real(0.1, 2), chunks * real(0.1, 2)};
        return out;
    }
    int whole(int low, int high) { return std::uniform_int_distribution(low, high)(engine_); }
    double real(double low, double high) { return std::uniform_real_distribution(low, high)(engine_); }

    std::mt19937_64 engine_{2026};
};

} // namespace

/// The longest chain in closed form against the step played operation by operation, where the stages are as
/// unequal as they never are. Without transfers most steps are exact, and no schedule but DualPipe, whose
/// pairs are counted as one operation, has a chain that is longer than its step. How often and by how much a
/// step is missed otherwise bounds what an approximation more may cost.
class TestCriticalPath : public QObject {
    Q_OBJECT

private slots:
    void chainsAreThoseOfTheTimeline_data() {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<int>("times");
        QTest::addColumn<bool>("transfers");
        QTest::addColumn<int>("exact");           // percent of the plans, at least
        QTest::addColumn<double>("missedAtMost"); // mean share of the step that is missed, at most
        QTest::addColumn<double>("longer");       // share of the step, at most
        const auto row = [](const char* name, S schedule, Times times, bool transfers, int exact,
                            double missed, double longer) {
            QTest::addRow("%s, %s times%s", name,
                          times == Times::any         ? "any"
                          : times == Times::slowStage ? "a slow stage's"
                                                      : "a slow operation's",
                          transfers ? ", transfers" : "")
                << static_cast<int>(schedule) << static_cast<int>(times) << transfers << exact << missed
                << longer;
        };
        row("gpipe", S::gpipe, Times::any, false, 100, 0, 0);
        row("1F1B", S::oneForwardOneBackward, Times::any, false, 100, 0, 0);
        row("interleaved", S::interleaved, Times::any, false, 81, 0.0015, 0);
        row("ZB-H1", S::zeroBubbleH1, Times::any, false, 86, 0.0015, 0);
        row("ZB-V", S::zeroBubbleV, Times::any, false, 80, 0.0015, 0);
        row("DualPipe", S::dualPipe, Times::any, false, 80, 0.0012, 0.03);
        row("DualPipe-V", S::dualPipeV, Times::any, false, 64, 0.001, 0.03);
        row("gpipe", S::gpipe, Times::any, true, 100, 0, 0);
        row("1F1B", S::oneForwardOneBackward, Times::any, true, 88, 0.0009, 0);
        row("interleaved", S::interleaved, Times::any, true, 80, 0.0013, 0);
        row("ZB-H1", S::zeroBubbleH1, Times::any, true, 69, 0.0079, 0);
        row("ZB-V", S::zeroBubbleV, Times::any, true, 70, 0.0029, 0.05);
        row("DualPipe", S::dualPipe, Times::any, true, 15, 0.0258, 0.02);
        row("DualPipe-V", S::dualPipeV, Times::any, true, 39, 0.0105, 0.01);
        row("gpipe", S::gpipe, Times::slowOperation, false, 100, 0, 0);
        row("1F1B", S::oneForwardOneBackward, Times::slowOperation, false, 100, 0, 0);
        row("interleaved", S::interleaved, Times::slowOperation, false, 99, 0.0001, 0);
        row("ZB-H1", S::zeroBubbleH1, Times::slowOperation, false, 99, 0.0007, 0);
        row("ZB-V", S::zeroBubbleV, Times::slowOperation, false, 93, 0.0013, 0);
        row("DualPipe", S::dualPipe, Times::slowOperation, false, 96, 0.0007, 0.07);
        row("DualPipe-V", S::dualPipeV, Times::slowOperation, false, 86, 0.0003, 0.05);
        row("gpipe", S::gpipe, Times::slowOperation, true, 100, 0, 0);
        row("1F1B", S::oneForwardOneBackward, Times::slowOperation, true, 100, 0, 0);
        row("interleaved", S::interleaved, Times::slowOperation, true, 100, 0, 0);
        row("ZB-H1", S::zeroBubbleH1, Times::slowOperation, true, 91, 0.0024, 0);
        row("ZB-V", S::zeroBubbleV, Times::slowOperation, true, 85, 0.002, 0.01);
        row("DualPipe", S::dualPipe, Times::slowOperation, true, 28, 0.0172, 0.04);
        row("DualPipe-V", S::dualPipeV, Times::slowOperation, true, 59, 0.0051, 0.03);
        row("gpipe", S::gpipe, Times::slowStage, false, 100, 0, 0);
        row("1F1B", S::oneForwardOneBackward, Times::slowStage, false, 100, 0, 0);
        row("interleaved", S::interleaved, Times::slowStage, false, 100, 0, 0);
        row("ZB-H1", S::zeroBubbleH1, Times::slowStage, false, 100, 0, 0);
        row("ZB-V", S::zeroBubbleV, Times::slowStage, false, 71, 0.008, 0);
        row("DualPipe", S::dualPipe, Times::slowStage, false, 87, 0.0014, 0.04);
        row("DualPipe-V", S::dualPipeV, Times::slowStage, false, 68, 0.0005, 0.03);
        row("gpipe", S::gpipe, Times::slowStage, true, 100, 0, 0);
        row("1F1B", S::oneForwardOneBackward, Times::slowStage, true, 100, 0, 0);
        row("interleaved", S::interleaved, Times::slowStage, true, 98, 0.0001, 0);
        row("ZB-H1", S::zeroBubbleH1, Times::slowStage, true, 100, 0, 0);
        row("ZB-V", S::zeroBubbleV, Times::slowStage, true, 67, 0.0102, 0);
        row("DualPipe", S::dualPipe, Times::slowStage, true, 38, 0.0128, 0.04);
        row("DualPipe-V", S::dualPipeV, Times::slowStage, true, 57, 0.0033, 0.02);
    }
    void chainsAreThoseOfTheTimeline() {
        QFETCH(int, schedule);
        QFETCH(int, times);
        QFETCH(bool, transfers);
        QFETCH(int, exact);
        QFETCH(double, missedAtMost);
        QFETCH(double, longer);
        constexpr int plans = 400;
        Draw draw;
        int same = 0;
        double missed = 0, most = 0;
        for (int i = 0; i < plans; ++i) {
            const PipelinePlan plan =
                draw.plan(static_cast<S>(schedule), static_cast<Times>(times), transfers);
            const double closed = criticalPath({plan.schedule, plan.stages, plan.microbatches, plan.chunks,
                                                plan.virtualStages, plan.transfer, plan.combined});
            const double played = simulate(plan)->makespan, difference = closed / played - 1;
            same += std::abs(difference) < 1e-9 ? 1 : 0;
            missed += std::max(0.0, -difference) / plans;
            most = std::max(most, difference);
        }
        QVERIFY2(100 * same >= exact * plans, QByteArray::number(same));
        QVERIFY2(missed <= missedAtMost + 1e-12, QByteArray::number(missed));
        QVERIFY2(most <= longer + 1e-9, QByteArray::number(most));
    }
};

QTEST_GUILESS_MAIN(TestCriticalPath)

} // namespace tst_critical_path

#include "tst_critical_path.moc"
