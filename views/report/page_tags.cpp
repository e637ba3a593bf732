// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/page_tags.h"

#include <QPaintEngine>
#include <QPainter>

namespace alidade::views {

int figureCode(const QString& alternative) { return firstFigureCode + qChecksum(alternative.toUtf8()); }

TaggedContent::TaggedContent(QPainter& painter, PageTag tag)
    : painter_(painter)
    , code_(static_cast<int>(tag)) {
    mark(1);
}

TaggedContent::TaggedContent(QPainter& painter, const QString& alternative)
    : painter_(painter)
    , code_(figureCode(alternative)) {
    mark(1);
}

TaggedContent::~TaggedContent() { mark(2); }

void TaggedContent::mark(int height) {
    if (code_ == 0 || !painter_.paintEngine() || painter_.paintEngine()->type() != QPaintEngine::Pdf)
        return;
    painter_.save();
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(Qt::SolidPattern);
    painter_.drawRect(QRectF(tagMarkPlace, tagMarkPlace, code_, height));
    painter_.restore();
}

} // namespace alidade::views
