// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/shares_panel.h"

#include "views/document/text.h"
#include "views/kit/paint.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double mostRow = 46;    // logical pixels
constexpr double barShare = 0.34; // of a row's height, each of the two bars

Bound boundOf(const std::string& name) {
    const QString words = text(name).toLower();
    if (words.contains(QLatin1String("hbm")) || words.contains(QLatin1String("dram")))
        return Bound::hbm;
    if (words.contains(QLatin1String("nvlink")))
        return Bound::nvlink;
    if (words.contains(QLatin1String("efa")) || words.contains(QLatin1String("network")))
        return Bound::efa;
    return Bound::compute;
}

QString shareText(const std::optional<double>& share) {
    return share ? quantity(*share, Dimension::ratio, {.significant = 2}) : QStringLiteral("–");
}

} // namespace

SharesPanel::SharesPanel(QWidget* parent)
    : QWidget(parent) {
    setAccessibleName(tr("Share of time by the model, activity measured"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void SharesPanel::setShares(const std::vector<ActivityShare>& shares) {
    const bool unchanged = std::ranges::equal(shares, shares_, [](const auto& a, const auto& b) {
        return a.name == b.name && a.modeled == b.modeled && a.measured == b.measured;
    });
    if (unchanged)
        return;
    shares_ = shares;
    QStringList words;
    for (const ActivityShare& share : shares)
        words.append(tr("%1: modeled %2, measured %3")
                         .arg(text(share.name), shareText(share.modeled), shareText(share.measured)));
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    setToolTip(tr("Color: share of time in the model. Ink: activity measured by the hardware."));
    update();
}

QSize SharesPanel::sizeHint() const { return {theme().px(270), theme().px(140)}; }
QSize SharesPanel::minimumSizeHint() const { return {theme().px(180), theme().px(100)}; }

void SharesPanel::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.fillRect(rect(), look.color(Role::base));
    const QFont small = look.font(FontRole::small);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    const double line = metrics.height();
    const QRectF area = QRectF(rect()).adjusted(look.px(12), look.px(8), -look.px(14), -look.px(6));
    painter.setPen(look.color(Role::text2));
    const QString title = tr("Share of time: model, measured");
    painter.drawText(QRectF(area.left(), area.top(), area.width(), line), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(title, Qt::ElideRight, area.width()));
    if (shares_.empty()) {
        painter.drawText(area.adjusted(0, line, 0, 0), Qt::AlignCenter | Qt::TextWordWrap,
                         tr("Neither modeled nor measured."));
        return;
    }
    double names = 0;
    for (const ActivityShare& share : shares_)
        names = std::max(names, metrics.horizontalAdvance(text(share.name)));
    const double values = metrics.horizontalAdvance(QStringLiteral("100 %, 100 %"));
    const double top = area.top() + line + look.px(4);
    const double row =
        std::min<double>((area.bottom() - top) / static_cast<double>(shares_.size()), look.px(mostRow));
    const double left = area.left() + names + look.px(8);
    const double width = std::max(20.0, area.right() - values - look.px(8) - left);
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        const ActivityShare& share = shares_[i];
        const QRectF place(left, top + static_cast<double>(i) * row, width, row);
        const double bar = std::max(3.0, std::floor(row * barShare));
        const double middle = place.center().y();
        painter.setPen(look.color(Role::text));
        painter.drawText(QRectF(area.left(), middle - line / 2, names + 2, line),
                         Qt::AlignLeft | Qt::AlignVCenter, text(share.name));
        const QRectF upper(left, std::round(middle - bar - 0.5), width, bar);
        const QRectF lower(left, std::round(middle + 0.5), width, bar);
        for (const QRectF& track : {upper, lower})
            painter.fillRect(track, look.color(Role::sunken));
        if (share.modeled)
            paintClassFill(painter,
                           QRectF(upper.topLeft(), QSizeF(width * std::clamp(*share.modeled, 0.0, 1.0), bar)),
                           boundOf(share.name));
        if (share.measured)
            painter.fillRect(
                QRectF(lower.topLeft(), QSizeF(width * std::clamp(*share.measured, 0.0, 1.0), bar)),
                look.color(Role::measured));
        painter.setPen(look.color(Role::text2));
        painter.drawText(QRectF(area.right() - values, middle - line / 2, values, line),
                         Qt::AlignRight | Qt::AlignVCenter,
                         shareText(share.modeled) + QStringLiteral(", ") + shareText(share.measured));
    }
}

} // namespace alidade::views
