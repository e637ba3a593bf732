// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/icons/icon.h"

#include "views/theme/theme_controller.h"

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <optional>

namespace alidade::views {
namespace {

constexpr float disabledOpacity = 0.4F;

/// Read once by each thread: models ask for icons with every cell.
QByteArray source(QLatin1StringView name) {
    thread_local QHash<QByteArray, QByteArray> known;
    const auto at = known.constFind(QByteArray::fromRawData(name.data(), name.size()));
    if (at != known.constEnd())
        return *at;
    const QLatin1StringView file = name == QLatin1StringView("plan") ? QLatin1StringView("summary") : name;
    QFile svg(QStringLiteral(":/alidade/icons/") + file + QStringLiteral(".svg"));
    const bool open = svg.open(QIODevice::ReadOnly);
    Q_ASSERT_X(open, "icon", name.data());
    return *known.insert(QByteArray(name.data(), name.size()), open ? svg.readAll() : QByteArray());
}

void renderSvg(QPainter& painter, const QRectF& rect, QByteArray svg, const QColor& color) {
    svg.replace("#000", color.name().toLatin1());
    QSvgRenderer renderer(svg);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(painter.opacity() * color.alphaF());
    renderer.render(&painter, rect);
    painter.restore();
}

/// Null where there is no room: a button that a narrow layout has squeezed asks for 0 pixels.
QPixmap pixmapOf(QIconEngine& engine, const QSize& size, QIcon::Mode mode, QIcon::State state) {
    if (size.isEmpty())
        return {};
    QPixmap picture(size);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    engine.paint(&painter, QRect(QPoint(), size), mode, state);
    return picture;
}

/// Draws the picture at the moment of use, so that a change of the theme needs no new QIcon.
class ThemedEngine : public QIconEngine {
public:
    ThemedEngine(QLatin1StringView name, std::optional<Role> role)
        : name_(name)
        , svg_(source(name))
        , role_(role) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const int side = std::min(rect.width(), rect.height());
        QRectF square(0, 0, side, side);
        square.moveCenter(QRectF(rect).center());
        renderSvg(*painter, square, svg_, color(mode, state));
    }

    /// Kept: labels and buttons ask for it with every change of what they say.
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        const QString key = QStringLiteral("alidade/%1/%2/%3x%4")
                                .arg(name_, color(mode, state).name(QColor::HexArgb))
                                .arg(size.width())
                                .arg(size.height());
        QPixmap picture;
        if (!QPixmapCache::find(key, &picture)) {
            picture = pixmapOf(*this, size, mode, state);
            QPixmapCache::insert(key, picture);
        }
        return picture;
    }

    QIconEngine* clone() const override { return new ThemedEngine(*this); }
    QString key() const override { return QStringLiteral("alidade"); }

private:
    QColor color(QIcon::Mode mode, QIcon::State state) const {
        QColor out = theme().color(role_.value_or(state == QIcon::On ? Role::accent : Role::text));
        if (mode == QIcon::Disabled)
            out.setAlphaF(disabledOpacity);
        return out;
    }

    QString name_;
    QByteArray svg_;
    std::optional<Role> role_;
};

class ApplicationEngine : public QIconEngine {
public:
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode, QIcon::State) override {
        const double pixels = rect.width() * painter->device()->devicePixelRatioF();
        QSvgRenderer renderer(
            source(pixels < 24 ? QLatin1StringView("alidade-small") : QLatin1StringView("alidade")));
        painter->setRenderHint(QPainter::Antialiasing);
        renderer.render(painter, rect);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return pixmapOf(*this, size, mode, state);
    }
    QList<QSize> availableSizes(QIcon::Mode, QIcon::State) override {
        return {{16, 16}, {24, 24}, {32, 32}, {48, 48}, {64, 64}, {128, 128}, {256, 256}};
    }
    QIconEngine* clone() const override { return new ApplicationEngine(*this); }
};

} // namespace

QIcon icon(QLatin1StringView name) { return QIcon(new ThemedEngine(name, std::nullopt)); }
QIcon icon(QLatin1StringView name, Role role) { return QIcon(new ThemedEngine(name, role)); }
QIcon applicationIcon() { return QIcon(new ApplicationEngine); }

void paintIcon(QPainter& painter, const QRectF& rect, QLatin1StringView name, const QColor& color) {
    renderSvg(painter, rect, source(name), color);
}

} // namespace alidade::views
