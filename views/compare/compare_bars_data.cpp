// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_bars.h"
#include "views/compare/compare_grid.h"
#include "views/document/text.h"
#include "views/memory/memory_data.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

const std::vector<ShareT<double>>* stepOf(const Estimate& estimate) {
    if (estimate.training)
        return &estimate.training->breakdown;
    if (estimate.serving)
        return estimate.serving->answers ? &estimate.serving->breakdown : &estimate.serving->prefillBreakdown;
    return nullptr;
}

QString barName(const CompareAnswer& answer, std::size_t i) { return shortTitle(answer, i); }

QString shortVerdict(const Estimate* estimate) {
    return estimate == nullptr ? CompareText::tr("no estimate")
           : !estimate->runs   ? CompareText::tr("cannot run")
                               : CompareText::tr("does not fit");
}

QList<ComparePart> partsByClass(const std::vector<ShareT<double>>& step) {
    QList<ComparePart> parts;
    for (const Bound bound : allBounds) {
        ComparePart part{.name = theme().classStyle(bound).name, .bound = bound};
        for (const ShareT<double>& each : step)
            part.value += each.bound == bound ? each.seconds : 0;
        if (part.value > 0)
            parts.append(part);
    }
    std::ranges::stable_sort(parts, {}, [](const ComparePart& part) { return stackPosition(*part.bound); });
    return parts;
}

} // namespace

double CompareBar::total() const {
    double sum = 0;
    for (const ComparePart& each : parts)
        sum += each.value;
    return sum;
}

CompareBars stepBars(const CompareAnswer& answer) {
    CompareBars out{.title = CompareText::tr("Step"),
                    .bars = {},
                    .baseline = static_cast<int>(answer.comparison.baseline),
                    .lineAtBaseline = true};
    for (std::size_t i = 0; i < answer.items.size(); ++i) {
        const Estimate* estimate = answer.items[i]->estimate.get();
        const auto* step = estimate != nullptr ? stepOf(*estimate) : nullptr;
        CompareBar bar{.name = barName(answer, i), .parts = {}, .end = {}};
        if (step != nullptr) {
            bar.parts = partsByClass(*step);
            bar.end = glance(bar.total(), Dimension::seconds);
        } else {
            bar.end = shortVerdict(estimate);
        }
        out.bars.append(bar);
    }
    return out;
}

CompareBars memoryBars(const CompareAnswer& answer) {
    CompareBars out{.title = CompareText::tr("Memory"),
                    .bars = {},
                    .baseline = static_cast<int>(answer.comparison.baseline),
                    .dimension = Dimension::bytes};
    for (std::size_t i = 0; i < answer.items.size(); ++i) {
        const Estimate* estimate = answer.items[i]->estimate.get();
        CompareBar bar{.name = barName(answer, i), .parts = {}, .end = {}};
        if (estimate != nullptr && estimate->memory) {
            const Memory& memory = *estimate->memory;
            for (const auto& part : memory.parts)
                if (part.bytes > 0)
                    bar.parts.append(
                        {.name = text(part.name), .tone = memoryTone(text(part.name)), .value = part.bytes});
            std::ranges::stable_sort(bar.parts, {}, &ComparePart::tone);
            bar.capacity = memory.capacityBytes;
            bar.usable = memory.capacityBytes - memory.reserveBytes;
            bar.low = memory.lowBytes;
            bar.high = memory.highBytes;
            bar.end = gigabyteText(memory.totalBytes);
            const bool over = memory.headroomBytes < 0, tight = !over && bar.high > bar.usable;
            bar.endNote = over    ? CompareText::tr("%1 too much").arg(gigabyteText(-memory.headroomBytes))
                          : tight ? CompareText::tr("high end does not fit")
                                  : CompareText::tr("%1 free").arg(gigabyteText(memory.headroomBytes));
            bar.noteInk = over ? Role::err : tight ? Role::warn : Role::text2;
        } else {
            bar.end = shortVerdict(estimate);
        }
        out.bars.append(bar);
    }
    return out;
}

} // namespace alidade::views
