// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/suggestions/suggestions_view.h"

#include "model/engine/engine.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/suggestions/suggestion_row.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace alidade::views {

namespace {

bool isPreviewed(const Document& document, const Suggestion& suggestion) {
    return document.previewed() != nullptr && document.previewed()->set == suggestion.change.set;
}

} // namespace

SuggestionsView::SuggestionsView(Document* document, QWidget* parent)
    : View(document, parent)
    , list_(new QWidget)
    , rows_(new QVBoxLayout(list_))
    , empty_(new EmptyState(QStringLiteral("compare"), {}, {}, {}, this)) {
    setObjectName(QStringLiteral("suggestionsView"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    list_->setBackgroundRole(QPalette::Base);
    list_->setAutoFillBackground(true);
    rows_->setContentsMargins(0, theme().px(4), 0, theme().px(8));
    rows_->setSpacing(0);
    rows_->addStretch(1);
    scroll->setWidget(list_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(scroll);
    column->addWidget(empty_);
    connect(document, &Document::suggestionsChanged, this, &SuggestionsView::renew);
    connect(document, &Document::previewChanged, this, &SuggestionsView::renew);
    // Margins and icons are of the theme in which a row was made.
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        keepRows(0, 0);
        rebuild();
    });
    connect(empty_, &Notice::triggered, document, &Document::recompute);
    coverWhileBusy();
    rebuild();
}

void SuggestionsView::renew() {
    renewed_ = true;
    outdate();
}

/// The rows stay as long as they say the same: an edit has an estimate before it has suggestions.
void SuggestionsView::updateEstimate() {
    QStringList warnings;
    if (const auto estimate = document().estimate())
        for (const Problem& problem : estimate->problems)
            if (problem.severity == Severity::warning)
                warnings.append(text(problem.message));
    if (std::exchange(renewed_, false) || warnings != warnings_) {
        warnings_ = warnings;
        rebuild();
    }
}

void SuggestionsView::updateBusy() {
    if (document().suggestions().empty())
        showEmpty();
}

void SuggestionsView::rebuild() {
    const auto& suggestions = document().suggestions();
    const auto focused = std::ranges::find_if(
        shown_, [](const SuggestionRow* row) { return row->isAncestorOf(QApplication::focusWidget()); });
    const bool hadFocus = focused != shown_.end();
    const auto place = static_cast<std::size_t>(focused - shown_.begin());
    keepRows(suggestions.size(), warningLabels_.size());
    while (shown_.size() < suggestions.size())
        shown_.push_back(addRow());
    list_->parentWidget()->parentWidget()->setVisible(!suggestions.empty());
    empty_->setVisible(suggestions.empty());
    if (suggestions.empty()) {
        showEmpty();
        setNote({});
        return;
    }
    SuggestionRow* current = hadFocus && place < shown_.size() ? shown_[place] : nullptr;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
        const bool previewed = isPreviewed(document(), suggestions[i]);
        shown_[i]->setSuggestion(suggestions[i], previewed);
        if (previewed)
            current = shown_[i];
    }
    showWarnings();
    // Whoever tries one change after another with the keyboard stays where they were.
    if (hadFocus && current != nullptr)
        current->button()->setFocus(Qt::OtherFocusReason);
    setNote(document().previewed() ? tr("Enter adopts it, Esc goes back")
                                   : tr("each computed by a new estimate"));
}

SuggestionRow* SuggestionsView::addRow() {
    auto* row = new SuggestionRow(list_);
    connect(row, &SuggestionRow::tried, &document(), &Document::preview);
    connect(row, &SuggestionRow::adopted, &document(), &Document::adoptPreview);
    rows_->insertWidget(static_cast<int>(shown_.size()), row);
    return row;
}

/// Removes the rows beyond so many.
void SuggestionsView::keepRows(std::size_t suggestions, qsizetype warnings) {
    const auto remove = [](QWidget* row) {
        row->hide();
        row->deleteLater();
    };
    for (; shown_.size() > suggestions; shown_.pop_back())
        remove(shown_.back());
    while (warningLabels_.size() > warnings)
        remove(warningLabels_.takeLast()->parentWidget());
}

void SuggestionsView::showWarnings() {
    keepRows(shown_.size(), warnings_.size());
    while (warningLabels_.size() < warnings_.size())
        warningLabels_.append(addWarning());
    for (qsizetype i = 0; i < warnings_.size(); ++i)
        warningLabels_[i]->setText(warnings_[i]);
}

QLabel* SuggestionsView::addWarning() {
    auto* row = new QWidget(list_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(theme().px(12), theme().px(8), theme().px(12), 0);
    line->setSpacing(theme().px(10));
    auto* mark = new QLabel(row);
    const int side = theme().px(16);
    mark->setPixmap(icon(QLatin1StringView("warning"), Role::warn).pixmap(side, side));
    line->addWidget(mark, 0, Qt::AlignTop);
    auto* label = new TextLabel(FontRole::small, Role::text2, {}, row);
    label->setWordWrap(true);
    line->addWidget(label, 1);
    rows_->insertWidget(rows_->count() - 1, row); // above the stretch
    return label;
}

void SuggestionsView::showEmpty() {
    const auto estimate = document().estimate();
    empty_->setAction({});
    if (!document().error().isEmpty()) {
        empty_->setText(tr("There is no estimate to improve"), document().error());
        empty_->setAction(tr("Try again"));
    } else if (document().busy() || document().suggestionsPending()) {
        empty_->setText(tr("Looking for better plans"), tr("Each change is estimated before it is shown."));
    } else if (!estimate) {
        empty_->setText(tr("No plan to improve yet"), tr("Choose a model in the scenario."));
    } else if (!estimate->runs || !estimate->fits) {
        empty_->setText(tr("The plan must run and fit first"),
                        tr("The answer above offers the nearest change that does."));
    } else {
        empty_->setText(tr("No single change improves this plan"), tr("All nearby plans were estimated."));
    }
}

void SuggestionsView::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && document().previewed() != nullptr)
        document().adoptPreview();
    else if (event->key() == Qt::Key_Escape && document().previewed() != nullptr)
        document().endPreview();
    else
        View::keyPressEvent(event);
}

} // namespace alidade::views
