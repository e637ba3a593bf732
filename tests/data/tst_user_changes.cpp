// SPDX-License-Identifier: GPL-3.0-or-later
// A user's changes over the shipped catalog: what counts, what is set aside, what is taken back.
#include "user_edits.h"

#include <algorithm>

namespace tst_user_changes {

using namespace alidade;
using namespace alidade::data;
using alidade::test::shippedCatalog;
using alidade::tests::ada;
using alidade::tests::UserEdits;

using enum alidade::data::CatalogKind;

class TestUserChanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aChangeStandsOverTheShippedValue();
    void nestedValuesKeepTheirNeighbors();
    void aPartFromNothing();
    void whatDoesNotFitIsSetAsideAlone();
    void changesThatMakeSenseOnlyTogether();
    void undoTakesTheLastOneOff();
    void resetFollowsTheShippedValue();
    void removeAndRestore();
    void dependantsAreSaid();
    void addedFromNothingAndCopied();
    void aCopyOutlivesItsOriginal();
    void referencesToNothingBlameTheLaterChange();
    void historySaysWhoAndWhy();
    void refusals();
    void sheetsShowEveryState();
    void warningsOnChangedEntriesOnly();
};

void TestUserChanges::aChangeStandsOverTheShippedValue() {
    UserEdits edits;
    edits.set(gpus, "h100-sxm", "hbm_bandwidth_gb_per_s", "3000");
    QVERIFY(edits.applied.setAside.empty());
    QCOMPARE(edits.catalog().gpu("h100-sxm")->memoryBandwidth.si(), 3e12);
    QCOMPARE(shippedCatalog()->gpu("h100-sxm")->memoryBandwidth.si(), 3.35e12);
    QVERIFY(edits.catalog().gpu("h100-sxm")->provenance.user);
    QVERIFY(!edits.catalog().gpu("h200-sxm")->provenance.user);
    const EffectiveValue value = edits.value(gpus, "h100-sxm", "hbm_bandwidth_gb_per_s");
    QCOMPARE(value.text, std::string("3000"));
    QCOMPARE(value.source, std::string("Ada: measured on our rack (2026-11-21)"));
    QCOMPARE(value.shippedText, std::string("3350"));
    QVERIFY(value.shippedSource.find("AWS") != std::string::npos);
    QVERIFY(value.changed() && value.problem.empty());
    QCOMPARE(citation(edits.catalog().gpu("h100-sxm")->provenance, "hbm_bandwidth_gb_per_s"), value.source);
    const EffectiveValue other = edits.value(gpus, "h100-sxm", "hbm_capacity_gb");
    QVERIFY(!other.changed());
    QCOMPARE(other.source, other.shippedSource);
}

void TestUserChanges::nestedValuesKeepTheirNeighbors() {
    UserEdits edits;
    edits.set(models, "deepseek-v3", "moe.experts_per_token", "4");
    QCOMPARE(edits.catalog().model("deepseek-v3")->moe->expertsPerToken, 4);
    QCOMPARE(edits.catalog().model("deepseek-v3")->moe->routedExperts,
             shippedCatalog()->model("deepseek-v3")->moe->routedExperts);
    const EffectiveValue other = edits.value(models, "deepseek-v3", "moe.routed_experts");
    QCOMPARE(other.source, other.shippedSource);
    edits.set(frameworks, "megatron-core", "defaults.plan.sharding", "\"zero1\"");
    QCOMPARE(edits.value(frameworks, "megatron-core", "defaults.plan.sharding").text, std::string("zero1"));
}

void TestUserChanges::aPartFromNothing() {
    UserEdits edits;
    const std::string dense = "llama-3.1-8b";
    for (const auto& [key, value] : {std::pair("moe.routed_experts", "8"), {"moe.experts_per_token", "2"}}) {
        edits.set(models, dense, key, value);
        // Until all that is needed is there, none of it counts.
        QVERIFY(!edits.catalog().model(dense)->moe);
        QVERIFY(!edits.value(models, dense, key).problem.empty());
        QCOMPARE(edits.value(models, dense, key).text, std::string(value));
    }
    edits.set(models, dense, "moe.expert_intermediate_size", "4096");
    QVERIFY(edits.applied.setAside.empty());
    QCOMPARE(edits.catalog().model(dense)->moe->routedExperts, 8);
    edits.set(models, "deepseek-v3", "mla", "null");
    QVERIFY(!edits.catalog().model("deepseek-v3")->mla);
}

void TestUserChanges::whatDoesNotFitIsSetAsideAlone() {
    UserCatalog user;
    const auto add = [&](const std::string& entry, const std::string& key, const std::string& value) {
        CatalogChange change;
        change.entry = entry;
        change.key = key;
        change.value = value;
        user.changes.push_back(change);
    };
    add("h100-sxm", "tdp_w", "650");
    add("h100-sxm", "tdp_w_max", "800");
    add("h100-sxm", "hbm_bandwidth_gb_per_s", "\"fast\"");
    add("h100-sxm", "sm_count", "-3");
    add("no-such-gpu", "tdp_w", "1");
    add("h200-sxm", "tdp_w", "nonsense");
    add("h200-sxm", "hbm_capacity_gb", "null");
    const AppliedCatalog applied = applyChanges(shippedCatalog(), user);
    QCOMPARE(applied.catalog->gpu("h100-sxm")->power->si(), 650.);
    QCOMPARE(applied.catalog->gpu("h100-sxm")->memoryBandwidth,
             shippedCatalog()->gpu("h100-sxm")->memoryBandwidth);
    std::vector<std::size_t> aside;
    for (const SetAside& each : applied.setAside) {
        QVERIFY(!each.message.empty());
        aside.push_back(each.change);
    }
    QCOMPARE(aside, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
    QVERIFY(applied.setAsideOf(1)->message.find("tdp_w") != std::string::npos);
    QVERIFY(applied.setAsideOf(0) == nullptr);
}

/// Heads and KV heads are changed one behind the other; in between they do not fit.
void TestUserChanges::changesThatMakeSenseOnlyTogether() {
    UserEdits edits;
    const std::string model = "llama-3.1-8b";
    QCOMPARE(shippedCatalog()->model(model)->kvHeads, 8);
    edits.set(models, model, "attention_heads", "30");
    QCOMPARE(edits.applied.setAside.size(), 1u);
    QCOMPARE(edits.catalog().model(model)->attentionHeads, shippedCatalog()->model(model)->attentionHeads);
    edits.set(models, model, "kv_heads", "6");
    QVERIFY(edits.applied.setAside.empty());
    QCOMPARE(edits.catalog().model(model)->attentionHeads, 30);
    QCOMPARE(edits.catalog().model(model)->kvHeads, 6);
    // Neither of them fits the shipped other one: both wait, and what has nothing to do with them counts.
    edits.set(models, model, "layers", "30");
    edits.set(models, model, "kv_heads", "7");
    QCOMPARE(edits.applied.setAside.size(), 2u);
    QCOMPARE(edits.catalog().model(model)->layers, 30);
    QCOMPARE(edits.catalog().model(model)->kvHeads, 8);
}

void TestUserChanges::undoTakesTheLastOneOff() {
    UserEdits edits;
    edits.set(gpus, "h100-sxm", "tdp_w", "650");
    const UserCatalog before = edits.user;
    const auto sheet = catalogSheetRow(*shippedCatalog(), before, edits.applied, gpus, "h100-sxm");
    edits.set(gpus, "h100-sxm", "tdp_w", "600");
    QCOMPARE(edits.catalog().gpu("h100-sxm")->power->si(), 600.);
    edits.user.changes.pop_back();
    QVERIFY(edits.user == before);
    const AppliedCatalog undone = applyChanges(shippedCatalog(), edits.user);
    QCOMPARE(undone.catalog->gpu("h100-sxm")->power->si(), 650.);
    const auto again = catalogSheetRow(*shippedCatalog(), edits.user, undone, gpus, "h100-sxm");
    QCOMPARE(again->cells.size(), sheet->cells.size());
    for (std::size_t i = 0; i < sheet->cells.size(); ++i)
        QCOMPARE(again->cells[i].source, sheet->cells[i].source);
    edits.user.changes.clear();
    QCOMPARE(applyChanges(shippedCatalog(), edits.user).catalog.get(), shippedCatalog().get());
}

void TestUserChanges::resetFollowsTheShippedValue() {
    UserEdits edits;
    edits.set(gpus, "h100-sxm", "tdp_w", "650");
    edits.set(gpus, "h100-sxm", "sm_count", "100");
    edits.take(resetValue(edits.user, gpus, "h100-sxm", "tdp_w", ada()));
    QCOMPARE(edits.catalog().gpu("h100-sxm")->power, shippedCatalog()->gpu("h100-sxm")->power);
    QCOMPARE(edits.catalog().gpu("h100-sxm")->streamingMultiprocessors, std::optional(100));
    QVERIFY(!edits.value(gpus, "h100-sxm", "tdp_w").changed());
    QVERIFY(!resetValue(edits.user, gpus, "h100-sxm", "tdp_w", ada()));
    edits.take(resetEntry(edits.user, gpus, "h100-sxm", ada()));
    QVERIFY(!edits.catalog().gpu("h100-sxm")->provenance.user);
    QVERIFY(!resetEntry(edits.user, gpus, "h100-sxm", ada()));
}

void TestUserChanges::removeAndRestore() {
    UserEdits edits;
    edits.set(prices, "p5.48xlarge/us-east-2/on_demand", "usd_per_hour", "41.5");
    edits.remove(prices, "p5.48xlarge/us-east-2/on_demand");
    QVERIFY(edits.catalog().price("p5.48xlarge", "us-east-2", Purchase::onDemand) == nullptr);
    QVERIFY(shippedCatalog()->price("p5.48xlarge", "us-east-2", Purchase::onDemand) != nullptr);
    QVERIFY(!removeEntry(edits.catalog(), prices, "p5.48xlarge/us-east-2/on_demand", WithDependants::refuse,
                         ada()));
    edits.take(restoreEntry(edits.user, prices, "p5.48xlarge/us-east-2/on_demand", ada()));
    QCOMPARE(edits.catalog().price("p5.48xlarge", "us-east-2", Purchase::onDemand)->rate.si(), 41.5);
    QVERIFY(!restoreEntry(edits.user, prices, "p5.48xlarge/us-east-2/on_demand", ada()));
}

void TestUserChanges::dependantsAreSaid() {
    UserEdits edits;
    const Catalog& all = *shippedCatalog();
    const auto refused = removeEntry(all, gpus, "h100-sxm", WithDependants::refuse, ada());
    QVERIFY(!refused);
    QVERIFY2(refused.error().find("p5.48xlarge") != std::string::npos, refused.error().c_str());
    const auto direct = dependants(all, gpus, "h100-sxm");
    QVERIFY(std::ranges::all_of(direct, [&](const Dependant& d) {
        return d.key == "gpu" && (d.kind == instances ? all.instance(d.entry)->gpu
                                                      : all.ultraserver(d.entry)->gpu) == "h100-sxm";
    }));
    const auto indirect = dependants(all, gpus, "h100-sxm", true);
    QVERIFY(std::ranges::find(indirect, Dependant{prices, "p5.48xlarge/us-east-2/on_demand", "item"}) !=
            indirect.end());
    const auto generation = dependants(all, efa, "efa3");
    QVERIFY(std::ranges::find(generation, Dependant{instances, "p5en.48xlarge", "efa_generation"}) !=
            generation.end());
    edits.remove(gpus, "h100-sxm");
    QVERIFY(edits.applied.setAside.empty());
    QVERIFY(edits.catalog().gpu("h100-sxm") == nullptr && edits.catalog().instance("p5.48xlarge") == nullptr);
    // Each change alone leaves a catalog that fits, so that undo may stop anywhere.
    while (!edits.user.changes.empty()) {
        edits.user.changes.pop_back();
        QVERIFY(applyChanges(shippedCatalog(), edits.user).setAside.empty());
    }
    QVERIFY(dependants(all, prices, "p5.48xlarge/us-east-2/on_demand").empty());
}

void TestUserChanges::addedFromNothingAndCopied() {
    UserEdits edits;
    edits.take(addEntry(*shippedCatalog(), edits.catalog(), gpus, "lab-gpu",
                        {{"name", "\"Lab\""}, {"hbm_capacity_gb", "48"}}, ada()));
    edits.take(addEntry(*shippedCatalog(), edits.catalog(), instances, "lab",
                        {{"gpu", "\"lab-gpu\""}, {"gpus", "4"}}, ada()));
    QCOMPARE(edits.catalog().gpu(edits.catalog().instance("lab")->gpu)->memory.si(), 48e9);
    QVERIFY(edits.catalog().instance("lab")->provenance.user);
    QVERIFY(!addEntry(*shippedCatalog(), edits.catalog(), gpus, "lab-gpu",
                      {{"name", "\"x\""}, {"hbm_capacity_gb", "1"}}, ada()));
    QVERIFY(!addEntry(*shippedCatalog(), edits.catalog(), gpus, "other", {{"name", "\"x\""}}, ada()));
    edits.copy(gpus, "h100-sxm", "h100-lab");
    const Gpu* copy = edits.catalog().gpu("h100-lab");
    const Gpu* original = shippedCatalog()->gpu("h100-sxm");
    QCOMPARE(copy->memoryBandwidth, original->memoryBandwidth);
    QCOMPARE(citation(copy->provenance, "dense_bf16_tflops"),
             citation(original->provenance, "dense_bf16_tflops"));
    QCOMPARE(freeId(edits.catalog(), gpus, "h100-lab"), std::string("h100-lab-2"));
    edits.set(gpus, "h100-lab", "tdp_w", "500");
    QVERIFY(edits.value(gpus, "h100-lab", "tdp_w").shipped.empty());
}

void TestUserChanges::aCopyOutlivesItsOriginal() {
    UserEdits edits;
    edits.copy(gpus, "l4", "l4-mine");
    edits.remove(gpus, "l4");
    QVERIFY(edits.catalog().gpu("l4") == nullptr);
    QVERIFY(edits.catalog().gpu("l4-mine") != nullptr);
}

void TestUserChanges::referencesToNothingBlameTheLaterChange() {
    UserEdits edits;
    edits.copy(gpus, "h100-sxm", "mine");
    edits.set(instances, "p5.48xlarge", "gpu", "\"mine\"");
    // Taken out of order, as a merge may leave it: the removal has no effect, the rest has.
    CatalogChange removal;
    removal.action = ChangeAction::remove;
    removal.kind = gpus;
    removal.entry = "mine";
    UserCatalog user = edits.user;
    user.changes.push_back(removal);
    const AppliedCatalog later = applyChanges(shippedCatalog(), user);
    QCOMPARE(later.setAside.size(), 1u);
    QCOMPARE(later.setAside.front().change, 2u);
    QVERIFY(later.catalog->gpu("mine") != nullptr);
    std::swap(user.changes[1], user.changes[2]);
    const AppliedCatalog before = applyChanges(shippedCatalog(), user);
    QCOMPARE(before.setAside.size(), 1u);
    QCOMPARE(before.setAside.front().change, 2u);
    QCOMPARE(before.catalog->instance("p5.48xlarge")->gpu, std::string("h100-sxm"));
    QVERIFY(before.catalog->gpu("mine") == nullptr);
}

void TestUserChanges::historySaysWhoAndWhy() {
    UserEdits edits;
    edits.set(gpus, "h100-sxm", "tdp_w", "650");
    edits.set(gpus, "h100-sxm", "sm_count", "100");
    edits.set(gpus, "h100-sxm", "tdp_w", "600");
    edits.take(resetEntry(edits.user, gpus, "h100-sxm", {"Bob", "2026-11-22T08:00:00Z", "as printed", {}}));
    const auto history = historyOf(edits.user, gpus, "h100-sxm", "tdp_w");
    QCOMPARE(history, (std::vector<std::size_t>{0, 2, 3}));
    QCOMPARE(edits.user.changes[history.back()].who, std::string("Bob"));
    QCOMPARE(historyOf(edits.user, gpus, "h100-sxm").size(), 4u);
    QVERIFY(changesInForce(edits.user).empty());
    QCOMPARE(describe(edits.user.changes[0]), std::string("Power (TDP) of h100-sxm: 700 -> 650 W"));
}

void TestUserChanges::refusals() {
    const Catalog& all = *shippedCatalog();
    const auto refused = [&](CatalogKind kind, const std::string& entry, const std::string& key,
                             const std::string& value) {
        const auto change = changeValue(all, all, kind, entry, key, value, ada());
        return change ? std::string() : change.error();
    };
    QCOMPARE(refused(gpus, "h100-sx", "tdp_w", "1"),
             std::string("no entry 'h100-sx' in gpus; did you mean 'h100-sxm'?"));
    QCOMPARE(refused(gpus, "h100-sxm", "tdp", "1"),
             std::string("entries of gpus have no 'tdp'; did you mean 'tdp_w'?"));
    QVERIFY(refused(gpus, "h100-sxm", "tdp_w", "1e9").find("out of range") != std::string::npos);
    QVERIFY(!refused(gpus, "h100-sxm", "name", "null").empty());
    QVERIFY(!refused(prices, "p5.48xlarge/us-east-2/on_demand", "date", "\"yesterday\"").empty());
    QVERIFY(!refused(frameworks, "megatron-core", "defaults.plan.shading", "\"zero1\"").empty());
    QVERIFY(refused(gpus, "h100-sxm", "tdp_w", "null").empty());
}

void TestUserChanges::sheetsShowEveryState() {
    UserEdits edits;
    edits.set(gpus, "h100-sxm", "tdp_w", "650");
    edits.copy(gpus, "l4", "mine");
    edits.remove(gpus, "l4");
    const auto rows = catalogSheet(*shippedCatalog(), edits.user, edits.applied, gpus);
    QCOMPARE(rows.size(), shippedCatalog()->gpus.size() + 1);
    const auto row = [&](const std::string& id) { return *std::ranges::find(rows, id, &SheetRow::id); };
    QVERIFY(row("h100-sxm").state == EntryState::changed);
    QVERIFY(row("mine").state == EntryState::added);
    QVERIFY(row("l4").state == EntryState::removed);
    QVERIFY(row("h200-sxm").state == EntryState::shipped);
    for (const SheetRow& each : rows)
        QCOMPARE(each.cells.size(), catalogKeys(gpus).size());
    for (std::size_t i = 0; i + 1 < catalogKindNames.size(); ++i) {
        const auto kind = static_cast<CatalogKind>(i);
        for (const SheetRow& each : catalogSheet(*shippedCatalog(), {}, {shippedCatalog(), {}}, kind)) {
            QVERIFY(each.state == EntryState::shipped && !each.name.empty());
            for (std::size_t k = 0; k < each.cells.size(); ++k) {
                const EffectiveValue& cell = each.cells[k];
                QCOMPARE(cell.value, cell.shipped);
                const auto same = canonical(kind, catalogKeys(kind)[k].key, cell.value);
                if (cell.value != "null")
                    QVERIFY2(same && *same == cell.value, (each.id + ' ' + catalogKeys(kind)[k].key).c_str());
            }
        }
    }
}

void TestUserChanges::warningsOnChangedEntriesOnly() {
    UserEdits edits;
    QVERIFY(catalogWarnings(edits.applied, edits.user).empty());
    edits.set(instances, "p5en.48xlarge", "gpu_memory_gb_total", "900");
    const auto warnings = catalogWarnings(edits.applied, edits.user);
    QCOMPARE(warnings.size(), 1u);
    QCOMPARE(warnings.front().key, std::string("gpu_memory_gb_total"));
    QCOMPARE(warnings.front().entry, std::string("p5en.48xlarge"));
    QVERIFY(warnings.front().message.find("is not 8 x") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestUserChanges)

} // namespace tst_user_changes

#include "tst_user_changes.moc"
