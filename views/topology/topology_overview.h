// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_camera.h"
#include "views/topology/topology_look.h"

#include <QPixmap>
#include <QWidget>

#include <memory>

namespace alidade::views {

/// The whole cluster in small with a frame around what the picture shows. A press or drag moves the frame,
/// the wheel makes it wider or narrower. Lies next to the picture, so that it hides nothing of it.
class TopologyOverview : public QWidget {
    Q_OBJECT
public:
    explicit TopologyOverview(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const TopologyData> data);
    void setMarks(const TopologyLook& marks);
    void setFrame(const TopologyCamera& camera, const QSizeF& size);
    QRectF frame() const; ///< in pixels of the widget

    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override; ///< of the shape of the cluster, up to a limit

signals:
    void cameraWanted(const alidade::views::TopologyCamera& camera);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    TopologyCamera whole() const;
    void paintCluster();
    void moveTo(const QPointF& position);

    std::shared_ptr<const TopologyData> data_;
    std::vector<QRgb> fills_; ///< of each card: the middle of its GPUs
    TopologyCamera camera_;
    QSizeF seen_;
    QPixmap picture_;
    QPointF grip_; ///< world, from the middle of the frame to where it was taken
};

} // namespace alidade::views
