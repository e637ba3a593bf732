// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/search_basis.h"

#include "model/units/format.h"

namespace alidade {

namespace {

void addTraining(const Scenario& scenario, std::vector<std::string>& out) {
    const Inputs& in = scenario.inputs;
    const TrainingPlan& plan = scenario.plan;
    const auto hidden = [&](const char* what, Input share, bool there) {
        if (there && in[share] > 0) {
            out.push_back(formatQuantity(in[share], Dimension::ratio) + " of the " + what +
                          " is hidden behind compute");
        }
    };
    if (scenario.model.moe) {
        out.push_back("the busiest expert rank gets " +
                      formatQuantity(in[Input::expertImbalance], Dimension::number) +
                      " times the mean of the tokens");
    }
    hidden("tensor-parallel traffic", Input::overlapTensor, plan.tensorParallel > 1);
    hidden("expert exchange", Input::overlapExpert, plan.expertParallel > 1);
    hidden("pipeline traffic", Input::overlapPipeline, plan.pipelineParallel > 1);
}

} // namespace

std::vector<std::string> restsOn(const Scenario& scenario) {
    std::vector<std::string> out;
    if (scenario.isReinforcement()) {
        addTraining(scenario.roles->train, out);
    } else if (!scenario.isServing()) {
        addTraining(scenario, out);
    } else {
        out.emplace_back(scenario.spec.plan.tuning == "vendor"
                             ? "the engine is tuned as its vendor publishes it"
                             : "the engine is not tuned further, as it is usually run");
        if (scenario.model.moe) {
            out.push_back("the busiest expert rank gets " +
                          formatQuantity(scenario.inputs[Input::expertImbalance], Dimension::number) +
                          " times the mean of the tokens, before chance spreads them");
        }
    }
    return out;
}

} // namespace alidade
