// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_data.h"

#include "views/document/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace alidade::views {
namespace {

constexpr ScaledUnit giga{1e9, "GB"};
constexpr double roomAboveLimit = 1.15; // for the words on it
constexpr double roomAboveBars = 1.05;
constexpr double roomAboveExcess = 1.15; // for the words on what is too much

enum class Family { held, passing, overhead };

Family familyOf(MemoryTone tone) {
    switch (tone) {
    case MemoryTone::held1:
    case MemoryTone::held2:
    case MemoryTone::held3:
        return Family::held;
    case MemoryTone::passing1:
    case MemoryTone::passing2:
        return Family::passing;
    case MemoryTone::overhead:
        return Family::overhead;
    }
    Q_UNREACHABLE();
}

/// "Optimizer states" -> "optimizer states"; "CUDA context" stays.
QString inSentence(const QString& name) {
    const bool acronym = name.size() > 1 && name[1].isUpper();
    return acronym || name.isEmpty() ? name : name[0].toLower() + name.mid(1);
}

/// "19.5 GB: weights 6.38, gradients 12.8, optimizer states 0.299"; parts of one family.
QString familyText(const MemoryData& data, const StageMemory& stage, Family family) {
    double sum = 0;
    QStringList names;
    for (qsizetype i = 0; i < data.parts.size(); ++i) {
        if (familyOf(data.parts[i].tone) != family || stage.parts[i] <= 0)
            continue;
        sum += stage.parts[i];
        names.append(inSentence(data.parts[i].name) + QLatin1Char(' ') + gigabyteNumber(stage.parts[i]));
    }
    if (names.isEmpty())
        return gigabyteText(0);
    if (names.size() == 1)
        return names[0] + QStringLiteral(" GB");
    return gigabyteText(sum) + QStringLiteral(": ") + names.join(QStringLiteral(", "));
}

QString limitText(const MemoryData& data, const StageMemory& stage) {
    const double free = data.usable - stage.total;
    const QString rest = free >= 0 ? MemoryText::tr("%1 free").arg(gigabyteText(free))
                                   : MemoryText::tr("%1 too much").arg(gigabyteText(-free));
    QString capacity = gigabyteText(data.capacity);
    // Makers and clouds do not count alike.
    if (std::abs(data.nominal - data.capacity) > 1e-3 * data.capacity && data.nominal > 0)
        capacity += MemoryText::tr(" (nominal %1)").arg(gigabyteText(data.nominal));
    return MemoryText::tr("%1 usable of %2, %3").arg(gigabyteNumber(data.usable), capacity, rest);
}

CardContent cardOf(const MemoryData& data, const StageMemory& stage) {
    CardContent card;
    card.title = MemoryText::tr("Stage %1: %2").arg(stage.stage).arg(gigabyteText(stage.total));
    card.rows = {{MemoryText::tr("Low – high"),
                  MemoryText::tr("%1 – %2").arg(gigabyteNumber(stage.low), gigabyteText(stage.high))},
                 {MemoryText::tr("Limit"), limitText(data, stage)},
                 {MemoryText::tr("Held"), familyText(data, stage, Family::held)},
                 {MemoryText::tr("Comes and goes"), familyText(data, stage, Family::passing)},
                 {MemoryText::tr("Overhead"), familyText(data, stage, Family::overhead)}};
    return card;
}

} // namespace

QString gigabyteText(double bytes) { return quantity(bytes, Dimension::bytes, {.fixed = giga}); }
QString gigabyteNumber(double bytes) {
    return text(formatParts(bytes, Dimension::bytes, {.fixed = giga}).number);
}

MemoryTone memoryTone(const QString& partName) {
    struct Word {
        const char* begins;
        MemoryTone tone;
    };
    constexpr std::array words{
        Word{"weight", MemoryTone::held1},       Word{"gradient", MemoryTone::held2},
        Word{"optimizer", MemoryTone::held3},    Word{"activation", MemoryTone::passing1},
        Word{"recompute", MemoryTone::passing2}, Word{"logits", MemoryTone::passing2},
        Word{"gathered", MemoryTone::passing2},  Word{"kv cache", MemoryTone::passing1}};
    const auto found = std::ranges::find_if(words, [&](const Word& word) {
        return partName.startsWith(QLatin1StringView(word.begins), Qt::CaseInsensitive);
    });
    return found == words.end() ? MemoryTone::overhead : found->tone;
}

double MemoryData::top() const {
    double highest = 0;
    for (const StageMemory& stage : stages)
        highest = std::max(highest, stage.high);
    return std::max(capacity * roomAboveLimit, highest * (fits ? roomAboveBars : roomAboveExcess));
}

MemoryData memoryData(const Estimate& estimate) {
    const Memory& memory = *estimate.memory;
    MemoryData data;
    data.capacity = memory.capacityBytes;
    data.usable = memory.capacityBytes - memory.reserveBytes;
    data.nominal = memory.nominalBytes;
    data.fits = estimate.fits;
    if (memory.stages.empty())
        return data;
    // A part that no stage has (gathered layers without full sharding) is not worth a column.
    const auto isThere = [&memory](std::size_t part) {
        return std::ranges::any_of(memory.stages,
                                   [part](const auto& stage) { return stage.parts[part].bytes > 0; });
    };
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < memory.stages.front().parts.size(); ++i)
        if (isThere(i))
            shown.push_back(i);
    for (const std::size_t i : shown) {
        const QString name = text(memory.stages.front().parts[i].name);
        data.parts.append({name, memoryTone(name)});
    }
    const double low = memory.totalBytes > 0 ? memory.lowBytes / memory.totalBytes : 1;
    const double high = memory.totalBytes > 0 ? memory.highBytes / memory.totalBytes : 1;
    for (const auto& each : memory.stages) {
        StageMemory stage{.stage = each.stage,
                          .layers = 0,
                          .total = each.totalBytes,
                          .low = each.totalBytes * low,
                          .high = each.totalBytes * high,
                          .parts = {},
                          .card = {}};
        for (const std::size_t i : shown)
            stage.parts.append(each.parts[i].bytes);
        if (each.stage == memory.worstStage)
            data.worst = static_cast<int>(data.stages.size());
        if (estimate.training)
            for (const Stage& time : estimate.training->stages)
                stage.layers = time.stage == each.stage ? time.layers : stage.layers;
        stage.card = cardOf(data, stage);
        data.stages.append(stage);
    }
    return data;
}

MemoryTable memoryTable(const MemoryData& data) {
    const auto cell = [](double bytes) {
        return Cell{.text = gigabyteNumber(bytes), .value = bytes / giga.factor, .bound = {}};
    };
    const auto count = [](int number) {
        return Cell{.text = QString::number(number), .value = number, .bound = {}};
    };
    MemoryTable table;
    table.columns = {{MemoryText::tr("Stage"), true, {}}, {MemoryText::tr("Layers"), true, {}}};
    for (const MemoryPart& part : data.parts)
        table.columns.append({MemoryText::tr("%1, GB").arg(part.name), true, {}});
    for (const QString& title : {MemoryText::tr("Total, GB"), MemoryText::tr("Low, GB"),
                                 MemoryText::tr("High, GB"), MemoryText::tr("Free, GB")})
        table.columns.append({title, true, {}});
    for (const StageMemory& stage : data.stages) {
        CellRow row{QString::number(stage.stage), {count(stage.stage), count(stage.layers)}};
        for (const double part : stage.parts)
            row.cells.append(cell(part));
        for (const double bytes : {stage.total, stage.low, stage.high, data.usable - stage.total})
            row.cells.append(cell(bytes));
        table.rows.append(row);
    }
    return table;
}

QString memoryInWords(const MemoryData& data) {
    if (data.stages.isEmpty())
        return {};
    const StageMemory& worst = data.stages[data.worst];
    const double free = data.usable - worst.total;
    const auto largest = std::ranges::max_element(worst.parts);
    const auto which = largest - worst.parts.begin();
    return (data.fits
                ? MemoryText::tr("It fits. Stage %1 is the fullest: %2 of %3 usable, %4 free.")
                : MemoryText::tr("It does not fit. Stage %1 is the fullest: %2 of %3 usable, %4 too much."))
               .arg(worst.stage)
               .arg(gigabyteText(worst.total), gigabyteText(data.usable), gigabyteText(std::abs(free))) +
           QLatin1Char(' ') +
           MemoryText::tr("Most of it is for %1, %2. The band is %3 – %4.")
               .arg(inSentence(data.parts[which].name), gigabyteText(*largest), gigabyteNumber(worst.low),
                    gigabyteText(worst.high));
}

} // namespace alidade::views
