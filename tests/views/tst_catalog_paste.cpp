// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of cells from the clipboard, and numbers as other places write them.
#include "views/catalog/pasted_cells.h"

#include <QTest>

namespace tst_catalog_paste {

using namespace alidade::views;

using Cells = QList<QStringList>;

class TestCatalogPaste : public QObject {
    Q_OBJECT

private slots:
    void blocks_data();
    void blocks();
    void numbers_data();
    void numbers();
    void decimalCommas();
};

void TestCatalogPaste::blocks_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<Cells>("cells");
    const auto row = [](const char* name, const char* text,
                        const std::vector<std::vector<const char*>>& wanted) {
        Cells cells;
        for (const auto& line : wanted) {
            cells.append(QStringList());
            for (const char* cell : line)
                cells.last().append(QString::fromUtf8(cell));
        }
        QTest::newRow(name) << QString::fromUtf8(text) << cells;
    };
    row("one cell", "400 Gbps", {{"400 Gbps"}});
    row("TSV", "a\tb\nc\td\n", {{"a", "b"}, {"c", "d"}});
    row("TSV of Windows", "a\tb\r\nc\td\r\n", {{"a", "b"}, {"c", "d"}});
    row("empty cells stay", "a\t\tc\n\t\t\n", {{"a", "", "c"}, {"", "", ""}});
    row("ragged", "a\tb\nc\n", {{"a", "b"}, {"c"}});
    row("TSV with a quoted cell", "\"two\nlines\"\tb", {{"two\nlines", "b"}});
    row("quote inside", "8\" rack\tb", {{"8\" rack", "b"}});
    row("CSV", "a,b,c\nd,e,f", {{"a", "b", "c"}, {"d", "e", "f"}});
    row("CSV with quotes", "\"a, with comma\",b\n\"say \"\"so\"\"\",d",
        {{"a, with comma", "b"}, {"say \"so\"", "d"}});
    row("semicolons", "a;38,5\nb;40,2", {{"a", "38,5"}, {"b", "40,2"}});
    row("thousands are one cell", "2,048", {{"2,048"}});
    row("a column of thousands", "2,048\n16,384\n", {{"2,048"}, {"16,384"}});
    row("a column of decimal commas", "38,5\n40,25 GB\n", {{"38,5"}, {"40,25 GB"}});
    row("a sentence is one cell", "one, two\nthree", {{"one, two"}, {"three"}});
    row("nothing", "", {});
}

void TestCatalogPaste::blocks() {
    QFETCH(QString, text);
    QFETCH(Cells, cells);
    QCOMPARE(pastedCells(text), cells);
}

void TestCatalogPaste::numbers_data() {
    QTest::addColumn<QString>("given");
    QTest::addColumn<bool>("commasSeen");
    QTest::addColumn<QString>("written"); // empty: it can be read in two ways
    const auto row = [](const char* given, bool commasSeen, const char* written) {
        QTest::addRow("%s%s", given, commasSeen ? " among decimal commas" : "")
            << QString::fromUtf8(given) << commasSeen << QString::fromUtf8(written);
    };
    for (const bool seen : {false, true}) {
        row("400", seen, "400");
        row("3.35", seen, "3.35");
        row("38,5", seen, "38.5");
        row("0,125", seen, "0.125");
        row("1.234,56", seen, "1234.56");
        row("1,234.56", seen, "1,234.56");
        row("1,234,567", seen, "1,234,567");
        row("1.234.567", seen, "1234567");
        row("38,5 GB", seen, "38.5 GB");
        row("$38,50/h", seen, "$38.50/h");
        row("1 234,5", seen, "1234.5");
        row("Hopper, 4nm", seen, "Hopper, 4nm");
    }
    row("3,350", false, "3,350"); // thousands, as everywhere in the program
    row("3,350", true, "");
    row("1.234", false, "1.234");
    row("1.234", true, "");
    row("0.125", true, "0.125");
}

void TestCatalogPaste::numbers() {
    QFETCH(QString, given);
    QFETCH(bool, commasSeen);
    QFETCH(QString, written);
    const WrittenNumber number = writtenNumber(given, commasSeen);
    QCOMPARE(number.doubt.isEmpty(), !written.isEmpty());
    QCOMPARE(number.text, written.isEmpty() ? given : written);
}

void TestCatalogPaste::decimalCommas() {
    QVERIFY(hasDecimalCommas(pastedCells(QStringLiteral("a\t38,5"))));
    QVERIFY(!hasDecimalCommas(pastedCells(QStringLiteral("2,048\t3.35\nHopper, 4nm\t"))));
}

QTEST_MAIN(TestCatalogPaste)

} // namespace tst_catalog_paste

#include "tst_catalog_paste.moc"
