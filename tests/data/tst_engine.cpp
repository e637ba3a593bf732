// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: alone
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/advice/candidates.h"
#include "model/advice/fixes.h"
#include "model/advice/layouts.h"
#include "model/advice/suggest.h"
#include "model/engine/engine.h"
#include "model/estimate/evaluate.h"
#include "model/scenario/fields.h"
#include "tests/allocations.h"

#include <QTest>

#include <cmath>
#include <numeric>
#include <random>

using namespace alidade;

class TestEngine : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        catalog_ = data::loadShippedCatalog().catalog;
        QVERIFY(catalog_);
    }

    void theSamplesAreThere() {
        const std::vector<std::string> wanted{"llama-3.1-405b-2048xp5.48xlarge",
                                              "llama-3.1-70b-64xp5.48xlarge",
                                              "llama-3.1-8b-1xp5.4xlarge",
                                              "llama-3.1-70b-16xp6-b200.48xlarge",
                                              "gpt-3-175b-128xp4d.24xlarge",
                                              "llama-3.1-405b-4xu-p6e-gb200x72",
                                              "deepseek-v3-256xp5en.48xlarge",
                                              "deepseek-v3-8xu-p6e-gb200x72",
                                              "llama-3.1-8b-8xp5.48xlarge",
                                              "qwen3-235b-a22b-32xp6-b300.48xlarge",
                                              "mixtral-8x22b-16xp5.48xlarge",
                                              "llama-3.1-70b-lora-1xp5.48xlarge",
                                              "serve-llama-3.1-70b-1xp5en.48xlarge",
                                              "serve-gpt-oss-120b-1xp5.48xlarge",
                                              "serve-deepseek-r1-1xu-p6e-gb200x72",
                                              "serve-deepseek-r1-24xp5en.48xlarge",
                                              "serve-llama-3.1-70b-rag-1xp6-b200.48xlarge",
                                              "serve-llama-3.1-8b-1xp5.4xlarge"};
        for (const std::string& id : wanted)
            QVERIFY2(data::shippedScenario(id), id.c_str());
    }

    void llama405bFitsAndRunsAsMeasured() {
        // Llama 3 paper (arXiv 2407.21783), table 4: 400 TFLOP/s per GPU in BF16 on 16,384 H100.
        const Estimate e = estimateOf("llama-3.1-405b-2048xp5.48xlarge");
        QVERIFY(e.runs && e.fits);
        const double teraflops = e.training->modelFlopsPerSecondPerGpu / 1e12;
        QVERIFY2(teraflops > 380 && teraflops < 440, qPrintable(QString::number(teraflops)));
        QCOMPARE(e.gpus, 16384);
        QVERIFY(e.cost && *e.cost->dollarsPerRun > 0);
    }

    void llama8bOnOneGpuDoesNotFitAndSaysWhatWould() {
        const Estimate e = estimateOf("llama-3.1-8b-1xp5.4xlarge");
        QVERIFY(e.runs && !e.fits);
        const auto problem = std::find_if(e.problems.begin(), e.problems.end(),
                                          [](const Problem& p) { return p.severity == Severity::error; });
        QVERIFY(problem != e.problems.end());
        QVERIFY(problem->message.starts_with("Does not fit"));
        QVERIFY(problem->fix);
    }

    void everySampleRunsAndItsPartsSumUp_data() { sampleRows(); }
    void everySampleRunsAndItsPartsSumUp() {
        QFETCH(QString, id);
        const Estimate e = estimateOf(id.toStdString());
        QVERIFY(e.runs);
        const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); };
        double step = 0;
        for (const auto& part : e.training->breakdown) {
            QVERIFY(part.seconds > 0);
            step += part.seconds;
        }
        QVERIFY(near(step, e.training->stepTime));
        const auto sum = [](const auto& parts) {
            return std::accumulate(parts.begin(), parts.end(), 0.0,
                                   [](double s, const auto& p) { return s + p.bytes; });
        };
        QVERIFY(near(sum(e.memory->parts), e.memory->totalBytes));
        for (const auto& stage : e.memory->stages) {
            QVERIFY(near(sum(stage.parts), stage.totalBytes));
            QVERIFY(stage.totalBytes <= e.memory->totalBytes * (1 + 1e-12));
        }
        QVERIFY(near(e.memory->capacityBytes - e.memory->reserveBytes - e.memory->totalBytes,
                     e.memory->headroomBytes));
        QCOMPARE(e.fits, e.memory->lowBytes <= e.memory->capacityBytes - e.memory->reserveBytes);
        int layers = 0;
        for (const auto& stage : e.training->stages)
            layers += stage.layers;
        int ofKinds = 0;
        for (const auto& layer : e.training->layers) {
            const bool decoder = layer.kind != "embedding" && layer.kind != "mtp" && layer.kind != "head";
            ofKinds += decoder ? layer.count : 0;
        }
        QCOMPARE(layers, ofKinds);
        for (const auto& layer : e.training->layers) {
            double seconds = 0;
            for (const auto& op : layer.ops) {
                QVERIFY(op.efficiency > 0 && op.efficiency <= 1);
                seconds += op.seconds;
            }
            for (const auto& comm : layer.communication) {
                QVERIFY(comm.exposed <= comm.seconds * (1 + 1e-12));
                seconds += comm.exposed;
            }
            QVERIFY(layer.seconds >= seconds * (1 - 1e-12)); // the host may be slower than its GPU
        }
        QVERIFY(e.training->mfu > 0.1 && e.training->mfu < e.training->hfu + 1e-12);
        QVERIFY(e.headline->low < e.headline->value && e.headline->value < e.headline->high);
    }

    void tensorParallelismChangesEverything() {
        ScenarioSpec spec = specOf("llama-3.1-405b-2048xp5.48xlarge");
        const Estimate eight = run(spec);
        spec = *withField(spec, "plan.tensor_parallel", "4");
        const Estimate four = run(spec);
        QVERIFY(four.runs);
        QVERIFY(four.memory->totalBytes > 1.1 * eight.memory->totalBytes);
        QVERIFY(four.training->stepTime != eight.training->stepTime);
        QVERIFY(four.memory->headroomBytes < 0);
    }

    void whatIsNotModeledGivesNoFigure_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::newRow("accelerators of another vendor") << "cluster.instance" << "trn1.32xlarge";
        QTest::newRow("a single one of them") << "cluster.instance" << "trn1.2xlarge";
    }
    void whatIsNotModeledGivesNoFigure() {
        QFETCH(QString, field);
        QFETCH(QString, value);
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        const auto changed = withField(spec, field.toStdString(), value.toStdString());
        QVERIFY2(changed, changed.error().c_str());
        const Estimate e = run(*changed);
        QVERIFY(!e.runs && !e.training && !e.cost && !e.headline);
        const bool said = std::any_of(e.problems.begin(), e.problems.end(), [](const Problem& p) {
            return p.message.find("Trainium") != std::string::npos &&
                   p.message.find("is not modeled") != std::string::npos;
        });
        QVERIFY(said);
    }

    /// Without NVLink, tensor parallelism goes over PCIe: through host memory at 40 % of x16 (A10G,
    /// generation 4: 12.8 GB/s), or from GPU to GPU where the instance allows it, at 85 % (generation 5: 54.4
    /// GB/s).
    void gpusWithoutNvlinkUsePcie_data() {
        QTest::addColumn<QString>("instance");
        QTest::addColumn<double>("rate");
        QTest::newRow("A10G") << "g5.12xlarge" << 0.4 * 32e9;
        QTest::newRow("L4") << "g6.12xlarge" << 0.4 * 32e9;
        QTest::newRow("L40S") << "g6e.12xlarge" << 0.4 * 32e9;
        QTest::newRow("T4") << "g4dn.12xlarge" << 0.4 * 16e9;
        QTest::newRow("RTX PRO 6000") << "g7e.48xlarge" << 0.85 * 64e9;
    }
    void gpusWithoutNvlinkUsePcie() {
        QFETCH(QString, instance);
        QFETCH(double, rate);
        ScenarioSpec spec;
        spec.workload.kind = WorkloadKind::serving;
        spec.workload.model = "llama-3.2-3b";
        spec.workload.inputTokens = 500;
        spec.workload.outputTokens = 100;
        spec.workload.concurrency = 8;
        spec.cluster.instance = instance.toStdString();
        spec.plan.tensorParallel = 4;
        spec.plan.weights = "bf16";
        const auto scenario = resolve(spec, *catalog_, catalog_->defaultProfile);
        QVERIFY2(scenario, scenario ? "" : scenario.error().c_str());
        QCOMPARE(scenario->pools[0].inputs[Input::nvlinkBandwidth], rate);
        const Estimate e = run(spec);
        QVERIFY(e.runs && e.fits && e.serving);
        const bool said = std::any_of(e.problems.begin(), e.problems.end(), [](const Problem& p) {
            return p.severity != Severity::error && p.message.find("over PCIe") != std::string::npos;
        });
        QVERIFY(said);
        spec.plan.tensorParallel = 1; // nothing goes between GPUs
        spec.cluster.gpus = 1;
        const Estimate one = run(spec);
        QVERIFY(std::none_of(one.problems.begin(), one.problems.end(),
                             [](const Problem& p) { return p.message.find("PCIe") != std::string::npos; }));
    }

    void unknownIdsNameTheNearestOne() {
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        spec.workload.model = "llama-3.1-70";
        const auto e = estimate(spec, *catalog_, catalog_->defaultProfile);
        QVERIFY(!e);
        QVERIFY(e.error().starts_with("/workload/model: "));
        QVERIFY(e.error().find("llama-3.1-70b") != std::string::npos);
    }

    void aFasterMachineIsNeverSlower_data() {
        QTest::addColumn<int>("input");
        for (const Input input :
             {Input::peak, Input::reportingPeak, Input::memoryBandwidth, Input::nvlinkBandwidth,
              Input::networkBandwidth, Input::gemmComputeEfficiency, Input::attentionEfficiency}) {
            QTest::newRow(inputInfo(input).name) << static_cast<int>(input);
        }
    }
    void aFasterMachineIsNeverSlower() {
        QFETCH(int, input);
        for (const auto& sample : trainingSamples()) {
            const auto scenario = resolve(specOf(sample.id), *catalog_, catalog_->defaultProfile);
            QVERIFY(scenario);
            auto totals = std::make_unique<Totals>();
            evaluate(*scenario, scenario->inputs, *totals);
            const double before = totals->stepTime;
            Inputs faster = scenario->inputs;
            faster[static_cast<Input>(input)] *= 1.2;
            evaluate(*scenario, faster, *totals);
            QVERIFY2(totals->stepTime <= before * (1 + 1e-12), sample.id.c_str());
        }
    }

    void anEvaluationAllocatesNothing_data() { sampleRows(); }
    void anEvaluationAllocatesNothing() {
        QFETCH(QString, id);
        const auto scenario = resolve(specOf(id.toStdString()), *catalog_, catalog_->defaultProfile);
        auto totals = std::make_unique<Totals>();
        const std::size_t before = allocations;
        evaluate(*scenario, scenario->inputs, *totals);
        QCOMPARE(allocations - before, std::size_t{0});
    }

    /// Searches, fits and the fields' legal degrees resolve thousands of plans: most texts are shared, not
    /// made each time.
    void resolvingAllocatesLittle_data() { sampleRows(); }
    void resolvingAllocatesLittle() {
        QFETCH(QString, id);
        const ScenarioSpec spec = specOf(id.toStdString());
        const auto first = resolve(spec, *catalog_, catalog_->defaultProfile); // fills the tables that stay
        QVERIFY(first);
        const std::size_t before = allocations;
        const auto scenario = resolve(spec, *catalog_, catalog_->defaultProfile);
        const std::size_t made = allocations - before;
        QVERIFY(scenario);
        QVERIFY2(made <= 150, qPrintable(QString::number(made))); // 50 of Llama 3.1 405B
    }

    /// The table of a profile's constants follows each change of the profile.
    void aChangedProfileIsSeen() {
        const ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        Profile profile = catalog_->defaultProfile;
        const auto efficiency = [&] {
            return resolve(spec, *catalog_, profile)->inputs[Input::gemmComputeEfficiency];
        };
        const double shipped = efficiency();
        profile.parameters.push_back({.name = "gemm_compute_efficiency",
                                      .gpu = "h100-sxm",
                                      .precision = "bf16",
                                      .stack = "*",
                                      .value = shipped / 2,
                                      .unit = "ratio",
                                      .source = "a test"});
        QCOMPARE(efficiency(), shipped / 2);
        profile.parameters.back().value = shipped / 4;
        QCOMPARE(efficiency(), shipped / 4);
        const Profile copy = profile;
        profile.parameters.back().precision = "fp8";
        QCOMPARE(efficiency(), shipped);
        QCOMPARE(resolve(spec, *catalog_, copy)->inputs[Input::gemmComputeEfficiency], shipped / 4);
    }

    void tracingGivesTheSameDoubles() {
        const auto scenario =
            resolve(specOf("llama-3.1-70b-64xp5.48xlarge"), *catalog_, catalog_->defaultProfile);
        auto plain = std::make_unique<Totals>();
        evaluate(*scenario, scenario->inputs, *plain);
        Trace trace;
        auto traced = std::make_unique<TotalsT<Traced>>();
        evaluate(*scenario, tracedInputs(trace, scenario->inputs, scenario->origins), *traced);
        QCOMPARE(traced->stepTime.value(), plain->stepTime);
        QCOMPARE(traced->memoryTotal.value(), plain->memoryTotal);
        QCOMPARE(traced->dollarsPerRun.value(), plain->dollarsPerRun);
    }

    void legalDegreesAreLegal() {
        const ScenarioSpec spec = specOf("llama-3.1-405b-2048xp5.48xlarge");
        for (const char* path : {"plan.tensor_parallel", "plan.pipeline_parallel", "plan.virtual_pipeline",
                                 "plan.micro_batch"}) {
            const Field* field = findField(path);
            QVERIFY(field);
            const auto degrees = legalDegrees(*field, spec, *catalog_);
            QVERIFY2(degrees.size() >= 2, path);
            for (const std::int64_t degree : degrees) {
                const auto changed = withField(spec, path, std::to_string(degree));
                QVERIFY(changed);
                QVERIFY(resolve(*changed, *catalog_, catalog_->defaultProfile)->legal);
            }
        }
    }

    void suggestionsGainWhatTheySay_data() { sampleRows(); }
    void suggestionsGainWhatTheySay() {
        QFETCH(QString, id);
        const ScenarioSpec spec = specOf(id.toStdString());
        const Estimate before = run(spec);
        Evaluator evaluator(*catalog_, catalog_->defaultProfile);
        const auto suggestions = suggestWith(evaluator, spec, 3);
        QVERIFY(!suggestions.empty() || before.gpus == 1);
        // What keeps the window quick: 0.1 ms each in a release build.
        QVERIFY2(evaluator.tried() <= 250, qPrintable(QString::number(evaluator.tried())));
        for (const Suggestion& s : suggestions) {
            ScenarioSpec changed = spec;
            for (const auto& [path, text] : s.change.set)
                changed = *withField(changed, path, text);
            const Estimate after = run(changed);
            QVERIFY(after.runs && after.fits);
            QCOMPARE(after.training->stepTime, s.stepTime);
            QCOMPARE(after.training->stepTime - before.training->stepTime, s.stepTimeDifference);
            QVERIFY(!s.reason.empty());
        }
    }

    void expertsOverTheNetworkAreAdvisedOfOverlap() {
        // The framework's own figure of what its overlap reaches is offered where it is not used.
        ScenarioSpec spec = specOf("deepseek-v3-256xp5en.48xlarge");
        spec = *withField(spec, "plan.overlap.expert", "0");
        const auto scenario = resolve(spec, *catalog_, catalog_->defaultProfile);
        const auto candidates = candidatesFor(spec, *scenario, *catalog_);
        const bool offered = std::ranges::any_of(candidates, [](const Candidate& c) {
            return c.kind == AdviceKind::overlap && c.edit.front().first == "plan.overlap.expert";
        });
        QVERIFY(offered);
        const bool dense = std::ranges::any_of(candidates, [](const Candidate& c) {
            return c.kind == AdviceKind::recompute && c.edit.front().second.find("glu") != std::string::npos;
        });
        QVERIFY(!dense); // its experts have moe_act
    }

    void editsReadAsOneSentence() {
        QCOMPARE(describeEdit(
                     {{"plan.tensor_parallel", "2"}, {"plan.schedule", ""}, {"plan.expert_parallel", "8"}}),
                 std::string("Set Tensor to 2, Expert to 8 and clear Schedule"));
        QCOMPARE(describeEdit({{"plan.schedule", ""}}), std::string("Clear Schedule"));
    }

    void whatCannotBeLegalIsNotTried() {
        for (const auto& sample : trainingSamples()) {
            const ScenarioSpec spec = specOf(sample.id);
            const auto scenario = resolve(spec, *catalog_, catalog_->defaultProfile);
            const LayoutSpace space(spec, *scenario);
            std::size_t legal = 0, all = 0;
            for (const Layout& shape : space.shapes()) {
                const auto changed = applyEdit(spec, editOf(shape, scenario->model, "full"));
                QVERIFY(changed);
                const auto outcome = resolve(*changed, *catalog_, catalog_->defaultProfile);
                legal += outcome && outcome->legal ? 1 : 0;
                ++all;
            }
            QVERIFY2(all > 0 && legal == all, qPrintable(QStringLiteral("%1: %2 of %3 are legal")
                                                             .arg(QString::fromStdString(sample.id))
                                                             .arg(legal)
                                                             .arg(all)));
        }
    }

    void spareGpusOfUltraServersKeepExpertsInsideADomain() {
        // 64 of 72 GPUs work in each domain: 64 expert ranks share NVLink.
        const auto resolved =
            resolve(specOf("deepseek-v3-8xu-p6e-gb200x72"), *catalog_, catalog_->defaultProfile);
        QVERIFY(resolved->plan.expertGroup.insideOneDomain());
    }

    /// A word that no table has is an error, never another word's meaning.
    void unknownWordsAreRefused() {
        const auto refused = [this](auto change, const char* place) {
            ScenarioSpec spec = specOf("llama-3.1-405b-2048xp5.48xlarge");
            change(spec.plan);
            const auto resolved = resolve(spec, *catalog_, catalog_->defaultProfile);
            return !resolved && resolved.error().starts_with(std::string(place) + ": ");
        };
        QVERIFY(refused([](PlanSpec& plan) { plan.sharding = "zero4"; }, "/plan/sharding"));
        QVERIFY(refused([](PlanSpec& plan) { plan.precision = "fp12"; }, "/plan/precision"));
        QVERIFY(refused([](PlanSpec& plan) { plan.schedule = "1f2b"; }, "/plan/schedule"));
        QVERIFY(refused([](PlanSpec& plan) { plan.contextParallelKind = "star"; },
                        "/plan/context_parallel_kind"));
    }

    /// With pipeline stages ZeRO-2 keeps whole gradients and reduces them once, as ZeRO-1 does; without, it
    /// reduces them in each micro-batch and holds a shard.
    void zero2ReducesOnceBehindAPipeline() {
        const auto with = [this](const char* sharding, std::int64_t stages) {
            ScenarioSpec spec = specOf("llama-3.1-405b-2048xp5.48xlarge");
            spec.plan.pipelineParallel = stages;
            spec.plan.virtualPipeline = 1;
            spec.plan.schedule.reset();
            spec.plan.pipelineSplit.reset();
            spec.plan.sharding = sharding;
            return run(spec);
        };
        const Estimate one = with("zero1", 16), two = with("zero2", 16);
        QVERIFY(one.training && two.training);
        QCOMPARE(two.training->stepTime, one.training->stepTime);
        QCOMPARE(two.memory->totalBytes, one.memory->totalBytes);
        const Estimate oneFlat = with("zero1", 1), twoFlat = with("zero2", 1);
        QVERIFY(oneFlat.training && twoFlat.training);
        QVERIFY(twoFlat.training->stepTime > oneFlat.training->stepTime);
        QVERIFY(twoFlat.memory->totalBytes < oneFlat.memory->totalBytes);
    }

    void aFixMakesAFailingScenarioRunAndFit() {
        std::mt19937 random(20261120);
        const auto pick = [&random](const auto& list) { return list[random() % std::size(list)]; };
        const std::vector<std::string> models{"llama-3.1-8b", "llama-3.1-70b",   "llama-3.1-405b",
                                              "qwen2.5-14b",  "gpt-3-175b",      "llama-2-13b",
                                              "mixtral-8x7b", "deepseek-v2-lite"};
        const std::vector<std::string> machines{"p5.48xlarge", "p5en.48xlarge", "p4d.24xlarge",
                                                "p6-b200.48xlarge", "p5.4xlarge"};
        int failing = 0, fixed = 0;
        while (failing < 200) {
            ScenarioSpec spec;
            spec.workload.kind = WorkloadKind::training;
            spec.workload.model = pick(models);
            spec.workload.sequenceLength = 2048 << random() % 3;
            spec.workload.globalBatch = 64 << random() % 5;
            spec.cluster.instance = pick(machines);
            spec.cluster.instances = 1 << random() % 7;
            spec.plan.tensorParallel = 1 + static_cast<int>(random() % 12);
            spec.plan.pipelineParallel = 1 + static_cast<int>(random() % 9);
            if (random() % 3 == 0)
                spec.plan.virtualPipeline = 1 + static_cast<int>(random() % 6);
            const Estimate e = run(spec);
            if (e.runs && e.fits)
                continue;
            ++failing;
            const auto problem = std::find_if(e.problems.begin(), e.problems.end(),
                                              [](const Problem& p) { return p.severity == Severity::error; });
            QVERIFY(problem != e.problems.end());
            if (!problem->fix) {
                QVERIFY(problem->message.find("No single change") != std::string::npos);
                continue;
            }
            ++fixed;
            if (failing % 20 == 0) { // the search is bounded
                Evaluator evaluator(*catalog_, catalog_->defaultProfile);
                QVERIFY(nearestFix(spec, evaluator));
                QVERIFY2(evaluator.tried() <= 900, qPrintable(QString::number(evaluator.tried())));
            }
            ScenarioSpec changed = spec;
            for (const auto& [path, text] : problem->fix->set) {
                const auto next = withField(changed, path, text);
                QVERIFY2(next, next.error().c_str());
                changed = *next;
            }
            const Estimate after = run(changed);
            QVERIFY2(after.runs && after.fits, problem->fix->text.c_str());
        }
        QVERIFY2(fixed > 150, qPrintable(QString::number(fixed)));
    }

    void aMissingPriceNamesWhereThereIsOne() {
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        spec.cluster.region = "eu-west-3";
        const Estimate e = run(spec);
        QVERIFY(e.runs && !e.cost);
        const bool said = std::any_of(e.problems.begin(), e.problems.end(), [](const Problem& p) {
            return p.message.find("us-east-2") != std::string::npos;
        });
        QVERIFY(said);
    }

    void aRecomputedLayerDoesItsWholeForwardAgain() {
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        spec.plan.recompute = std::vector<std::string>{"full"};
        const Estimate e = run(spec);
        double forward = 0, again = 0;
        for (const auto& op : e.training->layers[1].ops) {
            forward += op.phase == Phase::forward ? op.flops : 0;
            again += op.phase == Phase::recompute ? op.flops : 0;
        }
        QCOMPARE(again, forward);
    }

    void aBatchThatDoesNotDivideGetsTheNearestOne() {
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        spec.workload.globalBatch = 1000; // data parallel is 32
        const Estimate e = run(spec);
        QVERIFY(!e.runs);
        const auto problem = std::find_if(e.problems.begin(), e.problems.end(),
                                          [](const Problem& p) { return p.severity == Severity::error; });
        QVERIFY(problem->fix);
        QCOMPARE(problem->fix->set.front().first, std::string("workload.global_batch"));
        QVERIFY(std::abs(std::stod(problem->fix->set.front().second) - 1000) <= 32);
    }

    void oddDegreesInsideANodeUseNvlink() {
        ScenarioSpec spec = specOf("llama-3.1-8b-1xp5.4xlarge");
        spec = *withField(spec, "cluster.instance", "p5.48xlarge");
        spec.cluster.gpus = 6;
        spec.plan.tensorParallel = 2;
        spec.workload.globalBatch = 48;
        const Estimate three = run(spec);
        QVERIFY(three.runs);
        spec.cluster.gpus = 8;
        const Estimate four = run(spec);
        const auto exposed = [](const Estimate& e) {
            double seconds = 0;
            for (const auto& part : e.training->breakdown)
                seconds += part.bound == Bound::exposed ? part.seconds : 0;
            return seconds;
        };
        QVERIFY(exposed(three) < 2 * exposed(four));
    }

    void absurdDegreesAreRefusedWithoutHarm() {
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        spec.plan.tensorParallel = 65536;
        spec.plan.dataParallel = 65536;
        const Estimate e = run(spec);
        QVERIFY(!e.runs);
        QVERIFY(e.gpus > 0);
    }

    void aPipelineWithFewMicrobatchesWaitsAsSimulated() {
        // The closed form of the bubble equals the simulated schedule where groups of an interleaved one are
        // incomplete.
        ScenarioSpec spec = specOf("llama-3.1-405b-2048xp5.48xlarge");
        spec = *withField(spec, "plan.tensor_parallel", "4"); // 8 micro-batches on 16 stages
        const auto e =
            estimate(spec, *catalog_, catalog_->defaultProfile, {.timeline = true, .fixes = false});
        QVERIFY(e->runs);
        double end = 0, work = 0;
        for (const auto& event : e->training->timeline)
            end = std::max(end, event.end);
        for (const auto& part : e->training->breakdown) {
            const bool ofPipeline = part.bound != Bound::straggler && part.bound != Bound::optimizer &&
                                    part.bound != Bound::exposed && part.name != "Fixed cost of a step";
            work += ofPipeline ? part.seconds : 0;
        }
        QVERIFY2(std::abs(work / end - 1) < 0.01, qPrintable(QString::number(work / end)));
    }

    void idleGpusArePaidFor() {
        ScenarioSpec spec = specOf("llama-3.1-70b-64xp5.48xlarge");
        const double all = run(spec).cost->dollarsPerHour;
        spec.cluster.gpus = 256;
        const Estimate e = run(spec);
        QVERIFY(e.runs);
        QCOMPARE(e.gpus, 256);
        QCOMPARE(e.cost->dollarsPerHour, all);
    }

private:
    ScenarioSpec specOf(const std::string& id) const {
        const auto text = data::shippedScenario(id);
        const auto spec = data::readScenario(*text, id);
        return *spec;
    }
    Estimate run(const ScenarioSpec& spec) const {
        const auto e = estimate(spec, *catalog_, catalog_->defaultProfile);
        if (!e)
            qFatal("%s", e.error().c_str());
        return *e;
    }
    Estimate estimateOf(const std::string& id) const { return run(specOf(id)); }
    /// Those of serving are in tst_serving_engine.
    std::vector<data::ShippedScenario> trainingSamples() const {
        std::vector<data::ShippedScenario> out = data::shippedScenarios();
        std::erase_if(out, [this](const auto& sample) {
            const WorkloadSpec workload = specOf(sample.id).workload;
            return workload.isServing() || workload.isReinforcement();
        });
        return out;
    }
    void sampleRows() {
        QTest::addColumn<QString>("id");
        for (const auto& sample : trainingSamples())
            QTest::newRow(sample.id.c_str()) << QString::fromStdString(sample.id);
    }

    std::shared_ptr<const Catalog> catalog_;
};

QTEST_APPLESS_MAIN(TestEngine)
#include "tst_engine.moc"
