// SPDX-License-Identifier: GPL-3.0-or-later
// The gate: every limit on both sides, and a clear place for everything that it refuses.
#include "data/json/gate.h"
#include "data/json/json.h"

#include <QtTest>

#include <ctime>
#include <string>

namespace tst_json_gate {

using namespace alidade;
using namespace alidade::data;

namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

/// What the gate says; empty if it lets the text pass.
std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
    return parseJson(text, limits).error();
}

} // namespace

class TestJsonGate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refuses_data();
    void refuses();
    void accepts_data();
    void accepts();
    void limitsAreExact();
    void deepTextIsRefusedAtOnce();
    void manyObjectsPassInTime();
    void manyEmptyArraysAreNotBuilt();
};

void TestJsonGate::refuses_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* name, const QByteArray& text, const char* message) {
        QTest::newRow(name) << text << QByteArray(message);
    };
    row("empty", "", "line 1, column 1: the document is empty");
    row("blank", " \n\n", "the document is empty");
    row("duplicate key", "{\"a\": 1,\n \"b\": 2,\n  \"a\": 3}",
        "line 3, column 3: the key \"a\" occurs twice");
    row("duplicate key with escapes", R"({"x\"y": 1, "x\"y": 2})",
        "line 1, column 13: the key \"x\"y\" occurs twice");
    row("duplicate key spelt differently", R"({"a": 1, "\u0061": 2})",
        "line 1, column 10: the key \"a\" occurs twice");
    row("too large number", "[1,\n 1e400]", "line 2, column 2: the number 1e400 is too large");
    row("too large negative number", "[-1e400]", "line 1, column 2: the number -1e400 is too large");
    row("NaN", "{\"a\": NaN}", "line 1, column 7: NaN is not a JSON number; use null for unknown");
    row("Infinity", "[Infinity]", "line 1, column 2: Infinity is not a JSON number");
    row("negative Infinity", "[-Infinity]", "line 1, column 3: Infinity is not a JSON number");
    row("invalid UTF-8", "{\"a\": \"\xC3\x28\"}", "line 1, column 9: the text is not valid UTF-8");
    row("overlong UTF-8", "[\"\xC0\xAF\"]", "the text is not valid UTF-8");
    row("surrogate in UTF-8", "[\"\xED\xA0\x80\"]", "the text is not valid UTF-8");
    row("byte order mark", "\xEF\xBB\xBF{}",
        "line 1, column 1: byte order mark; save the file as UTF-8 without one");
    row("line comment", "{\n  // no\n}", "line 2, column 3: JSON does not allow comments; remove it");
    row("block comment", "[1, /* no */ 2]", "line 1, column 5: JSON does not allow comments");
    row("trailing text", "{}\nx", "line 2, column 1: text after the end of the document");
    row("second document", "{} {}", "line 1, column 4: text after the end of the document");
    row("trailing comma", "[1, 2,]", "line 1, column 7: not valid JSON: unexpected ']'");
    row("single quotes", "{'a': 1}", "line 1, column 2: not valid JSON: invalid literal");
    row("leading zero", "[01]", "line 1, column 3: not valid JSON: unexpected number literal");
    row("plus sign", "[+1]", "line 1, column 2: not valid JSON: invalid literal");
    row("open object", "{\"a\": 1", "line 1, column 8: the document ends too early");
    row("open string", "[\"abc", "missing closing quote");
    row("control character", QByteArray("[\"a\x01\"]"), "not valid JSON: invalid string");
    row("NUL byte", QByteArray("[1\0]", 4), "line 1, column 3: NUL byte");
    row("NUL byte behind the document", QByteArray("{}\0x", 4), "line 1, column 3: NUL byte");
    row("UTF-16", QByteArray("\xFF\xFE{\0}\0", 6),
        "line 1, column 4: NUL byte; JSON is text, save the file as UTF-8");
    row("lone surrogate escape", R"(["\ud800"])", "not valid JSON: invalid string");
}

void TestJsonGate::refuses() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, message);
    const std::string said =
        refusal(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    QVERIFY2(said.find(message.toStdString()) != std::string::npos, said.c_str());
    QVERIFY2(said.starts_with("line "), said.c_str());
    for (const char c : said)
        QVERIFY2(c >= ' ' && c <= '~', said.c_str()); // one printable line, whatever the text held
}

void TestJsonGate::accepts_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("same");
    QTest::newRow("kinds") << QByteArray(R"( {"a": [1, -2, 3.5, true, false, null, "x"]} )")
                           << QByteArray(R"({"a":[1,-2,3.5,true,false,null,"x"]})");
    QTest::newRow("scalar") << QByteArray("7") << QByteArray("7");
    QTest::newRow("same key in different objects")
        << QByteArray(R"([{"a": 1}, {"a": {"a": 2}}])") << QByteArray(R"([{"a":1},{"a":{"a":2}}])");
    QTest::newRow("nested arrays") << QByteArray("[[[1],[2]],[]]") << QByteArray("[[[1],[2]],[]]");
    QTest::newRow("largest double") << QByteArray("[1.7976931348623157e308]")
                                    << QByteArray("[1.7976931348623157e+308]");
    QTest::newRow("text") << QByteArray(R"(["\u00e4\ud83d\ude00\n"])")
                          << QByteArray("[\"\xC3\xA4\xF0\x9F\x98\x80\\n\"]");
}

void TestJsonGate::accepts() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, same);
    const auto json = parseJson(text.toStdString());
    QVERIFY2(json, json.error().c_str());
    QCOMPARE(QByteArray::fromStdString(json->dump()), same);
}

void TestJsonGate::limitsAreExact() {
    JsonLimits limits;
    QVERIFY(refusal(nested(64)).empty());
    QCOMPARE(refusal(nested(65)),
             std::string("line 1, column 65: nested deeper than 64 levels; flatten the document"));

    limits.values = 4; // the array and its three elements
    QVERIFY(refusal("[1,2,3]", limits).empty());
    QVERIFY(refusal("[1,2,3,4]", limits).find("line 1, column 9: more than 4 values") == 0);
    QVERIFY(refusal("{\"a\":{\"b\":[]}}", {1000, 64, 2, 100}).find("more than 2 values") !=
            std::string::npos);

    limits = {};
    limits.stringBytes = 3;
    QVERIFY(refusal("[\"abc\"]", limits).empty());
    QCOMPARE(refusal("[\"abcd\"]", limits),
             std::string("line 1, column 2: a string of 4 bytes; the longest is 3"));
    QCOMPARE(refusal("{\"abcd\":1}", limits),
             std::string("line 1, column 2: a string of 4 bytes; the longest is 3"));

    limits = {};
    limits.bytes = 4;
    QVERIFY(refusal("[12]", limits).empty());
    QCOMPARE(refusal("[123]", limits), std::string("line 1, column 1: 5 bytes; the limit is 4"));

    const JsonLimits standard;
    QCOMPARE(standard.bytes, std::size_t(16) << 20);
    QCOMPARE(standard.values, std::size_t(2'000'000));
    QCOMPARE(standard.stringBytes, std::size_t(1) << 20);
}

void TestJsonGate::deepTextIsRefusedAtOnce() {
    for (const std::size_t depth : {100'000u, 1'000'000u})
        QVERIFY(refusal(nested(depth)).find("nested deeper") != std::string::npos);
}

void TestJsonGate::manyObjectsPassInTime() {
    std::string text = "[";
    for (int i = 0; i < 200'000; ++i)
        text += (i == 0 ? "" : ",") + std::string(R"({"name": "x", "value": )") + std::to_string(i) + "}";
    text += "]";
    const std::clock_t start = std::clock();
    const auto json = parseJson(text);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    QVERIFY2(json, json.error().c_str());
    QCOMPARE(json->size(), std::size_t(200'000));
    // CPU time, of which linear work takes about 0.2 s and a quadratic limit 20.
    QVERIFY2(seconds < 5, qPrintable(QString::number(seconds)));
}

void TestJsonGate::manyEmptyArraysAreNotBuilt() {
    std::string text = "[[]";
    while (text.size() < (15u << 20))
        text += ",[],[],[],[],[],[],[],[]";
    text += "]";
    QVERIFY(refusal(text).find("more than 2000000 values") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestJsonGate)

} // namespace tst_json_gate

#include "data/json/json.h"
#include "tst_json_gate.moc"
