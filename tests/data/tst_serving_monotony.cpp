// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// What more hardware, longer requests and more load may never do to a service, over random services.
#include "data/catalog/catalog_reader.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/evaluate_serving.h"
#include "model/scenario/scenario.h"
#include "model/serving/pool_model.h"
#include "model/serving/validity.h"
#include "tests/sanitized.h"

#include <QTest>

#include <cmath>
#include <memory>
#include <random>

namespace tst_serving_monotony {

using namespace alidade;

namespace {

constexpr double rounding = 0.015; ///< of waiting times, whose terms are matched to each other

/// The figures that a person plans with. Seconds, tokens/s.
struct Figures {
    double ttft = 0, itl = 0, e2e = 0, throughput = 0;
    bool stable = false;
};

class Services {
public:
    explicit Services(const Catalog& catalog)
        : catalog_(catalog) {}

    std::optional<Scenario> resolved(const ScenarioSpec& spec) const {
        auto out = resolve(spec, catalog_, catalog_.defaultProfile);
        return out && out->runs() ? std::optional(std::move(*out)) : std::nullopt;
    }
    /// nullopt: it does not fit.
    std::optional<Figures> with(const Scenario& scenario, Input changed, double factor) const {
        std::array<Inputs, 2> inputs{scenario.pools[0].inputs};
        inputs[0][changed] *= factor;
        return of(scenario, inputs[0]);
    }
    std::optional<Figures> of(const Scenario& scenario, const Inputs& inputs) const {
        evaluateServing<double>(scenario, std::span(&inputs, 1), *totals_, nullptr, ServingDetail::means);
        const ServingTotals& t = *totals_;
        // Elsewhere the estimate plays the engine.
        const RequestLoad load = workerLoad(inputs, inputs[Input::requestRate], inputs[Input::concurrency]);
        const bool closedForm = closedFormLimit(load, t.decoding().state) == ClosedFormLimit::none;
        return t.fits && closedForm
                   ? std::optional(Figures{t.ttft, t.itl, t.e2e, t.outputTokensPerSecond, t.stable})
                   : std::nullopt;
    }
    std::optional<Figures> of(const ScenarioSpec& spec) const {
        const auto scenario = resolved(spec);
        return scenario ? of(*scenario, scenario->pools[0].inputs) : std::nullopt;
    }

private:
    const Catalog& catalog_;
    std::unique_ptr<ServingTotals> totals_ = std::make_unique<ServingTotals>();
};

class Draw {
public:
    explicit Draw(std::mt19937& random)
        : random_(random) {}
    template <class T>
    T of(std::initializer_list<T> choices) {
        return *(choices.begin() + random_() % choices.size());
    }

private:
    std::mt19937& random_;
};

ScenarioSpec randomService(std::mt19937& random) {
    Draw draw(random);
    ScenarioSpec s;
    s.workload.kind = WorkloadKind::serving;
    s.workload.model = draw.of<std::string>(
        {"llama-3.1-8b", "llama-3.1-70b", "gpt-oss-120b", "qwen3-32b", "mixtral-8x7b", "deepseek-v3"});
    s.workload.inputTokens = draw.of({32., 200., 1000., 4000., 30000.});
    s.workload.outputTokens = draw.of({64., 200., 1000., 4000.});
    s.workload.inputTokensCv = s.workload.outputTokensCv = draw.of({0., 0., 0.06, 0.5, 1.});
    if (draw.of({true, true, false}))
        s.workload.concurrency = draw.of({1., 4., 32., 200., 512.});
    else
        s.workload.requestRatePerS = draw.of({0.1, 1., 5., 20.});
    s.workload.prefixCacheHit = draw.of({0., 0., 0.5});
    s.cluster.instance =
        draw.of<std::string>({"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "p4de.24xlarge"});
    s.cluster.instances = 1;
    s.plan.engine = draw.of<std::string>({"vllm", "sglang", "tensorrt-llm"});
    s.plan.tensorParallel = draw.of<std::int64_t>({1, 2, 4, 8});
    s.plan.dataParallel = 1;
    return s;
}

QString words(const Figures& f) {
    return QStringLiteral(" TTFT %1 ITL %2 E2E %3 tokens/s %4;")
        .arg(f.ttft)
        .arg(f.itl)
        .arg(f.e2e)
        .arg(f.throughput);
}
QString written(const ScenarioSpec& spec) { return QString::fromStdString(data::writeScenario(spec)); }

} // namespace

class TestServingMonotony : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        QVERIFY(catalog_);
    }
    void fasterHardware();
    void longerRequests();
    void theSpreadOfLengthsIsContinuous();

private:
    std::shared_ptr<const Catalog> catalog_;
};

void TestServingMonotony::fasterHardware() {
    const Services services(*catalog_);
    std::mt19937 random(20'261'123);
    int judged = 0;
    for (int i = 0; i < test::draws(1500); ++i) {
        const ScenarioSpec spec = randomService(random);
        const auto scenario = services.resolved(spec);
        if (!scenario)
            continue;
        for (const auto& [input, name] :
             {std::pair{Input::memoryBandwidth, "HBM"}, std::pair{Input::peak, "peak FLOP/s"},
              std::pair{Input::nvlinkBandwidth, "NVLink"}}) {
            std::optional<Figures> before;
            for (const double factor : {0.5, 0.9, 1.0, 1.1, 2.0, 4.0}) {
                const auto now = services.with(*scenario, input, factor);
                if (now && before && before->stable && now->stable) {
                    ++judged;
                    const bool slower = now->itl > before->itl * (1 + rounding) ||
                                        now->e2e > before->e2e * (1 + rounding) ||
                                        now->throughput < before->throughput * (1 - rounding);
                    QVERIFY2(!slower,
                             qPrintable(QStringLiteral("%1 x %2: ").arg(QLatin1String(name)).arg(factor) +
                                        words(*before) + words(*now) + written(spec)));
                }
                before = now;
            }
        }
    }
    QVERIFY2(judged > test::draws(8000), qPrintable(QString::number(judged)));
}

void TestServingMonotony::longerRequests() {
    const Services services(*catalog_);
    std::mt19937 random(20'261'124);
    int judged = 0;
    QString fault;
    for (int i = 0; i < test::draws(1500); ++i) {
        const ScenarioSpec spec = randomService(random);
        const auto base = services.of(spec);
        if (!base || !base->stable)
            continue;
        const auto never = [&](const char* change, auto edit, double Figures::* figure, bool falls) {
            ScenarioSpec other = spec;
            edit(other.workload);
            const auto now = services.of(other);
            if (!now || !now->stable)
                return;
            ++judged;
            const double was = (*base).*figure, is = (*now).*figure;
            if (falls ? is < was * (1 - rounding) : is > was * (1 + rounding))
                fault = QLatin1String(change) + words(*base) + words(*now) + written(spec);
        };
        const bool falls = true, rises = false;
        never("answer x 1.1", [](auto& w) { *w.outputTokens *= 1.1; }, &Figures::e2e, falls);
        never("answer x 2", [](auto& w) { *w.outputTokens *= 2; }, &Figures::e2e, falls);
        never("prompt x 1.1", [](auto& w) { *w.inputTokens *= 1.1; }, &Figures::e2e, falls);
        never("prompt x 2", [](auto& w) { *w.inputTokens *= 2; }, &Figures::ttft, falls);
        never("prefix hits + .1", [](auto& w) { *w.prefixCacheHit += 0.1; }, &Figures::ttft, rises);
        never("prefix hits + .4", [](auto& w) { *w.prefixCacheHit += 0.4; }, &Figures::ttft, rises);
        never("prefix hits + .4", [](auto& w) { *w.prefixCacheHit += 0.4; }, &Figures::e2e, rises);
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }
    QVERIFY2(judged > test::draws(4000), qPrintable(QString::number(judged)));
}

/// Requests of one length do not behave otherwise than requests of nearly one length. (Chunks that prompts of
/// one length fill exactly make the most of it: 13 % of the time to the first token.)
void TestServingMonotony::theSpreadOfLengthsIsContinuous() {
    const Services services(*catalog_);
    std::mt19937 random(20'261'125);
    int judged = 0;
    for (int i = 0; i < test::draws(1500); ++i) {
        ScenarioSpec spec = randomService(random);
        std::optional<Figures> before;
        for (const double cv : {0.0, 0.0005, 0.002, 0.005, 0.01, 0.015, 0.02}) {
            spec.workload.inputTokensCv = spec.workload.outputTokensCv = cv;
            const auto now = services.of(spec);
            if (now && before && now->stable && before->stable) {
                ++judged;
                QVERIFY2(std::abs(now->ttft / before->ttft - 1) < 0.15 &&
                             std::abs(now->itl / before->itl - 1) < 0.04,
                         qPrintable(words(*before) + words(*now) + written(spec)));
            }
            before = now;
        }
    }
    QVERIFY2(judged > test::draws(4000), qPrintable(QString::number(judged)));
}

QTEST_APPLESS_MAIN(TestServingMonotony)

} // namespace tst_serving_monotony

#include "tst_serving_monotony.moc"
