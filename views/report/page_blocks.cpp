// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/page_blocks.h"

#include "views/report/page_table.h"
#include "views/report/page_text.h"
#include "views/report/plot_drawing.h"
#include "views/report/plot_parts.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace alidade::views {
namespace {

double heightOf(const std::vector<Block>& blocks, std::size_t from) {
    double height = 0;
    for (std::size_t i = from; i < blocks.size(); ++i)
        height += blocks[i].before + blocks[i].height;
    return height;
}

struct ContentsLine {
    QString title;
    std::shared_ptr<int> page; ///< filled in once the pages are known
};

class BlockMaker {
public:
    BlockMaker(const Theme& theme, double width, double tightness)
        : theme_(theme)
        , width_(width)
        , tightness_(tightness) {}

    std::vector<Block> blocks;

    void addAnswer(const data::Report& report) {
        addText({{fromUtf8(report.title), true}}, 25, 0, Role::text);
        blocks.back().tag = PageTag::title;
        if (!report.subtitle.empty())
            addText({{fromUtf8(report.subtitle), false}}, 13, 0, Role::text2);
        std::vector<PageRun> runs;
        for (const data::Sentence& sentence : report.answer) {
            if (!runs.empty())
                runs.push_back({QStringLiteral(" "), false});
            for (const data::TextRun& run : sentence)
                runs.push_back({fromUtf8(run.text), run.strong});
        }
        addText(runs, 15, 8, Role::text);
        if (!report.keyFigures.empty())
            addKeyFigures(report.keyFigures);
    }

    void addSection(const data::ReportSection& section, bool newPage = false,
                    std::shared_ptr<int> contentsEntry = nullptr) {
        addHeading(fromUtf8(section.title), newPage);
        if (contentsEntry) {
            blocks.back().heading = fromUtf8(section.title);
            blocks.back().contentsEntry = std::move(contentsEntry);
        }
        for (const std::string& text : section.text) {
            addText({{fromUtf8(text), false}}, 13, 4, Role::text);
            blocks.back().keepWithNext = true;
        }
        constexpr double lowPlot = 140; // does not leave much of a page empty with its table
        for (const data::Plot& plot : section.plots) {
            addPlot(plot);
            blocks.back().keepWithNext = blocks.back().height < lowPlot && !section.tables.empty();
        }
        const TableStyle style{.pixelSize = section.firstPage ? 13 : 12,
                               .rowPadding = section.firstPage ? 7 - 5 * tightness_ : 5 - 2 * tightness_,
                               .before = 6 - 6 * tightness_};
        for (const data::Table& table : section.tables)
            addTable(blocks, table, style, theme_, width_);
        if (!blocks.empty())
            blocks.back().keepWithNext = false;
    }

    /// Two short sections side by side, in one piece.
    void addPair(const data::ReportSection& a, const data::ReportSection& b) {
        constexpr double gap = 28;
        const double half = (width_ - gap) / 2;
        auto left = std::make_shared<BlockMaker>(theme_, half, tightness_);
        auto right = std::make_shared<BlockMaker>(theme_, half, tightness_);
        left->addSection(a);
        right->addSection(b);
        const double before = left->blocks.front().before;
        blocks.push_back({.height = std::max(heightOf(left->blocks, 0), heightOf(right->blocks, 0)) - before,
                          .before = before,
                          .paint = [left, right, half](QPainter& p, const QPointF& at) {
                              paintDown(p, at, left->blocks);
                              paintDown(p, at + QPointF(half + gap, 0), right->blocks);
                          }});
    }

    /// The sections with their pages, which are known once all is laid out.
    void addContents(const std::vector<ContentsLine>& lines, bool newPage) {
        constexpr double lineHeight = 18, gap = 28;
        addHeading(QStringLiteral("Contents"), newPage);
        const std::size_t rows = (lines.size() + 1) / 2;
        const double column = (width_ - gap) / 2;
        blocks.push_back({.height = double(rows) * lineHeight,
                          .before = 4,
                          .paint =
                              [lines, rows, column, theme = theme_](QPainter& p, const QPointF& at) {
                                  p.setFont(reportFont(12));
                                  for (std::size_t i = 0; i < lines.size(); ++i) {
                                      const double left = at.x() + (i < rows ? 0 : column + gap);
                                      const double base = at.y() + double(i % rows) * lineHeight + 13;
                                      const QString page = QString::number(*lines[i].page);
                                      const TaggedContent line(p, PageTag::contentsLine);
                                      p.setPen(theme.color(Role::text));
                                      p.drawText(QPointF(left, base),
                                                 shortened(lines[i].title, column - 40, 12));
                                      p.setPen(theme.color(Role::text2));
                                      p.drawText(QPointF(left + column - textWidth(page, 12), base), page);
                                  }
                              },
                          .tag = PageTag::contents});
    }

private:
    static void paintDown(QPainter& p, QPointF at, const std::vector<Block>& blocks) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            at.ry() += i == 0 ? 0 : blocks[i].before;
            paintBlock(p, at, blocks[i]);
            at.ry() += blocks[i].height;
        }
    }

    void addText(const std::vector<PageRun>& runs, int pixelSize, double before, Role role) {
        const auto text = std::make_shared<const PageText>(runs, pixelSize, width_);
        blocks.push_back({.height = text->height(),
                          .before = before,
                          .paint = [text, color = theme_.color(role)](
                                       QPainter& p, const QPointF& at) { text->paint(p, at, color); },
                          .tag = PageTag::paragraph});
    }

    void addHeading(const QString& title, bool newPage) {
        const auto text = std::make_shared<const PageText>(title, 14, width_, true);
        blocks.push_back(
            {.height = text->height() + 10,
             .before = 22 - 10 * tightness_,
             .keepWithNext = true,
             .newPage = newPage,
             .paint =
                 [text, ink = theme_.color(Role::text), width = width_](QPainter& p, const QPointF& at) {
                     text->paint(p, at, ink);
                     p.fillRect(QRectF(at.x(), at.y() + text->height() + 3, width, 1), ink);
                 },
             .tag = PageTag::heading});
    }

    void addPlot(const data::Plot& plot) {
        const auto drawing = std::make_shared<const Drawing>(drawPlot(plot, theme_, width_));
        blocks.push_back(
            {.height = drawing->height,
             .before = 4,
             .paint = [drawing, words = figureWords(plot), theme = theme_](QPainter& p, const QPointF& at) {
                 const TaggedContent figure(p, words);
                 p.save();
                 p.translate(at);
                 paintDrawing(p, *drawing, theme);
                 p.restore();
             }});
    }

    struct KeyFigureText {
        PageText question, detail;
        QString value, unit;
        QColor ink;
    };

    void addKeyFigures(const std::vector<data::KeyFigure>& figures) {
        constexpr double padding = 14;
        const double cell = width_ / double(figures.size());
        auto texts = std::make_shared<std::vector<KeyFigureText>>();
        double detailHeight = 0;
        for (std::size_t i = 0; i < figures.size(); ++i) {
            const data::KeyFigure& k = figures[i];
            const double inner = cell - (i == 0 ? padding : 2 * padding);
            const Role role = k.emphasis == data::Emphasis::warning ? Role::err
                              : k.emphasis == data::Emphasis::quiet ? Role::text2
                                                                    : Role::text;
            texts->push_back({PageText(fromUtf8(k.question), 12, inner),
                              PageText(fromUtf8(k.detail), 12, inner), fromUtf8(k.value), fromUtf8(k.unit),
                              theme_.color(role)});
            detailHeight = std::max(detailHeight, texts->back().detail.height());
        }
        const double height = 10 + 18 + 32 + detailHeight + 8;
        blocks.push_back(
            {.height = height,
             .before = 14 - 6 * tightness_,
             .paint = [texts, cell, height, theme = theme_, width = width_](QPainter& p, const QPointF& at) {
                 paintKeyFigures(p, at, *texts, cell, height, width, theme);
             }});
    }

    static void paintKeyFigures(QPainter& p, const QPointF& at, const std::vector<KeyFigureText>& texts,
                                double cell, double height, double width, const Theme& theme) {
        p.fillRect(QRectF(at.x(), at.y(), width, 2), theme.color(Role::text));
        p.fillRect(QRectF(at.x(), at.y() + height - 1, width, 1), theme.color(Role::line2));
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const KeyFigureText& t = texts[i];
            const double left = at.x() + double(i) * cell;
            if (i > 0)
                p.fillRect(QRectF(left, at.y() + 2, 1, height - 3), theme.color(Role::line));
            const double x = left + (i == 0 ? 0 : 14);
            {
                const TaggedContent question(p, PageTag::paragraph);
                t.question.paint(p, {x, at.y() + 10}, theme.color(Role::text2));
            }
            const TaggedContent answer(p, PageTag::paragraph);
            p.setPen(t.ink);
            p.setFont(reportFont(24, true));
            p.drawText(QPointF(x, at.y() + 52), QString(t.value + u' '));
            p.setPen(theme.color(Role::text2));
            p.setFont(reportFont(13));
            p.drawText(QPointF(x + textWidth(t.value, 24, true) + 5, at.y() + 52), QString(t.unit + u' '));
            t.detail.paint(p, {x, at.y() + 61}, theme.color(Role::text2));
        }
    }

    Theme theme_;
    double width_;
    double tightness_;
};

std::vector<Block> answerBlocks(const data::Report& report, const Theme& theme, double width,
                                double tightness) {
    BlockMaker maker(theme, width, tightness);
    maker.addAnswer(report);
    for (std::size_t i = 0; i < report.sections.size(); ++i) {
        const data::ReportSection& section = report.sections[i];
        if (!section.firstPage)
            continue;
        if (section.narrow && i + 1 < report.sections.size() && report.sections[i + 1].narrow)
            maker.addPair(section, report.sections[++i]);
        else
            maker.addSection(section);
    }
    return std::move(maker.blocks);
}

/// The answer as loosely as it fits on one page.
std::vector<Block> answerOnOnePage(const data::Report& report, const Theme& theme, double width,
                                   double pageHeight, double tightness) {
    std::vector<Block> blocks = answerBlocks(report, theme, width, tightness);
    for (double t = tightness + 0.25; t <= 1 && heightOf(blocks, 0) > pageHeight; t += 0.25)
        blocks = answerBlocks(report, theme, width, t);
    return blocks;
}

/// The answer without its last sections where they would begin another page.
std::vector<Block> onePage(data::Report report, const Theme& theme, double width, double pageHeight,
                           double tightness) {
    report.parts.clear();
    std::erase_if(report.sections, [](const data::ReportSection& section) { return !section.firstPage; });
    std::vector<Block> blocks = answerOnOnePage(report, theme, width, pageHeight, tightness);
    while (report.sections.size() > 1 && heightOf(blocks, 0) > pageHeight) {
        report.sections.pop_back();
        blocks = answerOnOnePage(report, theme, width, pageHeight, tightness);
    }
    return blocks;
}

enum class Extent : bool { firstPage, whole };

void addReport(std::vector<Block>& blocks, const data::Report& report, const Theme& theme, double width,
               double pageHeight, double tightness, Extent extent) {
    std::vector<Block> answer = extent == Extent::firstPage
                                    ? onePage(report, theme, width, pageHeight, tightness)
                                    : answerOnOnePage(report, theme, width, pageHeight, tightness);
    // the details begin a page unless the answer leaves most of one free
    const bool onNewPage = std::fmod(heightOf(answer, 0), pageHeight) > pageHeight * 0.5;
    answer.front().newPage = !blocks.empty();
    if (extent == Extent::firstPage) {
        answer.front().heading = fromUtf8(report.title);
        answer.front().headingOfPart = true;
    }
    std::ranges::move(answer, std::back_inserter(blocks));
    if (extent == Extent::firstPage)
        return;
    BlockMaker details(theme, width, tightness);
    std::vector<ContentsLine> contents;
    for (const data::ReportSection& section : report.sections)
        if (!section.firstPage)
            contents.push_back({fromUtf8(section.title), std::make_shared<int>(0)});
    // Only a document in parts is long enough to need them.
    const bool inParts = std::ranges::any_of(report.sections, &data::ReportSection::beginsPart);
    if (inParts && contents.size() > 3)
        details.addContents(contents, onNewPage);
    bool first = true;
    std::size_t line = 0;
    for (const data::ReportSection& section : report.sections)
        if (!section.firstPage) {
            const bool newPage = details.blocks.empty() ? onNewPage : section.beginsPart && !first;
            details.addSection(section, newPage, contents[line++].page);
            first = false;
        }
    std::ranges::move(details.blocks, std::back_inserter(blocks));
    for (const data::Report& part : report.parts)
        addReport(blocks, part, theme, width, pageHeight, tightness, Extent::firstPage);
}

} // namespace

QString figureWords(const data::Plot& plot) {
    return fromUtf8(plot.description.empty() ? plot.title : plot.description);
}

std::vector<Block> blocksOf(const data::Report& report, const Theme& theme, double width, double pageHeight,
                            double tightness) {
    std::vector<Block> blocks;
    addReport(blocks, report, theme, width, pageHeight, tightness, Extent::whole);
    return blocks;
}

} // namespace alidade::views
