// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_text.h"

#include "model/units/constants.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double day = secondsPerDay;   // s
constexpr double severalDays = 6 * day; // the name of a day may come twice
const QChar thinSpace(0x2009);
const QChar enDash(0x2013);

QString tr(const char* text) { return QCoreApplication::translate("LiveText", text); }

QDateTime timeOf(double seconds) {
    return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(std::round(seconds * 1000)));
}

QString dash() { return QString(thinSpace) + enDash + thinSpace; }

QString faultName(const Finding& finding) {
    switch (finding.kind) {
    case FaultKind::xid:
        return tr("XID %1").arg(finding.code);
    case FaultKind::doubleBitErrors:
        return tr("double-bit ECC");
    case FaultKind::singleBitErrors:
        return tr("ECC");
    case FaultKind::rowRemap:
        return tr("row remap");
    case FaultKind::thermal:
        return tr("thermal limit");
    case FaultKind::power:
        return tr("power limit");
    case FaultKind::missingGpu:
        return tr("GPU lost");
    case FaultKind::missingTarget:
        return tr("no metrics");
    case FaultKind::efaRetransmits:
        return tr("EFA retransmits");
    case FaultKind::efaConnections:
        return tr("EFA connections");
    case FaultKind::straggler:
        return tr("straggler");
    case FaultKind::stall:
        return tr("hang");
    case FaultKind::restart:
        return tr("restart");
    case FaultKind::badLoss:
        return tr("loss not finite");
    case FaultKind::engineRestart:
        return tr("engine restart");
    case FaultKind::blankValues:
        return tr("blank values");
    }
    return {};
}

/// Whether the charts tint it: what the job feels.
bool isTinted(const Finding& finding) {
    switch (finding.kind) {
    case FaultKind::xid:
    case FaultKind::efaRetransmits:
    case FaultKind::straggler:
    case FaultKind::stall:
    case FaultKind::restart:
    case FaultKind::engineRestart:
    case FaultKind::badLoss:
        return true;
    default:
        return finding.cost && finding.cost->seconds > 0;
    }
}

FaultSpan::Tone toneOf(const Finding& finding) {
    switch (finding.kind) {
    case FaultKind::stall:
    case FaultKind::restart:
    case FaultKind::xid:
    case FaultKind::doubleBitErrors:
        return FaultSpan::Tone::fault;
    case FaultKind::straggler:
        return FaultSpan::Tone::slow;
    default:
        return FaultSpan::Tone::notice;
    }
}

FaultSpan spanOf(const Finding& finding, const TimeGrid& grid) {
    FaultSpan span;
    span.start = std::max(finding.start, grid.start);
    // An event without an end is not a state that lasts.
    const bool instant = finding.kind == FaultKind::xid || finding.kind == FaultKind::restart ||
                         finding.kind == FaultKind::engineRestart;
    span.end = finding.end.value_or(instant ? finding.start + grid.step : grid.end());
    span.end = std::clamp(span.end, span.start, std::max(span.start, grid.end()));
    span.name = faultName(finding);
    span.detail = text(finding.title);
    span.tone = toneOf(finding);
    return span;
}

} // namespace

QString clockText(double time, double rangeLength) {
    const QString format = rangeLength > severalDays ? QStringLiteral("d MMM HH:mm")
                           : rangeLength > day       ? QStringLiteral("ddd HH:mm")
                                                     : QStringLiteral("HH:mm");
    return QLocale::c().toString(timeOf(time), format);
}

QString dayAndTimeText(double time) {
    return QLocale::c().toString(timeOf(time), QStringLiteral("d MMM yyyy HH:mm"));
}

QString tickText(double time, double rangeLength) {
    const QDateTime at = timeOf(time);
    const bool isMidnight = at.time() == QTime(0, 0);
    return QLocale::c().toString(at, rangeLength > day && isMidnight ? QStringLiteral("ddd d MMM")
                                                                     : QStringLiteral("HH:mm"));
}

QString spanText(double start, double end, double rangeLength) {
    const QString from = clockText(start, rangeLength);
    // The day is said once.
    const bool sameDay = timeOf(start).date() == timeOf(end).date();
    const QString to = clockText(end, sameDay ? 0 : rangeLength);
    if (sameDay && clockText(start) == to)
        return from;
    return from == to ? from : from + dash() + to;
}

QString spanText(const Finding& finding, double rangeLength) {
    if (finding.end)
        return spanText(finding.start, *finding.end, rangeLength);
    return clockText(finding.start, rangeLength) + thinSpace + enDash;
}

double timeTickStep(double rangeLength, int mostTicks) {
    static constexpr std::array steps{10.0,   30.0,   60.0,    120.0,   300.0,   600.0,   1200.0,   1800.0,
                                      3600.0, 7200.0, 14400.0, 21600.0, 43200.0, 86400.0, 172800.0, 604800.0};
    for (const double step : steps)
        if (rangeLength / step <= mostTicks)
            return step;
    return steps.back();
}

QString lengthText(double seconds) {
    if (seconds < 90)
        return tr("%1 s").arg(std::round(seconds));
    if (seconds < 5400)
        return tr("%1 min").arg(std::round(seconds / 60));
    if (seconds < 2 * day)
        return tr("%1 h").arg(std::round(seconds / secondsPerHour));
    return tr("%1 days").arg(std::round(seconds / day));
}

Dimension dimensionOf(const std::string& unit) {
    static const std::array<std::pair<std::string_view, Dimension>, 12> known{{
        {"s", Dimension::seconds},
        {"ratio", Dimension::ratio},
        {"bytes", Dimension::bytes},
        {"bytes/s", Dimension::bytesPerSecond},
        {"W", Dimension::watts},
        {"tokens/s", Dimension::tokensPerSecond},
        {"tokens", Dimension::tokens},
        {"FLOP/s", Dimension::flopPerSecond},
        {"$", Dimension::dollars},
        {"dollars", Dimension::dollars},
        {"$/h", Dimension::dollarsPerHour},
        {"Wh", Dimension::wattHours},
    }};
    const auto found = std::ranges::find(known, unit, &std::pair<std::string_view, Dimension>::first);
    return found == known.end() ? Dimension::number : found->second;
}

QString numberIn(double si, Dimension dimension, const ScaledUnit& unit) {
    return text(formatParts(si, dimension, {.fixed = unit}).number);
}

QString actionText(HealthAction action) {
    switch (action) {
    case HealthAction::ignore:
        return tr("ignore");
    case HealthAction::watch:
        return tr("watch");
    case HealthAction::restartJob:
        return tr("restart the job");
    case HealthAction::resetGpu:
        return tr("reset the GPU");
    case HealthAction::rebootNode:
        return tr("reboot the node");
    case HealthAction::replaceNode:
        return tr("replace the node");
    }
    return {};
}

bool isUrgent(HealthAction action) { return levelOf(action) == FindingLevel::now; }

QString hostOf(const Finding& finding) { return text(finding.where.host); }

std::vector<FaultSpan> faultSpans(const std::vector<Finding>& findings, const TimeGrid& grid,
                                  const DataGaps& gaps) {
    std::vector<FaultSpan> all;
    for (const Finding& finding : findings)
        if (isTinted(finding) && finding.start <= grid.end() &&
            finding.end.value_or(grid.end()) >= grid.start)
            all.push_back(spanOf(finding, grid));
    std::ranges::stable_sort(all, {}, &FaultSpan::start);
    std::vector<FaultSpan> merged;
    for (FaultSpan& span : all) {
        const bool meets = !merged.empty() && merged.back().tone == span.tone &&
                           span.start <= merged.back().end + 2 * grid.step;
        if (!meets) {
            merged.push_back(std::move(span));
            continue;
        }
        FaultSpan& last = merged.back();
        last.end = std::max(last.end, span.end);
        if (!last.name.split(QStringLiteral(", ")).contains(span.name))
            last.name += QStringLiteral(", ") + span.name;
        last.detail += QLatin1Char('\n') + span.detail;
    }
    for (const DataGap& gap : gaps.gaps)
        merged.push_back({gap.start, gap.end, gap.silent ? tr("no exporter answers") : tr("no data"),
                          text(gapSentence({gaps.unobserved, {gap}}, grid)), FaultSpan::Tone::noData});
    std::ranges::stable_sort(merged, {}, &FaultSpan::start);
    return merged;
}

} // namespace alidade::views
