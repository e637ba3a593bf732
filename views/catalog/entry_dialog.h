// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_editor.h"

#include <QDialog>

class QGridLayout;
class QLineEdit;
class QPushButton;

namespace alidade::views {

class TextLabel;

/// A new entry from nothing: its id and the values that every entry of the kind must have, checked while one
/// types.
class EntryDialog : public QDialog {
    Q_OBJECT

public:
    EntryDialog(CatalogEditor* editor, data::CatalogKind kind, QWidget* parent = nullptr);

    QString entry() const; ///< id of the entry that was added

protected:
    void accept() override;

private:
    struct Value {
        QString key;
        QLineEdit* field;
        TextLabel* reason;
    };
    void addValue(QGridLayout* grid, const QString& key, const QString& label, const QString& preset);
    void check();

    CatalogEditor* editor_;
    data::CatalogKind kind_;
    QLineEdit* id_;
    QList<Value> values_;
    TextLabel* fault_;
    QPushButton* add_;
};

} // namespace alidade::views
