// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_model.h"

#include "views/cost/price_age.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/data_table_view.h"
#include "views/kit/item_roles.h"
#include "views/theme/theme_controller.h"

#include <QFont>

#include <algorithm>

namespace alidade::views {

namespace {

using SheetCell = CatalogSheet::Cell;
using SheetColumn = CatalogSheet::Column;
using SheetRow = CatalogSheet::Row;

bool sameColumns(const CatalogSheet& a, const CatalogSheet& b) {
    return a.kind == b.kind &&
           std::ranges::equal(a.columns, b.columns, {}, &SheetColumn::key, &SheetColumn::key);
}

} // namespace

CatalogModel::CatalogModel(CatalogEditor* editor, QObject* parent)
    : QAbstractTableModel(parent)
    , editor_(editor) {
    connect(editor, &CatalogEditor::changed, this, &CatalogModel::refresh);
    connect(editor, &CatalogEditor::readOnlyChanged, this, &CatalogModel::refresh);
}

void CatalogModel::setKind(data::CatalogKind kind) {
    beginResetModel();
    sheet_ = sheetOf(*editor_, kind, prices_);
    endResetModel();
}

void CatalogModel::setPriceChoice(const PriceChoice& choice) {
    prices_ = choice;
    refresh();
}

void CatalogModel::setToday(const QDate& today) { today_ = today; }

/// Rows that are gone are taken out and new ones put in, so that selection and scroll position stay.
void CatalogModel::refresh() {
    if (sheet_.columns.isEmpty())
        return;
    const CatalogSheet now = sheetOf(*editor_, sheet_.kind, prices_);
    if (!sameColumns(now, sheet_)) {
        beginResetModel();
        sheet_ = now;
        endResetModel();
        return;
    }
    QList<QString> ids;
    for (const SheetRow& row : now.rows)
        ids.append(row.id);
    const QSet<QString> kept(ids.begin(), ids.end());
    const auto gone = [&](int row) { return !kept.contains(sheet_.rows[row].id); };
    for (int last = static_cast<int>(sheet_.rows.size()) - 1; last >= 0; --last) {
        if (!gone(last))
            continue;
        int first = last;
        while (first > 0 && gone(first - 1))
            --first;
        beginRemoveRows({}, first, last);
        sheet_.rows.remove(first, last - first + 1);
        endRemoveRows();
        last = first;
    }
    for (int i = 0; i < now.rows.size(); ++i) {
        if (i < sheet_.rows.size() && sheet_.rows[i].id == ids[i])
            continue;
        if (const int old = sheet_.rowOf(ids[i]); old >= 0) { // it moved: a removed one is at the end
            beginRemoveRows({}, old, old);
            sheet_.rows.removeAt(old);
            endRemoveRows();
        }
        beginInsertRows({}, i, i);
        sheet_.rows.insert(i, now.rows[i]);
        endInsertRows();
    }
    sheet_ = now;
    if (!sheet_.rows.isEmpty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

CatalogCell CatalogModel::cellAt(const QModelIndex& index) const {
    if (!index.isValid())
        return {};
    const QString& entry = sheet_.rows[index.row()].id;
    const QString& key = sheet_.columns[index.column()].key;
    if (key != priceKey || sheet_.kind == data::CatalogKind::prices)
        return {sheet_.kind, entry, key};
    const Price* price = priceOf(editor_->catalog(), entry, prices_);
    return price == nullptr
               ? CatalogCell{}
               : CatalogCell{data::CatalogKind::prices, text(price->id), QStringLiteral("usd_per_hour")};
}

int CatalogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(sheet_.rows.size());
}

int CatalogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(sheet_.columns.size());
}

bool CatalogModel::isOldPrice(const QModelIndex& index) const {
    if (sheet_.kind != data::CatalogKind::prices ||
        sheet_.columns[index.column()].key != QLatin1String("date"))
        return false;
    return isOld(priceAge(sheet_.rows[index.row()].cells[index.column()].shown, today_));
}

QString CatalogModel::toolTip(const SheetRow& row, int column) const {
    const SheetCell& cell = row.cells[column];
    if (!cell.reason.isEmpty() && !cell.refused.isEmpty())
        return tr("Not in effect: %1\nIn effect: %2").arg(cell.reason, cell.shown);
    if (!cell.reason.isEmpty())
        return tr("No effect: %1").arg(cell.reason);
    if (row.removed())
        return tr("Deleted by you; “Restore” in the menu brings it back");
    if (column == 0)
        return row.name.isEmpty() ? row.id : row.name;
    QStringList lines;
    if (cell.yours)
        lines.append(cell.shipped.isEmpty() ? tr("Yours") : tr("Yours; shipped is %1").arg(cell.shipped));
    if (!cell.source.isEmpty())
        lines.append(cell.source);
    if (cell.disputed)
        lines.append(tr("Sources disagree; see the panel"));
    return lines.join(QLatin1Char('\n'));
}

QVariant CatalogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const SheetRow& row = sheet_.rows[index.row()];
    const SheetColumn& column = sheet_.columns[index.column()];
    const SheetCell& cell = row.cells[index.column()];
    const bool refused = !cell.refused.isEmpty();
    switch (role) {
    case Qt::DisplayRole:
        if (isOldPrice(index))
            return tr("%1, old").arg(cell.shown);
        return refused ? cell.refused : cell.shown;
    case Qt::EditRole:
        return cell.compare;
    case cellTextRole:
        if (refused)
            return cell.refused;
        if (column.key == QLatin1String("gpu") && cell.compare.isValid())
            return cell.shown;
        return index.column() == 0 ? row.id : editor_->editText(cellAt(index));
    case cellReasonRole:
        return cell.reason;
    case copyRole: // as a spreadsheet reads it: no separators of thousands, nothing for the unpublished
        if (refused)
            return cell.refused;
        return column.number && cell.compare.isValid()
                   ? QVariant(QLocale::c().toString(cell.compare.toDouble(), 'g', 15))
                   : QVariant(cell.compare.isValid() ? cell.shown : QString());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    case Qt::ToolTipRole:
        return isOldPrice(index) ? oldPriceWarning(priceAge(cell.shown, today_))
                                 : toolTip(row, index.column());
    case Qt::AccessibleDescriptionRole:
        return toolTip(row, index.column());
    case Qt::DecorationRole:
        return isOldPrice(index) ? QVariant(icon(QLatin1StringView("warning"), Role::warn)) : QVariant();
    case Qt::FontRole: {
        if (!row.removed())
            return {};
        QFont font = theme().font(FontRole::body);
        font.setStrikeOut(true);
        return font;
    }
    case inkRole:
        if (row.removed() || (!cell.compare.isValid() && !refused))
            return QVariant::fromValue(Role::text3);
        return isOldPrice(index) ? QVariant::fromValue(Role::warn) : QVariant();
    case markRole:
        return QVariant::fromValue(CellMark{.yours = cell.yours || (row.own() && cell.compare.isValid()),
                                            .disagree = cell.disputed,
                                            .refused = !cell.reason.isEmpty()});
    default:
        return {};
    }
}

bool CatalogModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::EditRole)
        return false;
    const CatalogCell cell = cellAt(index);
    if (index.column() > 0) {
        editor_->setText(cell, value.toString());
        return true;
    }
    const QString reason = editor_->rename(sheet_.kind, cell.entry, value.toString());
    if (!reason.isEmpty())
        emit refused(reason);
    else
        emit renamed(value.toString().trimmed());
    return reason.isEmpty();
}

Qt::ItemFlags CatalogModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid() || !editor_->readOnly().isEmpty())
        return flags;
    const SheetRow& row = sheet_.rows[index.row()];
    const bool hasValue =
        sheet_.columns[index.column()].key != priceKey || row.cells[index.column()].compare.isValid();
    const bool editable =
        index.column() == 0 ? row.own() : sheet_.columns[index.column()].editable && hasValue;
    return editable && !row.removed() ? flags | Qt::ItemIsEditable : flags;
}

QVariant CatalogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= sheet_.columns.size())
        return {};
    const SheetColumn& column = sheet_.columns[section];
    if (role == Qt::DisplayRole)
        return column.title;
    if (role == Qt::ToolTipRole)
        return column.key;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    return {};
}

CatalogFilter::CatalogFilter(QObject* parent)
    : QSortFilterProxyModel(parent) {
    setDynamicSortFilter(false);
}

void CatalogFilter::setColumnFilter(int column, const QString& filter) {
    filters_[column] = filter.trimmed();
    invalidateFilter();
}

void CatalogFilter::setRowFilter(const QString& words) {
    words_ = words.trimmed();
    invalidateFilter();
}

void CatalogFilter::setTouchedOnly(bool on) {
    touchedOnly_ = on;
    invalidateFilter();
}

void CatalogFilter::clearFilters() {
    filters_.clear();
    invalidateFilter();
}

bool CatalogFilter::passesWords(int row) const {
    const auto* model = static_cast<const CatalogModel*>(sourceModel());
    return std::ranges::any_of(model->sheet().rows[row].cells, [this](const SheetCell& cell) {
        return cell.compare.isValid() && cell.shown.contains(words_, Qt::CaseInsensitive);
    });
}

bool CatalogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const auto* model = static_cast<const CatalogModel*>(sourceModel());
    if (touchedOnly_ && !model->sheet().rows[row].touched)
        return false;
    if (!words_.isEmpty() && !passesWords(row))
        return false;
    for (auto filter = filters_.begin(); filter != filters_.end(); ++filter) {
        if (filter.key() >= model->columnCount())
            continue;
        const QModelIndex index = model->index(row, filter.key(), parent);
        if (!filter.value().isEmpty() &&
            !passesFilter(filter.value(), index.data(Qt::EditRole), index.data().toString()))
            return false;
    }
    return true;
}

bool CatalogFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(Qt::EditRole);
    const QVariant b = right.data(Qt::EditRole);
    if (a.isValid() != b.isValid()) // at the end in either order
        return a.isValid() == (sortOrder() == Qt::AscendingOrder);
    if (a.typeId() == QMetaType::QString)
        return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    return a.toDouble() < b.toDouble();
}

} // namespace alidade::views
