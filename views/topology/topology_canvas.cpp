// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_canvas.h"

#include "views/kit/keyboard_focus.h"
#include "views/kit/paint.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_overview.h"
#include "views/topology/topology_wires.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {
namespace {

constexpr double notchZoom = 1.2;   // of one notch of the wheel
constexpr double farthestOut = 0.5; // of the scale that shows everything
constexpr double panStep = 80;      // px of an arrow key without a choice
constexpr double levelShare = 0.6;  // of the scale that fills the picture with a thing, to be at its level

} // namespace

TopologyCanvas::TopologyCanvas(QWidget* parent)
    : QWidget(parent)
    , overview_(new TopologyOverview(this)) {
    overview_->hide(); // until it has a place
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Cluster"));
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] { renewMarks(); });
    connect(overview_, &TopologyOverview::cameraWanted, this, [this](const TopologyCamera& camera) {
        moved_ = true;
        setCamera(camera);
    });
    connect(this, &TopologyCanvas::cameraChanged, overview_,
            [this] { overview_->setFrame(camera_, size()); });
}

void TopologyCanvas::setData(std::shared_ptr<const TopologyData> data) {
    const bool alike = data_ && data && data_->gpus() == data->gpus() &&
                       data_->scene.bounds() == data->scene.bounds() && data_->hosts() == data->hosts();
    data_ = std::move(data);
    hovered_ = {};
    HoverCard::hideFor(this);
    if (!alike) {
        focus_.gpu = focus_.host = focus_.node = focus_.pathTo = -1;
        focus_.link.reset();
    }
    overview_->setData(data_);
    renewMarks();
    if (!alike)
        fit();
    overview_->setFrame(camera_, size());
}

void TopologyCanvas::setPicture(const TopologyFocus& focus) {
    if (focus == focus_)
        return;
    focus_ = focus;
    renewMarks();
}

void TopologyCanvas::renewMarks() {
    marks_ = data_ ? topologyLook(*data_, focus_, theme()) : TopologyLook();
    overview_->setMarks(marks_);
    update();
}

TopologyCamera TopologyCanvas::whole() const { return wholeTopology(data_->scene, size()); }

void TopologyCanvas::setCamera(const TopologyCamera& camera) {
    if (!data_)
        return;
    TopologyCamera wanted = camera;
    const double out = whole().scale;
    const double scale = std::clamp(camera.scale, out * farthestOut, std::max(out, largestTopologyScale));
    if (scale != camera.scale)
        wanted = camera.zoomed(QPointF(width() / 2.0, height() / 2.0), scale);
    // Some of the cluster stays in the picture.
    const QRectF bounds = data_->scene.bounds();
    const QPointF middle = wanted.toWorld(QPointF(width() / 2.0, height() / 2.0));
    wanted.origin += QPointF(std::clamp(middle.x(), bounds.left(), bounds.right()),
                             std::clamp(middle.y(), bounds.top(), bounds.bottom())) -
                     middle;
    if (wanted == camera_)
        return;
    camera_ = wanted;
    HoverCard::hideFor(this);
    update();
    emit cameraChanged();
}

void TopologyCanvas::zoomBy(double factor, const QPointF& about) {
    if (!data_)
        return;
    moved_ = true;
    const double out = whole().scale;
    setCamera(camera_.zoomed(
        about, std::clamp(camera_.scale * factor, out * farthestOut, std::max(out, largestTopologyScale))));
}

void TopologyCanvas::fit() {
    moved_ = false;
    if (data_)
        setCamera(whole());
}

void TopologyCanvas::lookAt(const QRectF& world, double margin) {
    moved_ = true;
    setCamera(TopologyCamera::fitting(world, size(), margin));
}

QRectF TopologyCanvas::rectOf(const TopologyThing& thing) const {
    const TopologyScene& scene = data_->scene;
    if (thing.gpu >= 0)
        return scene.gpuRect(thing.gpu, camera_.detail(scene));
    if (thing.host >= 0)
        return scene.hostRect(thing.host);
    if (thing.node >= 0) {
        for (const TopologyScene::Card& card : scene.cards())
            if (card.node == thing.node)
                return card.rect;
        return scene.nodeRect(thing.node);
    }
    return thing.card >= 0 ? scene.cards()[ix(thing.card)].rect : scene.bounds();
}

void TopologyCanvas::reveal(const TopologyThing& thing) {
    if (!data_ || thing.nothing())
        return;
    const QRectF seen = camera_.visible(size()), wanted = rectOf(thing);
    if (seen.contains(wanted))
        return;
    QPointF way;
    const double margin = 24 / camera_.scale;
    if (wanted.width() + 2 * margin > seen.width() || wanted.height() + 2 * margin > seen.height())
        way = wanted.center() - seen.center();
    else {
        way.setX(wanted.left() < seen.left() ? wanted.left() - margin - seen.left()
                                             : std::max(0.0, wanted.right() + margin - seen.right()));
        way.setY(wanted.top() < seen.top() ? wanted.top() - margin - seen.top()
                                           : std::max(0.0, wanted.bottom() + margin - seen.bottom()));
    }
    moved_ = true;
    setCamera({camera_.scale, camera_.origin + way});
}

void TopologyCanvas::goTo(const TopologyThing& thing) {
    if (!data_ || thing.nothing())
        return;
    if (thing.gpu >= 0)
        return goTo(TopologyLevel::host, data_->map.fabric.hostOf(thing.gpu));
    if (thing.host >= 0)
        return goTo(TopologyLevel::host, thing.host);
    lookAt(rectOf(thing), 40);
}

QRectF TopologyCanvas::levelRect(TopologyLevel level, int host) const {
    const TopologyScene& scene = data_->scene;
    switch (level) {
    case TopologyLevel::cluster:
        break;
    case TopologyLevel::card:
        return scene.cards()[ix(scene.cardOf(host))].rect;
    case TopologyLevel::host:
        return scene.hostRect(host);
    case TopologyLevel::gpu: {
        const int per = scene.gpusPerHost();
        const int gpu = focus_.gpu >= 0 && focus_.gpu / per == host ? focus_.gpu : host * per;
        return scene.gpuRect(gpu, TopologyDetail::gpus);
    }
    }
    return scene.bounds();
}

void TopologyCanvas::goTo(TopologyLevel level, int host) {
    if (!data_)
        return;
    if (level == TopologyLevel::cluster || host < 0)
        return fit();
    lookAt(levelRect(level, host), 16);
}

int TopologyCanvas::levelHost() const {
    if (!data_)
        return -1;
    const QRectF seen = camera_.visible(size());
    const int chosenHost = focus_.gpu >= 0 ? data_->map.fabric.hostOf(focus_.gpu) : focus_.host;
    if (chosenHost >= 0 && seen.intersects(data_->scene.hostRect(chosenHost)))
        return chosenHost;
    int nearest = -1;
    double least = 0;
    for (int host = 0; host < data_->hosts(); ++host) {
        const QPointF way = data_->scene.hostRect(host).center() - seen.center();
        const double distance = way.x() * way.x() + way.y() * way.y();
        if (nearest < 0 || distance < least) {
            nearest = host;
            least = distance;
        }
    }
    return nearest;
}

TopologyLevel TopologyCanvas::level() const {
    const int host = levelHost();
    if (host < 0)
        return TopologyLevel::cluster;
    for (const TopologyLevel level : {TopologyLevel::gpu, TopologyLevel::host, TopologyLevel::card}) {
        const double scale =
            std::min(largestTopologyScale, TopologyCamera::fitting(levelRect(level, host), size()).scale);
        if (camera_.scale >= levelShare * scale && moved_)
            return level;
    }
    return TopologyLevel::cluster;
}

void TopologyCanvas::enter() {
    const TopologyLevel now = level();
    if (now != TopologyLevel::gpu)
        goTo(static_cast<TopologyLevel>(static_cast<int>(now) + 1), levelHost());
}

void TopologyCanvas::leave() {
    const TopologyLevel now = level();
    if (now == TopologyLevel::cluster)
        return fit();
    goTo(static_cast<TopologyLevel>(static_cast<int>(now) - 1), levelHost());
}

std::optional<LinkId> TopologyCanvas::linkAt(const QPointF& position) const {
    const TopologyScene& scene = data_->scene;
    const QPointF world = camera_.toWorld(position);
    const TopologyDetail detail = camera_.detail(scene);
    if (const int host = scene.hostAt(world); host >= 0) {
        if (detail == TopologyDetail::hosts && scene.uplinkRect(host).contains(world))
            return LinkId{LinkKind::uplink, host};
        if (detail != TopologyDetail::machines && detail != TopologyDetail::gpus)
            return std::nullopt;
        for (int slot = 0; slot < scene.gpusPerHost(); ++slot) {
            const int gpu = host * scene.gpusPerHost() + slot;
            if (scene.nicRect(gpu).contains(world))
                return LinkId{LinkKind::nic, gpu};
            const QRectF stub = scene.nvlinkRect(gpu);
            if (stub.adjusted(-stub.width(), 0, stub.width(), 0).contains(world))
                return LinkId{LinkKind::nvlink, gpu};
        }
        return std::nullopt;
    }
    if (scene.cardAt(world) >= 0)
        return std::nullopt;
    const auto wire = wireAt(*data_, camera_, size(), position, QFontMetricsF(theme().font(FontRole::small)));
    return wire && wire->node >= 0 ? std::optional(LinkId{LinkKind::trunk, wire->node}) : std::nullopt;
}

/// The boxes of nodes as they are drawn, and the titles of cards.
int TopologyCanvas::nodeAt(const QPointF& position) const {
    const QFontMetricsF small(theme().font(FontRole::small));
    const double y = camera_.toWorld(position).y();
    for (int node = 0; node < data_->scene.nodes(); ++node) {
        const QRectF& place = data_->scene.nodeRect(node);
        if (y >= place.top() && y <= place.bottom() &&
            topologyNodeBox(*data_, camera_, node, small).contains(position))
            return node;
    }
    return data_->scene.nodeOfTitle(camera_.toWorld(position));
}

TopologyThing TopologyCanvas::thingAt(const QPointF& position) const {
    TopologyThing thing;
    if (!data_)
        return thing;
    const TopologyScene& scene = data_->scene;
    const QPointF world = camera_.toWorld(position);
    const TopologyDetail detail = camera_.detail(scene);
    thing.link = linkAt(position);
    if (thing.link)
        return thing;
    thing.gpu = scene.gpuAt(world, detail);
    if (thing.gpu >= 0)
        return thing;
    thing.host = scene.hostAt(world);
    if (thing.host >= 0)
        return thing;
    thing.node = nodeAt(position);
    if (thing.node < 0)
        thing.card = scene.cardAt(world);
    return thing;
}

void TopologyCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (!data_) {
        painter.fillRect(rect(), theme().color(Role::base));
        return;
    }
    counts_ = painter_.paint(painter, *data_, marks_, theme(), camera_, size());
    if (keyboardFocus(this))
        paintFocus(painter, QRectF(rect()).adjusted(1, 1, -1, -1), 0);
}

void TopologyCanvas::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (!data_)
        return;
    if (!moved_)
        fit();
    else if (event->oldSize().isValid())
        // What was in the middle stays there.
        setCamera({camera_.scale, camera_.origin - QPointF(width() - event->oldSize().width(),
                                                           height() - event->oldSize().height()) /
                                                       (2 * camera_.scale)});
    overview_->setFrame(camera_, size());
}

void TopologyCanvas::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    if (notches != 0)
        zoomBy(std::pow(notchZoom, notches), event->position());
    event->accept();
}

void TopologyCanvas::mousePressEvent(QMouseEvent* event) {
    pressed_ = last_ = event->position();
    dragging_ = false;
    HoverCard::hideFor(this);
}

void TopologyCanvas::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) == 0)
        return hover(event->position());
    if (!dragging_ && (event->position() - pressed_).manhattanLength() < QApplication::startDragDistance())
        return;
    if (!dragging_)
        setCursor(Qt::ClosedHandCursor);
    dragging_ = true;
    moved_ = true;
    setCamera({camera_.scale, camera_.origin - (event->position() - last_) / camera_.scale});
    last_ = event->position();
}

void TopologyCanvas::mouseReleaseEvent(QMouseEvent* event) {
    unsetCursor();
    const bool click = !dragging_ && event->button() == Qt::LeftButton;
    dragging_ = false;
    if (click && data_)
        emit chosen(thingAt(event->position()));
}

void TopologyCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (!data_ || event->button() != Qt::LeftButton)
        return;
    const QPointF world = camera_.toWorld(event->position());
    const TopologyLevel now = level();
    if (const int host = data_->scene.hostAt(world); host >= 0) {
        const auto next = std::min(static_cast<int>(now) + 1, static_cast<int>(TopologyLevel::gpu));
        if (now == TopologyLevel::host || now == TopologyLevel::gpu) {
            const int gpu = data_->scene.gpuAt(world, camera_.detail(data_->scene));
            if (gpu >= 0)
                emit chosen({.gpu = gpu, .link = {}});
        }
        goTo(static_cast<TopologyLevel>(next), host);
    } else if (const int card = data_->scene.cardAt(world); card >= 0)
        lookAt(data_->scene.cards()[ix(card)].rect, 16);
    else
        fit();
    pressed_ = last_ = event->position();
    dragging_ = true; // the release that follows is not a click
}

void TopologyCanvas::hover(const QPointF& position) {
    const TopologyThing thing = thingAt(position);
    if (thing == hovered_)
        return;
    hovered_ = thing;
    HoverCard::hideFor(this);
    if (thing.nothing() || !cards_)
        return;
    QRectF subject(position - QPointF(6, 6), QSizeF(12, 12));
    if (!thing.link && (thing.gpu >= 0 || thing.host >= 0))
        subject = camera_.toView(rectOf(thing)).intersected(QRectF(rect()));
    HoverCard::showFor(this, subject.toAlignedRect(), cards_(thing));
}

void TopologyCanvas::leaveEvent(QEvent* event) {
    hovered_ = {};
    HoverCard::hideFor(this);
    QWidget::leaveEvent(event);
}

void TopologyCanvas::walk(int dx, int dy) {
    const TopologyScene& scene = data_->scene;
    const int per = scene.gpusPerHost();
    TopologyThing next;
    if (focus_.host >= 0) {
        next.host = scene.neighbor(focus_.host, dx, dy);
    } else if (focus_.gpu < 0) {
        if (const int host = levelHost(); host >= 0)
            next.gpu = host * per;
    } else {
        const int host = focus_.gpu / per, slot = focus_.gpu % per + dx;
        if (dx != 0 && slot >= 0 && slot < per)
            next.gpu = host * per + slot;
        else if (const int other = scene.neighbor(host, dx, dy); other != host)
            next.gpu = other * per + (dx > 0 ? 0 : dx < 0 ? per - 1 : focus_.gpu % per);
        else
            next.gpu = focus_.gpu;
    }
    if (next.nothing())
        return;
    emit chosen(next);
    reveal(next);
}

void TopologyCanvas::keyPressEvent(QKeyEvent* event) {
    if (!data_)
        return QWidget::keyPressEvent(event);
    const QPointF middle(width() / 2.0, height() / 2.0);
    const bool plain = (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) == Qt::NoModifier;
    const bool pans = event->modifiers().testFlag(Qt::ShiftModifier);
    if (!plain)
        return QWidget::keyPressEvent(event);
    const auto move = [&](int dx, int dy) {
        if (!pans)
            return walk(dx, dy);
        moved_ = true;
        setCamera({camera_.scale, camera_.origin + QPointF(dx, dy) * panStep / camera_.scale});
    };
    switch (event->key()) {
    case Qt::Key_Left:
        return move(-1, 0);
    case Qt::Key_Right:
        return move(1, 0);
    case Qt::Key_Up:
        return move(0, -1);
    case Qt::Key_Down:
        return move(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return enter();
    case Qt::Key_Backspace:
        return leave();
    case Qt::Key_F:
    case Qt::Key_Home:
        return fit();
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return zoomBy(notchZoom, middle);
    case Qt::Key_Minus:
        return zoomBy(1 / notchZoom, middle);
    case Qt::Key_Slash:
        emit searchRequested();
        return;
    case Qt::Key_Escape:
        emit cleared();
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

/// With a chosen GPU Tab goes through its groups; without one, as everywhere, to the next widget.
bool TopologyCanvas::focusNextPrevChild(bool next) {
    if (!data_ || focus_.gpu < 0 || data_->kinds.empty())
        return QWidget::focusNextPrevChild(next);
    emit groupStepped(next ? 1 : -1);
    return true;
}

bool TopologyCanvas::event(QEvent* event) {
    // A window's shortcut must not take these keys while the picture has the focus.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::NoModifier && (key->key() == Qt::Key_Slash || key->key() == Qt::Key_F)) {
            event->accept();
            return true;
        }
    }
    return QWidget::event(event);
}

void TopologyCanvas::contextMenuEvent(QContextMenuEvent* event) { emit menuRequested(event->globalPos()); }

void TopologyCanvas::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        update();
}

} // namespace alidade::views
