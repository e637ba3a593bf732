// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/history_model.h"

#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/item_roles.h"
#include "views/library/history.h"
#include "views/theme/theme_controller.h"

#include <QDateTime>
#include <QLocale>

namespace alidade::views {

HistoryModel::HistoryModel(History* history, QObject* parent)
    : QAbstractTableModel(parent)
    , history_(history) {
    renew();
}

void HistoryModel::renew() {
    const auto& versions = history_->versions();
    const int rows = static_cast<int>(versions.size());
    const std::int64_t newest = versions.empty() ? 0 : versions.back().number;
    const std::int64_t oldest = versions.empty() ? 0 : versions.front().number;
    const bool grown = rows_ > 0 && rows > rows_ && oldest == number(rows_ - 1 + (rows - rows_));
    if (grown && newest - newest_ == rows - rows_) {
        beginInsertRows({}, 0, rows - rows_ - 1);
        rows_ = rows;
        newest_ = newest;
        endInsertRows();
    } else if (rows != rows_ || newest != newest_) {
        beginResetModel();
        rows_ = rows;
        newest_ = newest;
        endResetModel();
    }
    if (rows_ > 0)
        emit dataChanged(index(0, 0), index(rows_ - 1, columnCountOfModel - 1));
}

std::int64_t HistoryModel::number(int row) const {
    const auto& versions = history_->versions();
    const std::size_t at = versions.size() - 1 - static_cast<std::size_t>(row);
    return at < versions.size() ? versions[at].number : 0;
}

int HistoryModel::rowOf(std::int64_t wanted) const {
    for (int row = 0; row < rows_; ++row)
        if (number(row) == wanted)
            return row;
    return -1;
}

int HistoryModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows_; }

int HistoryModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columnCountOfModel;
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= columnCountOfModel)
        return {};
    const QString titles[] = {tr("Time"), tr("Edit"), tr("Version")};
    return titles[section];
}

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const data::ScenarioVersion* entry = history_->find(number(index.row()));
    if (entry == nullptr)
        return {};
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(entry->timeMs);
    switch (role) {
    case Qt::DisplayRole:
        if (index.column() == time)
            return QLocale::c().toString(when, when.date() == QDate::currentDate()
                                                   ? QStringLiteral("HH:mm:ss")
                                                   : QStringLiteral("yyyy-MM-dd HH:mm"));
        return text(index.column() == edit ? entry->text : entry->name);
    case Qt::EditRole:
        return index.column() == version ? QVariant(text(entry->name)) : QVariant();
    case Qt::ToolTipRole:
        return index.column() == time ? QLocale::c().toString(when, QStringLiteral("yyyy-MM-dd HH:mm:ss"))
                                      : text(index.column() == edit ? entry->text : entry->name);
    case Qt::DecorationRole:
        return index.column() == version && !entry->name.empty()
                   ? QVariant(icon(QLatin1StringView("version"), Role::accent))
                   : QVariant();
    case Qt::FontRole:
        return entry->name.empty() ? QVariant() : QVariant(theme().font(FontRole::strong));
    case inkRole:
        return index.column() == time ? QVariant::fromValue(Role::text2) : QVariant();
    default:
        return {};
    }
}

bool HistoryModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || index.column() != version)
        return false;
    emit named(number(index.row()), value.toString().simplified());
    return true;
}

Qt::ItemFlags HistoryModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == version)
        flags |= Qt::ItemIsEditable;
    return flags;
}

} // namespace alidade::views
