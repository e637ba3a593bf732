// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/sample_card.h"

#include "model/estimate/error_band.h"
#include "model/estimate/estimate.h"
#include "model/estimate/reinforcement.h"
#include "model/estimate/run_order.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/keyboard_focus.h"
#include "views/serving/load_data.h"
#include "views/summary/answer.h"
#include "views/theme/theme_controller.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr int margin = 15;
constexpr int barHeight = 8;

QString degree(const char* name, const std::optional<std::int64_t>& value) {
    return value && *value > 1 ? QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(*value) : QString();
}

/// "2,048 x p5.48xlarge, TP 8 PP 16 DP 128"
QString machineText(const Estimate& estimate) {
    const PlanSpec& plan = estimate.scenario.plan;
    QStringList degrees = {degree("TP", plan.tensorParallel), degree("PP", plan.pipelineParallel),
                           degree("CP", plan.contextParallel), degree("EP", plan.expertParallel),
                           degree("DP", plan.dataParallel)};
    degrees.removeAll(QString());
    const QString machine = text(estimate.clusterName);
    return degrees.isEmpty() ? machine : machine + QStringLiteral(", ") + degrees.join(QLatin1Char(' '));
}

} // namespace

SampleCard::SampleCard(const QString& name, QWidget* parent)
    : QAbstractButton(parent)
    , verdict_(tr("estimating")) {
    setText(name);
    setAccessibleName(name);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
}

void SampleCard::setEstimate(const Estimate* estimate, const QString& error) {
    segments_.clear();
    figures_.clear();
    if (estimate == nullptr) {
        kind_ = BadgeKind::err;
        verdict_ = error;
    } else {
        machine_ = machineText(*estimate);
        if (estimate->runs && estimate->fits)
            showFit(*estimate);
        else
            showFailure(*estimate);
    }
    QStringList said = {machine_, verdict_};
    for (const Figure& figure : std::as_const(figures_))
        said.append(figure.label + QLatin1Char(' ') + figure.value);
    setAccessibleDescription(said.join(QStringLiteral(", ")));
    update();
}

void SampleCard::showFit(const Estimate& estimate) {
    kind_ = BadgeKind::ok;
    verdict_ =
        estimate.headline ? tr("fits, %1").arg(boundPhrase(estimate.headline->bottleneck)) : tr("fits");
    if (estimate.serving)
        showServing(estimate);
    if (estimate.reinforcement) {
        const Reinforcement& rl = *estimate.reinforcement;
        std::vector<ShareT<double>> phases;
        for (const RlPhaseT<double>& phase : rl.phases)
            phases.push_back({phase.name, phase.exposed, phase.bound});
        segments_ = stepSegments(phases);
        figures_ = {{tr("Step"), quantity(rl.stepTime, Dimension::seconds)},
                    {tr("Waits"), quantity(rl.idleShare, Dimension::ratio)}};
        if (rl.dollarsPer1000Steps)
            figures_.append({tr("1,000 steps"), glance(*rl.dollarsPer1000Steps, Dimension::dollars)});
    }
    if (!estimate.training)
        return;
    const Training& training = *estimate.training;
    segments_ = stepSegments(training.breakdown);
    figures_ = {{tr("Step"), quantity(training.stepTime, Dimension::seconds)},
                {tr("MFU"), quantity(training.mfu, Dimension::ratio)}};
    if (training.runTime)
        figures_.append({tr("Run"), quantity(*training.runTime, Dimension::seconds)});
    if (const auto total = estimate.cost ? runTotal(*estimate.cost) : std::nullopt)
        figures_.append({tr("Cost"), glance(total->dollars, Dimension::dollars)});
}

void SampleCard::showServing(const Estimate& estimate) {
    const Serving& serving = *estimate.serving;
    if (serving.meetsTargets && !*serving.meetsTargets) {
        kind_ = BadgeKind::warn;
        verdict_ = tr("fits, misses its targets");
    } else if (doubtfulTargets(estimate).any()) {
        kind_ = BadgeKind::warn;
        verdict_ = tr("fits, targets are tight");
    }
    const auto latency = [&serving](const QString& name, const Percentiles& percentiles) {
        const auto [value, at] = knownPercentile(percentiles, serving.targetPercentile);
        const bool known = std::isfinite(value) && value > 0;
        return Figure{QString(name + QLatin1Char(' ') + at),
                      known ? quantity(value, Dimension::seconds) : QStringLiteral("–")};
    };
    segments_ = stepSegments(serving.breakdown.empty() ? serving.prefillBreakdown : serving.breakdown);
    figures_ = {{tr("Output"), glance(serving.outputTokensPerSecond, Dimension::tokensPerSecond)},
                latency(tr("TTFT"), serving.ttftPercentiles),
                latency(tr("ITL"), serving.itlPercentiles)};
    if (estimate.cost && estimate.cost->dollarsPerMillionOutputTokens)
        figures_.append(
            {tr("M output"), glance(*estimate.cost->dollarsPerMillionOutputTokens, Dimension::dollars)});
}

void SampleCard::showFailure(const Estimate& estimate) {
    kind_ = estimate.runs ? BadgeKind::err : BadgeKind::warn;
    const auto error = std::ranges::find(estimate.problems, Severity::error, &Problem::severity);
    if (estimate.runs && estimate.memory)
        verdict_ = tr("needs %1 of %2")
                       .arg(quantity(estimate.memory->totalBytes, Dimension::bytes),
                            quantity(estimate.memory->capacityBytes - estimate.memory->reserveBytes,
                                     Dimension::bytes));
    else
        verdict_ = error == estimate.problems.end() ? tr("cannot run") : views::text(error->message);
    for (const Problem& problem : estimate.problems)
        if (problem.fix) {
            figures_ = {{tr("Nearest that runs"), views::text(problem.fix->text)}};
            return;
        }
}

QSize SampleCard::minimumSizeHint() const { return {theme().px(250), sizeHint().height()}; }

QSize SampleCard::sizeHint() const {
    const int lines = QFontMetrics(theme().font(FontRole::title)).height() +
                      3 * QFontMetrics(theme().font(FontRole::small)).height() +
                      2 * QFontMetrics(theme().font(FontRole::title)).height();
    return {theme().px(330), lines + theme().px(2 * margin + barHeight + 44)};
}

void SampleCard::enterEvent(QEnterEvent* event) {
    QAbstractButton::enterEvent(event);
    update();
}

void SampleCard::leaveEvent(QEvent* event) {
    QAbstractButton::leaveEvent(event);
    update();
}

void SampleCard::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool marked = keyboardFocus(this) || underMouse();
    painter.setPen(QPen(look.color(marked ? Role::accent : Role::line), marked ? 1.5 : 1));
    painter.setBrush(look.color(Role::base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);

    QRectF area =
        QRectF(rect()).adjusted(look.px(margin), look.px(margin), -look.px(margin), -look.px(margin));
    const auto line = [&](FontRole font, Role ink, const QString& words, double left) {
        painter.setFont(look.font(font));
        painter.setPen(look.color(ink));
        const QFontMetricsF metrics(painter.font());
        const QRectF row(area.left() + left, area.top(), area.width() - left, metrics.height());
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(words, Qt::ElideRight, row.width()));
        area.setTop(row.bottom());
    };
    line(FontRole::title, Role::text, text(), 0);
    line(FontRole::small, Role::text2, machine_, 0);
    area.setTop(area.top() + look.px(9));
    const double side = look.px(15);
    const char* icons[] = {"check", "warning", "error"};
    const Role inks[] = {Role::ok, Role::warn, Role::err};
    const int which = kind_ == BadgeKind::ok ? 0 : kind_ == BadgeKind::warn ? 1 : 2;
    if (kind_ != BadgeKind::neutral)
        paintIcon(painter, QRectF(area.left(), area.top() + 1, side, side), QLatin1StringView(icons[which]),
                  look.color(inks[which]));
    line(FontRole::body, Role::text, verdict_, kind_ == BadgeKind::neutral ? 0 : side + look.px(8));
    area.setTop(area.top() + look.px(11));
    double sum = 0;
    for (const BarSegment& segment : std::as_const(segments_))
        sum += segment.value;
    if (sum > 0)
        paintBar(painter, QRectF(area.left(), area.top(), area.width(), look.px(barHeight)), segments_, sum);
    paintFigures(painter, area);
}

/// At the lower edge: small labels over values.
void SampleCard::paintFigures(QPainter& painter, QRectF area) const {
    const Theme& look = theme();
    const QFontMetricsF small(look.font(FontRole::small));
    const QFontMetricsF large(look.font(FontRole::title));
    const double top = area.bottom() - small.height() - large.height();
    double left = area.left();
    for (const Figure& figure : figures_) {
        const double room = area.right() - left;
        const QString value = large.elidedText(figure.value, Qt::ElideRight, room);
        painter.setFont(look.font(FontRole::small));
        painter.setPen(look.color(Role::text2));
        painter.drawText(QRectF(left, top, room, small.height()), Qt::AlignLeft, figure.label);
        painter.setFont(look.font(FontRole::title));
        painter.setPen(look.color(Role::text));
        painter.drawText(QRectF(left, top + small.height(), room, large.height()), Qt::AlignLeft, value);
        left += std::max(small.horizontalAdvance(figure.label), large.horizontalAdvance(value)) + look.px(18);
    }
}

} // namespace alidade::views
