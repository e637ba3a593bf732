// SPDX-License-Identifier: GPL-3.0-or-later
#include "drive.h"
#include "model/scenario/fields.h"
#include "tests/data/sample_estimate.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"

#include <QSignalSpy>
#include <QTest>
#include <QUndoStack>

#include <atomic>
#include <mutex>
#include <random>
#include <semaphore>

namespace tst_document {

using namespace alidade;
using namespace alidade::views;

namespace {

/// An engine that counts its calls, answers with the sample estimate of the asked scenario, and can be held.
struct CountingEngine {
    std::atomic<int> estimates = 0;
    std::atomic<int> suggestions = 0;
    std::atomic<bool> held = false; ///< each estimate waits for a release
    std::counting_semaphore<> release{0};
    std::atomic<bool> fail = false;
    std::atomic<bool> throwing = false;

    Engine engine() {
        return {.estimate = [this](const ScenarioSpec& spec, const Catalog&) -> Result<Estimate> {
                    ++estimates;
                    if (held)
                        release.acquire();
                    if (throwing)
                        throw std::runtime_error("out of luck");
                    if (fail)
                        return Error{"/workload/model: there is no model of this name"};
                    Estimate answer = sample::estimate();
                    answer.scenario = spec;
                    return answer;
                },
                .suggest =
                    [this](const ScenarioSpec&, const Catalog&) {
                        ++suggestions;
                        return sample::suggestions();
                    }};
    }
};

const Field& field(std::string_view path) {
    const Field* found = findField(path);
    Q_ASSERT(found);
    return *found;
}

/// Everything that is written in a spec, to compare whole scenarios.
std::string written(const ScenarioSpec& spec) {
    std::string all;
    for (const Field& f : fieldTable()) {
        const std::string value = fieldText(f, f.get(spec));
        if (!value.empty())
            all += std::string(f.path) + "=" + value + "\n";
    }
    return all;
}

std::unique_ptr<Document> sampleDocument(CountingEngine& counter) {
    auto document = std::make_unique<Document>(std::make_shared<const Catalog>(), counter.engine());
    document->open(sample::scenario(), {});
    return document;
}

} // namespace

class TestDocument : public QObject {
    Q_OBJECT

private slots:
    void oneEditIsOneEstimate();
    void editsOfOneTurnAreOneEstimate();
    void supersededEstimatesAreDropped();
    void suggestionsFollowTheEstimate();
    void failureKeepsTheOldEstimate();
    void exceptionBecomesAnError();
    void cancelKeepsTheOldEstimate();
    void undoTexts();
    void refusedTextChangesNothing();
    void exclusiveFieldsComeBackOnUndo();
    void gestureIsOneStep();
    void gestureThatReturnsLeavesNoStep();
    void cleanStateFollowsUndo();
    void previewShowsWithoutChanging();
    void adoptedPreviewIsOneStep();
    void editEndsPreview();
    void selectionIsToldOnce();
    void destructionWhileComputing();
    void randomChangesUndoAndRedo_data();
    void randomChangesUndoAndRedo();
};

void TestDocument::oneEditIsOneEstimate() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    QTRY_VERIFY(!document->busy());
    const int before = counter.estimates;
    QSignalSpy changed(document.get(), &Document::estimateChanged);
    QCOMPARE(document->setField(field("plan.tensor_parallel"), QStringLiteral("4")), QString());
    QVERIFY(document->busy());
    QTRY_COMPARE(changed.count(), 1);
    QTRY_VERIFY(!document->suggestionsPending());
    QCOMPARE(counter.estimates - before, 1);
    QCOMPARE(*document->estimate()->scenario.plan.tensorParallel, 4);
    QVERIFY(!document->busy());
}

void TestDocument::editsOfOneTurnAreOneEstimate() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    QTRY_VERIFY(!document->busy());
    const int before = counter.estimates;
    for (const char* value : {"4", "2", "1", "8", "2"})
        document->setField(field("plan.tensor_parallel"), QLatin1String(value));
    QTRY_VERIFY(!document->busy());
    QCOMPARE(counter.estimates - before, 1);
    QCOMPARE(*document->estimate()->scenario.plan.tensorParallel, 2);
}

void TestDocument::supersededEstimatesAreDropped() {
    CountingEngine counter;
    counter.held = true;
    const auto document = sampleDocument(counter);
    QSignalSpy changed(document.get(), &Document::estimateChanged);
    QTRY_COMPARE(counter.estimates.load(), 1); // the first is inside the engine
    document->setField(field("plan.tensor_parallel"), QStringLiteral("4"));
    settle();
    document->setField(field("plan.tensor_parallel"), QStringLiteral("2"));
    settle();
    counter.held = false;
    counter.release.release(2);
    QTRY_VERIFY(!document->busy());
    settle(); // nothing older arrives after the newest
    QCOMPARE(changed.count(), 1);
    QCOMPARE(*document->estimate()->scenario.plan.tensorParallel, 2);
    QCOMPARE(counter.estimates.load(), 2); // the one for 4 was never begun
}

void TestDocument::suggestionsFollowTheEstimate() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    QSignalSpy estimated(document.get(), &Document::estimateChanged);
    QSignalSpy suggested(document.get(), &Document::suggestionsChanged);
    QTRY_COMPARE(suggested.count(), 1);
    QCOMPARE(estimated.count(), 1);
    QCOMPARE(document->suggestions().size(), sample::suggestions().size());
    QVERIFY(!document->suggestionsPending());
}

void TestDocument::failureKeepsTheOldEstimate() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    QTRY_VERIFY(!document->busy());
    const auto old = document->estimate();
    QVERIFY(old);
    counter.fail = true;
    QSignalSpy failed(document.get(), &Document::failed);
    document->setField(field("plan.micro_batch"), QStringLiteral("2"));
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(document->error(), QStringLiteral("/workload/model: there is no model of this name"));
    QCOMPARE(document->estimate(), old);
    counter.fail = false;
    document->recompute();
    QTRY_VERIFY(document->error().isEmpty());
    QVERIFY(document->estimate() != old);
}

void TestDocument::exceptionBecomesAnError() {
    CountingEngine counter;
    counter.throwing = true;
    const auto document = sampleDocument(counter);
    QTRY_VERIFY(document->error().contains(QStringLiteral("out of luck")));
    QVERIFY(!document->estimate());
}

void TestDocument::cancelKeepsTheOldEstimate() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    QTRY_VERIFY(!document->busy());
    const auto old = document->estimate();
    counter.held = true;
    document->setField(field("plan.micro_batch"), QStringLiteral("2"));
    QTRY_COMPARE(counter.estimates.load(), 2);
    document->cancel();
    QVERIFY(!document->busy());
    counter.held = false;
    counter.release.release();
    settle();
    QCOMPARE(document->estimate(), old);
}

void TestDocument::undoTexts() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    document->setField(field("plan.tensor_parallel"), QStringLiteral("4"));
    QCOMPARE(document->undoStack()->undoText(), QStringLiteral("set Tensor to 4"));
    document->setField(field("plan.tensor_parallel"), {});
    QCOMPARE(document->undoStack()->undoText(), QStringLiteral("reset Tensor"));
    document->setFields({{"plan.tensor_parallel", "8"}, {"plan.pipeline_parallel", "8"}},
                        QStringLiteral("use 8 x 8"));
    QCOMPARE(document->undoStack()->undoText(), QStringLiteral("use 8 x 8"));
    QCOMPARE(document->undoStack()->count(), 3);
}

void TestDocument::refusedTextChangesNothing() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    const std::string before = written(document->spec());
    QVERIFY(!document->setField(field("plan.tensor_parallel"), QStringLiteral("many")).isEmpty());
    QVERIFY(!document->setField(field("plan.tensor_parallel"), QStringLiteral("-3")).isEmpty());
    QVERIFY(!document->setField(field("plan.precision"), QStringLiteral("fp7")).isEmpty());
    QVERIFY(!document->setFields({{"plan.tensor_parallel", "4"}, {"plan.precision", "fp7"}}, {}).isEmpty());
    QVERIFY(!document->setFields({{"plan.nonsense", "4"}}, {}).isEmpty());
    QCOMPARE(written(document->spec()), before);
    QCOMPARE(document->undoStack()->count(), 0);
}

void TestDocument::exclusiveFieldsComeBackOnUndo() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    const std::string before = written(document->spec());
    QCOMPARE(document->setField(field("cluster.ultraserver"), QStringLiteral("u-p6e-gb200x72")), QString());
    QVERIFY(!document->spec().cluster.instance);
    document->undoStack()->undo();
    QCOMPARE(written(document->spec()), before);

    ScenarioSpec own = sample::scenario();
    own.workload.model.reset();
    own.workload.architecture.emplace();
    own.workload.architecture->name = "mine";
    own.workload.architecture->layers = 3;
    document->open(own, {});
    document->setField(field("workload.model"), QStringLiteral("llama-3.1-405b"));
    QVERIFY(!document->spec().workload.architecture);
    document->undoStack()->undo();
    QVERIFY(document->spec().workload.architecture);
    QCOMPARE(document->spec().workload.architecture->layers, 3);
    QVERIFY(!document->spec().workload.model);
}

void TestDocument::gestureIsOneStep() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    const int drag = Document::newGesture();
    for (const char* value : {"2", "3", "4"})
        document->setField(field("plan.micro_batch"), QLatin1String(value), drag);
    QCOMPARE(document->undoStack()->count(), 1);
    QCOMPARE(document->undoStack()->undoText(), QStringLiteral("set Micro-batch to 4"));
    document->setField(field("plan.micro_batch"), QStringLiteral("5"), Document::newGesture());
    QCOMPARE(document->undoStack()->count(), 2);
    document->undoStack()->undo();
    QCOMPARE(*document->spec().plan.microBatch, 4);
    document->undoStack()->undo();
    QCOMPARE(*document->spec().plan.microBatch, 1);
}

void TestDocument::gestureThatReturnsLeavesNoStep() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    const int drag = Document::newGesture();
    for (const char* value : {"2", "1"})
        document->setField(field("plan.micro_batch"), QLatin1String(value), drag);
    QCOMPARE(document->undoStack()->count(), 0);
    QVERIFY(!document->isModified());
}

void TestDocument::cleanStateFollowsUndo() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    QSignalSpy modified(document.get(), &Document::modifiedChanged);
    QVERIFY(!document->isModified());
    document->setField(field("plan.micro_batch"), QStringLiteral("2"));
    QVERIFY(document->isModified());
    document->setSaved(QStringLiteral("/tmp/plan.json"));
    QVERIFY(!document->isModified());
    document->undoStack()->undo();
    QVERIFY(document->isModified());
    document->undoStack()->redo();
    QVERIFY(!document->isModified());
    document->setOutdated();
    QVERIFY(document->isModified());
    document->setSaved(QStringLiteral("/tmp/plan.json"));
    QVERIFY(!document->isModified());
    QCOMPARE(modified.count(), 6);
}

void TestDocument::previewShowsWithoutChanging() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    QTRY_VERIFY(!document->suggestionsPending() && !document->busy());
    const std::string before = written(document->spec());
    const int suggested = counter.suggestions;
    document->preview({"Set tensor parallel to 4", {{"plan.tensor_parallel", "4"}}});
    QVERIFY(document->previewed());
    QCOMPARE(*document->shownSpec().plan.tensorParallel, 4);
    QCOMPARE(written(document->spec()), before);
    QTRY_VERIFY(!document->busy());
    QCOMPARE(*document->estimate()->scenario.plan.tensorParallel, 4);
    QCOMPARE(counter.suggestions.load(), suggested); // those of the scenario itself stay
    QVERIFY(!document->isModified());
    document->endPreview();
    QTRY_VERIFY(!document->busy());
    QCOMPARE(*document->estimate()->scenario.plan.tensorParallel, 8);
}

void TestDocument::adoptedPreviewIsOneStep() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    document->preview({"Use 4 x 8", {{"plan.tensor_parallel", "4"}, {"plan.pipeline_parallel", "8"}}});
    document->adoptPreview();
    QVERIFY(!document->previewed());
    QCOMPARE(*document->spec().plan.tensorParallel, 4);
    QCOMPARE(*document->spec().plan.pipelineParallel, 8);
    QCOMPARE(document->undoStack()->count(), 1);
    QCOMPARE(document->undoStack()->undoText(), QStringLiteral("use 4 x 8"));
}

void TestDocument::editEndsPreview() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    document->preview({"Use 4", {{"plan.tensor_parallel", "4"}}});
    document->setField(field("plan.micro_batch"), QStringLiteral("2"));
    QVERIFY(!document->previewed());
    QCOMPARE(*document->spec().plan.tensorParallel, 8);
    document->preview({"Use 4", {{"plan.tensor_parallel", "4"}}});
    document->undoStack()->undo();
    QVERIFY(!document->previewed());
    QCOMPARE(*document->shownSpec().plan.microBatch, 1);
}

void TestDocument::selectionIsToldOnce() {
    CountingEngine counter;
    const auto document = sampleDocument(counter);
    QSignalSpy spy(document.get(), &Document::selectionChanged);
    const Selection chosen{.layer = QStringLiteral("transformer"), .operation = QStringLiteral("mlp down")};
    document->setSelection(chosen);
    document->setSelection(chosen);
    QCOMPARE(spy.count(), 1);
    document->clearSelection();
    QVERIFY(document->selection().empty());
    QCOMPARE(spy.count(), 2);
}

void TestDocument::destructionWhileComputing() {
    for (int i = 0; i < 50; ++i) {
        CountingEngine counter;
        auto document = sampleDocument(counter);
        if (i % 2 == 0)
            QCoreApplication::processEvents();
        document.reset();
    }
    QCoreApplication::processEvents();
}

void TestDocument::randomChangesUndoAndRedo_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 20; ++seed)
        QTest::newRow(qPrintable(QStringLiteral("seed %1").arg(seed))) << seed;
}

/// 1,000 random changes, undos and redos; the document equals a list of remembered states at every step.
void TestDocument::randomChangesUndoAndRedo() {
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    const auto upTo = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    CountingEngine counter;
    const auto document = sampleDocument(counter);

    std::vector<std::string> states = {written(document->spec())};
    std::size_t now = 0;
    std::size_t saved = 0;
    const auto table = fieldTable();
    for (int step = 0; step < 1000; ++step) {
        const int dice = upTo(10);
        if (dice < 2 && now > 0) {
            document->undoStack()->undo();
            --now;
        } else if (dice == 2 && now + 1 < states.size()) {
            document->undoStack()->redo();
            ++now;
        } else if (dice == 3 && upTo(10) == 0) {
            document->setSaved(QStringLiteral("/tmp/plan.json"));
            saved = now;
        } else {
            const Field& f = table[static_cast<std::size_t>(upTo(static_cast<int>(table.size())))];
            QString value;
            switch (upTo(4)) {
            case 0:
                break; // reset
            case 1:
                value = QString::number(1 + upTo(64));
                break;
            case 2:
                value =
                    f.choices.empty()
                        ? QStringLiteral("word")
                        : text(f.choices[static_cast<std::size_t>(upTo(static_cast<int>(f.choices.size())))]);
                break;
            default:
                value = QStringLiteral("true");
            }
            const int count = document->undoStack()->index();
            const QString refusal = document->setField(f, value);
            if (!refusal.isEmpty() || document->undoStack()->index() == count) {
                QCOMPARE(written(document->spec()), states[now]); // refused, or it was so already
            } else {
                states.resize(now + 1);
                if (saved > now)
                    saved = states.size() + 100'000; // the saved state can no longer be reached
                states.push_back(written(document->spec()));
                ++now;
                QVERIFY2(states[now] != states[now - 1], qPrintable(text(f.path)));
            }
        }
        QCOMPARE(written(document->spec()), states[now]);
        QCOMPARE(document->isModified(), now != saved);
    }
    while (now > 0) {
        document->undoStack()->undo();
        QCOMPARE(written(document->spec()), states[--now]);
    }
}

QTEST_GUILESS_MAIN(TestDocument)

} // namespace tst_document

#include "tst_document.moc"
