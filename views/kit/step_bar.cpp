// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/step_bar.h"

#include "views/kit/keyboard_focus.h"
#include "views/theme/theme_controller.h"

#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade::views {
namespace {

constexpr double leastForLetter = 22; // logical pixels
constexpr double legendGap = 14;
constexpr double pillOpacity = 0.93;
constexpr double baselineHeight = 13; // logical pixels at 10 pt, as the next
constexpr double baselineGap = 3;     // between the baseline and the bar

double total(const QList<BarSegment>& segments) {
    double sum = 0;
    for (const BarSegment& segment : segments)
        sum += std::isfinite(segment.value) ? std::max(0.0, segment.value) : 0;
    return sum;
}

QString className(Bound bound) { return theme().classStyle(bound).name; }

} // namespace

StepBar::StepBar(QWidget* parent)
    : QWidget(parent) {
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        widths_.clear();
        updateGeometry();
        update();
    });
}

void StepBar::setSegments(QList<BarSegment> segments) {
    segments_.clear();
    widths_.clear();
    for (BarSegment& segment : segments) {
        const auto place =
            std::ranges::upper_bound(segments_, stackPosition(segment.bound), {},
                                     [](const auto& other) { return stackPosition(other.bound); });
        segments_.insert(place, std::move(segment));
    }
    if (current_ >= segments_.size())
        current_ = -1;
    hovered_ = -1;
    QStringList words;
    for (const BarSegment& segment : std::as_const(segments_))
        words.append(QString(className(segment.bound) + QLatin1Char(' ') + segment.text + QLatin1Char(' ') +
                             segment.share)
                         .simplified());
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

void StepBar::setBarHeight(int designPixels) {
    barHeight_ = designPixels;
    updateGeometry();
    update();
}

void StepBar::setOneLine(bool on) {
    oneLine_ = on;
    updateGeometry();
    update();
}

void StepBar::setLegendVisible(bool visible) {
    legend_ = visible;
    updateGeometry();
    update();
}

void StepBar::setCurrent(int index) {
    current_ = index >= 0 && index < segments_.size() ? index : -1;
    update();
}

void StepBar::setBaseline(const QList<BarSegment>& segments, const QString& words) {
    baseline_ = segments;
    baselineWords_ = words;
    std::ranges::stable_sort(baseline_, {}, [](const BarSegment& s) { return stackPosition(s.bound); });
    updateGeometry();
    update();
}

double StepBar::top() const { return baseline_.isEmpty() ? 0 : theme().px(baselineHeight + baselineGap); }

/// What the whole width represents.
double StepBar::scale() const { return std::max(total(segments_), total(baseline_)); }

QRectF StepBar::barRect() const { return QRectF(0, top(), width(), theme().px(barHeight_)); }

QRectF StepBar::baselineRect() const {
    if (baseline_.isEmpty() || !(scale() > 0))
        return {};
    return QRectF(0, 0, width() * total(baseline_) / scale(), theme().px(baselineHeight));
}

QRectF StepBar::segmentRect(int index) const {
    const QList<QRectF> rects = barRects(barRect(), segments_, scale());
    return index >= 0 && index < rects.size() ? rects[index] : QRectF();
}

QList<double> StepBar::legendWidths() const {
    if (!widths_.isEmpty())
        return widths_;
    const QFontMetricsF plain(theme().font(FontRole::small));
    QFont strong = theme().font(FontRole::small);
    strong.setWeight(QFont::Medium);
    const QFontMetricsF bold(strong);
    for (const BarSegment& segment : segments_) {
        const double share = segment.share.isEmpty() ? 0 : 4 + bold.horizontalAdvance(segment.share);
        widths_.append(std::ceil(tagSize() + 5 + plain.horizontalAdvance(className(segment.bound)) + share));
    }
    return widths_;
}

/// Leaves out those that take least until the others have room in one line: their width is 0 then.
void StepBar::keepInOneLine(QList<double>& widths, double room) const {
    const auto taken = [&widths] {
        double sum = -legendGap;
        for (const double each : widths)
            sum += each > 0 ? each + legendGap : 0;
        return sum;
    };
    while (taken() > room) {
        qsizetype least = -1;
        for (qsizetype i = 0; i < widths.size(); ++i)
            if (widths[i] > 0 && (least < 0 || segments_[i].value < segments_[least].value))
                least = i;
        if (least < 0)
            return;
        widths[least] = 0;
    }
}

/// Of each segment; null where the legend leaves it out.
QList<QRectF> StepBar::legendRects(double width) const {
    QList<double> widths = legendWidths();
    for (qsizetype i = 0; i < widths.size(); ++i)
        if (segments_[i].value <= 0)
            widths[i] = 0;
    if (oneLine_)
        keepInOneLine(widths, width);
    const double line = std::max(QFontMetricsF(theme().font(FontRole::small)).height(), tagSize()) + 4;
    const double top = barRect().bottom() + (oneLine_ ? 4 : 7);
    QList<QRectF> rects;
    double x = 0;
    double y = top;
    int shown = 0;
    for (const double item : std::as_const(widths)) {
        if (item <= 0) {
            rects.append(QRectF());
            continue;
        }
        if (x > 0 && x + item > width) {
            x = 0;
            y += line;
        }
        rects.append(QRectF(x, y, item, line));
        x += item + legendGap;
        ++shown;
    }
    // All in one row: spread over the width, as far as eyes can follow.
    if (shown > 1 && y == top && x - legendGap < width) {
        const double spare = std::min((width - (x - legendGap)) / (shown - 1), 40.0);
        int place = 0;
        for (QRectF& rect : rects)
            if (!rect.isNull())
                rect.translate(std::floor(spare * place++), 0);
    }
    return rects;
}

int StepBar::heightForWidth(int width) const {
    double bottom = barRect().bottom();
    if (legend_)
        for (const QRectF& rect : legendRects(width))
            bottom = std::max(bottom, rect.bottom());
    return static_cast<int>(std::ceil(bottom));
}

QSize StepBar::sizeHint() const {
    return {theme().px(480), heightForWidth(std::max(width(), theme().px(480)))};
}

QSize StepBar::minimumSizeHint() const {
    return {theme().px(120), static_cast<int>(std::ceil(barRect().bottom()))};
}

void StepBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (hasBaseline())
        paintBaseline(painter);
    if (segments_.isEmpty() || total(segments_) <= 0)
        painter.fillRect(barRect(), theme().color(Role::sunken));
    const QList<QRectF> rects = barRects(barRect(), segments_, scale());
    for (qsizetype i = 0; i < rects.size(); ++i) {
        if (rects[i].isNull())
            continue;
        paintClassFill(painter, rects[i], segments_[i].bound, segments_[i].opacity);
        if (barHeight_ >= 20)
            paintLabel(painter, rects[i], segments_[i]);
    }
    if (current_ >= 0 && !rects[current_].isNull()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme().color(Role::text), 2));
        painter.drawRect(rects[current_].adjusted(1, 1, -1, -1));
    }
    if (legend_)
        paintLegend(painter);
    if (keyboardFocus(this))
        paintFocus(painter, rect(), 2);
}

/// Words behind the bar where there is room, else in it: on their own ground, so that they can be read.
void StepBar::paintBaseline(QPainter& painter) const {
    const Theme& look = theme();
    const QRectF whole(0, 0, width(), theme().px(baselineHeight));
    paintBar(painter, whole, baseline_, scale());
    if (baselineWords_.isEmpty())
        return;
    const QFont font = look.font(FontRole::block);
    const double wide = QFontMetricsF(font).horizontalAdvance(baselineWords_) + 8;
    QRectF place(baselineRect().right() + 2, 0, wide, whole.height());
    if (place.right() > width())
        place.moveRight(baselineRect().right() - 4);
    QColor ground = look.color(Role::base);
    ground.setAlphaF(static_cast<float>(pillOpacity));
    painter.fillRect(place, ground);
    painter.setFont(font);
    painter.setPen(look.color(Role::text2));
    painter.drawText(place, Qt::AlignCenter, baselineWords_);
}

void StepBar::paintLabel(QPainter& painter, const QRectF& rect, const BarSegment& segment) const {
    const Theme& look = theme();
    const QString text = QString(className(segment.bound) + QLatin1Char(' ') + segment.text).trimmed();
    QFont font = look.font(FontRole::small);
    font.setWeight(QFont::Medium);
    const double wide = QFontMetricsF(font).horizontalAdvance(text) + 12;
    const bool fits = !segment.text.isEmpty() && wide + 16 <= rect.width();
    if (!fits && rect.width() < leastForLetter)
        return;
    const double high = std::min<double>(fits ? look.px(18) : look.px(16), rect.height());
    QRectF pill(0, 0, fits ? wide : look.px(16), high);
    pill.moveCenter(rect.center());
    if (fits)
        pill.moveLeft(rect.left() + 8);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QColor ground = look.color(Role::base);
    ground.setAlphaF(static_cast<float>(pillOpacity));
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(pill, 3, 3);
    if (!fits) {
        font = look.font(FontRole::block);
        font.setWeight(QFont::Bold);
    }
    painter.setFont(font);
    painter.setPen(look.color(Role::text));
    painter.drawText(pill, Qt::AlignCenter, fits ? text : look.classStyle(segment.bound).letter);
    painter.restore();
}

void StepBar::paintLegend(QPainter& painter) const {
    const Theme& look = theme();
    const QList<QRectF> rects = legendRects(width());
    const QFont plain = look.font(FontRole::small);
    QFont strong = plain;
    strong.setWeight(QFont::Medium);
    for (qsizetype i = 0; i < rects.size(); ++i) {
        QRectF rect = rects[i];
        if (rect.isNull())
            continue;
        paintTag(painter, QRectF(rect.left(), rect.top(), tagSize(), rect.height()), segments_[i].bound);
        rect.setLeft(rect.left() + tagSize() + 5);
        const QString name = className(segments_[i].bound);
        painter.setFont(plain);
        painter.setPen(look.color(i == hovered_ ? Role::text : Role::text2));
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, name);
        painter.setFont(strong);
        painter.setPen(look.color(Role::text));
        painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, segments_[i].share);
    }
}

int StepBar::indexAt(const QPointF& point) const {
    QList<QRectF> rects = barRects(barRect(), segments_, scale());
    for (int i = 0; i < rects.size(); ++i)
        if (rects[i].adjusted(0, 0, 1, 0).contains(point))
            return i;
    if (legend_) {
        rects = legendRects(width());
        for (int i = 0; i < rects.size(); ++i)
            if (rects[i].contains(point))
                return i;
    }
    return -1;
}

void StepBar::hover(int index) {
    if (index == hovered_)
        return;
    hovered_ = index;
    update();
    emit segmentHovered(index);
}

void StepBar::mouseMoveEvent(QMouseEvent* event) { hover(indexAt(event->position())); }
void StepBar::leaveEvent(QEvent*) { hover(-1); }

void StepBar::mousePressEvent(QMouseEvent* event) {
    const int index = indexAt(event->position());
    if (event->button() != Qt::LeftButton || index < 0)
        return QWidget::mousePressEvent(event);
    setCurrent(index);
    emit segmentClicked(index);
}

void StepBar::step(int direction) {
    const int count = static_cast<int>(segments_.size());
    int index = current_ < 0 ? (direction > 0 ? -1 : count) : current_;
    do
        index += direction;
    while (index >= 0 && index < count && !(segments_[index].value > 0));
    if (index < 0 || index >= count)
        return;
    setCurrent(index);
    emit segmentHovered(index);
}

void StepBar::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
        return step(-1);
    case Qt::Key_Right:
        return step(1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (current_ >= 0)
            emit segmentClicked(current_);
        return;
    case Qt::Key_Escape:
        if (current_ >= 0)
            return setCurrent(-1);
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void StepBar::focusInEvent(QFocusEvent* event) {
    const bool byTab = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    if (current_ < 0 && byTab)
        step(1);
    QWidget::focusInEvent(event);
}

void StepBar::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        updateGeometry();
        update();
    }
    QWidget::changeEvent(event);
}

} // namespace alidade::views
