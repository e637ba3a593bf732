// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/data/sample_estimate.h"
#include "tests/views/cut_off.h"
#include "views/report/page_flow.h"
#include "views/report/page_table.h"
#include "views/report/page_text.h"
#include "views/report/plot_drawing.h"
#include "views/report/plot_parts.h"

#include <QRandomGenerator>
#include <QTest>

#include <cmath>
#include <limits>
#include <numeric>

namespace tst_report_pages {

using namespace alidade;
using namespace alidade::views;
using alidade::tests::cutOff;

namespace {

Block block(double height, bool keepWithNext = false, double before = 0) {
    return {.height = height, .before = before, .keepWithNext = keepWithNext};
}

/// Which blocks are on each page, by their index; -1 for a repeated head.
std::vector<std::vector<std::ptrdiff_t>> pageIndices(const std::vector<Block>& blocks,
                                                     const std::vector<Page>& pages) {
    std::vector<std::vector<std::ptrdiff_t>> out;
    for (const Page& page : pages) {
        out.emplace_back();
        for (const PlacedBlock& placed : page) {
            const std::ptrdiff_t index = placed.block - blocks.data();
            out.back().push_back(index >= 0 && index < std::ssize(blocks) ? index : -1);
        }
    }
    return out;
}

using Indices = std::vector<std::vector<std::ptrdiff_t>>;

std::vector<data::Plot> plotsOf(const Estimate& e) {
    std::vector<data::Plot> plots;
    for (const auto& section : data::buildReport(e, {}, {"1", "2026-11-20"}).sections)
        plots.insert(plots.end(), section.plots.begin(), section.plots.end());
    return plots;
}

} // namespace

class TestReportPages : public QObject {
    Q_OBJECT

private slots:
    void fillsPagesInOrder() {
        const std::vector<Block> blocks{block(40), block(40), block(40), block(40)};
        QCOMPARE(pageIndices(blocks, paginate(blocks, 100)), (Indices{{0, 1}, {2, 3}}));
    }

    void headingGoesWithItsText() {
        const std::vector<Block> blocks{block(70), block(20, true), block(30)};
        QCOMPARE(pageIndices(blocks, paginate(blocks, 100)), (Indices{{0}, {1, 2}}));
    }

    void keptChainLargerThanAPageIsBroken() {
        const std::vector<Block> blocks{block(60, true), block(60, true), block(60)};
        QCOMPARE(pageIndices(blocks, paginate(blocks, 100)), (Indices{{0}, {1}, {2}}));
    }

    void spaceAboveFallsAwayAtTheTop() {
        const std::vector<Block> blocks{block(60), block(50, false, 30), block(50, false, 30)};
        const auto pages = paginate(blocks, 100);
        QCOMPARE(pages.size(), 3U);
        QCOMPARE(pages[1][0].top, 0.0);
    }

    void newPageIsANewPage() {
        std::vector<Block> blocks{block(10), block(10), block(10)};
        blocks[1].newPage = true;
        QCOMPARE(pageIndices(blocks, paginate(blocks, 100)), (Indices{{0}, {1, 2}}));
        blocks[0].newPage = true; // not an empty page before it
        QCOMPARE(paginate(blocks, 100).size(), 2U);
    }

    void tableHeadIsRepeated() {
        const auto head = std::make_shared<const Block>(block(20, true));
        std::vector<Block> blocks{*head};
        for (int i = 0; i < 10; ++i) {
            blocks.push_back(block(20));
            blocks.back().repeated = head;
        }
        const auto pages = paginate(blocks, 100);
        QCOMPARE(pageIndices(blocks, pages), (Indices{{0, 1, 2, 3, 4}, {-1, 5, 6, 7, 8}, {-1, 9, 10}}));
        QCOMPARE(pages[1][1].top, 20.0);
    }

    void nothingIsLostOrSplit() {
        QRandomGenerator random(7);
        for (int round = 0; round < 200; ++round) {
            std::vector<Block> blocks;
            for (int i = 0; i < 60; ++i)
                blocks.push_back(block(5 + random.bounded(60), random.bounded(3) == 0, random.bounded(20)));
            std::ptrdiff_t next = 0;
            for (const Page& page : paginate(blocks, 100)) {
                QVERIFY(!page.empty());
                QVERIFY(usedHeight(page) <= 100.01);
                double bottom = 0;
                for (const PlacedBlock& placed : page) {
                    QCOMPARE(placed.block - blocks.data(), next++);
                    QVERIFY(placed.top >= bottom - 0.01);
                    bottom = placed.top + placed.block->height;
                }
            }
            QCOMPARE(next, std::ssize(blocks));
        }
    }

    void columnsFillTheTable() {
        const std::vector<ColumnWish> wishes{{100, 80, 40}, {60, 50, 50}, {90, 40, 40}};
        for (const double width : {600.0, 250.0, 249.0, 200.0, 170.0, 150.0, 130.0, 80.0}) {
            const auto widths = columnWidths(wishes, 0, width);
            QVERIFY2(std::abs(std::accumulate(widths.begin(), widths.end(), 0.0) - width) < 0.1,
                     qPrintable(QString::number(width)));
        }
        QCOMPARE(columnWidths(wishes, 0, 300), (std::vector<double>{150, 60, 90}));
        QCOMPARE(columnWidths(wishes, 3, 310), (std::vector<double>{120, 80, 110}));
        QCOMPARE(columnWidths(wishes, 0, 170),
                 (std::vector<double>{80, 50, 40})); // titles give way before cells
        const auto tight = columnWidths(wishes, 0, 140);
        QVERIFY(tight[0] < 80 && tight[0] > 45); // then the widest text
        QVERIFY(std::abs(tight[1] - 50) < 0.1 && std::abs(tight[2] - 40) < 0.1);
    }

    void breaksTextBetweenWords() {
        const QString words = QStringLiteral("The model fits in memory and the step is bound by compute");
        const PageText whole(words, 13, 2000);
        QCOMPARE(whole.lineCount(), 1U);
        const double width = textWidth(words, 13);
        QCOMPARE(PageText(words, 13, width * 0.6).lineCount(), 2U);
        QVERIFY(PageText(QStringLiteral("/plan/a_place_without_any_space_in_it/that/is/long"), 13, 60)
                    .lineCount() > 3);
        QCOMPARE(PageText::line(words, 13, 10).lineCount(), 1U);
        const QString memory = QStringLiteral("in reserve: 4.67 GB.");
        const PageText number(memory, 13, textWidth(memory, 13) - 4);
        QCOMPARE(number.lineCount(), 2U);
        QCOMPARE(number.lineText(1), QStringLiteral("4.67 GB.")); // a number is not torn from its unit
        // nor is a figure that counts
        const double figure = textWidth(QStringLiteral("73.3 days"), 13, true);
        QCOMPARE(
            PageText({{QStringLiteral("in "), false}, {QStringLiteral("73.3 days"), true}}, 13, figure + 1)
                .lineCount(),
            2U);
    }

    void nothingIsCutOff_data() {
        QTest::addColumn<int>("stages");
        QTest::addColumn<double>("factor");
        QTest::newRow("sample") << 16 << 1.0;
        QTest::newRow("one stage") << 1 << 1.0;
        QTest::newRow("many stages") << 128 << 1.0;
        QTest::newRow("tiny") << 4 << 1e-9;
        QTest::newRow("huge") << 4 << 1e9;
        QTest::newRow("nothing") << 2 << 0.0;
        QTest::newRow("not a number") << 2 << std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("infinite") << 2 << std::numeric_limits<double>::infinity();
    }
    void nothingIsCutOff() {
        QFETCH(int, stages);
        QFETCH(double, factor);
        Estimate e = sample::estimate();
        e.memory->stages.resize(static_cast<std::size_t>(stages), e.memory->stages[1]);
        e.memory->worstStage = 0;
        for (auto& stage : e.memory->stages)
            for (auto& part : stage.parts)
                part.bytes *= factor;
        for (Layer& layer : e.training->layers)
            for (Operation& op : layer.ops) {
                op.seconds *= factor;
                op.bytes *= factor;
            }
        for (auto& part : e.training->breakdown)
            part.seconds *= factor;
        e.training->stepTime *= factor;
        for (const double width : {321.0, 670.0, 720.0})
            for (const data::Plot& plot : plotsOf(e)) {
                const Drawing drawing = drawPlot(plot, Theme::paper(), width);
                QCOMPARE(drawing.width, width);
                const QString fault = cutOff(drawing);
                QVERIFY2(fault.isEmpty(),
                         qPrintable(QString::fromStdString(plot.id) + QStringLiteral(": ") + fault));
            }
    }

    void longNamesAreShortened() {
        data::StackedBars bars;
        bars.bars.push_back({std::string(300, 'W'), {{"x", 1.0, "1 s", Bound::nvlink}}, "1.00 s"});
        const QString fault = cutOff(drawStackedBars(bars, QStringLiteral("Time"), Theme::paper(), 670));
        QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }

    void barsAreToScale() {
        data::StackedBars bars;
        bars.bars = {{"a", {{"x", 2.0, "", Bound::compute}}, "2 s"},
                     {"b", {{"x", 1.0, "", Bound::compute}}, "1 s"}};
        const Drawing drawing = drawStackedBars(bars, QStringLiteral("Time"), Theme::paper(), 670);
        std::vector<double> widths;
        for (const Shape& shape : drawing.shapes)
            if (const auto* fill = std::get_if<DrawnClass>(&shape))
                widths.push_back(fill->rect.width() + 1); // with its gap
        QCOMPARE(widths.size(), 2U);
        QVERIFY(std::abs(widths[0] / widths[1] - 2) < 1e-9);
    }

    void stepBarIsAsWideAsThePage() {
        const Estimate e = sample::estimate(); // one of its parts is too small to see and is drawn at 2 px
        for (const data::Plot& plot : plotsOf(e)) {
            if (plot.id != "step")
                continue;
            double left = 1e9, right = 0;
            int segments = 0;
            for (const Shape& shape : drawPlot(plot, Theme::paper(), 670).shapes)
                if (const auto* fill = std::get_if<DrawnClass>(&shape)) {
                    left = std::min(left, fill->rect.left());
                    right = std::max(right, fill->rect.right());
                    QVERIFY(fill->rect.width() >= 2);
                    ++segments;
                }
            QCOMPARE(segments, 9);
            QCOMPARE(left, 0.0);
            QVERIFY(right > 667 && right <= 670);
            return;
        }
        QFAIL("there is no step bar");
    }

    void rooflinePointsLieUnderTheRoof() {
        const data::Plot plot = [] {
            for (const data::Plot& p : plotsOf(sample::estimate()))
                if (p.id == "roofline")
                    return p;
            return data::Plot{};
        }();
        const Drawing drawing = drawPlot(plot, Theme::paper(), 670);
        double roof = 1e9;
        std::vector<double> points;
        for (const Shape& shape : drawing.shapes) {
            if (const auto* line = std::get_if<DrawnLine>(&shape); line && line->width == 1.5)
                for (const QPointF& p : line->points)
                    roof = std::min(roof, p.y());
            if (const auto* circle = std::get_if<DrawnCircle>(&shape))
                points.push_back(circle->center.y());
        }
        QCOMPARE(points.size(), std::get<data::Roofline>(plot.content).points.size());
        for (const double y : points)
            QVERIFY(y > roof);
    }

    void ticksAreRound() {
        QCOMPARE(linearTicks(80, 5), (std::vector<double>{0, 20, 40, 60, 80}));
        QCOMPARE(linearTicks(0.26, 5).back(), 0.3);
        QCOMPARE(linearTicks(0, 5), (std::vector<double>{0}));
        QCOMPARE(linearTicks(std::numeric_limits<double>::infinity(), 5), (std::vector<double>{0}));
    }

    void memoryPartsKeepTheirFamilies() {
        const Theme paper = Theme::paper();
        const auto colors = memoryPartColors({QStringLiteral("Weights"), QStringLiteral("Activations"),
                                              QStringLiteral("CUDA context"), QStringLiteral("Gradients")},
                                             paper);
        QCOMPARE(colors[0], paper.memoryColor(MemoryTone::held1));
        QCOMPARE(colors[1], paper.memoryColor(MemoryTone::passing1));
        QCOMPARE(colors[2], paper.memoryColor(MemoryTone::overhead));
        QCOMPARE(colors[3], paper.memoryColor(MemoryTone::held2));
    }
};

QTEST_MAIN(TestReportPages)

} // namespace tst_report_pages

#include "tst_report_pages.moc"
