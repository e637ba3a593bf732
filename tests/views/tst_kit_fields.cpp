// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "gallery.h"
#include "tests/views/contrast.h"
#include "views/kit/column_scroll.h"
#include "views/kit/field_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSplitter>
#include <QStyleOptionComboBox>
#include <QTest>
#include <QVBoxLayout>

namespace tst_kit_fields {

using namespace alidade;
using namespace alidade::views;

namespace {

UnitField* bandwidthField(QWidget* parent, double value) {
    auto* field = new UnitField(parent);
    field->setFormat(bandwidthText);
    field->setParse(parseBandwidth);
    field->setValue(value);
    return field;
}

} // namespace

class TestKitFields : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void fieldConvertsAnyUnit_data();
    void fieldConvertsAnyUnit();
    void fieldKeepsTheOldValueWhenRefused();
    void fieldSteps();
    void fieldScrubsInOneEdit();
    void fieldEmptiedAsksForTheDefault();
    void degreeOffersLegalValuesOnly();
    void degreeByTheTrack();
    void degreeShowsAnIllegalValueFromAFile();
    void wheelScrollsThePanelUnlessFocused();
    void segmentsByMouseAndKeyboard();
    void segmentsShowTheKeyboardFocus();
    void aChoiceHasRoomForItsLongestText();
    void aColumnIsNeverNarrowerThanItsRows();
};

/// In a splitter that has too little room for all its parts, whose rows were cut off.
void TestKitFields::aColumnIsNeverNarrowerThanItsRows() {
    auto* rows = new QWidget;
    auto* column = new QVBoxLayout(rows);
    auto* field = new QLineEdit;
    column->addWidget(field);
    QSplitter parts;
    auto* scroll = new ColumnScroll(rows);
    parts.addWidget(scroll);
    auto* other = new QWidget;
    other->setMinimumWidth(300);
    parts.addWidget(other);
    parts.setChildrenCollapsible(false);
    present(parts, {500, 300});
    for (const int width : {150, 400}) {
        field->setMinimumWidth(width);
        QTRY_VERIFY(scroll->viewport()->width() >= rows->minimumSizeHint().width());
        QVERIFY(rows->rect().contains(field->geometry()));
    }
}

/// A combo box gives way to its contents: its text is not elided at the size that it asks for.
void TestKitFields::aChoiceHasRoomForItsLongestText() {
    QComboBox choice;
    choice.addItems({QStringLiteral("Round robin"), QStringLiteral("Least loaded")});
    choice.setSizeAdjustPolicy(QComboBox::AdjustToContents);
    choice.setCurrentIndex(1);
    choice.resize(choice.sizeHint());
    QStyleOptionComboBox option;
    option.initFrom(&choice);
    const QRect room =
        choice.style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &choice);
    const int text = choice.fontMetrics().horizontalAdvance(choice.currentText());
    QVERIFY2(room.width() - 2 >= text, qPrintable(QStringLiteral("%1 for %2").arg(room.width()).arg(text)));
}

void TestKitFields::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestKitFields::init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*$")));
}

void TestKitFields::fieldConvertsAnyUnit_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("shown");
    QTest::newRow("its own unit by default") << QStringLiteral("4.8") << 4.8e12 << QStringLiteral("4.8");
    QTest::newRow("another unit") << QStringLiteral("400 Gbps") << 5e10 << QStringLiteral("50");
    QTest::newRow("with spaces") << QStringLiteral("  900 GB/s ") << 9e11 << QStringLiteral("900");
}

void TestKitFields::fieldConvertsAnyUnit() {
    QFETCH(QString, typed);
    QFETCH(double, value);
    QFETCH(QString, shown);
    const std::unique_ptr<UnitField> field(bandwidthField(nullptr, 3.35e12));
    present(*field);
    QCOMPARE(field->text(), QStringLiteral("3.35"));
    QSignalSpy edited(field.get(), &UnitField::valueEdited);
    field->selectAll();
    QTest::keyClicks(field.get(), typed);
    QTest::keyClick(field.get(), Qt::Key_Return);
    QCOMPARE(edited.count(), 1);
    QVERIFY(qFuzzyCompare(edited.at(0).at(0).toDouble(), value));
    QCOMPARE(field->text(), shown);
    // Nothing typed: leaving edits nothing.
    QTest::keyClick(field.get(), Qt::Key_Return);
    QCOMPARE(edited.count(), 1);
}

void TestKitFields::fieldKeepsTheOldValueWhenRefused() {
    const std::unique_ptr<UnitField> field(bandwidthField(nullptr, 3.35e12));
    field->setToolTip(QStringLiteral("per GPU"));
    present(*field);
    QSignalSpy edited(field.get(), &UnitField::valueEdited);
    QSignalSpy refused(field.get(), &UnitField::refused);
    field->selectAll();
    QTest::keyClicks(field.get(), QStringLiteral("800 Gb"));
    QTest::keyClick(field.get(), Qt::Key_Return);
    QCOMPARE(edited.count(), 0);
    QCOMPARE(refused.count(), 1);
    QVERIFY(refused.at(0).at(0).toString().contains(QStringLiteral("3.35 TB/s")));
    QCOMPARE(*field->value(), 3.35e12);
    QCOMPARE(field->text(), QStringLiteral("800 Gb"));
    QVERIFY(field->property(refusedProperty).toBool());
    QCOMPARE(field->toolTip(), field->refusal());
    QTest::keyClick(field.get(), Qt::Key_Escape);
    QCOMPARE(field->text(), QStringLiteral("3.35"));
    QVERIFY(field->refusal().isEmpty());
    QCOMPARE(field->toolTip(), QStringLiteral("per GPU"));
}

void TestKitFields::fieldSteps() {
    const std::unique_ptr<UnitField> field(bandwidthField(nullptr, 4e11));
    present(*field);
    field->setFocus();
    QSignalSpy edited(field.get(), &UnitField::valueEdited);
    QTest::keyClick(field.get(), Qt::Key_Up);
    QCOMPARE(*field->value(), 4.1e11); // second significant digit
    QTest::keyClick(field.get(), Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(*field->value(), 3.1e11);
    field->setStep([](double value, int steps) { return value + steps * 5e10; });
    QTRY_VERIFY(field->hasFocus());
    wheel(field.get(), 2);
    QCOMPARE(*field->value(), 4.1e11);
    QCOMPARE(edited.count(), 3);
    field->setReadOnly(true);
    QTest::keyClick(field.get(), Qt::Key_Up);
    QCOMPARE(edited.count(), 3);
}

void TestKitFields::fieldScrubsInOneEdit() {
    QWidget panel;
    auto* column = new QVBoxLayout(&panel);
    UnitField* field = bandwidthField(&panel, 4e11);
    auto* label = new FieldLabel(QStringLiteral("&Bandwidth"), field);
    column->addWidget(label);
    column->addWidget(field);
    present(panel);
    QCOMPARE(field->accessibleName(), QStringLiteral("Bandwidth"));
    QSignalSpy edited(field, &UnitField::valueEdited);
    QSignalSpy previewed(field, &UnitField::valuePreviewed);
    drag(label, QPoint(5, 5), QPoint(45, 5));
    QCOMPARE(edited.count(), 1);
    QVERIFY(previewed.count() >= 2);
    QCOMPARE(edited.at(0).at(0).toDouble(), 5e11); // ten steps of 1e10
    drag(label, QPoint(5, 5), QPoint(6, 5));
    QCOMPARE(edited.count(), 1);
}

void TestKitFields::fieldEmptiedAsksForTheDefault() {
    const std::unique_ptr<UnitField> field(bandwidthField(nullptr, 4e11));
    present(*field);
    QSignalSpy cleared(field.get(), &UnitField::cleared);
    field->selectAll();
    QTest::keyClick(field.get(), Qt::Key_Delete);
    QTest::keyClick(field.get(), Qt::Key_Return);
    QCOMPARE(cleared.count(), 1);
    QVERIFY(!field->value());
}

void TestKitFields::degreeOffersLegalValuesOnly() {
    DegreeField degree;
    degree.setLegalValues({1, 2, 4, 8, 16});
    degree.setReason(QStringLiteral("must divide 128 heads"));
    degree.setValue(4);
    present(degree);
    QVERIFY(degree.toolTip().contains(QStringLiteral("128 heads")));
    QVERIFY(degree.spinBox()->accessibleDescription().contains(QStringLiteral("1, 2, 4, 8, 16")));
    QSignalSpy edited(&degree, &DegreeField::valueEdited);
    LegalSpinBox* spin = degree.spinBox();
    spin->setFocus();
    QTRY_VERIFY(spin->hasFocus());
    QTest::keyClick(spin, Qt::Key_Up);
    QCOMPARE(degree.value(), 8);
    QTest::keyClick(spin, Qt::Key_Down);
    QTest::keyClick(spin, Qt::Key_Down);
    QCOMPARE(degree.value(), 2);
    wheel(spin, 1);
    QCOMPARE(degree.value(), 4);
    QTest::keyClick(spin, Qt::Key_PageUp);
    QCOMPARE(degree.value(), 16);
    QTest::keyClick(spin, Qt::Key_Up);
    QCOMPARE(edited.count(), 5);

    auto* line = spin->findChild<QLineEdit*>();
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("6")); // no legal value begins with it
    QCOMPARE(line->text(), QStringLiteral("16"));
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("8"));
    QTest::keyClick(line, Qt::Key_Return);
    QCOMPARE(degree.value(), 8);
    QCOMPARE(edited.count(), 6);
    line->selectAll();
    QTest::keyClick(line, Qt::Key_Delete);
    QTest::keyClick(line, Qt::Key_Return);
    QCOMPARE(degree.value(), 8);
    QCOMPARE(edited.count(), 6);
}

void TestKitFields::degreeByTheTrack() {
    DegreeField degree;
    degree.setLegalValues({1, 2, 4, 8});
    degree.setValue(1);
    present(degree, {300, 30});
    QSignalSpy edited(&degree, &DegreeField::valueEdited);
    QWidget* track = nullptr;
    for (QWidget* child : degree.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (child != degree.spinBox())
            track = child;
    QVERIFY(track);
    QTest::mouseClick(track, Qt::LeftButton, {}, QPoint(track->width() - 4, track->height() / 2));
    QCOMPARE(degree.value(), 8);
    drag(track, QPoint(track->width() - 4, 10), QPoint(4, 10));
    QCOMPARE(degree.value(), 1);
    QVERIFY(edited.count() >= 3);
    QTRY_VERIFY(degree.spinBox()->hasFocus());
}

void TestKitFields::degreeShowsAnIllegalValueFromAFile() {
    DegreeField degree;
    degree.setLegalValues({1, 2, 4, 8});
    degree.setValue(6);
    present(degree);
    QVERIFY(degree.spinBox()->property(refusedProperty).toBool());
    QTest::keyClick(degree.spinBox(), Qt::Key_Up);
    QCOMPARE(degree.value(), 8);
    QVERIFY(!degree.spinBox()->property(refusedProperty).toBool());
    degree.setValue(6);
    QTest::keyClick(degree.spinBox(), Qt::Key_Down);
    QCOMPARE(degree.value(), 4);
    degree.setLegalValues({});
    QTest::keyClick(degree.spinBox(), Qt::Key_Up);
    QCOMPARE(degree.value(), 4);
}

void TestKitFields::wheelScrollsThePanelUnlessFocused() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* other = new QLineEdit;
    UnitField* field = bandwidthField(&window, 4e11);
    auto* degree = new DegreeField;
    degree->setLegalValues({1, 2, 4});
    degree->setValue(2);
    for (QWidget* widget :
         {static_cast<QWidget*>(other), static_cast<QWidget*>(field), static_cast<QWidget*>(degree)})
        column->addWidget(widget);
    present(window);
    other->setFocus();
    QTRY_VERIFY(other->hasFocus());
    wheel(field, 1);
    wheel(degree->spinBox(), 1);
    QCOMPARE(*field->value(), 4e11);
    QCOMPARE(degree->value(), 2);
}

void TestKitFields::segmentsByMouseAndKeyboard() {
    SegmentedButtons segments;
    segments.setOptions(
        QList<SegmentedButtons::Option>{{QStringLiteral("BF16"), {}},
                                        {QStringLiteral("MXFP8"), QStringLiteral("needs a B200")},
                                        {QStringLiteral("FP8"), {}}});
    QSignalSpy edited(&segments, &SegmentedButtons::currentEdited);
    segments.setCurrentIndex(0);
    QCOMPARE(edited.count(), 0);
    present(segments);
    QTest::keyClick(&segments, Qt::Key_Right); // over the disabled one
    QCOMPARE(segments.currentIndex(), 2);
    QTest::keyClick(&segments, Qt::Key_Right);
    QCOMPARE(edited.count(), 1);
    QTest::mouseClick(segments.button(0), Qt::LeftButton);
    QCOMPARE(segments.currentIndex(), 0);
    QCOMPARE(edited.count(), 2);
    QTest::mouseClick(segments.button(1), Qt::LeftButton);
    QCOMPARE(edited.count(), 2);
    QCOMPARE(segments.button(1)->toolTip(), QStringLiteral("needs a B200"));
    // What is offered again leaves the buttons and the choice as they are.
    const QAbstractButton* kept = segments.button(0);
    segments.setOptions(
        QList<SegmentedButtons::Option>{{QStringLiteral("BF16"), {}},
                                        {QStringLiteral("MXFP8"), QStringLiteral("needs a B200")},
                                        {QStringLiteral("FP8"), {}}});
    QCOMPARE(segments.button(0), kept);
    QCOMPARE(segments.currentIndex(), 0);
    segments.setCurrentIndex(-1);
    QCOMPARE(segments.currentIndex(), -1);
    QTest::keyClick(&segments, Qt::Key_Left);
    QCOMPARE(segments.currentIndex(), 2);
}

/// A ring that stands out by 3:1 from what it surrounds, inside the widget so that no scroll area cuts it.
void TestKitFields::segmentsShowTheKeyboardFocus() {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* first = new QLineEdit(&window);
    auto* segments = new SegmentedButtons(&window);
    segments->setOptions(QStringList{QStringLiteral("Together"), QStringLiteral("Apart")});
    segments->setCurrentIndex(1);
    column->addWidget(first);
    column->addWidget(segments);
    present(window, {240, 90});
    for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light}) {
        ThemeController::instance().setChoice(choice);
        first->setFocus();
        const QImage without = segments->grab().toImage();
        QTest::keyClick(window.windowHandle(), Qt::Key_Tab);
        QTRY_VERIFY(segments->hasFocus());
        const QImage with = segments->grab().toImage();
        const QList<QPoint> sides{{1, with.height() / 2},
                                  {with.width() - 2, with.height() / 2},
                                  {with.width() / 4, 1},
                                  {with.width() / 4, with.height() - 2}};
        for (const QPoint& at : sides) {
            QVERIFY(with.pixel(at) != without.pixel(at));
            QVERIFY2(test::contrast(with.pixelColor(at), without.pixelColor({with.width() / 4, 4})) >= 3,
                     qPrintable(with.pixelColor(at).name()));
        }
    }
}

QTEST_MAIN(TestKitFields)

} // namespace tst_kit_fields

#include "tst_kit_fields.moc"
