// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_state.h"

#include <QObject>

namespace alidade::views {
class Document;
class Library;
} // namespace alidade::views

namespace alidade::app {

/// The plans that a running job can be held against: the open scenario first, then the others of the
/// workspace. Those are estimated where they are asked for, once for each state of them.
class LivePlans : public QObject {
    Q_OBJECT

public:
    /// Both must outlive this.
    LivePlans(views::Document& document, views::Library& library, QObject* parent = nullptr);

    std::vector<views::LivePlan> plans();

signals:
    void changed();

private:
    struct Stored;

    views::Document& document_;
    views::Library& library_;
    std::vector<std::shared_ptr<Stored>> stored_;
};

} // namespace alidade::app
