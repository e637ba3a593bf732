// SPDX-License-Identifier: GPL-3.0-or-later
// What a plan is watched with: rules, a dashboard and measurements say the plan's own figures, for the job of
// the plan alone.
#include "model/scenario/fields.h"
#include "tests/data/handed_over.h"
#include "tests/sanitized.h"

#include <QTest>

#include <cmath>
#include <regex>

namespace tst_handoff_watch {

using namespace alidade;
using namespace tests;

namespace {

std::string textOf(const Planned& source, const std::string& target) {
    const auto handoff = handedOff(source, {target});
    if (!handoff)
        qFatal("%s", handoff.error().c_str());
    return handoff->files.front().text;
}

std::map<std::string, json> alertsOf(const Planned& source) {
    std::map<std::string, json> out;
    const json rules = toJson(YAML::Load(textOf(source, "prometheus-rules")));
    for (const json& group : rules["groups"])
        for (const json& rule : group["rules"])
            if (rule.contains("alert"))
                out[rule["alert"]] = rule;
    return out;
}

} // namespace

class TestHandoffWatch : public QObject {
    Q_OBJECT

private slots:
    void figuresAreWrittenAsPeopleWriteThem() {
        const std::regex noise("[0-9]\\.[0-9]{12,}");
        for (const auto& [id, source] : shipped())
            for (const char* target : {"prometheus-rules", "grafana-dashboard"})
                QVERIFY2(!std::regex_search(textOf(source, target), noise), (id + " " + target).c_str());
        const auto alerts = alertsOf(shipped().at("serve-gpt-oss-120b-1xp5.48xlarge"));
        QCOMPARE(alerts.at("KvCacheAbovePlan")["expr"].get<std::string>(),
                 std::string("alidade:kv_cache_use > 0.95"));
    }

    void reinforcementHasAStepTime() {
        int found = 0;
        for (const auto& [id, source] : shipped()) {
            if (!source.spec.workload.isReinforcement())
                continue;
            const auto alerts = alertsOf(source);
            QVERIFY2(alerts.contains("StepTimeAbovePlan") && alerts.contains("JobStandsStill"), id.c_str());
            const auto expression = alerts.at("StepTimeAbovePlan")["expr"].get<std::string>();
            const double limit = std::stod(expression.substr(expression.find('>') + 1));
            QVERIFY2(std::abs(limit / source.estimate->headline->high - 1) < 1e-3, expression.c_str());
            ++found;
        }
        QVERIFY(found > 1);
    }

    void checkpointsAreThoseOfThePlan() {
        const auto alerts =
            alertsOf(changed("llama-3.1-70b-64xp5.48xlarge", {{"run.checkpoint_interval_s", "900"}}));
        const json& overdue = alerts.at("CheckpointOverdue");
        QVERIFY(overdue["expr"].get<std::string>().find("[30m]") != std::string::npos);
        QCOMPARE(overdue["annotations"]["summary"].get<std::string>(),
                 std::string("no checkpoint in 30 minutes"));
        // Where nothing is written, the interval is that of the predicted run.
        const Planned& planned = shipped().at("llama-3.1-70b-64xp5.48xlarge");
        const std::string minutes =
            std::to_string(std::llround(std::ceil(planned.estimate->run->checkpoint.interval * 2 / 60)));
        const json own = alertsOf(planned).at("CheckpointOverdue");
        QVERIFY(own["expr"].get<std::string>().find("[" + minutes + "m]") != std::string::npos);
    }

    /// Each alert says what its own cost is, and what usually makes it.
    void alertsSayTheirOwnCost() {
        const auto alerts = alertsOf(shipped().at("serve-llama-3.1-70b-1xp5en.48xlarge"));
        for (const char* name : {"TtftAbovePlan", "ItlAbovePlan"}) {
            const json& notes = alerts.at(name)["annotations"];
            QVERIFY2(notes["cost"].get<std::string>().find("wait longer") != std::string::npos, name);
            QVERIFY2(notes["summary"].get<std::string>().find("; it may be ") != std::string::npos, name);
        }
        const auto trained = alertsOf(shipped().at("llama-3.1-70b-64xp5.48xlarge"));
        for (const char* name : {"StepTimeAbovePlan", "ThroughputBelowPlan", "MfuBelowPlan"}) {
            const json& notes = trained.at(name)["annotations"];
            QVERIFY2(notes["cost"].get<std::string>().find("lost throughput") != std::string::npos, name);
            QVERIFY2(notes["summary"].get<std::string>().find("; it may be ") != std::string::npos, name);
        }
        // Faster than planned is not a fault.
        QVERIFY(trained.at("ThroughputAbovePlan")["annotations"]["cost"].get<std::string>().find("lost") ==
                std::string::npos);
    }

    void seriesAreThoseOfTheJob() {
        for (const auto& [id, source] : shipped()) {
            const json rules = toJson(YAML::Load(textOf(source, "prometheus-rules")));
            for (const json& rule : rules["groups"][0]["rules"])
                QVERIFY2(rule["expr"].get<std::string>().find("job=~\".+\"") != std::string::npos,
                         rule.dump().c_str());
            const json board = json::parse(textOf(source, "grafana-dashboard"));
            std::string all;
            for (const json& panel : board["panels"])
                all += panel["targets"][0]["expr"].get<std::string>() + "\n";
            for (const json& variable : board["templating"]["list"])
                if (const auto name = variable["name"].get<std::string>(); name != "datasource")
                    QVERIFY2(all.find("$" + name + "\"") != std::string::npos, (id + " " + name).c_str());
        }
    }

    void measurementsAreOfThePlan() {
        const std::regex nodes("--nodes=([0-9]+)");
        std::size_t row = 0;
        for (const auto& [id, source] : shipped()) {
            if (!test::tried(row++))
                continue;
            const std::string script = textOf(source, "nccl-tests");
            const int most = (source.estimate->gpus + source.scenario->gpusPerNode - 1) /
                             std::max(1, source.scenario->gpusPerNode);
            for (std::sregex_iterator at(script.begin(), script.end(), nodes), end; at != end; ++at)
                QVERIFY2(std::stoi((*at)[1]) <= most, (id + script).c_str());
        }
        // One GPU reduces nothing.
        QVERIFY(textOf(shipped().at("serve-llama-3.1-8b-1xp5.4xlarge"), "nccl-tests").find("_perf") ==
                std::string::npos);
        // A tensor group of eight takes two instances of four GPUs.
        QVERIFY(textOf(shipped().at("llama-3.1-405b-4xu-p6e-gb200x72"), "nccl-tests")
                    .find("srun --nodes=2 --ntasks-per-node=4 --mpi=pmix all_gather_perf") !=
                std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestHandoffWatch)

} // namespace tst_handoff_watch

#include "tst_handoff_watch.moc"
