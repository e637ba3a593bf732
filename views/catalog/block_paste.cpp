// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/block_paste.h"

#include "views/catalog/catalog_model.h"
#include "views/catalog/pasted_cells.h"
#include "views/kit/item_roles.h"

#include <QAbstractProxyModel>
#include <QCoreApplication>

#include <algorithm>

namespace alidade::views {

namespace {

struct BlockTexts {
    Q_DECLARE_TR_FUNCTIONS(CatalogView)
};

constexpr int mostNamed = 3; ///< left-out cells that a report names

/// The model of the sheet under the table's own.
std::pair<const CatalogModel*, QModelIndex> sheetIndex(QModelIndex index) {
    while (const auto* proxy = qobject_cast<const QAbstractProxyModel*>(index.model()))
        index = proxy->mapToSource(index);
    return {qobject_cast<const CatalogModel*>(index.model()), index};
}

QString nameOf(const QModelIndex& index) {
    const auto [model, source] = sheetIndex(index);
    return BlockTexts::tr("%1 of %2")
        .arg(model->sheet().columns[source.column()].label, model->sheet().rows[source.row()].id);
}

void place(BlockPlan& plan, const QModelIndex& index, const QString& text, bool commasSeen) {
    if (!(index.flags() & Qt::ItemIsEditable)) {
        // The same text again is not a loss: whole rows may be pasted where they came from.
        if (text != index.data().toString() && text != index.data(copyRole).toString())
            plan.left.append(nameOf(index) + QStringLiteral(": ") + lockedReason(index));
        return;
    }
    const auto [model, source] = sheetIndex(index);
    QString written = text == QStringLiteral("–") ? QString() : text;
    if (model->sheet().columns[source.column()].number) {
        const WrittenNumber number = writtenNumber(written, commasSeen);
        if (!number.doubt.isEmpty()) {
            plan.left.append(nameOf(index) + QStringLiteral(": ") + number.doubt);
            return;
        }
        written = number.text;
    }
    plan.texts.append({model->cellAt(source), written});
}

} // namespace

QString lockedReason(const QModelIndex& index) {
    const auto [model, source] = sheetIndex(index);
    const CatalogSheet::Row& row = model->sheet().rows[source.row()];
    if (row.removed())
        return BlockTexts::tr("the entry is deleted");
    if (source.column() == 0)
        return BlockTexts::tr("the id of a shipped entry cannot change; duplicate the entry to get your own");
    if (!model->sheet().columns[source.column()].editable)
        return BlockTexts::tr("is computed and cannot be edited");
    return BlockTexts::tr("cannot be changed now");
}

BlockPlan planBlock(const QList<QStringList>& block, const QModelIndexList& selection,
                    const QList<int>& columns) {
    BlockPlan plan;
    if (block.isEmpty() || selection.isEmpty())
        return plan;
    const bool commas = hasDecimalCommas(block);
    if (block.size() == 1 && block[0].size() == 1) {
        for (const QModelIndex& index : selection)
            place(plan, index, block[0][0], commas);
        return plan;
    }
    const QModelIndex anchor = selection.constFirst();
    const QAbstractItemModel* model = anchor.model();
    qsizetype firstPlace = columns.size();
    for (const QModelIndex& index : selection)
        firstPlace = std::min(firstPlace, columns.indexOf(index.column()));
    int outside = 0;
    for (int i = 0; i < block.size(); ++i)
        for (int j = 0; j < block[i].size(); ++j) {
            const qsizetype at = firstPlace + j;
            const int row = anchor.row() + i;
            if (row >= model->rowCount() || at >= columns.size())
                ++outside;
            else
                place(plan, model->index(row, columns[at]), block[i][j], commas);
        }
    if (outside > 0)
        plan.left.append(BlockTexts::tr("%1 beyond the edge of the table").arg(outside));
    return plan;
}

BlockPlan planFill(const QModelIndexList& selection) {
    BlockPlan plan;
    QHash<int, QString> top;
    for (const QModelIndex& index : selection)
        if (!top.contains(index.column()))
            top.insert(index.column(), index.data(cellTextRole).toString());
        else
            place(plan, index, top.value(index.column()), false);
    return plan;
}

QString blockReport(const BlockPlan& plan, const QStringList& refusals) {
    const qsizetype all = plan.texts.size();
    const auto refused = static_cast<qsizetype>(
        std::ranges::count_if(refusals, [](const QString& reason) { return !reason.isEmpty(); }));
    QStringList said;
    said.append(BlockTexts::tr("%1 of %2 cells taken.").arg(all - refused).arg(all + plan.left.size()));
    if (refused > 0)
        said.append(refused == 1 ? BlockTexts::tr("1 is refused and marked.")
                                 : BlockTexts::tr("%1 are refused and marked.").arg(refused));
    if (!plan.left.isEmpty()) {
        QString names = plan.left.mid(0, mostNamed).join(QStringLiteral("; "));
        if (plan.left.size() > mostNamed)
            names += BlockTexts::tr("; and %1 more").arg(plan.left.size() - mostNamed);
        said.append(BlockTexts::tr("Not taken: %1.").arg(names));
    }
    return said.join(QLatin1Char(' '));
}

} // namespace alidade::views
