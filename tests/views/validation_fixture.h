// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/validation/error_figures.h"
#include "model/validation/summaries.h"
#include "tests/views/counting_engine.h"
#include "tests/views/drive.h"
#include "tests/views/gallery.h"
#include "tests/views/sample_document.h"
#include "tests/views/sample_validation.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/theme/theme_controller.h"
#include "views/validation/class_table.h"
#include "views/validation/filter_panel.h"
#include "views/validation/run_panel.h"
#include "views/validation/run_plot.h"
#include "views/validation/run_text.h"
#include "views/validation/validation_answer.h"
#include "views/validation/validation_source.h"
#include "views/validation/validation_view.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <qcustomplot.h>

#include <atomic>

using namespace alidade;
using namespace alidade::views;

namespace {

const QString tokens = QStringLiteral("tokens_per_s_per_gpu");
const RunFilter tokenRows{.quantity = tokens, .judgedOnly = false};

/// A validation of given rows, next to a document with the shipped catalog.
struct Fixture {
    SampleDocument document{sample::estimate(), test::shippedCatalog()};
    ValidationReport told = sample::validationReport();
    std::atomic<int> reports = 0;
    std::atomic<bool> fails = false, held = false;
    std::atomic<Qt::HANDLE> thread = nullptr;
    ValidationSource source{document.get(), engine()};
    ValidationView view{document.get(), &source};

    explicit Fixture(const QSize& size = {1500, 900}) { present(view, size); }
    ValidationEngine engine() {
        return {.report =
                    [this](const Catalog&, const std::stop_token& stop) {
                        ++reports;
                        thread = QThread::currentThreadId();
                        while (held && !stop.stop_requested())
                            QThread::msleep(1);
                        if (fails)
                            throw std::runtime_error("the rows are torn");
                        return told;
                    },
                .nearest =
                    [](const ValidationReport& report, const ScenarioSpec& spec, const Catalog&) {
                        std::vector<const ValidationRow*> near;
                        for (std::size_t i = 0; i < 3 && spec.workload.model; ++i)
                            near.push_back(&report.rows[10 + i]);
                        return near;
                    }};
    }
    /// Waits for the report; then all 48 rows in tokens per second are shown.
    void ready() {
        begin();
        view.setFilter(tokenRows);
        settle();
    }
    void begin() { QTRY_VERIFY_WITH_TIMEOUT(!source.busy() && source.report(), 20'000); }
    const QList<RunPoint>& points() const { return view.scatter()->picture().points; }
    CellTable* table() const { return view.table(ValidationView::runsPage); }
    QPoint pixelOf(int point) const { return view.scatter()->placeOf(point).toPoint(); }
    QString currentId() const {
        const QModelIndex now = table()->currentIndex();
        return now.isValid() ? now.siblingAtColumn(table()->cells()->columnCount() - 1).data().toString()
                             : QString();
    }
    void choose(RunField field, const QString& beginning) {
        QComboBox* combo = view.filterPanel()->combo(field);
        const int index = combo->findText(beginning, Qt::MatchStartsWith);
        QVERIFY2(index > 0, qPrintable(beginning));
        combo->setFocus();
        combo->setCurrentIndex(index);
        emit combo->activated(index);
    }
};

/// The point that is furthest from all others, so that a click means it.
[[maybe_unused]] int aloneOf(const Fixture& f) {
    int best = 0, most = -1;
    for (int i = 0; i < f.points().size(); ++i) {
        int nearest = 10'000;
        for (int other = 0; other < f.points().size(); ++other)
            if (other != i)
                nearest = std::min(nearest, (f.pixelOf(other) - f.pixelOf(i)).manhattanLength());
        if (nearest > most) {
            most = nearest;
            best = i;
        }
    }
    return best;
}

} // namespace
