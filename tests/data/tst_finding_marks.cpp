// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/finding_marks_json.h"

#include <QTest>

#include <limits>

namespace tst_finding_marks {

using namespace alidade;

/// What a person says of a finding survives the file, and belongs to the same finding again.
class TestFindingMarks : public QObject {
    Q_OBJECT

private slots:
    void sameFindingHasTheSameKey() {
        Finding finding;
        finding.kind = FaultKind::xid;
        finding.code = 94;
        finding.where = {"gpu-0031", 2, {}};
        QCOMPARE(markKey(finding), std::string("xid 94 gpu-0031 2"));
        Finding later = finding;
        later.start = 1e9;
        later.title = "in other words";
        QCOMPARE(markKey(later), markKey(finding));
        later.where.gpu = 3;
        QVERIFY(markKey(later) != markKey(finding));
        Finding ofJob;
        ofJob.kind = FaultKind::stall;
        QCOMPARE(markKey(ofJob), std::string("stall job"));
    }

    void survivesTheFile() {
        FindingMarks marks;
        marks["xid 94 gpu-0031 2"] = {true, std::nullopt, "ticket 4711, \"spare\" ordered", 100};
        marks["thermal gpu-0007 3"] = {false, 2000.5, {}, 101};
        marks["stall job"] = {false, std::numeric_limits<double>::infinity(), {}, 102};
        marks["nothing"] = {};
        const auto read = data::readFindingMarks(data::writeFindingMarks(marks));
        QVERIFY2(read, read.error().c_str());
        marks.erase("nothing");
        QCOMPARE(*read, marks);
        QVERIFY(isMuted(read->at("stall job"), 1e18));
        QVERIFY(isMuted(read->at("thermal gpu-0007 3"), 2000));
        QVERIFY(!isMuted(read->at("thermal gpu-0007 3"), 2001));
    }

    void saysWhatIsWrong() {
        QVERIFY(!data::readFindingMarks("{"));
        QVERIFY(!data::readFindingMarks("{\"alidade\": 1}"));
        const auto wrong = data::readFindingMarks(
            "{\"alidade\": 1, \"findings\": [{\"finding\": \"x\", \"acknowledged\": \"yes\"}]}");
        QVERIFY(!wrong);
        QVERIFY2(wrong.error().find("/findings/0/acknowledged") != std::string::npos, wrong.error().c_str());
    }
};

QTEST_APPLESS_MAIN(TestFindingMarks)

} // namespace tst_finding_marks

#include "tst_finding_marks.moc"
