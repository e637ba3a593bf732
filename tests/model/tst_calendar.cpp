// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/calendar.h"
#include "model/base/plan_word.h"
#include "model/base/random.h"
#include "model/base/shared_text.h"
#include "model/base/text.h"

#include <QTest>

namespace tst_calendar {

using namespace alidade;

/// Dates as numbers of days, and the small parts of text and chance that everything uses.
class TestCalendar : public QObject {
    Q_OBJECT

private slots:
    void days_data() {
        QTest::addColumn<QByteArray>("date");
        QTest::addColumn<int>("day");
        const auto row = [](const char* date, int day) { QTest::newRow(date) << QByteArray(date) << day; };
        row("1970-01-01", 0);
        row("1970-01-02", 1);
        row("1969-12-31", -1);
        row("1970-02-01", 31);
        row("1970-03-01", 59); // 31 + 28
        row("1971-01-01", 365);
        row("1972-02-29", 789); // 2 x 365 + 31 + 28
        row("1972-03-01", 790);
        row("1973-01-01", 1096);  // 2 x 365 + 366
        row("2000-01-01", 10957); // 30 years, 7 of them leap years
        row("2000-02-29", 11016);
        row("2000-12-31", 11322);
        row("2001-01-01", 11323);
        row("2023-11-16", 19677); // 1,700,157,423 s are 19,677.7 days
        row("2100-02-28", 47540); // 130 years with 32 leap years, and 58 days
        row("2100-03-01", 47541); // no leap year
        row("0001-01-01", -719'162);
        row("9999-12-31", 2'932'896);
    }
    void days() {
        QFETCH(QByteArray, date);
        QFETCH(int, day);
        QCOMPARE(dayOfDate(date.toStdString()), std::optional(day));
        QCOMPARE(QByteArray::fromStdString(dateText(day)), date);
    }

    /// Every day of four centuries is the one after the day before.
    void daysFollowOneAnother() {
        int day = *dayOfDate("1890-01-01");
        for (int year = 1890; year < 2290; ++year) {
            for (int month = 1; month <= 12; ++month) {
                for (int date = 1; date <= daysOfMonth(year, month); ++date, ++day)
                    if (dayNumber(year, month, date) != day || dayOfDate(dateText(day)) != day)
                        QFAIL(dateText(day).c_str());
            }
        }
        QCOMPARE(day - *dayOfDate("1890-01-01"), 146'097); // 400 years of the Gregorian calendar
    }

    void lengthsOfMonths() {
        const int usual[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        for (int month = 1; month <= 12; ++month)
            QCOMPARE(daysOfMonth(2027, month), usual[month - 1]);
        QCOMPARE(daysOfMonth(2028, 2), 29);
        QCOMPARE(daysOfMonth(1900, 2), 28);
        QCOMPARE(daysOfMonth(2000, 2), 29);
        QCOMPARE(daysOfMonth(2028, 1), 31);
        QCOMPARE(daysOfMonth(2028, 3), 31);
    }

    void whatIsNoDate_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"2027-01-0", "2027-01-011", "2027/01-01", "2027-01/01", "0000-01-01", "2027-00-01",
              "2027-13-01", "2027-01-00", "2027-01-32", "2027-02-29", "2027-04-31", "-027-01-01",
              "2027--1-01", "2027-01--1", "20x7-01-01", "2027-0x-01", "2027-01-0x"}) {
            QTest::newRow(text) << QByteArray(text);
        }
    }
    void whatIsNoDate() {
        QFETCH(QByteArray, text);
        QVERIFY(!dayOfDate(text.toStdString()));
    }

    void laterMonths_data() {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<int>("months");
        QTest::addColumn<QByteArray>("to");
        const auto row = [](const char* from, int months, const char* to) {
            QTest::addRow("%s + %d", from, months) << QByteArray(from) << months << QByteArray(to);
        };
        row("2027-01-15", 0, "2027-01-15");
        row("2027-01-15", 1, "2027-02-15");
        row("2027-01-31", 1, "2027-02-28");
        row("2028-01-31", 1, "2028-02-29");
        row("2027-01-30", 3, "2027-04-30");
        row("2027-12-01", 1, "2028-01-01");
        row("2027-11-30", 1, "2027-12-30");
        row("2027-01-15", 12, "2028-01-15");
        row("2028-02-29", 36, "2031-02-28");
        row("2027-10-31", 25, "2029-11-30");
    }
    void laterMonths() {
        QFETCH(QByteArray, from);
        QFETCH(int, months);
        QFETCH(QByteArray, to);
        QCOMPARE(QByteArray::fromStdString(dateText(monthsAfter(*dayOfDate(from.toStdString()), months))),
                 to);
    }

    void sharedTexts() {
        const SharedText literal = "a literal", copied = std::string("a text"),
                         joined = SharedText::joined({"one", "", " and ", "two"});
        QCOMPARE(literal.str(), std::string("a literal"));
        QCOMPARE(copied.view().size(), std::size_t{6});
        QCOMPARE(joined.str(), std::string("one and two"));
        QVERIFY(SharedText().empty() && SharedText::joined({}).empty() && !joined.empty());
        QVERIFY(joined.starts_with("one") && !joined.starts_with("two"));
        QVERIFY(joined == std::string_view("one and two") && !(joined == literal));
        const SharedText same = joined;
        QVERIFY(same.view().data() == joined.view().data()); // nothing is copied
    }

    /// Reference values of SplitMix64 with a state of 0 (its first three outputs), and the middle of 2^53
    /// cells.
    void chance() {
        QCOMPARE(splitMix64(0), std::uint64_t{0xE220A8397B1DCDAFU});
        QCOMPARE(splitMix64(goldenIncrement), std::uint64_t{0x6E789E6AA1B965F4U});
        QCOMPARE(splitMix64(2 * goldenIncrement), std::uint64_t{0x06C45D188009454FU});
        QCOMPARE(uniformOf(0), 0x1p-54);
        QCOMPARE(uniformOf(2047), 0x1p-54); // the lowest 11 bits do not count
        QCOMPARE(uniformOf(2048), 1.5 * 0x1p-53);
        QCOMPARE(uniformOf(std::uint64_t{1} << 63U), 0.5 + 0x1p-54);
    }

    void counts() {
        QCOMPARE(formatCount(0), std::string("0"));
        QCOMPARE(formatCount(999), std::string("999"));
        QCOMPARE(formatCount(1000), std::string("1,000"));
        QCOMPARE(formatCount(1'234'567), std::string("1,234,567"));
        QCOMPARE(formatCount(-999), std::string("-999"));
        QCOMPARE(formatCount(-1000), std::string("-1,000"));
        QCOMPARE(formatCount(-123'456), std::string("-123,456"));
    }
};

QTEST_APPLESS_MAIN(TestCalendar)

} // namespace tst_calendar

#include "tst_calendar.moc"
