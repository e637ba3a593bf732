// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/entities.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <vector>

namespace alidade::data {
class WorkspaceWriter;
}

namespace alidade::views {

/// The committed edits of one scenario of the workspace, oldest first. Read from the file once, then kept up
/// with each edit.
class History : public QObject {
    Q_OBJECT

public:
    /// `writer` must outlive this.
    explicit History(data::WorkspaceWriter& writer, QObject* parent = nullptr);

    /// 0: of nothing. What is there is read on the writer's thread; `changed` follows.
    void setScenario(data::WorkspaceId scenario);
    data::WorkspaceId scenario() const { return scenario_; }
    const std::vector<data::ScenarioVersion>& versions() const { return versions_; }
    const data::ScenarioVersion* find(std::int64_t number) const; ///< null: there is none
    bool isLoading() const { return loading_; }
    QString fault() const { return fault_; } ///< why it could not be read; empty: it could
    /// "Version 3": the first that no version has.
    QString freeVersionName() const;

    // An edit of the scenario was committed.
    void append(const data::ScenarioVersion& version);
    void setName(std::int64_t number, const std::string& name);

signals:
    void changed();

private:
    data::WorkspaceWriter& writer_;
    data::WorkspaceId scenario_ = 0;
    std::vector<data::ScenarioVersion> versions_;
    QString fault_;
    bool loading_ = false;
    std::uint64_t generation_ = 0; ///< of the newest read
};

} // namespace alidade::views
