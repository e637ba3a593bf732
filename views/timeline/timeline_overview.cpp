// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_overview.h"

#include "views/theme/theme_controller.h"
#include "views/timeline/timeline_blocks.h"
#include "views/timeline/timeline_colors.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr int overviewHeight = 44; // logical pixels at 10 pt
constexpr double stripInset = 4;   // px above and below the step
constexpr double narrowest = 6;    // px of the frame
constexpr double notchFactor = 0.85;

} // namespace

TimelineOverview::TimelineOverview(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Whole step"));
    setAccessibleDescription(tr("Visible part of the step"));
    setToolTip(tr("The whole step. Drag the frame to move through it."));
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        picture_ = {};
        updateGeometry();
        update();
    });
}

QSize TimelineOverview::sizeHint() const { return {300, theme().px(overviewHeight)}; }

void TimelineOverview::setData(std::shared_ptr<const TimelineData> data) {
    data_ = std::move(data);
    picture_ = {};
    update();
}

void TimelineOverview::setTimeRange(double from, double to) {
    if (from == from_ && to == to_)
        return;
    from_ = from;
    to_ = to;
    update();
}

void TimelineOverview::setMargins(int left, int right) {
    if (left == left_ && right == right_)
        return;
    left_ = left;
    right_ = right;
    picture_ = {};
    update();
}

QRectF TimelineOverview::strip() const {
    return {static_cast<double>(left_), stripInset, std::max(1.0, width() - 1.0 * left_ - right_),
            std::max(1.0, height() - 2 * stripInset)};
}

QRectF TimelineOverview::frame() const {
    if (!data_ || data_->empty())
        return {};
    const QRectF whole = strip();
    const double scale = whole.width() / data_->makespan();
    QRectF rect(whole.left() + from_ * scale, 1.5, (to_ - from_) * scale, height() - 3);
    if (rect.width() < narrowest) {
        const double middle = rect.center().x();
        rect.setLeft(middle - narrowest / 2);
        rect.setWidth(narrowest);
    }
    return rect;
}

double TimelineOverview::timeAt(double x) const {
    return (x - strip().left()) / strip().width() * data_->makespan();
}

void TimelineOverview::paintStages() {
    const double ratio = devicePixelRatioF();
    const QRectF whole = strip();
    picture_ = QPixmap((whole.size() * ratio).toSize());
    if (picture_.isNull()) // no room
        return;
    picture_.setDevicePixelRatio(ratio);
    picture_.fill(theme().classStyle(Bound::bubble).vectorGround());
    QPainter painter(&picture_);
    const TimelineColors colors(theme(), data_->chunks());
    const double row = whole.height() / data_->stages();
    for (int stage = 0; stage < data_->stages(); ++stage) {
        const QRectF lane(0, stage * row, whole.width(), row > 3 ? row - 1 : row);
        for (const LaneBlock& block :
             laneBlocks(*data_, stage, 0, data_->makespan(), static_cast<int>(whole.width()))) {
            const QColor fill =
                block.event < 0 ? colors.mixture(block.forward, block.backward, block.weight)
                                : colors.block(data_->events()[static_cast<std::size_t>(block.event)].kind,
                                               data_->events()[static_cast<std::size_t>(block.event)].chunk);
            painter.fillRect(QRectF(block.left, lane.top(), block.right - block.left, lane.height()), fill);
        }
    }
}

void TimelineOverview::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::base));
    if (!data_ || data_->empty())
        return;
    if (picture_.isNull() || picture_.devicePixelRatio() != devicePixelRatioF())
        paintStages();
    painter.drawPixmap(strip().topLeft(), picture_);
    const QRectF seen = frame();
    QColor veil = theme().color(Role::base);
    veil.setAlphaF(0.6F);
    const QRectF whole = strip();
    painter.fillRect(QRectF(whole.topLeft(), QPointF(std::max(seen.left(), whole.left()), whole.bottom())),
                     veil);
    painter.fillRect(QRectF(QPointF(std::min(seen.right(), whole.right()), whole.top()), whole.bottomRight()),
                     veil);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().color(Role::accent), 1.5));
    painter.drawRoundedRect(seen, 3, 3);
}

void TimelineOverview::moveFrame(double x) {
    const double half = (to_ - from_) / 2;
    const double middle = timeAt(x) - grip_;
    emit timeRangeWanted(middle - half, middle + half);
}

void TimelineOverview::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !data_ || data_->empty())
        return QWidget::mousePressEvent(event);
    const double time = timeAt(event->position().x());
    grip_ = time >= from_ && time <= to_ ? time - (from_ + to_) / 2 : 0;
    moveFrame(event->position().x());
}

void TimelineOverview::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) && data_ && !data_->empty())
        moveFrame(event->position().x());
}

void TimelineOverview::wheelEvent(QWheelEvent* event) {
    if (!data_ || data_->empty())
        return QWidget::wheelEvent(event);
    const double factor = std::pow(notchFactor, event->angleDelta().y() / 120.0);
    const double about = timeAt(event->position().x());
    emit timeRangeWanted(about - (about - from_) * factor, about + (to_ - about) * factor);
    event->accept();
}

void TimelineOverview::resizeEvent(QResizeEvent* event) {
    picture_ = {};
    QWidget::resizeEvent(event);
}

} // namespace alidade::views
