// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/suggestions/suggestions_view.h"

#include "model/engine/engine.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/states.h"
#include "views/kit/tag.h"
#include "views/kit/text_label.h"
#include "views/scenario/words.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QFrame>
#include <QGridLayout>
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

/// "−$0.31 a million, TTFT −40 ms": what the change brings a service; its two largest matters.
QString serviceGainText(const ServiceGain& gain) {
    QStringList parts;
    if (gain.dollarsPerMillionOutputTokensDifference.value_or(0) != 0)
        parts.append(SuggestionsView::tr("%1 per million")
                         .arg(difference(*gain.dollarsPerMillionOutputTokensDifference, Dimension::dollars)));
    if (gain.itlDifference != 0)
        parts.append(SuggestionsView::tr("ITL %1").arg(difference(gain.itlDifference, Dimension::seconds)));
    if (gain.ttftDifference != 0)
        parts.append(SuggestionsView::tr("TTFT %1").arg(difference(gain.ttftDifference, Dimension::seconds)));
    return parts.first(std::min<qsizetype>(parts.size(), 2)).join(QStringLiteral(", "));
}

/// "−0.82 s, −$27.0 M": what the change brings.
QString gainText(const Suggestion& suggestion) {
    if (suggestion.service)
        return serviceGainText(*suggestion.service);
    QStringList parts;
    if (suggestion.stepTimeDifference != 0)
        parts.append(difference(suggestion.stepTimeDifference, Dimension::seconds));
    if (suggestion.dollarsPerRunDifference)
        parts.append(difference(*suggestion.dollarsPerRunDifference, Dimension::dollars));
    return parts.join(QStringLiteral(", "));
}

/// A cheaper run, or as cheap and faster; of a service cheaper tokens, or as cheap and sooner.
bool isBetter(const Suggestion& suggestion) {
    if (suggestion.service) {
        const double price = suggestion.service->dollarsPerMillionOutputTokensDifference.value_or(0);
        return price < 0 || (price == 0 && suggestion.service->itlDifference <= 0);
    }
    const double run = suggestion.dollarsPerRunDifference.value_or(0);
    return run < 0 || (run == 0 && suggestion.stepTimeDifference < 0);
}

/// What the change leads to: the step time; of a service the price of a million output tokens.
QString valueText(const Suggestion& suggestion) {
    const auto& service = suggestion.service;
    if (service && service->dollarsPerMillionOutputTokens)
        return glance(*service->dollarsPerMillionOutputTokens, Dimension::dollars);
    return quantity(service ? service->itl : suggestion.stepTime, Dimension::seconds);
}

/// "Set Precision to FP8 and Schedule to its default": in the words of the editor.
QString changeText(const Suggestion& suggestion) {
    QStringList parts;
    for (const auto& [path, value] : suggestion.change.set) {
        const Field* field = findField(path);
        const QString label = text(std::string(field ? field->label : std::string_view(path)));
        parts.append(value.empty() ? SuggestionsView::tr("%1 to its default").arg(label)
                                   : SuggestionsView::tr("%1 to %2").arg(label, choiceText(value)));
    }
    if (parts.isEmpty())
        return text(suggestion.change.text);
    const QString last = parts.takeLast();
    return SuggestionsView::tr("Set %1").arg(
        parts.isEmpty() ? last
                        : SuggestionsView::tr("%1 and %2").arg(parts.join(QStringLiteral(", ")), last));
}

/// Nothing but how the machines are paid.
bool isOnlyMoney(const Suggestion& suggestion) {
    return !suggestion.change.set.empty() && std::ranges::all_of(suggestion.change.set, [](const auto& each) {
        return each.first == "cluster.purchase" || each.first == "cluster.region";
    });
}

bool isPreviewed(const Document& document, const Suggestion& suggestion) {
    return document.previewed() != nullptr && document.previewed()->set == suggestion.change.set;
}

QFrame* hairline(QWidget* parent) {
    auto* line = new QFrame(parent);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Mid);
    return line;
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
    scroll->setWidget(list_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(scroll);
    column->addWidget(empty_);
    connect(document, &Document::suggestionsChanged, this, &SuggestionsView::renew);
    connect(document, &Document::previewChanged, this, &SuggestionsView::renew);
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
    const int focused = focusedRow();
    while (QLayoutItem* item = rows_->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    const auto& suggestions = document().suggestions();
    list_->parentWidget()->parentWidget()->setVisible(!suggestions.empty());
    empty_->setVisible(suggestions.empty());
    if (suggestions.empty()) {
        showEmpty();
        setNote({});
        return;
    }
    QPushButton* current = nullptr;
    for (const Suggestion& suggestion : suggestions) {
        QWidget* row = makeRow(suggestion);
        rows_->addWidget(row);
        rows_->addWidget(hairline(list_));
        if (isPreviewed(document(), suggestion))
            current = row->findChild<QPushButton*>();
    }
    for (const QString& warning : std::as_const(warnings_))
        rows_->addWidget(makeWarning(warning));
    rows_->addStretch(1);
    // Whoever tries one change after another with the keyboard stays where they were.
    if (focused >= 0 && focused < rows_->count() && current == nullptr && rows_->itemAt(focused)->widget())
        current = rows_->itemAt(focused)->widget()->findChild<QPushButton*>();
    if (focused >= 0 && current != nullptr)
        current->setFocus(Qt::OtherFocusReason);
    setNote(document().previewed() ? tr("Enter adopts it, Esc goes back")
                                   : tr("each computed by a new estimate"));
}

/// -1: the focus is elsewhere.
int SuggestionsView::focusedRow() const {
    for (int i = 0; i < rows_->count(); ++i)
        if (QWidget* row = rows_->itemAt(i)->widget();
            row != nullptr && row->isAncestorOf(QApplication::focusWidget()))
            return i;
    return -1;
}

QWidget* SuggestionsView::makeRow(const Suggestion& suggestion) {
    const bool previewed = isPreviewed(document(), suggestion);
    auto* row = new QWidget(list_);
    row->setAutoFillBackground(previewed);
    row->setBackgroundRole(QPalette::Highlight);
    auto* grid = new QGridLayout(row);
    const int side = theme().px(12);
    grid->setContentsMargins(side, theme().px(7), side, theme().px(7));
    grid->setHorizontalSpacing(theme().px(10));
    grid->setVerticalSpacing(0);

    auto* what = new TextLabel(FontRole::strong, Role::text, changeText(suggestion), row);
    auto* why = new TextLabel(FontRole::small, Role::text2, text(suggestion.reason), row);
    for (TextLabel* label : {what, why}) {
        QSizePolicy wrapping(QSizePolicy::Ignored, QSizePolicy::Preferred);
        wrapping.setHeightForWidth(true);
        label->setWordWrap(true);
        label->setSizePolicy(wrapping);
    }
    auto* value = new TextLabel(FontRole::strong, Role::text, valueText(suggestion), row);
    auto* gain = new TextLabel(FontRole::small, isBetter(suggestion) ? Role::ok : Role::text2,
                               gainText(suggestion), row);
    value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    gain->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    if (isOnlyMoney(suggestion)) {
        auto* money = new QLabel(row);
        const int size = theme().px(16);
        money->setPixmap(icon(QLatin1StringView("cost"), Role::text2).pixmap(size, size));
        money->setAccessibleName(tr("Price"));
        grid->addWidget(money, 0, 0, Qt::AlignTop);
    } else {
        grid->addWidget(new Tag(suggestion.bound, row), 0, 0, Qt::AlignTop);
    }
    grid->addWidget(what, 0, 1);
    grid->addWidget(why, 1, 1);
    grid->addWidget(value, 0, 2);
    grid->addWidget(gain, 1, 2);
    grid->setColumnStretch(1, 1);

    auto* button = new QPushButton(previewed ? tr("Adopt") : tr("Try"), row);
    button->setProperty(primaryProperty, previewed);
    button->setAccessibleName(tr("%1: %2").arg(button->text(), changeText(suggestion)));
    button->setAccessibleDescription(tr("%1; %2").arg(text(suggestion.reason), gainText(suggestion)));
    connect(button, &QPushButton::clicked, this, [this, previewed, change = suggestion.change] {
        if (previewed)
            document().adoptPreview();
        else
            document().preview(change);
    });
    grid->addWidget(button, 0, 3, 2, 1, Qt::AlignVCenter);
    return row;
}

QWidget* SuggestionsView::makeWarning(const QString& sentence) {
    auto* row = new QWidget(list_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(theme().px(12), theme().px(8), theme().px(12), 0);
    line->setSpacing(theme().px(10));
    auto* mark = new QLabel(row);
    const int side = theme().px(16);
    mark->setPixmap(icon(QLatin1StringView("warning"), Role::warn).pixmap(side, side));
    line->addWidget(mark, 0, Qt::AlignTop);
    auto* label = new TextLabel(FontRole::small, Role::text2, sentence, row);
    label->setWordWrap(true);
    line->addWidget(label, 1);
    return row;
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
