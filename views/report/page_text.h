// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPointF>
#include <QString>

#include <vector>

class QPainter;

namespace alidade::views {

/// A stretch of text in one style.
struct PageRun {
    QString text;
    bool strong = false;
};

/// Text that is broken into lines of a width: between words, and inside a word that alone is too wide. A
/// short strong run ("73.3 days") is not broken.
class PageText {
public:
    /// \param width CSS px, greater than 0
    PageText(const std::vector<PageRun>& runs, int pixelSize, double width);
    PageText(const QString& text, int pixelSize, double width, bool strong = false);
    /// One line, whatever the width.
    static PageText line(const QString& text, int pixelSize, double width, bool strong = false);

    double height() const { return double(lines_.size()) * lineHeight(); }
    double lineHeight() const;
    std::size_t lineCount() const { return lines_.size(); }
    QString lineText(std::size_t line) const;
    /// \param topRight align each line to the right edge of the width
    void paint(QPainter& painter, const QPointF& topLeft, const QColor& color, bool right = false) const;

private:
    PageText(int pixelSize, double width);
    struct Piece {
        QString text;
        bool strong = false;
        double x = 0;
    };
    struct Line {
        std::vector<Piece> pieces;
        double width = 0;
        bool endsInSpace = false; ///< a word ends with it: who reads the file out finds two words
    };
    void addWord(const QString& word, bool strong, bool spaceBefore);
    void append(const QString& word, bool strong, double wordWidth, bool spaceBefore);

    std::vector<Line> lines_;
    int pixelSize_;
    double width_;
};

} // namespace alidade::views
