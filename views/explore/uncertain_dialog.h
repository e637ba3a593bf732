// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/outcomes.h"
#include "views/explore/explore_words.h"

#include <QDialog>

class QComboBox;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace alidade::views {

class PickCombo;
class TextLabel;

/// The inputs that are not known, one a line: which one, how it spreads, and from where to where.
class UncertainDialog : public QDialog {
    Q_OBJECT

public:
    UncertainDialog(const Scenario& scenario, const QList<NamedPath>& variables, const QStringList& texts,
                    QWidget* parent = nullptr);

    /// As uncertainOf() reads them.
    QStringList texts() const;
    int lineCount() const { return static_cast<int>(lines_.size()); }

    // For tests
    void addLine(const QString& text = {});
    PickCombo* variableBox(int line) const { return lines_[line].variable; }
    QLineEdit* field(int line, int place) const {
        return lines_[line].fields[static_cast<std::size_t>(place)];
    }
    QPushButton* addButton() const { return add_; }
    QPushButton* okButton() const { return ok_; }
    QString error() const;

private:
    struct Line {
        PickCombo* variable;
        QComboBox* shape;
        std::array<QLineEdit*, 3> fields;
        QToolButton* remove;
    };
    QString textOf(const Line& line) const;
    void removeLine(QWidget* button);
    void fill(Line& line, const Uncertain& uncertain) const;
    void suggest(Line& line) const;
    void renewFields(const Line& line) const;
    void check();

    Scenario scenario_;
    QList<NamedPath> variables_;
    QGridLayout* grid_;
    QList<Line> lines_;
    TextLabel* none_;
    TextLabel* error_;
    QPushButton* add_;
    QPushButton* ok_;
    int row_ = 1;
};

} // namespace alidade::views
