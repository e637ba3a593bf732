// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/workbook.h"
#include "views/document/latest_worker.h"
#include "views/report/report_pages.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QScrollArea;
class QSpinBox;
class QStackedWidget;
class QTextBrowser;
class QTextDocument;

namespace alidade::views {

class SheetTabs;
struct HtmlContent;

/// A report as its file will be: the pages of a PDF, one at a time, as wide as there is room; an HTML page;
/// the sheets of a workbook; the text of CSV and JSON. Written, laid out and painted by workers; the last one
/// stays in sight meanwhile.
class ReportPreview : public QWidget {
    Q_OBJECT

public:
    explicit ReportPreview(QWidget* parent = nullptr);

    /// Writes what `make` returns, on a worker; a newer call supersedes an older one, which may never be
    /// made.
    /// \param suffix of the file: "pdf", "html", "xlsx", "csv" or "json"
    void show(std::function<data::Report()> make, Paper paper, const QString& suffix = QStringLiteral("pdf"));
    /// Says that what it will show is still being estimated.
    void wait();
    int pageCount() const; ///< of a PDF; 0: it shows another form
    int page() const;      ///< from 1
    void setPage(int page);
    /// Whether what is shown is that of the last call, and its page is painted.
    bool isSettled() const { return !working_ && painted_ == painting_; }

signals:
    /// \param pages of the report that is shown now: see pageCount()
    void settled(int pages);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What a worker makes for one form; the others are empty.
    struct Content {
        std::shared_ptr<const ReportPages> pages;
        std::shared_ptr<const HtmlContent> page;
        std::vector<data::Sheet> sheets;
        QString text;
        QString fault; ///< why there is nothing
    };
    static Content contentOf(data::Report report, Paper paper, const QString& suffix,
                             const std::stop_token& stop);
    QWidget* makePages();
    QWidget* makeBrowser();
    void take(int generation, Content content);
    void paint();
    void paintPage();
    void layOutHtml();

    QStackedWidget* forms_;
    QScrollArea* area_;
    QLabel* picture_;
    QTextBrowser* browser_;
    SheetTabs* sheets_;
    QPlainTextEdit* text_;
    QWidget* pageRow_;
    QSpinBox* number_;
    QLabel* count_;
    QLabel* state_;
    Content content_;
    std::shared_ptr<QTextDocument> document_;     ///< in the browser
    int layout_ = 0, painting_ = 0, painted_ = 0; ///< generations
    bool working_ = false;
    LatestWorker layoutWorker_, paintWorker_;
};

} // namespace alidade::views
