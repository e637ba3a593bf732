// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "views/timeline/timeline_data.h"

#include <QObject>
#include <QString>

#include <memory>

namespace alidade {
struct Catalog;
}

namespace alidade::views {

struct Engine;

/// Has the schedule of a scenario played, on a thread of its own, since a long one has more than 100,000
/// events and most views need none of them. A newer scenario supersedes an older one.
class TimelineSource : public QObject {
    Q_OBJECT

public:
    explicit TimelineSource(const Engine& engine, QObject* parent = nullptr);
    ~TimelineSource() override;

    void ask(const ScenarioSpec& spec, std::shared_ptr<const Catalog> catalog);
    /// No answer is wanted any more.
    void cancel();

signals:
    /// \param data null: `error` says why there is none
    void answered(std::shared_ptr<const alidade::views::TimelineData> data, const QString& error);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace alidade::views
