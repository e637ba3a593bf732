// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/explore_source.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QPushButton;

namespace alidade::views {

class PickCombo;
class TextLabel;

/// Goal seek as a sentence: find a value of one number so that a figure is at most, or at least, another.
class GoalBar : public QWidget {
    Q_OBJECT

public:
    explicit GoalBar(QWidget* parent = nullptr);

    void setChoices(const QList<NamedPath>& variables, const QList<NamedPath>& figures);
    void setAsk(const QString& variable, const QString& figure, bool atMost, const QString& value);
    QString variable() const;
    QString figure() const;
    bool atMost() const;
    QString value() const;

    /// The goal that is typed; nullopt: none, or it cannot be read.
    std::optional<double> target() const;
    void setAnswer(const SolveAnswer& answer);
    void clearAnswer();
    QString answerText() const;

    PickCombo* variableBox() const { return variable_; }
    PickCombo* figureBox() const { return figure_; }
    QLineEdit* valueField() const { return value_; }

signals:
    /// Something of the sentence changed; `complete`: there is a goal to look for.
    void asked(bool complete);

private:
    void tell();
    PickCombo* variable_;
    PickCombo* figure_;
    QComboBox* sense_;
    QLineEdit* value_;
    TextLabel* answer_;
    TextLabel* why_;
};

} // namespace alidade::views
