// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/history.h"

#include "data/workspace/workspace_writer.h"
#include "views/document/text.h"

#include <QPointer>

#include <algorithm>
#include <utility>

namespace alidade::views {

History::History(data::WorkspaceWriter& writer, QObject* parent)
    : QObject(parent)
    , writer_(writer) {}

void History::setScenario(data::WorkspaceId scenario) {
    scenario_ = scenario;
    versions_.clear();
    fault_.clear();
    loading_ = scenario != 0;
    const std::uint64_t generation = ++generation_;
    emit changed();
    if (scenario == 0)
        return;
    const QPointer<History> self(this);
    writer_.readVersions(scenario, [self, generation](const auto& reply) {
        if (self == nullptr || generation != self->generation_)
            return;
        self->loading_ = false;
        if (reply) {
            // Edits that were committed while this was read are here already, or in both.
            std::vector<data::ScenarioVersion> newer = std::exchange(self->versions_, *reply.value);
            for (const data::ScenarioVersion& each : newer)
                if (self->versions_.empty() || each.number > self->versions_.back().number)
                    self->versions_.push_back(each);
        } else {
            self->fault_ = text(reply.fault.message);
        }
        emit self->changed();
    });
}

const data::ScenarioVersion* History::find(std::int64_t number) const {
    const auto found = std::ranges::find(versions_, number, &data::ScenarioVersion::number);
    return found == versions_.end() ? nullptr : &*found;
}

QString History::freeVersionName() const {
    for (int number = 1;; ++number) {
        const QString name = tr("Version %1").arg(number);
        if (std::ranges::none_of(versions_,
                                 [&](const data::ScenarioVersion& each) { return text(each.name) == name; }))
            return name;
    }
}

void History::append(const data::ScenarioVersion& version) {
    if (version.scenario != scenario_)
        return;
    if (!loading_ && !versions_.empty() && version.number != versions_.back().number + 1) {
        setScenario(scenario_); // something was added that went by here
        return;
    }
    versions_.push_back(version);
    emit changed();
}

void History::setName(std::int64_t number, const std::string& name) {
    const auto found = std::ranges::find(versions_, number, &data::ScenarioVersion::number);
    if (found == versions_.end())
        return;
    found->name = name;
    emit changed();
}

} // namespace alidade::views
