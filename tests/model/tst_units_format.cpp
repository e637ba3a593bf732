// SPDX-License-Identifier: GPL-3.0-or-later
// Quantities as text: for reading, for a column, and for editing; printing and reading undo each other.
#include "model/units/dimension.h"
#include "model/units/format.h"
#include "model/units/parse.h"
#include "tests/model/units_german_locale.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tst_units_format {

using namespace alidade;
using D = Dimension;

namespace {

struct Printed {
    double si;
    D dimension;
    const char* text;
    FormatOptions options = {};
};

constexpr FormatOptions binary{.binary = true};
constexpr FormatOptions trimmedZeros{.trimZeros = true};

// clang-format off
const Printed printed[] = {
    {3.35e12, D::bytesPerSecond, "3.35 TB/s"},
    {400e9, D::bytesPerSecond, "400 GB/s"},
    {75.2e9, D::bytes, "75.2 GB"},
    {80e9, D::bytes, "80.0 GB"},
    {80e9, D::bytes, "80 GB", trimmedZeros},
    {85'899'345'920.0, D::bytes, "80.0 GiB", binary},
    {512, D::bytes, "512 B"},
    {0, D::bytes, "0 B"},
    {999'999, D::bytes, "1.00 MB"},
    {1e30, D::bytes, "1.00e30 B"},
    {6.13, D::seconds, "6.13 s"},
    {73.3 * 86400, D::seconds, "73.3 days"},
    {25e-6, D::seconds, "25.0 µs"},
    {1.7e-3, D::seconds, "1.70 ms"},
    {40e-9, D::seconds, "40.0 ns"},
    {1e-14, D::seconds, "1.00e-14 s"},
    {119.9, D::seconds, "2.00 min"},
    {119.4, D::seconds, "119 s"},
    {119.58, D::seconds, "2.00 min"},  // and not 1.99 min: it rounds to 120 s
    {7175.19, D::seconds, "2.00 h"},
    {1800, D::seconds, "30.0 min"},
    {5 * 3600, D::seconds, "5.00 h"},
    {-0.83, D::seconds, "−830 ms"},
    {989.5e12, D::flopPerSecond, "990 TFLOP/s"},
    {989.5e12, D::flopPerSecond, "989.5 TFLOP/s", {.significant = 4}},
    {761.9, D::dollars, "$761.90", {.significant = 5}},
    {3.8e25, D::flop, "3.80e25 FLOP"},
    {295.4, D::flopPerByte, "295 FLOP/byte"},
    {12'345.6, D::flopPerByte, "12,346 FLOP/byte"},
    {198.4e6, D::dollars, "$198 M"},
    {1.18e6, D::dollars, "$1.18 M"},
    {851.3, D::dollars, "$851"},
    {6164.4, D::dollars, "$6,164"},
    {0.023, D::dollars, "$0.023"},
    {5, D::dollars, "$5.00"},
    {99.999, D::dollars, "$100"},
    {0, D::dollars, "$0"},
    {-1.2e9, D::dollars, "−$1.20 B"},
    {55.04, D::dollarsPerHour, "$55.04/h"},
    {113.933, D::dollarsPerHour, "$113.93/h"},
    {999.996, D::dollarsPerHour, "$1,000/h"},
    {1.2e6, D::dollarsPerHour, "$1.20 M/h"},
    {0.426, D::ratio, "42.6 %"},
    {1, D::ratio, "100 %"},
    {-0.35, D::ratio, "−35.0 %"},
    {0.1234567, D::ratio, "12.3 %"},
    {16'384, D::number, "16,384"},
    {2048, D::number, "2,048"},
    {1.25, D::number, "1.25"},
    {12.004, D::number, "12"},
    {405'853'388'800.0, D::number, "406 B"},
    {8192, D::tokens, "8,192 tokens"},
    {15.6e12, D::tokens, "15.6 T tokens"},
    {2.7e6, D::tokensPerSecond, "2.70 M tokens/s"},
    {10.2e3, D::watts, "10.2 kW"},
    {1.2e6, D::wattHours, "1.20 MWh"},
    {std::numeric_limits<double>::quiet_NaN(), D::bytes, "–"},
    {-std::numeric_limits<double>::infinity(), D::dollars, "–"},
    {123e6, D::bytes, "0.123 GB", {.fixed = ScaledUnit{1e9, "GB"}}},
    {1.2e12, D::bytes, "1,200 GB", {.fixed = ScaledUnit{1e9, "GB"}}},
    {50e9, D::bytesPerSecond, "400 Gbps", {.fixed = ScaledUnit{1.25e8, "Gbps"}}},
    {198.4e6, D::dollars, "198 M$", {.fixed = ScaledUnit{1e6, "M$"}}},
};

struct Edited {
    double si;
    D dimension;
    const char* text;
};
const Edited edited[] = {
    {80e9, D::bytes, "80 GB"},
    {85'899'345'920.0, D::bytes, "80 GiB"},
    {3.35e12, D::bytesPerSecond, "3.35 TB/s"},
    {989.5e12, D::flopPerSecond, "989.5 TFLOP/s"},
    {6.13, D::seconds, "6.13 s"},
    {25e-6, D::seconds, "25 µs"},
    {7200, D::seconds, "2 h"},
    {86400, D::seconds, "1 day"},
    {604'800, D::seconds, "7 days"},
    {90, D::seconds, "90 s"},
    {1.2e6, D::dollars, "$1.2 M"},
    {-5, D::dollars, "-$5"},
    {98.32, D::dollarsPerHour, "$98.32/h"},
    {0.85, D::ratio, "85 %"},
    {0, D::ratio, "0 %"},
    {2048, D::number, "2048"},
    {0.1, D::number, "0.1"},
    {15.6e12, D::tokens, "15.6 T tokens"},
    {0, D::bytes, "0 B"},
};
// clang-format on

/// Spread evenly over the orders of magnitude from 1e-3 to 1e18, with all bits of the mantissa in use.
double randomValue(std::mt19937_64& random) {
    return std::pow(10.0, std::uniform_real_distribution<double>(-3, 18)(random));
}

std::string someTexts() {
    return formatQuantity(1234.5, D::flopPerByte, {.significant = 5}) + " " + editText(1234.5, D::number);
}

void addDimensions() {
    QTest::addColumn<int>("dimension");
    for (const D dimension : allDimensions)
        QTest::addRow("%s", dimensionName(dimension).data()) << int(dimension);
}

} // namespace

class TestUnitsFormat : public QObject {
    Q_OBJECT
private slots:
    void prints_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < int(std::size(printed)); ++i)
            QTest::addRow("%d: %s", i, printed[i].text) << i;
    }
    void prints() {
        QFETCH(int, index);
        const Printed& row = printed[index];
        QCOMPARE(QString::fromStdString(formatQuantity(row.si, row.dimension, row.options)),
                 QString::fromUtf8(row.text));
    }

    void numberAndUnitApart() {
        const Formatted price = formatParts(1.2e6, D::dollarsPerHour);
        QCOMPARE(price.number, std::string("$1.20"));
        QCOMPARE(price.unit, std::string("M/h"));
        QCOMPARE(formatParts(16'384, D::number).unit, std::string());
        QCOMPARE(format(hours(5)), std::string("5.00 h"));
    }

    void editTexts_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < int(std::size(edited)); ++i)
            QTest::addRow("%s", edited[i].text) << i;
    }
    void editTexts() {
        QFETCH(int, index);
        const Edited& row = edited[index];
        QCOMPARE(QString::fromStdString(editText(row.si, row.dimension)), QString::fromUtf8(row.text));
    }

    void editTextOfNothing() { QVERIFY(editText(std::numeric_limits<double>::infinity(), D::bytes).empty()); }

    void readingAnEditTextGivesTheSameDouble_data() { addDimensions(); }
    void readingAnEditTextGivesTheSameDouble() {
        QFETCH(int, dimension);
        std::mt19937_64 random(20260919);
        for (int i = 0; i < 10'000; ++i) {
            const double value = randomValue(random);
            const std::string text = editText(value, D(dimension));
            const auto again = parseQuantity(text, D(dimension));
            QVERIFY2(again, again.error().c_str());
            QVERIFY2(*again == value, text.c_str());
            const Formatted parts = editParts(value, D(dimension));
            const auto fromParts = parseQuantity(parts.number, D(dimension), parts.unit);
            QVERIFY2(fromParts && *fromParts == value, text.c_str());
        }
    }

    void readingAPrintedTextIsWithinItsLastDigit_data() { addDimensions(); }
    void readingAPrintedTextIsWithinItsLastDigit() {
        QFETCH(int, dimension);
        std::mt19937_64 random(405);
        for (int i = 0; i < 3000; ++i) {
            const double value = randomValue(random);
            const FormatOptions options{.binary = i % 2 == 1, .trimZeros = i % 3 == 1};
            const std::string text = formatQuantity(value, D(dimension), options);
            const auto again = parseQuantity(text, D(dimension));
            QVERIFY2(again, again.error().c_str());
            QVERIFY2(std::abs(*again - value) <= 0.00501 * value, text.c_str());
            QCOMPARE(formatQuantity(*again, D(dimension), options), text);
        }
    }

    void printingIsStableNextToEveryChangeOfUnit_data() { addDimensions(); }
    void printingIsStableNextToEveryChangeOfUnit() {
        QFETCH(int, dimension);
        const bool time = D(dimension) == D::seconds;
        const std::vector<double> units =
            time ? std::vector{1.0, 60.0, 3600.0, 86400.0} : std::vector{1.0, 0x1p10, 0x1p30};
        for (const double unit : units)
            for (int power = -12; power <= 26; ++power)
                for (const double near : {0.99949, 0.99951, 0.999951, 0.99999951, 1.0, 1.00051})
                    for (const int significant : {1, 3, 4, 15}) {
                        const double value = unit * std::pow(10.0, power) * near;
                        const FormatOptions options{.significant = significant, .binary = unit == 0x1p10};
                        const std::string text = formatQuantity(value, D(dimension), options);
                        const auto again = parseQuantity(text, D(dimension));
                        QVERIFY2(again, again.error().c_str());
                        QCOMPARE(formatQuantity(*again, D(dimension), options), text);
                    }
    }

    void oneUnitForAColumn() {
        QCOMPARE(chooseUnit(D::bytes, 75.2e9).label, std::string_view("GB"));
        QCOMPARE(chooseUnit(D::bytes, -75.2e9, true).label, std::string_view("GiB"));
        QCOMPARE(chooseUnit(D::seconds, 0).label, std::string_view("s"));
        QCOMPARE(chooseUnit(D::seconds, std::nan("")).label, std::string_view("s"));
        QCOMPARE(chooseUnit(D::dollars, 198e6).label, std::string_view("M$"));
    }

    void labelsOfColumnsAreUnits_data() { addDimensions(); }
    void labelsOfColumnsAreUnits() {
        QFETCH(int, dimension);
        for (int power = -10; power <= 20; ++power)
            for (const bool binaryUnits : {false, true}) {
                const ScaledUnit unit = chooseUnit(D(dimension), std::pow(10.0, power) * 1.5, binaryUnits);
                if (unit.label.empty())
                    continue;
                const auto one = parseQuantity("1", D(dimension), unit.label);
                QVERIFY2(one, one.error().c_str());
                QVERIFY2(*one == unit.factor, unit.label.data());
            }
    }

    void localeChangesNothing() {
        const GermanLocale german;
        QCOMPARE(someTexts(), std::string("1,234.5 FLOP/byte 1234.5"));
    }
};

QTEST_APPLESS_MAIN(TestUnitsFormat)

} // namespace tst_units_format

#include "tst_units_format.moc"
