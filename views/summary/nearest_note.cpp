// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/summary/nearest_note.h"

#include "model/catalog/catalog.h"
#include "views/document/text.h"
#include "views/kit/paint.h"
#include "views/validation/run_filter.h"
#include "views/validation/run_text.h"

#include <QEvent>
#include <QFocusEvent>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr std::size_t mostNamed = 4; // runs on the card; one line says what a click does

/// "−3 %": in a line of several, tenths say nothing.
QString wholePercent(double error) {
    const int percent = static_cast<int>(std::lround(100 * error));
    const QString sign = percent > 0 ? QStringLiteral("+") : percent < 0 ? QString(QChar(0x2212)) : QString();
    return NearestNote::tr("%1%2 %").arg(sign).arg(std::abs(percent));
}

} // namespace

NearestNote::NearestNote(QWidget* parent)
    : QAbstractButton(parent) {
    setObjectName(QStringLiteral("nearestRuns"));
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    hide();
}

void NearestNote::setRuns(const NearestRuns& runs, const Catalog& catalog) {
    runs_ = runs;
    card_ = {};
    const bool serving = !runs.rows.empty() && runs.rows.front()->kind == RowKind::serving;
    card_.title = serving ? tr("Nearest published deployments, predicted against measured")
                          : tr("Nearest published runs, step time predicted against measured");
    for (std::size_t i = 0; i < std::min(runs.rows.size(), mostNamed); ++i) {
        const ValidationRow& row = *runs.rows[i];
        const QString error = errorText(errorAsTime(row));
        card_.rows.append(
            {runTitle(row, catalog),
             serving ? tr("%1 %2").arg(quantityName(views::text(row.quantity)).toLower(), error) : error});
    }
    card_.rows.append({tr("Click to show them"), QString()});
    renewText();
    setVisible(!runs_.rows.empty());
}

void NearestNote::renewText() {
    QStringList errors;
    for (const ValidationRow* row : runs_.rows)
        errors.append(wholePercent(errorAsTime(*row)));
    const QString list = errors.join(QStringLiteral(", "));
    setText(tr("Nearest published runs: %1").arg(list));
    setAccessibleName(text());
    setAccessibleDescription(HoverCard::words(card_));
    updateGeometry();
    update();
}

QStringList NearestNote::ids() const {
    QStringList ids;
    for (const ValidationRow* row : runs_.rows)
        ids.append(views::text(row->id));
    return ids;
}

QSize NearestNote::sizeHint() const {
    const QFontMetricsF metrics(theme().font(FontRole::small));
    return {static_cast<int>(std::ceil(metrics.horizontalAdvance(text()))) + theme().px(20),
            std::max(theme().px(20), static_cast<int>(std::ceil(metrics.height())) + 4)};
}

void NearestNote::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(look.color(hasFocus() ? Role::accent : Role::line2), hasFocus() ? 2 : 1));
    painter.setBrush(underMouse() ? QBrush(look.color(Role::alt)) : QBrush(Qt::NoBrush));
    const QRectF pill = QRectF(rect()).adjusted(1, 1, -1, -1);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setFont(look.font(FontRole::small));
    painter.setPen(look.color(underMouse() ? Role::text : Role::text2));
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextSingleLine, text());
}

void NearestNote::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        updateGeometry();
        update();
    }
    QAbstractButton::changeEvent(event);
}

void NearestNote::enterEvent(QEnterEvent*) {
    HoverCard::showFor(this, rect(), card_);
    update();
}

void NearestNote::leaveEvent(QEvent*) {
    HoverCard::hideFor(this);
    update();
}

void NearestNote::focusInEvent(QFocusEvent* event) {
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason)
        HoverCard::showFor(this, rect(), card_);
    QAbstractButton::focusInEvent(event);
}

void NearestNote::focusOutEvent(QFocusEvent* event) {
    HoverCard::hideFor(this);
    QAbstractButton::focusOutEvent(event);
}

} // namespace alidade::views
