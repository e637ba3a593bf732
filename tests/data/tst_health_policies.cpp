// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/policy_json.h"
#include "data/catalog/shipped.h"

#include <QTest>

#include <algorithm>

namespace tst_health_policies {

using namespace alidade;
using namespace alidade::data;

namespace {

const HealthPolicy& preset(const std::string& id) {
    const std::vector<HealthPolicy>& all = shippedHealthPolicies();
    const auto found = std::ranges::find(all, id, &HealthPolicy::id);
    return found == all.end() ? all.front() : *found;
}

HealthAction action(const std::string& id, int xid) {
    return ruleFor(preset(id), FaultKind::xid, xid).action;
}

bool same(const HealthPolicy& a, const HealthPolicy& b) {
    return a.id == b.id && a.name == b.name && a.source == b.source && a.rules == b.rules &&
           a.limits == b.limits;
}

std::string document(const std::string& rules, const std::string& limits = "{}") {
    return R"({"alidade": 1, "kind": "health_policies", "policies": [{"id": "mine", "name": "Mine", "limits": )" +
           limits + R"(, "rules": [)" + rules + "]}]}";
}

} // namespace

class TestHealthPolicies : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePresetsDisagreeAsTheirSourcesDo() {
        QCOMPARE(shippedHealthPolicies().size(), 4u);
        QCOMPARE(shippedHealthPolicies().front().id, std::string("nvidia"));
        QCOMPARE(action("nvidia", 63), HealthAction::ignore);
        QCOMPARE(action("aws-post", 63), HealthAction::replaceNode);
        QCOMPARE(action("eks-agent", 63), HealthAction::replaceNode);
        QCOMPARE(action("awsome-check", 63), HealthAction::watch);
        QCOMPARE(action("nvidia", 64), HealthAction::resetGpu);
        QCOMPARE(action("aws-post", 64), HealthAction::replaceNode);
        QCOMPARE(action("nvidia", 94), HealthAction::restartJob);
        QCOMPARE(action("eks-agent", 94), HealthAction::watch);
        QCOMPARE(action("nvidia", 79), HealthAction::rebootNode);
        QCOMPARE(action("eks-agent", 79), HealthAction::replaceNode);
        QCOMPARE(action("awsome-check", 95), HealthAction::resetGpu);
    }

    /// Every fault has a rule in every preset, and every rule says where it is from.
    void everyFaultHasARule() {
        for (const HealthPolicy& policy : shippedHealthPolicies()) {
            QVERIFY(!policy.name.empty() && !policy.source.empty());
            for (const FaultKind kind : allFaultKinds())
                QVERIFY2(findRule(policy, kind, 0) != nullptr, faultName(kind).data());
            for (const HealthRule& rule : policy.rules)
                QVERIFY2(!rule.meaning.empty() && !rule.advice.empty() && !rule.source.empty(),
                         policy.id.c_str());
            QCOMPARE(ruleFor(policy, FaultKind::rowRemap, remapFailed).action, HealthAction::replaceNode);
        }
    }

    void whatIsWrittenIsReadAgain() {
        std::vector<HealthPolicy> mine = shippedHealthPolicies();
        mine.front().limits.stragglerTime = 1.1;
        mine.front().limits.gpusPerNode = 4;
        mine.front().rules.front().action = HealthAction::replaceNode;
        mine.front().rules.front().advice = "Replace \"it\" – now.";
        const Result<std::vector<HealthPolicy>> read =
            readHealthPolicies("mine.json", writeHealthPolicies(mine));
        QVERIFY2(read, read.error().c_str());
        QVERIFY(std::ranges::equal(*read, mine, same));
    }

    void faults_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("error");
        const auto row = [](const char* name, const std::string& text, const char* error) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(error);
        };
        row("no JSON", "{", "mine.json: line 1");
        row("another kind", R"({"alidade": 1, "kind": "gpus", "policies": []})", "mine.json:/kind: 'gpus'");
        row("no policy", R"({"alidade": 1, "kind": "health_policies", "policies": []})",
            "mine.json:/policies: no policies; add at least one");
        row("unknown fault", document(R"({"fault": "xids", "action": "watch", "meaning": "x"})"),
            "mine.json:/policies/0/rules/0/fault: 'xids'");
        row("unknown action", document(R"({"fault": "xid", "action": "replace", "meaning": "x"})"),
            "did you mean 'replace_node'?");
        row("code of a fault without codes",
            document(R"({"fault": "thermal", "code": 3, "action": "watch", "meaning": "x"})"),
            "mine.json:/policies/0/rules/0/code: only xid and row_remap have codes; remove it");
        row("rule twice", document(R"({"fault": "xid", "code": 94, "action": "watch", "meaning": "x"},
                        {"fault": "xid", "code": 94, "action": "ignore", "meaning": "y"})"),
            "mine.json:/policies/0/rules/1/code: this policy already has a rule for xid 94; remove one");
        row("limit out of range", document("", R"({"straggler_clock": 1.5})"),
            "mine.json:/policies/0/limits/straggler_clock: ");
        row("unknown limit", document("", R"({"straggler_clocks": 0.5})"), "did you mean 'straggler_clock'?");
    }

    void faults() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, error);
        const Result<std::vector<HealthPolicy>> read = readHealthPolicies("mine.json", text.toStdString());
        QVERIFY(!read);
        QVERIFY2(read.error().find(error.toStdString()) != std::string::npos, read.error().c_str());
    }
};

QTEST_GUILESS_MAIN(TestHealthPolicies)

} // namespace tst_health_policies

#include "data/json/json.h"
#include "tst_health_policies.moc"
