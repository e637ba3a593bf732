// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/scenario/field_row.h"

#include <QList>

class QComboBox;

namespace alidade::views {

class MenuCombo;
class SegmentedButtons;

/// A flag, or one of two or three words: side by side. The default that holds is the one taken.
class SegmentRow : public FieldRow {
    Q_OBJECT

public:
    SegmentRow(const Field& field, Document& document, QWidget* parent);

protected:
    void showValue(const FieldValue& value, bool written) override;

private:
    QStringList words_;
    SegmentedButtons* buttons_;
};

/// One of several words, with the default as the first.
class ChoiceRow : public FieldRow {
    Q_OBJECT

public:
    ChoiceRow(const Field& field, Document& document, QWidget* parent);

protected:
    void showValue(const FieldValue& value, bool written) override;

private:
    QComboBox* combo_;
};

/// One word, or several of those that go together: a menu with check marks.
class WordsRow : public FieldRow {
    Q_OBJECT

public:
    WordsRow(const Field& field, Document& document, QWidget* parent);

protected:
    void showValue(const FieldValue& value, bool written) override;

private:
    void choose(const QString& word, bool on);

    MenuCombo* combo_;
    QList<QAction*> actions_;
};

} // namespace alidade::views
