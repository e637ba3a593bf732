// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/posttraining/step_lanes.h"

#include "views/document/text.h"
#include "views/kit/paint.h"
#include "views/theme/theme_controller.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace alidade::views {

namespace {

QString threeDigits(double seconds) { return quantity(seconds, Dimension::seconds, {.significant = 3}); }

// Logical pixels at 10 pt.
constexpr int nameWidth = 96, laneHeight = 56, laneGap = 26, topSpace = 24, axisSpace = 34;

/// 1, 2 or 5 times a power of ten that gives about `count` ticks.
double tickStep(double range, int count) {
    const double raw = range / count, power = std::pow(10.0, std::floor(std::log10(raw)));
    const double times = raw / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

QStringList poolsOf(const Reinforcement& step) {
    QStringList out;
    for (const auto& pool : step.pools)
        out.append(text(pool.name));
    return out;
}

/// A label on the ground of fields, if it fits into the block.
void paintLabel(QPainter& painter, const QRectF& block, const QString& words) {
    painter.setFont(theme().font(FontRole::block));
    const QFontMetricsF metrics(painter.font());
    const double pad = theme().px(5);
    const QString shown = metrics.elidedText(words, Qt::ElideRight, block.width() - 4 * pad);
    if (shown.size() < 4 && shown != words)
        return;
    QRectF box(0, 0, metrics.horizontalAdvance(shown) + 2 * pad, metrics.height() + pad);
    box.moveTopLeft(block.topLeft() + QPointF(pad, pad));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().color(Role::base));
    painter.drawRoundedRect(box, 2, 2);
    painter.setPen(theme().color(Role::text));
    painter.drawText(box, Qt::AlignCenter, shown);
}

} // namespace

QString phaseTitle(const std::string& name) {
    if (name == "generation")
        return StepLanes::tr("Generate");
    if (name == "log_prob")
        return StepLanes::tr("Policy log-probs");
    if (name == "reference")
        return StepLanes::tr("Reference log-probs");
    if (name == "values")
        return StepLanes::tr("Values");
    if (name == "reward")
        return StepLanes::tr("Reward");
    if (name == "update")
        return StepLanes::tr("Update");
    if (name == "weight_sync")
        return StepLanes::tr("Weights");
    if (name == "offload")
        return StepLanes::tr("Offload and reload");
    return text(name);
}

QString poolTitle(const std::string& name) {
    return name == "all"       ? StepLanes::tr("All GPUs")
           : name == "rollout" ? StepLanes::tr("Rollout")
                               : StepLanes::tr("Training");
}

StepLanes::StepLanes(QWidget* parent)
    : QWidget(parent) {
    setMouseTracking(true);
    setAccessibleName(tr("One step"));
    connect(&ThemeController::instance(), &ThemeController::changed, this, qOverload<>(&QWidget::update));
}

void StepLanes::setStep(std::shared_ptr<const Reinforcement> step) {
    step_ = std::move(step);
    setAccessibleDescription(description());
    updateGeometry();
    update();
}

QString StepLanes::description() const {
    if (!step_)
        return {};
    QStringList parts;
    for (const auto& phase : step_->phases)
        parts.append(tr("%1, %2: %3 from %4")
                         .arg(poolTitle(phase.pool), phaseTitle(phase.name), threeDigits(phase.seconds),
                              threeDigits(phase.start)));
    return parts.join(QStringLiteral("; "));
}

QSize StepLanes::sizeHint() const {
    const int lanes = step_ ? static_cast<int>(step_->pools.size()) : 1;
    return {theme().px(720),
            theme().px(topSpace + axisSpace + lanes * laneHeight + (lanes - 1) * laneGap + 8)};
}

QSize StepLanes::minimumSizeHint() const { return {theme().px(320), sizeHint().height()}; }

StepLanes::Scale StepLanes::scale() const {
    const double left = theme().px(nameWidth), right = theme().px(22);
    return {left, std::max(10.0, width() - left - right), std::max(1e-9, step_ ? step_->stepTime : 1)};
}

QRectF StepLanes::laneRect(int index) const {
    const Scale s = scale();
    return {s.left, static_cast<double>(theme().px(topSpace + index * (laneHeight + laneGap))), s.width,
            static_cast<double>(theme().px(laneHeight))};
}

void StepLanes::paintRollout(QPainter& painter, const Scale& scale, const RlPhaseT<double>& phase,
                             const QRectF& lane) const {
    const double end = step_->rollout.empty() ? phase.seconds : step_->rollout.back().seconds;
    const QRectF block(scale.x(phase.start), lane.top(), scale.width * phase.seconds / scale.seconds,
                       lane.height());
    paintClassFill(painter, block, Bound::bubble, 0.45);
    QPainterPath shape(block.bottomLeft());
    shape.lineTo(block.left(), block.top());
    for (const auto& point : step_->rollout) {
        const double x = block.left() + block.width() * point.seconds / std::max(1e-9, end);
        shape.lineTo(x, block.bottom() - block.height() * std::clamp(point.share, 0.0, 1.0));
    }
    shape.lineTo(block.right(), block.bottom());
    shape.closeSubpath();
    painter.save();
    painter.setClipPath(shape);
    paintClassFill(painter, block, phase.bound);
    painter.restore();
    paintLabel(painter, block, tr("%1: %2").arg(phaseTitle(phase.name), threeDigits(phase.seconds)));
    if (step_->tailSeconds <= 0 || step_->tailSeconds > 0.98 * end)
        return;
    const double from = block.left() + block.width() * (1 - step_->tailSeconds / std::max(1e-9, end));
    painter.setPen(QPen(theme().color(Role::text), 1, Qt::DotLine));
    painter.drawLine(QPointF(from, block.top()), QPointF(from, block.bottom() + theme().px(4)));
    painter.setFont(theme().font(FontRole::small));
    painter.setPen(theme().color(Role::text2));
    const QString words = tr("tail: %1, %2 of the responses")
                              .arg(threeDigits(step_->tailSeconds * phase.seconds / std::max(1e-9, end)),
                                   quantity(step_->tailShare, Dimension::ratio, {.significant = 2}));
    const double room = lane.right() - from;
    const bool leftwards = painter.fontMetrics().horizontalAdvance(words) > room;
    const QRectF box(leftwards ? from - theme().px(400) : from, block.bottom() + theme().px(3),
                     theme().px(400), painter.fontMetrics().height());
    painter.drawText(box, int((leftwards ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignTop), words);
}

void StepLanes::paintLane(QPainter& painter, const Scale& scale, const QString& pool,
                          const QRectF& lane) const {
    paintClassFill(painter, lane, Bound::bubble, 0.45);
    double until = 0, waits = 0, waitFrom = 0;
    for (const auto& phase : step_->phases) {
        if (text(phase.pool) != pool)
            continue;
        if (phase.start - until > waits) {
            waits = phase.start - until;
            waitFrom = until;
        }
        until = std::max(until, phase.start + phase.seconds);
        if (phase.name == "generation") {
            paintRollout(painter, scale, phase, lane);
            continue;
        }
        const QRectF block(scale.x(phase.start), lane.top(),
                           std::max(1.0, scale.width * phase.seconds / scale.seconds - 1), lane.height());
        paintClassFill(painter, block, phase.bound, phase.name == "update" ? 1 : 0.62);
        const QString name = phase.name == "update" && step_->updates > 1
                                 ? tr("%1, %2 mini-batches").arg(phaseTitle(phase.name)).arg(step_->updates)
                                 : phaseTitle(phase.name);
        paintLabel(painter, block, tr("%1: %2").arg(name, threeDigits(phase.seconds)));
    }
    if (waits > 0.03 * scale.seconds)
        paintLabel(painter,
                   {scale.x(waitFrom), lane.top(), scale.width * waits / scale.seconds, lane.height()},
                   tr("waits: %1").arg(threeDigits(waits)));
}

void StepLanes::paintAxis(QPainter& painter, const Scale& scale, double y) const {
    painter.setFont(theme().font(FontRole::small));
    const double each = tickStep(scale.seconds, std::max(2, static_cast<int>(scale.width / theme().px(90))));
    for (double at = 0; at <= scale.seconds * 1.0001; at += each) {
        painter.setPen(theme().color(Role::grid));
        painter.drawLine(QPointF(scale.x(at), theme().px(topSpace)), QPointF(scale.x(at), y));
        painter.setPen(theme().color(Role::text2));
        const QString words = at == 0 ? tr("0 s") : QString::number(at);
        painter.drawText(QRectF(scale.x(at) - theme().px(40), y + theme().px(4), theme().px(80),
                                painter.fontMetrics().height()),
                         Qt::AlignHCenter, words);
    }
}

void StepLanes::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme().color(Role::base));
    if (!step_)
        return;
    const Scale s = scale();
    const QStringList pools = poolsOf(*step_);
    const QRectF last = laneRect(static_cast<int>(pools.size()) - 1);
    paintAxis(painter, s, last.bottom() + theme().px(pools.size() == 1 ? 18 : 6));
    for (qsizetype i = 0; i < pools.size(); ++i) {
        const QRectF lane = laneRect(static_cast<int>(i));
        paintLane(painter, s, pools[i], lane);
        painter.setPen(theme().color(Role::text));
        painter.setFont(theme().font(FontRole::strong));
        const QRectF name(0, lane.top(), s.left - theme().px(10), lane.height());
        const auto& pool = step_->pools[static_cast<std::size_t>(i)];
        painter.drawText(name.adjusted(0, 0, 0, -lane.height() / 2), Qt::AlignRight | Qt::AlignBottom,
                         poolTitle(pool.name));
        painter.setFont(theme().font(FontRole::small));
        painter.setPen(theme().color(Role::text2));
        painter.drawText(name.adjusted(0, lane.height() / 2, 0, 0), Qt::AlignRight | Qt::AlignTop,
                         tr("%1 GPUs").arg(pool.gpus));
    }
    painter.setPen(QPen(theme().color(Role::text), 1.5));
    painter.drawLine(QPointF(s.x(s.seconds), theme().px(topSpace - 4)),
                     QPointF(s.x(s.seconds), last.bottom()));
    painter.setFont(theme().font(FontRole::strong));
    painter.drawText(QRectF(s.x(s.seconds) - theme().px(260), 0, theme().px(264), theme().px(topSpace - 4)),
                     Qt::AlignRight | Qt::AlignBottom, tr("step ends: %1").arg(threeDigits(s.seconds)));
}

bool StepLanes::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !step_)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Scale s = scale();
    const QStringList pools = poolsOf(*step_);
    for (qsizetype i = 0; i < pools.size(); ++i) {
        if (!laneRect(static_cast<int>(i)).contains(help->pos()))
            continue;
        const double at = (help->pos().x() - s.left) / s.width * s.seconds;
        for (const auto& phase : step_->phases)
            if (text(phase.pool) == pools[i] && at >= phase.start && at < phase.start + phase.seconds) {
                QToolTip::showText(help->globalPos(),
                                   tr("%1: %2, from %3 to %4; lengthens the step by %5; bound by %6")
                                       .arg(phaseTitle(phase.name), threeDigits(phase.seconds),
                                            threeDigits(phase.start),
                                            threeDigits(phase.start + phase.seconds),
                                            threeDigits(phase.exposed), theme().classStyle(phase.bound).name),
                                   this);
                return true;
            }
    }
    QToolTip::hideText();
    return true;
}

PhaseMemory::PhaseMemory(QWidget* parent)
    : QWidget(parent) {
    setAccessibleName(tr("Memory through the phases"));
    connect(&ThemeController::instance(), &ThemeController::changed, this, qOverload<>(&QWidget::update));
}

void PhaseMemory::setStep(std::shared_ptr<const Reinforcement> step) {
    step_ = std::move(step);
    QStringList parts;
    if (step_)
        for (const auto& pool : step_->pools)
            for (const auto& memory : pool.memory)
                parts.append(tr("%1, %2: %3")
                                 .arg(poolTitle(pool.name), phaseTitle(memory.phase),
                                      quantity(memory.bytes, Dimension::bytes)));
    setAccessibleDescription(parts.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize PhaseMemory::sizeHint() const { return {theme().px(400), theme().px(150)}; }
QSize PhaseMemory::minimumSizeHint() const { return {theme().px(260), theme().px(130)}; }

void PhaseMemory::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme().color(Role::base));
    if (!step_)
        return;
    constexpr MemoryTone tones[] = {MemoryTone::held1, MemoryTone::passing1, MemoryTone::overhead,
                                    MemoryTone::held3};
    double most = 0;
    int bars = 0;
    for (const auto& pool : step_->pools) {
        most = std::max(most, pool.capacityBytes);
        for (const auto& memory : pool.memory) {
            most = std::max(most, memory.bytes);
            ++bars;
        }
    }
    const double left = theme().px(nameWidth + 60), right = width() - theme().px(90);
    const double height =
        std::min<double>(theme().px(30), (this->height() - theme().px(12)) / std::max(1, bars));
    double y = theme().px(8);
    for (const auto& pool : step_->pools) {
        for (const auto& memory : pool.memory) {
            painter.setFont(theme().font(FontRole::small));
            painter.setPen(theme().color(Role::text2));
            painter.drawText(QRectF(theme().px(8), y, left - theme().px(18), height - 4),
                             Qt::AlignRight | Qt::AlignVCenter,
                             tr("%1: %2").arg(poolTitle(pool.name), phaseTitle(memory.phase).toLower()));
            double x = left;
            std::size_t tone = 0;
            for (const auto& part : memory.parts) {
                const double wide = (right - left) * part.bytes / most;
                const QRectF block(x, y, std::max(1.0, wide - 1), height - 4);
                painter.fillRect(block, theme().memoryColor(tones[tone++ % std::size(tones)]));
                x += wide;
            }
            painter.setPen(theme().color(Role::text));
            painter.setFont(theme().font(FontRole::strong));
            painter.drawText(QRectF(right + theme().px(8), y, theme().px(90), height - 4),
                             Qt::AlignLeft | Qt::AlignVCenter, quantity(memory.bytes, Dimension::bytes));
            const double usable = left + (right - left) * pool.capacityBytes / most;
            painter.setPen(QPen(theme().color(Role::err), 1.5));
            painter.drawLine(QPointF(usable, y - 2), QPointF(usable, y + height - 2));
            y += height;
        }
    }
}

} // namespace alidade::views
