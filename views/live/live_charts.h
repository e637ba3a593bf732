// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/live/live_chart.h"
#include "views/live/live_state.h"

#include <QHash>
#include <QStringList>
#include <QWidget>

class QGridLayout;
class QMenu;
class QVBoxLayout;

namespace alidade::views {

class SharesPanel;

/// The headline figure large, the others small below it, as many as have room or a person chose; the shares
/// of time next to them. A chart stays the same widget from answer to answer.
class LiveCharts : public QWidget {
    Q_OBJECT
public:
    explicit LiveCharts(LiveTime* time, QWidget* parent = nullptr);

    void setResult(const LiveResult& result);
    void setStale(std::optional<double> since);
    void setExcluded(const std::vector<ExcludedWindow>& windows);
    void setMargins(int left, int right);
    /// Another answer that this one is compared with; null: none.
    void setReference(std::shared_ptr<const LiveResult> reference, const QString& name);

    LiveChart* headline() const { return headline_; }
    /// Of this id, where it is shown; else null.
    LiveChart* small(const QString& id) const;
    QStringList shownIds() const { return shown_; }
    /// Ids of small charts; an empty list goes back to what has room.
    void setChosen(const QStringList& ids);
    /// One entry a figure, to choose from.
    void fillMenu(QMenu* menu);

    QSize sizeHint() const override;

signals:
    void leaveOutRequested(double start, double end);
    void useAgainRequested();
    void prometheusRequested(const QString& expression, double start, double end);
    void grafanaRequested(double start, double end);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    int columns() const;
    LiveChart* chartOf(const QString& id);
    void follow(LiveChart* chart);
    void compare(LiveChart* chart) const;
    double unitFor(const ChartLine& line) const;

    LiveTime* time_;
    LiveChart* headline_;
    SharesPanel* shares_;
    QVBoxLayout* column_;
    QGridLayout* grid_;
    QHash<QString, LiveChart*> charts_;
    std::vector<ChartLine> lines_; ///< all but the headline
    ChartLine first_;
    TimeGrid timeGrid_;
    std::vector<FaultSpan> faults_;
    std::vector<ExcludedWindow> excluded_;
    std::optional<double> stale_;
    std::shared_ptr<const LiveResult> reference_;
    QString referenceName_;
    QStringList chosen_, shown_;
    int shownColumns_ = 0;
    bool withShares_ = false, shownShares_ = false;
};

} // namespace alidade::views
