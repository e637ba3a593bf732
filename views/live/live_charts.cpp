// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_charts.h"

#include "views/live/shares_panel.h"
#include "views/theme/theme_controller.h"

#include <QGridLayout>
#include <QMenu>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double chartWidth = 270;     // that a small chart needs
constexpr double twoRowsFrom = 560;    // height of all charts
constexpr double headlineHeight = 150; // at least
constexpr double aloneHeight = 220;    // where the charts scroll
constexpr double smallHeight = 122;

} // namespace

LiveCharts::LiveCharts(LiveTime* time, QWidget* parent)
    : QWidget(parent)
    , time_(time)
    , headline_(new LiveChart(time, LiveChart::Kind::headline))
    , shares_(new SharesPanel(this))
    , column_(new QVBoxLayout(this))
    , grid_(new QGridLayout) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(0);
    column_->addWidget(headline_, 3);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(0);
    column_->addLayout(grid_, 2);
    headline_->setMinimumHeight(theme().px(headlineHeight));
    shares_->hide(); // until there are any
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    follow(headline_);
}

QSize LiveCharts::sizeHint() const { return {theme().px(820), theme().px(360)}; }

void LiveCharts::setResult(const LiveResult& result) {
    const auto& charts = result.comparison.charts;
    timeGrid_ = result.observation->grid;
    lines_.assign(charts.begin() + (charts.empty() ? 0 : 1), charts.end());
    faults_ = faultSpans(result.findings, timeGrid_, result.gaps);
    headline_->setFaults(faults_);
    first_ = charts.empty() ? ChartLine{} : charts.front();
    headline_->setLine(first_, timeGrid_, unitFor(first_));
    shares_->setShares(result.comparison.shares);
    withShares_ = !result.comparison.shares.empty();
    headline_->setMinimumHeight(theme().px(withShares_ ? headlineHeight : aloneHeight));
    arrange();
    for (const ChartLine& line : lines_)
        if (LiveChart* chart = small(text(line.id))) {
            chart->setFaults(faults_);
            chart->setLine(line, timeGrid_, unitFor(line));
            compare(chart);
        }
    compare(headline_);
}

void LiveCharts::follow(LiveChart* chart) {
    connect(chart, &LiveChart::leaveOutRequested, this, &LiveCharts::leaveOutRequested);
    connect(chart, &LiveChart::useAgainRequested, this, &LiveCharts::useAgainRequested);
    connect(chart, &LiveChart::prometheusRequested, this, &LiveCharts::prometheusRequested);
    connect(chart, &LiveChart::grafanaRequested, this, &LiveCharts::grafanaRequested);
}

void LiveCharts::compare(LiveChart* chart) const {
    if (reference_) {
        const auto& lines = reference_->comparison.charts;
        const auto line = std::ranges::find(lines, chart->id(), &ChartLine::id);
        if (line != lines.end())
            return chart->setReference(line->measured, reference_->observation->grid, referenceName_);
    }
    chart->setReference({}, {}, {});
}

void LiveCharts::setReference(std::shared_ptr<const LiveResult> reference, const QString& name) {
    reference_ = std::move(reference);
    referenceName_ = name;
    compare(headline_);
    for (LiveChart* chart : std::as_const(charts_))
        compare(chart);
}

/// Latencies of one kind read side by side: mean and percentiles share the unit of the largest of them.
double LiveCharts::unitFor(const ChartLine& line) const {
    const auto family = [](const std::string& id) {
        return id.starts_with("ttft_") ? 1 : id.starts_with("itl_") ? 2 : 0;
    };
    const auto most = [](const ChartLine& of) {
        double value = of.plan ? of.plan->high : 0;
        for (const double each : of.measured)
            value = std::isfinite(each) ? std::max(value, each) : value;
        return value;
    };
    const int wanted = family(line.id);
    if (wanted == 0)
        return 0;
    double out = family(first_.id) == wanted ? most(first_) : 0;
    for (const ChartLine& each : lines_)
        if (family(each.id) == wanted)
            out = std::max(out, most(each));
    return out;
}

LiveChart* LiveCharts::small(const QString& id) const {
    return shown_.contains(id) ? charts_.value(id) : nullptr;
}

LiveChart* LiveCharts::chartOf(const QString& id) {
    LiveChart*& chart = charts_[id];
    if (chart == nullptr) {
        chart = new LiveChart(time_, LiveChart::Kind::small, this);
        chart->setMinimumHeight(theme().px(smallHeight));
        follow(chart);
    }
    const auto line = std::ranges::find(lines_, id, [](const ChartLine& l) { return text(l.id); });
    chart->setFaults(faults_);
    chart->setExcluded(excluded_);
    chart->setStale(stale_);
    if (line != lines_.end())
        chart->setLine(*line, timeGrid_, unitFor(*line));
    compare(chart);
    return chart;
}

int LiveCharts::columns() const { return std::clamp(width() / std::max(1, theme().px(chartWidth)), 1, 6); }

void LiveCharts::arrange() {
    int across = columns();
    QStringList wanted;
    if (chosen_.isEmpty()) {
        // One cell is for the shares, where there are any; two rows are equally long.
        const int more = withShares_ ? 1 : 0;
        const int cells = static_cast<int>(lines_.size()) + more;
        const int rows = height() >= theme().px(twoRowsFrom) && cells > across ? 2 : 1;
        // Of engines there is no map of nodes: all charts stand one under the other, and scroll.
        const int room = withShares_ ? std::max(across * rows, 2) : std::max(cells, 2);
        for (const ChartLine& line : lines_)
            if (wanted.size() < room - more)
                wanted.append(text(line.id));
        across = std::min(across, (static_cast<int>(wanted.size()) + more + rows - 1) / rows);
    } else
        for (const ChartLine& line : lines_)
            if (chosen_.contains(text(line.id)))
                wanted.append(text(line.id));
    across = std::max(across, 1);
    if (wanted == shown_ && across == shownColumns_ && withShares_ == shownShares_)
        return;
    shownShares_ = withShares_;
    shown_ = wanted;
    shownColumns_ = across;
    while (QLayoutItem* item = grid_->takeAt(0))
        delete item;
    QList<QWidget*> cells;
    for (const QString& id : wanted)
        cells.append(chartOf(id));
    shares_->setVisible(withShares_);
    if (withShares_)
        cells.append(shares_);
    for (auto it = charts_.cbegin(); it != charts_.cend(); ++it)
        it.value()->setVisible(wanted.contains(it.key()));
    for (int i = 0; i < cells.size(); ++i)
        grid_->addWidget(cells[i], i / across, i % across);
    column_->setStretch(1, cells.isEmpty() ? 0 : cells.size() > across ? 4 : 2);
    for (int column = 0; column < 6; ++column)
        grid_->setColumnStretch(column, column < across ? 1 : 0);
    QWidget* before = headline_;
    for (QWidget* cell : cells) {
        setTabOrder(before, cell);
        before = cell;
    }
}

void LiveCharts::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void LiveCharts::setStale(std::optional<double> since) {
    stale_ = since;
    headline_->setStale(since);
    for (LiveChart* chart : std::as_const(charts_))
        chart->setStale(since);
}

void LiveCharts::setExcluded(const std::vector<ExcludedWindow>& windows) {
    excluded_ = windows;
    headline_->setExcluded(windows);
    for (LiveChart* chart : std::as_const(charts_))
        chart->setExcluded(windows);
}

void LiveCharts::setMargins(int left, int right) { headline_->setMargins(left, right); }

void LiveCharts::setChosen(const QStringList& ids) {
    chosen_ = ids;
    arrange();
}

void LiveCharts::fillMenu(QMenu* menu) {
    menu->clear();
    for (const ChartLine& line : lines_) {
        const QString id = text(line.id);
        QAction* entry = menu->addAction(text(line.title));
        entry->setCheckable(true);
        entry->setChecked(shown_.contains(id));
        connect(entry, &QAction::toggled, this, [this, id](bool on) {
            QStringList ids = shown_;
            if (on)
                ids.append(id);
            else
                ids.removeAll(id);
            if (!ids.isEmpty())
                setChosen(ids);
        });
    }
    menu->addSeparator();
    QAction* fitting = menu->addAction(tr("As many as fit"));
    fitting->setEnabled(!chosen_.isEmpty());
    connect(fitting, &QAction::triggered, this, [this] { setChosen({}); });
}

} // namespace alidade::views
