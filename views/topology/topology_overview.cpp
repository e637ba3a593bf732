// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_overview.h"

#include "views/theme/theme_controller.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr int mapWidth = 290, mapHeight = 150; // most, logical pixels at 10 pt
constexpr int leastMapHeight = 60;
constexpr double mapInset = 5;   // px
constexpr double leastFrame = 5; // px
constexpr double mapNotch = 1.2;

} // namespace

TopologyOverview::TopologyOverview(QWidget* parent)
    : QWidget(parent) {
    setAccessibleName(tr("Whole cluster"));
    setAccessibleDescription(tr("Visible part of the cluster"));
    setToolTip(tr("The whole cluster. Drag the frame to move through it."));
    setCursor(Qt::ArrowCursor);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

QSize TopologyOverview::sizeHint() const { return {theme().px(mapWidth), theme().px(mapHeight)}; }

int TopologyOverview::heightForWidth(int width) const {
    if (!data_ || data_->scene.bounds().width() <= 0)
        return theme().px(leastMapHeight);
    const QRectF bounds = data_->scene.bounds();
    const double height = (width - 2 * mapInset) * bounds.height() / bounds.width() + 2 * mapInset;
    return std::clamp(static_cast<int>(height), theme().px(leastMapHeight), theme().px(mapHeight));
}

void TopologyOverview::setData(std::shared_ptr<const TopologyData> data) {
    data_ = std::move(data);
    picture_ = {};
    updateGeometry();
    update();
}

void TopologyOverview::setMarks(const TopologyLook& marks) {
    fills_.clear();
    picture_ = {};
    update();
    if (!data_ || marks.gpus.size() != ix(data_->gpus()))
        return;
    const int per = data_->scene.gpusPerHost();
    for (const TopologyScene::Card& card : data_->scene.cards()) {
        std::uint64_t red = 0, green = 0, blue = 0;
        for (int n = 0; n < card.count; ++n)
            for (int slot = 0; slot < per; ++slot) {
                const QRgb fill = marks.gpus[ix(data_->scene.order()[ix(card.first + n)] * per + slot)];
                red += static_cast<unsigned>(qRed(fill));
                green += static_cast<unsigned>(qGreen(fill));
                blue += static_cast<unsigned>(qBlue(fill));
            }
        const auto count = static_cast<std::uint64_t>(std::max(1, card.count * per));
        fills_.push_back(qRgb(static_cast<int>(red / count), static_cast<int>(green / count),
                              static_cast<int>(blue / count)));
    }
}

TopologyCamera TopologyOverview::whole() const {
    return TopologyCamera::fitting(data_->scene.bounds(), size(), mapInset);
}

void TopologyOverview::setFrame(const TopologyCamera& camera, const QSizeF& size) {
    camera_ = camera;
    seen_ = size;
    update();
}

QRectF TopologyOverview::frame() const {
    if (!data_)
        return {};
    QRectF seen = whole().toView(camera_.visible(seen_)).intersected(QRectF(rect()).adjusted(1, 1, -1, -1));
    if (seen.width() < leastFrame)
        seen.adjust((seen.width() - leastFrame) / 2, 0, (leastFrame - seen.width()) / 2, 0);
    if (seen.height() < leastFrame)
        seen.adjust(0, (seen.height() - leastFrame) / 2, 0, (leastFrame - seen.height()) / 2);
    return seen;
}

void TopologyOverview::paintCluster() {
    const double ratio = devicePixelRatioF();
    picture_ = QPixmap((QSizeF(size()) * ratio).toSize());
    if (picture_.isNull()) // no room
        return;
    picture_.setDevicePixelRatio(ratio);
    picture_.fill(theme().color(Role::base));
    if (fills_.size() != data_->scene.cards().size())
        fills_.assign(data_->scene.cards().size(), theme().color(Role::sunken).rgb());
    QPainter painter(&picture_);
    const TopologyCamera camera = whole();
    for (int node = 0; node < data_->scene.nodes(); ++node)
        if (const QRectF& box = data_->scene.nodeRect(node); !box.isNull())
            painter.fillRect(camera.toView(box), theme().color(Role::line2));
    for (std::size_t i = 0; i < data_->scene.cards().size(); ++i) {
        QRectF box = camera.toView(data_->scene.cards()[i].rect);
        if (box.width() > 4) {
            painter.fillRect(box, theme().color(Role::line2));
            box.adjust(1, 1, -1, -1);
        }
        painter.fillRect(box, QColor::fromRgb(fills_[i]));
    }
}

void TopologyOverview::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (!data_)
        return;
    if (picture_.isNull() || picture_.devicePixelRatio() != devicePixelRatioF() ||
        picture_.deviceIndependentSize().toSize() != size())
        paintCluster();
    painter.drawPixmap(0, 0, picture_);
    painter.setPen(theme().color(Role::line2));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().color(Role::accent), 1.5));
    painter.drawRoundedRect(frame(), 2, 2);
}

void TopologyOverview::moveTo(const QPointF& position) {
    const QPointF middle = whole().toWorld(position) - grip_;
    emit cameraWanted({camera_.scale, middle - QPointF(seen_.width(), seen_.height()) / (2 * camera_.scale)});
}

void TopologyOverview::mousePressEvent(QMouseEvent* event) {
    if (!data_ || event->button() != Qt::LeftButton)
        return;
    const QPointF middle = camera_.visible(seen_).center();
    grip_ = frame().contains(event->position()) ? whole().toWorld(event->position()) - middle : QPointF();
    moveTo(event->position());
}

void TopologyOverview::mouseMoveEvent(QMouseEvent* event) {
    if (data_ && (event->buttons() & Qt::LeftButton))
        moveTo(event->position());
}

void TopologyOverview::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

void TopologyOverview::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (!data_)
        return;
    const QPointF middle(seen_.width() / 2, seen_.height() / 2);
    emit cameraWanted(
        camera_.zoomed(middle, camera_.scale * std::pow(mapNotch, event->angleDelta().y() / 120.0)));
}

} // namespace alidade::views
