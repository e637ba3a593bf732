// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/choice_rows.h"

#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/wheel_guard.h"
#include "views/scenario/menu_combo.h"
#include "views/scenario/words.h"

#include <QAction>
#include <QComboBox>
#include <QMenu>

#include <algorithm>

namespace alidade::views {

namespace {

/// The one word of a flag, choice or text; empty if absent.
QString wordOf(const Field& field, const FieldValue& value) { return text(fieldText(field, value)); }

std::vector<std::string> wordsOf(const FieldValue& value) {
    const auto* list = std::get_if<std::vector<std::string>>(&value);
    return list ? *list : std::vector<std::string>();
}

} // namespace

SegmentRow::SegmentRow(const Field& field, Document& document, QWidget* parent)
    : FieldRow(field, document, parent)
    , buttons_(new SegmentedButtons(this)) {
    if (field.kind == FieldKind::flag)
        words_ = {QStringLiteral("false"), QStringLiteral("true")};
    for (const std::string_view choice : field.choices)
        words_.append(text(choice));
    QStringList shown;
    for (const QString& word : std::as_const(words_))
        shown.append(choiceText(field.path, word.toStdString()));
    buttons_->setOptions(shown);
    connect(buttons_, &SegmentedButtons::currentEdited, this, [this](int index) { apply(words_[index]); });
    setEditor(buttons_);
}

void SegmentRow::showValue(const FieldValue& value, bool /*written*/) {
    buttons_->setCurrentIndex(static_cast<int>(words_.indexOf(wordOf(field(), value))));
}

ChoiceRow::ChoiceRow(const Field& field, Document& document, QWidget* parent)
    : FieldRow(field, document, parent)
    , combo_(new QComboBox(this)) {
    combo_->addItem(defaultText(), QString());
    for (const std::string_view choice : field.choices)
        combo_->addItem(choiceText(field.path, choice), text(choice));
    combo_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo_->setMinimumContentsLength(8);
    WheelGuard::install(combo_);
    connect(combo_, &QComboBox::activated, this,
            [this](int index) { apply(combo_->itemData(index).toString()); });
    setEditor(combo_);
}

void ChoiceRow::showValue(const FieldValue& value, bool written) {
    const QString word = wordOf(field(), value);
    // "The framework's default" says no more than that, and is too long for the field.
    const bool named = !defaultText().contains(QLatin1String("default"));
    combo_->setItemText(0, word.isEmpty() || written
                               ? named ? tr("Default: %1").arg(defaultText()) : tr("Default")
                               : tr("%1, default").arg(choiceText(field().path, word.toStdString())));
    combo_->setCurrentIndex(written ? combo_->findData(word) : 0);
}

WordsRow::WordsRow(const Field& field, Document& document, QWidget* parent)
    : FieldRow(field, document, parent)
    , combo_(new MenuCombo(this)) {
    QMenu* menu = combo_->menu();
    QStringList known;
    const auto add = [&](std::string_view choice) {
        if (known.contains(choiceText(field.path, choice)))
            return; // another word for the same
        known.append(choiceText(field.path, choice));
        QAction* action = menu->addAction(choiceText(field.path, choice));
        action->setCheckable(true);
        action->setData(text(choice));
        connect(action, &QAction::triggered, this,
                [this, action](bool on) { choose(action->data().toString(), on); });
        actions_.append(action);
    };
    const auto isAlone = [&](std::string_view choice) { return std::ranges::count(field.alone, choice) > 0; };
    for (const std::string_view choice : field.choices)
        if (isAlone(choice))
            add(choice);
    menu->addSeparator();
    for (const std::string_view choice : field.choices)
        if (!isAlone(choice))
            add(choice);
    setEditor(combo_);
}

void WordsRow::showValue(const FieldValue& value, bool written) {
    const std::vector<std::string> words = wordsOf(value);
    QStringList shown;
    for (const std::string& word : words)
        shown.append(choiceText(field().path, word));
    for (QAction* action : std::as_const(actions_)) {
        action->setChecked(shown.contains(action->text()));
        action->setVisible(action->isChecked() ||
                           choiceApplies(field(), action->data().toString().toStdString(),
                                         document().shownSpec(), *document().catalog()));
    }
    const QString all = shown.isEmpty() ? defaultText() : shown.join(QStringLiteral(", "));
    combo_->setText(written || shown.isEmpty() ? all : tr("%1, default").arg(all));
}

/// A word that stands alone replaces all; another one joins those that go with it.
void WordsRow::choose(const QString& word, bool on) {
    QStringList words;
    for (QAction* action : std::as_const(actions_)) {
        const QString other = action->data().toString();
        const bool alone = std::ranges::count(field().alone, other.toStdString()) > 0;
        if (action->isChecked() && !alone && other != word)
            words.append(other);
    }
    if (std::ranges::count(field().alone, word.toStdString()) > 0)
        words.clear();
    if (on)
        words.append(word);
    apply(words.join(QStringLiteral(", ")));
    refresh();
}

} // namespace alidade::views
