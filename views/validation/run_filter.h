// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/validation_report.h"

#include <QHash>
#include <QList>
#include <QSet>
#include <QString>

#include <array>
#include <optional>

namespace alidade {
struct Catalog;
}

namespace alidade::views {

/// What published runs are told apart by: for filters, colors and classes.
enum class RunField { gpu, family, precision, framework, source, gpus, model };
inline constexpr std::array runFields{RunField::gpu,       RunField::family, RunField::precision,
                                      RunField::framework, RunField::source, RunField::gpus,
                                      RunField::model};

QString runFieldName(RunField field);                          ///< "GPU"
QString runFieldKey(const ValidationRow& row, RunField field); ///< may be empty: not published
/// A key as a person reads it.
QString runFieldLabel(RunField field, const QString& key, const Catalog& catalog);

/// The key of all rows that say how fast a training run is, whatever the quantity.
inline const QString allSpeeds = QStringLiteral("speed");
QString quantityName(const QString& quantity);  ///< "Step time"
QString quantityGroup(const QString& quantity); ///< "Training", "Memory", "Serving", "Collectives"
bool isSpeed(const ValidationRow& row);         ///< belongs to allSpeeds
QString runKey(const ValidationRow& row);       ///< one row of a report: id and quantity

struct RunFilter {
    QString quantity;                  ///< of the rows, or allSpeeds
    QHash<RunField, QString> wanted{}; ///< a field that is not in it lets all pass
    bool judgedOnly = true;            ///< only rows that accuracy is judged by, see isJudged()
    QSet<QString> ids{};               ///< empty: any row

    bool operator==(const RunFilter&) const = default;
    /// Whether it is another one than at first, the quantity apart.
    bool isChanged() const { return *this != RunFilter{.quantity = quantity}; }
    /// \param except this field's restriction does not count
    bool passes(const ValidationRow& row, std::optional<RunField> except = std::nullopt) const;
};

struct RunChoice {
    QString key, label;
    int count = 0;
};

/// The values of a field among the rows that pass the rest of the filter, those of most rows in the report
/// first; counts of GPUs in their order.
QList<RunChoice> choicesOf(const ValidationReport& report, const RunFilter& filter, RunField field,
                           const Catalog& catalog);

/// The quantities of a report with their rows, allSpeeds first where there are speeds in several units.
QList<RunChoice> quantitiesOf(const ValidationReport& report, bool judgedOnly);

/// Pointers to those of the rows that pass.
std::vector<const ValidationRow*> rowsOf(const std::vector<ValidationRow>& all, const RunFilter& filter);

} // namespace alidade::views
