// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/plan/recompute_words.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/fields.h"
#include "model/scenario/visit.h"

#include <QtTest>

#include <map>
#include <random>
#include <set>

namespace tst_fields {

using namespace alidade;

namespace {

/// Legal values of a field: its bounds, its words, and some in between.
std::vector<FieldValue> samples(const Field& field) {
    std::mt19937_64 random(static_cast<std::uint64_t>(std::hash<std::string_view>{}(field.path)));
    const auto between = [&] {
        const double low = std::max(field.minimum, 1e-6);
        const double logSpan = std::log(field.maximum / low);
        return std::clamp(low * std::exp(logSpan * std::uniform_real_distribution<>(0, 1)(random)),
                          field.minimum, field.maximum);
    };
    std::vector<FieldValue> out;
    switch (field.kind) {
    case FieldKind::flag:
        return {true, false};
    case FieldKind::integer:
        out = {static_cast<std::int64_t>(field.minimum), static_cast<std::int64_t>(field.maximum)};
        for (int i = 0; i < 20; ++i)
            out.emplace_back(static_cast<std::int64_t>(std::ceil(between())));
        return out;
    case FieldKind::quantity:
        out = {field.minimum, field.maximum};
        for (int i = 0; i < 50; ++i)
            out.emplace_back(between());
        return out;
    case FieldKind::choice:
        for (const std::string_view word : field.choices)
            out.emplace_back(std::string(word));
        return out;
    case FieldKind::text:
        if (field.path == "order.currency")
            return {std::string("EUR"), std::string("JPY")};
        if (field.isDate)
            return {std::string("2027-01-04"), std::string("2028-02-29")};
        if (field.rule)
            return {std::string("tp-pp-dp-cp-ep"), std::string("pp-dp-ep-cp-tp")};
        return {std::string("llama-3.1-405b"),
                std::string(field.catalogKind.empty() ? "two words, Größe" : "x")};
    case FieldKind::wordList:
        for (const std::string_view word : field.alone)
            out.emplace_back(std::vector<std::string>{std::string(word)});
        if (field.choices.empty())
            out.emplace_back(std::vector<std::string>{"host-1", "host-2"});
        else
            out.emplace_back(std::vector<std::string>{"norms", "glu"});
        return out;
    case FieldKind::integerList:
        return {std::vector<std::int64_t>{8}, std::vector<std::int64_t>{7, 8, 0, 8}};
    }
    return out;
}

const Field& fieldAt(const char* path) {
    const Field* field = findField(path);
    if (!field)
        qFatal("no field %s", path);
    return *field;
}

QString refusal(const char* path, const char* text) {
    const auto value = parseField(fieldAt(path), text);
    return value ? QString() : QString::fromStdString(value.error());
}

} // namespace

class TestFields : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pathsAreUniqueAndGroupedBySection() {
        std::set<std::string_view> seen;
        std::set<std::string_view> closed;
        std::string_view section;
        for (const Field& field : fieldTable()) {
            QVERIFY2(seen.insert(field.path).second, std::string(field.path).c_str());
            const std::string_view here =
                field.path.substr(0, std::max<std::size_t>(field.path.rfind('.'), 1));
            if (here != section) {
                closed.insert(section);
                section = here;
                const bool again =
                    closed.contains(here) && here != "plan" && here != "workload" && here != "cluster";
                QVERIFY2(!again, std::string(field.path).c_str());
            }
            QVERIFY(!field.label.empty() && !field.doc.empty() && !field.defaultDoc.empty());
        }
        QVERIFY(seen.size() > 90);
    }

    void everyChoiceHasAName() {
        for (const Field& field : fieldTable()) {
            for (const std::string_view word : field.choices) {
                const std::string which = std::string(field.path) + " " + std::string(word);
                QVERIFY2(choiceName(field.path, word) != nullptr, which.c_str());
            }
        }
    }

    /// Two choices of a field have one name only if they recompute the same.
    void choicesOfAFieldDiffer() {
        for (const Field& field : fieldTable()) {
            std::map<std::string, std::string_view> seen;
            for (const std::string_view word : field.choices) {
                const auto [other, isNew] = seen.emplace(nameOfChoice(field.path, word), word);
                const bool same = field.path.ends_with("recompute") &&
                                  meaningOf(recomputeWords, word) == meaningOf(recomputeWords, other->second);
                QVERIFY2(isNew || same, other->first.c_str());
            }
        }
    }

    void oneWordOfTwoFields() {
        QCOMPARE(nameOfChoice("plan.phase_offload", "all"), std::string("All"));
        QCOMPARE(nameOfChoice("run.restart_read", "all"), std::string("Every rank"));
        QCOMPARE(fieldTextInWords(fieldAt("plan.phase_offload"), "all"), std::string("All"));
        QCOMPARE(nameOfChoice("cluster.purchase", "spot"), std::string("Spot"));
        QCOMPARE(nameOfChoice("plan.precision", "no word"), std::string("no word"));
    }

    void everyFieldSetsGetsAndClears() {
        for (const Field& field : fieldTable()) {
            for (const FieldValue& value : samples(field)) {
                ScenarioSpec spec;
                QCOMPARE(checkField(field, value), std::string());
                field.set(spec, value);
                QVERIFY2(field.get(spec) == value, std::string(field.path).c_str());
                for (const Field& other : fieldTable()) // and touches nothing else
                    QVERIFY(&other == &field || std::holds_alternative<std::monostate>(other.get(spec)));
                field.set(spec, {});
                QVERIFY(std::holds_alternative<std::monostate>(field.get(spec)));
            }
        }
    }

    void everyFieldRoundTripsThroughText() {
        for (const Field& field : fieldTable()) {
            for (const FieldValue& value : samples(field)) {
                const std::string text = fieldText(field, value);
                const auto again = parseField(field, text);
                QVERIFY2(again, (std::string(field.path) + " '" + text + "': " + again.error()).c_str());
                QVERIFY2(*again == value, (std::string(field.path) + " '" + text + "'").c_str());
            }
            QCOMPARE(fieldText(field, {}), std::string());
            const auto cleared = parseField(field, "  ");
            QVERIFY(cleared && std::holds_alternative<std::monostate>(*cleared));
        }
    }

    void everyRangeRefusesWhatIsOutside() {
        for (const Field& field : fieldTable()) {
            const auto refused = [&](const FieldValue& value) {
                const std::string wrong = checkField(field, value);
                QVERIFY2(wrong.find("; use ") != std::string::npos,
                         (std::string(field.path) + ": " + wrong).c_str());
            };
            if (field.kind == FieldKind::integer) {
                refused(static_cast<std::int64_t>(field.minimum) - 1);
                refused(static_cast<std::int64_t>(field.maximum) + 1);
                refused(1.5); // of the wrong kind
            } else if (field.kind == FieldKind::quantity) {
                refused(field.minimum > 0 ? field.minimum * 0.5 : -1e-9);
                refused(field.maximum * 1.0001);
                refused(std::numeric_limits<double>::infinity());
                refused(std::nan(""));
                refused(std::string("1"));
            } else if (field.kind == FieldKind::choice) {
                refused(std::string("no such word"));
                refused(true);
            } else if (field.kind == FieldKind::flag) {
                refused(std::int64_t(1));
            } else if (field.kind == FieldKind::integerList) {
                refused(std::vector<std::int64_t>{8, -1});
            }
        }
    }

    void peopleTypeCountsAndUnits_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<double>("value");
        const auto row = [](const char* path, const char* typed, double value) {
            QTest::addRow("%s=%s", path, typed) << QByteArray(path) << QByteArray(typed) << value;
        };
        row("workload.tokens", "15.6T", 15.6e12);
        row("workload.tokens", "15.6 T tokens", 15.6e12);
        row("workload.global_batch", "2,048", 2048);
        row("cluster.instances", " 2k ", 2000);
        row("cluster.custom.memory_bytes_per_gpu", "80 GiB", 80.0 * 1024 * 1024 * 1024);
        row("cluster.custom.network_bytes_per_s_per_gpu_per_direction", "400 Gbps", 50e9);
        row("cluster.dollars_per_instance_hour", "$98.32/h", 98.32);
        row("workload.prefix_cache_hit", "85 %", 0.85);
        row("workload.itl_slo_s", "50 ms", 0.05);
        row("plan.goodput", "0.9", 0.9);
        row("plan.kv_offload_bytes", "200 GiB", 200.0 * 1024 * 1024 * 1024);
        row("plan.weights_offload", "25 %", 0.25);
        row("plan.kv_block", "64", 64);
    }
    void peopleTypeCountsAndUnits() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, typed);
        QFETCH(double, value);
        const auto read = parseField(fieldAt(path.constData()), typed.toStdString());
        QVERIFY2(read, read.error().c_str());
        const auto* integer = std::get_if<std::int64_t>(&*read);
        QCOMPARE(integer ? static_cast<double>(*integer) : std::get<double>(*read), value);
    }

    void refusalsSayWhatWouldBeRight_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* path, const char* typed, const char* part) {
            QTest::addRow("%s=%s", path, typed)
                << QByteArray(path) << QByteArray(typed) << QString::fromUtf8(part);
        };
        row("plan.tensor_parallel", "0", "1 to 65,536");
        row("plan.tensor_parallel", "3.5", "not a whole number");
        row("plan.sharding", "zero4", "zero1");
        row("plan.sharding", "zero4", "use one of none, zero1, zero2, zero3, fsdp2, hsdp");
        row("plan.recompute", "full, norms", "cannot be combined");
        row("plan.recompute", "norms, norms", "twice");
        row("plan.recompute", "norm", "the nearest is 'norms'");
        row("plan.sequence_parallel", "maybe", "true or false");
        row("plan.kv_block", "0", "1 to 65,536");
        row("plan.weights_offload", "120 %", "use 0");
        row("plan.pipeline_split", "8, x", "not a whole number");
        row("plan.pipeline_split", "8,,8", "not a whole number");
        row("cluster.rank_order", "tp-cp-ep-dp", "tp-cp-ep-dp-pp");
        row("cluster.rank_order", "tp-tp-ep-dp-pp", "once each");
        row("name", "a\nb", "control characters");
    }
    void refusalsSayWhatWouldBeRight() {
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, typed);
        QFETCH(QString, part);
        const QString wrong = refusal(path.constData(), typed.constData());
        QVERIFY2(wrong.contains(part), qPrintable(wrong));
    }

    void wordsAreKnownInAnyCase() {
        QCOMPARE(std::get<std::string>(*parseField(fieldAt("plan.precision"), "BF16")), std::string("bf16"));
        QCOMPARE(std::get<std::vector<std::string>>(*parseField(fieldAt("plan.recompute"), "[Norms, GLU]")),
                 (std::vector<std::string>{"norms", "glu"}));
    }

    void aFieldClearsWhatItStandsInsteadOf() {
        ScenarioSpec spec;
        const auto set = [&spec](const char* path, const char* text) {
            const auto next = withField(spec, path, text);
            QVERIFY2(next, next.error().c_str());
            spec = *next;
        };
        set("cluster.instance", "p5.48xlarge");
        set("cluster.instances", "4");
        set("cluster.ultraserver", "u-p6e-gb200x72");
        QVERIFY(!spec.cluster.instance && !spec.cluster.instances && spec.cluster.ultraserver);
        set("cluster.ultraservers", "2");
        set("cluster.custom.gpu", "h100-sxm");
        set("cluster.custom.gpus_per_node", "4");
        QVERIFY(!spec.cluster.ultraserver && !spec.cluster.ultraservers && spec.cluster.custom.gpu);
        set("cluster.instances", "16");
        set("cluster.instance", "p5en.48xlarge");
        QVERIFY(!spec.cluster.custom.gpu && !spec.cluster.custom.gpusPerNode);
        QCOMPARE(spec.cluster.instances, std::optional<std::int64_t>(16));
        set("workload.concurrency", "64");
        set("workload.request_rate_per_s", "2.5");
        QVERIFY(!spec.workload.concurrency && spec.workload.requestRatePerS);
        set("workload.concurrency", ""); // clearing one field leaves the other alone
        QVERIFY(spec.workload.requestRatePerS.has_value());
        spec.workload.architecture = Architecture{};
        set("workload.model", "llama-3.1-8b");
        QVERIFY(!spec.workload.architecture);
    }

    void exclusionIsMutual() {
        for (const Field& field : fieldTable()) {
            for (const Field& other : fieldTable()) {
                // A count excludes the other count only; a machine also excludes the count of the other
                // machine.
                if (other.path != "cluster.instances" && other.path != "cluster.ultraservers" &&
                    field.path != "cluster.instances" && field.path != "cluster.ultraservers") {
                    QCOMPARE(excludesPath(field, other.path), excludesPath(other, field.path));
                }
            }
        }
    }

    void nearestNames_data() {
        QTest::addColumn<QByteArray>("typed");
        QTest::addColumn<QByteArray>("nearest");
        const auto row = [](const char* typed, const char* nearest) {
            QTest::addRow("%s", typed) << QByteArray(typed) << QByteArray(nearest);
        };
        row("plan.tensor_paralel", "plan.tensor_parallel");
        row("tensor_parallel", "plan.tensor_parallel");
        row("plan.tp", "plan.tensor_parallel");
        row("workload.instance", "cluster.instance");
        row("workload.sequence_lenght", "workload.sequence_length");
        row("qqqqqqqqqqqqqqqqqqqq", "");
    }
    void nearestNames() {
        QFETCH(QByteArray, typed);
        QFETCH(QByteArray, nearest);
        QCOMPARE(QByteArray::fromStdString(nearestField(typed.toStdString())), nearest);
        const auto set = withField({}, typed.toStdString(), "1");
        QVERIFY(!set);
        QVERIFY(QByteArray::fromStdString(set.error()).contains(nearest));
    }
};

QTEST_APPLESS_MAIN(TestFields)

} // namespace tst_fields

#include "tst_fields.moc"
