// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/logo.h"

#include <QBuffer>
#include <QFile>
#include <QImageReader>
#include <QPainter>
#include <QStringBuilder>
#include <QSvgRenderer>
#include <QXmlStreamReader>

#include <algorithm>

namespace alidade::views {
namespace {

Error fault(const char* text) { return Error{text}; }

constexpr const char* noPicture = "it is not a readable picture; use a PNG or SVG file";
constexpr const char* tooManyPixels = "the picture is too large; use one of at most 4,096 x 4,096 pixels";

Result<data::Logo> pngLogo(const QByteArray& bytes) {
    QByteArray copy = bytes;
    QBuffer buffer(&copy);
    buffer.open(QIODevice::ReadOnly);
    QImageReader reader(&buffer, "png");
    const QSize size = reader.size(); // from the header, before any pixel is unpacked
    if (!size.isValid() || size.isEmpty())
        return fault(noPicture);
    if (size.width() > data::mostLogoPixels || size.height() > data::mostLogoPixels)
        return fault(tooManyPixels);
    if (reader.read().isNull())
        return fault(noPicture);
    return data::Logo{.kind = data::LogoKind::png,
                      .bytes = bytes.toStdString(),
                      .width = double(size.width()),
                      .height = double(size.height())};
}

/// Whether an attribute leads out of the file.
bool leadsOutside(const QXmlStreamAttribute& attribute) {
    const QStringView value = attribute.value().trimmed();
    if (attribute.name() == u"href")
        return !value.startsWith(u'#') && !value.startsWith(u"data:image/", Qt::CaseInsensitive);
    for (qsizetype at = value.indexOf(u"url("); at >= 0; at = value.indexOf(u"url(", at + 1)) {
        const QStringView target = value.mid(at + 4).trimmed();
        if (!target.startsWith(u'#') && !target.startsWith(u"'#") && !target.startsWith(u"\"#"))
            return true;
    }
    return false;
}

double lengthOf(const QXmlStreamAttributes& attributes, QLatin1StringView name) {
    QString text = attributes.value(name).trimmed().toString();
    if (text.endsWith(u"px"))
        text.chop(2);
    return text.toDouble(); // 0 of other units: then the view box counts
}

Result<data::Logo> svgLogo(const QByteArray& bytes) {
    QXmlStreamReader xml(bytes);
    data::Logo logo{.kind = data::LogoKind::svg, .bytes = bytes.toStdString(), .width = 0, .height = 0};
    bool root = true;
    while (!xml.atEnd()) {
        const auto token = xml.readNext();
        if (token == QXmlStreamReader::DTD && xml.text().contains(u"<!ENTITY"))
            return fault("the SVG defines entities; save it without them");
        if (token != QXmlStreamReader::StartElement)
            continue;
        if (root && xml.name() != u"svg")
            return fault(noPicture);
        const QXmlStreamAttributes attributes = xml.attributes();
        if (root) {
            logo.width = lengthOf(attributes, QLatin1StringView("width"));
            logo.height = lengthOf(attributes, QLatin1StringView("height"));
            const QStringList box = attributes.value(QLatin1StringView("viewBox"))
                                        .toString()
                                        .replace(u',', u' ')
                                        .simplified()
                                        .split(u' ');
            if (box.size() == 4 && !(logo.width > 0 && logo.height > 0)) {
                logo.width = box[2].toDouble();
                logo.height = box[3].toDouble();
            }
            root = false;
        }
        const bool active = xml.name() == u"script" || xml.name() == u"foreignObject";
        if (active || std::ranges::any_of(attributes, [](const QXmlStreamAttribute& each) {
                return each.name().startsWith(u"on", Qt::CaseInsensitive) || leadsOutside(each);
            }))
            return fault("the SVG contains scripts or refers to other files; save it as a plain SVG");
    }
    if (xml.hasError() || root || !(logo.width > 0) || !(logo.height > 0))
        return fault(noPicture);
    if (logo.width > data::mostLogoPixels || logo.height > data::mostLogoPixels)
        return fault(tooManyPixels);
    return logo;
}

} // namespace

Result<data::Logo> logoOf(const QByteArray& bytes) {
    if (bytes.size() > qsizetype(data::mostLogoBytes))
        return fault("the file is larger than 1 MiB; save the picture smaller");
    return bytes.startsWith("\x89PNG") ? pngLogo(bytes) : svgLogo(bytes);
}

Result<data::Logo> readLogo(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{file.errorString().toStdString()};
    const QByteArray bytes = file.read(qint64(data::mostLogoBytes) + 1);
    if (file.error() != QFileDevice::NoError)
        return Error{file.errorString().toStdString()};
    return logoOf(bytes);
}

QString logoAddress(const data::Logo& logo) {
    const QLatin1StringView type(logo.kind == data::LogoKind::png ? "png" : "svg+xml");
    return u"data:image/" % type % u";base64," %
           QString::fromLatin1(QByteArray::fromStdString(logo.bytes).toBase64());
}

QSizeF logoSize(const data::Logo& logo, const QSizeF& bounds) {
    return QSizeF(logo.width, logo.height).scaled(bounds, Qt::KeepAspectRatio);
}

LogoPicture::LogoPicture(const data::Logo& logo) {
    const QByteArray bytes = QByteArray::fromStdString(logo.bytes);
    if (logo.kind == data::LogoKind::png) {
        image_ = QImage::fromData(bytes, "png");
    } else if (logo.kind == data::LogoKind::svg) {
        drawing_ = std::make_unique<QSvgRenderer>();
        drawing_->setFramesPerSecond(0); // on paper nothing moves, and a worker has no timers
        drawing_->load(bytes);
    }
}

LogoPicture::~LogoPicture() = default;

void LogoPicture::paint(QPainter& painter, const QRectF& rect) const {
    if (drawing_)
        return drawing_->render(&painter, rect);
    painter.save();
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(rect, image_);
    painter.restore();
}

} // namespace alidade::views
