// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/variable.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <string>

namespace tst_variable {

using namespace alidade;
using namespace alidade::test;

namespace {

const Catalog& catalog() { return smallCatalog(); }

Scenario resolvedOf(const ScenarioSpec& spec) { return *resolve(spec, catalog(), catalog().defaultProfile); }

std::size_t at(Input input) { return static_cast<std::size_t>(input); }

std::string errorOf(const char* path, const ScenarioSpec& spec) {
    const auto found = Variable::named(path, resolvedOf(spec));
    return found ? std::string() : found.error();
}

} // namespace

/// What a what-if can change: fields, and numbers of the catalog and the calibration.
class TestVariable : public QObject {
    Q_OBJECT

private slots:
    void fieldsAndNumbers() {
        const Scenario scenario = resolvedOf(trainingSpec());
        const Variable batch = *Variable::named("workload.global_batch", scenario);
        QVERIFY(batch.kind() == Variable::Kind::field && batch.field() && !batch.input());
        QCOMPARE(batch.path(), std::string("workload.global_batch"));
        QCOMPARE(batch.label(), std::string(batch.field()->label));
        QVERIFY(batch.isNumber() && batch.isInteger() && !batch.isDate() && batch.hasOrder());
        QVERIFY(batch.value(scenario) == FieldValue(std::int64_t{64}));
        QVERIFY(batch.valueOf(2.6) == FieldValue(std::int64_t{3}));
        const Variable bandwidth(Input::memoryBandwidth);
        QVERIFY(bandwidth.kind() == Variable::Kind::catalog && !bandwidth.field());
        QVERIFY(bandwidth.input() == Input::memoryBandwidth);
        QCOMPARE(bandwidth.path(), std::string(inputInfo(Input::memoryBandwidth).name));
        QCOMPARE(bandwidth.label(), std::string(inputInfo(Input::memoryBandwidth).label));
        QVERIFY(bandwidth.dimension() == Dimension::bytesPerSecond);
        QVERIFY(bandwidth.isNumber() && !bandwidth.isInteger() && !bandwidth.isDate());
        QVERIFY(bandwidth.value(scenario) == FieldValue(3.2e12)); // 40 x 80 GB
        QVERIFY(bandwidth.valueOf(2.6) == FieldValue(2.6));
        QCOMPARE(bandwidth.minimum(), 0.0);
        QVERIFY(std::isinf(bandwidth.maximum()));
        const Variable share(Input::gemmComputeEfficiency);
        QVERIFY(share.kind() == Variable::Kind::constant);
        QCOMPARE(share.maximum(), 1.0);
        const Variable model = *Variable::named("workload.model", scenario);
        QVERIFY(!model.isNumber() && !model.isInteger() && !model.hasOrder());
        const Variable date = *Variable::named("order.start", scenario);
        QVERIFY(date.isDate() && date.hasOrder() && !date.isNumber());
    }

    void limitsOfFields() {
        Field field;
        field.kind = FieldKind::quantity;
        field.minimum = 2;
        field.maximum = 5;
        QCOMPARE(Variable(field).minimum(), 2.0);
        QCOMPARE(Variable(field).maximum(), 5.0);
        QVERIFY(Variable(field).isNumber() && !Variable(field).isInteger());
        field.maximum = 2; // none
        QVERIFY(std::isinf(Variable(field).maximum()));
        field.kind = FieldKind::integer;
        QVERIFY(Variable(field).isInteger());
    }

    void namesThatAreNone() {
        QCOMPARE(errorOf("workload.output_tokens", trainingSpec()),
                 std::string("workload.output_tokens is a field of serving, and this scenario is training"));
        QCOMPARE(errorOf("plan.tensor_paralel", trainingSpec()),
                 std::string("there is no field and no number of the catalog or the calibration "
                             "'plan.tensor_paralel' in this scenario; the nearest is "
                             "'plan.tensor_parallel'"));
        QCOMPARE(errorOf("qqqqqqqqqqqqqqqqqqqqqqqqqqqq", trainingSpec()),
                 std::string("there is no field and no number of the catalog or the calibration "
                             "'qqqqqqqqqqqqqqqqqqqqqqqqqqqq' in this scenario"));
        // How much there is follows from the plan; what the step does not use is not known.
        for (const Input input : {Input::gpus, Input::paidItems, Input::baseItems})
            QVERIFY(!errorOf(std::string(inputInfo(input).name).c_str(), trainingSpec()).empty());
        Scenario scenario = resolvedOf(trainingSpec());
        QVERIFY(mayVary(scenario, Input::memoryBandwidth) && mayVary(scenario, Input::gemmComputeEfficiency));
        QVERIFY(!mayVary(scenario, Input::gpus) && !mayVary(scenario, Input::paidItems));
        QVERIFY(!mayVary(scenario, Input::hiddenSize)); // of the model
        scenario.inputs[Input::baseItems] = 2;
        QVERIFY(!mayVary(scenario, Input::baseItems));
        scenario.inputs[Input::memoryBandwidth] = 0;
        QVERIFY(!mayVary(scenario, Input::memoryBandwidth));
        scenario.inputs[Input::memoryBandwidth] = std::numeric_limits<double>::infinity();
        QVERIFY(!mayVary(scenario, Input::memoryBandwidth));
    }

    void valuesAsWritten() {
        const auto error = [](const Variable& variable, const char* text) {
            const auto value = variable.parse(text);
            return value ? std::string() : value.error();
        };
        const Variable bandwidth(Input::memoryBandwidth), share(Input::gemmComputeEfficiency);
        const std::string bandwidthName = bandwidth.path(), shareName = share.path();
        QVERIFY(*bandwidth.parse("2 TB/s") == FieldValue(2e12));
        QVERIFY(*share.parse("50 %") == FieldValue(0.5) && *share.parse("1") == FieldValue(1.0));
        QCOMPARE(error(bandwidth, "0 B/s"), bandwidthName + ": '0 B/s' must be above 0");
        QCOMPARE(error(share, "101 %"), shareName + ": '101 %' must be above 0 and at most 1");
        QCOMPARE(error(share, "0"), shareName + ": '0' must be above 0 and at most 1");
        QVERIFY(error(bandwidth, "fast").starts_with(bandwidthName + ": "));
        const Variable batch = *Variable::named("plan.micro_batch", resolvedOf(trainingSpec()));
        QVERIFY(*batch.parse("4") == FieldValue(std::int64_t{4}));
        QVERIFY(error(batch, "0").starts_with("plan.micro_batch: "));
        QVERIFY(error(batch, "many").starts_with("plan.micro_batch: "));
    }

    void placesOfValues() {
        const Variable bandwidth(Input::memoryBandwidth);
        QCOMPARE(placeOf(bandwidth, FieldValue(2.5)), std::optional(2.5));
        QCOMPARE(placeOf(bandwidth, FieldValue(std::string("2.5"))), std::optional<double>());
        const Scenario scenario = resolvedOf(trainingSpec());
        const Variable date = *Variable::named("order.start", scenario);
        const auto first = placeOf(date, FieldValue(std::string("2027-02-28"))),
                   next = placeOf(date, FieldValue(std::string("2027-03-01")));
        QVERIFY(first && next);
        QCOMPARE(*next - *first, 1.0);
        QVERIFY(!placeOf(date, FieldValue(std::string("soon"))));
        const Variable model = *Variable::named("workload.model", scenario);
        QVERIFY(!placeOf(model, FieldValue(std::string("2027-02-28"))) && !placeOf(model, FieldValue(1.0)));
        QCOMPARE(numberOf(FieldValue(std::int64_t{3})), std::optional(3.0));
        QCOMPARE(numberOf(FieldValue(true)), std::optional<double>());
    }

    /// One number under two names is changed under both: only where value and source are the same.
    void twins() {
        Scenario scenario = resolvedOf(trainingSpec());
        Inputs& in = scenario.inputs;
        const auto same = [&](Input a, Input b, double value) {
            in[a] = in[b] = value;
            scenario.origins[at(b)].source = scenario.origins[at(a)].source;
        };
        same(Input::peak, Input::reportingPeak, 1e15);
        same(Input::peak, Input::expertPeak, 1e15);
        in[Input::latentPeak] = 2e15;
        QVERIFY(leadingInput(scenario, Input::reportingPeak) == Input::peak);
        QVERIFY(leadingInput(scenario, Input::expertPeak) == Input::peak);
        QVERIFY(leadingInput(scenario, Input::latentPeak) == Input::latentPeak);
        QVERIFY(leadingInput(scenario, Input::peak) == Input::peak);
        applyNumbers(scenario,
                     {{Variable(Input::peak), FieldValue(3e15)},
                      {*Variable::named("plan.micro_batch", scenario), FieldValue(std::int64_t{2})}});
        QVERIFY(in[Input::peak] == 3e15 && in[Input::reportingPeak] == 3e15 && in[Input::expertPeak] == 3e15);
        QCOMPARE(in[Input::latentPeak], 2e15);
        in[Input::expertPeak] = 4e15;
        scenario.origins[at(Input::reportingPeak)].source = "elsewhere";
        applyNumbers(scenario, {{Variable(Input::peak), FieldValue(5e15)}});
        QVERIFY(in[Input::peak] == 5e15 && in[Input::reportingPeak] == 3e15 && in[Input::expertPeak] == 4e15);
        applyNumbers(scenario, {{Variable(Input::expertPeak), FieldValue(6e15)}});
        QVERIFY(in[Input::expertPeak] == 6e15 && in[Input::peak] == 5e15);
    }

    /// Of two pools, the last is shown; both change by the same factor.
    void pools() {
        Scenario scenario;
        scenario.inputs[Input::memoryBandwidth] = 1;
        QCOMPARE(inputsOf(scenario)[Input::memoryBandwidth], 1.0);
        scenario.pools.resize(2);
        scenario.pools[0].inputs[Input::memoryBandwidth] = 3;
        scenario.pools[1].inputs[Input::memoryBandwidth] = 2;
        scenario.pools[1].origins[at(Input::memoryBandwidth)].source = "sheet";
        QCOMPARE(inputsOf(scenario)[Input::memoryBandwidth], 2.0);
        QVERIFY(std::string_view(originsOf(scenario)[at(Input::memoryBandwidth)].source) == "sheet");
        applyNumbers(scenario, {{Variable(Input::memoryBandwidth), FieldValue(8.0)}});
        QCOMPARE(scenario.inputs[Input::memoryBandwidth], 8.0);
        QCOMPARE(scenario.pools[0].inputs[Input::memoryBandwidth], 12.0);
        QCOMPARE(scenario.pools[1].inputs[Input::memoryBandwidth], 8.0);
        scenario.pools[1].inputs[Input::memoryBandwidth] = 0;
        applyNumbers(scenario, {{Variable(Input::memoryBandwidth), FieldValue(7.0)}});
        QCOMPARE(scenario.pools[0].inputs[Input::memoryBandwidth], 7.0);
    }

    /// The number of the profile that was taken: same name, value and source, and not exact.
    void parametersOfTheProfile() {
        const Scenario scenario = resolvedOf(trainingSpec());
        Profile profile = catalog().defaultProfile;
        const auto found = [&]() -> const Parameter* {
            return uncertainParameter(scenario, profile, Input::gemmComputeEfficiency);
        };
        QVERIFY(found() && found()->name == "gemm_compute_efficiency");
        QVERIFY(!uncertainParameter(scenario, profile, Input::memoryBandwidth));
        QVERIFY(!uncertainParameter(scenario, profile, Input::attentionScoreBytes)); // exact
        const auto change = [&](auto how) {
            profile = catalog().defaultProfile;
            for (Parameter& each : profile.parameters)
                if (each.name == "gemm_compute_efficiency")
                    how(each);
            return found() == nullptr;
        };
        QVERIFY(change([](Parameter& each) { each.value *= 2; }));
        QVERIFY(change([](Parameter& each) { each.source = "elsewhere"; }));
        QVERIFY(change([](Parameter& each) { each.logSd = 0; }));
    }

    void estimatesUnderChanges() {
        const ScenarioSpec spec = trainingSpec();
        const Explorer explorer(spec, catalog(), catalog().defaultProfile);
        const Variable bandwidth(Input::memoryBandwidth),
            micro = *Variable::named("plan.micro_batch", resolvedOf(spec));
        const VariableSettings settings{{bandwidth, FieldValue(1e12)}, {micro, FieldValue(std::int64_t{2})}};
        QCOMPARE(*explorer.specWith(settings).plan.microBatch, std::int64_t{2});
        QCOMPARE(explorer.scenarioWith(settings)->inputs[Input::memoryBandwidth], 1e12);
        const auto now = explorer.figure("training.step_time_s", {}),
                   slow = explorer.figure("training.step_time_s", {{bandwidth, FieldValue(1e12)}});
        QVERIFY(now && slow && *slow > *now);
        // A plan besides keeps the numbers.
        const auto there = explorer.with({{bandwidth, FieldValue(1e12)}}, {{"plan.micro_batch", "2"}});
        QCOMPARE(there->training->stepTime, *explorer.figure("training.step_time_s", settings));
        QVERIFY(!explorer.with({}, {{"plan.micro_batch", "many"}}));
        const ExploredFigure some = explorer.figureAndBound("no.such_figure", {});
        QVERIFY(!some.value && some.bound);
        // No batch of 64 is dealt to micro-batches of 3.
        const ExploredFigure none =
            explorer.figureAndBound("cost.dollars_per_hour", {{micro, FieldValue(std::int64_t{3})}});
        QVERIFY(!none.value && !none.bound);
        const Estimate estimate = *explorer.with({});
        QCOMPARE(noSuchFigure(estimate, "training.step_tim_s"),
                 std::string("'training.step_tim_s' is not a figure of this estimate; the nearest is "
                             "'training.step_time_s'"));
        QCOMPARE(noSuchFigure(estimate, "qqqqqqqqqqqqqqqqqqqqqqqqqq"),
                 std::string("'qqqqqqqqqqqqqqqqqqqqqqqqqq' is not a figure of this estimate"));
    }

    /// A training that does not fit has a step time; a service that does not has nothing.
    void whatDoesNotFit() {
        ScenarioSpec training = trainingSpec();
        training.plan.tensorParallel = 1;
        training.plan.microBatch = 4;
        const Explorer trainer(training, catalog(), catalog().defaultProfile);
        const auto unfit = trainer.with({});
        QVERIFY(unfit->runs && !unfit->fits);
        QVERIFY(trainer.figure("training.step_time_s", {}));
        ScenarioSpec service = servingSpec();
        service.cluster.instance = "b.8";
        service.plan.tensorParallel = 1;
        service.workload.inputTokens = 100'000;
        service.workload.requestRatePerS = 0.001;
        const Explorer server(service, catalog(), catalog().defaultProfile);
        const Variable memory(Input::capacity);
        QVERIFY(server.figure("serving.tpot_s", {}));
        QVERIFY(!server.with({{memory, FieldValue(1e10)}})->fits);
        QVERIFY(!server.figureAndBound("serving.tpot_s", {{memory, FieldValue(1e10)}}).bound);
    }
};

QTEST_GUILESS_MAIN(TestVariable)

} // namespace tst_variable

#include "tst_variable.moc"
