// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_editor.h"
#include "views/catalog/price_rows.h"

#include <QWidget>

class QComboBox;
class QPushButton;

namespace alidade::views {

class CatalogTable;
class DataTableView;
class DockTitleBar;
class TextLabel;
class UnitField;

/// What one machine costs: every price of it by purchase and region with its date, old ones marked, what the
/// open scenario costs at each, and a discount of one's own.
class PriceBook : public QWidget {
    Q_OBJECT

public:
    explicit PriceBook(CatalogEditor* editor, QWidget* parent = nullptr);

    /// The machine and region of the open scenario.
    void showScenario();
    void showMachine(const QString& item);
    void say(const QString& sentence);
    PriceRows* rows() const { return rows_; }
    DataTableView* table() const;

signals:
    void cellChosen(const alidade::views::CatalogCell& cell);
    void said(const QString& sentence);

private:
    QWidget* makeDiscount();
    QWidget* makeBlocks();
    void makeTable();
    void renew();
    void fillMachines();
    void fillRegions();
    void renewBlocks();
    void choosePrice(const QString& id);
    void goDown();
    void applyDiscount();
    void useInScenario();

    CatalogEditor* editor_;
    DockTitleBar* bar_;
    QComboBox *machine_, *region_;
    CatalogTable* table_;
    PriceRows* rows_;
    TextLabel *blocks_, *said_;
    UnitField* discount_;
    QPushButton *apply_, *use_;
    bool stale_ = true;

protected:
    void showEvent(QShowEvent* event) override;
};

} // namespace alidade::views
