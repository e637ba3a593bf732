// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
#include "data/catalog/catalog_reader.h"
#include "data/catalog/left_out_errors.h"
#include "model/catalog/catalog.h"

#include <QTest>

namespace tst_left_out_errors {

using namespace alidade;

class TestLeftOutErrors : public QObject {
    Q_OBJECT

private slots:
    void onlyTheShippedConstantsHaveThem() {
        Profile profile = data::loadShippedCatalog().catalog->defaultProfile;
        const auto errors = data::leftOutErrors(profile);
        QVERIFY(errors);
        QVERIFY(0 < errors->median && errors->median < errors->mean && errors->mean < 1);
        profile.parameters.front().value *= 1.01; // somebody's own
        QVERIFY(!data::leftOutErrors(profile));
    }
};

QTEST_APPLESS_MAIN(TestLeftOutErrors)

} // namespace tst_left_out_errors

#include "tst_left_out_errors.moc"
