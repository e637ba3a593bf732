// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/oracle/adaptors.h"

#include <QTest>

#include <cmath>
#include <fstream>
#include <set>

namespace tst_oracle {

using namespace alidade::oracle;

namespace {

/// Cases whose function the model does not have. It may only fall: a lower count is committed together with
/// the formulas that made it so.
constexpr int uncoveredCases = 0;

/// Cases whose function runs a formula of `reference/`. It may only fall as well.
constexpr int referenceCases = 24;

const Json& document() {
    static const Json doc = [] {
        std::ifstream file(ALIDADE_TEST_DATA "/oracle/cases.json");
        return Json::parse(file);
    }();
    return doc;
}

/// Replaces "@models/x" by that entry of the document, all the way down.
Json resolved(const Json& value) {
    if (value.is_string() && value.get_ref<const std::string&>().starts_with('@')) {
        const std::string& text = value.get_ref<const std::string&>();
        return document().at(Json::json_pointer("/" + text.substr(1)));
    }
    Json out = value;
    if (value.is_structured())
        for (auto& element : out)
            element = resolved(element);
    return out;
}

/// The part of a result that a dotted path names.
Json picked(Json value, const std::string& path) {
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t dot = std::min(path.find('.', at), path.size());
        const std::string key = path.substr(at, dot - at);
        value = value.is_array() ? Json(value.at(std::stoul(key))) : Json(value.at(key));
        at = dot + 1;
    }
    return value;
}

std::string against(const std::string& place, const Json& got, const Json& expected) {
    return place + ": got " + got.dump().substr(0, 200) + ", expected " + expected.dump().substr(0, 200);
}

/// The first place where two values differ by more than a relative tolerance; empty if nowhere.
std::string difference(const Json& got, const Json& expected, double tolerance,
                       const std::string& place = "") {
    if (got.is_number() && expected.is_number()) {
        const double a = got.get<double>(), b = expected.get<double>();
        const bool close = std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1e-300});
        return close ? "" : against(place, got, expected);
    }
    if (!expected.is_structured())
        return got == expected ? "" : against(place, got, expected);
    if (got.type() != expected.type() || got.size() != expected.size())
        return against(place, got, expected);
    const Json gotFlat = got.flatten(), expectedFlat = expected.flatten();
    for (const auto& [pointer, value] : expectedFlat.items()) {
        const std::string found = gotFlat.contains(pointer)
                                      ? difference(gotFlat.at(pointer), value, tolerance, place + pointer)
                                      : place + pointer + ": is missing";
        if (!found.empty())
            return found;
    }
    return {};
}

} // namespace

/// Every formula of the specification against the values that its reference computes, and against published
/// figures.
class TestOracle : public QObject {
    Q_OBJECT

private slots:
    void agrees_data() {
        QTest::addColumn<int>("index");
        const Json& cases = document().at("cases");
        for (int i = 0; i < static_cast<int>(cases.size()); ++i) {
            const Json& one = cases[static_cast<std::size_t>(i)];
            if (adaptors().contains(one.at("fn").get<std::string>()))
                QTest::newRow(one.at("id").get<std::string>().c_str()) << i;
        }
    }

    void agrees() {
        QFETCH(int, index);
        const Json& one = document().at("cases")[static_cast<std::size_t>(index)];
        Json got = adaptors().at(one.at("fn").get<std::string>())(resolved(one.at("args")));
        got = picked(std::move(got), one.value("pick", std::string()));
        if (one.contains("scale"))
            got = got.get<double>() * one["scale"].get<double>();
        const std::string wrong = difference(got, one.at("expect"), one.at("rtol").get<double>());
        QVERIFY2(wrong.empty(), wrong.c_str());
        if (one.contains("published")) {
            const Json& published = one["published"];
            const double error = got.get<double>() / published.at("value").get<double>() - 1;
            QVERIFY2(std::abs(error) <= published.at("tol").get<double>(),
                     ("the published figure is missed by " + std::to_string(100 * error) + " %").c_str());
        }
    }

    void fewerAndFewerAreNotCovered() {
        std::map<std::string, int> missing;
        int count = 0;
        for (const Json& one : document().at("cases")) {
            const std::string name = one.at("fn").get<std::string>();
            if (!adaptors().contains(name)) {
                ++missing[name];
                ++count;
            }
        }
        std::string names;
        for (const auto& [name, cases] : missing)
            names += (names.empty() ? "" : ", ") + name + " (" + std::to_string(cases) + ")";
        qInfo("%d of %zu cases are not covered yet: %s", count, document().at("cases").size(), names.c_str());
        QVERIFY2(count >= uncoveredCases, "fewer cases are left than committed: lower uncoveredCases");
        QVERIFY2(count <= uncoveredCases, ("more cases are left than committed: " + names).c_str());
    }

    /// How many cases test code that ships; why the others hold the reference to their values.
    void casesThatRunShippedCode() {
        std::map<std::string, int> counts;
        const auto& cases = document().at("cases");
        for (const Json& one : cases) {
            for (const char* key : {"id", "fn"}) {
                const std::string name = one.at(key).get<std::string>();
                if (onReference().contains(name)) {
                    ++counts[name];
                    break;
                }
            }
        }
        int reference = 0;
        for (const auto& [name, reason] : onReference()) {
            QVERIFY2(counts[name] > 0, (name + " is neither a case nor a function of one").c_str());
            reference += counts[name];
        }
        qInfo("%zu cases run shipped code, %d the reference:",
              cases.size() - static_cast<std::size_t>(reference), reference);
        for (const auto& [name, reason] : onReference())
            qInfo("%s (%d): %s", name.c_str(), counts[name], reason.c_str());
        QVERIFY2(reference >= referenceCases, "fewer cases are left than committed: lower referenceCases");
        QVERIFY2(reference <= referenceCases, "more cases than committed run the reference");
    }

    /// An adaptor that no case calls is a misspelt name that hides a formula from its cases.
    void everyAdaptorHasCases() {
        std::set<std::string> called;
        for (const Json& one : document().at("cases"))
            called.insert(one.at("fn").get<std::string>());
        for (const auto& [name, adaptor] : adaptors())
            QVERIFY2(called.contains(name), name.c_str());
    }
};

QTEST_APPLESS_MAIN(TestOracle)

} // namespace tst_oracle

#include "tst_oracle.moc"
