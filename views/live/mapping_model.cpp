// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/mapping_model.h"

#include "views/document/text.h"
#include "views/kit/item_roles.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

QString sourceWords(const MetricRule& rule) {
    return rule.source.empty() ? MappingModel::tr("Yours") : text(rule.source);
}

QString scaleText(double scale) { return QLocale::c().toString(scale, 'g', 12); }

} // namespace

MappingModel::MappingModel(QObject* parent)
    : QAbstractTableModel(parent) {}

void MappingModel::setMapping(const MetricMapping& mapping, const MetricMapping& detected) {
    beginResetModel();
    mapping_ = mapping;
    detected_ = detected;
    previews_.clear();
    rebuild();
    endResetModel();
}

MetricMapping MappingModel::mapping() const { return mapping_; }

void MappingModel::setLabels(const LabelNames& labels) {
    if (labels == mapping_.labels)
        return;
    mapping_.labels = labels;
    clearPreviews();
}

/// Exporters in the order in which their first rule stands, signals in the order of the enumeration.
void MappingModel::rebuild() {
    rows_.clear();
    std::vector<std::string> sources;
    for (const MetricRule& each : mapping_.rules)
        if (std::ranges::find(sources, each.source) == sources.end())
            sources.push_back(each.source);
    for (const std::string& source : sources) {
        bool first = true;
        for (const SignalInfo& info : allSignals()) {
            const MetricRule* rule = ruleOf(info.signal);
            if (rule == nullptr || rule->source != source)
                continue;
            if (first)
                rows_.push_back({sourceWords(*rule), {}});
            first = false;
            rows_.push_back({{}, info.signal});
        }
    }
    bool first = true;
    for (const SignalInfo& info : allSignals())
        if (ruleOf(info.signal) == nullptr) {
            if (first)
                rows_.push_back({tr("Missing: type a metric to read it"), {}});
            first = false;
            rows_.push_back({{}, info.signal});
        }
}

const MetricRule* MappingModel::ruleOf(Signal signal) const { return mapping_.rule(signal); }

MetricRule* MappingModel::ruleOf(Signal signal) {
    const auto found = std::ranges::find(mapping_.rules, signal, &MetricRule::signal);
    return found == mapping_.rules.end() ? nullptr : &*found;
}

void MappingModel::setPreview(Signal signal, const MappingPreview& preview) {
    previews_[signal] = preview;
    if (const int row = rowOf(signal); row >= 0)
        emit dataChanged(index(row, now), index(row, remark));
}

void MappingModel::clearPreviews() {
    previews_.clear();
    if (!rows_.empty())
        emit dataChanged(index(0, now), index(rowCount() - 1, remark));
}

std::vector<MetricRule> MappingModel::unread() const {
    std::vector<MetricRule> out;
    for (const MetricRule& each : mapping_.rules)
        if (!previews_.contains(each.signal))
            out.push_back(each);
    return out;
}

std::optional<Signal> MappingModel::signalAt(int row) const {
    if (row < 0 || row >= rowCount() || !rows_[static_cast<std::size_t>(row)].heading.isEmpty())
        return std::nullopt;
    return rows_[static_cast<std::size_t>(row)].signal;
}

int MappingModel::rowOf(Signal signal) const {
    const auto found = std::ranges::find_if(
        rows_, [&](const Row& each) { return each.heading.isEmpty() && each.signal == signal; });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

bool MappingModel::isChanged(int row) const {
    const auto signal = signalAt(row);
    if (!signal)
        return false;
    const MetricRule *mine = ruleOf(*signal), *theirs = detected_.rule(*signal);
    return mine == nullptr || theirs == nullptr ? mine != theirs : !(*mine == *theirs);
}

void MappingModel::resetRow(int row) {
    const auto signal = signalAt(row);
    if (!signal || !isChanged(row))
        return;
    beginResetModel();
    std::erase_if(mapping_.rules, [&](const MetricRule& each) { return each.signal == *signal; });
    if (const MetricRule* theirs = detected_.rule(*signal))
        mapping_.rules.push_back(*theirs);
    previews_.erase(*signal);
    rebuild();
    endResetModel();
    emit edited(*signal);
}

int MappingModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int MappingModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

QString MappingModel::absence(Signal signal) const {
    for (const std::vector<MissingSignal>* from : {&mapping_.absent, &detected_.absent})
        for (const MissingSignal& each : *from)
            if (each.signal == signal)
                return text(each.why);
    return tr("no metric is known for it");
}

QVariant MappingModel::data(const QModelIndex& index, int role) const {
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == groupRowRole)
        return !row.heading.isEmpty();
    if (!row.heading.isEmpty())
        return role == Qt::DisplayRole && index.column() == 0 ? QVariant(row.heading) : QVariant();
    return cell(row, index.column(), role);
}

QVariant MappingModel::cell(const Row& row, int column, int role) const {
    const MetricRule* rule = ruleOf(row.signal);
    const auto found = previews_.find(row.signal);
    const MappingPreview* preview = found == previews_.end() ? nullptr : &found->second;
    if (role == inkRole) {
        if (column == remark && preview != nullptr && preview->odd)
            return QVariant::fromValue(Role::warn);
        if (rule == nullptr || column == remark)
            return QVariant::fromValue(Role::text2);
        if (column != signalColumn && column != now && isChanged(rowOf(row.signal)))
            return QVariant::fromValue(Role::accent);
        return {};
    }
    if (role == Qt::TextAlignmentRole)
        return column == scale || column == now ? QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter)
                                                : QVariant();
    if (role == Qt::ToolTipRole && column == now && preview != nullptr)
        return preview->expression;
    if (role != Qt::DisplayRole && role != Qt::EditRole && role != Qt::ToolTipRole)
        return {};
    if (column == signalColumn)
        return role == Qt::ToolTipRole ? text(signalInfo(row.signal).id) : text(signalInfo(row.signal).label);
    if (rule == nullptr)
        return column == remark ? absence(row.signal) : QString();
    switch (column) {
    case metric:
        return text(rule->metric);
    case divisor:
        return text(rule->divisor);
    case selector:
        return text(rule->selector);
    case kind:
        return text(alidade::name(rule->kind));
    case unit:
        return text(rule->unit);
    case scale:
        return scaleText(rule->scale);
    case now:
        return preview != nullptr ? preview->now : QString();
    default:
        return preview != nullptr && !preview->check.isEmpty() ? preview->check : text(rule->note);
    }
}

QVariant MappingModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && (section == scale || section == now))
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == scale)
        return tr("From the metric's unit to the signal's");
    if (role != Qt::DisplayRole)
        return {};
    const QStringList titles{tr("Signal"), tr("Metric"), tr("Divided by"), tr("Selector"), tr("Kind"),
                             tr("Unit"),   tr("Scale"),  tr("Now"),        tr("Remark")};
    return titles[section];
}

bool MappingModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const auto signal = signalAt(index.row());
    if (role != Qt::EditRole || !signal || !(flags(index) & Qt::ItemIsEditable))
        return false;
    const std::string words = value.toString().trimmed().toStdString();
    MetricRule* rule = ruleOf(*signal);
    const bool comesOrGoes = index.column() == metric && (rule == nullptr) != words.empty();
    if (comesOrGoes) {
        beginResetModel();
        if (rule == nullptr) {
            MetricRule added;
            added.signal = *signal;
            added.metric = words;
            added.unit = std::string(signalInfo(*signal).unit);
            mapping_.rules.push_back(std::move(added));
        } else {
            std::erase_if(mapping_.rules, [&](const MetricRule& each) { return each.signal == *signal; });
        }
        previews_.erase(*signal);
        rebuild();
        endResetModel();
        emit edited(*signal);
        return true;
    }
    if (rule == nullptr)
        return false;
    MetricRule changed = *rule;
    switch (index.column()) {
    case metric:
        changed.metric = words;
        break;
    case divisor:
        changed.divisor = words;
        break;
    case selector:
        changed.selector = words;
        break;
    case unit:
        changed.unit = words;
        break;
    case kind: {
        const auto chosen = metricKindOf(words);
        if (!chosen)
            return false;
        changed.kind = *chosen;
        break;
    }
    default: {
        bool isNumber = false;
        const double number = QLocale::c().toDouble(value.toString().trimmed(), &isNumber);
        if (!isNumber || !std::isfinite(number) || number == 0) {
            emit refused(tr("“%1” is not a valid scale; enter a factor such as 1e6").arg(value.toString()));
            return false;
        }
        changed.scale = number;
    }
    }
    if (changed == *rule)
        return true;
    *rule = changed;
    previews_.erase(*signal);
    emit dataChanged(this->index(index.row(), 0), this->index(index.row(), columns - 1));
    emit edited(*signal);
    return true;
}

Qt::ItemFlags MappingModel::flags(const QModelIndex& index) const {
    const auto signal = signalAt(index.row());
    if (!signal)
        return Qt::ItemIsEnabled;
    const bool there = ruleOf(*signal) != nullptr;
    const bool editable =
        index.column() == metric || (there && index.column() >= divisor && index.column() <= scale);
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | (editable ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

} // namespace alidade::views
