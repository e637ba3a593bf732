// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/page_table.h"

#include "views/report/drawing.h"
#include "views/report/page_text.h"
#include "views/report/plot_parts.h"

#include <QPainter>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace alidade::views {
namespace {

constexpr double columnGap = 16;
constexpr double tagWidth = 21;
constexpr int headPixels = 12;
constexpr std::size_t keptWhole = 12; ///< a table of so few rows is not broken

double widestWord(const QString& text, int pixelSize, bool strong) {
    double width = 0;
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts))
        width = std::max(width, textWidth(word, pixelSize, strong));
    return width;
}

/// A table with its column widths: what its blocks paint from.
struct TableLayout {
    data::Table table;
    TableStyle style;
    Theme theme;
    double width = 0;
    std::vector<double> left{}, widths{};

    bool isRight(std::size_t c) const { return table.columns[c].kind != data::ColumnKind::text; }
    bool isTotal(std::size_t r) const { return table.totalRow && r + 1 == table.rows.size(); }

    ColumnWish wishOf(std::size_t c) const {
        const QString title = fromUtf8(table.columns[c].title);
        ColumnWish wish{.cells = widestWord(title, headPixels, false)};
        wish.least = wish.cells;
        for (const auto& row : table.rows) {
            if (c >= row.size())
                continue;
            const QString text = fromUtf8(row[c].text);
            const bool strong = row[c].emphasis != data::Emphasis::none;
            const double mark = row[c].bound ? tagWidth : 0;
            const double whole = textWidth(text, style.pixelSize, strong);
            wish.cells = std::max(wish.cells, mark + whole);
            const double word = std::min(widestWord(text, style.pixelSize, strong), 110.0);
            wish.least = std::max(wish.least, mark + (isRight(c) ? whole : word));
        }
        wish.whole = std::max(wish.cells, textWidth(title, headPixels));
        return wish;
    }

    void measure() {
        std::vector<ColumnWish> wishes;
        std::size_t slack = table.columns.size();
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            wishes.push_back(wishOf(c));
            if (!isRight(c) && slack == table.columns.size())
                slack = c;
        }
        if (!table.columns.empty() && !isRight(table.columns.size() - 1))
            slack = table.columns.size() - 1;
        const double gaps = columnGap * double(std::max<std::size_t>(table.columns.size(), 1) - 1);
        widths = columnWidths(wishes, slack, width - gaps);
        double x = 0;
        for (const double w : widths) {
            left.push_back(x);
            x += w + columnGap;
        }
    }

    /// As text laid out in its column; the tag of a class is left out.
    PageText cellText(std::size_t c, const data::Cell& cell) const {
        const bool strong =
            cell.emphasis == data::Emphasis::strong || cell.emphasis == data::Emphasis::warning;
        const double room = std::max(widths[c] - (cell.bound ? tagWidth : 0), 8.0);
        return isRight(c) ? PageText::line(fromUtf8(cell.text), style.pixelSize, room, strong)
                          : PageText(fromUtf8(cell.text), style.pixelSize, room, strong);
    }

    double headHeight() const {
        double height = 0;
        for (std::size_t c = 0; c < table.columns.size(); ++c)
            height =
                std::max(height, PageText(fromUtf8(table.columns[c].title), headPixels, widths[c]).height());
        return height + 7;
    }

    void paintHead(QPainter& p, const QPointF& at) const {
        const double height = headHeight();
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            const PageText text(fromUtf8(table.columns[c].title), headPixels, widths[c]);
            const TaggedContent cell(p, PageTag::headCell);
            text.paint(p, at + QPointF(left[c], height - 4 - text.height()), theme.color(Role::text2),
                       isRight(c));
        }
        p.fillRect(QRectF(at.x(), at.y() + height - 1, width, 1), theme.color(Role::line2));
    }

    double rowHeight(std::size_t r) const {
        double height = 0;
        for (std::size_t c = 0; c < table.rows[r].size() && c < widths.size(); ++c)
            height = std::max(height, cellText(c, table.rows[r][c]).height());
        return height + style.rowPadding + 1;
    }

    QColor inkOf(const data::Cell& cell) const {
        switch (cell.emphasis) {
        case data::Emphasis::quiet:
            return theme.color(Role::text2);
        case data::Emphasis::warning:
            return theme.color(Role::err);
        default:
            return theme.color(Role::text);
        }
    }

    void paintRow(QPainter& p, const QPointF& at, std::size_t r) const {
        const double height = rowHeight(r);
        if (isTotal(r))
            p.fillRect(QRectF(at.x(), at.y() - 1, width, 1), theme.color(Role::text));
        else
            p.fillRect(QRectF(at.x(), at.y() + height - 1, width, 1), theme.color(Role::grid));
        for (std::size_t c = 0; c < table.rows[r].size() && c < widths.size(); ++c) {
            const data::Cell& cell = table.rows[r][c];
            QPointF corner = at + QPointF(left[c], style.rowPadding / 2);
            const PageText text = cellText(c, cell);
            const TaggedContent content(p, PageTag::cell);
            if (cell.bound) {
                Drawing tag;
                tag.tag({0, 0}, *cell.bound, theme);
                p.save();
                p.translate(corner + QPointF(0, (text.lineHeight() - 16) / 2));
                paintDrawing(p, tag, theme);
                p.restore();
                corner.rx() += tagWidth;
            }
            text.paint(p, corner, inkOf(cell), isRight(c));
        }
    }
};

Block textBlock(const QString& words, int pixelSize, bool strong, const QColor& color, double width) {
    const auto text = std::make_shared<const PageText>(words, pixelSize, width, strong);
    return {.height = text->height(),
            .paint = [text, color](QPainter& p, const QPointF& at) { text->paint(p, at, color); },
            .tag = PageTag::paragraph};
}

} // namespace

std::vector<double> columnWidths(const std::vector<ColumnWish>& wishes, std::size_t slackColumn,
                                 double width) {
    const auto sum = [](const std::vector<double>& widths) {
        return std::accumulate(widths.begin(), widths.end(), 0.0);
    };
    const auto widthsAt = [&](auto&& of) {
        std::vector<double> widths;
        std::ranges::transform(wishes, std::back_inserter(widths), of);
        return widths;
    };
    std::vector<double> widths = widthsAt([](const ColumnWish& w) { return w.whole; });
    if (const double slack = width - sum(widths); slack >= 0) {
        for (std::size_t c = 0; c < widths.size(); ++c)
            if (slackColumn >= widths.size())
                widths[c] += slack / double(widths.size());
            else if (c == slackColumn)
                widths[c] += slack;
        return widths;
    }
    // the largest share of the step from `from` to `to` that still fits
    const auto between = [&](auto&& from, auto&& to) {
        const double low = sum(widthsAt(from)), high = sum(widthsAt(to));
        const double share = high > low ? std::clamp((width - low) / (high - low), 0.0, 1.0) : 0;
        return widthsAt([&](const ColumnWish& w) { return from(w) + share * (to(w) - from(w)); });
    };
    const auto cells = [](const ColumnWish& w) { return w.cells; };
    if (sum(widthsAt(cells)) <= width)
        return between(cells, [](const ColumnWish& w) { return w.whole; });
    double low = 0, high = width; // a cap on the wide columns
    for (int i = 0; i < 50; ++i) {
        const double cap = (low + high) / 2;
        const auto capped =
            widthsAt([&](const ColumnWish& w) { return std::min(w.cells, std::max(cap, w.least)); });
        (sum(capped) > width ? high : low) = cap;
    }
    widths = widthsAt([&](const ColumnWish& w) { return std::min(w.cells, std::max(low, w.least)); });
    if (const double tooWide = sum(widths) / width; tooWide > 1) // not even the least fits: all give way
        for (double& w : widths)
            w /= tooWide;
    return widths;
}

void addTable(std::vector<Block>& blocks, const data::Table& table, const TableStyle& style,
              const Theme& theme, double width) {
    if (table.columns.empty() || table.rows.empty())
        return;
    const auto layout = std::make_shared<TableLayout>(table, style, theme, width);
    layout->measure();
    double before = style.before;
    if (!table.title.empty()) {
        Block title = textBlock(fromUtf8(table.title), 13, true, theme.color(Role::text), width);
        title.before = 14;
        title.keepWithNext = true;
        blocks.push_back(std::move(title));
        before = 2;
    }
    const auto head = std::make_shared<const Block>(
        Block{.height = layout->headHeight(),
              .before = before,
              .keepWithNext = true,
              .paint = [layout](QPainter& p, const QPointF& at) { layout->paintHead(p, at); },
              .tag = PageTag::headRow});
    blocks.push_back(*head);
    const std::size_t count = table.rows.size();
    double height = 0;
    for (std::size_t r = 0; r < count; ++r)
        height += layout->rowHeight(r);
    constexpr double lowEnough = 360; // a higher one would leave too much of a page empty
    const bool whole = count <= keptWhole && height <= lowEnough;
    for (std::size_t r = 0; r < count; ++r) {
        const bool last = r + 1 == count;
        blocks.push_back(
            {.height = layout->rowHeight(r),
             .keepWithNext = last ? !table.note.empty() : whole || r == 0 || r + 2 == count,
             .repeated = head,
             .paint = [layout, r](QPainter& p, const QPointF& at) { layout->paintRow(p, at, r); },
             .tag = PageTag::row});
    }
    if (table.note.empty())
        return;
    const bool warning = table.noteEmphasis == data::Emphasis::warning;
    Block note =
        textBlock(fromUtf8(table.note), 12, false, theme.color(warning ? Role::err : Role::text2), width);
    note.before = 5;
    blocks.push_back(std::move(note));
}

} // namespace alidade::views
