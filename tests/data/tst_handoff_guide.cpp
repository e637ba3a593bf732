// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs
// The guide lists for each target the fields that its tables say it has no word for, and no others.
#include "data/handoff/tables.h"
#include "tests/data/handed_over.h"

#include <QRegularExpression>
#include <QTest>

namespace tst_handoff_guide {

using namespace alidade;
using namespace tests;

namespace {

std::set<std::string> codesIn(const QString& html) {
    static const QRegularExpression code(QStringLiteral("<code>([^<]+)</code>"));
    std::set<std::string> out;
    for (auto each = code.globalMatch(html); each.hasNext();)
        out.insert(each.next().captured(1).toStdString());
    return out;
}

std::set<std::string> pathsOf(const std::map<std::string, std::string>& table) {
    std::set<std::string> out;
    for (const auto& [path, why] : table)
        out.insert(path);
    return out;
}

} // namespace

class TestHandoffGuide : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listsWhatEachTargetDoesNotSay() {
        const QString guide = QString::fromStdString(fileText(ALIDADE_TEST_DATA "/../views/help/guide.html"));
        const qsizetype at = guide.indexOf(QStringLiteral("name=\"handoff-fields\""));
        QVERIFY(at > 0);
        const QString table = guide.mid(at, guide.indexOf(QStringLiteral("</table>"), at) - at);
        std::map<std::string, std::set<std::string>> rows; // by the first cell
        static const QRegularExpression row(QStringLiteral("<tr><td>(.*?)</td>\\s*<td>(.*?)</td></tr>"),
                                            QRegularExpression::DotMatchesEverythingOption);
        for (auto each = row.globalMatch(table); each.hasNext();) {
            const auto match = each.next();
            const auto names = codesIn(match.captured(1));
            rows[names.empty() ? match.captured(1).toStdString() : *names.begin()] =
                codesIn(match.captured(2));
        }
        QCOMPARE(rows["all"], pathsOf(data::handoff::outsideTheJob()));
        int targets = 0;
        for (const data::TargetInfo& target : data::handoffTargets()) {
            if ((target.kind != data::TargetKind::training && target.kind != data::TargetKind::serving) ||
                target.id == "fsdp2")
                continue;
            ++targets;
            QVERIFY2(rows.contains(target.id), target.id.c_str());
            QVERIFY2(rows[target.id] == pathsOf(data::handoff::tool(target.id).inexpressible),
                     target.id.c_str());
        }
        QCOMPARE(rows.size(), static_cast<std::size_t>(targets) + 2); // and the head, and all
        // What the words before the table say of cluster targets is so.
        static const QRegularExpression item(
            QStringLiteral("<code>([a-z-]+)</code>\\s+((?:<code>[a-z_.]+</code>,?\\s*)+)"));
        const QString words = table.left(table.indexOf(QStringLiteral("<table")));
        int clusters = 0;
        for (auto each = item.globalMatch(words); each.hasNext(); ++clusters) {
            const auto match = each.next();
            for (const std::string& path : codesIn(match.captured(2)))
                QVERIFY2(data::handoff::expressesField(match.captured(1).toStdString(), path), path.c_str());
        }
        QVERIFY(clusters > 3);
    }
};

QTEST_GUILESS_MAIN(TestHandoffGuide)

} // namespace tst_handoff_guide

#include "tst_handoff_guide.moc"
