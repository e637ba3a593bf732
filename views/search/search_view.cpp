// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/search_view.h"

#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"
#include "model/search/plan_figures.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/kit/wheel_guard.h"
#include "views/search/plan_panel.h"
#include "views/search/question_panel.h"
#include "views/search/search_list.h"
#include "views/search/search_plot.h"
#include "views/search/search_source.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QUndoStack>
#include <QVBoxLayout>
#include <qcustomplot.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace alidade::views {

SearchView::SearchView(Document* document, QWidget* parent)
    : View(document, parent)
    , source_(new SearchSource(this))
    , question_(new QuestionPanel)
    , states_(new QStackedWidget)
    , empty_(new EmptyState(iconName(), tr("No search yet"),
                            tr("Search tries every legal value of the fields that may change, and lists the "
                               "best plans."),
                            tr("Search Now")))
    , error_(new ErrorState({}))
    , verdict_(new VerdictLabel)
    , plot_(new SearchPlot)
    , plans_(new SearchList)
    , list_(plans_->table())
    , detail_(new TextLabel(FontRole::small, Role::text2))
    , going_(new TextLabel(FontRole::small, Role::text2))
    , changed_(new TextLabel(FontRole::small, Role::text))
    , again_(new QPushButton(tr("Search Again")))
    , counts_(new TextLabel(FontRole::small, Role::text2))
    , panel_(new PlanPanel)
    , filter_(new QTimer(this)) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(title());
    content_ = new QWidget;
    auto* answer = new QSplitter(Qt::Horizontal);
    answer->addWidget(makeAnswer());
    auto* right = new QWidget;
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    right->setMinimumWidth(theme().px(360)); // four columns
    column->addWidget(new DockTitleBar(QStringLiteral("compare"), tr("Chosen plan")));
    column->addWidget(panel_, 1);
    answer->addWidget(right);
    answer->setStretchFactor(0, 5);
    answer->setStretchFactor(1, 3);
    answer->setSizes({theme().px(760), theme().px(420)});
    auto* whole = new QVBoxLayout(content_);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(answer);
    waiting_ = new QWidget;
    for (QWidget* page : {static_cast<QWidget*>(empty_), static_cast<QWidget*>(error_), content_, waiting_})
        states_->addWidget(page);
    auto* parts = new QSplitter(Qt::Horizontal);
    parts->addWidget(question_);
    parts->addWidget(states_);
    parts->setStretchFactor(1, 1);
    parts->setSizes({question_->sizeHint().width(), theme().px(1180)});
    for (QSplitter* splitter : {answer, parts}) {
        splitter->setChildrenCollapsible(false);
        splitter->setHandleWidth(1);
    }
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(parts);
    busy_ = new BusyOverlay(states_);
    makeListActions();
    connectParts();
    renewScenario();
}

QWidget* SearchView::makeAnswer() {
    auto* out = new QWidget;
    auto* column = new QVBoxLayout(out);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeStrip());
    plotBar_ = new DockTitleBar(QStringLiteral("search"), tr("Plans"));
    makeAxes();
    auto* halves = new QSplitter(Qt::Vertical);
    auto* half = new QWidget;
    auto* box = new QVBoxLayout(half);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(plotBar_);
    box->addWidget(plot_, 1);
    halves->addWidget(half);
    halves->addWidget(plans_);
    halves->setChildrenCollapsible(false);
    halves->setHandleWidth(1);
    halves->setSizes({theme().px(300), theme().px(360)});
    column->addWidget(halves, 1);
    auto* foot = new QWidget;
    auto* noted = new QVBoxLayout(foot);
    const int side = theme().px(18);
    noted->setContentsMargins(side, theme().px(6), side, theme().px(6));
    counts_->setWordWrap(true);
    noted->addWidget(counts_);
    column->addWidget(foot);
    return out;
}

/// The answer in a sentence, why, and what changed since the last one.
QWidget* SearchView::makeStrip() {
    strip_ = new QWidget;
    auto* lines = new QVBoxLayout(strip_);
    const int side = theme().px(18);
    lines->setContentsMargins(side, theme().px(12), side, theme().px(12));
    lines->setSpacing(theme().px(6));
    detail_->setWordWrap(true);
    changed_->setWordWrap(true);
    again_->setAccessibleName(again_->text());
    again_->setToolTip(tr("Repeat this search and show what changed"));
    auto* row = new QHBoxLayout;
    row->addWidget(going_, 1);
    row->addWidget(changed_, 1);
    row->addWidget(again_);
    going_->hide();
    changed_->hide();
    again_->hide();
    lines->addWidget(verdict_);
    lines->addWidget(detail_);
    lines->addLayout(row);
    return strip_;
}

void SearchView::connectParts() {
    connect(question_, &QuestionPanel::searchRequested, this, &SearchView::search);
    connect(question_, &QuestionPanel::rankingEdited, this, &SearchView::rankAnew);
    connect(question_, &QuestionPanel::stopRequested, source_, &SearchSource::stop);
    connect(empty_, &Notice::triggered, this, &SearchView::search);
    connect(source_, &SearchSource::busyChanged, this, &SearchView::renewBusy);
    connect(source_, &SearchSource::progressed, this, &SearchView::renewProgress);
    connect(again_, &QPushButton::clicked, this, &SearchView::search);
    for (QWidget* part :
         {list_->viewport(), static_cast<QWidget*>(plot_->plot()), static_cast<QWidget*>(panel_)})
        part->installEventFilter(this);
    connect(source_, &SearchSource::answered, this, &SearchView::renewAnswer);
    connect(busy_, &BusyOverlay::cancelRequested, source_, &SearchSource::stop);
    connect(list_, &CellTable::currentKeyChanged, this, &SearchView::choose);
    connect(plot_, &SearchPlot::chosen, this, [this](std::uint64_t index) {
        choose(QString::number(index));
        list_->setCurrentKey(QString::number(index));
    });
    for (QComboBox* axis : {up_, right_})
        connect(axis, &QComboBox::activated, this, [this] {
            const auto figure = [](const QComboBox* combo) {
                return findPlanFigure(combo->currentData().toString().toStdString());
            };
            plot_->setAxes(figure(up_), figure(right_));
        });
    connect(panel_, &PlanPanel::rejectionChosen, this, &SearchView::chooseRejected);
    connect(panel_, &PlanPanel::exampleChosen, this, &SearchView::chooseExample);
    filter_->setSingleShot(true);
    connect(plot_, &SearchPlot::viewChanged, filter_, qOverload<>(&QTimer::start));
    connect(filter_, &QTimer::timeout, this, &SearchView::renewList);
    connect(plot_, &PlotBase::showDataRequested, this, [this] { list_->setFocus(Qt::ShortcutFocusReason); });
    plot_->setTableSource([this] { return list_->textTable(); });
    connect(list_, &QAbstractItemView::activated, this, &SearchView::togglePreview);
    connect(panel_, &PlanPanel::previewRequested, this, &SearchView::togglePreview);
    connect(panel_, &PlanPanel::adoptRequested, this, &SearchView::adopt);
    connect(&document(), &Document::specChanged, this, &SearchView::renewStaleness);
    connect(&document(), &Document::aboutToOpen, this, &SearchView::forget);
    catalogMark_ = [this] {
        return QByteArray::number(reinterpret_cast<quintptr>(document().catalog().get()));
    };
    // A change is kept, and with it marked, after it was made.
    connect(&document(), &Document::catalogChanged, this, &SearchView::renewStaleness, Qt::QueuedConnection);
    connect(&document(), &Document::previewChanged, this, [this] { panel_->setPreviewed(isPreviewed()); });
}

void SearchView::updateEstimate() { renewScenario(); }

/// The panel asks about what the person edits, not about a plan that is previewed.
void SearchView::renewScenario() {
    const auto catalog = document().catalog();
    const auto profile = profileOf(document().spec(), *catalog);
    if (!document().spec().workload.model && !document().spec().workload.architecture) {
        question_->setEnabled(false);
        return;
    }
    question_->setEnabled(bool(profile));
    if (profile)
        question_->setScenario(document().spec(), catalog, **profile);
}

void SearchView::search() {
    renewScenario();
    const auto asked = question_->question();
    const auto catalog = document().catalog();
    const auto profile = profileOf(document().spec(), *catalog);
    if (!asked || !profile) {
        error_->setText(tr("This cannot be searched"), text(asked ? profile.error() : asked.error()));
        error_->setAction({});
        states_->setCurrentWidget(error_);
        return;
    }
    if (document().previewed() != nullptr)
        document().endPreview();
    searchedAt_ = document().undoStack()->index();
    before_ = shown_ && shown_->result.complete && !shown_->goesOn ? shown_ : nullptr;
    hasFirst_ = false;
    strip_->setMinimumHeight(0);
    trying_ = question_->sizeText();
    source_->start(*asked, catalog, **profile, catalogMark_());
}

/// Asks a finished search with other limits and figures at once, where it remembers all that takes.
void SearchView::rankAnew() {
    const bool searches = source_->busy() && !source_->ranksAnew();
    if (!shown_ || shown_->goesOn || searches || isOutdated() || isStale())
        return;
    const auto asked = question_->question();
    const bool isNew = asked && (source_->ranksAnew() || !isSameQuestion(*asked, shown_->question));
    if (isNew && source_->remembers(*asked, document().catalog()))
        search();
}

void SearchView::renewBusy(bool busy) {
    question_->setBusy(busy);
    if (busy && states_->currentWidget() != content_)
        states_->setCurrentWidget(waiting_); // nothing shows through what is said there
    if (!busy && states_->currentWidget() == waiting_)
        states_->setCurrentWidget(empty_);
    if (busy)
        busy_->start(tr("Trying %1").arg(trying_)); // "18.8 M plans"
    else
        busy_->stop();
    renewStaleness();
}

void SearchView::makeAxes() {
    for (const auto& [axis, words] :
         {std::pair(&up_, tr("Vertical axis")), std::pair(&right_, tr("Horizontal axis"))}) {
        *axis = new QComboBox;
        (*axis)->setAccessibleName(words);
        (*axis)->setToolTip(words);
        (*axis)->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        (*axis)->setMinimumContentsLength(10);
        WheelGuard::install(*axis);
    }
    plotBar_->addRight(plot_->brushAction());
    plotBar_->addRight(up_);
    plotBar_->addRightText(tr("over"));
    plotBar_->addRight(right_);
}

/// The figures that the plans have; first those that were searched for.
void SearchView::renewAxes(const CatalogSearch& answer) {
    std::vector<const PlanFigure*> figures = answer.picture.figures;
    for (const PlanFigure* each : answer.result.axes)
        if (std::ranges::find(figures, each) == figures.end())
            figures.push_back(each);
    for (const auto& [axis, shown] : {std::pair(up_, plot_->up()), std::pair(right_, plot_->right())}) {
        const auto isThere = [axis = axis](const PlanFigure* each) {
            return axis->findData(text(each->path)) >= 0;
        };
        // A list that a person has open stays.
        if (axis->count() != static_cast<int>(figures.size()) || !std::ranges::all_of(figures, isThere)) {
            axis->clear();
            for (const PlanFigure* each : figures)
                axis->addItem(text(each->label), text(each->path));
        }
        axis->setCurrentIndex(axis->findData(text(shown->path)));
        axis->setEnabled(!answer.picture.figures.empty());
    }
}

void SearchView::togglePreview() {
    if (isPreviewed())
        document().endPreview();
    else if (chosen_ && !chosen_->plan.set.empty())
        document().preview(
            {describeEdit(changesOf(document().spec(), chosen_->plan.set)), chosen_->plan.set});
}

void SearchView::adopt() {
    if (!chosen_ || chosen_->isRejected)
        return;
    const Edit set = chosen_->plan.set;
    if (document().previewed() != nullptr)
        document().endPreview();
    document().setFields(set, tr("adopt the found plan"));
}

void SearchView::makeListActions() {
    auto* pin = new QAction(icon(QLatin1StringView("pin")), tr("Pin as Baseline"), this);
    connect(pin, &QAction::triggered, this, [this] {
        if (const auto plan = chosenScenario())
            document().baselines().pin(plan->spec, text(plan->name));
    });
    auto* compare = new QAction(icon(QLatin1StringView("compare")), tr("Add to the Comparison"), this);
    connect(compare, &QAction::triggered, this, [this] {
        if (const auto plan = chosenScenario())
            emit compareRequested(*plan);
    });
    list_->addActions({compare, pin});
    report_ = new QAction(icon(QLatin1StringView("export")), tr("Report…"), this);
    report_->setToolTip(tr("The document of the recommended plan, with what was searched and rejected"));
    report_->setEnabled(false);
    connect(report_, &QAction::triggered, this, &SearchView::reportRequested);
    plans_->bar()->addRight(report_);
}

std::shared_ptr<const SearchAnswer> SearchView::answer() const { return shown_; }

std::optional<ScenarioSpec> SearchView::recommended() const {
    return shown_ && !shown_->goesOn && shown_->result.complete && shown_->result.recommended &&
                   searchedAt_ >= 0
               ? applyEdit(shown_->question.base, shown_->result.recommended->set)
               : std::nullopt;
}

std::optional<data::ListedScenario> SearchView::chosenScenario() const {
    const auto spec =
        chosen_ && !chosen_->isRejected ? applyEdit(shown_->question.base, chosen_->plan.set) : std::nullopt;
    if (!spec)
        return std::nullopt;
    const int place = placeInList(chosen_->plan) + 1;
    const QString name = document().displayName();
    return data::ListedScenario{
        .name = (place > 0 ? tr("%1, found %2").arg(name).arg(place) : tr("%1, found plan").arg(name))
                    .toStdString(),
        .spec = *spec};
}

QString SearchView::sentence() const { return verdict_->sentence(); }

void SearchView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && source_->busy())
        source_->stop();
    else
        View::keyPressEvent(event);
}

} // namespace alidade::views
