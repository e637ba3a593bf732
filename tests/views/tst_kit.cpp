// SPDX-License-Identifier: GPL-3.0-or-later
#include "gallery.h"
#include "views/kit/hover_card.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QTest>

using namespace alidade;
using namespace alidade::views;

class TestKit : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void pictures();
};

void TestKit::initTestCase() {
    ThemeController::instance().setChoice(ThemeChoice::light);
    ThemeController::instance().install();
}

void TestKit::pictures() {
    for (const ThemeChoice choice : {ThemeChoice::light, ThemeChoice::dark}) {
        ThemeController::instance().setChoice(choice);
        Gallery gallery;
        gallery.resize(1500, 1000);
        gallery.show();
        gallery.refusedField->setText(QStringLiteral("800 Gb"));
        gallery.refusedField->setModified(true);
        QTest::keyClick(gallery.refusedField, Qt::Key_Return);
        gallery.busy->start(QStringLiteral("Searching 1.2 of 9.8 M plans"));
        gallery.busy->setProgress(0.46);
        QTRY_VERIFY(gallery.busy->cancelButton()->isVisible());
        gallery.field->setFocus();
        QTest::qWait(50);
        saveGrab(gallery, QStringLiteral("gallery"));
        const auto window = makeWindow();
        window->show();
        auto* plot = window->findChild<PlotBase*>();
        HoverCard::show(plot, QRect(200, 120, 12, 12),
                        {QStringLiteral("MLP gate + up"),
                         Bound::compute,
                         {{QStringLiteral("Work"), QStringLiteral("3.57 TFLOP, 923 MB")},
                          {QStringLiteral("Intensity"), QStringLiteral("3,873 FLOP/B")},
                          {QStringLiteral("Achieved"), QStringLiteral("698 TFLOP/s, 71 % of BF16")},
                          {QStringLiteral("Limit"), QStringLiteral("sustained clock 0.85")}}});
        QTRY_VERIFY(HoverCard::current());
        saveGrab(*window, QStringLiteral("window"));
    }
}

QTEST_MAIN(TestKit)
#include "tst_kit.moc"
