// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/branding.h"

#include <QByteArray>
#include <QImage>
#include <QRectF>
#include <QString>

#include <memory>

class QPainter;
class QSvgRenderer;

namespace alidade::views {

/// Reads a logo from a PNG or SVG file. Needs no QGuiApplication.
/// \returns an error without the path for a file that cannot be read, is too large or no such picture, and
/// for an SVG that contains scripts or refers to anything outside itself
Result<data::Logo> readLogo(const QString& path);
/// The same from the content of a file.
Result<data::Logo> logoOf(const QByteArray& bytes);

/// The logo as the address of an HTML image. \pre there is a logo
QString logoAddress(const data::Logo& logo);

/// The largest size of its shape within these bounds.
QSizeF logoSize(const data::Logo& logo, const QSizeF& bounds);

/// A logo decoded, to be drawn on many pages. Made and painted on any thread, by one at a time.
class LogoPicture {
public:
    explicit LogoPicture(const data::Logo& logo);
    ~LogoPicture();
    LogoPicture(const LogoPicture&) = delete;
    LogoPicture& operator=(const LogoPicture&) = delete;

    /// Fills the rectangle; without a logo nothing is drawn.
    void paint(QPainter& painter, const QRectF& rect) const;

private:
    QImage image_;
    std::unique_ptr<QSvgRenderer> drawing_;
};

} // namespace alidade::views
