// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_what_if_list.h"

#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"
#include "views/topology/topology_data.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace alidade::views {

TopologyWhatIfList::TopologyWhatIfList(Document* document, QWidget* parent)
    : QWidget(parent)
    , document_(document)
    , pricer_(new TopologyPricer(this))
    , column_(new QVBoxLayout(this)) {
    setAccessibleName(tr("What if"));
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(theme().px(8));
    connect(pricer_, &TopologyPricer::found, this, &TopologyWhatIfList::take);
    connect(document, &Document::previewChanged, this, &TopologyWhatIfList::renewButtons);
}

void TopologyWhatIfList::setAbout(std::shared_ptr<const TopologyData> data, const TopologyFocus& focus) {
    if (document_->previewed() != nullptr)
        return;
    const QList<TopologyChange> changes = topologyChanges(data, focus);
    const auto estimate = data ? data->estimate : nullptr;
    bool alike = changes.size() == rows_.size() && base_ == estimate;
    for (int i = 0; alike && i < changes.size(); ++i)
        alike = rows_[i].change.name == changes[i].name && rows_[i].change.reason == changes[i].reason;
    if (alike)
        return;
    base_ = estimate;
    rebuild(changes);
    if (changes.isEmpty() || !base_)
        pricer_->cancel();
    else
        pricer_->ask(document_->spec(), document_->catalog(), changes);
}

void TopologyWhatIfList::rebuild(const QList<TopologyChange>& changes) {
    for (const Row& row : std::as_const(rows_)) {
        row.widget->hide();
        row.widget->deleteLater();
    }
    rows_.clear();
    for (const TopologyChange& change : changes) {
        Row row;
        row.change = change;
        row.widget = new QWidget;
        auto* box = new QVBoxLayout(row.widget);
        box->setContentsMargins(0, 0, 0, 0);
        box->setSpacing(theme().px(2));
        auto* line = new QHBoxLayout;
        row.button = new QPushButton(change.name);
        row.back = new QPushButton(tr("Back"));
        row.back->hide();
        row.button->setEnabled(false);
        line->addWidget(row.button);
        line->addWidget(row.back);
        line->addStretch(1);
        box->addLayout(line);
        row.price =
            new TextLabel(FontRole::small, Role::text2, change.reason.isEmpty() ? tr("…") : change.reason);
        row.price->setWordWrap(true);
        box->addWidget(row.price);
        column_->addWidget(row.widget);
        row.widget->show();
        const int index = static_cast<int>(rows_.size());
        connect(row.button, &QPushButton::clicked, this, [this, index] {
            const auto& found = rows_[index].found;
            if (!found)
                return;
            if (document_->previewed() != nullptr && document_->previewed()->set == found->change.set)
                document_->adoptPreview();
            else
                document_->preview(found->change);
        });
        connect(row.back, &QPushButton::clicked, document_, &Document::endPreview);
        rows_.append(row);
    }
}

void TopologyWhatIfList::take(int index, const PricedChange& price) {
    if (index >= rows_.size())
        return;
    rows_[index].found = price;
    const QString words = whatItBrings(rows_[index].change, price);
    rows_[index].price->setText(words);
    rows_[index].button->setAccessibleDescription(words);
    renewButtons();
}

void TopologyWhatIfList::renewButtons() {
    const Fix* tried = document_->previewed();
    for (const Row& row : std::as_const(rows_)) {
        const bool own = tried != nullptr && row.found && tried->set == row.found->change.set;
        row.button->setText(own ? tr("Adopt") : row.change.name);
        row.button->setProperty(primaryProperty, own);
        row.button->update();
        row.button->setEnabled(row.found && row.found->runs && !changesNothing(*row.found));
        row.back->setVisible(own);
        row.button->setToolTip(own ? text(tried->text) : tr("Try it: all views show the result"));
    }
}

QString TopologyWhatIfList::words(int row) const {
    return rows_[row].change.name + QStringLiteral(": ") + rows_[row].price->text();
}

} // namespace alidade::views
