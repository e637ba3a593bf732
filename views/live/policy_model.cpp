// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/policy_model.h"

#include "views/document/text.h"
#include "views/kit/item_roles.h"

#include <algorithm>

namespace alidade::views {

namespace {

QString faultWords(const HealthRule& rule) {
    const QString label = text(faultLabel(rule.kind));
    if (rule.kind == FaultKind::xid)
        return rule.code == 0 ? PolicyModel::tr("any other XID") : PolicyModel::tr("XID %1").arg(rule.code);
    if (rule.kind == FaultKind::rowRemap && rule.code != 0)
        return rule.code == remapFailed ? PolicyModel::tr("%1, failed").arg(label)
                                        : PolicyModel::tr("%1, pending").arg(label);
    return label;
}

} // namespace

void PolicyModel::setPolicy(const HealthPolicy& policy, const HealthPolicy* base) {
    beginResetModel();
    policy_ = policy;
    isOwn_ = base != nullptr;
    base_ = base != nullptr ? *base : HealthPolicy();
    endResetModel();
}

int PolicyModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(policy_.rules.size());
}

int PolicyModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

bool PolicyModel::differs(const HealthRule& rule, int column) const {
    const auto same = std::ranges::find_if(base_.rules, [&](const HealthRule& each) {
        return each.kind == rule.kind && each.code == rule.code;
    });
    if (!isOwn_ || same == base_.rules.end())
        return false;
    return (column == action && same->action != rule.action) ||
           (column == meaning && same->meaning != rule.meaning) ||
           (column == advice && same->advice != rule.advice);
}

QVariant PolicyModel::data(const QModelIndex& index, int role) const {
    const HealthRule& rule = policy_.rules[static_cast<std::size_t>(index.row())];
    if (role == inkRole && differs(rule, index.column()))
        return QVariant::fromValue(Role::accent);
    if (role == Qt::EditRole && index.column() == action)
        return static_cast<int>(rule.action);
    if (role != Qt::DisplayRole && role != Qt::EditRole && role != Qt::ToolTipRole)
        return {};
    switch (index.column()) {
    case fault:
        return faultWords(rule);
    case action:
        return text(actionLabel(rule.action));
    case meaning:
        return text(rule.meaning);
    case advice:
        return text(rule.advice);
    default:
        return text(rule.source);
    }
}

QVariant PolicyModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QStringList titles{tr("Fault"), tr("Action"), tr("Meaning"), tr("Advice"), tr("Source")};
    return titles[section];
}

bool PolicyModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable))
        return false;
    HealthRule& rule = policy_.rules[static_cast<std::size_t>(index.row())];
    const HealthRule before = rule;
    if (index.column() == action) {
        const int chosen = value.toInt();
        if (chosen < 0 || chosen >= static_cast<int>(allHealthActions().size()))
            return false;
        rule.action = static_cast<HealthAction>(chosen);
    } else {
        (index.column() == meaning ? rule.meaning : rule.advice) = value.toString().trimmed().toStdString();
    }
    if (rule == before)
        return true;
    emit dataChanged(index, index);
    emit edited();
    return true;
}

Qt::ItemFlags PolicyModel::flags(const QModelIndex& index) const {
    const bool editable = isOwn_ && index.column() != fault && index.column() != source;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | (editable ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

} // namespace alidade::views
