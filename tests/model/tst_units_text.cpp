// SPDX-License-Identifier: GPL-3.0-or-later
// The characters and digits below quantities: UTF-8, white space, rounding, exact decimals.
#include "model/units/decimal.h"
#include "model/units/digits.h"
#include "model/units/text.h"
#include "model/units/unit_ladder.h"
#include "model/units/unit_table.h"

#include <QTest>

#include <cmath>

namespace tst_units_text {

using namespace alidade;
using namespace std::string_view_literals;

namespace {

QByteArray bytes(std::string_view text) { return {text.data(), static_cast<qsizetype>(text.size())}; }

/// "digits e exponent of bytes", or the error.
QByteArray decimal(std::string_view text) {
    const Result<Decimal> read = readDecimal(text);
    if (!read)
        return "error: " + QByteArray::fromStdString(read.error());
    return bytes({read->digits.data(), read->length}) + 'e' + QByteArray::number(read->exponent) + " of " +
           QByteArray::number(static_cast<qulonglong>(read->used));
}

} // namespace

/// Below the quantities.
class TestUnitsText : public QObject {
    Q_OBJECT

private slots:
    /// The first and last characters of each length; what is overlong, a surrogate, or beyond the last one.
    void firstCharacter() {
        const auto is = [](std::string_view text, char32_t value, std::size_t length) {
            const CodePoint c = firstCodePoint(text);
            return c.value == value && c.length == length;
        };
        QVERIFY(is("", 0, 0) && is("Ab", 'A', 1) && is("\x7F", 0x7F, 1));
        QVERIFY(is("\xC2\x80", 0x80, 2) && is("\xDF\xBFx", 0x7FF, 2));
        QVERIFY(is("\xE0\xA0\x80", 0x800, 3) && is("\xEF\xBF\xBF", 0xFFFF, 3));
        QVERIFY(is("\xED\x9F\xBF", 0xD7FF, 3) && is("\xEE\x80\x80", 0xE000, 3));
        QVERIFY(is("\xF0\x90\x80\x80", 0x10000, 4) && is("\xF4\x8F\xBF\xBF", 0x10FFFF, 4));
        QVERIFY(is("\xC2\x80"sv.substr(0, 1), 0xFFFD, 1)); // whatever stands behind the text
        for (const std::string_view wrong :
             {"\x80"sv, "\xBF\x80"sv, "\xC1\xBF"sv, "\xC2"sv, "\xC2\x7F"sv, "\xC2\xC0"sv, "\xE0\x9F\xBF"sv,
              "\xE2\x82"sv, "\xE2\x41\x82"sv, "\xE2\x82\x41"sv, "\xED\xA0\x80"sv, "\xED\xBF\xBF"sv,
              "\xF0\x8F\xBF\xBF"sv, "\xF0\x90\x80"sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv, "\xFF"sv})
            QVERIFY2(is(wrong, 0xFFFD, 1), bytes(wrong).toHex());
    }

    void kindsOfCharacters() {
        const auto first = [](bool (*is)(char32_t), std::initializer_list<char32_t> in,
                              std::initializer_list<char32_t> out) {
            return std::all_of(in.begin(), in.end(), is) && std::none_of(out.begin(), out.end(), is);
        };
        QVERIFY(first(isSpace, {' ', '\t', '\n', '\r', 0xA0, 0x2007, 0x2009, 0x202F},
                      {8, 14, 0x1F, 0x21, 0x9F, 0xA1, 0x2006, 0x2008, 0x200A, 0x202E, 0x2030}));
        QVERIFY(first(isDash, {0x2010, 0x2013, 0x2015}, {0x200F, 0x2016, '-', 0x2212}));
        QVERIFY(first(isUnprintable,
                      {0, 0x1F, 0x7F, 0x9F, 0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066,
                       0x2069, 0xFEFF},
                      {0x20, 0x7E, 0xA0, 0x61B, 0x61D, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A, 0xFEFE,
                       0xFF00}));
    }

    void safeTexts() {
        QCOMPARE(bytes(trimmed("\u00A0 a b\u2009\n")), QByteArray("a b"));
        QCOMPARE(bytes(trimmed("ab")), QByteArray("ab"));
        QVERIFY(trimmed(" \n\u00A0").empty() && trimmed("").empty());
        QCOMPARE(printable("a\nb\t\x01\xFFö\u202E", "\n"), std::string("a\nb\uFFFD\uFFFD\uFFFDö\uFFFD"));
        QCOMPARE(printable("\uFFFD\u00A0"), std::string("\uFFFD\u00A0"));
        QCOMPARE(elided("abcdefghijkl", 12), std::string("abcdefghijkl"));
        QCOMPARE(elided("abcdefghijkl", 11),
                 std::string("abcdef…ijkl")); // ten of them, three fifths in front
        QCOMPARE(elided("äbcdefghijkö", 10), std::string("äbcde…ijkö"));
        QCOMPARE(elided("abcd", 3), std::string("a…d"));
        const std::string forty(40, 'x');
        QCOMPARE(alidade::quoted(forty), "'" + forty + "'");
        QCOMPARE(alidade::quoted(forty + "x"), "'" + forty + "…'");
        QCOMPARE(alidade::quoted("a\x01\xFFö"), std::string("'a??ö'"));
    }

    void roundedDigits() {
        const Rounding three;
        QCOMPARE(positional(0, three), std::string("0"));
        QCOMPARE(positional(0.001234, three), std::string("0.00123"));
        QCOMPARE(positional(1.005, {.significant = 1}), std::string("1"));
        QCOMPARE(positional(123.6, three), std::string("124"));
        QCOMPARE(positional(1'234.6, three), std::string("1,235")); // whole digits stay
        QCOMPARE(positional(1'234'567.8, {.significant = 8}), std::string("1,234,567.8"));
        QCOMPARE(positional(999.96, {.significant = 4}), std::string("1,000"));
        QCOMPARE(positional(9.996, three), std::string("10.0"));
        const Rounding cents{.minDecimals = 2, .minDecimalsBelow = 100};
        QCOMPARE(positional(12.34, cents), std::string("12.34"));
        QCOMPARE(positional(12, cents), std::string("12.00"));
        QCOMPARE(positional(0.0234, cents), std::string("0.0234"));
        QCOMPARE(positional(99.994, cents), std::string("99.99"));
        QCOMPARE(positional(99.996, cents), std::string("100")); // rounds to what has no cents
        QCOMPARE(positional(100, cents), std::string("100"));
        QCOMPARE(positional(0, cents), std::string("0"));
        QCOMPARE(positional(80, {.trimZeros = true}), std::string("80"));
        QCOMPARE(positional(80.5, {.significant = 5, .trimZeros = true}), std::string("80.5"));
        QCOMPARE(positional(800, {.trimZeros = true}), std::string("800"));
        const Rounding trimmedCents{.minDecimals = 2, .minDecimalsBelow = 100, .trimZeros = true};
        QCOMPARE(positional(5, trimmedCents), std::string("5.00"));
        QCOMPARE(positional(0.5, trimmedCents), std::string("0.50"));
        QCOMPARE(positional(0.023, trimmedCents), std::string("0.023"));
        QCOMPARE(positional(12.004, {.trimIfWhole = true}), std::string("12"));
        QCOMPARE(positional(12.5, {.significant = 4, .trimIfWhole = true}), std::string("12.50"));
        QCOMPARE(scientific(3.8e25, three), std::string("3.80e25"));
        QCOMPARE(scientific(3.8e25, {.trimZeros = true}), std::string("3.8e25"));
        QCOMPARE(scientific(1e-5, three), std::string("1.00e-5"));
        QCOMPARE(scientific(4e-10, {.trimZeros = true}), std::string("4e-10"));
        QCOMPARE(scientific(1, three), std::string("1.00e0"));
        QCOMPARE(scientific(1e100, {.significant = 1}), std::string("1e100"));
        QCOMPARE(valueOfDigits("1,234.5"), 1234.5);
    }

    void exactDigits() {
        const auto are = [](double x, const char* digits, int point) {
            const ShortestDigits found = shortestDigits(x);
            return found.digits == digits && found.point == point;
        };
        QVERIFY(are(0, "0", 1) && are(5, "5", 1) && are(1200, "12", 4) && are(0.00123, "123", -2) &&
                are(0.1, "1", 0));
        const ShortestDigits dozen{"12", 4};
        QCOMPARE(exactDecimal(dozen, 0), std::string("1200"));
        QCOMPARE(exactDecimal(dozen, -2), std::string("12"));
        QCOMPARE(exactDecimal(dozen, -3), std::string("1.2"));
        QCOMPARE(exactDecimal(dozen, -4), std::string("0.12"));
        QCOMPARE(exactDecimal(dozen, -8), std::string("0.000012"));
        QCOMPARE(exactDecimal(dozen, -9), std::string("1.2e-6"));
        QCOMPARE(exactDecimal(dozen, 17), "12" + std::string(19, '0'));
        QCOMPARE(exactDecimal(dozen, 18), std::string("1.2e21"));
        QCOMPARE(exactDecimal({"5", 1}, 30), std::string("5e30"));
        QCOMPARE(exactDecimal({"0", 1}, 30), std::string("0"));
    }

    void decimals() {
        QCOMPARE(decimal("80 GB"), QByteArray("80e0 of 2"));
        QCOMPARE(decimal("3.35TB"), QByteArray("3.35e0 of 4"));
        QCOMPARE(decimal("5."), QByteArray("5.e0 of 2"));
        QCOMPARE(decimal(".5x"), QByteArray(".5e0 of 2"));
        QCOMPARE(decimal("1,234,567.25e-3 s"), QByteArray("1234567.25e-3 of 15"));
        QCOMPARE(decimal("1\u202F000"), QByteArray("1000e0 of 7"));
        QCOMPARE(decimal("1E+12"), QByteArray("1e12 of 5"));
        QCOMPARE(decimal("1e99998"), QByteArray("1e99998 of 7"));
        QCOMPARE(decimal("1e-1234567"), QByteArray("1e-99999 of 10"));
        for (const char* unit : {"1e", "1ex", "1e-", "1e+x", "1E"})
            QCOMPARE(decimal(unit), QByteArray("1e0 of 1")); // an exponent has digits
        QCOMPARE(decimal("12, 3"), QByteArray("12e0 of 2")); // a comma before a space separates no digits
        QCOMPARE(decimal("12,"), QByteArray("12e0 of 2"));
        QVERIFY(decimal("").startsWith("error: does not begin"));
        QVERIFY(decimal("x1").startsWith("error: does not begin"));
        QVERIFY(decimal(" 1").startsWith("error: does not begin"));
        QCOMPARE(decimal(".x"), QByteArray("error: has a point without digits"));
        QCOMPARE(decimal("1..2"), QByteArray("error: has two decimal points"));
        for (const char* comma : {"1,23", "1,2345", "1234,567", "0,123", "012,345", "1.5,000", "1,234,56"})
            QVERIFY2(decimal(comma).startsWith("error: has a comma"), comma);
        for (const char* space : {"1 23", "1 2345", "1234 567", "0 123", "1.5 000", "1\n000", "1,234 567"})
            QVERIFY2(decimal(space).startsWith("error: has a space"), space);
        for (const char* other : {"1'000", "1_000"})
            QVERIFY2(decimal(other).startsWith("error: has a character"), other);
        QCOMPARE(decimal("999,999"), QByteArray("999999e0 of 7"));
        QCOMPARE(decimal("100 000"), QByteArray("100000e0 of 7"));
        QCOMPARE(decimal(std::string(200, '7')), QByteArray(128, '7') + "e0 of 128");
        QVERIFY(readDecimal("0.00e5")->isZero() && !readDecimal("0.01")->isZero() &&
                !readDecimal("9")->isZero());
        QCOMPARE(readDecimal("3.35")->toDouble(12), std::optional(3.35e12));
        QCOMPARE(readDecimal("0e99999")->toDouble(5), std::optional(0.0));
        QVERIFY(!readDecimal("1e300")->toDouble(9) && readDecimal("1e300")->isLarge(9));
        QVERIFY(!readDecimal("1e-320")->toDouble(-9) && !readDecimal("1e-320")->isLarge(-9));
        // Many digits before the point are large whatever the exponent looks like, and few after it small.
        QVERIFY(readDecimal("100e-2")->isLarge(0) && !readDecimal("100e-3")->isLarge(0));
        QVERIFY(readDecimal("1.00")->isLarge(0) && !readDecimal("1.00")->isLarge(-1));
    }

    void quantities() {
        QCOMPARE((gigabytes(80) / BytesPerSecond::si(4e9)).si(), 20.0);
        QCOMPARE((Flop::si(6) / FlopPerSecond::si(2)).si(), 3.0);
        QCOMPARE((Bytes::si(6) / Seconds::si(2)).si(), 3.0);
        QCOMPARE((Flop::si(6) / Seconds::si(4)).si(), 1.5);
        QCOMPARE((BytesPerSecond::si(6) * Seconds::si(4)).si(), 24.0);
        QCOMPARE((DollarsPerHour::si(6) * hours(4)).si(), 24.0);
        QCOMPARE((2.0 * Bytes::si(5) + Bytes::si(4) - Bytes::si(1)).si(), 13.0);
        QCOMPARE((Bytes::si(5) * 4 / 2).si(), 10.0);
        QCOMPARE(Bytes::si(5) / Bytes::si(2), 2.5);
        QVERIFY(Bytes::si(5) < Bytes::si(6) && Bytes() == Bytes::si(0));
    }

    /// A unit is used from its own size on, days from two; what is smaller than the first has the first, and
    /// nothing the one without a prefix.
    void ladders() {
        const auto unit = [](Dimension dimension, double value, bool binary = false) {
            return bytes(rungFor(unitLadder(dimension, binary), value).unit.label);
        };
        using D = Dimension;
        QCOMPARE(unit(D::seconds, 1e-12), QByteArray("ns"));
        QCOMPARE(unit(D::seconds, 0.99e-6), QByteArray("ns"));
        QCOMPARE(unit(D::seconds, 1e-6), QByteArray("µs"));
        QCOMPARE(unit(D::seconds, 0), QByteArray("s"));
        QCOMPARE(unit(D::seconds, 119.9), QByteArray("s"));
        QCOMPARE(unit(D::seconds, 120), QByteArray("min"));
        QCOMPARE(unit(D::seconds, 7199), QByteArray("min"));
        QCOMPARE(unit(D::seconds, 7200), QByteArray("h"));
        QCOMPARE(unit(D::seconds, 172'799), QByteArray("h"));
        QCOMPARE(unit(D::seconds, 172'800), QByteArray("days"));
        QCOMPARE(unit(D::seconds, 1e12), QByteArray("days"));
        QCOMPARE(unit(D::bytes, 999), QByteArray("B"));
        QCOMPARE(unit(D::bytes, 1023, true), QByteArray("B"));
        QCOMPARE(unit(D::bytesPerSecond, 0x1p30, true), QByteArray("GiB/s"));
        QCOMPARE(bytes(baseRung(unitLadder(D::ratio, false)).unit.label), QByteArray("%"));
        QCOMPARE(bytes(baseRung(unitLadder(D::seconds, false)).unit.label), QByteArray("s"));
    }

    /// What a person may write, as one text.
    void canonicalUnits() {
        for (const auto& [written, canonical] :
             {std::pair("  GB / s ", "GB/s"), std::pair("GB per  s", "GB/s"), std::pair("µs", "us"),
              std::pair("μs", "us"), std::pair("per hour", "/hour"), std::pair("T \u00A0 tokens", "T tokens"),
              std::pair("a / b per c", "a/b/c"), std::pair("person", "person"), std::pair("", ""),
              std::pair("per", "per"), std::pair("x  /  y", "x/y")})
            QCOMPARE(QByteArray::fromStdString(canonicalUnit(written)), QByteArray(canonical));
    }

    void meaningsOfUnits() {
        using D = Dimension;
        const auto is = [](const char* text, D expected, D dimension, double factor) {
            const auto unit = findUnit(text, expected);
            return unit && unit->dimension == dimension &&
                   std::abs(std::pow(10.0, unit->exponent) * unit->multiply / unit->divide / factor - 1) <
                       1e-12;
        };
        QVERIFY(is("B", D::bytes, D::bytes, 1) && is("B", D::number, D::number, 1e9));
        QVERIFY(is("Gb", D::bytes, D::bytes, 1.25e8) && findUnit("Gb", D::bytes)->shortBits);
        QVERIFY(is("Gbit", D::bytes, D::bytes, 1.25e8) && !findUnit("Gbit", D::bytes)->shortBits);
        QVERIFY(is("Gbps", D::bytesPerSecond, D::bytesPerSecond, 1.25e8));
        QVERIFY(is("%", D::ratio, D::ratio, 0.01) && is("$/min", D::dollarsPerHour, D::dollarsPerHour, 60));
        QVERIFY(is("$/h", D::dollarsPerHour, D::dollarsPerHour, 1) &&
                is("$/d", D::dollarsPerHour, D::dollarsPerHour, 1 / 24.0));
        QVERIFY(is("$/week", D::dollarsPerHour, D::dollarsPerHour, 1 / 168.0) &&
                is("M/h", D::dollarsPerHour, D::dollarsPerHour, 1e6));
        QVERIFY(is("tokens/min", D::tokensPerSecond, D::tokensPerSecond, 1 / 60.0));
        QVERIFY(is("FLOP/B", D::flopPerByte, D::flopPerByte, 1) && !findUnit("FLOP/kB", D::flopPerByte));
        QVERIFY(!findUnit("FLOP/Bps", D::flopPerByte) && !findUnit("B/B", D::bytes) &&
                !findUnit("s/s", D::seconds));
        QVERIFY(!findUnit("GB/ms", D::bytesPerSecond) && !findUnit("Bps/s", D::bytesPerSecond) &&
                !findUnit("W/s", D::watts));
        QVERIFY(findUnit("M", D::number)->multiplierOnly && !findUnit("", D::number)->multiplierOnly);
        QVERIFY(is("Ki", D::tokens, D::number, 1024) && is("Mi tokens", D::tokens, D::tokens, 1048576));
        QVERIFY(!findUnit("Mi  tokens", D::tokens) && !findUnit("x", D::number) &&
                !findUnit("MM", D::number));
        QCOMPARE(unitsOfOtherCase("gb", D::bytes), std::string("GB"));
        QCOMPARE(unitsOfOtherCase("gb/S", D::bytesPerSecond), std::string("GB/s or Gb/s"));
        QCOMPARE(unitsOfOtherCase("m TOKENS", D::tokens), std::string("M tokens"));
        QCOMPARE(unitsOfOtherCase("t", D::tokens), std::string("T"));
        QCOMPARE(unitsOfOtherCase("GB", D::bytes), std::string());
        QCOMPARE(unitsOfOtherCase("zz", D::bytes), std::string());
        for (const D each : {D::number, D::tokens, D::dollars, D::dollarsPerHour, D::tokensPerSecond})
            QVERIFY(takesMultipliers(each));
        for (const D each : {D::ratio, D::bytes, D::seconds, D::flop, D::watts})
            QVERIFY(!takesMultipliers(each));
    }
};

QTEST_APPLESS_MAIN(TestUnitsText)

} // namespace tst_units_text

#include "tst_units_text.moc"
