// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/latest_worker.h"
#include "views/report/report_pages.h"

#include <QWidget>

#include <functional>
#include <memory>

class QLabel;
class QScrollArea;
class QSpinBox;

namespace alidade::views {

/// The pages of a report as they will be printed, one at a time, as wide as there is room. Laid out and
/// painted by workers; the last page stays in sight meanwhile.
class ReportPreview : public QWidget {
    Q_OBJECT

public:
    explicit ReportPreview(QWidget* parent = nullptr);

    /// Lays out what `make` returns, on a worker; a newer call supersedes an older one, which may never be
    /// made.
    void show(std::function<data::Report()> make, Paper paper);
    /// Says that what it will show is still being estimated.
    void wait();
    int pageCount() const;
    int page() const; ///< from 1
    void setPage(int page);
    /// Said beside the number of the page.
    void setNote(const QString& note);
    /// Whether what is shown is that of the last call, and its page is painted.
    bool isSettled() const { return !working_ && painted_ == painting_; }

signals:
    /// \param pages of the report that is shown now
    void settled(int pages);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void take(int generation, const std::shared_ptr<const ReportPages>& pages);
    void paintPage();

    QScrollArea* area_;
    QLabel* picture_;
    QSpinBox* number_;
    QLabel* count_;
    QLabel* note_;
    QLabel* state_;
    std::shared_ptr<const ReportPages> pages_;
    int layout_ = 0, painting_ = 0, painted_ = 0; ///< generations
    bool working_ = false;
    LatestWorker layoutWorker_, paintWorker_;
};

} // namespace alidade::views
