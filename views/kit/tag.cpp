// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/tag.h"

#include "views/icons/icon.h"
#include "views/kit/paint.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace alidade::views {
namespace {

struct BadgeLook {
    Role ink;
    Role ground;
    Role border;
    QLatin1StringView icon;
};

BadgeLook badgeLook(BadgeKind kind) {
    switch (kind) {
    case BadgeKind::ok:
        return {Role::ok, Role::okBg, Role::okBg, QLatin1StringView("check")};
    case BadgeKind::warn:
        return {Role::warn, Role::warnBg, Role::warnBg, QLatin1StringView("warning")};
    case BadgeKind::err:
        return {Role::err, Role::errBg, Role::errBg, QLatin1StringView("error")};
    case BadgeKind::neutral:
        return {Role::text2, Role::base, Role::line2, {}};
    case BadgeKind::accent:
        return {Role::accent, Role::base, Role::accent, {}};
    }
    Q_UNREACHABLE();
}

int badgeHeight() {
    return std::max(theme().px(18),
                    static_cast<int>(std::ceil(QFontMetricsF(theme().font(FontRole::small)).height())));
}

} // namespace

Tag::Tag(Bound bound, QWidget* parent, bool withName)
    : QWidget(parent)
    , bound_(bound)
    , withName_(withName) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setBound(bound);
}

void Tag::setBound(Bound bound) {
    bound_ = bound;
    setAccessibleName(theme().classStyle(bound).name);
    setToolTip(withName_ ? QString() : theme().classStyle(bound).name);
    updateGeometry();
    update();
}

QSize Tag::sizeHint() const {
    const QFontMetricsF metrics(theme().font(FontRole::small));
    const double name = withName_ ? 5 + metrics.horizontalAdvance(theme().classStyle(bound_).name) : 0;
    return {static_cast<int>(std::ceil(tagSize() + name)),
            static_cast<int>(std::ceil(withName_ ? std::max(tagSize(), metrics.height()) : tagSize()))};
}

void Tag::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintTag(painter, QRectF(0, 0, tagSize(), height()), bound_);
    if (!withName_)
        return;
    painter.setFont(theme().font(FontRole::small));
    painter.setPen(theme().color(Role::text2));
    painter.drawText(QRectF(tagSize() + 5, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter,
                     theme().classStyle(bound_).name);
}

Badge::Badge(BadgeKind kind, const QString& text, QWidget* parent)
    : QWidget(parent)
    , kind_(kind) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setState(kind, text);
}

void Badge::setState(BadgeKind kind, const QString& text) {
    if (kind == kind_ && text == text_)
        return;
    kind_ = kind;
    text_ = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

QSize Badge::sizeHint() const {
    const double text = QFontMetricsF(theme().font(FontRole::small)).horizontalAdvance(text_);
    const double mark = badgeLook(kind_).icon.isEmpty() ? 0 : theme().px(13) + 4;
    return {static_cast<int>(std::ceil(text + mark)) + 14, badgeHeight()};
}

void Badge::paintEvent(QPaintEvent*) {
    const BadgeLook look = badgeLook(kind_);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().color(look.border), 1));
    painter.setBrush(look.ground == Role::base ? QBrush(Qt::NoBrush) : QBrush(theme().color(look.ground)));
    const double round = height() / 2.0;
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), round, round);
    QRectF line = QRectF(rect()).adjusted(7, 0, -7, 0);
    if (!look.icon.isEmpty()) {
        const double side = theme().px(13);
        paintIcon(painter, QRectF(line.left() - 1, (height() - side) / 2, side, side), look.icon,
                  theme().color(look.ink));
        line.setLeft(line.left() + side + 3);
    }
    painter.setFont(theme().font(FontRole::small));
    painter.setPen(theme().color(look.ink));
    painter.drawText(line, Qt::AlignCenter, text_);
}

void Badge::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        updateGeometry();
        update();
    }
    QWidget::changeEvent(event);
}

} // namespace alidade::views
