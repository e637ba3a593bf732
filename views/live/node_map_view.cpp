// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/node_map_view.h"

#include "views/kit/keyboard_focus.h"
#include "views/kit/multiples.h"
#include "views/kit/paint.h"
#include "views/live/live_keys.h"
#include "views/live/live_text.h"
#include "views/live/node_card.h"
#include "views/theme/theme_controller.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace alidade::views {
namespace {

constexpr double standsOut = 1.05;  // over the median
constexpr int shortestNodeDrag = 5; // pixels, of a zoom
constexpr double nodeZoom = 0.8;
constexpr int topMargin = 6;

/// Every how many rows a name is at the left.
int nameStep(double rowHeight, double lineHeight) {
    static constexpr std::array steps{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
    for (const int step : steps)
        if (step * rowHeight >= 1.7 * lineHeight)
            return step;
    return steps.back();
}

QFontMetricsF smallMetrics() { return QFontMetricsF(theme().font(FontRole::small)); }

} // namespace

NodeMapView::NodeMapView(LiveTime* time, QWidget* parent)
    : QWidget(parent)
    , time_(time) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Map of the nodes over time"));
    connect(time, &LiveTime::rangeChanged, this, [this] {
        image_ = QImage();
        update();
    });
    connect(time, &LiveTime::cursorChanged, this, [this] { update(); });
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        image_ = QImage();
        update();
    });
}

void NodeMapView::setResult(std::shared_ptr<const LiveResult> result) {
    if (result == result_)
        return;
    result_ = std::move(result);
    image_ = QImage();
    orderRows();
    if (cellRow_ >= static_cast<int>(order_.size()))
        cellRow_ = -1;
    const QStringList named = namedHosts();
    setAccessibleDescription(
        !result_ ? QString()
        : named.isEmpty()
            ? tr("%1 nodes, none stands out.").arg(order_.size())
            : tr("%1 nodes; %2 stand out.").arg(order_.size()).arg(named.join(QStringLiteral(", "))));
    update();
}

void NodeMapView::setByWorst(bool on) {
    if (on == byWorst_)
        return;
    byWorst_ = on;
    image_ = QImage();
    orderRows();
    update();
}

void NodeMapView::setSelectedHost(const QString& host) {
    if (host == selected_)
        return;
    selected_ = host;
    update();
}

void NodeMapView::setMark(const QString& host, double start, double end) {
    markHost_ = host;
    markStart_ = start;
    markEnd_ = end;
    update();
}

void NodeMapView::setMargins(int left, int right) {
    if (left == left_ && right == right_)
        return;
    left_ = left;
    right_ = right;
    image_ = QImage();
    update();
}

int NodeMapView::nameWidth() const {
    double widest = 0;
    if (result_)
        for (const std::string& host : result_->nodes.hosts)
            widest = std::max(widest, smallMetrics().horizontalAdvance(text(host)));
    return static_cast<int>(std::ceil(std::min(widest, theme().px(120) + 0.0)));
}

QRect NodeMapView::area() const {
    const int foot = static_cast<int>(smallMetrics().height()) + theme().px(8);
    return QRect(left_, topMargin, std::max(10, width() - left_ - right_),
                 std::max(10, height() - topMargin - foot));
}

void NodeMapView::orderRows() {
    order_.clear();
    if (!result_)
        return;
    order_.resize(result_->nodes.hosts.size());
    std::iota(order_.begin(), order_.end(), 0);
    if (byWorst_ && result_->slowest.size() == order_.size()) {
        const auto slow = [this](int host) {
            const double value = result_->slowest[static_cast<std::size_t>(host)];
            return std::isfinite(value) ? -value : 0.0;
        };
        std::ranges::stable_sort(order_, {}, slow);
    }
    renewNames();
}

QString NodeMapView::hostAt(int row) const {
    if (row < 0 || row >= static_cast<int>(order_.size()))
        return {};
    return text(result_->nodes.hosts[static_cast<std::size_t>(order_[static_cast<std::size_t>(row)])]);
}

int NodeMapView::rowOf(const QString& host) const {
    for (int row = 0; row < static_cast<int>(order_.size()); ++row)
        if (hostAt(row) == host)
            return row;
    return -1;
}

double NodeMapView::rowTop(int row) const {
    const QRect cells = area();
    return cells.top() + double(row) * cells.height() / std::max<double>(1, double(order_.size()));
}

int NodeMapView::rowAt(double y) const {
    const QRect cells = area();
    const double place = (y - cells.top()) * double(order_.size()) / cells.height();
    return place < 0 || place >= double(order_.size()) ? -1 : static_cast<int>(place);
}

double NodeMapView::xOf(double time) const {
    const QRect cells = area();
    return cells.left() + (time - time_->start()) / (time_->end() - time_->start()) * cells.width();
}

double NodeMapView::timeAt(double x) const {
    const QRect cells = area();
    return time_->start() + (x - cells.left()) / cells.width() * (time_->end() - time_->start());
}

QPointF NodeMapView::placeOf(const QString& host, double time) const {
    const int row = rowOf(host);
    return {xOf(time), (rowTop(row) + rowTop(row + 1)) / 2};
}

/// The worst first, as many as have room, none over another.
void NodeMapView::renewNames() {
    named_.clear();
    if (!result_ || order_.empty())
        return;
    struct Candidate {
        int row;
        double weight;
    };
    std::vector<double> weights(result_->nodes.hosts.size(), 0);
    const auto& hosts = result_->nodes.hosts;
    for (const Finding& finding : result_->findings) {
        const auto host = std::ranges::lower_bound(hosts, finding.where.host);
        if (host != hosts.end() && *host == finding.where.host)
            weights[static_cast<std::size_t>(host - hosts.begin())] +=
                1 + static_cast<double>(finding.action);
    }
    std::vector<Candidate> candidates;
    for (int row = 0; row < static_cast<int>(order_.size()); ++row) {
        const auto host = static_cast<std::size_t>(order_[static_cast<std::size_t>(row)]);
        double weight = weights[host];
        if (host < result_->slowest.size() && result_->slowest[host] >= standsOut)
            weight += 10 * result_->slowest[host];
        if (weight > 0)
            candidates.push_back({row, weight});
    }
    std::ranges::stable_sort(candidates, std::greater(), &Candidate::weight);
    const double line = smallMetrics().height();
    const QRect cells = area();
    const auto room = static_cast<std::size_t>(std::max(1.0, cells.height() / line));
    if (candidates.size() > room)
        candidates.resize(room);
    std::ranges::sort(candidates, {}, &Candidate::row);
    for (const Candidate& each : candidates) {
        const double middle = (rowTop(each.row) + rowTop(each.row + 1)) / 2;
        const double least = named_.empty() ? cells.top() + line / 2 : named_.back().y + line;
        named_.push_back({each.row, std::max(middle, least), hostAt(each.row)});
    }
    double most = cells.bottom() - line / 2;
    for (std::size_t i = named_.size(); i-- > 0;) {
        named_[i].y = std::min(named_[i].y, most);
        most = named_[i].y - line;
    }
}

QStringList NodeMapView::namedHosts() const {
    QStringList names;
    for (const NamedRow& row : named_)
        names.append(row.host);
    return names;
}

void NodeMapView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().color(Role::base));
    painter.setFont(theme().font(FontRole::small));
    if (result_ && !order_.empty()) {
        paintCells(painter);
        renewNames();
        paintNames(painter);
        paintTimes(painter);
        paintMarks(painter);
    } else {
        painter.setPen(theme().color(Role::text2));
        painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("No data on the speed of nodes: neither their compute time nor the activity of "
                            "their GPUs was found."));
    }
    if (keyboardFocus(this))
        paintFocus(painter, QRectF(rect()).adjusted(1, 1, -1, -1));
}

void NodeMapView::paintCells(QPainter& painter) {
    const QRect cells = area();
    const double ratio = devicePixelRatioF();
    const QSize pixels(qRound(cells.width() * ratio), qRound(cells.height() * ratio));
    painter.fillRect(cells, theme().color(Role::sunken));
    painter.save();
    painter.setBrush(QBrush(theme().color(Role::line2), Qt::BDiagPattern));
    painter.setPen(Qt::NoPen);
    painter.drawRect(cells);
    painter.restore();
    if (image_.isNull() || image_.size() != pixels) {
        ++builds_;
        image_ = nodeImage(result_->nodes,
                           {order_, result_->observation->grid, time_->start(), time_->end(), pixels,
                            std::max(1, qRound(ratio)), theme().color(Role::base).rgb(),
                            stoodStill(theme()).rgb()},
                           DeviationColors(theme()));
        image_.setDevicePixelRatio(ratio);
    }
    painter.drawImage(cells.topLeft(), image_);
}

void NodeMapView::paintNames(QPainter& painter) {
    const Theme& look = theme();
    const QRect cells = area();
    const QFontMetricsF metrics = smallMetrics();
    const double line = metrics.height();
    const double rowHeight = double(cells.height()) / double(order_.size());
    const int step = nameStep(rowHeight, line);
    painter.setPen(look.color(Role::text2));
    for (int row = 0; row < static_cast<int>(order_.size()); row += step) {
        const double middle = (rowTop(row) + rowTop(row + 1)) / 2;
        if (middle + line / 2 > height())
            break;
        const QRectF place(theme().px(6), middle - line / 2, left_ - theme().px(12), line);
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter,
                         metrics.elidedText(hostAt(row), Qt::ElideMiddle, place.width()));
    }
    painter.setFont(look.font(FontRole::small));
    for (const NamedRow& each : named_) {
        const double middle = (rowTop(each.row) + rowTop(each.row + 1)) / 2;
        painter.setPen(QPen(look.color(Role::text2), 1));
        painter.setRenderHint(QPainter::Antialiasing);
        painter.drawLine(QPointF(cells.right() + 2, middle), QPointF(cells.right() + theme().px(8), each.y));
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(look.color(Role::text));
        const QRectF place(cells.right() + theme().px(10), each.y - line / 2, right_ - theme().px(14), line);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(each.host, Qt::ElideMiddle, place.width()));
    }
}

void NodeMapView::paintTimes(QPainter& painter) {
    const QRect cells = area();
    const double length = time_->end() - time_->start();
    const double step = timeTickStep(length, std::clamp(cells.width() / theme().px(90), 2, 12));
    painter.setPen(theme().color(Role::text2));
    const double line = smallMetrics().height();
    for (const double at : multiples(time_->start(), time_->end(), step)) {
        const QString words = tickText(at, length);
        const double wide = smallMetrics().horizontalAdvance(words) + 2;
        const double x = std::clamp(xOf(at) - wide / 2, 0.0, std::max(0.0, width() - wide));
        painter.drawText(QRectF(x, cells.bottom() + theme().px(4), wide, line), Qt::AlignCenter, words);
    }
}

void NodeMapView::paintMarks(QPainter& painter) {
    const Theme& look = theme();
    const QRect cells = area();
    painter.save();
    painter.setClipRect(cells.adjusted(-2, -2, 2, 2));
    const auto outline = [&](int row, double from, double to, double width) {
        if (row < 0)
            return;
        QRectF frame(QPointF(xOf(from), rowTop(row)), QPointF(xOf(to), rowTop(row + 1)));
        if (frame.height() < 4)
            frame.adjust(0, -2, 0, 2);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(look.color(Role::text), width));
        painter.drawRect(frame.adjusted(-1, -1, 1, 0));
    };
    if (!selected_.isEmpty())
        outline(rowOf(selected_), time_->start(), time_->end(), 1);
    if (!markHost_.isEmpty())
        outline(rowOf(markHost_), std::max(markStart_, time_->start()), std::min(markEnd_, time_->end()),
                1.5);
    if (const auto cursor = time_->cursor()) {
        QPen pen(look.color(Role::text2), 1);
        pen.setDashPattern({2, 2});
        painter.setPen(pen);
        painter.drawLine(QPointF(xOf(*cursor), cells.top()), QPointF(xOf(*cursor), cells.bottom()));
    }
    if (dragFrom_) {
        QColor veil = look.color(Role::accent);
        veil.setAlphaF(0.16F);
        painter.fillRect(
            QRectF(QPointF(dragFrom_->x(), cells.top()), QPointF(dragTo_, cells.bottom())).normalized(),
            veil);
    }
    if (keyboardFocus(this) && cellRow_ >= 0) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(look.color(Role::accent), 2));
        painter.drawRect(cellRect(cellRow_, cellTime_).adjusted(-1, -1, 1, 1));
    }
    painter.restore();
}

QRect NodeMapView::cellRect(int row, double time) const {
    const double half = result_ ? result_->observation->grid.step / 2 : 0;
    const QRectF cell(QPointF(xOf(time - half), rowTop(row)), QPointF(xOf(time + half), rowTop(row + 1)));
    QRect pixels = cell.toAlignedRect();
    if (pixels.width() < 4)
        pixels.adjust(-2, 0, 2, 0);
    return pixels;
}

CardContent NodeMapView::cardAt(int row, double time) const {
    const TimeGrid& grid = result_->observation->grid;
    const double place =
        std::clamp(std::round((time - grid.start) / grid.step), 0.0, static_cast<double>(grid.points) - 1);
    return nodeCard(*result_, static_cast<std::size_t>(order_[static_cast<std::size_t>(row)]),
                    static_cast<std::size_t>(place));
}

void NodeMapView::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (dragFrom_ && (event->buttons() & Qt::LeftButton) != 0) {
        dragTo_ = std::clamp<double>(at.x(), area().left(), area().right());
        return update();
    }
    const int row = area().contains(at.toPoint()) ? rowAt(at.y()) : -1;
    if (row < 0 || !result_ || result_->observation->grid.points == 0) {
        time_->setCursor(std::nullopt);
        return HoverCard::hideFor(this);
    }
    const double time = timeAt(at.x());
    time_->setCursor(time);
    HoverCard::showFor(this, cellRect(row, time), cardAt(row, time));
}

void NodeMapView::mousePressEvent(QMouseEvent* event) {
    HoverCard::hideFor(this);
    if (event->button() != Qt::LeftButton || !area().contains(event->position().toPoint()))
        return;
    dragFrom_ = event->position();
    dragTo_ = dragFrom_->x();
}

void NodeMapView::mouseReleaseEvent(QMouseEvent* event) {
    if (!dragFrom_ || event->button() != Qt::LeftButton)
        return;
    const QPointF from = *dragFrom_;
    dragFrom_.reset();
    const double to = std::clamp<double>(event->position().x(), area().left(), area().right());
    if (std::abs(to - from.x()) >= shortestNodeDrag)
        time_->zoomTo(timeAt(std::min(from.x(), to)), timeAt(std::max(from.x(), to)));
    else if (const int row = rowAt(from.y()); row >= 0) {
        cellRow_ = row;
        cellTime_ = timeAt(from.x());
        emit hostChosen(hostAt(row));
    }
    update();
}

void NodeMapView::mouseDoubleClickEvent(QMouseEvent*) {
    dragFrom_.reset();
    time_->reset();
}

void NodeMapView::wheelEvent(QWheelEvent* event) {
    if (event->angleDelta().y() != 0)
        time_->zoomBy(event->angleDelta().y() > 0 ? nodeZoom : 1 / nodeZoom, timeAt(event->position().x()));
    event->accept();
}

void NodeMapView::leaveEvent(QEvent* event) {
    HoverCard::hideFor(this);
    time_->setCursor(std::nullopt);
    QWidget::leaveEvent(event);
}

void NodeMapView::focusOutEvent(QFocusEvent* event) {
    HoverCard::hideFor(this);
    update();
    QWidget::focusOutEvent(event);
}

void NodeMapView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        image_ = QImage();
        update();
    }
}

void NodeMapView::moveCell(int rows, int points) {
    if (!result_ || order_.empty() || result_->observation->grid.points == 0)
        return;
    const TimeGrid& grid = result_->observation->grid;
    if (cellRow_ < 0) {
        cellRow_ = std::max(0, rowOf(selected_));
        cellTime_ = (time_->start() + time_->end()) / 2;
    } else
        cellRow_ = std::clamp(cellRow_ + rows, 0, static_cast<int>(order_.size()) - 1);
    const double place = std::round((cellTime_ - grid.start) / grid.step) + points;
    cellTime_ = std::clamp(grid.start + place * grid.step, time_->start(), time_->end());
    time_->setCursor(cellTime_);
    const CardContent card = cardAt(cellRow_, cellTime_);
    HoverCard::showFor(this, cellRect(cellRow_, cellTime_), card);
    setAccessibleDescription(HoverCard::words(card));
    update();
}

void NodeMapView::keyPressEvent(QKeyEvent* event) {
    const double middle = (time_->start() + time_->end()) / 2;
    switch (event->key()) {
    case Qt::Key_Up:
        return moveCell(-1, 0);
    case Qt::Key_Down:
        return moveCell(1, 0);
    case Qt::Key_PageUp:
        return moveCell(-8, 0);
    case Qt::Key_PageDown:
        return moveCell(8, 0);
    case Qt::Key_Left:
        return moveCell(0, -1);
    case Qt::Key_Right:
        return moveCell(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (cellRow_ >= 0)
            emit hostChosen(hostAt(cellRow_));
        return;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return time_->zoomBy(nodeZoom, cellRow_ >= 0 ? cellTime_ : middle);
    case Qt::Key_Minus:
        return time_->zoomBy(1 / nodeZoom, cellRow_ >= 0 ? cellTime_ : middle);
    case Qt::Key_Home:
    case Qt::Key_F:
        return time_->reset();
    case Qt::Key_Escape:
        if (selected_.isEmpty() && cellRow_ < 0)
            break;
        cellRow_ = -1;
        time_->setCursor(std::nullopt);
        HoverCard::hideFor(this);
        emit hostChosen(QString());
        return update();
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

QSize NodeMapView::sizeHint() const { return {theme().px(700), theme().px(320)}; }
QSize NodeMapView::minimumSizeHint() const { return {theme().px(320), theme().px(140)}; }

} // namespace alidade::views
