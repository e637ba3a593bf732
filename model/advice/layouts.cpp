// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/layouts.h"

#include "model/training/step_cost.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <array>

namespace alidade {

namespace {

constexpr int mostTensor = 64, mostPipeline = 64, mostChunks = 16, mostContext = 16;
constexpr std::int64_t longSequence = 32'768; ///< tokens, from which context parallelism is worth trying

std::vector<int> powersOfTwo(std::int64_t most) {
    std::vector<int> out;
    for (int n = 1; n <= most; n *= 2)
        out.push_back(n);
    return out;
}

bool divisible(std::int64_t size, std::int64_t by) { return by > 0 && size % by == 0; }

/// Tries one shape with less and less memory until it fits.
class Climber {
public:
    Climber(const ScenarioSpec& spec, const Architecture& model, Evaluator& evaluator, std::size_t budget)
        : spec_(spec)
        , model_(model)
        , ladder_(recomputeLadder(model))
        , evaluator_(evaluator)
        , end_(evaluator.tried() + budget) {}

    bool spent() const { return evaluator_.tried() >= end_; }

    /// Tokens/s per GPU with the least recomputation that fits; 0 if nothing does. Recomputation only adds
    /// work, so the first rung that fits is the fastest.
    double climb(const Layout& layout) {
        double rate = tryRung(layout, 0);
        if (rate > 0)
            return rate;
        const std::size_t last = ladder_.size() - 1;
        const double frugal = tryRung(layout, last);
        for (std::size_t rung = 1; rung < last && frugal > 0; ++rung) {
            rate = tryRung(layout, rung);
            if (rate > 0)
                return rate;
        }
        return frugal;
    }

    /// Throughput of a layout with one recomputation setting; remembers the best.
    double tryRung(const Layout& layout, std::size_t rung) {
        Edit edit = editOf(layout, model_, ladder_[rung]);
        const auto changed = applyEdit(spec_, edit);
        const Totals* totals = changed && !spent() ? evaluator_.runsAndFits(*changed) : nullptr;
        const double rate = totals ? totals->tokensPerSecondPerGpu : 0;
        if (rate > bestRate_) {
            bestRate_ = rate;
            best_ = std::move(edit);
        }
        return rate;
    }

    std::size_t rungs() const { return ladder_.size(); }
    const std::optional<Edit>& best() const { return best_; }

private:
    const ScenarioSpec& spec_;
    const Architecture& model_;
    std::vector<std::string> ladder_;
    Evaluator& evaluator_;
    std::size_t end_;
    std::optional<Edit> best_;
    double bestRate_ = 0;
};

} // namespace

std::vector<std::string> recomputeLadder(const Architecture& model) {
    std::vector<std::string> out{"none", "norms"};
    if (model.moe) {
        const std::string latent = model.mla ? ", mla_up_proj" : "";
        out.push_back("norms, moe_act" + latent);
    } else if (model.ffnGated) {
        out.push_back("norms, glu");
    } else {
        out.push_back("core_attention");
    }
    out.emplace_back("full");
    return out;
}

std::vector<int> pipelineDegrees(std::int64_t gpus, int layers) {
    std::vector<int> out;
    for (int p = 1; p <= std::min<std::int64_t>({gpus, layers, mostPipeline}); ++p)
        if ((p & (p - 1)) == 0 || layers % p == 0)
            out.push_back(p);
    return out;
}

LayoutSpace::LayoutSpace(const ScenarioSpec& spec, const Scenario& base)
    : model_(base.model)
    , gpus_(static_cast<std::int64_t>(base.inputs[Input::gpus]))
    , batch_(static_cast<std::int64_t>(base.inputs[Input::globalBatch]))
    , sequence_(static_cast<std::int64_t>(base.inputs[Input::sequenceLength]))
    , domain_(base.nvlinkDomain)
    , sequenceParallel_(spec.plan.sequenceParallel.value_or(true))
    , capacity_(base.inputs[Input::capacity]) {
    if (base.plan.sharding == Sharding::zero3)
        return; // the replicas divide everything: no bound
    const bool wholeGradients = !base.plan.lora && base.plan.sharding != Sharding::zero2;
    const double each =
        base.inputs[Input::weightBytes] + (wholeGradients ? base.inputs[Input::gradientBytes] : 0);
    const ParameterCount count = countParameters(model_);
    expertBytes_ = each * static_cast<double>(count.experts);
    sharedBytes_ = each * static_cast<double>(count.total - count.experts);
}

bool LayoutSpace::divides(const Layout& l) const {
    const int t = l.tensor;
    if (!divisible(gpus_, l.ranks()) || !divisible(batch_, gpus_ / l.ranks()) ||
        !divisible(model_.attentionHeads, t) || !divisible(model_.ffnIntermediateSize, t)) {
        return false;
    }
    if (!model_.mla && model_.kvHeads > 0 && model_.kvHeads % t != 0 && t % model_.kvHeads != 0)
        return false;
    if ((t > 1 && sequenceParallel_ && !divisible(sequence_, t)) ||
        (l.context > 1 && !divisible(sequence_, 2 * std::int64_t{l.context}))) {
        return false;
    }
    if (l.pipeline > model_.layers || (l.chunks > 1 && l.pipeline * l.chunks > model_.layers + 2))
        return false;
    return !model_.moe ||
           (divisible(model_.moe->routedExperts, l.expert) && divisible(gpus_ / l.pipeline, l.expert));
}

bool LayoutSpace::mayFit(const Layout& l) const {
    const double stage = 1.0 / l.pipeline;
    return stage * (sharedBytes_ / l.tensor + expertBytes_ / l.expert) <= capacity_;
}

std::vector<Layout> LayoutSpace::shapes() const {
    std::vector<Layout> out;
    for (const int t : powersOfTwo(std::min(mostTensor, domain_))) {
        for (const int c : contextChoices()) {
            for (const int p : pipelineDegrees(gpus_, model_.layers)) {
                Layout shape{.tensor = t, .context = c, .pipeline = p};
                if (!divides(shape))
                    continue;
                for (const int e : expertChoices(shape)) {
                    shape.expert = e;
                    if (mayFit(shape))
                        out.push_back(shape);
                }
            }
        }
    }
    std::ranges::stable_sort(out, {}, &Layout::ranks);
    return out;
}

std::vector<int> LayoutSpace::chunkChoices(const Layout& shape) const {
    std::vector<int> legal;
    for (int v = 2; shape.pipeline > 1 && v <= mostChunks && shape.pipeline * v <= model_.layers + 2; ++v) {
        const int slots = shape.pipeline * v;
        if (divisible(model_.layers, slots) || divisible(model_.layers + 2 + model_.mtpLayers, slots))
            legal.push_back(v);
    }
    std::vector<int> out{1};
    if (!legal.empty()) {
        out.insert(out.end(), {legal.back(), legal.front(), legal[legal.size() / 2]});
        std::ranges::sort(out);
        out.erase(std::ranges::unique(out).begin(), out.end());
    }
    return out;
}

std::vector<int> LayoutSpace::expertChoices(const Layout& shape) const {
    if (!model_.moe)
        return {1};
    // The largest degree inside one NVLink domain, and the degrees of two and four times as many GPUs.
    std::vector<int> legal;
    for (const int e : powersOfTwo(std::min<std::int64_t>(model_.moe->routedExperts, gpus_))) {
        Layout layout = shape;
        layout.expert = e;
        if (divides(layout))
            legal.push_back(e);
    }
    const auto inside = std::ranges::partition_point(legal, [this](int e) { return e <= domain_; });
    const auto first = inside == legal.begin() ? inside : inside - 1;
    return {first, legal.end() - first > 3 ? first + 3 : legal.end()};
}

std::vector<int> LayoutSpace::contextChoices() const {
    std::vector<int> out{1};
    for (int c = 2; c <= mostContext && sequence_ / c >= longSequence / 4 && sequence_ >= longSequence;
         c *= 2) {
        out.push_back(c);
    }
    return out;
}

Edit editOf(const Layout& layout, const Architecture& model, std::string_view recompute) {
    const auto degree = [](int n) { return n == 1 ? std::string() : std::to_string(n); };
    Edit out{{"plan.tensor_parallel", std::to_string(layout.tensor)},
             {"plan.pipeline_parallel", std::to_string(layout.pipeline)},
             {"plan.virtual_pipeline", degree(layout.chunks)},
             {"plan.context_parallel", degree(layout.context)},
             {"plan.micro_batch", "1"},
             {"plan.recompute", std::string(recompute)},
             {"plan.data_parallel", ""},
             {"plan.pipeline_split", ""},
             {"plan.schedule", ""}};
    if (model.moe) {
        out.emplace_back("plan.expert_parallel", std::to_string(layout.expert));
        out.emplace_back("plan.expert_tensor_parallel", "");
    }
    return out;
}

std::optional<Edit> fastestLayout(const ScenarioSpec& spec, const LayoutSpace& space,
                                  const Architecture& model, Evaluator& evaluator, std::size_t budget) {
    constexpr std::size_t refined = 3; ///< shapes whose chunk counts are varied
    Climber climber(spec, model, evaluator, budget);
    std::vector<std::pair<double, Layout>> found;
    for (Layout shape : space.shapes()) {
        if (climber.spent())
            break;
        shape.chunks = space.chunkChoices(shape).back(); // the least idle time
        if (const double rate = climber.climb(shape); rate > 0)
            found.emplace_back(rate, shape);
    }
    std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < std::min(refined, found.size()); ++i) {
        Layout shape = found[i].second;
        const int known = shape.chunks;
        for (const int chunks : space.chunkChoices(shape)) {
            shape.chunks = chunks;
            if (chunks != known)
                climber.climb(shape);
        }
    }
    return climber.best();
}

std::optional<Edit> frugalLayout(const ScenarioSpec& spec, const LayoutSpace& space,
                                 const Architecture& model, Evaluator& evaluator) {
    constexpr std::size_t tries = 5;
    std::vector<Layout> shapes = space.shapes();
    std::ranges::reverse(shapes);
    Climber climber(spec, model, evaluator, tries);
    for (const Layout& shape : shapes)
        if (climber.spent() || climber.tryRung(shape, climber.rungs() - 1) > 0)
            break;
    return climber.best();
}

} // namespace alidade
