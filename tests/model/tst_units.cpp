// SPDX-License-Identifier: GPL-3.0-or-later
// A person's text becomes a quantity: what is accepted with its exact value, and what is refused with what
// reason.
#include "model/units/dimension.h"
#include "model/units/parse.h"
#include "tests/model/units_german_locale.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tst_units {

using namespace alidade;
using D = Dimension;

namespace {

struct Accepted {
    const char* text;
    D dimension;
    double si;
    const char* bareUnit = "";
};

// clang-format off
constexpr Accepted accepted[] = {
    // Memory: powers of 1000 and of 1024 are different things.
    {"80 GB", D::bytes, 80e9},
    {"80GB", D::bytes, 80e9},
    {"80 GiB", D::bytes, 85'899'345'920.0},
    {"141 GB", D::bytes, 141e9},
    {"30.72 TB", D::bytes, 30.72e12},
    {"512 B", D::bytes, 512},
    {"512", D::bytes, 512},
    {"512 bytes", D::bytes, 512},
    {"1 byte", D::bytes, 1},
    {"50 MiB", D::bytes, 52'428'800.0},
    {"1.5 TiB", D::bytes, 1'649'267'441'664.0},
    {"2 PiB", D::bytes, 2'251'799'813'685'248.0},
    {"64 Gbit", D::bytes, 8e9},
    {"80", D::bytes, 80e9, "GB"},
    {"80", D::bytes, 85'899'345'920.0, "GiB"},
    {"80 MB", D::bytes, 80e6, "GB"},
    {"0 GB", D::bytes, 0},
    {"-0 GB", D::bytes, 0},
    // Bandwidth: b is bits, B is bytes.
    {"400 Gbps", D::bytesPerSecond, 50e9},
    {"400Gb/s", D::bytesPerSecond, 50e9},
    {"400 Gbit/s", D::bytesPerSecond, 50e9},
    {"3,200 Gbps", D::bytesPerSecond, 400e9},
    {"50 GB/s", D::bytesPerSecond, 50e9},
    {"50 GBps", D::bytesPerSecond, 50e9},
    {"50 GB per second", D::bytesPerSecond, 50e9},
    {"50 GB / s", D::bytesPerSecond, 50e9},
    {"3.35 TB/s", D::bytesPerSecond, 3.35e12},
    {"14.4TB/s", D::bytesPerSecond, 14.4e12},
    {"1 GiB/s", D::bytesPerSecond, 1'073'741'824.0},
    {"3600 MB/h", D::bytesPerSecond, 1e6},
    {"900", D::bytesPerSecond, 900e9, "GB/s"},
    {"100", D::bytesPerSecond, 12.5e9, "Gbps"},
    // Computation and its rate: FLOPs are operations, FLOPS and FLOP/s are operations per second.
    {"989.5 TFLOP/s", D::flopPerSecond, 989.5e12},
    {"989.5 TFLOPS", D::flopPerSecond, 989.5e12},
    {"2.25 PFLOP/s", D::flopPerSecond, 2.25e15},
    {"1e15", D::flopPerSecond, 1e15},
    {"1E+15 FLOP/s", D::flopPerSecond, 1e15},
    {"1.44 EFLOPS", D::flopPerSecond, 1.44e18},
    {"3.8e25 FLOP", D::flop, 3.8e25},
    {"2.5 PFLOPs", D::flop, 2.5e15},
    {"295 FLOP/byte", D::flopPerByte, 295},
    {"295 FLOP/B", D::flopPerByte, 295},
    // Time.
    {"6.13 s", D::seconds, 6.13},
    {"25 µs", D::seconds, 25e-6},      // U+00B5
    {"25 μs", D::seconds, 25e-6},      // U+03BC
    {"25us", D::seconds, 25e-6},
    {"1.7 ms", D::seconds, 1.7e-3},
    {"40 ns", D::seconds, 40e-9},
    {"30 min", D::seconds, 1800},
    {"2 h", D::seconds, 7200},
    {"7 d", D::seconds, 604'800},
    {"73.3 days", D::seconds, 73.3 * 86400},
    {"1 week", D::seconds, 604'800},
    {"15", D::seconds, 15e-6, "µs"},
    // Money.
    {"$1.2 M", D::dollars, 1.2e6},
    {"$1.2M", D::dollars, 1.2e6},
    {"1.2 M$", D::dollars, 1.2e6},
    {"1.2 M USD", D::dollars, 1.2e6},
    {"USD 98.32", D::dollars, 98.32},
    {"US$ 2 B", D::dollars, 2e9},
    {"-$5", D::dollars, -5},
    {"$-5", D::dollars, -5},
    {"40 k", D::dollars, 40e3},
    {"$98.32/h", D::dollarsPerHour, 98.32},
    {"98.32 USD/h", D::dollarsPerHour, 98.32},
    {"$98.32 per hour", D::dollarsPerHour, 98.32},
    {"$48/day", D::dollarsPerHour, 2},
    {"$1.2 M/h", D::dollarsPerHour, 1.2e6},
    {"98.32", D::dollarsPerHour, 98.32},
    {"98.32/h", D::dollarsPerHour, 98.32},
    {"$40", D::dollarsPerHour, 40, "$/h"},
    {"$1.5", D::dollarsPerHour, 1.5e6, "M/h"},
    // Power and energy.
    {"700 W", D::watts, 700},
    {"10.2 kW", D::watts, 10.2e3},
    {"950 kWh", D::wattHours, 950e3},
    {"1.2 MWh", D::wattHours, 1.2e6},
    // Tokens and counts: B is 1e9, k is 1000 and Ki is 1024.
    {"15.6 T", D::tokens, 15.6e12},
    {"15.6T tokens", D::tokens, 15.6e12},
    {"15.6 T tokens", D::tokens, 15.6e12},
    {"8k", D::tokens, 8000},
    {"128 Ki", D::tokens, 131'072},
    {"8,192 tokens", D::tokens, 8192},
    {"2.7 M tokens/s", D::tokensPerSecond, 2.7e6},
    {"950 tok/s", D::tokensPerSecond, 950},
    {"60 tokens/min", D::tokensPerSecond, 1},
    {"2,048", D::number, 2048},
    {"2 048", D::number, 2048},
    {"16\u202F384", D::number, 16'384},  // narrow no-break space
    {"1\u00A0000\u00A0000", D::number, 1e6}, // no-break space
    {"1,234,567.5", D::number, 1'234'567.5},
    {"405B", D::number, 405e9},
    {".5", D::number, 0.5},
    {"-35", D::number, -35},
    {"\u221235", D::number, -35},        // minus sign
    {"+3", D::number, 3},
    {" \t42\u00A0", D::number, 42},
    {"0.1", D::number, 0.1},
    // Ratios.
    {"85 %", D::ratio, 0.85},
    {"85%", D::ratio, 0.85},
    {"0.85", D::ratio, 0.85},
    {"-35 %", D::ratio, -0.35},
    {"120 %", D::ratio, 1.2},
    {"85", D::ratio, 0.85, "%"},
};

struct Refused {
    const char* text;
    D dimension;
    const char* reason; ///< the message must contain this
    const char* bareUnit = "";
};

constexpr Refused refused[] = {
    // Nothing, or no number.
    {"", D::bytes, "empty"},
    {"   ", D::bytes, "empty"},
    {"\u00A0", D::number, "empty"},
    {"GB", D::bytes, "does not begin with a number"},
    {"eighty GB", D::bytes, "does not begin with a number"},
    {"~80 GB", D::bytes, "does not begin with a number"},
    {".", D::number, "point without digits"},
    {"-", D::number, "does not begin with a number"},
    {"$", D::dollars, "does not begin with a number"},
    {"--5", D::number, "does not begin with a number"},
    {"0x10", D::number, "unknown unit"},
    {"nan", D::number, "not a finite number"},
    {"NaN GB", D::bytes, "not a finite number"},
    {"inf", D::seconds, "not a finite number"},
    {"-Infinity", D::number, "not a finite number"},
    {"∞", D::seconds, "not a finite number"},
    // Digits in a doubtful order.
    {"3,35 TB/s", D::bytesPerSecond, "point"},
    {"1,23", D::number, "groups of three"},
    {"1234,567", D::number, "groups of three"},
    {"0,350", D::number, "groups of three"},
    {"1.234,5", D::number, "groups of three"},
    {"1,234,56", D::number, "groups of three"},
    {"1,234 567", D::number, "groups of three"},
    {"1 23", D::number, "groups of three"},
    {"12 34 GB", D::bytes, "groups of three"},
    {"3.5 5", D::number, "groups of three"},
    {"1'000", D::number, "2,048"},
    {"1_000", D::number, "2,048"},
    {"2\n048", D::number, "groups of three"},
    {"1.2.3", D::number, "two decimal points"},
    {"1.5e3.2", D::number, "two decimal points"},
    {"1e5..6", D::number, "range"},
    {"2*10", D::number, "calculation"},
    {"10^15", D::flop, "1e15"},
    {"2×10", D::number, "calculation"},
    {"5 - 6 s", D::seconds, "range"},
    {"5.6 – 6.9 s", D::seconds, "range"},
    {"–5", D::number, "dash"},                       // en dash
    {"1e", D::number, "unknown unit"},
    // Out of range.
    {"1e999", D::number, "too large"},
    {"1e300 EB", D::bytes, "too large"},
    {"1e99999999999999999999", D::number, "too large"},
    {"1e-999 s", D::seconds, "too small"},
    {"-80 GB", D::bytes, "below zero"},
    {"-1 s", D::seconds, "below zero"},
    {"\u22121 s", D::seconds, "below zero"},
    {"-400 Gbps", D::bytesPerSecond, "below zero"},
    {"-$98/h", D::dollarsPerHour, "below zero"},
    // Bits and bytes, upper and lower case.
    {"80 Gb", D::bytes, "write GB for bytes or Gbit for bits"},
    {"80 gb", D::bytes, "write GB"},
    {"80 gib", D::bytes, "write GiB"},
    {"80 KB", D::bytes, "kB (1000) or KiB (1024)"},
    {"400 gbps", D::bytesPerSecond, "Gbps"},
    {"50 gb/s", D::bytesPerSecond, "GB/s or Gb/s"},
    {"50 GB/S", D::bytesPerSecond, "write GB/s"},
    {"10 KW", D::watts, "write kW"},
    {"700 w", D::watts, "write W"},
    {"5 mW", D::watts, "write MW"},
    {"990 tflops", D::flopPerSecond, "write TFLOPS"},
    {"2 Ms", D::seconds, "write ms"},
    {"15 t", D::tokens, "write T"},
    {"1.2 m", D::dollars, "write M"},
    {"5 USd", D::dollars, "write USD"},
    // Another dimension.
    {"400 Gbps", D::bytes, "is a bandwidth; a memory size is expected here, for example 80 GB or 80 GiB."},
    {"800 GB", D::bytesPerSecond, "is a memory size"},
    {"800 Gb", D::bytesPerSecond, "is a memory size"},
    {"989 TFLOPs", D::flopPerSecond, "is an amount of computation"},
    {"989 TFLOPS", D::flop, "is a compute rate"},
    {"$98.32", D::dollarsPerHour, "is an amount of money"},
    {"$98.32", D::bytes, "is an amount of money", "GB"},
    {"$98.32/h", D::dollars, "is a price per hour"},
    {"5 kW", D::wattHours, "is a power"},
    {"5 kWh", D::watts, "is an energy"},
    {"2 h", D::number, "is a time"},
    {"85 %", D::number, "is a ratio"},
    {"80 GB", D::ratio, "is a memory size"},
    {"15 T tokens", D::number, "is a number of tokens"},
    {"900 tokens", D::tokensPerSecond, "is a number of tokens"},
    {"295 FLOP/byte", D::flop, "is an arithmetic intensity"},
    // No unit, half a unit, too much of it.
    {"80 G", D::bytes, "multiplier G without a unit"},
    {"400 T", D::bytesPerSecond, "multiplier T without a unit"},
    {"80 GB of HBM", D::bytes, "unknown unit"},
    {"80 GB 5", D::bytes, "unknown unit"},
    {"5, GB", D::bytes, "unknown unit"},
    {"1 h 30 min", D::seconds, "unknown unit"},
    {"50 GB/s/s", D::bytesPerSecond, "unknown unit"},
    {"50 GB//s", D::bytesPerSecond, "unknown unit"},
    {"50 kGB", D::bytes, "unknown unit"},
    {"5 kh", D::seconds, "unknown unit"},
    {"400 Gbps/s", D::bytesPerSecond, "unknown unit"},
    {"12 k/s", D::tokensPerSecond, "unknown unit"},
    {"$5 USD", D::dollars, "unknown unit"},
    {"8 \xFF\xC0", D::bytes, "'8 ?\?' has an unknown unit"},
    {"5 m", D::seconds, "min or ms"},
    {"3 months", D::seconds, "no fixed length"},
    {"$900/month", D::dollarsPerHour, "no fixed length"},
    {"5 €", D::dollars, "US dollars"},
    {"85", D::ratio, "% sign"},
};
// clang-format on

std::vector<double> readAllAccepted() {
    std::vector<double> values;
    for (const Accepted& row : accepted) {
        const auto value = parseQuantity(row.text, row.dimension, row.bareUnit);
        values.push_back(value ? *value : std::numeric_limits<double>::max());
    }
    return values;
}

} // namespace

class TestUnits : public QObject {
    Q_OBJECT
private slots:
    void accepts_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < int(std::size(accepted)); ++i)
            QTest::addRow("%s as %s", accepted[i].text, dimensionName(accepted[i].dimension).data()) << i;
        static_assert(std::size(accepted) >= 60);
    }
    void accepts() {
        QFETCH(int, index);
        const Accepted& row = accepted[index];
        const auto value = parseQuantity(row.text, row.dimension, row.bareUnit);
        QVERIFY2(value, value.error().c_str());
        QVERIFY2(*value == row.si, qPrintable(QString::number(*value, 'g', 17)));
        QVERIFY(!std::signbit(*value) || *value < 0);
    }

    void refuses_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < int(std::size(refused)); ++i)
            QTest::addRow("%d: %s as %s", i, refused[i].text, dimensionName(refused[i].dimension).data())
                << i;
        static_assert(std::size(refused) >= 60);
    }
    void refuses() {
        QFETCH(int, index);
        const Refused& row = refused[index];
        const auto value = parseQuantity(row.text, row.dimension, row.bareUnit);
        QVERIFY2(!value, "accepted");
        const std::string& message = value.error();
        QVERIFY2(message.find(row.reason) != std::string::npos, message.c_str());
        const bool saysWhatIsRight = message.find("; write ") != std::string::npos ||
                                     message.find(unitExamples(row.dimension)) != std::string::npos;
        QVERIFY2(saysWhatIsRight, message.c_str());
        QVERIFY2(message.ends_with('.') && QString::fromStdString(message).toStdString() == message,
                 message.c_str());
    }

    void examplesOfMessagesAreAccepted() {
        for (const D dimension : allDimensions) {
            const QString examples = QString::fromUtf8(unitExamples(dimension).data());
            for (const QString& example : examples.split(QStringLiteral(" or ")))
                QVERIFY2(parseQuantity(example.toStdString(), dimension), qPrintable(example));
        }
    }

    void baseUnitsAreUnits() {
        for (const D dimension : allDimensions) {
            const auto value = parseQuantity("0.5", dimension, baseUnitName(dimension));
            QVERIFY2(value, value.error().c_str());
            QCOMPARE(*value, 0.5);
            QVERIFY(!dimensionName(dimension).empty());
        }
    }

    void typedParsing() {
        QCOMPARE(parse<BytesPerSecond>("400 Gbps")->si(), 5e10);
        QCOMPARE(parse<Bytes>("80", "GiB")->si(), 80 * 1073741824.0);
        QVERIFY(parse<Bytes>("400 Gbps").error().find("bandwidth") != std::string::npos);
    }

    void longTextIsRefusedAndCutInTheMessage() {
        const auto value = parseQuantity(std::string(100'000, '7'), D::bytes);
        QVERIFY(!value);
        QVERIFY2(value.error().find("too long") != std::string::npos, value.error().c_str());
        QVERIFY(value.error().size() < 300);
        QVERIFY(parseQuantity(std::string(100, '0').append("7"), D::bytes));
    }

    void localeChangesNothing() {
        const auto plain = readAllAccepted();
        const GermanLocale german;
        QVERIFY(readAllAccepted() == plain);
        QVERIFY(!parseQuantity("3,35", D::number));
    }
};

QTEST_APPLESS_MAIN(TestUnits)

} // namespace tst_units

#include "tst_units.moc"
