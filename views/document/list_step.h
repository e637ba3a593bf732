// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/scenario/scenario_list.h"

#include <QUndoCommand>

#include <functional>
#include <utility>

namespace alidade::views {

/// Puts another list of scenarios in place of one, and back.
class ListStep : public QUndoCommand {
public:
    /// \param list that outlives the step \param changed is called after each change of it
    ListStep(const QString& text, data::ScenarioList& list, data::ScenarioList next,
             std::function<void()> changed)
        : QUndoCommand(text)
        , list_(list)
        , other_(std::move(next))
        , changed_(std::move(changed)) {}
    void redo() override { swap(); }
    void undo() override { swap(); }

private:
    void swap() {
        std::swap(list_, other_);
        changed_();
    }
    data::ScenarioList& list_;
    data::ScenarioList other_;
    std::function<void()> changed_;
};

} // namespace alidade::views
