// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_sheet.h"

#include <QWidget>

class QComboBox;

namespace alidade::views {

/// Region and way to pay of the prices next to machines.
class PriceChoiceBar : public QWidget {
    Q_OBJECT

public:
    explicit PriceChoiceBar(QWidget* parent = nullptr);

    /// The regions that a catalog has prices of.
    void setCatalog(const Catalog& catalog, const PriceChoice& present);

signals:
    void chosen(const alidade::views::PriceChoice& choice);

private:
    QComboBox *region_, *purchase_;
};

} // namespace alidade::views
