// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/library.h"
#include "sample_workspace.h"

#include <QTest>

#include <stdexcept>

namespace tst_library {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

/// What a person does in the library, as edits of values; no file.
class TestLibrary : public QObject {
    Q_OBJECT

private slots:
    void init() {
        content_ = {};
        now_ = 1'750'000'000'000;
    }

    void namesAreFreeWithinAFolder() {
        const WorkspaceId folder = add(addFolder(content_, 0, "A", now_));
        QCOMPARE(content_.scenarios.at(addPlan("Plan")).name, "Plan");
        QCOMPARE(content_.scenarios.at(addPlan("Plan")).name, "Plan 2");
        QCOMPARE(content_.scenarios.at(addPlan("Plan", folder)).name, "Plan");
        QCOMPARE(content_.scenarios.at(addPlan("")).name, "Untitled");
        QCOMPARE(content_.folders.at(add(addFolder(content_, 0, "A", now_))).name, "A 2");
        QCOMPARE(content_.folders.at(add(addFolder(content_, folder, "A", now_))).name, "A");
        for (const auto& [id, scenario] : content_.scenarios)
            QCOMPARE(specOf(scenario)->name, scenario.name); // the content tells it too
    }

    void editsCountVersionsAndUndoKeepsThem() {
        const WorkspaceId id = addPlan("Plan");
        const WorkspaceEdit change = changeScenario(content_, id, numberedSpec(3), "Batch 64 to 67", ++now_);
        const WorkspaceEdit undo = make(change);
        const StoredScenario& scenario = content_.scenarios.at(id);
        QCOMPARE(scenario.version, 2);
        QCOMPARE(scenario.name, "Plan");
        QCOMPARE(scenario.machine, "11 x p5en.48xlarge");
        QCOMPARE(scenario.model, "llama-3.1-405b");
        const auto* version = std::get_if<AddVersion>(&change.changes.back());
        QVERIFY(version != nullptr);
        QCOMPARE(version->version.json, scenario.json);
        make(undo);
        QCOMPARE(scenario.version, 2); // the history goes on from there
        QCOMPARE(specOf(scenario)->workload.globalBatch, 64);
    }

    void renamingReachesTheContent() {
        const WorkspaceId id = addPlan("Plan");
        addPlan("Other");
        make(renameScenario(content_, id, "Other", ++now_));
        QCOMPARE(content_.scenarios.at(id).name, "Other 2");
        QCOMPARE(specOf(content_.scenarios.at(id))->name, "Other 2");
        QVERIFY(renameScenario(content_, id, "Other 2", ++now_).changes.empty());
    }

    void orderFollowsMoves() {
        const WorkspaceId a = addPlan("A");
        const WorkspaceId b = addPlan("B");
        const WorkspaceId c = addPlan("C");
        make(moveScenario(content_, c, 0, 0, ++now_));
        QCOMPARE(order(), (std::vector<WorkspaceId>{c, a, b}));
        make(moveScenario(content_, c, 0, 99, ++now_));
        QCOMPARE(order(), (std::vector<WorkspaceId>{a, b, c}));
        const WorkspaceId copy = add(duplicateScenario(content_, a, ++now_));
        QCOMPARE(order(), (std::vector<WorkspaceId>{a, copy, b, c}));
        QCOMPARE(content_.scenarios.at(copy).name, "A 2");
        QCOMPARE(content_.scenarios.at(copy).version, 1);

        const WorkspaceId folder = add(addFolder(content_, 0, "F", ++now_));
        make(moveScenario(content_, b, folder, 0, ++now_));
        QCOMPARE(order(), (std::vector<WorkspaceId>{a, copy, c}));
        QCOMPARE(scenariosIn(content_, folder).front()->id, b);
    }

    void folderDoesNotGoIntoItself() {
        const WorkspaceId outer = add(addFolder(content_, 0, "Outer", now_));
        const WorkspaceId inner = add(addFolder(content_, outer, "Inner", now_));
        QVERIFY(moveFolder(content_, outer, inner, 0, ++now_).changes.empty());
        QVERIFY(moveFolder(content_, outer, outer, 0, ++now_).changes.empty());
        QCOMPARE(folderPath(content_, inner), "Outer/Inner");
        make(moveFolder(content_, inner, 0, 0, ++now_));
        QCOMPARE(folderPath(content_, inner), "Inner");
    }

    void deletionTakesAllAlongAndComesBackWhole() {
        const WorkspaceId outer = add(addFolder(content_, 0, "Outer", now_));
        const WorkspaceId inner = add(addFolder(content_, outer, "Inner", now_));
        const WorkspaceId plan = addPlan("Plan", inner);
        const WorkspaceId early = addPlan("Early", inner);
        make(remove(content_, early, ++now_));
        const WorkspaceContent before = content_;
        const WorkspaceEdit undo = make(remove(content_, outer, ++now_));
        QVERIFY(foldersIn(content_, 0).empty());
        QVERIFY(findScenarios(content_, "plan").empty());

        WorkspaceContent undone = content_;
        QVERIFY(bool(apply(undone, undo)));
        QVERIFY(undone == before);

        make(restore(content_, outer, ++now_));
        QCOMPARE(content_.scenarios.at(plan).deletedMs, 0);
        QVERIFY(content_.scenarios.at(early).deletedMs != 0); // that one had gone before
        make(remove(content_, outer, ++now_));
        make(restore(content_, plan, ++now_)); // and with it the folders in which it lies
        QCOMPARE(folderPath(content_, inner), "Outer/Inner");
        QCOMPARE(scenariosIn(content_, inner).size(), 1u);
        QCOMPARE(foldersIn(content_, outer).size(), 1u);
    }

    void purgeKeepsFoldersOfWhatStays() {
        const WorkspaceId folder = add(addFolder(content_, 0, "F", now_));
        const WorkspaceId inner = add(addFolder(content_, folder, "G", now_));
        const WorkspaceId old = addPlan("Old", inner);
        const WorkspaceId recent = addPlan("Recent", folder);
        make(remove(content_, old, now_ + 10));
        make(remove(content_, inner, now_ + 10));
        make(remove(content_, folder, now_ + 20));
        make(purgeDeleted(content_, now_ + 15));
        QVERIFY(!content_.scenarios.contains(old));
        QVERIFY(!content_.folders.contains(inner));
        QVERIFY(content_.scenarios.contains(recent));
        QVERIFY(content_.folders.contains(folder));
        make(purgeDeleted(content_, now_ + 100));
        QVERIFY(content_.scenarios.empty() && content_.folders.empty());
        QVERIFY(purgeDeleted(content_, now_ + 100).changes.empty());
        // No id comes again.
        QVERIFY(addPlan("New") > recent);
    }

    void searchLooksEverywhere() {
        const WorkspaceId folder = add(addFolder(content_, 0, "Berlin", now_));
        const WorkspaceId first = addPlan("Wide plan", folder);
        const WorkspaceId second = addPlan("Narrow plan");
        make(setTags(content_, first, {"draft", "customer X", "draft"}, ++now_));
        make(changeScenario(content_, second, numberedSpec(1), "Model", ++now_));
        const auto found = [&](const char* text) {
            std::vector<WorkspaceId> out;
            for (const StoredScenario* each : findScenarios(content_, text))
                out.push_back(each->id);
            return out;
        };
        using Ids = std::vector<WorkspaceId>;
        QCOMPARE(found(""), (Ids{second, first})); // newest first
        QCOMPARE(found("PLAN"), (Ids{second, first}));
        QCOMPARE(found("wide"), Ids{first});
        QCOMPARE(found("customer"), Ids{first});
        QCOMPARE(found("405b"), Ids{second});
        QCOMPARE(found("berlin"), Ids{first});
        QCOMPARE(found("plan p5en narrow"), Ids{second});
        QCOMPARE(found("tag:narrow"), Ids{});
        QCOMPARE(found("tag:draft plan"), Ids{first});
        QCOMPARE(found("model:70b"), Ids{first});
        QCOMPARE(found("nothing"), Ids{});
        QCOMPARE(tagsInUse(content_), (std::vector<std::string>{"customer X", "draft"}));
        make(remove(content_, first, ++now_));
        QCOMPARE(found("wide"), Ids{});
        QVERIFY(tagsInUse(content_).empty());
    }

    void scenarioByName() {
        const WorkspaceId folder = add(addFolder(content_, 0, "F", now_));
        const WorkspaceId other = add(addFolder(content_, 0, "G", now_));
        const WorkspaceId one = addPlan("Plan", folder);
        QCOMPARE((*scenarioNamed(content_, "Plan"))->id, one);
        const WorkspaceId two = addPlan("Plan", other);
        QVERIFY(scenarioNamed(content_, "Plan").error().find("'F/Plan' or 'G/Plan'") != std::string::npos);
        QCOMPARE((*scenarioNamed(content_, "G/Plan"))->id, two);
        const WorkspaceId top = addPlan("Plan");
        QCOMPARE((*scenarioNamed(content_, "Plan"))->id, top);
        QVERIFY(scenarioNamed(content_, "Plen").error().find("'Plan'") != std::string::npos);
    }

    void jsonGoesOutAndIn() {
        const WorkspaceId id = addPlan("Plan");
        const auto spec = specOf(content_.scenarios.at(id));
        QVERIFY(bool(spec));
        const WorkspaceId copy = add(addScenario(content_, 0, *spec, "ignored", "Imported", ++now_));
        StoredScenario again = content_.scenarios.at(copy);
        QCOMPARE(again.name, "Plan 2");
        make(renameScenario(content_, id, "Else", ++now_));
        make(renameScenario(content_, copy, "Plan", ++now_));
        ScenarioSpec back = *specOf(content_.scenarios.at(copy));
        QCOMPARE(writeScenarioOf(back), writeScenarioOf(*spec));
    }

private:
    static std::string writeScenarioOf(const ScenarioSpec& spec) {
        WorkspaceContent empty;
        return std::get<PutScenario>(addScenario(empty, 0, spec, {}, {}, 1).changes.front()).scenario.json;
    }

    /// \returns what takes it back
    WorkspaceEdit make(const WorkspaceEdit& edit) {
        const auto undo = apply(content_, edit);
        if (!undo)
            throw std::runtime_error(undo.error());
        return *undo;
    }
    WorkspaceId add(const WorkspaceEdit& edit) {
        make(edit);
        return addedId(edit);
    }
    WorkspaceId addPlan(const char* name, WorkspaceId folder = 0) {
        return add(addScenario(content_, folder, numberedSpec(0), name, "New", ++now_));
    }
    std::vector<WorkspaceId> order() const {
        std::vector<WorkspaceId> out;
        for (const StoredScenario* each : scenariosIn(content_, 0))
            out.push_back(each->id);
        return out;
    }

    WorkspaceContent content_;
    UtcMs now_ = 0;
};

QTEST_APPLESS_MAIN(TestLibrary)

} // namespace tst_library

#include "tst_library.moc"
