// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/posttraining/test_time.h"
#include "model/scenario/resolve_parts.h"
#include "model/scenario/test_time_plan.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace alidade::resolving {

namespace {

constexpr std::int64_t usualStep = 100; // tokens: a step of a mathematical solution in PRM800K has 20 to 120

/// One scoring as a prefill: of a whole sample, whose prompt the others of the question have brought along,
/// or of one step of beam search with everything before it cached.
ScenarioSpec verifierSpec(const Context& context, const TestTimePlan& plan, std::int64_t tensor) {
    const ScenarioSpec& spec = context.spec;
    const Inputs& in = context.out.inputs;
    const double prompt = in[Input::inputTokens], sample = plan.lengths.mean();
    ScenarioSpec out;
    out.workload.kind = WorkloadKind::serving;
    out.workload.phase = "prefill";
    out.workload.model = spec.workload.testTime.verifier;
    out.workload.outputTokens = 1;
    out.workload.requestRatePerS = 1e-6; // alone on its machine
    if (plan.selection == AnswerSelection::beamSearch) {
        const double before = prompt + sample / 2;
        out.workload.inputTokens = before;
        out.workload.prefixCacheHit = 1 - std::min(plan.stepTokens, sample) / before;
    } else {
        out.workload.inputTokens = prompt + sample;
        out.workload.inputTokensCv =
            std::hypot(prompt * in[Input::inputTokensCv], sample * in[Input::outputTokensCv]) /
            (prompt + sample);
        out.workload.prefixCacheHit = prompt * (1 - 1 / plan.samples) / (prompt + sample);
    }
    out.cluster = spec.cluster;
    out.cluster.gpus.reset();
    (spec.cluster.ultraserver ? out.cluster.ultraservers : out.cluster.instances) = 1;
    out.cluster.topology.reset(); // its ranks are those of the service
    out.cluster.placement.reset();
    out.cluster.excludedHosts.reset();
    out.plan.engine = spec.plan.engine;
    out.plan.tuning = spec.plan.tuning;
    out.plan.tensorParallel = tensor;
    out.calibration = spec.calibration;
    return out;
}

/// Do the weights leave room for prompts?
bool holdsWeights(const Scenario& verifier) {
    constexpr double share = 0.7; // of the memory that the engine takes
    const Inputs& in = verifier.pools.front().inputs;
    const double bytes = in[verifier.model.moe ? Input::expertWeightBytes : Input::denseWeightBytes];
    return static_cast<double>(countParameters(verifier.model).total) * bytes /
               verifier.pools.front().plan.tensorParallel <=
           share * in[Input::memoryUtilization] * in[Input::capacity];
}

/// The verifier with the fewest GPUs to a replica that hold it. \returns an error message
std::string resolveVerifier(Context& context, TestTimePlan& plan) {
    const std::string& id = *context.spec.workload.testTime.verifier;
    if (!context.catalog.model(id)) {
        std::vector<std::string> ids;
        for (const Architecture& model : context.catalog.models)
            ids.push_back(model.id);
        const std::string near = nearestName(id, ids);
        return "/workload/verifier: there is no model '" + id + "' in the catalog" +
               (near.empty() ? "" : "; the nearest is '" + near + "'");
    }
    for (std::int64_t tensor = 1; tensor <= std::max(1, context.gpusPerNode); tensor *= 2) {
        Result<Scenario> alone =
            resolveFrom(verifierSpec(context, plan, tensor), context.catalog, context.profile, 0);
        if (!alone)
            return "/workload/verifier: as a separate model: " + alone.error();
        if (alone->runs() && !alone->pools.empty() && holdsWeights(*alone)) {
            plan.verifier = *std::move(alone);
            return {};
        }
    }
    illegal(context, "workload.verifier",
            context.catalog.model(id)->name + " does not run on one " + context.out.priceItem +
                "; choose a smaller verifier");
    return {};
}

} // namespace

void resolveSamples(Context& context) {
    const TestTimeSpec& written = context.spec.workload.testTime;
    if (!written.written())
        return;
    TestTimeSpec& filled = context.out.spec.workload.testTime;
    filled.samples = written.samples.value_or(1);
    filled.selection = written.selection.value_or("none");
    const Inputs& in = context.out.inputs;
    const ResponseLengths lengths =
        sampleLengths(in[Input::outputTokens], in[Input::outputTokensCv], written.thinkingBudget.value_or(0));
    const auto derive = [&](Input input, double value, const char* how) {
        set(context, input, value, SharedText(how), SourceKind::derived);
    };
    if (written.thinkingBudget) {
        const double spread = lengths.secondMoment() / (lengths.mean() * lengths.mean()) - 1;
        derive(Input::outputTokens, lengths.mean(), "mean output, cut at the thinking budget");
        derive(Input::outputTokensCv, std::sqrt(std::max(0.0, spread)),
               "output length CV, cut at the thinking budget");
    }
    const double samples = samplesOf(context.out.spec.workload);
    if (samples <= 1)
        return;
    derive(Input::samplesPerPrompt, samples, "scenario: samples of a question");
    derive(Input::prefixCacheHit, 1 - (1 - in[Input::prefixCacheHit]) / samples,
           "prefix cache, and the first sample prefills the prompt for the others");
    const double underWay = shareUnderWay(lengths, samples);
    derive(Input::sharedPrompt, in[Input::inputTokens] * (1 - std::min(1.0, 1 / (samples * underWay))),
           "the prompt is held once while any of its samples is under way");
    if (context.spec.workload.requestRatePerS) {
        derive(Input::requestRate, in[Input::requestRate] * samples, "questions per second x samples");
        // Samples come all at once: counts over a long time vary n times as much as the questions' do.
        derive(Input::arrivalCv, in[Input::arrivalCv] * std::sqrt(samples),
               "arrival CV of questions x sqrt(samples)");
    } else {
        derive(Input::concurrency, in[Input::concurrency] * samples * underWay,
               "questions in flight x samples x share under way until the last one ends");
    }
}

std::string resolveTestTime(Context& context) {
    const TestTimeSpec& written = context.spec.workload.testTime;
    if (!written.written() || context.out.spec.workload.phase != "both")
        return {}; // one side alone answers no question
    TestTimeSpec& filled = context.out.spec.workload.testTime;
    auto plan = std::make_shared<TestTimePlan>();
    plan->samples = static_cast<double>(*filled.samples);
    plan->selection =
        read(context, selectionWords, "workload.selection", *filled.selection, AnswerSelection::none);
    plan->lengths =
        sampleLengths(*context.spec.workload.outputTokens, context.spec.workload.outputTokensCv.value_or(0),
                      written.thinkingBudget.value_or(0));
    if (plan->selection == AnswerSelection::beamSearch) {
        filled.stepTokens = written.stepTokens.value_or(usualStep);
        plan->stepTokens = static_cast<double>(*filled.stepTokens);
    }
    if (written.verifier) {
        if (plan->selection == AnswerSelection::none) {
            warn(context, "workload.verifier",
                 "The verifier scores nothing where no answer is selected; set the selection to best_of_n");
        }
        if (std::string wrong = resolveVerifier(context, *plan); !wrong.empty())
            return wrong;
        if (plan->selection == AnswerSelection::none)
            plan->verifier.reset();
    }
    context.out.testTime = std::move(plan);
    return {};
}

} // namespace alidade::resolving

namespace alidade {

double sequencesPerQuestion(const WorkloadSpec& serving) {
    const double samples = samplesOf(serving);
    if (samples <= 1 || serving.requestRatePerS)
        return samples;
    const ResponseLengths lengths =
        sampleLengths(serving.outputTokens.value_or(1), serving.outputTokensCv.value_or(0),
                      serving.testTime.thinkingBudget.value_or(0));
    return samples * shareUnderWay(lengths, samples);
}

} // namespace alidade
