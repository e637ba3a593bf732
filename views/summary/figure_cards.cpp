// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/summary/figure_cards.h"

#include "views/document/document.h"
#include "views/document/explainer.h"
#include "views/summary/explain_text.h"

namespace alidade::views {

FigureCards::FigureCards(Document& document, QObject* parent)
    : QObject(parent)
    , document_(document)
    , explainer_(new Explainer(document.engine(), this)) {
    connect(explainer_, &Explainer::explained, this,
            [this](const std::shared_ptr<const Explanation>& explanation, const QString&) {
                if (!explanation)
                    return;
                CardContent card = explanationCard(label_, *explanation);
                if (!meaning_.isEmpty())
                    card.rows.prepend({tr("Meaning"), meaning_});
                cards_.insert(path_, card);
                show();
            });
    const auto forget = [this] {
        cards_.clear();
        if (figure_)
            HoverCard::hideFor(figure_);
        figure_ = nullptr;
    };
    connect(&document, &Document::estimateChanged, this, forget);
    connect(&document, &Document::specChanged, this, forget);
    connect(&document, &Document::catalogChanged, this, forget);
}

void FigureCards::enter(QWidget* figure, const QString& label, const QString& path, const QString& meaning) {
    figure_ = figure;
    label_ = label;
    path_ = path;
    meaning_ = meaning;
    if (cards_.contains(path))
        show();
    else
        explainer_->ask(document_.shownSpec(), document_.catalog(), path);
}

void FigureCards::leave(QWidget* figure) {
    HoverCard::hideFor(figure);
    if (figure_ == figure)
        figure_ = nullptr;
}

void FigureCards::show() {
    if (figure_ && figure_->isVisible())
        HoverCard::showFor(figure_, figure_->rect(), cards_.value(path_));
}

} // namespace alidade::views
