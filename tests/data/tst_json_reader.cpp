// SPDX-License-Identifier: GPL-3.0-or-later
// The reader: each wrong kind and range is reported with its place, its value and how to fix it; none hides
// another.
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"

#include <QtTest>

#include <functional>

namespace tst_json_reader {

using namespace alidade;
using namespace alidade::data;

namespace {

using Reading = std::function<void(ObjectReader&)>;

/// Faults of reading one document, as lines.
std::string faultsOf(const std::string& text, const Reading& reading) {
    const auto json = parseJson(text);
    if (!json)
        return json.error();
    std::vector<JsonFault> faults;
    ObjectReader in(*json, {}, faults);
    reading(in);
    std::string out;
    for (const JsonFault& fault : faults)
        out += fault.pointer + ": " + fault.message + '\n';
    return out;
}

void readNumber(ObjectReader& in) { in.number("x", {0, 100, "GB"}); }
void readInteger(ObjectReader& in) { in.integer("x", 1, 8, "GPUs"); }
void readBoolean(ObjectReader& in) { in.boolean("x"); }
void readText(ObjectReader& in) { in.text("x"); }
void readChoice(ObjectReader& in) { in.choice("x", {"ring", "tree"}); }
void readTexts(ObjectReader& in) { in.texts("x"); }
void readObject(ObjectReader& in) { in.object("x"); }
void readObjects(ObjectReader& in) { in.objects("x"); }
void readRequired(ObjectReader& in) { in.require({"x"}); }

} // namespace

class TestJsonReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reports_data();
    void reports();
    void readsWhatIsRight();
    void nullAndAbsentAreTheSame();
    void allFaultsAreReported();
    void unknownKeysNameTheNearest();
    void pointersAreEscaped();
    void numbersAreShownInFull();
};

void TestJsonReader::reports_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<Reading>("reading");
    QTest::addColumn<QByteArray>("fault");
    const auto row = [](const char* name, const char* text, const Reading& reading, const char* fault) {
        QTest::newRow(name) << QByteArray(text) << reading << QByteArray(fault) + '\n';
    };
    row("text for a number", R"({"x": "80"})", readNumber,
        "/x: the text \"80\" is not a number; expected 0 to 100 GB");
    row("truth value for a number", R"({"x": true})", readNumber,
        "/x: true is not a number; expected 0 to 100 GB");
    row("array for a number", R"({"x": [1]})", readNumber,
        "/x: an array is not a number; expected 0 to 100 GB");
    row("too small", R"({"x": -0.5})", readNumber, "/x: -0.5 GB is out of range; expected 0 to 100 GB");
    row("too large", R"({"x": 1e6})", readNumber, "/x: 1000000 GB is out of range; expected 0 to 100 GB");
    row("negative count", R"({"x": -5})", readInteger, "/x: -5 GPUs is out of range; expected 1 to 8 GPUs");
    row("count beyond 32 bits", R"({"x": 4294967297})", readInteger,
        "/x: 4294967297 GPUs is out of range; expected 1 to 8 GPUs");
    row("fraction", R"({"x": 1.9})", readInteger, "/x: 1.9 is not a whole number; expected 1 to 8 GPUs");
    row("number for a truth value", R"({"x": 1})", readBoolean,
        "/x: 1 is not a Boolean; expected true or false");
    row("text for a truth value", R"({"x": "true"})", readBoolean,
        "/x: the text \"true\" is not a Boolean; expected true or false");
    row("number for a text", R"({"x": 5})", readText, "/x: 5 is not a string; use quotes");
    row("other word", R"({"x": "rang"})", readChoice,
        "/x: 'rang' is not a valid value; did you mean 'ring'?");
    row("far word", R"({"x": "collnet"})", readChoice,
        "/x: 'collnet' is not a valid value; known: ring, tree");
    row("text for a list", R"({"x": "a"})", readTexts,
        "/x: the text \"a\" where an array of strings is expected");
    row("number in a list", R"({"x": ["a", 7]})", readTexts, "/x/1: 7 is not a string; use quotes");
    row("array for an object", R"({"x": []})", readObject, "/x: an array where an object is expected");
    row("object for a list", R"({"x": {}})", readObjects,
        "/x: an object where an array of objects is expected");
    row("number in a list of objects", R"({"x": [{}, 3]})", readObjects,
        "/x/1: 3 where an object is expected");
    row("missing", "{}", readRequired, "/x: missing; this key is required");
    row("null where required", R"({"x": null})", readRequired, "/x: null; this key requires a value");
    row("no object at all", "[1]", readNumber, ": an array where an object is expected");
}

void TestJsonReader::reports() {
    QFETCH(QByteArray, text);
    QFETCH(Reading, reading);
    QFETCH(QByteArray, fault);
    QCOMPARE(QByteArray::fromStdString(faultsOf(text.toStdString(), reading)), fault);
}

void TestJsonReader::readsWhatIsRight() {
    const auto json =
        parseJson(R"({"n": 2.5, "whole": 8.0, "flag": false, "t": "x", "word": "tree", "list": ["a", "b"],
                                    "o": {"i": 3}, "os": [{"i": 4}, {"i": 5}], "big": 1e18})");
    std::vector<JsonFault> faults;
    ObjectReader in(*json, "/doc", faults);
    QCOMPARE(in.number("n").value(), 2.5);
    QCOMPARE(in.number("big").value(), 1e18);
    QCOMPARE(in.integer("whole", 1, 8).value(), 8);
    QCOMPARE(in.boolean("flag").value(), false);
    QCOMPARE(in.text("t").value(), std::string("x"));
    QCOMPARE(in.choice("word", {"ring", "tree"}).value(), 1u);
    QCOMPARE(in.texts("list"), (std::vector<std::string>{"a", "b"}));
    QCOMPARE(in.object("o")->integer("i", 0, 9).value(), 3);
    std::vector<ObjectReader> objects = in.objects("os");
    QCOMPARE(objects.size(), 2u);
    QCOMPARE(objects[1].pointer(), std::string("/doc/os/1"));
    QCOMPARE(objects[1].integer("i", 0, 9).value(), 5);
    in.finish();
    QVERIFY(faults.empty());
}

void TestJsonReader::nullAndAbsentAreTheSame() {
    const auto json = parseJson(R"({"a": null})");
    std::vector<JsonFault> faults;
    ObjectReader in(*json, {}, faults);
    for (const char* key : {"a", "b"}) {
        QVERIFY(!in.number(key) && !in.integer(key, 0, 1) && !in.boolean(key) && !in.text(key) &&
                !in.object(key));
        QVERIFY(in.texts(key).empty() && in.objects(key).empty());
    }
    QVERIFY(in.has("a") && in.isNull("a") && !in.has("b") && !in.isNull("b"));
    in.finish();
    QVERIFY(faults.empty());
}

void TestJsonReader::allFaultsAreReported() {
    const std::string faults =
        faultsOf(R"({"a": "x", "b": -1, "c": 3, "d": {"e": []}})", [](ObjectReader& in) {
            in.number("a");
            in.integer("b", 0, 9);
            in.text("c");
            in.object("d")->boolean("e");
            in.require({"f"});
            in.finish();
        });
    QCOMPARE(std::ranges::count(faults, '\n'), 5);
    QVERIFY(faults.find("/d/e: ") != std::string::npos);
}

void TestJsonReader::unknownKeysNameTheNearest() {
    const auto reading = [](ObjectReader& in) {
        in.number("hbm_capacity_gb");
        in.number("tdp_w");
        in.allow("notes");
        in.finish();
    };
    QCOMPARE(faultsOf(R"({"hbm_capcity_gb": 80, "notes": 1})", reading),
             std::string("/hbm_capcity_gb: unknown key 'hbm_capcity_gb'; did you mean 'hbm_capacity_gb'?\n"));
    QCOMPARE(faultsOf(R"({"colour": "red"})", reading),
             std::string("/colour: unknown key 'colour'; known: hbm_capacity_gb, notes, tdp_w\n"));
}

void TestJsonReader::pointersAreEscaped() {
    QCOMPARE(below("/a", "b/c~d"), std::string("/a/b~1c~0d"));
    QCOMPARE(below("", std::size_t(3)), std::string("/3"));
    QVERIFY(faultsOf(R"({"a/b": 1})", [](ObjectReader& in) {
                in.finish();
            }).starts_with("/a~1b: unknown key 'a/b'"));
    QCOMPARE(text("file.json", JsonFault{"/a", "wrong"}), std::string("file.json:/a: wrong"));
    QCOMPARE(text("file.json", JsonFault{"", "wrong"}), std::string("file.json: wrong"));
}

void TestJsonReader::numbersAreShownInFull() {
    QCOMPARE(numberText(0.1), std::string("0.1"));
    QCOMPARE(numberText(989.5), std::string("989.5"));
    QCOMPARE(numberText(3), std::string("3"));
    QCOMPARE(numberText(-100000), std::string("-100000"));
    QCOMPARE(numberText(1e18), std::string("1e+18"));
    for (const double value : {1.0 / 3, 1e-300, 123456789.123456789})
        QCOMPARE(std::stod(numberText(value)), value);
}

QTEST_APPLESS_MAIN(TestJsonReader)

} // namespace tst_json_reader

#include "tst_json_reader.moc"
