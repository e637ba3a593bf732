// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/view.h"

#include <QList>

#include <string_view>

class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace alidade::views {

class FieldRow;
class LoopRow;
class TextLabel;

/// The scenario editor: the field table as groups of rows. Rarely used fields are behind "More"; fields
/// and groups that mean nothing next to the present values are not shown.
class ScenarioView : public View {
    Q_OBJECT

public:
    explicit ScenarioView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Scenario"); }
    QString iconName() const override { return QStringLiteral("settings"); }
    QString helpTopic() const override { return QStringLiteral("scenario"); }
    QSize sizeHint() const override;
    QSize leastSize() const override { return {316, 150}; } ///< narrower, fields would be cut off

    LoopRow* loop() const { return loop_; }
    FieldRow* row(std::string_view path) const; ///< null if there is no such field
    /// Scrolls to a field, opens its "More" if need be, and puts the focus into it.
    void edit(std::string_view path);

protected:
    void updateEstimate() override;
    void updateSelection() override;

private:
    struct Group {
        TextLabel *title = nullptr, *note = nullptr;
        QToolButton* more = nullptr;
        QWidget* widget = nullptr; ///< all of it, with the line above
        QList<FieldRow*> rows;
    };

    void addGroup(int index);
    void refresh();
    void refreshNotes();
    void showRows();

    QScrollArea* scroll_;
    QVBoxLayout* column_;
    QList<Group> groups_;
    LoopRow* loop_ = nullptr;
};

} // namespace alidade::views
