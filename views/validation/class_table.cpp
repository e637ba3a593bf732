// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/class_table.h"

#include "model/validation/error_figures.h"
#include "views/document/text.h"
#include "views/kit/delegates.h"
#include "views/theme/theme_controller.h"
#include "views/validation/run_text.h"

#include <QHeaderView>
#include <QPainter>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr int stripRole = Qt::UserRole + 4100;
constexpr int markerRole = stripRole + 1;
constexpr double leastStrip = 0.2, mostStrip = 1.0; // of the scale's ends
constexpr int allColumnsWidth = 520;                // logical pixels at 10 pt
constexpr int leastStripWidth = 170;                // logical pixels at 10 pt
constexpr double stripStep = 0.1;                   // the ends are whole steps

/// Draws the marker of a class before its name, and the errors of a class as dots under a box.
class ClassDelegate : public CellDelegate {
public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QSize size = CellDelegate::sizeHint(option, index);
        if (index.column() == ClassModel::name)
            size.rwidth() += theme().px(16);
        else if (index.column() == ClassModel::strip)
            size.setWidth(theme().px(leastStripWidth));
        return size;
    }

protected:
    void paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                      const QModelIndex& index) const override {
        if (index.column() == ClassModel::strip)
            return paintStrip(*painter, QRectF(option.rect).adjusted(theme().px(8), 0, -theme().px(8), 0),
                              index.data(stripRole).value<ErrorStrip>());
        QStyleOptionViewItem rest(option);
        if (index.column() == ClassModel::name) {
            paintMarker(*painter, QRectF(option.rect), index.data(markerRole).toInt());
            rest.rect.setLeft(rest.rect.left() + theme().px(16));
        }
        CellDelegate::paintContent(painter, rest, index);
    }

private:
    static void paintMarker(QPainter& painter, const QRectF& cell, int place) {
        QCPPainter marker;
        // QCPPainter draws on devices only; a picture of the marker keeps to the pixel ratio of this one.
        const double ratio = painter.device()->devicePixelRatioF();
        const int side = theme().px(12);
        QPixmap pixmap(QSize(side, side) * ratio);
        pixmap.setDevicePixelRatio(ratio);
        pixmap.fill(Qt::transparent);
        marker.begin(&pixmap);
        marker.setAntialiasing(true);
        const QCPScatterStyle style = runMarker(place, theme().px(8), theme());
        style.applyTo(&marker, QPen());
        style.drawShape(&marker, side / 2.0, side / 2.0);
        marker.end();
        painter.drawPixmap(QPointF(cell.left() + theme().px(8), cell.center().y() - side / 2.0), pixmap);
    }

    static void paintStrip(QPainter& painter, const QRectF& area, const ErrorStrip& strip) {
        const Theme& look = theme();
        const auto x = [&](double error) {
            return area.center().x() + std::clamp(error / strip.full, -1.0, 1.0) * area.width() / 2;
        };
        painter.setRenderHint(QPainter::Antialiasing);
        const double middle = area.center().y(), half = look.px(6);
        QColor fill = look.color(Role::text);
        fill.setAlphaF(0.06F);
        painter.fillRect(QRectF(QPointF(x(-0.1), area.top()), QPointF(x(0.1), area.bottom())), fill);
        painter.setPen(QPen(look.color(Role::line2), 1));
        painter.drawLine(QPointF(x(0), area.top()), QPointF(x(0), area.bottom()));
        QColor dot = look.color(Role::text2);
        dot.setAlphaF(0.45F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(dot);
        for (const double error : strip.errors)
            painter.drawEllipse(QPointF(x(error), middle), 1.8, 1.8);
        if (strip.errors.size() < 3)
            return; // the dots say it all
        QColor box = look.color(Role::accent);
        box.setAlphaF(0.28F);
        painter.fillRect(QRectF(QPointF(x(strip.p25), middle - half), QPointF(x(strip.p75), middle + half)),
                         box);
        painter.setPen(QPen(look.color(Role::accent), 1));
        painter.drawLine(QPointF(x(strip.p10), middle), QPointF(x(strip.p90), middle));
        painter.setPen(QPen(look.color(Role::text), 2));
        painter.drawLine(QPointF(x(strip.median), middle - half), QPointF(x(strip.median), middle + half));
    }
};

QString stripWords(const ErrorStrip& strip) {
    return ClassModel::tr("8 of 10 between %1 and %2, half between %3 and %4")
        .arg(errorText(strip.p10), errorText(strip.p90), errorText(strip.p25), errorText(strip.p75));
}

} // namespace

QList<ClassRow> classRows(const std::vector<const ValidationRow*>& rows, const QList<RunClass>& classes,
                          RunField field, const Catalog& catalog) {
    QHash<QString, std::vector<const ValidationRow*>> members;
    for (const ValidationRow* row : rows)
        members[runFieldKey(*row, field)].push_back(row);
    QHash<QString, int> places;
    for (int i = 0; i < classes.size(); ++i)
        places[classes[i].key] = i;
    QList<ClassRow> result;
    double full = leastStrip;
    for (auto each = members.begin(); each != members.end(); ++each) {
        ClassRow row{.key = each.key(),
                     .label = runFieldLabel(field, each.key(), catalog),
                     .place = places.value(each.key(), places.value(otherRuns, 0)),
                     .figures = errorFigures(each.value()),
                     .strip = {}};
        std::vector<std::pair<double, double>> weighted;
        for (const ValidationRow* run : each.value()) {
            row.strip.errors.append(run->error);
            weighted.emplace_back(run->error, run->weight);
        }
        row.strip.p10 = weightedQuantile(weighted, 0.1);
        row.strip.p25 = weightedQuantile(weighted, 0.25);
        row.strip.median = weightedQuantile(weighted, 0.5);
        row.strip.p75 = weightedQuantile(weighted, 0.75);
        row.strip.p90 = weightedQuantile(weighted, 0.9);
        full = std::max({full, std::abs(row.strip.p10), std::abs(row.strip.p90)});
        result.append(row);
    }
    full = std::min(mostStrip, std::ceil(full / stripStep) * stripStep);
    for (ClassRow& row : result)
        row.strip.full = full;
    std::ranges::sort(result, [&](const ClassRow& a, const ClassRow& b) {
        if (field == RunField::gpus)
            return a.key < b.key;
        return a.figures.n != b.figures.n ? a.figures.n > b.figures.n : a.label < b.label;
    });
    return result;
}

void ClassModel::setRows(const QString& title, const QList<ClassRow>& rows) {
    beginResetModel();
    title_ = title;
    rows_ = rows;
    endResetModel();
}

int ClassModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ClassModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : strip + 1; }

QVariant ClassModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const ClassRow& row = rows_[index.row()];
    const std::array<QVariant, 6> values{row.label,
                                         row.figures.n,
                                         100 * row.figures.medianAbsError,
                                         100 * row.figures.bias,
                                         100 * row.figures.within20,
                                         row.strip.p90 - row.strip.p10};
    const QStringList shown{row.label,
                            QString::number(row.figures.n),
                            shareText(row.figures.medianAbsError),
                            errorText(row.figures.bias),
                            shareText(row.figures.within20),
                            {}};
    switch (role) {
    case Qt::DisplayRole:
        return shown[index.column()];
    case Qt::EditRole:
        return values[static_cast<std::size_t>(index.column())];
    case Qt::ToolTipRole:
        return index.column() == strip ? stripWords(row.strip) : shown[index.column()];
    case Qt::AccessibleTextRole:
    case copyRole:
        return index.column() == strip ? QVariant(stripWords(row.strip)) : QVariant(shown[index.column()]);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::AlignVCenter |
            (index.column() == name || index.column() == strip ? Qt::AlignLeft : Qt::AlignRight));
    case stripRole:
        return QVariant::fromValue(row.strip);
    case markerRole:
        return row.place;
    default:
        return {};
    }
}

QVariant ClassModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section > strip)
        return {};
    const QString ends = rows_.isEmpty() ? QString()
                                         : quantity(rows_.first().strip.full, Dimension::ratio,
                                                    {.significant = 2, .trimZeros = true});
    const QStringList titles{title_,       tr("Runs"),
                             tr("Median"), tr("Bias"),
                             tr("≤ 20 %"), ends.isEmpty() ? tr("Error") : tr("Error, −%1 to +%1").arg(ends)};
    const QStringList tips{
        {},
        tr("Published rows"),
        tr("Half of the rows are predicted within this; each sweep counts once"),
        tr("Median of the signed errors"),
        tr("Share of the rows that are predicted within 20 %"),
        tr("One dot per row; the box holds the middle half, the line 8 of 10; the gray area is ±10 %")};
    if (role == Qt::DisplayRole)
        return titles[section];
    if (role == Qt::ToolTipRole && !tips[section].isEmpty())
        return tips[section];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignVCenter |
                                   (section == name || section == strip ? Qt::AlignLeft : Qt::AlignRight));
    return {};
}

ClassTable::ClassTable(QWidget* parent)
    : DataTableView(parent)
    , model_(new ClassModel(this))
    , order_(new QSortFilterProxyModel(this)) {
    order_->setSourceModel(model_);
    order_->setSortRole(Qt::EditRole);
    setModel(order_);
    setItemDelegate(new ClassDelegate(this));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setTextElideMode(Qt::ElideMiddle); // titles of one series differ at their ends
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setAccessibleName(tr("Error by class"));
    horizontalHeader()->setSortIndicatorClearable(true);
    setSortingEnabled(true);
    sortByColumn(-1, Qt::AscendingOrder);
    horizontalHeader()->setStretchLastSection(true); // the strips take what the figures leave
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (telling_ && row.isValid())
            emit chosen(keyAt(row));
    });
    connect(this, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { emit opened(keyAt(index)); });
}

/// Where there is no room for all columns, the names and the strips stay.
void ClassTable::fitColumns() {
    const bool roomy = width() >= theme().px(allColumnsWidth);
    for (const int column : {ClassModel::bias, ClassModel::within20})
        setColumnHidden(column, !roomy);
    int rest = viewport()->width() - theme().px(leastStripWidth);
    for (const auto& [column, width] : {std::pair{ClassModel::runs, 48},
                                        {ClassModel::medianError, 64},
                                        {ClassModel::bias, 62},
                                        {ClassModel::within20, 62}}) {
        setColumnWidth(column, theme().px(width));
        rest -= isColumnHidden(column) ? 0 : columnWidth(column);
    }
    setColumnWidth(ClassModel::name, std::clamp(sizeHintForColumn(ClassModel::name), theme().px(110),
                                                std::max(theme().px(110), rest)));
}

void ClassTable::resizeEvent(QResizeEvent* event) {
    DataTableView::resizeEvent(event);
    fitColumns();
}

QString ClassTable::keyAt(const QModelIndex& index) const {
    return model_->row(order_->mapToSource(index).row()).key;
}

void ClassTable::setRows(const QString& title, const QList<ClassRow>& rows) {
    const QScopedValueRollback quiet(telling_, false);
    model_->setRows(title, rows);
    fitColumns();
}

void ClassTable::clearChosen() {
    const QScopedValueRollback quiet(telling_, false);
    selectionModel()->clear();
}

} // namespace alidade::views
