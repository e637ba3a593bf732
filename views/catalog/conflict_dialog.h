// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_editor.h"

#include <QDialog>

class QGridLayout;
class QPushButton;

namespace alidade::views {

class TextLabel;

/// A line over the table while a newer shipped catalog touches what the person changed.
class ConflictBar : public QWidget {
    Q_OBJECT

public:
    explicit ConflictBar(CatalogEditor* editor, QWidget* parent = nullptr);

signals:
    void settleRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void renew();
    CatalogEditor* editor_;
    TextLabel* words_;
};

/// Settles them one by one or all at once: what was shipped, what is shipped now, and the person's value.
/// Each answer is one undo step. Closes when nothing is left.
class ConflictDialog : public QDialog {
    Q_OBJECT

public:
    explicit ConflictDialog(CatalogEditor* editor, QWidget* parent = nullptr);

private:
    void renew();
    void addRow(int row, const data::MergeConflict& conflict);
    void settleAll(data::Settlement settlement);

    CatalogEditor* editor_;
    TextLabel* words_;
    QWidget* body_;
    QGridLayout* grid_;
};

} // namespace alidade::views
