// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/calendar.h"
#include "model/explore/date_axis.h"

#include <QTest>

#include <string>
#include <vector>

namespace tst_date_axis {

using namespace alidade;

namespace {

std::vector<std::string> textsOf(const std::vector<FieldValue>& values) {
    std::vector<std::string> out;
    for (const FieldValue& each : values)
        out.push_back(std::get<std::string>(each));
    return out;
}

} // namespace

/// Dates along an axis.
class TestDateAxis : public QObject {
    Q_OBJECT

private slots:
    void datesAreReadAsWritten_data() {
        QTest::addColumn<std::string>("words");
        QTest::addColumn<int>("count");
        QTest::addColumn<std::string>("first");
        QTest::addColumn<std::string>("second");
        QTest::addColumn<std::string>("last");
        const auto row = [](const char* words, int count, const char* first, const char* second,
                            const char* last) {
            QTest::newRow(words) << std::string(words) << count << std::string(first) << std::string(second)
                                 << std::string(last);
        };
        // Without a number: days of up to 31 days, weeks of up to 184, then months.
        row("2027-01-01..2027-01-02", 2, "2027-01-01", "2027-01-02", "2027-01-02");
        row("2027-01-01..2027-02-01", 32, "2027-01-01", "2027-01-02", "2027-02-01");
        row("2027-01-01..2027-02-02", 5, "2027-01-01", "2027-01-08", "2027-01-29");
        row("2027-01-01..2027-07-04", 27, "2027-01-01", "2027-01-08", "2027-07-02");
        row("2027-01-01..2027-07-05", 7, "2027-01-01", "2027-02-01", "2027-07-01");
        row(" 2027-01-31 .. 2027-12-31 ", 12, "2027-01-31", "2027-02-28", "2027-12-31");
        row("2027-01-01..2027-01-04:2", 2, "2027-01-01", "2027-01-04", "2027-01-04");
        row("2027-01-01..2027-01-04: 3 ", 3, "2027-01-01", "2027-01-03",
            "2027-01-04"); // a day and a half: two
        row("2027-01-01..2027-01-04:10000", 4, "2027-01-01", "2027-01-02", "2027-01-04"); // each day once
        row("2027-01-01..2027-01-10:step 1 day", 10, "2027-01-01", "2027-01-02", "2027-01-10");
        row("2027-01-01..2027-01-10:step 4 days", 3, "2027-01-01", "2027-01-05", "2027-01-09");
        row("2027-01-01..2027-01-29:step 2 weeks", 3, "2027-01-01", "2027-01-15", "2027-01-29");
        row("2027-01-01..2027-01-28:step 2 week", 2, "2027-01-01", "2027-01-15", "2027-01-15");
        row("2027-12-31..2028-04-30:step 2 months", 3, "2027-12-31", "2028-02-29", "2028-04-30");
        row("2000-01-01..2060-01-01:step 10000 days", 3, "2000-01-01", "2027-05-19", "2054-10-04");
    }
    void datesAreReadAsWritten() {
        QFETCH(std::string, words);
        QFETCH(int, count);
        const auto dates = datesBetween(words);
        QVERIFY2(dates, dates.error().c_str());
        const std::vector<std::string> texts = textsOf(*dates);
        QCOMPARE(static_cast<int>(texts.size()), count);
        QTEST(texts.front(), "first");
        QTEST(texts[1], "second");
        QTEST(texts.back(), "last");
    }

    /// One more than a sweep may have, so that it is refused, and not a hundred thousand.
    void longRangesEnd() {
        const auto dates = datesBetween("1900-01-01..2600-01-01:step 1 day");
        QCOMPARE(dates->size(), mostSweepPoints + 1);
    }

    void wrongDatesAreRefused_data() {
        QTest::addColumn<std::string>("words");
        QTest::addColumn<std::string>("says");
        const std::string range =
            " must be two dates, the first one before the second: 2027-01-04..2027-06-30";
        const std::string steps = " is not a number of points or a step of days, weeks or months; write "
                                  "2027-01-04..2027-06-30:13 or 2027-01-04..2027-06-30:step 2 weeks";
        for (const char* words : {"2027-01-04", "2027-01-04..", "..2027-01-04", "2027-02-30..2027-03-01",
                                  "2027-03-01..2027-02-01", "2027-03-01..2027-03-01"}) {
            QTest::newRow(words) << std::string(words) << "'" + std::string(words) + "'" + range;
        }
        QTest::newRow("range before steps")
            << std::string("2027-03-01..2027-02-01:5") << "'2027-03-01..2027-02-01'" + range;
        for (const char* words : {"1", "10001", "0", "-3", "many", "step", "step 4", "step 0 days",
                                  "step 10001 days", "step 2 years", "step days", "4 days", "log"}) {
            QTest::newRow(words) << "2027-01-01..2027-03-01:" + std::string(words)
                                 << "'" + std::string(words) + "'" + steps;
        }
    }
    void wrongDatesAreRefused() {
        QFETCH(std::string, words);
        const auto dates = datesBetween(words);
        QVERIFY(!dates);
        QTEST(dates.error(), "says");
    }

    /// The same day of the next twelve months, and the days in between on which the machine gets another
    /// price.
    void usualDatesAreAYearOfMonths() {
        Scenario present;
        present.priceItem = "a.8";
        present.spec.run.start = "2027-01-31";
        const Variable start(*findField("run.start"));
        Catalog catalog;
        const auto price = [&catalog](const char* item, const char* from) {
            Price each;
            each.item = item;
            each.validFrom = from;
            catalog.prices.push_back(each);
        };
        price("a.8", "2027-04-01");
        price("a.8", "2027-04-01"); // in another Region
        price("a.8", "2027-01-30"); // before
        price("a.8", "2027-01-31");
        price("a.8", "2028-01-31");
        price("a.8", "2028-02-01"); // after
        price("a.8", "");
        price("b.8", "2027-05-01");
        QCOMPARE(
            textsOf(usualDates(start, present, catalog)),
            (std::vector<std::string>{"2027-01-31", "2027-02-28", "2027-03-31", "2027-04-01", "2027-04-30",
                                      "2027-05-31", "2027-06-30", "2027-07-31", "2027-08-31", "2027-09-30",
                                      "2027-10-31", "2027-11-30", "2027-12-31", "2028-01-31"}));
        present.spec.run.start.reset();
        QVERIFY(usualDates(start, present, catalog).empty());
        QVERIFY(usualDates(Variable(*findField("workload.global_batch")), present, catalog).empty());
    }
};

QTEST_GUILESS_MAIN(TestDateAxis)

} // namespace tst_date_axis

#include "tst_date_axis.moc"
