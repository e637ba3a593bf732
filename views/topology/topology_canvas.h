// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/hover_card.h"
#include "views/topology/topology_camera.h"
#include "views/topology/topology_look.h"
#include "views/topology/topology_paint.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>

namespace alidade::views {

class TopologyOverview;

/// Something of the picture that can be chosen; members that are not meant are -1 or absent.
struct TopologyThing {
    int gpu = -1, host = -1, node = -1, card = -1;
    std::optional<LinkId> link;
    bool nothing() const { return gpu < 0 && host < 0 && node < 0 && card < 0 && !link; }
    bool operator==(const TopologyThing&) const = default;
};

/// How far in a person is.
enum class TopologyLevel { cluster, card, host, gpu };

/// The cluster to walk in: the wheel zooms at the pointer, a drag pans, a click chooses, a double click or
/// Enter goes in, Backspace out, F fits; arrows move to neighbors, Tab goes through the groups of the chosen
/// GPU, "/" searches, Esc clears.
class TopologyCanvas : public QWidget {
    Q_OBJECT
public:
    explicit TopologyCanvas(QWidget* parent = nullptr);

    /// What is seen stays where a cluster of the same shape replaces another.
    void setData(std::shared_ptr<const TopologyData> data);
    const std::shared_ptr<const TopologyData>& data() const { return data_; }
    void setPicture(const TopologyFocus& focus);
    const TopologyFocus& picture() const { return focus_; }
    const TopologyLook& marks() const { return marks_; }

    const TopologyCamera& camera() const { return camera_; }
    void setCamera(const TopologyCamera& camera);
    void zoomBy(double factor, const QPointF& about);
    void fit();
    bool isFitted() const { return !moved_; }
    /// Moves the least so that a thing is to be seen.
    void reveal(const TopologyThing& thing);
    /// Shows a thing at the level that it is of.
    void goTo(const TopologyThing& thing);
    void goTo(TopologyLevel level, int host);
    void enter();
    void leave();
    TopologyLevel level() const;
    /// The host that the level is about: that of the chosen thing if it is to be seen, else the middle one;
    /// -1: none.
    int levelHost() const;

    TopologyThing thingAt(const QPointF& position) const;
    const TopologyCounts& counts() const { return counts_; } ///< of the last frame
    /// The map of the whole, to be placed next to the picture.
    TopologyOverview* overview() const { return overview_; }
    /// What the hover card says of a thing.
    void setCards(std::function<CardContent(const TopologyThing&)> cards) { cards_ = std::move(cards); }
    QSize sizeHint() const override { return {800, 560}; }
    QSize minimumSizeHint() const override { return {160, 120}; }

signals:
    void cameraChanged();
    void chosen(const alidade::views::TopologyThing& thing);
    void groupStepped(int step); ///< 1: the next kind of group, -1: the one before
    void searchRequested();
    void cleared();
    void menuRequested(const QPoint& globalPosition);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    TopologyCamera whole() const;
    void renewMarks();
    void hover(const QPointF& position);
    void walk(int dx, int dy);
    void lookAt(const QRectF& world, double margin);
    QRectF rectOf(const TopologyThing& thing) const;
    int nodeAt(const QPointF& position) const;
    QRectF levelRect(TopologyLevel level, int host) const;
    std::optional<LinkId> linkAt(const QPointF& position) const;

    std::shared_ptr<const TopologyData> data_;
    TopologyFocus focus_;
    TopologyLook marks_;
    TopologyCamera camera_;
    TopologyPainter painter_;
    TopologyCounts counts_;
    TopologyOverview* overview_; ///< belongs to whoever has placed it
    std::function<CardContent(const TopologyThing&)> cards_;
    TopologyThing hovered_;
    QPointF pressed_, last_;
    bool dragging_ = false;
    bool moved_ = false; ///< a person looks at a part
};

} // namespace alidade::views
