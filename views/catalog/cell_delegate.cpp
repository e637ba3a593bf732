// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/cell_delegate.h"

#include "data/catalog/catalog_keys.h"
#include "data/catalog/entries.h"
#include "views/catalog/catalog_editor.h"
#include "views/catalog/catalog_model.h"
#include "views/catalog/cell_field.h"
#include "views/document/text.h"
#include "views/theme/theme_controller.h"

#include <QAbstractProxyModel>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr int narrowestField = 120; // logical pixels at 10 pt

QModelIndex sourceOf(QModelIndex index) {
    while (const auto* proxy = qobject_cast<const QAbstractProxyModel*>(index.model()))
        index = proxy->mapToSource(index);
    return index;
}

/// What may be typed, where only some words are right.
QStringList knownWords(const Catalog& catalog, const CatalogCell& cell) {
    QStringList words;
    const data::CatalogKey* key = data::catalogKey(cell.kind, cell.key.toStdString());
    if (key == nullptr)
        return words;
    for (const std::string& word : key->words)
        words.append(text(word));
    if (key->value == data::ValueKind::truth)
        words = QStringList{QStringLiteral("yes"), QStringLiteral("no")};
    if (key->value == data::ValueKind::reference)
        for (const data::CatalogKind kind : key->refersTo)
            data::withEntries(catalog, kind, [&words](const auto& entries) {
                for (const auto& entry : entries) {
                    if constexpr (requires { entry.name; })
                        if (!entry.name.empty())
                            words.append(text(entry.name));
                    words.append(text(entry.id));
                }
            });
    return words;
}

} // namespace

CatalogCellDelegate::CatalogCellDelegate(const CatalogEditor* editor, const CatalogModel* model,
                                         QObject* parent)
    : CatalogDelegate(parent)
    , editor_(editor)
    , model_(model) {}

QWidget* CatalogCellDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                           const QModelIndex& index) const {
    const QModelIndex source = sourceOf(index);
    const CatalogCell cell = model_->cellAt(source);
    CellField::Check check;
    if (source.column() > 0)
        check = [this, cell](const QString& typed) {
            const data::CellReading reading = editor_->read(cell, typed);
            return reading ? QString() : text(reading.reason);
        };
    auto* field = new CellField(check, knownWords(editor_->catalog(), cell), parent);
    field->setAlignment(Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt()));
    field->setAccessibleName(model_->headerData(source.column(), Qt::Horizontal, Qt::DisplayRole).toString());
    return field;
}

void CatalogCellDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
    auto* field = qobject_cast<CellField*>(editor);
    if (field != nullptr && !field->isModified()) // an update of the model leaves what is being typed alone
        field->begin(index.data(cellTextRole).toString());
}

void CatalogCellDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                       const QModelIndex& index) const {
    auto* field = qobject_cast<CellField*>(editor);
    if (field != nullptr && field->text() != index.data(cellTextRole).toString())
        model->setData(index, field->text(), Qt::EditRole);
}

void CatalogCellDelegate::updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                                               const QModelIndex& index) const {
    // A narrow column gives its field more room, to the side to which its text runs.
    QRect area = option.rect;
    const int wanted = std::max(area.width(), theme().px(narrowestField));
    if (Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt()) & Qt::AlignRight)
        area.setLeft(std::max(0, area.right() - wanted + 1));
    else
        area.setWidth(wanted);
    editor->setGeometry(area);
}

} // namespace alidade::views
