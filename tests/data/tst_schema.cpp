// SPDX-License-Identifier: GPL-3.0-or-later
// catalogs/SCHEMA.md is what people write their own catalogs by: it must name every key with its unit, and no
// other.
#include "data/catalog/field_io.h"

#include <QFile>
#include <QRegularExpression>
#include <QtTest>

namespace tst_schema {

using namespace alidade;
using namespace alidade::data;

namespace {

struct DocumentedKey {
    QString kind;
    bool required = false;
};
using Section = QMap<QString, DocumentedKey>;

/// Rows "| `key` | kind | required | meaning |" of the table below a line that begins with the heading.
Section tableBelow(const QString& heading) {
    QFile file(QStringLiteral(ALIDADE_TEST_DATA "/../catalogs/SCHEMA.md"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no SCHEMA.md");
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    static const QRegularExpression row(QStringLiteral("^\\| `([a-z0-9_]+)` \\| ([^|]*) \\| ([^|]*)\\|"));
    Section section;
    for (qsizetype i = lines.indexOf(heading) + 1; i > 0 && i < lines.size(); ++i) {
        const QRegularExpressionMatch match = row.match(lines[i]);
        if (match.hasMatch())
            section[match.captured(1)] = {match.captured(2),
                                          match.captured(3).trimmed() == QStringLiteral("yes")};
        else if (!section.isEmpty())
            break;
    }
    return section;
}

template <class T>
void compare(const char* heading, const std::vector<std::string>& parts = {}) {
    Section documented = tableBelow(QString::fromUtf8(heading));
    QVERIFY2(!documented.isEmpty(), heading);
    for (const data::Field<T>& field : data::fieldsOf<T>()) {
        const QString key = QString::fromUtf8(field.key);
        QVERIFY2(documented.contains(key), field.key);
        const DocumentedKey row = documented.take(key);
        QCOMPARE(row.required, field.required);
        if (*field.unit.label != '\0' && key != QStringLiteral("max_context_tokens"))
            QVERIFY2(row.kind == QString::fromUtf8(field.unit.label), field.key);
    }
    for (const std::string& part : parts)
        QVERIFY2(documented.remove(QString::fromStdString(part)) == 1, part.c_str());
    QCOMPARE(documented.keys(), QStringList()); // nothing that is not a key
}

} // namespace

class TestSchema : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hardware() {
        compare<Gpu>("## gpus");
        compare<Instance>("## instances", partKeys<Instance>());
        compare<NetworkCardGroup>("Network cards:");
        compare<UltraServer>("## ultraservers");
        compare<EfaGeneration>("## efa");
        compare<StorageTier>("## storage");
        compare<Price>("## prices");
    }
    void models() {
        compare<Architecture>("## models", partKeys<Architecture>());
        compare<MlaShape>("`mla`:");
        compare<MoeShape>("`moe`:");
        compare<SparseIndexer>("`sparse_indexer`:");
        compare<Mamba2Shape>("`mamba2`:");
        compare<GatedDeltaNetShape>("`gated_deltanet`:");
    }
    void frameworks() { compare<Framework>("## frameworks, engines", partKeys<Framework>()); }
};

QTEST_APPLESS_MAIN(TestSchema)

} // namespace tst_schema

#include "tst_schema.moc"
