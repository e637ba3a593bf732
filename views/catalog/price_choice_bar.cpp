// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/price_choice_bar.h"

#include "model/catalog/catalog.h"
#include "views/cost/purchase_options.h"
#include "views/document/text.h"
#include "views/scenario/words.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QHBoxLayout>

namespace alidade::views {

PriceChoiceBar::PriceChoiceBar(QWidget* parent)
    : QWidget(parent)
    , region_(new QComboBox(this))
    , purchase_(new QComboBox(this)) {
    region_->setObjectName(QStringLiteral("priceRegion"));
    region_->setAccessibleName(tr("Region of the prices"));
    purchase_->setObjectName(QStringLiteral("pricePurchase"));
    purchase_->setAccessibleName(tr("Purchase option of the prices"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme().px(4));
    for (const Purchase purchase :
         {Purchase::onDemand, Purchase::capacityBlock, Purchase::reserved, Purchase::spot})
        purchase_->addItem(choiceText("cluster.purchase", purchaseWord(purchase)),
                           static_cast<int>(purchase));
    for (QComboBox* choice : {region_, purchase_}) {
        choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        choice->setToolTip(tr("Applies to the prices in the table"));
        row->addWidget(choice);
        connect(choice, &QComboBox::activated, this, [this] {
            emit chosen({.region = region_->currentText().toStdString(),
                         .purchase = static_cast<Purchase>(purchase_->currentData().toInt())});
        });
    }
}

void PriceChoiceBar::setCatalog(const Catalog& catalog, const PriceChoice& present) {
    QStringList regions;
    for (const Price& price : catalog.prices)
        if (const QString region = text(price.region); !region.isEmpty() && !regions.contains(region))
            regions.append(region);
    regions.sort();
    region_->clear();
    region_->addItems(regions);
    region_->setCurrentText(text(present.region));
    purchase_->setCurrentIndex(purchase_->findData(static_cast<int>(present.purchase)));
}

} // namespace alidade::views
