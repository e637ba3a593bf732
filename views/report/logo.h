// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/branding.h"

#include <QByteArray>
#include <QRectF>
#include <QString>

class QPainter;

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

/// Draws the logo so that it fills the rectangle.
void paintLogo(QPainter& painter, const data::Logo& logo, const QRectF& rect);

} // namespace alidade::views
