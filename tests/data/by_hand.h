// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

#include <algorithm>
#include <cmath>

// What the tests of formulas worked out by hand share: Llama 3.1 70B (its config.json), and how values are
// compared.
namespace alidade::test {

constexpr double K = 8192;   ///< hidden size
constexpr double F = 28'672; ///< MLP width
constexpr double V = 128'256, heads = 64, kvHeads = 8, headDim = 128, layersOfModel = 80;

inline bool equalTo(double a, double b, double relative = 1e-12) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

#define VERIFY_CLOSE(actual, expected)                                                                       \
    QVERIFY2(::alidade::test::equalTo(actual, expected),                                                     \
             qPrintable(QString::number(actual, 'g', 17) + QLatin1String(" instead of ") +                   \
                        QString::number(expected, 'g', 17)))

/// Rows of a data table: the linear layers of one decoder layer, [n x k] on one of `tensorParallel` ranks.
inline void addLinearLayers(double tensorParallel) {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("n");
    QTest::addColumn<double>("k");
    QTest::newRow("QKV") << "QKV projection" << (heads + 2 * kvHeads) * headDim / tensorParallel << K;
    QTest::newRow("output") << "Output projection" << K << heads * headDim / tensorParallel;
    QTest::newRow("gate and up") << "MLP gate and up" << 2 * F / tensorParallel << K;
    QTest::newRow("down") << "MLP down" << K << F / tensorParallel;
}

} // namespace alidade::test
