// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scaling/scaled_model.h"

#include "model/units/format.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace alidade {

namespace {

/// A width in proportion to the hidden size, in whole tiles of 64 elements.
int scaledWidth(int width, double factor) {
    return width == 0 ? 0 : std::max(64, 64 * static_cast<int>(std::lround(width * factor / 64)));
}

Architecture ofShape(const Architecture& family, int heads, int layers) {
    Architecture out = family;
    const double factor = static_cast<double>(heads) / family.attentionHeads;
    out.attentionHeads = heads;
    out.layers = layers;
    // Some families project to heads of a width other than hidden size / heads: the ratio stays.
    out.hiddenSize = static_cast<int>(std::lround(family.hiddenSize * factor));
    out.ffnIntermediateSize = scaledWidth(family.ffnIntermediateSize, factor);
    out.kvHeads = family.kvHeads == family.attentionHeads ? heads : std::min(family.kvHeads, heads);
    while (heads % out.kvHeads != 0)
        --out.kvHeads;
    if (out.moe) {
        out.moe->expertIntermediateSize = scaledWidth(family.moe->expertIntermediateSize, factor);
        out.moe->sharedExpertIntermediateSizeTotal =
            scaledWidth(family.moe->sharedExpertIntermediateSizeTotal, factor);
        out.moe->latentSize = scaledWidth(family.moe->latentSize, factor);
    }
    if (out.mla && family.mla->qLoraRank > 0)
        out.mla->qLoraRank = scaledWidth(family.mla->qLoraRank, factor);
    if (out.gatedDeltaNet) {
        const auto scaled = [&](int count) {
            return std::max(2, 2 * static_cast<int>(std::lround(count * factor / 2)));
        };
        out.gatedDeltaNet->keyHeads = scaled(family.gatedDeltaNet->keyHeads);
        const int perKey =
            std::max(1, family.gatedDeltaNet->valueHeads / std::max(1, family.gatedDeltaNet->keyHeads));
        out.gatedDeltaNet->valueHeads = perKey * out.gatedDeltaNet->keyHeads;
    }
    return out;
}

double parametersOf(const Architecture& model) { return static_cast<double>(countParameters(model).total); }

/// The depth at which a model of this width is nearest to the size.
Architecture atWidth(const Architecture& family, int heads, double parameters) {
    const int step = std::max({2, family.fullAttentionInterval, family.moe ? family.moe->layerStep : 0});
    const int least = std::max(step, family.moe ? family.moe->denseFirstLayers + step : 0);
    const Architecture one = ofShape(family, heads, least), two = ofShape(family, heads, least + step);
    const double perStep = parametersOf(two) - parametersOf(one);
    const double steps = std::max(0.0, std::round((parameters - parametersOf(one)) / perStep));
    return ofShape(family, heads, least + step * static_cast<int>(std::min(steps, 2'000.0)));
}

} // namespace

std::string parameterText(double parameters) {
    const auto [divisor, suffix] = parameters < 999.5e6   ? std::pair(1e6, "M")
                                   : parameters < 999.5e9 ? std::pair(1e9, "B")
                                                          : std::pair(1e12, "T");
    return formatParts(parameters / divisor, Dimension::number).number + suffix;
}

Result<Architecture> scaledModel(const Architecture& family, double parameters) {
    if (!family.hybridPattern.empty())
        return Error{family.name + " lists its layers one by one, and has no rule for another size"};
    if (!(parameters >= 1e7 && parameters <= 1e13)) {
        return Error{"a model of " + parameterText(parameters) +
                     " parameters is outside of 10 million to 10 trillion"};
    }
    const double aspect = static_cast<double>(family.hiddenSize) / family.layers;
    const double perHead = static_cast<double>(family.hiddenSize) / family.attentionHeads;
    std::optional<Architecture> best;
    double least = std::numeric_limits<double>::infinity();
    for (int heads = 2; heads <= 1'024; heads += heads * perHead < 2'048 ? 2 : 8) {
        if (heads * perHead >= 2'048 && heads % 8 != 0)
            heads += 8 - heads % 8;
        const Architecture model = atWidth(family, heads, parameters);
        // A factor of two in the shape weighs as much as 20 % of the size.
        const double size = std::abs(std::log(parametersOf(model) / parameters));
        const double shape = std::abs(std::log(model.hiddenSize / (model.layers * aspect)));
        if (const double distance = size + 0.3 * shape; distance < least) {
            least = distance;
            best = model;
        }
    }
    if (!best || std::abs(std::log(parametersOf(*best) / parameters)) > 0.3) {
        return Error{"no model of the family of " + family.name + " is near " + parameterText(parameters) +
                     " parameters; its vocabulary alone has " +
                     parameterText(static_cast<double>(family.vocabSize) * family.hiddenSize)};
    }
    const double total = parametersOf(*best);
    best->id.clear();
    best->name = (family.family.empty() ? family.name : family.family) + " at " + parameterText(total);
    best->publishedTotalBillion.reset();
    best->publishedActiveBillion.reset();
    best->publishedIncludesVision.reset();
    Source source;
    source.title = "Proportions of " + family.name;
    best->provenance = {};
    best->provenance.sources = {source};
    return *best;
}

} // namespace alidade
