// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/samples.h"

#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "views/document/text.h"

#include <algorithm>

namespace alidade::views {

namespace {

/// The run that most people know; it opens the list.
const QString firstSample = QStringLiteral("llama-3.1-405b-2048xp5.48xlarge");

QList<Sample> readSamples() {
    QList<Sample> all;
    for (const std::string& id : data::sampleScenarioIds()) {
        const auto content = data::sampleScenarioText(id);
        const auto spec = content ? data::readScenario(*content, id) : Result<ScenarioSpec>(Error{});
        if (spec)
            all.append({text(id), spec->name ? text(*spec->name) : text(id), *spec});
    }
    std::ranges::stable_partition(all, [](const Sample& sample) { return sample.id == firstSample; });
    return all;
}

} // namespace

const QList<Sample>& samples() {
    static const QList<Sample> all = readSamples();
    return all;
}

} // namespace alidade::views
