// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/outcomes.h"

#include "model/base/random.h"
#include "model/base/text.h"
#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/evaluate_serving.h"
#include "model/estimate/serving_estimate.h"
#include "model/explain/normal.h"
#include "model/explore/outcome_statistics.h"
#include "model/explore/sensitivity.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>

namespace alidade {

namespace {

constexpr std::size_t blockDraws = 64; ///< handed to a thread at once

/// Fields that are nothing but one number of the evaluation: such a draw needs no catalog look-up.
constexpr std::array<std::pair<std::string_view, Input>, 5> plainFields{
    {{"workload.tokens", Input::tokens},
     {"plan.goodput", Input::plannedGoodput},
     {"plan.speculative.acceptance", Input::acceptance},
     {"workload.prefix_cache_hit", Input::prefixCacheHit},
     {"workload.request_rate_per_s", Input::requestRate}}};

/// A separate uniform number for each draw of each input.
double uniform(std::uint64_t seed, std::uint64_t draw, std::uint64_t input) {
    return uniformOf(splitMix64(splitMix64(splitMix64(seed) ^ draw) ^ (input << 32U)));
}

/// One uncertain number, ready to be drawn.
struct Drawn {
    Uncertain uncertain;
    std::vector<Input> inputs; ///< to set; empty: the scenario has to be resolved again

    double value(double score) const {
        const Variable& variable = uncertain.variable;
        double out = 0;
        switch (uncertain.shape) { // without the way through the probability
        case Shape::normal:
            out = std::clamp(uncertain.first + uncertain.second * score, variable.minimum(),
                             variable.maximum());
            break;
        case Shape::logNormal:
            out = std::clamp(uncertain.first * std::exp(uncertain.second * score), variable.minimum(),
                             variable.maximum());
            break;
        default:
            out = uncertain.quantile(normalBelow(score));
        }
        return variable.isInteger() ? std::round(out) : out;
    }
};

/// Evaluates one scenario with changed inputs, in memory that it keeps. One per thread.
class DrawEvaluator {
public:
    /// \returns false: no figure of it means anything
    bool operator()(const Scenario& scenario, const std::vector<Inputs>& inputs,
                    const std::vector<const PlanFigure*>& figures, std::vector<double>& values, bool& fits) {
        if (!scenario.isServing()) {
            if (!training_)
                training_ = std::make_unique<Totals>();
            evaluate(scenario, inputs.front(), *training_);
            fits = training_->fits;
            for (std::size_t i = 0; i < figures.size(); ++i)
                values[i] = figures[i]->ofTraining(scenario, *training_);
            return true;
        }
        if (!serving_)
            serving_ = std::make_unique<ServingTotals>();
        const bool percentiles = std::ranges::any_of(figures, [](const PlanFigure* each) {
            return each->path.find("percentiles") != std::string_view::npos;
        });
        evaluateServing<double>(scenario, inputs, *serving_, nullptr,
                                percentiles ? ServingDetail::percentiles : ServingDetail::means);
        fits = serving_->fits;
        for (std::size_t i = 0; i < figures.size(); ++i)
            values[i] = figures[i]->ofServing(scenario, *serving_);
        return serving_->stable;
    }

private:
    std::unique_ptr<Totals> training_;
    std::unique_ptr<ServingTotals> serving_;
};

/// Of the pools, or of training.
std::vector<Inputs> inputsFor(const Scenario& scenario) {
    return scenario.pools.empty() ? std::vector<Inputs>{scenario.inputs} : poolInputs(scenario);
}

/// Sets one number wherever the scenario has it; of two pools on different machines by the same factor.
void setInput(std::vector<Inputs>& inputs, const std::vector<Inputs>& present, Input input, double value) {
    const double before = present.back()[input];
    for (std::size_t i = 0; i < inputs.size(); ++i)
        inputs[i][input] = before != 0 ? present[i][input] * (value / before) : value;
}

class Drawing {
public:
    Drawing(const Explorer& explorer, const OutcomeQuestion& question, const Scenario& scenario)
        : explorer_(explorer)
        , question_(question)
        , scenario_(scenario)
        , present_(inputsFor(scenario)) {
        for (const PlanFigure* each : question.figures)
            figures_.push_back(each);
        for (const SearchLimit& each : question.limits)
            if (std::ranges::find(figures_, each.figure) == figures_.end())
                figures_.push_back(each.figure);
        base_.resize(figures_.size());
        bool fits = false;
        carries_ = evaluator_(scenario_, present_, figures_, base_, fits);
        chooseInputs();
        shareErrors();
    }

    bool carries() const { return carries_; }

    Outcomes run(const OutcomeOptions& options) {
        const std::size_t draws = question_.draws;
        values_.assign(figures_.size(), std::vector<double>(draws));
        scores_.assign(drawn_.size() + errorKinds, std::vector<double>(draws));
        std::vector<char> failed(draws, 0), fits(draws, 0);
        std::atomic<std::size_t> next{0};
        const std::size_t blocks = (draws + blockDraws - 1) / blockDraws;
        std::vector<char> done(blocks, 0);
        const auto work = [&] {
            DrawEvaluator evaluator;
            Draw draw{present_, std::vector<double>(figures_.size())};
            for (std::size_t block = next++; block < blocks && !options.stop.stop_requested();
                 block = next++) {
                for (std::size_t i = block * blockDraws; i < std::min(draws, (block + 1) * blockDraws); ++i) {
                    one(i, evaluator, draw);
                    failed[i] = draw.failed ? 1 : 0;
                    fits[i] = draw.fits ? 1 : 0;
                }
                done[block] = 1;
            }
        };
        const std::size_t wanted = options.threads > 0 ? static_cast<std::size_t>(options.threads)
                                                       : std::max(1U, std::thread::hardware_concurrency());
        {
            std::vector<std::jthread> others;
            for (std::size_t i = 1; i < std::min(wanted, blocks); ++i)
                others.emplace_back(work);
            work();
        }
        const auto whole = static_cast<std::size_t>(std::ranges::find(done, 0) - done.begin());
        return summary(std::min(draws, whole * blockDraws), failed, fits);
    }

private:
    static constexpr std::size_t errorKinds = 3; ///< of time, of the first token, of memory

    struct Draw {
        std::vector<Inputs> inputs;
        std::vector<double> values;
        bool failed = false, fits = true;
    };

    /// What is drawn: what a person named, and the constants that change something.
    void chooseInputs() {
        for (const Uncertain& each : question_.uncertain)
            drawn_.push_back({each, targetsOf(each.variable)});
        if (!question_.constants)
            return;
        std::vector<double> values(figures_.size());
        bool fits = false;
        for (const Uncertain& each : uncertainConstants(scenario_, explorer_.profile())) {
            const auto isNamed = [&](const Uncertain& other) {
                return other.variable.path() == each.variable.path();
            };
            if (std::ranges::any_of(question_.uncertain, isNamed))
                continue;
            Drawn candidate{each, targetsOf(each.variable)};
            bool matters = false;
            for (const double score : {-1.0, 1.0}) {
                std::vector<Inputs> inputs = present_;
                for (const Input input : candidate.inputs)
                    setInput(inputs, present_, input, candidate.value(score));
                evaluator_(scenario_, inputs, figures_, values, fits);
                matters = matters || values != base_;
            }
            if (matters)
                drawn_.push_back(std::move(candidate));
        }
    }

    std::vector<Input> targetsOf(const Variable& variable) const {
        std::vector<Input> out;
        if (const auto input = variable.input()) {
            for (std::size_t i = 0; i < inputCount; ++i)
                if (leadingInput(scenario_, static_cast<Input>(i)) == *input)
                    out.push_back(static_cast<Input>(i));
            return out;
        }
        for (const auto& [path, input] : plainFields) {
            const auto now = numberOf(variable.value(scenario_));
            if (variable.path() == path && now && *now != 0 && present_.back()[input] == *now)
                out.push_back(input);
        }
        return out;
    }

    /// The error of the model on each figure, less what the constants bring of it.
    void shareErrors() {
        residual_.assign(figures_.size(), 0);
        if (!question_.modelError)
            return;
        constexpr double little = 1e-4; // in standard deviations
        std::vector<double> below(figures_.size()), above(figures_.size()), variance(figures_.size());
        bool fits = false;
        for (const Drawn& each : drawn_) {
            const auto input = each.uncertain.variable.input();
            if (!input || !isConstant(*input) || familyOf(*input) == InputFamily::reliability)
                continue; // not what the band of the model was measured on
            for (const double score : {-little, little}) {
                std::vector<Inputs> inputs = present_;
                for (const Input target : each.inputs)
                    setInput(inputs, present_, target, each.value(score));
                evaluator_(scenario_, inputs, figures_, score < 0 ? below : above, fits);
            }
            for (std::size_t i = 0; i < figures_.size(); ++i) {
                const double slope = std::log(above[i] / below[i]) / (2 * little);
                variance[i] += std::isfinite(slope) ? slope * slope : 0;
            }
        }
        for (std::size_t i = 0; i < figures_.size(); ++i) {
            const double band = logSdOf(scenario_, *figures_[i]);
            residual_[i] = std::sqrt(std::max(0.0, band * band - variance[i]));
        }
    }

    static std::size_t kindOf(const PlanFigure& figure) {
        return figure.error == FigureError::memory ? 2 : figure.error == FigureError::firstToken ? 1 : 0;
    }

    void one(std::size_t i, DrawEvaluator& evaluator, Draw& draw) {
        for (std::size_t j = 0; j < scores_.size(); ++j)
            scores_[j][i] = normalQuantile(uniform(question_.seed, i, j));
        draw.inputs = present_;
        VariableSettings settings;
        for (std::size_t j = 0; j < drawn_.size(); ++j) {
            const double value = drawn_[j].value(scores_[j][i]);
            if (drawn_[j].inputs.empty()) {
                settings.emplace_back(drawn_[j].uncertain.variable,
                                      drawn_[j].uncertain.variable.valueOf(value));
            }
            for (const Input input : drawn_[j].inputs)
                setInput(draw.inputs, present_, input, value);
        }
        draw.failed = false;
        if (settings.empty())
            draw.failed = !evaluator(scenario_, draw.inputs, figures_, draw.values, draw.fits);
        else
            oneResolved(i, settings, evaluator, draw);
        for (std::size_t k = 0; k < figures_.size(); ++k) {
            const PlanFigure& figure = *figures_[k];
            double value = draw.values[k];
            if (draw.failed || std::isnan(value)) {
                value = (figure.moreIsBetter ? -1 : 1) * std::numeric_limits<double>::infinity();
            } else if (residual_[k] > 0) {
                const double score = scores_[drawn_.size() + kindOf(figure)][i];
                value *= std::exp((figure.moreIsBetter ? -1 : 1) * residual_[k] * score);
            }
            values_[k][i] = value;
        }
    }

    /// Where a field changes more than one number, the scenario is looked up again.
    void oneResolved(std::size_t i, const VariableSettings& settings, DrawEvaluator& evaluator,
                     Draw& draw) const {
        const Result<Scenario> changed = explorer_.scenarioWith(settings);
        draw.fits = true;
        draw.failed = !changed || !changed->runs() ||
                      !(changed->isServing() ? canEvaluateServing(*changed) : canEvaluate(*changed));
        if (draw.failed)
            return;
        const std::vector<Inputs> present = inputsFor(*changed);
        std::vector<Inputs> inputs = present;
        for (std::size_t j = 0; j < drawn_.size(); ++j)
            for (const Input input : drawn_[j].inputs)
                setInput(inputs, present, input, drawn_[j].value(scores_[j][i]));
        draw.failed = !evaluator(*changed, inputs, figures_, draw.values, draw.fits);
    }

    Outcomes summary(std::size_t draws, const std::vector<char>& failed, const std::vector<char>& fits) {
        Outcomes out;
        out.draws = draws;
        out.complete = draws == question_.draws;
        for (const Drawn& each : drawn_)
            out.inputs.push_back(each.uncertain);
        const auto end = static_cast<std::ptrdiff_t>(draws);
        out.failed = static_cast<std::size_t>(std::count(failed.begin(), failed.begin() + end, 1));
        out.fits = draws == 0 ? 1
                              : static_cast<double>(std::count(fits.begin(), fits.begin() + end, 1)) /
                                    static_cast<double>(draws);
        for (std::size_t k = 0; k < figures_.size(); ++k)
            values_[k].resize(draws);
        for (std::vector<double>& each : scores_)
            each.resize(draws);
        for (std::size_t k = 0; k < question_.figures.size(); ++k) {
            OutcomeFigure figure = statisticsOf(values_[k]);
            figure.figure = figures_[k];
            figure.present = base_[k];
            std::vector<DriverInput> inputs;
            for (std::size_t j = 0; j < drawn_.size(); ++j) {
                const Variable& variable = drawn_[j].uncertain.variable;
                inputs.push_back({variable.path(), variable.label(), &scores_[j]});
            }
            if (residual_[k] > 0) {
                inputs.push_back({"residual", "What the model leaves out",
                                  &scores_[drawn_.size() + kindOf(*figures_[k])]});
            }
            figure.drivers = driversOf(values_[k], inputs);
            out.figures.push_back(std::move(figure));
            out.modelLogSd = std::max(out.modelLogSd, kindOf(*figures_[k]) == 0 ? residual_[k] : 0);
        }
        for (const SearchLimit& limit : question_.limits) {
            const auto k =
                static_cast<std::size_t>(std::ranges::find(figures_, limit.figure) - figures_.begin());
            const auto missed =
                std::ranges::count_if(values_[k], [&](double value) { return !limit.holds(value); });
            out.limits.push_back(
                {limit, draws == 0 ? 0 : static_cast<double>(missed) / static_cast<double>(draws)});
        }
        return out;
    }

    const Explorer& explorer_;
    const OutcomeQuestion& question_;
    const Scenario& scenario_;
    std::vector<Inputs> present_;
    std::vector<const PlanFigure*> figures_; ///< those asked for, then those of the limits
    std::vector<double> base_;
    bool carries_ = false;
    std::vector<Drawn> drawn_;
    std::vector<double> residual_; ///< standard deviation of ln of each figure
    DrawEvaluator evaluator_;
    std::vector<std::vector<double>> values_; ///< of each figure, by draw
    std::vector<std::vector<double>> scores_; ///< normal scores of each input and error, by draw
};

} // namespace

Result<Outcomes> outcomes(const Explorer& explorer, const OutcomeQuestion& question,
                          const OutcomeOptions& options) {
    const Result<Scenario> scenario = explorer.scenarioWith({});
    if (!scenario)
        return Error{scenario.error()};
    if (scenario->isReinforcement())
        return Error{"outcomes of reinforcement learning cannot be drawn yet"};
    if (!scenario->runs() ||
        !(scenario->isServing() ? canEvaluateServing(*scenario) : canEvaluate(*scenario))) {
        return Error{"the scenario does not run; estimate it for the reason and a fix"};
    }
    if (question.draws < leastDraws || question.draws > mostDraws) {
        return Error{formatCount(static_cast<std::int64_t>(question.draws)) + " draws; take from " +
                     formatCount(static_cast<std::int64_t>(leastDraws)) + " to " +
                     formatCount(static_cast<std::int64_t>(mostDraws))};
    }
    const auto check = [&](const PlanFigure* figure) {
        return figure->isOf(scenario->spec.workload)
                   ? std::string()
                   : std::string(figure->path) + " is not a figure of this kind of workload";
    };
    for (const PlanFigure* each : question.figures)
        if (const std::string wrong = check(each); !wrong.empty())
            return Error{wrong};
    for (const SearchLimit& each : question.limits)
        if (const std::string wrong = check(each.figure); !wrong.empty())
            return Error{wrong};
    Drawing drawing(explorer, question, *scenario);
    if (!drawing.carries())
        return Error{"more requests arrive than the service can handle"};
    return drawing.run(options);
}

} // namespace alidade
