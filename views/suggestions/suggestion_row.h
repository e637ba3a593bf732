// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/suggestion.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace alidade::views {

class Tag;
class TextLabel;

/// One suggestion with its gain and the button that tries or adopts it, and a line below. A row is given
/// other suggestions rather than replaced: along a drag new widgets would cost more than all other views
/// together.
class SuggestionRow : public QWidget {
    Q_OBJECT

public:
    explicit SuggestionRow(QWidget* parent = nullptr);

    /// `previewed`: it is being tried, and the button adopts it.
    void setSuggestion(const Suggestion& suggestion, bool previewed);
    QPushButton* button() const { return button_; }

signals:
    void tried(const Fix& change);
    void adopted();

private:
    void press();

    Fix change_;
    bool previewed_ = false;
    QWidget* ground_;
    Tag* bound_;
    QLabel* money_; ///< in place of the tag where only the purchase changes
    TextLabel *what_, *why_, *value_, *gain_;
    QPushButton* button_;
};

} // namespace alidade::views
