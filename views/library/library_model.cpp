// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/library_model.h"

#include "data/scenario/samples.h"
#include "model/catalog/catalog.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/item_roles.h"
#include "views/library/item_figures.h"
#include "views/start/samples.h"
#include "views/theme/theme_controller.h"

#include <QDataStream>
#include <QDateTime>
#include <QIODevice>
#include <QLocale>
#include <QMimeData>

#include <algorithm>

namespace alidade::views {

namespace {

/// The machine as `p5en` lists want it: "64 × p5en.48xlarge".
QString machineText(const std::string& machine) {
    return text(machine).replace(QStringLiteral(" x "), QStringLiteral(" × "));
}

std::string sampleMachine(const ScenarioSpec& spec) {
    const ClusterSpec& cluster = spec.cluster;
    if (cluster.ultraserver)
        return std::to_string(cluster.ultraservers.value_or(1)) + " x " + *cluster.ultraserver;
    return cluster.instance ? std::to_string(cluster.instances.value_or(1)) + " x " + *cluster.instance
                            : std::string();
}

/// Every word of a search is in one of the texts.
bool matchesWords(const QString& search, const QStringList& texts) {
    const QString all = texts.join(QLatin1Char('\n'));
    const QStringList words = search.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return std::ranges::all_of(words,
                               [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

} // namespace

QByteArray ScenarioDrag::pack(const WorkspaceIds& ids) {
    QByteArray packed;
    QDataStream stream(&packed, QIODevice::WriteOnly);
    for (const data::WorkspaceId id : ids)
        stream << static_cast<qint64>(id);
    return packed;
}

WorkspaceIds ScenarioDrag::unpack(const QByteArray& packed) {
    WorkspaceIds ids;
    QDataStream stream(packed);
    while (!stream.atEnd()) {
        qint64 id = 0;
        stream >> id;
        ids.push_back(id);
    }
    return ids;
}

QString whenText(data::UtcMs when) {
    if (when == 0)
        return {};
    const QDateTime local = QDateTime::fromMSecsSinceEpoch(when);
    const qint64 days = local.date().daysTo(QDate::currentDate());
    const QString time = QLocale::c().toString(local.time(), QStringLiteral("HH:mm"));
    if (days == 0)
        return LibraryModel::tr("today, %1").arg(time);
    if (days == 1)
        return LibraryModel::tr("yesterday, %1").arg(time);
    return local.date().toString(Qt::ISODate);
}

LibraryModel::LibraryModel(Library* library, Document* document, QObject* parent)
    : QAbstractTableModel(parent)
    , library_(library)
    , document_(document)
    , figures_(new ItemFigures(document, this)) {
    connect(library, &Library::changed, this, &LibraryModel::renew);
    connect(figures_, &ItemFigures::renewed, this, [this](const QString& key) {
        for (int row = 0; row < rowCount(); ++row)
            if (keyOf(rows_[static_cast<std::size_t>(row)]) == key)
                emit dataChanged(index(row, answer), index(row, cost));
    });
    renew();
}

void LibraryModel::show(const LibraryPlace& place, const QString& search) {
    place_ = place;
    search_ = search.simplified();
    renew();
}

void LibraryModel::setOpen(data::WorkspaceId scenario) {
    open_ = scenario;
    if (rowCount() > 0)
        emit dataChanged(index(0, name), index(rowCount() - 1, name));
}

std::vector<LibraryModel::Row> LibraryModel::wantedRows() const {
    std::vector<Row> rows;
    const bool searching = !search_.isEmpty();
    if (searching)
        for (const data::StoredScenario* each :
             data::findScenarios(library_->content(), search_.toStdString()))
            rows.push_back({each->id, -1});
    else if (place_.kind == LibraryPlace::Kind::folder)
        for (const data::StoredScenario* each : data::scenariosIn(library_->content(), place_.folder))
            rows.push_back({each->id, -1});
    else if (place_.kind == LibraryPlace::Kind::all)
        for (const auto& [id, each] : library_->content().scenarios)
            if (each.deletedMs == 0)
                rows.push_back({id, -1});
    if (searching || place_.kind == LibraryPlace::Kind::samples)
        for (int i = 0; i < samples().size(); ++i) {
            const Sample& sample = samples()[i];
            if (!searching || matchesWords(search_, {sample.name, sample.id, tr("Samples")}))
                rows.push_back({0, i});
        }
    return rows;
}

/// Rows come and go one by one, so that selection and scroll stay.
void LibraryModel::renew() {
    const std::vector<Row> wanted = wantedRows();
    for (int row = rowCount() - 1; row >= 0; --row)
        if (std::ranges::find(wanted, rows_[static_cast<std::size_t>(row)]) == wanted.end()) {
            beginRemoveRows({}, row, row);
            rows_.erase(rows_.begin() + row);
            endRemoveRows();
        }
    for (const Row& each : wanted)
        if (std::ranges::find(rows_, each) == rows_.end()) {
            beginInsertRows({}, rowCount(), rowCount());
            rows_.push_back(each);
            endInsertRows();
        }
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

QString LibraryModel::keyOf(const Row& row) const {
    return row.sample >= 0 ? samples()[row.sample].id : QString::number(row.id);
}

data::WorkspaceId LibraryModel::id(int row) const { return rows_.at(static_cast<std::size_t>(row)).id; }

QString LibraryModel::sampleId(int row) const {
    const int sample = rows_.at(static_cast<std::size_t>(row)).sample;
    return sample >= 0 ? samples()[sample].id : QString();
}

std::string LibraryModel::json(int row) const {
    if (const QString sample = sampleId(row); !sample.isEmpty())
        return data::sampleScenarioText(sample.toStdString()).value_or(std::string());
    const data::StoredScenario* scenario = library_->scenario(id(row));
    return scenario != nullptr ? scenario->json : std::string();
}

int LibraryModel::rowOf(data::WorkspaceId id) const {
    const auto found = std::ranges::find(rows_, Row{id, -1});
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int LibraryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int LibraryModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : columnCountOfModel;
}

QVariant LibraryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCountOfModel)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == cost ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == cost)
        return tr("Whole run; for serving, per 1M tokens");
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Name"),   tr("Tags"), tr("Workload"), tr("Machine"),
                              tr("Answer"), tr("Cost"), tr("Changed"),  tr("Folder")};
    return titles[section];
}

QString LibraryModel::modelName(const std::string& id) const {
    const Catalog& catalog = *document_->catalog();
    const auto found = std::ranges::find(catalog.models, id, &Architecture::id);
    return text(found == catalog.models.end() || found->name.empty() ? id : found->name);
}

QVariant LibraryModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (row.sample >= 0)
        return sampleData(row.sample, index.column(), role);
    const data::StoredScenario* scenario = library_ ? library_->scenario(row.id) : nullptr;
    return scenario != nullptr ? scenarioData(*scenario, index.column(), role) : QVariant();
}

QVariant LibraryModel::answerData(const QString& key, const std::string& json, int role) const {
    const ItemFigure& figure = figures_->figure(key, json);
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return figure.answer;
    case sortRole:
        return figure.value > 0 ? QVariant(figure.value) : QVariant();
    case Qt::DecorationRole:
        if (figure.kind == BadgeKind::ok)
            return icon(QLatin1StringView("check"), Role::ok);
        if (figure.kind == BadgeKind::warn)
            return icon(QLatin1StringView("warning"), Role::warn);
        if (figure.kind == BadgeKind::err)
            return icon(QLatin1StringView("error"), Role::err);
        return {};
    default:
        return {};
    }
}

QVariant LibraryModel::costData(const QString& key, const std::string& json, int role) const {
    const ItemFigure& figure = figures_->figure(key, json);
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return figure.cost;
    case Qt::TextAlignmentRole:
        return int(Qt::AlignRight | Qt::AlignVCenter);
    case sortRole:
        return figure.dollars > 0 ? QVariant(figure.dollars) : QVariant();
    default:
        return {};
    }
}

QVariant LibraryModel::sampleData(int sample, int column, int role) const {
    const Sample& item = samples()[sample];
    if (column == answer)
        return answerData(item.id, data::sampleScenarioText(item.id.toStdString()).value_or(std::string()),
                          role);
    if (column == cost)
        return costData(item.id, data::sampleScenarioText(item.id.toStdString()).value_or(std::string()),
                        role);
    if (role == inkRole && column != name)
        return QVariant::fromValue(Role::text2);
    if (role == Qt::ToolTipRole)
        role = Qt::DisplayRole; // what a narrow column cuts off
    if (role != Qt::DisplayRole && role != sortRole)
        return {};
    switch (column) {
    case name:
        return item.name;
    case workload:
        return item.spec.workload.model ? modelName(*item.spec.workload.model) : QString();
    case machine:
        return machineText(sampleMachine(item.spec));
    case changed:
        return role == Qt::DisplayRole ? QVariant(tr("shipped")) : QVariant();
    case folder:
        return tr("Samples");
    default:
        return {};
    }
}

QVariant LibraryModel::scenarioData(const data::StoredScenario& scenario, int column, int role) const {
    if (column == answer)
        return answerData(QString::number(scenario.id), scenario.json, role);
    if (column == cost)
        return costData(QString::number(scenario.id), scenario.json, role);
    if (role == Qt::FontRole && column == name && scenario.id == open_)
        return theme().font(FontRole::strong);
    if (role == inkRole && column != name)
        return QVariant::fromValue(Role::text2);
    if (role == Qt::ToolTipRole && column == changed)
        return QLocale::c().toString(QDateTime::fromMSecsSinceEpoch(scenario.changedMs),
                                     QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    if (role == Qt::ToolTipRole && column == name)
        return scenario.id == open_ ? tr("%1, open").arg(text(scenario.name)) : text(scenario.name);
    if (role == Qt::ToolTipRole)
        role = Qt::DisplayRole; // what a narrow column cuts off
    if (role != Qt::DisplayRole && role != Qt::EditRole && role != sortRole)
        return {};
    switch (column) {
    case name:
        return text(scenario.name);
    case tags:
        return tagsOf(scenario).join(QStringLiteral(", "));
    case workload:
        return modelName(scenario.model);
    case machine:
        return machineText(scenario.machine);
    case changed:
        return role == sortRole ? QVariant(static_cast<qlonglong>(scenario.changedMs))
                                : QVariant(whenText(scenario.changedMs));
    case folder:
        return text(data::folderPath(library_->content(), scenario.folder));
    default:
        return {};
    }
}

bool LibraryModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable))
        return false;
    const data::WorkspaceId scenario = id(index.row());
    if (index.column() == tags) {
        library_->setTags({scenario}, tagsFrom(value.toString()));
        emit edited(scenario);
        return true;
    }
    const QString reason = library_->rename(scenario, value.toString());
    if (reason.isEmpty())
        emit edited(scenario);
    else
        emit refused(reason);
    return reason.isEmpty();
}

Qt::ItemFlags LibraryModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid() || id(index.row()) == 0)
        return flags;
    flags |= Qt::ItemIsDragEnabled;
    if (library_->isWritable() && (index.column() == name || index.column() == tags))
        flags |= Qt::ItemIsEditable;
    return flags;
}

QStringList LibraryModel::mimeTypes() const { return {QString::fromLatin1(scenarioIdsMime)}; }

QMimeData* LibraryModel::mimeData(const QModelIndexList& indexes) const {
    WorkspaceIds ids;
    for (const QModelIndex& index : indexes)
        if (const data::WorkspaceId each = id(index.row());
            each != 0 && std::ranges::find(ids, each) == ids.end())
            ids.push_back(each);
    auto* mime = new QMimeData;
    mime->setData(QString::fromLatin1(scenarioIdsMime), ScenarioDrag::pack(ids));
    return mime;
}

bool LibraryOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant one = left.data(LibraryModel::sortRole);
    const QVariant other = right.data(LibraryModel::sortRole);
    if (one.isValid() != other.isValid())
        return sortOrder() == Qt::AscendingOrder ? one.isValid() : other.isValid();
    if (one.typeId() == QMetaType::QString)
        return one.toString().localeAwareCompare(other.toString()) < 0;
    return QPartialOrdering::Less == QVariant::compare(one, other);
}

} // namespace alidade::views
