// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/suggestions/suggestion_row.h"

#include "model/engine/engine.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/tag.h"
#include "views/kit/text_label.h"
#include "views/scenario/words.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

/// "−$0.31 a million, TTFT −40 ms": what the change brings a service; its two largest matters.
QString serviceGainText(const ServiceGain& gain) {
    QStringList parts;
    if (gain.dollarsPerMillionOutputTokensDifference.value_or(0) != 0)
        parts.append(SuggestionRow::tr("%1 per million")
                         .arg(difference(*gain.dollarsPerMillionOutputTokensDifference, Dimension::dollars)));
    if (gain.itlDifference != 0)
        parts.append(SuggestionRow::tr("ITL %1").arg(difference(gain.itlDifference, Dimension::seconds)));
    if (gain.ttftDifference != 0)
        parts.append(SuggestionRow::tr("TTFT %1").arg(difference(gain.ttftDifference, Dimension::seconds)));
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
        parts.append(value.empty() ? SuggestionRow::tr("%1 to its default").arg(label)
                                   : SuggestionRow::tr("%1 to %2").arg(label, choiceText(path, value)));
    }
    if (parts.isEmpty())
        return text(suggestion.change.text);
    const QString last = parts.takeLast();
    return SuggestionRow::tr("Set %1").arg(
        parts.isEmpty() ? last : SuggestionRow::tr("%1 and %2").arg(parts.join(QStringLiteral(", ")), last));
}

/// Nothing but how the machines are paid.
bool isOnlyMoney(const Suggestion& suggestion) {
    return !suggestion.change.set.empty() && std::ranges::all_of(suggestion.change.set, [](const auto& each) {
        return each.first == "cluster.purchase" || each.first == "cluster.region" ||
               each.first.starts_with("order.base.");
    });
}

} // namespace

SuggestionRow::SuggestionRow(QWidget* parent)
    : QWidget(parent)
    , ground_(new QWidget(this))
    , bound_(new Tag(Bound::compute, ground_))
    , money_(new QLabel(ground_))
    , what_(new TextLabel(FontRole::strong, Role::text, {}, ground_))
    , why_(new TextLabel(FontRole::small, Role::text2, {}, ground_))
    , value_(new TextLabel(FontRole::strong, Role::text, {}, ground_))
    , gain_(new TextLabel(FontRole::small, Role::text2, {}, ground_))
    , button_(new QPushButton(ground_)) {
    ground_->setBackgroundRole(QPalette::Highlight);
    auto* grid = new QGridLayout(ground_);
    const int side = theme().px(12);
    grid->setContentsMargins(side, theme().px(7), side, theme().px(7));
    grid->setHorizontalSpacing(theme().px(10));
    grid->setVerticalSpacing(0);
    for (TextLabel* label : {what_, why_}) {
        QSizePolicy wrapping(QSizePolicy::Ignored, QSizePolicy::Preferred);
        wrapping.setHeightForWidth(true);
        label->setWordWrap(true);
        label->setSizePolicy(wrapping);
    }
    for (TextLabel* label : {value_, gain_})
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    const int size = theme().px(16);
    money_->setPixmap(icon(QLatin1StringView("cost"), Role::text2).pixmap(size, size));
    money_->setAccessibleName(tr("Price"));
    money_->hide();
    grid->addWidget(bound_, 0, 0, Qt::AlignTop);
    grid->addWidget(money_, 0, 0, Qt::AlignTop);
    grid->addWidget(what_, 0, 1);
    grid->addWidget(why_, 1, 1);
    grid->addWidget(value_, 0, 2);
    grid->addWidget(gain_, 1, 2);
    grid->setColumnStretch(1, 1);
    grid->addWidget(button_, 0, 3, 2, 1, Qt::AlignVCenter);

    auto* line = new QFrame(this);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Mid);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(ground_);
    column->addWidget(line);
    connect(button_, &QPushButton::clicked, this, &SuggestionRow::press);
}

void SuggestionRow::press() {
    if (previewed_)
        emit adopted();
    else
        emit tried(change_);
}

void SuggestionRow::setSuggestion(const Suggestion& suggestion, bool previewed) {
    change_ = suggestion.change;
    previewed_ = previewed;
    ground_->setAutoFillBackground(previewed);
    const bool price = isOnlyMoney(suggestion);
    money_->setVisible(price);
    bound_->setVisible(!price);
    if (bound_->bound() != suggestion.bound)
        bound_->setBound(suggestion.bound);
    const QString what = changeText(suggestion), why = text(suggestion.reason), gain = gainText(suggestion);
    what_->setText(what);
    why_->setText(why);
    value_->setText(valueText(suggestion));
    gain_->setText(gain);
    gain_->setInk(isBetter(suggestion) ? Role::ok : Role::text2);
    if (const QVariant primary = button_->property(primaryProperty); primary.toBool() != previewed) {
        button_->setProperty(primaryProperty, previewed);
        button_->update();
    }
    button_->setText(previewed ? tr("Adopt") : tr("Try"));
    button_->setAccessibleName(tr("%1: %2").arg(button_->text(), what));
    button_->setAccessibleDescription(tr("%1; %2").arg(why, gain));
}

} // namespace alidade::views
