// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
// Nothing of a plan is dropped: another value of a field makes other files, or the field is named as not
// expressed. For every field of the table and every target.
#include "model/scenario/edit.h"
#include "model/scenario/fields.h"
#include "tests/data/handed_over.h"

#include <QTest>

namespace tst_handoff_fields {

using namespace alidade;
using namespace tests;
using data::Handoff;
using data::HandoffFile;

namespace {

/// What the files are about rather than what they say, with the reason.
const std::map<std::string, std::string> aboutTheFiles{
    {"name", "in the heading of each file"},
    {"calibration", "of the prediction in the heading"},
    {"plan.tuning", "of the prediction in the heading"},
    {"plan.framework", "chooses the target"},
    {"plan.engine", "chooses the target"},
    {"workload.kind", "chooses the targets"},
};

/// What a computer reads of the files: neither comments nor the README.
std::string wordsOf(const Handoff& handoff) {
    std::string out;
    for (const HandoffFile& file : handoff.files) {
        if (file.name == "README.md")
            continue;
        std::istringstream lines(file.text);
        for (std::string line; std::getline(lines, line);)
            if (!line.starts_with('#') || line.starts_with("#SBATCH"))
                out += line + "\n";
    }
    return out;
}

bool names(const Handoff& handoff, const std::string& path) {
    return std::ranges::any_of(handoff.leftOut, [&path](const data::LeftOut& each) {
        return path == each.path || path.starts_with(each.path + ".");
    });
}

/// Other values that a person may type.
std::vector<std::string> othersOf(const Field& field, const ScenarioSpec& spec) {
    std::vector<std::string> out;
    const FieldValue value = field.get(spec);
    switch (field.kind) {
    case FieldKind::flag:
        return {"true", "false"};
    case FieldKind::choice:
    case FieldKind::wordList:
        for (const std::string_view each : field.choices)
            if (each != "layernorm" && each != "zero3") // two words for one thing: norms, fsdp2
                out.emplace_back(each);
        if (field.path == "cluster.placement")
            return {"packed", "sorted"};
        return out;
    case FieldKind::integer: {
        const auto* number = std::get_if<std::int64_t>(&value);
        const std::int64_t now = number == nullptr ? 4 : *number;
        return {std::to_string(now * 2), std::to_string(now + 1)};
    }
    case FieldKind::quantity: {
        const auto* number = std::get_if<double>(&value);
        if (field.maximum <= 1)
            return {"0.25", "0.75", "0"};
        const double now = number == nullptr ? std::clamp(1000.0, field.minimum, field.maximum) : *number;
        return {std::to_string(now * 2), std::to_string(now * 1000)};
    }
    default:
        return {};
    }
}

struct Change {
    std::string what; ///< "plan.micro_batch = 2"
    std::string path;
    Planned source;
};

/// \param plan the spec with what applies where it says nothing
std::vector<Change> changesOf(const ScenarioSpec& spec, const ScenarioSpec& plan) {
    std::vector<Change> out;
    for (const Field& field : fieldTable()) {
        const std::string path(field.path);
        if (aboutTheFiles.contains(path) || !belongsTo(field.appliesTo, spec.workload))
            continue;
        for (const std::string& value : othersOf(field, spec)) {
            const auto next = withField(spec, path, value);
            if (!next || fieldText(field, field.get(*next)) == fieldText(field, field.get(spec)) ||
                !fieldApplies(field, *next, catalog()))
                continue;
            const auto resolved = resolve(*next, catalog(), catalog().defaultProfile);
            if (!resolved || !resolved->legal)
                continue;
            auto answer = estimate(*next, catalog(), catalog().defaultProfile);
            // What applies where nothing is said changes nothing when it is said.
            if (answer &&
                fieldText(field, field.get(answer->scenario)) != fieldText(field, field.get(plan)) &&
                !field.defaultDoc.starts_with(value))
                out.push_back({path + " = " + value, path, {*next, *std::move(answer), *resolved}});
        }
    }
    return out;
}

} // namespace

class TestHandoffFields : public QObject {
    Q_OBJECT

private slots:
    void everyFieldIsWrittenOrNamed_data() {
        QTest::addColumn<std::string>("id");
        for (const char* id :
             {"llama-3.1-70b-64xp5.48xlarge", "mixtral-8x22b-16xp5.48xlarge",
              "llama-3.3-70b-qlora-1xp5.4xlarge", "llama-3.1-70b-lora-1xp5.48xlarge",
              "serve-llama-3.1-70b-1xp5en.48xlarge", "serve-gpt-oss-120b-1xp5.48xlarge",
              "serve-deepseek-r1-24xp5en.48xlarge", "grpo-qwen3-32b-8xp5en.48xlarge",
              "grpo-qwen3-32b-one-step-off-8xp5en.48xlarge", "ppo-llama-3.1-70b-16xp5.48xlarge"})
            QTest::newRow(id) << std::string(id);
    }

    void everyFieldIsWrittenOrNamed() {
        QFETCH(std::string, id);
        const Planned& before = shipped().at(id);
        const bool serving = before.spec.workload.isServing();
        const std::vector<Change> changes = changesOf(before.spec, before.estimate->scenario);
        QVERIFY2(changes.size() > 40, std::to_string(changes.size()).c_str());
        // Of a field that the plan does not have, one value may be what a tool does without a word.
        std::set<std::string> dropped;
        for (const std::string& target : data::handoffTargetsFor(before.spec)) {
            const bool tool = isTool(target, serving);
            const auto targets = tool ? std::vector<std::string>{target, "slurm"} : std::vector{target};
            const auto was = handedOff(before, targets);
            if (!was)
                continue; // llm-d of another engine
            const std::string words = wordsOf(*was);
            std::map<std::string, std::vector<std::string>> silent, all;
            for (const Change& each : changes) {
                // The programs are the same on each cluster but for what these two make of them.
                const bool ofProgram = each.path.starts_with("plan.") || each.path.starts_with("workload.");
                if (!tool && ofProgram && target != "dynamo" && target != "llm-d")
                    continue;
                all[each.path].push_back(each.what);
                const auto is = handedOff(each.source, targets);
                if (is && wordsOf(*is) == words && !names(*is, each.path) && !names(*was, each.path))
                    silent[each.path].push_back(each.what);
            }
            for (const auto& [path, values] : silent)
                if (!fieldText(*findField(path), findField(path)->get(before.spec)).empty() ||
                    values.size() == all[path].size())
                    for (const std::string& each : values)
                        dropped.insert(target + ": " + each);
        }
        for (const std::string& each : dropped)
            qWarning("%s", each.c_str());
        QVERIFY(dropped.empty());
    }
};

QTEST_GUILESS_MAIN(TestHandoffFields)

} // namespace tst_handoff_fields

#include "tst_handoff_fields.moc"
