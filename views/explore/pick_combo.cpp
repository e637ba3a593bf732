// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/pick_combo.h"

#include "views/kit/wheel_guard.h"
#include "views/theme/theme_controller.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QSignalBlocker>

namespace alidade::views {

PickCombo::PickCombo(const QString& name, QWidget* parent)
    : QComboBox(parent) {
    setAccessibleName(name);
    setToolTip(name);
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(13);
    setMaxVisibleItems(20);
    completer()->setFilterMode(Qt::MatchContains);
    completer()->setCompletionMode(QCompleter::PopupCompletion);
    lineEdit()->setAccessibleName(name);
    WheelGuard::install(this);
    connect(this, &QComboBox::activated, this, [this] {
        path_ = currentData().toString();
        emit picked(path_);
    });
    connect(lineEdit(), &QLineEdit::editingFinished, this, &PickCombo::settle);
}

void PickCombo::setChoices(const QList<NamedPath>& choices) {
    const QSignalBlocker quiet(this);
    bool same = count() == choices.size();
    for (int i = 0; same && i < choices.size(); ++i)
        same = itemData(i).toString() == choices[i].path && itemText(i) == choices[i].label;
    if (!same) {
        clear();
        for (const NamedPath& each : choices)
            addItem(each.label, each.path);
    }
    setPath(path_);
}

void PickCombo::setPath(const QString& path) {
    const QSignalBlocker quiet(this);
    if (const int at = findData(path); at >= 0) {
        setCurrentIndex(at);
        path_ = path;
        lineEdit()->setCursorPosition(0);
    }
}

QString PickCombo::path() const { return path_; }

void PickCombo::keepPath(const QString& path) {
    path_ = path;
    setPath(path);
}

/// A name that was typed in full is a choice, too.
void PickCombo::settle() {
    const int typed = findText(currentText(), Qt::MatchFixedString);
    if (typed >= 0 && itemData(typed).toString() != path_) {
        setCurrentIndex(typed);
        path_ = itemData(typed).toString();
        emit picked(path_);
    } else if (typed < 0) {
        setPath(path_);
    }
}

} // namespace alidade::views
