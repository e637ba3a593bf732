// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/app/window_fixture.h"
#include "tests/views/gallery.h"
#include "views/kit/cell_table.h"
#include "views/kit/rail.h"
#include "views/search/question_panel.h"
#include "views/search/search_plot.h"
#include "views/search/search_source.h"
#include "views/search/search_view.h"

#include <QLineEdit>
#include <qcustomplot.h>

#include <utility>

using views::SearchView;

namespace {

QString q(const char* words) { return QString::fromUtf8(words); }

/// The window on a small question: four tensor degrees by two pipelines.
struct SearchFixture : Fixture {
    SearchView* view = nullptr;

    explicit SearchFixture(const char* scenario = "llama-3.1-70b-64xp5.48xlarge") {
        files().openSample(QString::fromLatin1(scenario));
        settle();
        view = window->findChild<SearchView*>();
        showPage();
    }
    void showPage() const {
        for (QAction* action : window->findChild<views::Rail*>()->actions())
            if (action->data() == QLatin1String("search"))
                action->trigger();
        QTRY_VERIFY(view->isVisible());
    }
    views::QuestionPanel& question() const { return *view->questionPanel(); }
    QPushButton* button() const { return question().searchButton(); }
    void type(QLineEdit* field, const char* words) const {
        QTest::mouseClick(field, Qt::LeftButton);
        field->selectAll();
        QTest::keyClicks(field, q(words));
        QTest::keyClick(field, Qt::Key_Tab);
    }
    void askLittle() const {
        for (const auto& [path, words] :
             {std::pair("plan.tensor_parallel", "1,2,4,8"), std::pair("plan.context_parallel", "1"),
              std::pair("plan.pipeline_parallel", "2,4"), std::pair("plan.virtual_pipeline", "1..4"),
              std::pair("plan.micro_batch", "1"), std::pair("plan.recompute", "norms, glu|full")})
            type(question().values(q(path)), words);
    }
    void search() const {
        QTest::mouseClick(button(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!view->source()->busy() && view->source()->answer(), 20'000);
        ::settle();
    }
    QString cell(int row, int column) const {
        return view->list()->model()->index(row, column).data().toString();
    }
    void clickPoint(int plan) const {
        views::SearchPlot* picture = view->plot();
        QTest::mouseClick(picture->plot(), Qt::LeftButton, {}, picture->placeOf(plan).toPoint());
    }
    void clickRow(int row) const {
        const QRect place = view->list()->visualRect(view->list()->model()->index(row, 1));
        QTest::mouseClick(view->list()->viewport(), Qt::LeftButton, {}, place.center());
    }
};

} // namespace
