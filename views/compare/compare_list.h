// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/scenario/scenario_list.h"

#include <QByteArray>
#include <QObject>
#include <QString>

#include <vector>

class QUndoStack;

namespace alidade::views {

/// The scenarios that the Compare page sets side by side, and which one of them is the baseline. Each change
/// is one step of its own undo stack.
class CompareList : public QObject {
    Q_OBJECT

public:
    static constexpr int most = 12; ///< scenarios

    explicit CompareList(QObject* parent = nullptr);

    const std::vector<data::ListedScenario>& scenarios() const { return state_.scenarios; }
    int size() const { return static_cast<int>(state_.scenarios.size()); }
    int baseline() const { return static_cast<int>(state_.chosen); } ///< size() if there is none
    QUndoStack* undoStack() const { return undo_; }

    /// Adds as many as there is room for. \returns how many were left out
    int add(const std::vector<data::ListedScenario>& scenarios);
    /// Others in place of all. What is too much is left out.
    void replace(const std::vector<data::ListedScenario>& scenarios, int baseline, const QString& undoText);
    void remove(int index);
    void move(int from, int to);
    void setBaseline(int index);
    void rename(int index, const QString& name);
    /// Another order: the places of the scenarios, each once.
    void arrange(const std::vector<int>& order, const QString& undoText);

    QByteArray saved() const;
    /// What was saved; the open scenario alone where that is empty or damaged. Drops undo steps.
    void restore(const QByteArray& saved);

signals:
    void changed();

private:
    void push(const QString& undoText, data::ScenarioList next);

    data::ScenarioList state_;
    QUndoStack* undo_;
};

} // namespace alidade::views
