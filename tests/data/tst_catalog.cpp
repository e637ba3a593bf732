// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped catalog: whole and consistent.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"

#include <QtTest>

namespace tst_catalog {

using namespace alidade;
using namespace alidade::data;

namespace {

QByteArray lines(const std::vector<CatalogProblem>& problems) {
    QByteArray out;
    for (const CatalogProblem& problem : problems)
        out += QByteArray::fromStdString(text(problem)) + '\n';
    return out;
}

} // namespace

class TestCatalog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shippedCatalogHasNoFault();
    void everyKindIsThere();
};

void TestCatalog::shippedCatalogHasNoFault() {
    const CatalogLoad load = loadShippedCatalog();
    QVERIFY2(load.problems.empty(), lines(load.problems).constData());
    const auto faults = checkCatalog({});
    QVERIFY2(faults.empty(), lines(faults).constData());
}

void TestCatalog::everyKindIsThere() {
    const auto catalog = loadShippedCatalog().catalog;
    QCOMPARE(catalog->version, std::string("2026-11-21"));
    QCOMPARE(catalog->gpus.size(), 20u);
    QCOMPARE(catalog->instances.size(), 59u);
    QCOMPARE(catalog->ultraservers.size(), 7u);
    QCOMPARE(catalog->efa.size(), 4u);
    QCOMPARE(catalog->storage.size(), 26u);
    QCOMPARE(catalog->models.size(), 101u);
    QVERIFY(catalog->prices.size() > 900);
    QVERIFY(!catalog->frameworks.empty());
    QVERIFY(!catalog->engines.empty());
    QVERIFY(!catalog->defaultProfile.parameters.empty());
}

QTEST_APPLESS_MAIN(TestCatalog)

} // namespace tst_catalog

#include "tst_catalog.moc"
