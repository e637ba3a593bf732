// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "views/kit/data_table_view.h"
#include "views/kit/delegates.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>

#include <array>

namespace tst_kit_tables {

using namespace alidade;
using namespace alidade::views;

namespace {

/// Rows by line, cells by "|"; what is a number is one.
void fillModel(QStandardItemModel& model, const QString& text) {
    const QStringList lines = text.split(QLatin1Char('\n'));
    model.setHorizontalHeaderLabels(lines.first().split(QLatin1Char('|')));
    for (const QString& line : lines.sliced(1)) {
        QList<QStandardItem*> row;
        for (const QString& cell : line.split(QLatin1Char('|'))) {
            bool number = false;
            const double value = cell.toDouble(&number);
            auto* item = new QStandardItem(cell);
            if (number)
                item->setData(value, Qt::EditRole);
            row.append(item);
        }
        model.appendRow(row);
    }
}

const QString instances = QStringLiteral("Instance|GPU|HBM\n"
                                         "p5.48xlarge|H100|640\n"
                                         "p5en.48xlarge|H200|1128\n"
                                         "p6-b200.48xlarge|B200|1440");

QImage painted(const QAbstractItemDelegate& delegate, const QModelIndex& index,
               QStyle::State state = QStyle::State_Enabled) {
    QImage image(200, 24, QImage::Format_RGB32);
    image.fill(theme().color(Role::base));
    QPainter painter(&image);
    QStyleOptionViewItem option;
    option.rect = image.rect();
    option.state = state;
    option.font = theme().font(FontRole::body);
    option.palette = theme().palette();
    delegate.paint(&painter, option, index);
    return image;
}

/// How many pixels of the middle row have that color.
int run(const QImage& image, const QColor& color) {
    int count = 0;
    for (int x = 0; x < image.width(); ++x)
        count += image.pixelColor(x, image.height() / 2) == color;
    return count;
}

} // namespace

class TestKitTables : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void committingMayRenewTheModel();
    void textOfATable_data();
    void textOfATable();
    void formulaCellsAreGuarded_data();
    void formulaCellsAreGuarded();
    void copiesTheSelectedRectangle();
    void copiesWhatIsForCopying();
    void copiesATreeInItsOrder();
    void menuCopiesAndChoosesColumns();
    void filterRowSaysWhatWasTyped();
    void filterPasses_data();
    void filterPasses();
    void rowsFollowTheFont();
    void barsShareOneScale();
    void groupSelectedAndCurrentRowsDiffer();
    void catalogMarks();
};

void TestKitTables::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestKitTables::init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*$")));
}

void TestKitTables::textOfATable_data() {
    QTest::addColumn<int>("format");
    QTest::addColumn<QString>("expected");
    QTest::newRow("tsv") << int(TableFormat::tsv) << QStringLiteral("a\tb\nx y\t1,5\n\"q\"|\t\n");
    QTest::newRow("csv") << int(TableFormat::csv)
                         << QStringLiteral("a,b\n\"x\ny\",\"1,5\"\n\"\"\"q\"\"|\",\n");
    QTest::newRow("markdown") << int(TableFormat::markdown)
                              << QStringLiteral(
                                     "| a | b |\n| --- | --- |\n| x<br>y | 1,5 |\n| \"q\"\\| |  |\n");
}

void TestKitTables::textOfATable() {
    QFETCH(int, format);
    QFETCH(QString, expected);
    const TextTable table{{QStringLiteral("a"), QStringLiteral("b")},
                          {{QStringLiteral("x\ny"), QStringLiteral("1,5")}, {QStringLiteral("\"q\"|")}}};
    QCOMPARE(tableText(table, TableFormat(format)), expected);
}

void TestKitTables::formulaCellsAreGuarded_data() {
    QTest::addColumn<QString>("cell");
    QTest::addColumn<bool>("guarded");
    for (const char* formula : {"=1+1", "+SUM(A1)", "-cmd|' /C calc'!A0", "@now", "\t=1", "-", "+1-2"})
        QTest::newRow(formula) << QString::fromLatin1(formula) << true;
    for (const char* plain : {"-0.83", "+1,000", "-1.5e-9", "-12 %", "p5.48xlarge", "", "1-2", "'=1"})
        QTest::newRow(*plain ? plain : "empty") << QString::fromLatin1(plain) << false;
}

void TestKitTables::formulaCellsAreGuarded() {
    QFETCH(QString, cell);
    QFETCH(bool, guarded);
    for (const TableFormat format : {TableFormat::tsv, TableFormat::csv}) {
        const QString text = tableText({{}, {{cell}}}, format);
        QCOMPARE(text.startsWith(QLatin1Char('\'')) || text.startsWith(QStringLiteral("\"'")),
                 guarded || cell.startsWith(QLatin1Char('\'')));
    }
}

void TestKitTables::copiesTheSelectedRectangle() {
    QStandardItemModel model;
    fillModel(model, instances);
    DataTableView table;
    table.setModel(&model);
    table.sortByColumn(2, Qt::DescendingOrder);
    present(table);
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    QVERIFY(table.manners().selectionAs(TableFormat::tsv).isEmpty());
    table.selectionModel()->select({model.index(0, 1), model.index(1, 2)}, QItemSelectionModel::Select);
    QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("GPU\tHBM\nB200\t1440\nH200\t1128\n"));
    QCOMPARE(QApplication::clipboard()->mimeData()->data(QLatin1StringView(cellsMimeType)),
             QByteArray("B200\t1440\nH200\t1128\n")); // to be pasted into a table
    QCOMPARE(table.manners().selectionAs(TableFormat::csv),
             QStringLiteral("GPU,HBM\nB200,1440\nH200,1128\n"));
    table.setColumnHidden(1, true);
    QCOMPARE(table.manners().selectionAs(TableFormat::tsv), QStringLiteral("HBM\n1440\n1128\n"));
    table.selectionModel()->select(model.index(0, 2), QItemSelectionModel::ClearAndSelect);
    QCOMPARE(table.manners().selectionAs(TableFormat::tsv), QStringLiteral("1440\n")); // a value alone
}

void TestKitTables::copiesWhatIsForCopying() {
    QStandardItemModel model(1, 1);
    model.setItem(0, 0, new QStandardItem(QStringLiteral("3.35 TB/s")));
    model.item(0, 0)->setData(QStringLiteral("3350000000000"), copyRole);
    DataTableView table;
    table.setModel(&model);
    table.selectAll();
    QCOMPARE(table.manners().selectionAs(TableFormat::tsv), QStringLiteral("3350000000000\n"));
}

void TestKitTables::copiesATreeInItsOrder() {
    QStandardItemModel model(0, 2);
    model.setHorizontalHeaderLabels({QStringLiteral("Operation"), QStringLiteral("ms")});
    for (const char* group : {"Layer", "Head"}) {
        auto* head = new QStandardItem(QString::fromLatin1(group));
        head->appendRow({new QStandardItem(QString::fromLatin1(group) + QStringLiteral(" MLP")),
                         new QStandardItem(QStringLiteral("15"))});
        model.appendRow({head, new QStandardItem(QStringLiteral("38"))});
    }
    DataTreeView tree;
    tree.setModel(&model);
    tree.expandAll();
    present(tree);
    tree.selectAll();
    QTest::keyClick(&tree, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(),
             QStringLiteral("Operation\tms\nLayer\t38\nLayer MLP\t15\nHead\t38\nHead MLP\t15\n"));
}

void TestKitTables::menuCopiesAndChoosesColumns() {
    QStandardItemModel model;
    fillModel(model, instances);
    DataTableView table;
    table.setModel(&model);
    table.addAction(QStringLiteral("Reset"));
    present(table);
    table.setCurrentIndex(model.index(1, 1));
    QMenu* menu = askForMenu(&table);
    QVERIFY(menu);
    QCOMPARE(menu->actions().constFirst()->text(), QStringLiteral("Reset"));
    for (QAction* action : menu->actions())
        if (action->text() == QStringLiteral("Copy as Markdown"))
            action->trigger();
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("| GPU |\n| --- |\n| H200 |\n"));
    QMenu* columns = menu->actions().constLast()->menu();
    QVERIFY(columns);
    QCOMPARE(columns->actions().size(), 3);
    QVERIFY(!columns->actions().at(0)->isEnabled());
    columns->actions().at(2)->trigger();
    QVERIFY(table.isColumnHidden(2));
    columns->actions().at(2)->trigger();
    QVERIFY(!table.isColumnHidden(2));
    menu->close();
}

void TestKitTables::filterRowSaysWhatWasTyped() {
    QStandardItemModel model;
    fillModel(model, instances);
    DataTableView table;
    table.setModel(&model);
    present(table, {500, 300});
    const int plain = table.horizontalHeader()->height();
    table.setCurrentIndex(model.index(0, 2));
    QTest::keyClick(&table, Qt::Key_F, Qt::ControlModifier);
    QVERIFY(table.isFilterRowVisible());
    QTRY_VERIFY(table.horizontalHeader()->height() > plain + 20);
    auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(field);
    QVERIFY(field->accessibleName().contains(QStringLiteral("HBM")));
    QSignalSpy changed(&table, &DataTableView::filterChanged);
    QTest::keyClicks(field, QStringLiteral(">= 8"));
    QCOMPARE(changed.count(), 0);
    QTRY_COMPARE(changed.count(), 1); // one for four keys
    QCOMPARE(changed.at(0).at(0).toInt(), 2);
    QCOMPARE(changed.at(0).at(1).toString(), QStringLiteral(">= 8"));
    QCOMPARE(table.filterText(2), QStringLiteral(">= 8"));
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(table.filterText(2), QString());
    QTRY_VERIFY(table.hasFocus());
    QTRY_COMPARE(changed.count(), 2);
    // New columns get their own fields.
    model.setColumnCount(5);
    table.setFilterText(4, QStringLiteral("x"));
    QCOMPARE(table.filterText(4), QStringLiteral("x"));
    table.setFilterRowVisible(false);
    QCOMPARE(table.filterText(4), QString());
}

void TestKitTables::filterPasses_data() {
    QTest::addColumn<QString>("filter");
    QTest::addColumn<QVariant>("cell");
    QTest::addColumn<QString>("shown");
    QTest::addColumn<bool>("passes");
    const auto row = [](const char* filter, QVariant cell, const char* shown, bool passes) {
        QTest::addRow("%s on %s", filter, shown)
            << QString::fromLatin1(filter) << cell << QString::fromLatin1(shown) << passes;
    };
    row("", 8.0, "8", true);
    row(">= 8", 8.0, "8 GB", true);
    row(">8", 8.0, "8", false);
    row("< 1,000", 640.0, "640", true);
    row("<= 7.5", 7.6, "7.6", false);
    row("= 8", 8, "8", true);
    row("!= 8", 8, "8", false);
    row("h10", QStringLiteral("H100"), "H100", true);
    row("= h100", QStringLiteral("H100"), "H100", true);
    row("= h10", QStringLiteral("H100"), "H100", false);
    row("!= h10", QStringLiteral("H100"), "H100", true);
    row("> 5", QVariant(), "-", false);
    row(">= x", 8.0, "8", false);
}

void TestKitTables::filterPasses() {
    QFETCH(QString, filter);
    QFETCH(QVariant, cell);
    QFETCH(QString, shown);
    QFETCH(bool, passes);
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QCOMPARE(passesFilter(filter, cell, shown), passes);
    QLocale::setDefault(QLocale::c());
}

void TestKitTables::rowsFollowTheFont() {
    QStandardItemModel model;
    fillModel(model, instances);
    DataTableView table;
    table.setModel(&model);
    present(table);
    QCOMPARE(table.rowHeight(0), 24);
    ThemeController::instance().setBodyPointSize(14);
    QCOMPARE(table.rowHeight(0), theme().rowHeight());
    QVERIFY(table.rowHeight(0) > QFontMetrics(theme().font(FontRole::body)).height());
    ThemeController::instance().setBodyPointSize(10);
    QCOMPARE(table.rowHeight(0), 24);
}

void TestKitTables::barsShareOneScale() {
    QStandardItemModel model(2, 1);
    const auto put = [&model](int row, double value) {
        model.setData(model.index(row, 0), QVariant::fromValue(BarCell{{{Bound::compute, value, 1, {}, {}}}}),
                      barRole);
    };
    put(0, 10);
    put(1, 40);
    BarDelegate delegate;
    delegate.setMaximum(40);
    const QColor blue = theme().classStyle(Bound::compute).color;
    const int quarter = run(painted(delegate, model.index(0, 0)), blue);
    const int whole = run(painted(delegate, model.index(1, 0)), blue);
    QVERIFY2(std::abs(whole - 183) <= 1,
             qPrintable(QString::number(whole))); // 200 less the padding and the gap
    QVERIFY2(std::abs(quarter - 45) <= 1, qPrintable(QString::number(quarter)));
}

void TestKitTables::groupSelectedAndCurrentRowsDiffer() {
    QStandardItemModel model(1, 1);
    CellDelegate delegate;
    const QModelIndex index = model.index(0, 0);
    const auto ground = [&](QStyle::State state) {
        return painted(delegate, index, state).pixelColor(100, 8);
    };
    QCOMPARE(ground(QStyle::State_Enabled), theme().color(Role::base));
    QCOMPARE(ground(QStyle::State_Enabled | QStyle::State_Selected), theme().color(Role::sel));
    model.setData(index, true, groupRowRole);
    QCOMPARE(ground(QStyle::State_Enabled), theme().color(Role::alt));
    const QImage current = painted(delegate, index, QStyle::State_Enabled | QStyle::State_HasFocus);
    QCOMPARE(current.pixelColor(0, 10), theme().color(Role::accent));
    QCOMPARE(current.pixelColor(1, 10), theme().color(Role::accent));
    QCOMPARE(painted(delegate, index).pixelColor(50, 23), theme().color(Role::grid));
}

void TestKitTables::catalogMarks() {
    QStandardItemModel model(1, 1);
    const QModelIndex index = model.index(0, 0);
    CatalogDelegate delegate;
    const auto draw = [&](CellMark mark) {
        model.setData(index, QVariant::fromValue(mark), markRole);
        return painted(delegate, index);
    };
    QCOMPARE(draw({true, false, false}).pixelColor(1, 1), theme().color(Role::accent));
    QCOMPARE(draw({false, true, false}).pixelColor(198, 1), theme().color(Role::warn));
    QCOMPARE(draw({false, false, true}).pixelColor(100, 10), theme().color(Role::errBg));
    QCOMPARE(draw({}).pixelColor(1, 1), theme().color(Role::base));
}

/// What was typed makes the model start afresh, as a new id does in the catalog: the view has then given up
/// the editor that asks to be closed next.
void TestKitTables::committingMayRenewTheModel() {
    struct Renewing : QAbstractTableModel {
        QString word;
        int rowCount(const QModelIndex& parent) const override { return parent.isValid() ? 0 : 1; }
        int columnCount(const QModelIndex& parent) const override { return parent.isValid() ? 0 : 1; }
        QVariant data(const QModelIndex&, int role) const override {
            return role == Qt::DisplayRole || role == Qt::EditRole ? QVariant(word) : QVariant();
        }
        Qt::ItemFlags flags(const QModelIndex& index) const override {
            return QAbstractTableModel::flags(index) | Qt::ItemIsEditable;
        }
        bool setData(const QModelIndex&, const QVariant& value, int) override {
            beginResetModel();
            word = value.toString();
            endResetModel();
            return true;
        }
    } model;
    DataTableView table;
    table.setModel(&model);
    present(table, {300, 200});
    for (const bool byEnter : {true, false}) {
        model.word.clear();
        table.setCurrentIndex(model.index(0, 0));
        table.edit(model.index(0, 0));
        auto* editor = table.viewport()->findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        QTest::failOnWarning(QRegularExpression(QStringLiteral("closeEditor")));
        QTest::keyClicks(editor, QStringLiteral("new"));
        if (byEnter)
            QTest::keyClick(editor, Qt::Key_Return);
        else
            table.setFocus(Qt::MouseFocusReason);
        QTRY_COMPARE(model.word, QStringLiteral("new"));
        QTRY_VERIFY(table.viewport()->findChild<QLineEdit*>() == nullptr);
    }
}

QTEST_MAIN(TestKitTables)

} // namespace tst_kit_tables

#include "tst_kit_tables.moc"
