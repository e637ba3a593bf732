// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/calibration_model.h"

#include "views/document/text.h"
#include "views/theme/theme_controller.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

Dimension calibratedDimension(const std::string& unit) {
    if (unit == "s")
        return Dimension::seconds;
    if (unit == "bytes")
        return Dimension::bytes;
    if (unit == "bytes/s")
        return Dimension::bytesPerSecond;
    if (unit == "tokens")
        return Dimension::tokens;
    if (unit == "tokens/s")
        return Dimension::tokensPerSecond;
    return unit == "ratio" ? Dimension::ratio : Dimension::number;
}

/// What was measured besides the constants; it stays out of the profile.
bool isFigure(const CalibratedParameter& parameter) { return !parameter.applied; }

/// The value that ranges are drawn relative to.
double anchorOf(const CalibratedParameter& p) {
    if (p.before > 0)
        return p.before;
    return p.after > 0 ? p.after : (p.low + p.high) / 2;
}

} // namespace

QString calibratedText(const CalibratedParameter& parameter, double value) {
    if (!std::isfinite(value))
        return QStringLiteral("–");
    if (std::isinf(value))
        return CalibrationModel::tr("no bound");
    if (parameter.unit == "Hz")
        return CalibrationModel::tr("%1 MHz").arg(
            quantity(value / 1e6, Dimension::number, {.significant = 4}));
    const Dimension dimension = calibratedDimension(parameter.unit);
    const QString words = quantity(value, dimension, {.significant = 3});
    const bool bare = dimension == Dimension::number && !parameter.unit.empty() && parameter.unit != "1";
    return bare ? words + QLatin1Char(' ') + text(parameter.unit) : words;
}

QString dataShareText(const CalibratedParameter& p) {
    if (p.interval)
        return CalibrationModel::tr("bounds only");
    if (isFigure(p))
        return CalibrationModel::tr("measured");
    if (!p.changed)
        return CalibrationModel::tr("unchanged");
    return quantity(p.dataShare, Dimension::ratio, {.significant = 2});
}

void CalibrationModel::setParameters(const std::vector<CalibratedParameter>& parameters) {
    beginResetModel();
    parameters_ = parameters;
    lowest_ = 0.8;
    highest_ = 1.25;
    for (const CalibratedParameter& each : parameters_)
        if (const double anchor = anchorOf(each); anchor > 0) {
            lowest_ = std::min(lowest_, std::max(0.0, each.low / anchor * 0.95));
            highest_ = std::max(highest_, std::min(4.0, each.high / anchor * 1.05));
        }
    endResetModel();
}

const CalibratedParameter& CalibrationModel::parameter(int row) const {
    return parameters_[static_cast<std::size_t>(row)];
}

int CalibrationModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(parameters_.size());
}

int CalibrationModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

QVariant CalibrationModel::data(const QModelIndex& index, int role) const {
    const CalibratedParameter& p = parameter(index.row());
    const int column = index.column();
    if (role == Qt::TextAlignmentRole && (column == before || column == after))
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == inkRole && column != constant && (isFigure(p) || (!p.changed && !p.interval)))
        return QVariant::fromValue(Role::text2);
    if (role == Qt::EditRole && (column == before || column == after))
        return column == before ? p.before : p.after;
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::EditRole)
        return {};
    switch (column) {
    case constant:
        return role == Qt::ToolTipRole ? text(p.name) : text(p.label.empty() ? p.name : p.label);
    case before:
        return calibratedText(p, p.before);
    case after:
        return p.interval ? QStringLiteral("–") : calibratedText(p, p.after);
    case range:
        return QStringLiteral("%1 – %2").arg(calibratedText(p, p.low), calibratedText(p, p.high));
    case dataShare:
        return dataShareText(p);
    default:
        return text(p.how);
    }
}

QVariant CalibrationModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == before || section == after ? Qt::AlignRight : Qt::AlignLeft) |
                                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    const QStringList titles{tr("Constant"),   tr("Before"),    tr("After"),
                             tr("Low – high"), tr("From data"), tr("How it was read")};
    return titles[section];
}

void CalibratedRangeDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                           const QModelIndex& index) const {
    const auto* model = qobject_cast<const CalibrationModel*>(index.model());
    if (model == nullptr)
        return;
    const CalibratedParameter& p = model->parameter(index.row());
    const Theme& look = theme();
    const QFontMetricsF metrics(look.font(FontRole::small));
    const QString words = index.data().toString();
    const double wordsWidth = metrics.horizontalAdvance(words);
    const QRectF cell = QRectF(option.rect).adjusted(look.px(6), 0, -look.px(6), 0);
    painter->setFont(look.font(FontRole::small));
    painter->setPen(look.color(Role::text2));
    painter->drawText(QRectF(cell.right() - wordsWidth, cell.top(), wordsWidth + 1, cell.height()),
                      Qt::AlignVCenter | Qt::AlignRight, words);
    const QRectF track(cell.left(), cell.center().y() - look.px(4), cell.width() - wordsWidth - look.px(10),
                       look.px(8));
    const double anchor = anchorOf(p);
    if (track.width() < look.px(30) || !(anchor > 0) || !std::isfinite(p.low) || !std::isfinite(p.high))
        return;
    const auto place = [&](double value) {
        const double share = (value / anchor - model->lowest()) / (model->highest() - model->lowest());
        return track.left() + std::clamp(share, 0.0, 1.0) * track.width();
    };
    painter->fillRect(QRectF(track.left(), track.center().y(), track.width(), 1), look.color(Role::grid));
    QColor band = look.color(Role::accent);
    band.setAlphaF(p.applied ? 0.3F : 0.16F);
    painter->fillRect(
        QRectF(place(p.low), track.top(), std::max(2.0, place(p.high) - place(p.low)), track.height()), band);
    if (p.before > 0)
        painter->fillRect(QRectF(place(p.before), track.top() - 2, 1, track.height() + 4),
                          look.color(Role::text3));
    if (!p.interval && std::isfinite(p.after))
        painter->fillRect(QRectF(place(p.after) - 1, track.top() - 2, 2, track.height() + 4),
                          look.color(Role::text));
}

void DataShareDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                     const QModelIndex& index) const {
    const auto* model = qobject_cast<const CalibrationModel*>(index.model());
    if (model == nullptr)
        return;
    const CalibratedParameter& p = model->parameter(index.row());
    const Theme& look = theme();
    const QRectF cell = QRectF(option.rect).adjusted(look.px(6), 0, -look.px(6), 0);
    const double barWidth = look.px(46);
    if (p.applied) {
        const QRectF track(cell.left(), cell.center().y() - look.px(3), barWidth, look.px(6));
        painter->fillRect(track, look.color(Role::sunken));
        painter->fillRect(QRectF(track.topLeft(),
                                 QSizeF(track.width() * std::clamp(p.dataShare, 0.0, 1.0), track.height())),
                          look.color(Role::text2));
    }
    painter->setFont(look.font(FontRole::small));
    painter->setPen(look.color(Role::text2));
    painter->drawText(cell.adjusted(barWidth + look.px(6), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                      index.data().toString());
}

} // namespace alidade::views
