// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/published_scenario.h"

#include <algorithm>
#include <cctype>

namespace alidade {

namespace {

bool sameLetter(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool beginsWith(std::string_view text, std::string_view start) {
    return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(), sameLetter);
}

bool isComplete(const PublishedTraining& row) {
    const PublishedParallelism& p = row.parallelism;
    return row.globalBatch && row.microBatch && p.tensor && p.pipeline && p.context && p.data &&
           !row.precision.empty();
}

/// Values that stand in the row, although its source does not say them.
void listInferred(const PublishedTraining& row, std::vector<std::string>& assumed) {
    constexpr std::pair<std::string_view, const char*> fields[] = {
        {"batch.mbs", "plan.micro_batch"},
        {"batch.gbs", "workload.global_batch"},
        {"precision", "plan.precision"},
        {"parallelism.tp", "plan.tensor_parallel"},
        {"parallelism.pp", "plan.pipeline_parallel"}};
    for (const auto& [inferred, path] : fields) {
        if (std::ranges::find(row.inferred, inferred) != row.inferred.end()) {
            assumed.emplace_back(path);
        }
    }
}

/// Letters of the pattern that fit; 0 if it does not. "prefix ... phrase": the phrase stands in the notes.
std::size_t fit(std::string_view pattern, std::string_view software, std::string_view notes) {
    constexpr std::string_view gap = " ... ";
    const std::size_t at = pattern.find(gap);
    const std::string_view prefix = pattern.substr(0, at);
    if (!beginsWith(software, prefix)) {
        return 0;
    }
    if (at == std::string_view::npos) {
        return prefix.size();
    }
    const std::string_view phrase = pattern.substr(at + gap.size());
    return saysWord(notes, phrase) ? prefix.size() + phrase.size() : 0;
}

/// The software whose pattern takes up most of the words; nullptr if none fits.
const Framework* bestFit(const std::vector<Framework>& known, std::string_view software,
                         std::string_view notes) {
    const Framework* best = nullptr;
    std::size_t most = 0;
    for (const Framework& each : known) {
        for (const std::string& pattern : each.software) {
            if (const std::size_t letters = fit(pattern, software, notes); letters > most) {
                most = letters;
                best = &each;
            }
        }
    }
    return best;
}

} // namespace

bool saysWord(std::string_view text, std::string_view word) {
    return std::search(text.begin(), text.end(), word.begin(), word.end(), sameLetter) != text.end();
}

const Framework* publishedFramework(const PublishedTraining& row, const Catalog& catalog) {
    const std::string& software = !row.software.empty()               ? row.software
                                  : !row.parallelism.sharding.empty() ? row.parallelism.sharding
                                                                      : row.source.title;
    return bestFit(catalog.frameworks, software, row.notes);
}

const Framework* publishedEngine(const PublishedServing& row, const Catalog& catalog) {
    const std::string words = row.engine + (row.engineVersion.empty() ? "" : " ") + row.engineVersion;
    return bestFit(catalog.engines, words, row.notes);
}

PublishedScenario publishedScenario(const PublishedTraining& row, const Catalog& catalog) {
    PublishedScenario out;
    out.complete = isComplete(row);
    ScenarioSpec spec;
    spec.name = row.id;
    spec.workload.kind = "training";
    if (row.model.sequenceLength) {
        spec.workload.sequenceLength = *row.model.sequenceLength;
    } else {
        out.lacks = "the source does not give the sequence length";
        return out;
    }
    std::string model;
    out.lacks = publishedArchitecture(row.model, catalog, out.architecture, model, out.assumed);
    if (out.lacks.empty()) {
        out.lacks = publishedCluster(row.hardware, catalog, spec.cluster, out.assumed);
    }
    if (out.lacks.empty()) {
        out.lacks = publishedPlan(row, catalog, spec, out.architecture, out.assumed);
    }
    if (!out.lacks.empty()) {
        return out;
    }
    if (model.empty()) {
        spec.workload.architecture = out.architecture;
    } else {
        spec.workload.model = model;
    }
    listInferred(row, out.assumed);
    out.framework = spec.plan.framework ? catalog.framework(*spec.plan.framework) : nullptr;
    out.spec = std::make_shared<const ScenarioSpec>(std::move(spec));
    return out;
}

} // namespace alidade
