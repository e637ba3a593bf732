// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/kernels/bound_words.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

namespace alidade::data {
namespace {

constexpr std::array stackOfBounds{Bound::compute, Bound::hbm,       Bound::latency,   Bound::nvlink,
                                   Bound::c2c,     Bound::efa,       Bound::network,   Bound::exposed,
                                   Bound::bubble,  Bound::straggler, Bound::optimizer, Bound::storage};

/// Seconds by class, in the order of stacks.
using Stack = std::array<double, stackOfBounds.size()>;

void addTo(Stack& stack, Bound bound, double seconds) {
    stack.at(static_cast<std::size_t>(stackOrder(bound))) += seconds;
}

std::vector<PlotSegment> segments(const Stack& stack, const ScaledUnit& unit) {
    std::vector<PlotSegment> out;
    FormatOptions options;
    options.fixed = unit;
    for (std::size_t i = 0; i < stack.size(); ++i)
        if (stack.at(i) > 0)
            out.push_back({boundWords(stackOfBounds.at(i)).title, stack.at(i),
                           formatQuantity(stack.at(i), Dimension::seconds, options), stackOfBounds.at(i)});
    return out;
}

double sum(const Stack& stack) {
    double total = 0;
    for (const double s : stack)
        total += s;
    return total;
}

bool drawableOnLogAxis(const Operation& op) {
    const auto good = [](double v) { return std::isfinite(v) && v > 0; };
    return good(op.flops) && good(op.intensity) && good(op.seconds) && good(op.flops / op.seconds);
}

/// Which bar of a layer a phase belongs to.
enum class Pass : std::uint8_t { forward, backward, recompute, prefill, decode };
Pass passOf(Phase phase) {
    switch (phase) {
    case Phase::prefill:
        return Pass::prefill;
    case Phase::decode:
        return Pass::decode;
    case Phase::backwardInput:
    case Phase::backwardWeight:
        return Pass::backward;
    case Phase::recompute:
        return Pass::recompute;
    default:
        return Pass::forward;
    }
}

/// "63 %", "1.5 %"; what is too small to matter says so.
std::string percent(double share) {
    return share < 0.001 ? "< 0.1 %"
                         : formatQuantity(share, Dimension::ratio, {.significant = 2, .fixed = {}});
}

/// Does any stage hold something of this part? (Gathered layers are there only with full sharding.)
bool holdsPart(const Memory& memory, std::size_t part) {
    return std::ranges::any_of(memory.stages, [part](const auto& stage) {
        return part < stage.parts.size() && stage.parts[part].bytes > 0;
    });
}

/// Highest first, so that the slope reaches them all. Experts may compute in their own format.
void addRoofs(Roofline& content, const Estimate& e) {
    const auto* peak = assumption(e, "peak");
    const auto* experts = e.serving ? assumption(e, "expert_peak") : nullptr;
    const auto rate = [](const auto* a) { return a ? a->value : 0; };
    constexpr double sameRate = 1e-3;
    const bool apart = rate(experts) > 0 && std::abs(rate(experts) - rate(peak)) > sameRate * rate(peak);
    if (rate(peak) > 0)
        content.roofs.push_back({formatQuantity(peak->value, Dimension::flopPerSecond) +
                                     (apart ? " peak, all but experts" : " peak"),
                                 peak->value});
    if (apart)
        content.roofs.push_back(
            {formatQuantity(experts->value, Dimension::flopPerSecond) + " peak, experts", experts->value});
    std::ranges::sort(content.roofs, std::greater(), &RooflineRoof::flopPerSecond);
}

/// Where the slope meets the roofs. Experts with their own roof have their own ridge.
std::string wordsOfRidges(const Roofline& content, const Estimate& e) {
    if (content.roofs.empty() || !(content.bytesPerSecond > 0))
        return {};
    const auto ridge = [&](double flopPerSecond) {
        return formatQuantity(flopPerSecond / content.bytesPerSecond, Dimension::flopPerByte);
    };
    const std::string where =
        content.roofs.size() == 1
            ? " The roofs meet at " + ridge(content.roofs.front().flopPerSecond)
            : " The slope meets the roof of the experts at " + ridge(assumption(e, "expert_peak")->value) +
                  " and that of all other operations at " + ridge(assumption(e, "peak")->value);
    return where + ": left of it HBM limits, right of it the arithmetic units.";
}

} // namespace

int stackOrder(Bound bound) {
    return static_cast<int>(std::ranges::find(stackOfBounds, bound) - stackOfBounds.begin());
}

const AssumptionT<double>* assumption(const Estimate& e, std::string_view name) {
    const auto at = std::ranges::find(e.assumptions, name, &AssumptionT<double>::name);
    return at == e.assumptions.end() ? nullptr : &*at;
}

std::string layerTitle(const Layer& layer) {
    constexpr std::string_view prefix = "Layer: "; // of a title that stands alone
    const std::string title = layer.title.empty() ? spokenName(layer.kind) : layer.title;
    return title.starts_with(prefix) ? capitalized(title.substr(prefix.size())) : title;
}

std::string assumptionLabel(const AssumptionT<double>& a) {
    return a.label.empty() ? spokenName(a.name) : capitalized(a.label);
}

Plot stepPlot(const std::vector<ShareT<double>>& parts, double step, std::string id,
              const std::string& what) {
    Stack stack{};
    for (const auto& part : parts)
        addTo(stack, part.bound, part.seconds);
    StepBar content;
    content.bar.total = formatQuantity(step, Dimension::seconds);
    content.bar.segments = segments(stack, chooseUnit(Dimension::seconds, step));
    std::string words = "A " + what + " of " + content.bar.total + " is ";
    for (std::size_t i = 0; i < content.bar.segments.size(); ++i) {
        PlotSegment& segment = content.bar.segments[i];
        segment.text = percent(segment.value / step);
        words += (i ? ", " : "") + segment.name + " " + segment.text;
    }
    return {std::move(id), "Parts of a " + what, words + ".", std::move(content)};
}

Plot stepPlot(const Training& training) {
    return stepPlot(training.breakdown, training.stepTime, "step", "step");
}

Plot layerPlot(std::span<const Layer> layers, std::string id, const std::string& title) {
    struct Row {
        std::string label;
        Stack stack{};
    };
    std::vector<Row> rows;
    double longest = 0;
    for (const Layer& layer : layers) {
        std::map<Pass, Stack> passes;
        for (const Operation& op : layer.ops)
            addTo(passes[passOf(op.phase)], op.bound, op.seconds);
        for (const Communication& c : layer.communication)
            addTo(passes[passOf(c.phase)], c.fabric, c.exposed);
        constexpr std::array<const char*, 5> words{"forward", "backward", "recompute", "prefill", "decode"};
        for (const auto& [pass, stack] : passes) {
            rows.push_back({layerTitle(layer) + ", " + words.at(static_cast<std::size_t>(pass)), stack});
            longest = std::max(longest, sum(stack));
        }
    }
    const ScaledUnit unit = chooseUnit(Dimension::seconds, longest);
    FormatOptions options;
    options.fixed = unit;
    StackedBars content{.dimension = Dimension::seconds, .bars = {}};
    std::string words = title + ": ";
    for (const Row& row : rows) {
        content.bars.push_back({row.label, segments(row.stack, unit),
                                formatQuantity(sum(row.stack), Dimension::seconds, options)});
        words += (content.bars.size() > 1 ? "; " : "") + row.label + " " + content.bars.back().total;
    }
    return {std::move(id), title, words + ".", std::move(content)};
}

Plot memoryPlot(const Memory& memory) {
    MemoryStages content;
    FormatOptions options;
    double largest = memory.capacityBytes;
    for (const auto& stage : memory.stages)
        largest = std::max(largest, stage.totalBytes);
    options.fixed = chooseUnit(Dimension::bytes, largest);
    const auto bytes = [&](double v) { return formatQuantity(v, Dimension::bytes, options); };
    for (const auto& stage : memory.stages) {
        PlotBar bar{.label = std::to_string(stage.stage), .segments = {}, .total = bytes(stage.totalBytes)};
        for (std::size_t i = 0; i < stage.parts.size(); ++i)
            if (holdsPart(memory, i))
                bar.segments.push_back({spokenName(stage.parts[i].name), stage.parts[i].bytes,
                                        bytes(stage.parts[i].bytes), std::nullopt});
        if (stage.stage == memory.worstStage)
            content.worstStage = static_cast<int>(content.stages.size());
        content.stages.push_back(std::move(bar));
    }
    if (bytes(usableBytes(memory)) != bytes(memory.capacityBytes))
        content.limits.push_back({usableBytes(memory), "usable " + bytes(usableBytes(memory)), false});
    content.limits.push_back({memory.capacityBytes, "capacity " + bytes(memory.capacityBytes), true});
    const std::string held =
        " holds " + bytes(memory.totalBytes) + " of " + bytes(usableBytes(memory)) + " usable.";
    if (content.stages.size() == 1) {
        content.stages.front().label = "each GPU";
        return {"memory", "Memory per GPU", "Each GPU" + held, std::move(content)};
    }
    return {"memory", "Memory of a GPU on each pipeline stage",
            "The fullest stage, " + std::to_string(memory.worstStage) + "," + held, std::move(content)};
}

std::optional<Plot> rooflinePlot(const Estimate& e, std::span<const Layer> layers, std::string id,
                                 const std::string& title) {
    Roofline content;
    std::size_t without = 0;
    for (const Layer& layer : layers)
        for (const Operation& op : layer.ops) {
            if (!drawableOnLogAxis(op)) {
                ++without;
                continue;
            }
            RooflinePoint point{spokenName(op.name), spokenPhase(op.phase), op.bound,
                                op.intensity,        op.flops / op.seconds, op.seconds};
            // Layers of several kinds share operations: one point for all.
            const bool known = std::ranges::any_of(content.points, [&point](const RooflinePoint& other) {
                return other.label == point.label && other.phase == point.phase &&
                       other.intensity == point.intensity && other.flopPerSecond == point.flopPerSecond;
            });
            if (!known)
                content.points.push_back(std::move(point));
        }
    if (content.points.empty())
        return std::nullopt;
    const auto bounded = std::ranges::count(content.points, Bound::compute, &RooflinePoint::bound);
    std::string words = std::to_string(content.points.size()) + " operations, each a point; " +
                        (bounded == 0   ? "none of them is"
                         : bounded == 1 ? "1 of them is"
                                        : std::to_string(bounded) + " of them are") +
                        " bound by compute.";
    addRoofs(content, e);
    const auto* hbm = assumption(e, "hbm_bandwidth");
    if (hbm && hbm->value > 0) {
        content.bytesPerSecond = hbm->value;
        content.slopeText = formatQuantity(hbm->value, Dimension::bytesPerSecond) + " HBM";
    }
    words += wordsOfRidges(content, e);
    if (without)
        words +=
            " " + std::to_string(without) +
            (without == 1 ? " operation that only moves data has" : " operations that only move data have") +
            " no place on it.";
    return Plot{std::move(id), title, words, std::move(content)};
}

} // namespace alidade::data
