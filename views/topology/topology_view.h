// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/estimate_view.h"
#include "views/document/selection.h"
#include "views/topology/topology_canvas.h"
#include "views/topology/topology_live.h"

#include <functional>
#include <memory>

class QComboBox;
class QLineEdit;
class QMenu;
class QStandardItemModel;

namespace alidade::views {

class TopologyCrumbs;
class TopologyInspector;
class TopologyLegendBar;
class LatestWorker;
class TextLabel;
class TopologySource;
class TopologyWhatIfList;
struct TopologyPicture;

/// The cluster of the plan from the UltraCluster to the GPU: who runs where, who talks to whom over which
/// links, and what the chosen thing does. Laid out on a worker, and only while this view is to be seen.
class TopologyView : public EstimateView {
    Q_OBJECT
public:
    explicit TopologyView(Document* document, QWidget* parent = nullptr);
    ~TopologyView() override;

    QString title() const override { return tr("Topology"); }
    QString iconName() const override { return QStringLiteral("topology"); }
    TopologyCanvas* canvas() const { return canvas_; }
    TopologyInspector* inspector() const { return inspector_; }
    TopologyLegendBar* legend() const { return legend_; }
    TopologyCrumbs* crumbs() const { return crumbs_; }
    TopologyWhatIfList* whatIf() const { return whatIf_; }
    QComboBox* colorBy() const { return color_; }
    QLineEdit* search() const { return search_; }
    /// What colors GPUs next to the plan's figures; null observation: nothing is measured.
    void setMeasured(const TopologyMeasured& measured);
    bool isLayingOut() const; ///< the cluster of the newest estimate is on its way

    void choose(const TopologyThing& thing);
    void chooseGroup(std::optional<GroupKind> kind);
    /// Shows the way from the chosen GPU to another, link by link.
    void showPathTo(int gpu);
    /// Goes to what the words mean best; false: nothing of that name.
    bool goToWords(const QString& words);
    /// Chooses a host by the name that was measured and goes there; false: there is none. Where the cluster
    /// is still being laid out, as soon as that is done: then true.
    bool goToHost(const QString& name);
    /// Writes the picture: png or svg by suffix, what is to be seen or the whole cluster; csv: all hosts.
    /// Returns the reason on failure, else an empty text.
    QString exportTo(const QString& file, bool whole);

protected:
    QString nothingYet() const override { return tr("No cluster to draw yet"); }
    bool canShow(const Estimate& estimate) const override;
    void showEstimate() override;
    void showDifference() override;
    void updateSelection() override;
    void chooseRow(const QString& key) override;
    void focusInEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHead();
    void fillExportMenu(QMenu* menu);
    TopologyPicture snapshot() const;
    void take(const std::shared_ptr<const TopologyData>& data, const QString& error);
    TopologyFocus focusOf(const Selection& selection) const;
    void fillColors();
    void addLiveColors();
    void renewLive();
    void fillTable();
    void renewPicture();
    void renewCrumbs();
    void renewHits();
    void stepGroup(int step);
    void showMenu(const QPoint& globalPosition);
    /// \param write returns the reason on failure, else an empty text
    void askForFile(const QString& suffix, const std::function<QString(const QString&)>& write);

    TopologySource* source_;
    TopologySource* beforeSource_; ///< of the baseline
    TopologyCanvas* canvas_;
    TopologyInspector* inspector_;
    TopologyLegendBar* legend_;
    TopologyWhatIfList* whatIf_;
    TopologyCrumbs* crumbs_;
    QComboBox* color_;
    QComboBox* load_;
    QLineEdit* search_;
    QStandardItemModel* hits_;
    QStackedWidget* pages_; ///< the picture, or why there is none
    EmptyState* none_;
    TextLabel* failure_; ///< of an export
    BusyOverlay* layingOut_;
    std::shared_ptr<const TopologyData> data_, before_;
    std::shared_ptr<const Estimate> beforeOf_; ///< the baseline that `before_` is of, or is asked for
    TopologyMeasured measured_;
    std::shared_ptr<const TopologyLive> live_; ///< null: no cluster yet
    QString wantedHost_;                       ///< to be gone to as soon as the cluster is laid out
    int pathTo_ = -1;
    std::unique_ptr<LatestWorker> writer_;
};

} // namespace alidade::views
