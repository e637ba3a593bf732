// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/html_document.h"

#include "views/theme/theme.h"

#include <QCoreApplication>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <QTextFrame>
#include <QThread>
#include <QUrl>
#include <QXmlStreamReader>
#include <QXmlStreamWriter>

#include <algorithm>

namespace alidade::views {
namespace {

/// What the style sheet of the page says by properties that rich text does not have.
constexpr const char* richStyle = R"(
body { font-size: 13px; margin: 0; padding: 0; }
pre { white-space: pre-wrap; }
h1 { font-size: 25px; } h2 { font-size: 15px; margin-top: 20px; } h3 { font-size: 13px; margin-top: 14px; }
.lead { font-size: 15px; }
.n { font-size: 18px; }
td, th { padding: 3px 0 3px 10px; }
)";

constexpr double mostWidth = 720; ///< of the text, as the style sheet of the page has it

/// Rewrites a page element by element.
class Rewriter {
public:
    Rewriter(const std::vector<Drawing>& plots, double width, double ratio)
        : plots_(plots)
        , width_(width)
        , ratio_(ratio) {}

    QString html(const QByteArray& page) {
        QXmlStreamReader in(page);
        QXmlStreamWriter out(&text_);
        while (!in.atEnd()) {
            in.readNext();
            if (in.isStartElement())
                begin(in, out);
            else if (in.isEndElement())
                end(out);
            else if (in.isCharacters())
                out.writeCharacters(in.text().toString());
        }
        return text_;
    }
    const std::vector<QImage>& pictures() const { return pictures_; }
    static QUrl address(std::size_t picture) { return QUrl(QStringLiteral("picture:%1").arg(picture)); }

private:
    /// What is written when an element ends, and what its children are.
    struct Open {
        int elements = 1;
        QString mark{}; ///< of a head: it is at the right
        bool cells = false;
        QString cellWidth{}; ///< empty: by what is in them
        bool lineAfter = false;
    };

    void begin(QXmlStreamReader& in, QXmlStreamWriter& out) {
        const QString name = in.name().toString();
        const QXmlStreamAttributes attributes = in.attributes();
        const QString css = attributes.value(QLatin1StringView("class")).toString();
        if (name == u"svg")
            return addDrawing(in, out);
        if (name == u"img")
            return addLogo(in, out);
        if (name == u"style") {
            out.writeTextElement(name, in.readElementText() + QLatin1StringView(richStyle));
            return;
        }
        if (css == u"mark" && !open_.empty()) {
            open_.back().mark = in.readElementText(QXmlStreamReader::IncludeChildElements);
            return;
        }
        Open opened;
        const bool cell = !open_.empty() && open_.back().cells;
        if (css == u"figures" || css == u"pair") {
            beginTable(out);
            opened = {.elements = 2,
                      .cells = true,
                      .cellWidth = css == u"pair" ? QStringLiteral("50%") : QString()};
        } else if (css == u"head") {
            beginTable(out);
            out.writeStartElement(QStringLiteral("td"));
            opened.elements = 3;
            opened.mark = QStringLiteral(" ");
        } else {
            const bool block = css == u"n";
            if (block)
                out.writeEmptyElement(QStringLiteral("br"));
            out.writeStartElement(cell                 ? QStringLiteral("td")
                                  : name == u"details" ? QStringLiteral("div")
                                  : name == u"summary" ? QStringLiteral("p")
                                                       : name);
            if (cell && !open_.back().cellWidth.isEmpty())
                out.writeAttribute(QStringLiteral("width"), open_.back().cellWidth);
            if (name == u"table") {
                out.writeAttribute(QStringLiteral("width"), QStringLiteral("100%"));
                out.writeAttribute(QStringLiteral("cellspacing"), QStringLiteral("0"));
            }
            opened.lineAfter = block;
        }
        for (const QXmlStreamAttribute& each : attributes)
            if (opened.elements == 1)
                out.writeAttribute(each.name().toString(), each.value().toString());
        open_.push_back(opened);
    }

    void end(QXmlStreamWriter& out) {
        if (open_.empty())
            return;
        const Open closed = open_.back();
        open_.pop_back();
        if (!closed.mark.isEmpty()) {
            out.writeEndElement();
            out.writeStartElement(QStringLiteral("td"));
            out.writeAttribute(QStringLiteral("align"), QStringLiteral("right"));
            out.writeCharacters(closed.mark);
        }
        out.writeCharacters({}); // so that an empty element is none without an end
        for (int i = 0; i < closed.elements; ++i)
            out.writeEndElement();
        if (closed.lineAfter)
            out.writeEmptyElement(QStringLiteral("br"));
    }

    static void beginTable(QXmlStreamWriter& out) {
        out.writeStartElement(QStringLiteral("table"));
        out.writeAttribute(QStringLiteral("width"), QStringLiteral("100%"));
        out.writeAttribute(QStringLiteral("cellspacing"), QStringLiteral("0"));
        out.writeStartElement(QStringLiteral("tr"));
    }

    void addDrawing(QXmlStreamReader& in, QXmlStreamWriter& out) {
        const bool plot = in.attributes().value(QLatin1StringView("role")) == u"img";
        if (plot && next_ < plots_.size()) {
            in.skipCurrentElement();
            const Drawing& drawing = plots_[next_++];
            const double scale = drawing.width > 0 ? std::min(1.0, width_ / drawing.width) : 1;
            out.writeStartElement(QStringLiteral("p")); // a heading before it keeps its line
            add(QSizeF(drawing.width, drawing.height) * scale, out, [&](QPainter& painter) {
                painter.scale(scale, scale);
                paintDrawing(painter, drawing, Theme::paper());
            });
            out.writeEndElement();
            return;
        }
        QByteArray bytes; // an icon
        const QSizeF size(in.attributes().value(QLatin1StringView("width")).toDouble(),
                          in.attributes().value(QLatin1StringView("height")).toDouble());
        QXmlStreamWriter copy(&bytes);
        for (int depth = 0; !in.atEnd();) {
            copy.writeCurrentToken(in);
            depth += in.isStartElement() ? 1 : in.isEndElement() ? -1 : 0;
            if (depth == 0)
                break;
            in.readNext();
        }
        QSvgRenderer icon(bytes);
        add(size, out, [&](QPainter& painter) { icon.render(&painter, QRectF({}, size)); });
    }

    /// A picture of the report's own, as a "data:" address.
    void addLogo(QXmlStreamReader& in, QXmlStreamWriter& out) {
        const QString source = in.attributes().value(QLatin1StringView("src")).toString();
        const QSizeF size(in.attributes().value(QLatin1StringView("width")).toDouble(),
                          in.attributes().value(QLatin1StringView("height")).toDouble());
        in.skipCurrentElement();
        const QByteArray bytes =
            QByteArray::fromBase64(source.mid(source.indexOf(QLatin1Char(',')) + 1).toLatin1());
        add(size, out, [&](QPainter& painter) {
            if (source.startsWith(QLatin1StringView("data:image/svg")))
                QSvgRenderer(bytes).render(&painter, QRectF({}, size));
            else
                painter.drawImage(QRectF({}, size), QImage::fromData(bytes));
        });
    }

    template <class Paint>
    void add(const QSizeF& size, QXmlStreamWriter& out, const Paint& paint) {
        QImage image((size * ratio_).toSize().expandedTo({1, 1}), QImage::Format_RGB32);
        image.fill(Theme::paper().color(Role::base));
        QPainter painter(&image);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setRenderHint(QPainter::SmoothPixmapTransform);
        painter.scale(ratio_, ratio_);
        paint(painter);
        painter.end();
        out.writeEmptyElement(QStringLiteral("img"));
        out.writeAttribute(QStringLiteral("src"), address(pictures_.size()).toString());
        out.writeAttribute(QStringLiteral("width"), QString::number(qRound(size.width())));
        out.writeAttribute(QStringLiteral("height"), QString::number(qRound(size.height())));
        pictures_.push_back(std::move(image));
    }

    const std::vector<Drawing>& plots_;
    double width_, ratio_;
    std::size_t next_ = 0;
    std::vector<Open> open_;
    std::vector<QImage> pictures_;
    QString text_;
};

} // namespace

std::shared_ptr<QTextDocument> htmlDocument(const QByteArray& page, const std::vector<Drawing>& plots,
                                            double width, double ratio) {
    const double column = std::min(width, mostWidth);
    Rewriter rewriter(plots, column, ratio);
    const QString html = rewriter.html(page);
    std::shared_ptr<QTextDocument> out(new QTextDocument, [](QTextDocument* each) { each->deleteLater(); });
    out->setUndoRedoEnabled(false);
    out->setDocumentMargin(24);
    for (std::size_t i = 0; i < rewriter.pictures().size(); ++i)
        out->addResource(QTextDocument::ImageResource, Rewriter::address(i), rewriter.pictures()[i]);
    out->setHtml(html);
    QTextFrameFormat frame = out->rootFrame()->frameFormat();
    frame.setLeftMargin(out->documentMargin() + (width - column) / 2);
    frame.setRightMargin(frame.leftMargin());
    out->rootFrame()->setFrameFormat(frame);
    out->setTextWidth(width + 2 * out->documentMargin());
    out->moveToThread(QCoreApplication::instance()->thread());
    return out;
}

} // namespace alidade::views
