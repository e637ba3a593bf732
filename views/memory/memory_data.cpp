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

QString limitText(const StageMemory& stage) {
    const double free = stage.usable - stage.total;
    const QString rest = free >= 0 ? MemoryText::tr("%1 free").arg(gigabyteText(free))
                                   : MemoryText::tr("%1 too much").arg(gigabyteText(-free));
    QString capacity = gigabyteText(stage.capacity);
    // Makers and clouds do not count alike.
    if (std::abs(stage.nominal - stage.capacity) > 1e-3 * stage.capacity && stage.nominal > 0)
        capacity += MemoryText::tr(" (nominal %1)").arg(gigabyteText(stage.nominal));
    return MemoryText::tr("%1 usable of %2, %3").arg(gigabyteNumber(stage.usable), capacity, rest);
}

CardContent cardOf(const MemoryData& data, const StageMemory& stage) {
    CardContent card;
    card.title = MemoryText::tr("%1: %2").arg(stage.name, gigabyteText(stage.total));
    card.rows = {{MemoryText::tr("Low – high"),
                  MemoryText::tr("%1 – %2").arg(gigabyteNumber(stage.low), gigabyteText(stage.high))},
                 {MemoryText::tr("Limit"), limitText(stage)},
                 {MemoryText::tr("Held"), familyText(data, stage, Family::held)},
                 {MemoryText::tr("Temporary"), familyText(data, stage, Family::passing)},
                 {MemoryText::tr("Overhead"), familyText(data, stage, Family::overhead)}};
    return card;
}

/// A column of one more stage or pool; parts that are new get a place in every column.
void addColumn(MemoryData& data, const Memory& memory, const StageMemoryT<double>& each,
               const QString& pool) {
    const double low = memory.totalBytes > 0 ? memory.lowBytes / memory.totalBytes : 1;
    const double high = memory.totalBytes > 0 ? memory.highBytes / memory.totalBytes : 1;
    StageMemory column{.stage = each.stage,
                       .pool = pool,
                       .name = {},
                       .mark = {},
                       .layers = 0,
                       .capacity = memory.capacityBytes,
                       .usable = memory.capacityBytes - memory.reserveBytes,
                       .nominal = memory.nominalBytes,
                       .total = each.totalBytes,
                       .low = each.totalBytes * low,
                       .high = each.totalBytes * high,
                       .parts = QList<double>(data.parts.size(), 0.0),
                       .card = {}};
    for (const auto& part : each.parts) {
        const QString name = text(part.name);
        const auto known = std::ranges::find(data.parts, name, &MemoryPart::name) - data.parts.begin();
        if (known == data.parts.size()) {
            data.parts.append({name, memoryTone(name)});
            column.parts.append(0);
            for (StageMemory& other : data.stages)
                other.parts.append(0);
        }
        column.parts[known] += part.bytes;
    }
    data.stages.append(column);
}

/// A part that no stage has (gathered layers without full sharding) is not worth a column.
void dropUnused(MemoryData& data) {
    for (qsizetype part = data.parts.size() - 1; part >= 0; --part) {
        const bool used = std::ranges::any_of(
            data.stages, [part](const StageMemory& stage) { return stage.parts[part] > 0; });
        if (used)
            continue;
        data.parts.removeAt(part);
        for (StageMemory& stage : data.stages)
            stage.parts.removeAt(part);
    }
}

void nameColumn(const Estimate& estimate, StageMemory& column) {
    column.name = MemoryText::tr("Stage %1").arg(column.stage);
    column.mark = QString::number(column.stage);
    if (!column.pool.isEmpty()) {
        column.mark = column.pool.at(0).toUpper() + column.pool.mid(1);
        column.name = MemoryText::tr("%1 pool").arg(column.mark);
    } else if (estimate.serving && estimate.memory->stages.size() == 1) {
        column.name = column.mark = MemoryText::tr("Each GPU");
    }
    if (estimate.training)
        for (const Stage& time : estimate.training->stages)
            column.layers = time.stage == column.stage ? time.layers : column.layers;
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
        Word{"gathered", MemoryTone::passing2},  Word{"free kv cache", MemoryTone::passing2},
        Word{"kv cache", MemoryTone::held2}};
    const auto found = std::ranges::find_if(words, [&](const Word& word) {
        return partName.startsWith(QLatin1StringView(word.begins), Qt::CaseInsensitive);
    });
    return found == words.end() ? MemoryTone::overhead : found->tone;
}

bool StageMemory::hasReserve() const {
    return usable < capacity && gigabyteNumber(usable) != gigabyteNumber(capacity);
}

bool MemoryData::stagesCount() const {
    return std::ranges::all_of(
        stages, [](const StageMemory& stage) { return stage.mark == QString::number(stage.stage); });
}

bool MemoryData::limitsDiffer() const {
    return std::ranges::any_of(stages, [this](const StageMemory& stage) {
        return stage.capacity != stages.first().capacity || stage.usable != stages.first().usable;
    });
}

double MemoryData::top() const {
    double highest = 0;
    double capacity = 0;
    for (const StageMemory& stage : stages) {
        highest = std::max(highest, stage.high);
        capacity = std::max(capacity, stage.capacity);
    }
    for (const double total : baseline)
        highest = std::max(highest, total);
    return std::max(capacity * roomAboveLimit, highest * (fits ? roomAboveBars : roomAboveExcess));
}

MemoryData memoryData(const Estimate& estimate) {
    MemoryData data;
    data.fits = estimate.fits;
    const bool pools = estimate.serving && estimate.serving->pools.size() > 1;
    if (pools) {
        for (const Pool& pool : estimate.serving->pools)
            for (const auto& worst : pool.memory.stages)
                if (worst.stage == pool.memory.worstStage)
                    addColumn(data, pool.memory, worst, text(pool.name));
    } else {
        for (const auto& stage : estimate.memory->stages)
            addColumn(data, *estimate.memory, stage, {});
    }
    dropUnused(data);
    for (int i = 0; i < data.stages.size(); ++i) {
        StageMemory& stage = data.stages[i];
        nameColumn(estimate, stage);
        const StageMemory& worst = data.stages[data.worst];
        if (pools ? stage.usable - stage.total < worst.usable - worst.total
                  : stage.stage == estimate.memory->worstStage)
            data.worst = i;
        stage.card = cardOf(data, stage);
    }
    return data;
}

MemoryTable memoryTable(const MemoryData& data) {
    const auto cell = [](double bytes) {
        return Cell{.text = gigabyteNumber(bytes), .value = bytes / giga.factor, .bound = {}};
    };
    const bool numbered = data.stagesCount();
    const bool layers = std::ranges::any_of(data.stages, [](const StageMemory& s) { return s.layers > 0; });
    MemoryTable table;
    table.columns = {{numbered ? MemoryText::tr("Stage") : MemoryText::tr("GPUs of"), numbered, {}}};
    if (layers)
        table.columns.append({MemoryText::tr("Layers"), true, {}});
    for (const MemoryPart& part : data.parts)
        table.columns.append({MemoryText::tr("%1, GB").arg(part.name), true, {}});
    for (const QString& title : {MemoryText::tr("Total, GB"), MemoryText::tr("Low, GB"),
                                 MemoryText::tr("High, GB"), MemoryText::tr("Free, GB")})
        table.columns.append({title, true, {}});
    for (const StageMemory& stage : data.stages) {
        CellRow row{stage.key(), {Cell{.text = stage.mark, .value = {}, .bound = {}}}};
        if (numbered)
            row.cells[0].value = stage.stage;
        if (layers)
            row.cells.append({.text = QString::number(stage.layers), .value = stage.layers, .bound = {}});
        for (const double part : stage.parts)
            row.cells.append(cell(part));
        for (const double bytes : {stage.total, stage.low, stage.high, stage.usable - stage.total})
            row.cells.append(cell(bytes));
        table.rows.append(row);
    }
    return table;
}

void setBaseline(MemoryData& data, const Estimate& baseline) {
    data.baseline.clear();
    if (!baseline.memory)
        return;
    const MemoryData before = memoryData(baseline);
    if (before.stages.size() == data.stages.size())
        for (const StageMemory& stage : before.stages)
            data.baseline.append(stage.total);
    else if (!before.stages.isEmpty())
        data.baseline.append(before.stages[before.worst].total);
}

QString memoryInWords(const MemoryData& data) {
    if (data.stages.isEmpty())
        return {};
    const StageMemory& worst = data.stages[data.worst];
    const double free = worst.usable - worst.total;
    const auto largest = std::ranges::max_element(worst.parts);
    const auto which = largest - worst.parts.begin();
    return (data.fits ? MemoryText::tr("It fits. %1 is the fullest: %2 of %3 usable, %4 free.")
                      : MemoryText::tr("It does not fit. %1 is the fullest: %2 of %3 usable, %4 too much."))
               .arg(worst.name, gigabyteText(worst.total), gigabyteText(worst.usable),
                    gigabyteText(std::abs(free))) +
           QLatin1Char(' ') +
           MemoryText::tr("Most of it is for %1, %2. The band is %3 – %4.")
               .arg(inSentence(data.parts[which].name), gigabyteText(*largest), gigabyteNumber(worst.low),
                    gigabyteText(worst.high));
}

} // namespace alidade::views
