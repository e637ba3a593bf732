// SPDX-License-Identifier: GPL-3.0-or-later
// A word that is not one of its field is refused wherever it comes from, and no choice is given in its place.
#include "data/scenario/scenario_json.h"
#include "model/catalog/price_choice.h"
#include "model/hardware/purchase.h"
#include "model/scenario/fields.h"
#include "model/scenario/layout_resolver.h"
#include "model/validation/predict_row.h"
#include "model/validation/validation_report.h"
#include "tests/data/handed_over.h"
#include "tests/data/published_rows.h"

#include <QTest>

#include <algorithm>

namespace tst_choice_words {

using namespace alidade;

namespace {

const std::string unknown = "unheard_of";

ScenarioSpec shippedSpec(const std::string& id) {
    return *data::readScenario(*data::shippedScenario(id), id);
}

/// A scenario with a word that no file could give it.
ScenarioSpec withUnknown(ScenarioSpec spec, const Field& field) {
    field.set(spec, field.kind == FieldKind::wordList ? FieldValue(std::vector<std::string>{unknown})
                                                      : FieldValue(unknown));
    return spec;
}

/// Whether the spec keeps the field as text; a field of an enumeration cannot take an unknown word.
bool canHold(const Field& field) {
    return field.kind == FieldKind::wordList || field.get(withUnknown({}, field)) == FieldValue(unknown);
}

bool names(const std::string& error, const Field& field) {
    return error.starts_with(pointerOf(field.path) + ": ") && error.find(unknown) != std::string::npos &&
           std::ranges::all_of(field.choices,
                               [&](std::string_view word) { return error.find(word) != std::string::npos; });
}

std::string firstProblem(const Scenario& scenario) {
    return scenario.problems.empty()
               ? std::string()
               : scenario.problems.front().place + " " + scenario.problems.front().message;
}

} // namespace

class TestChoiceWords : public QObject {
    Q_OBJECT

private slots:
    void unknownWordsAreRefused() {
        int refused = 0;
        for (const data::ShippedScenario& each : data::shippedScenarios()) {
            const ScenarioSpec spec = shippedSpec(each.id);
            for (const Field& field : fieldTable()) {
                if (field.choices.empty() || !belongsTo(field.appliesTo, spec.workload))
                    continue;
                if (!canHold(field)) {
                    QVERIFY(!parseField(field, unknown));
                    continue;
                }
                const auto scenario =
                    resolve(withUnknown(spec, field), shippedCatalog(), shippedCatalog().defaultProfile);
                const std::string which = each.id + " " + std::string(field.path);
                QVERIFY2(!scenario, which.c_str());
                QVERIFY2(names(scenario.error(), field), scenario.error().c_str());
                ++refused;
            }
        }
        QVERIFY(refused > 300);
    }

    /// What is filled in, and what the catalog has a price for, is taken again.
    void resolvedWordsAreTaken() {
        for (const data::ShippedScenario& each : data::shippedScenarios()) {
            const auto scenario =
                resolve(shippedSpec(each.id), shippedCatalog(), shippedCatalog().defaultProfile);
            QVERIFY2(scenario, each.id.c_str());
            QCOMPARE(checkChoices(scenario->spec, shippedCatalog()), std::string());
        }
        for (const Price& price : shippedCatalog().prices) {
            ScenarioSpec spec;
            spec.cluster.purchase = std::string(purchaseWord(price.purchase));
            if (isCommitment(price.purchase))
                spec.cluster.commitment = commitmentOf(price);
            QCOMPARE(checkChoices(spec, shippedCatalog()), std::string());
        }
    }

    /// A search resolves layout after layout: none of them may slip in a word, and a scenario that was
    /// refused stays so.
    void unknownWordsOfALayout() {
        const ScenarioSpec spec = shippedSpec("llama-3.1-70b-64xp5.48xlarge");
        LayoutResolver resolver(shippedCatalog(), shippedCatalog().defaultProfile);
        for (const Field& field : fieldTable()) {
            if (field.choices.empty() || layoutFieldBit(field.path) == 0)
                continue;
            QVERIFY(resolver.resolve(spec));
            const auto& scenario = resolver.resolve(withUnknown(spec, field), layoutFieldBit(field.path));
            QVERIFY(scenario && !scenario->runs());
            const std::string problem = firstProblem(*scenario);
            QVERIFY2(problem.starts_with(pointerOf(field.path)), problem.c_str());
            QVERIFY2(problem.find(unknown) != std::string::npos, problem.c_str());
        }
        const ScenarioSpec wrong = withUnknown(spec, *findField("plan.optimizer"));
        QVERIFY(!resolver.resolve(wrong));
        QVERIFY(!resolver.resolve(wrong, allLayoutFields));
        QVERIFY(resolver.resolve(spec));
    }

    void unknownWordsOfAPublishedStep_data() {
        QTest::addColumn<QString>("placement");
        QTest::addColumn<QString>("algorithm");
        QTest::addRow("placement") << "somewhere" << QString();
        QTest::addRow("method") << QString() << "SARSA";
    }
    void unknownWordsOfAPublishedStep() {
        QFETCH(QString, placement);
        QFETCH(QString, algorithm);
        ValidationReport report;
        PublishedReinforcement row;
        for (const PublishedReinforcement& each : published().reinforcement) {
            if (report.rows.empty()) {
                row = each;
                predictReinforcement(row, shippedCatalog(), shippedCatalog().defaultProfile, report);
            }
        }
        QVERIFY(!report.rows.empty());
        report = {};
        const std::string word = (placement.isEmpty() ? algorithm : placement).toStdString();
        (placement.isEmpty() ? row.algorithm : row.placement) = word;
        predictReinforcement(row, shippedCatalog(), shippedCatalog().defaultProfile, report);
        QVERIFY(report.rows.empty());
        QCOMPARE(report.skipped.size(), std::size_t{1});
        QVERIFY(report.skipped.front().why.find(word) != std::string::npos);
    }

    /// A stage of ZeRO is written for the kinds of sharding that have one.
    void shardingWithoutAStage() {
        tests::Planned source = tests::sourceOf(shippedSpec("llama-3.1-70b-64xp5.48xlarge"));
        for (const auto& [word, stage] :
             {std::pair("none", "\"stage\": 0"), std::pair("zero1", "\"stage\": 1"),
              std::pair("zero2", "\"stage\": 2"), std::pair("hsdp", "\"stage\": 3"),
              std::pair("zero9", "")}) {
            source.estimate->scenario.plan.sharding = word;
            const auto handoff = tests::handedOff(source, {"deepspeed"});
            QVERIFY(handoff);
            const auto file = std::ranges::find(handoff->files, "ds_config.json", &data::HandoffFile::name);
            QVERIFY(file != handoff->files.end());
            const bool known = *stage != 0;
            const bool written = file->text.find(known ? stage : "\"stage\"") != std::string::npos;
            QVERIFY2(written == known, word);
            const bool isLeft = std::ranges::any_of(handoff->leftOut, [&](const data::LeftOut& left) {
                return left.path == "plan.sharding" && left.value == word;
            });
            QVERIFY2(isLeft == !known, word);
        }
    }
};

QTEST_GUILESS_MAIN(TestChoiceWords)

} // namespace tst_choice_words

#include "tst_choice_words.moc"
