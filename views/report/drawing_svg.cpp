// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/drawing.h"

#include <QStringBuilder>

#include <set>

namespace alidade::views {
namespace {

QString svgNumber(double value) {
    QString text = QString::number(value, 'f', 2);
    while (text.endsWith(u'0'))
        text.chop(1);
    if (text.endsWith(u'.'))
        text.chop(1);
    return text == u"-0" ? QStringLiteral("0") : text;
}

QString attribute(const char* name, const QString& value) {
    return u' ' % QLatin1StringView(name) % u"=\"" % escaped(value) % u'"';
}
QString attribute(const char* name, double value) { return attribute(name, svgNumber(value)); }

QString pointList(const QPolygonF& points) {
    QStringList list;
    for (const QPointF& p : points)
        list << svgNumber(p.x()) % u',' % svgNumber(p.y());
    return list.join(u' ');
}

QString rectAttributes(const QRectF& r) {
    return attribute("x", r.x()) % attribute("y", r.y()) % attribute("width", r.width()) %
           attribute("height", r.height());
}

QString patternId(const QString& prefix, Bound bound) {
    return prefix % u"-" %
           QString::fromLatin1(boundName(bound).data(), static_cast<int>(boundName(bound).size()));
}

/// The tile of a texture; the same shapes as on paper.
QString patternOf(const QString& id, const ClassStyle& style) {
    const bool diagonal = style.texture == Texture::diagonal || style.texture == Texture::backDiagonal;
    const int size = diagonal ? 8 : 6;
    const QString ink = style.vectorPattern().color().name();
    QString body = u"<rect width=\"" % QString::number(size) % u"\" height=\"" % QString::number(size) %
                   u"\" fill=\"" % style.vectorGround().name() % u"\"/>";
    const QString stroke = u"\" fill=\"none\" stroke=\"" % ink % u"\" stroke-width=\"";
    switch (style.texture) {
    case Texture::solid:
        break;
    case Texture::diagonal:
        body += u"<path d=\"M-2 2L2 -2M-2 10L10 -2M6 10L10 6" % stroke % u"1.6\"/>";
        break;
    case Texture::backDiagonal:
        body += u"<path d=\"M6 -2L10 2M-2 -2L10 10M-2 6L2 10" % stroke % u"1.6\"/>";
        break;
    case Texture::dots:
        body += u"<circle cx=\"1.5\" cy=\"1.5\" r=\"0.95\" fill=\"" % ink %
                u"\"/><circle cx=\"4.5\" cy=\"4.5\" r=\"0.95\" fill=\"" % ink % u"\"/>";
        break;
    case Texture::lines:
        body += u"<path d=\"M0 1.5H6M0 4.5H6" % stroke % u"1.1\"/>";
        break;
    case Texture::vertical:
        body += u"<path d=\"M1 0V6" % stroke % u"2\"/>";
        break;
    }
    return u"<pattern id=\"" % id % u"\" width=\"" % QString::number(size) % u"\" height=\"" %
           QString::number(size) % u"\" patternUnits=\"userSpaceOnUse\">" % body % u"</pattern>";
}

class ShapeWriter {
public:
    ShapeWriter(const Theme& theme, const QString& idPrefix)
        : theme_(theme)
        , idPrefix_(idPrefix) {}

    QString operator()(const DrawnLine& s) const {
        QString dash;
        if (!s.dash.empty()) {
            QStringList lengths;
            for (const double d : s.dash)
                lengths << svgNumber(d);
            dash = attribute("stroke-dasharray", lengths.join(u' '));
        }
        return u"<polyline" % attribute("points", pointList(s.points)) %
               attribute("fill", QStringLiteral("none")) % attribute("stroke", s.color.name()) %
               attribute("stroke-width", s.width) % dash % u"/>";
    }
    QString operator()(const DrawnRect& s) const {
        return u"<rect" % rectAttributes(s.rect) % attribute("fill", s.fill.name()) %
               (s.radius > 0 ? attribute("rx", s.radius) : QString()) %
               (s.outline.isValid() ? attribute("stroke", s.outline.name()) : QString()) % u"/>";
    }
    QString operator()(const DrawnClass& s) const {
        const ClassStyle style = theme_.classStyle(s.bound);
        const QString fill = style.texture == Texture::solid
                                 ? style.color.name()
                                 : u"url(#" % patternId(idPrefix_, s.bound) % u')';
        return u"<rect" % rectAttributes(s.rect) % attribute("fill", fill) % u"/>";
    }
    QString operator()(const DrawnPolygon& s) const {
        return u"<polygon" % attribute("points", pointList(s.points)) % attribute("fill", s.fill.name()) %
               u"/>";
    }
    QString operator()(const DrawnCircle& s) const {
        return u"<circle" % attribute("cx", s.center.x()) % attribute("cy", s.center.y()) %
               attribute("r", s.radius) %
               attribute("fill", s.fill.isValid() ? s.fill.name() : QStringLiteral("none")) %
               (s.outline.isValid()
                    ? attribute("stroke", s.outline.name()) % attribute("stroke-width", s.width)
                    : QString()) %
               u"/>";
    }
    QString operator()(const DrawnText& s) const {
        QString extra;
        if (s.align != TextAlign::start)
            extra += attribute("text-anchor", s.align == TextAlign::middle ? QStringLiteral("middle")
                                                                           : QStringLiteral("end"));
        if (s.strong)
            extra += attribute("font-weight", QStringLiteral("500"));
        if (s.angle != 0)
            extra += attribute("transform", u"rotate(" % svgNumber(s.angle) % u' ' % svgNumber(s.base.x()) %
                                                u' ' % svgNumber(s.base.y()) % u')');
        return u"<text" % attribute("x", s.base.x()) % attribute("y", s.base.y()) %
               attribute("font-size", double(s.pixelSize)) % attribute("fill", s.color.name()) % extra %
               u'>' % escaped(s.text) % u"</text>";
    }

private:
    const Theme& theme_;
    const QString& idPrefix_;
};

} // namespace

QString escaped(const QString& text) {
    QString out;
    out.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const ushort u = c.unicode();
        const bool pair = c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        if (pair)
            out += text.mid(i++, 2);
        else if (c.isSurrogate() || u >= 0xFFFE || (u < 0x20 && u != '\t' && u != '\n' && u != '\r'))
            out += QChar(QChar::ReplacementCharacter);
        else if (c == u'&')
            out += QStringLiteral("&amp;");
        else if (c == u'<')
            out += QStringLiteral("&lt;");
        else if (c == u'>')
            out += QStringLiteral("&gt;");
        else if (c == u'"')
            out += QStringLiteral("&quot;");
        else if (c == u'\'')
            out += QStringLiteral("&#39;");
        else
            out += c;
    }
    return out;
}

QString svgOf(const Drawing& drawing, const Theme& theme, const QString& idPrefix, const QString& label) {
    std::set<Bound> textured;
    for (const Shape& shape : drawing.shapes)
        if (const auto* fill = std::get_if<DrawnClass>(&shape);
            fill && theme.classStyle(fill->bound).texture != Texture::solid)
            textured.insert(fill->bound);
    QString patterns;
    for (const Bound bound : textured)
        patterns += patternOf(patternId(idPrefix, bound), theme.classStyle(bound));
    QString body;
    const ShapeWriter writer(theme, idPrefix);
    for (const Shape& shape : drawing.shapes)
        body += std::visit(writer, shape) % u'\n';
    const QString width = svgNumber(drawing.width), height = svgNumber(drawing.height);
    return u"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" % width % u"\" height=\"" % height %
           u"\" viewBox=\"0 0 " % width % u' ' % height % u"\" role=\"img\"" %
           attribute("aria-label", label) % u" font-family=\"Roboto, 'DejaVu Sans', sans-serif\">\n" %
           (patterns.isEmpty() ? QString() : u"<defs>" % patterns % u"</defs>\n") % body % u"</svg>\n";
}

} // namespace alidade::views
