// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/page_text.h"

#include "model/units/dimension.h"
#include "model/units/unit_ladder.h"
#include "views/report/drawing.h"

#include <QPainter>
#include <QSet>
#include <QStringList>

#include <cmath>

namespace alidade::views {
namespace {

/// A unit as it is behind a number, whatever follows it: "GB", "days.", "%,".
bool isUnit(QString word) {
    static const QSet<QString> units = [] {
        QSet<QString> labels;
        for (const Dimension dimension : allDimensions)
            for (const Rung& rung : unitLadder(dimension, false))
                labels.insert(QString::fromStdString(std::string(rung.unit.label)));
        labels.remove(QString());
        return labels;
    }();
    while (!word.isEmpty() && QStringLiteral(".,;:)").contains(word.back()))
        word.chop(1);
    return units.contains(word);
}

/// The pieces between which a line may break: words, but a number with its unit.
QStringList breakable(const QString& text) {
    QStringList out;
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts))
        if (!out.isEmpty() && out.back().back().isDigit() && isUnit(word))
            out.back() += u' ' + word;
        else
            out << word;
    return out;
}

} // namespace

PageText::PageText(int pixelSize, double width)
    : lines_(1)
    , pixelSize_(pixelSize)
    , width_(width) {}

PageText PageText::line(const QString& text, int pixelSize, double width, bool strong) {
    PageText out(pixelSize, width);
    out.append(text, strong, textWidth(text, pixelSize, strong), false);
    return out;
}

PageText::PageText(const std::vector<PageRun>& runs, int pixelSize, double width)
    : PageText(pixelSize, width) {
    constexpr qsizetype unbreakable = 24; // characters
    bool spaceBefore = false;
    for (const PageRun& run : runs) {
        const QStringList words = run.strong && run.text.size() <= unbreakable
                                      ? QStringList(run.text.trimmed())
                                      : breakable(run.text);
        spaceBefore = spaceBefore || run.text.startsWith(u' ');
        for (const QString& word : words) {
            addWord(word, run.strong, spaceBefore);
            spaceBefore = true;
        }
        spaceBefore = run.text.endsWith(u' ');
    }
}

PageText::PageText(const QString& text, int pixelSize, double width, bool strong)
    : PageText(pixelSize, width) {
    bool first = true;
    for (const QString& word : breakable(text)) {
        addWord(word, strong, !first);
        first = false;
    }
}

QString PageText::lineText(std::size_t line) const {
    QString text;
    for (const Piece& piece : lines_[line].pieces)
        text += piece.text;
    return text;
}

double PageText::lineHeight() const { return std::round(pixelSize_ * 1.46); }

void PageText::append(const QString& word, bool strong, double wordWidth, bool spaceBefore) {
    Line& line = lines_.back();
    const bool space = spaceBefore && !line.pieces.empty();
    if (!line.pieces.empty() && line.pieces.back().strong == strong) {
        Piece& piece =
            line.pieces.back(); // one run of text stays one text, so that it can be selected as one
        piece.text += (space ? QStringLiteral(" ") : QString()) + word;
        line.width = piece.x + textWidth(piece.text, pixelSize_, strong);
        return;
    }
    if (space) { // as a separate sign, so that a reader of the file finds two words
        Piece& piece = line.pieces.back();
        piece.text += u' ';
        line.width = piece.x + textWidth(piece.text, pixelSize_, piece.strong);
    }
    const double x = line.width;
    line.pieces.push_back({word, strong, x});
    line.width = x + wordWidth;
}

void PageText::addWord(const QString& word, bool strong, bool spaceBefore) {
    const double wordWidth = textWidth(word, pixelSize_, strong);
    const double space =
        spaceBefore && !lines_.back().pieces.empty() ? textWidth(QStringLiteral(" "), pixelSize_) : 0;
    if (lines_.back().width + space + wordWidth <= width_ + 0.01) {
        append(word, strong, wordWidth, spaceBefore);
        return;
    }
    if (!lines_.back().pieces.empty() && spaceBefore) {
        lines_.back().endsInSpace = true;
        lines_.emplace_back();
    }
    QString rest = word;
    while (rest.size() > 1 && textWidth(rest, pixelSize_, strong) > width_) {
        qsizetype fits = 1;
        while (fits < rest.size() && textWidth(rest.left(fits + 1), pixelSize_, strong) <= width_)
            ++fits;
        append(rest.left(fits), strong, textWidth(rest.left(fits), pixelSize_, strong), false);
        lines_.emplace_back();
        rest = rest.mid(fits);
    }
    append(rest, strong, textWidth(rest, pixelSize_, strong), false);
}

void PageText::paint(QPainter& painter, const QPointF& topLeft, const QColor& color, bool right) const {
    painter.setPen(color);
    double base = topLeft.y() + (lineHeight() - pixelSize_) / 2 + pixelSize_ * 0.83;
    for (const Line& line : lines_) {
        const double left = topLeft.x() + (right ? width_ - line.width : 0);
        for (const Piece& piece : line.pieces) {
            painter.setFont(reportFont(pixelSize_, piece.strong));
            const bool last = line.endsInSpace && &piece == &line.pieces.back();
            painter.drawText(QPointF(left + piece.x, base), last ? QString(piece.text + u' ') : piece.text);
        }
        base += lineHeight();
    }
}

} // namespace alidade::views
