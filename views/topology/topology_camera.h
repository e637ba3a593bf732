// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_scene.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include <algorithm>

namespace alidade::views {

/// Which part of a scene is to be seen: world units to logical pixels.
struct TopologyCamera {
    double scale = 1; ///< pixels of a world unit, which is the height of a host
    QPointF origin{}; ///< world place at the top left of the picture

    QPointF toView(const QPointF& world) const { return (world - origin) * scale; }
    QPointF toWorld(const QPointF& view) const { return view / scale + origin; }
    QRectF toView(const QRectF& world) const { return {toView(world.topLeft()), world.size() * scale}; }
    QRectF visible(const QSizeF& size) const { return {origin, size / scale}; }

    /// The whole of `world` in the middle of a picture, with a margin in pixels, and more of it at the left.
    static TopologyCamera fitting(const QRectF& world, const QSizeF& size, double margin = 16,
                                  double left = 0) {
        const double width = std::max(1.0, size.width() - left - 2 * margin);
        const double height = std::max(1.0, size.height() - 2 * margin);
        TopologyCamera camera;
        camera.scale =
            std::min(width / std::max(world.width(), 1e-6), height / std::max(world.height(), 1e-6));
        camera.origin = world.center() - QPointF(size.width() + left, size.height()) / (2 * camera.scale);
        return camera;
    }
    /// The world place under `view` stays there.
    TopologyCamera zoomed(const QPointF& view, double newScale) const {
        const QPointF about = toWorld(view);
        return {newScale, about - view / newScale};
    }

    /// Level of detail for hosts with so many GPUs.
    TopologyDetail detail(const TopologyScene& scene) const {
        if (scale < 13 || scene.hosts() == 0)
            return TopologyDetail::tiles;
        if (scale < 46)
            return TopologyDetail::hosts;
        return scene.gpuRect(0, TopologyDetail::machines).width() * scale < 118 ? TopologyDetail::machines
                                                                                : TopologyDetail::gpus;
    }
    bool operator==(const TopologyCamera&) const = default;
};

/// All of a scene, with room for the names of the network layers at the left.
inline TopologyCamera wholeTopology(const TopologyScene& scene, const QSizeF& size) {
    return TopologyCamera::fitting(scene.bounds(), size, 16, scene.rows().empty() ? 0 : 88);
}

/// Scale at which a host fills most of a large window: more is not needed.
inline constexpr double largestTopologyScale = 420;

} // namespace alidade::views
