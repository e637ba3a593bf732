// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"
#include "views/report/logo.h"
#include "views/report/page_flow.h"
#include "views/report/pdf.h"
#include "views/theme/theme.h"

#include <QSizeF>

#include <stop_token>
#include <vector>

namespace alidade::views {

/// Where a section begins.
struct PageHeading {
    QString title;
    std::size_t page = 0;
    double top = 0;    ///< CSS px from the top of the page
    bool part = false; ///< a scenario of a comparison, or the title of the whole
};

/// A report laid out on pages: the same for the file and for a preview. Made and painted on any thread, one
/// page at a time. Black on white whatever the theme of the application. Needs a QGuiApplication and
/// installed fonts.
class ReportPages {
public:
    /// \param stop ends the search for fewer pages: what is found by then is complete
    ReportPages(data::Report report, Paper paper, const std::stop_token& stop = {});
    ReportPages(const ReportPages&) = delete;
    ReportPages& operator=(const ReportPages&) = delete;

    const data::Report& report() const { return report_; }
    std::size_t count() const { return pages_.size(); }
    QSizeF size() const { return size_; } ///< of a page, CSS px of 1/96 inch
    /// The title, then the sections after the first page.
    const std::vector<PageHeading>& headings() const { return headings_; }
    /// \param painter in CSS px, with its origin at the page's top left
    void paint(QPainter& painter, std::size_t page) const;

private:
    bool isRepeated(const PlacedBlock& placed) const;
    void paintHeader(QPainter& painter, std::size_t page) const;
    void paintFooter(QPainter& painter, std::size_t page) const;

    data::Report report_;
    LogoPicture logo_; ///< of the report, or of the program
    QSizeF size_;
    Theme theme_;
    std::vector<Block> blocks_;
    std::vector<Page> pages_; ///< point into the blocks
    std::vector<PageHeading> headings_;
};

/// The size of a paper in CSS px, upright.
QSizeF paperSize(Paper paper);

} // namespace alidade::views
