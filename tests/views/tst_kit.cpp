// SPDX-License-Identifier: GPL-3.0-or-later
#include "gallery.h"
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
    }
}

QTEST_MAIN(TestKit)
#include "tst_kit.moc"
