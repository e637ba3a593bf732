// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/problems/problems_model.h"

#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/item_roles.h"

#include <algorithm>

namespace alidade::views {

namespace {

QString severityWord(Severity severity) {
    switch (severity) {
    case Severity::error:
        return ProblemsModel::tr("Error");
    case Severity::warning:
        return ProblemsModel::tr("Warning");
    case Severity::info:
        return ProblemsModel::tr("Note");
    }
    return {};
}

QIcon severityIcon(Severity severity) {
    switch (severity) {
    case Severity::error:
        return icon(QLatin1StringView("error"), Role::err);
    case Severity::warning:
        return icon(QLatin1StringView("warning"), Role::warn);
    case Severity::info:
        return icon(QLatin1StringView("info"), Role::text2);
    }
    return {};
}

/// "/plan/tensor_parallel" -> "plan.tensor_parallel"
QString placeText(const std::string& pointer) {
    return text(pointer).mid(1).replace(QLatin1Char('/'), QLatin1Char('.'));
}

} // namespace

void ProblemsModel::setProblems(std::vector<Problem> problems) {
    beginResetModel();
    problems_ = std::move(problems);
    std::ranges::stable_sort(problems_, {}, &Problem::severity);
    endResetModel();
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(problems_.size());
}

int ProblemsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

QVariant ProblemsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Problem& problem = problems_[static_cast<std::size_t>(index.row())];
    if (role == Qt::DecorationRole && index.column() == severityColumn)
        return severityIcon(problem.severity);
    if (role == inkRole && index.column() == fixColumn)
        return QVariant::fromValue(Role::accent);
    if (role == inkRole && index.column() == placeColumn)
        return QVariant::fromValue(Role::text2);
    if (role == Qt::ToolTipRole && index.column() == fixColumn && problem.fix) {
        QStringList lines;
        for (const auto& [path, value] : problem.fix->set)
            lines.append(text(path) + QStringLiteral(" = ") + text(value));
        return lines.join(QLatin1Char('\n'));
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole)
        return {};
    switch (index.column()) {
    case severityColumn:
        return severityWord(problem.severity);
    case messageColumn:
        return text(problem.message);
    case placeColumn:
        return placeText(problem.place);
    case fixColumn:
        return problem.fix ? text(problem.fix->text) : QString();
    default:
        return {};
    }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    static const QStringList titles = {tr("Kind"), tr("Problem"), tr("Field"), tr("Suggested change")};
    return titles.value(section);
}

} // namespace alidade::views
