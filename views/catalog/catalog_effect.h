// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "views/catalog/catalog_editor.h"

#include <QObject>

#include <cstdint>
#include <memory>

namespace alidade::views {

/// What a value of the person's does to one figure of the open scenario.
struct EffectRow {
    QString name;   ///< "Step"
    QString before; ///< with the shipped value
    QString after;  ///< with the person's
};

struct EffectReport {
    CatalogCell cell;
    bool used = false;     ///< the open scenario rests on the entry
    bool compared = false; ///< both estimates exist
    QString reason;        ///< why they could not be compared; may be empty
    QList<EffectRow> rows; ///< figures that differ
};

/// Computes what a change of the catalog does to the open scenario, on a separate thread. A newer question
/// supersedes an older one.
class CatalogEffect : public QObject {
    Q_OBJECT

public:
    explicit CatalogEffect(CatalogEditor* editor, QObject* parent = nullptr);
    ~CatalogEffect() override;

    void ask(const CatalogCell& cell);

signals:
    void known(const alidade::views::EffectReport& report);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

/// Whether a scenario rests on an entry: its machine, that machine's GPU and EFA generation, its price, its
/// model, framework or engine.
bool scenarioUses(const ScenarioSpec& spec, const Catalog& catalog, data::CatalogKind kind,
                  const std::string& entry);

} // namespace alidade::views
