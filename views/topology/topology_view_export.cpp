// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/catalog.h"
#include "views/document/document.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_export.h"
#include "views/topology/topology_view.h"

#include <QMenu>

namespace alidade::views {

void TopologyView::fillExportMenu(QMenu* menu) {
    const auto addFile = [&](const QString& words, const QString& suffix, auto write) {
        QAction* action = menu->addAction(words);
        connect(action, &QAction::triggered, this, [this, suffix, write] {
            if (data_)
                askForFile(suffix, write());
        });
        return action;
    };
    const auto add = [&](const QString& words, const QString& suffix, bool whole) {
        addFile(words, suffix, [this, whole] {
            return [picture = snapshot(), whole](const QString& file) {
                return exportTopology(picture, file, whole);
            };
        });
    };
    const auto addRanks = [&](const QString& words, const QString& suffix, RankFile kind) {
        addFile(words, suffix, [this, kind] {
            return [data = data_, kind](const QString& file) { return exportRanks(*data, kind, file); };
        });
    };
    const auto addSlurm = [&](const QString& words, const QString& suffix) {
        QAction* action = addFile(words, suffix, [this] {
            return [catalog = document().catalog(), name = document().spec().cluster.topology.value_or("")](
                       const QString& file) { return exportForSlurm(*catalog, name, file); };
        });
        connect(menu, &QMenu::aboutToShow, action,
                [this, action] { action->setEnabled(document().spec().cluster.topology.has_value()); });
    };
    add(tr("This view as PNG…"), QStringLiteral("png"), false);
    add(tr("This view as SVG…"), QStringLiteral("svg"), false);
    menu->addSeparator();
    add(tr("Whole cluster as PNG…"), QStringLiteral("png"), true);
    add(tr("Whole cluster as SVG…"), QStringLiteral("svg"), true);
    menu->addSeparator();
    add(tr("Table of hosts as CSV…"), QStringLiteral("csv"), true);
    addRanks(tr("Ranks as CSV…"), QStringLiteral("csv"), RankFile::table);
    addRanks(tr("Host file for Slurm…"), QStringLiteral("txt"), RankFile::slurm);
    addRanks(tr("Rank file for MPI…"), QStringLiteral("txt"), RankFile::mpi);
    menu->addSeparator();
    addSlurm(tr("topology.conf for Slurm…"), QStringLiteral("conf"));
    addSlurm(tr("topology.yaml for Slurm…"), QStringLiteral("yaml"));
}

} // namespace alidade::views
