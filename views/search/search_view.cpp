// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/search_view.h"

#include "model/base/text.h"
#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"
#include "model/search/search_words.h"
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
#include "views/search/search_plot.h"
#include "views/search/search_source.h"
#include "views/theme/theme_controller.h"

#include <QAction>
#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QUndoStack>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

namespace alidade::views {

namespace {

QString count(std::uint64_t n) { return text(formatCount(static_cast<std::int64_t>(n))); }

QString keyOf(const FoundPlan& plan) { return QString::number(plan.index); }

/// What is listed: with two figures to look for, the plans that no other one beats in both.
const std::vector<FoundPlan>& listed(const SearchResult& result) {
    return result.front.empty() ? result.best : result.front;
}

const FoundPlan* planOf(const std::shared_ptr<const CatalogSearch>& answer, const QString& key) {
    if (!answer)
        return nullptr;
    const auto found = std::ranges::find(listed(answer->result), key, keyOf);
    return found == listed(answer->result).end() ? nullptr : &*found;
}

} // namespace

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
    , list_(new CellTable)
    , shared_(new TextLabel(FontRole::small, Role::text2))
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
    auto* strip = new QWidget;
    auto* lines = new QVBoxLayout(strip);
    const int side = theme().px(18);
    lines->setContentsMargins(side, theme().px(12), side, theme().px(12));
    lines->setSpacing(theme().px(6));
    shared_->setWordWrap(true);
    lines->addWidget(verdict_);
    lines->addWidget(shared_);
    column->addWidget(strip);
    listBar_ = new DockTitleBar(QStringLiteral("table"), tr("Best plans"));
    list_->setAccessibleName(tr("Best plans"));
    plotBar_ = new DockTitleBar(QStringLiteral("search"), tr("Plans"));
    makeAxes();
    auto* halves = new QSplitter(Qt::Vertical);
    for (const auto& [bar, part] : {std::pair<DockTitleBar*, QWidget*>(plotBar_, plot_),
                                    std::pair<DockTitleBar*, QWidget*>(listBar_, list_)}) {
        auto* half = new QWidget;
        auto* box = new QVBoxLayout(half);
        box->setContentsMargins(0, 0, 0, 0);
        box->setSpacing(0);
        box->addWidget(bar);
        box->addWidget(part, 1);
        halves->addWidget(half);
    }
    halves->setChildrenCollapsible(false);
    halves->setHandleWidth(1);
    halves->setSizes({theme().px(300), theme().px(360)});
    column->addWidget(halves, 1);
    auto* foot = new QWidget;
    auto* noted = new QVBoxLayout(foot);
    noted->setContentsMargins(side, theme().px(6), side, theme().px(6));
    counts_->setWordWrap(true);
    noted->addWidget(counts_);
    column->addWidget(foot);
    return out;
}

void SearchView::connectParts() {
    connect(question_, &QuestionPanel::searchRequested, this, &SearchView::search);
    connect(question_, &QuestionPanel::stopRequested, source_, &SearchSource::stop);
    connect(empty_, &Notice::triggered, this, &SearchView::search);
    connect(source_, &SearchSource::busyChanged, this, &SearchView::renewBusy);
    connect(source_, &SearchSource::progressed, this, [this](double done) { busy_->setProgress(done); });
    connect(source_, &SearchSource::answered, this, &SearchView::renewAnswer);
    connect(busy_, &BusyOverlay::cancelRequested, source_, &SearchSource::stop);
    connect(list_, &CellTable::currentKeyChanged, this, &SearchView::choose);
    connect(plot_, &SearchPlot::chosen, this, [this](int plan) {
        choose(keyOf(listed(source_->answer()->result)[static_cast<std::size_t>(plan)]));
        list_->setCurrentKey(chosen_);
    });
    for (QComboBox* axis : {up_, right_})
        connect(axis, &QComboBox::activated, this, [this] {
            const auto figure = [](const QComboBox* combo) {
                return findPlanFigure(combo->currentData().toString().toStdString());
            };
            plot_->setAxes(figure(up_), figure(right_));
        });
    connect(panel_, &PlanPanel::rejectionChosen, this, &SearchView::chooseRejected);
    filter_->setSingleShot(true);
    connect(plot_, &SearchPlot::viewChanged, filter_, qOverload<>(&QTimer::start));
    connect(filter_, &QTimer::timeout, this, [this] {
        if (!source_->answer())
            return;
        renewList(*source_->answer());
        list_->setCurrentKey(chosen_);
    });
    connect(plot_, &PlotBase::showDataRequested, this, [this] { list_->setFocus(Qt::ShortcutFocusReason); });
    plot_->setTableSource([this] { return list_->textTable(); });
    connect(list_, &QAbstractItemView::activated, this, &SearchView::togglePreview);
    connect(panel_, &PlanPanel::previewRequested, this, &SearchView::togglePreview);
    connect(panel_, &PlanPanel::adoptRequested, this, &SearchView::adopt);
    connect(&document(), &Document::specChanged, this, &SearchView::renewStaleness);
    connect(&document(), &Document::aboutToOpen, this, [this] {
        choose({});
        searchedAt_ = -1;
        report_->setEnabled(false);
    });
    connect(&document(), &Document::catalogChanged, this, &SearchView::outdate);
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
    source_->start(*asked, catalog, **profile);
}

void SearchView::renewBusy(bool busy) {
    question_->setBusy(busy);
    if (busy && states_->currentWidget() != content_)
        states_->setCurrentWidget(waiting_); // nothing shows through what is said there
    if (!busy && states_->currentWidget() == waiting_)
        states_->setCurrentWidget(empty_);
    if (busy)
        busy_->start(tr("Trying %1").arg(question_->sizeText())); // "18.8 M plans"
    else
        busy_->stop();
}

void SearchView::renewAnswer() {
    const CatalogSearch& answer = *source_->answer();
    const SearchResult& result = answer.result;
    const bool found = !result.best.empty();
    QString detail = found ? text(recommendationReason(answer.question, result)) : text(result.present.why);
    if (!result.complete)
        detail = tr("Partial: stopped before all plans were tried. ") + detail;
    verdict_->setVerdict(!found            ? BadgeKind::warn
                         : result.complete ? BadgeKind::ok
                                           : BadgeKind::warn,
                         text(searchHeadline(answer.question, result)));
    QStringList same;
    for (const FreeField& each : answer.question.free) {
        if (found && !differs(listed(result), each))
            same.append(text(labelOfFree(each)) + u' ' + text(valueInWords(listed(result).front(), each)));
    }
    shared_->setText(
        (found ? tr("Recommended: ") : QString()) + detail +
        (same.isEmpty() ? QString() : u'\n' + tr("All listed plans have: %1").arg(same.join(tr(", ")))));
    const SearchCounts& c = result.counts;
    counts_->setText(tr("%1 plans in %2: %3 ranked, %4 do not fit, %5 are illegal, %6 miss a limit; %7 plans "
                        "estimated per second")
                         .arg(count(result.plans), quantity(answer.seconds, Dimension::seconds),
                              count(c.evaluated), count(c.unfit), count(c.illegal), count(c.missed),
                              quantity(static_cast<double>(c.computed()) / std::max(1e-3, answer.seconds),
                                       Dimension::number)));
    plotBar_->setSubtitle(tr("%1 of %2 that run; the ring is the present plan")
                              .arg(count(result.sample.size()), count(c.evaluated)));
    plot_->setAnswer(source_->answer(), listed(result));
    renewAxes(answer);
    renewList(answer);
    states_->setCurrentWidget(content_);
    report_->setEnabled(recommended().has_value());
    renewStaleness();
    const QString taken = result.recommended ? keyOf(*result.recommended) : QString();
    choose(planOf(source_->answer(), taken) != nullptr ? taken
           : found                                     ? keyOf(listed(result).front())
                                                       : QString());
    list_->setCurrentKey(chosen_);
}

void SearchView::renewList(const CatalogSearch& answer) {
    const std::vector<FoundPlan>& plans = listed(answer.result);
    QList<CellColumn> columns{{tr("#"), true, tr("A plan marked = is within the error of the first")}};
    const auto figures = shownFigures(answer.question);
    for (const PlanFigure* each : figures)
        columns.append({text(each->label), true, {}});
    columns.append({tr("Low – high"), true, tr("8 of 10 outcomes lie between")});
    std::vector<const FreeField*> fields;
    for (const FreeField& each : answer.question.free) {
        if (differs(plans, each)) {
            const Field* field = findField(each.path);
            fields.push_back(&each);
            columns.append(
                {text(labelOfFree(each)), field != nullptr && field->kind == FieldKind::integer, {}});
        }
    }
    QList<CellRow> rows;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        if (!plot_->isInView(static_cast<int>(i)))
            continue;
        const FoundPlan& plan = plans[i];
        QList<Cell> cells{{QString::number(i + 1) + (plan.equalToBest ? QStringLiteral(" =") : QString()),
                           static_cast<double>(i + 1),
                           {}}};
        for (const PlanFigure* each : figures) {
            const double value = plan.figure(*each);
            cells.append({glance(value, each->dimension), value, {}});
        }
        const Dimension dimension = figures.front()->dimension;
        cells.append({glance(plan.low, dimension) + QStringLiteral(" – ") + glance(plan.high, dimension),
                      plan.low,
                      {}});
        for (const FreeField* each : fields) {
            const QString value = text(valueInWords(plan, *each));
            bool isNumber = false;
            const double number = value.toDouble(&isNumber);
            cells.append({value, isNumber ? QVariant(number) : QVariant(), {}});
        }
        rows.append({keyOf(plan), cells});
    }
    list_->setTable(columns, rows);
    list_->resizeColumnsToContents();
    const bool front = !answer.result.front.empty();
    listBar_->setTitle(front ? tr("Pareto front") : tr("Best plans"));
    const auto listedRows = static_cast<std::uint64_t>(rows.size());
    listBar_->setSubtitle(plans.empty() ? QString()
                          : listedRows < plans.size()
                              ? tr("%1 of %2: those in the picture; double-click it to see all")
                                    .arg(count(listedRows), count(plans.size()))
                          : front ? tr("no other plan is better in both figures")
                                  : tr("= is within the error of the first"));
}

void SearchView::choose(const QString& key) {
    const auto& answer = source_->answer();
    const FoundPlan* plan = planOf(answer, key);
    chosen_ = plan != nullptr ? key : QString();
    rejected_.clear();
    if (!answer)
        return;
    panel_->show(*answer, plan,
                 plan == nullptr ? 0 : static_cast<int>(plan - listed(answer->result).data()) + 1);
    panel_->setPreviewed(isPreviewed());
    plot_->setChosen(plan == nullptr ? -1 : static_cast<int>(plan - listed(answer->result).data()));
}

/// Of the plans that failed for one reason the first is shown as an example.
void SearchView::chooseRejected(const QString& why) {
    const auto& answer = source_->answer();
    if (!answer)
        return;
    const auto& all = answer->result.rejected;
    const auto found = std::ranges::find(all, why, [](const Rejection& each) { return text(each.why); });
    if (found == all.end())
        return;
    choose({});
    list_->setCurrentKey({});
    rejected_ = found->example;
    panel_->showRejected(*answer, *found);
    panel_->setPreviewed(isPreviewed());
}

bool SearchView::isPreviewed() const {
    const FoundPlan* plan = planOf(source_->answer(), chosen_);
    const Edit& set = plan != nullptr ? plan->set : rejected_;
    return !set.empty() && document().previewed() != nullptr && document().previewed()->set == set;
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
        axis->clear();
        for (const PlanFigure* each : figures)
            axis->addItem(text(each->label), text(each->path));
        axis->setCurrentIndex(axis->findData(text(shown->path)));
        axis->setEnabled(!answer.picture.figures.empty());
    }
}

void SearchView::togglePreview() {
    const FoundPlan* plan = planOf(source_->answer(), chosen_);
    const Edit& set = plan != nullptr ? plan->set : rejected_;
    if (isPreviewed())
        document().endPreview();
    else if (!set.empty())
        document().preview({describeEdit(changesOf(document().spec(), set)), set});
}

void SearchView::adopt() {
    const FoundPlan* plan = planOf(source_->answer(), chosen_);
    if (plan == nullptr)
        return;
    if (document().previewed() != nullptr)
        document().endPreview();
    document().setFields(plan->set, tr("adopt the found plan"));
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
    listBar_->addRight(report_);
}

std::shared_ptr<const SearchAnswer> SearchView::answer() const { return source_->answer(); }

std::optional<ScenarioSpec> SearchView::recommended() const {
    const auto& answer = source_->answer();
    return answer && answer->result.complete && answer->result.recommended && searchedAt_ >= 0
               ? applyEdit(answer->question.base, answer->result.recommended->set)
               : std::nullopt;
}

std::optional<data::ListedScenario> SearchView::chosenScenario() const {
    const FoundPlan* plan = planOf(source_->answer(), chosen_);
    const auto spec = plan != nullptr ? applyEdit(source_->answer()->question.base, plan->set) : std::nullopt;
    if (!spec)
        return std::nullopt;
    const auto place = static_cast<int>(plan - listed(source_->answer()->result).data()) + 1;
    return data::ListedScenario{
        .name = tr("%1, found %2").arg(document().displayName()).arg(place).toStdString(), .spec = *spec};
}

/// A preview changes nothing; opening another scenario starts a new undo stack.
void SearchView::renewStaleness() {
    verdict_->setNote(isOutdated() ? tr("Scenario changed since") : QString());
    outdate();
}

bool SearchView::isOutdated() const {
    return source_->answer() && searchedAt_ != document().undoStack()->index();
}

QString SearchView::sentence() const { return verdict_->sentence(); }

void SearchView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && source_->busy())
        source_->stop();
    else
        View::keyPressEvent(event);
}

} // namespace alidade::views
