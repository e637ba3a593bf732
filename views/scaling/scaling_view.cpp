// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scaling/scaling_view.h"

#include "model/scaling/scaled_model.h"
#include "views/document/document.h"
#include "views/document/engine.h"
#include "views/document/text.h"
#include "views/explore/explore_panel.h"
#include "views/kit/cell_table.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/states.h"
#include "views/kit/verdict_label.h"
#include "views/scaling/budget_form.h"
#include "views/scaling/scaling_plot.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

QString keyOf(int curve, int model) { return QStringLiteral("%1/%2").arg(curve).arg(model); }

Cell numberCell(double value, Dimension dimension) {
    return {.text = quantity(value, dimension), .value = value, .bound = {}};
}

Cell wordCell(const QString& words) { return {.text = words, .value = {}, .bound = {}}; }

QString whatKeepsFrom(const ScenarioSpec& spec) {
    if (spec.workload.isServing() || spec.workload.isReinforcement() || spec.workload.finetune.kind)
        return ScalingView::tr("Scaling laws apply to pre-training. Open a scenario that trains a model from "
                               "scratch.");
    if (!spec.workload.model && !spec.workload.architecture)
        return ScalingView::tr("Choose a model on the Plan page: it gives the proportions of the family.");
    return {};
}

} // namespace

ScalingView::ScalingView(Document* document, QWidget* parent)
    : View(document, parent)
    , states_(new QStackedWidget)
    , empty_(new EmptyState(iconName(), tr("Nothing to scale"), tr("Open a pre-training scenario first.")))
    , adopt_(new QPushButton(tr("Adopt")))
    , form_(new BudgetForm)
    , panel_(new ExplorePanel(iconName(), tr("Loss by size")))
    , plot_(new ScalingPlot)
    , table_(new CellTable)
    , page_(new QuestionPage(form_, panel_, makeTable()))
    , task_(page_, [this](const std::shared_ptr<const Answered>& answered) { take(answered); }) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(title());
    states_->addWidget(empty_);
    states_->addWidget(page_);
    panel_->addPage(plot_);
    panel_->connectPlot(plot_);
    adopt_->setProperty(primaryProperty, true);
    adopt_->setToolTip(tr("Make this size the scenario: model, machine, plan and tokens; one step to undo"));
    adopt_->setAccessibleName(adopt_->text());
    page_->addButton(adopt_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(states_);
    connect(form_, &BudgetForm::asked, this, &ScalingView::ask);
    connect(plot_, &ScalingPlot::chosen, this, &ScalingView::choose);
    connect(plot_, &ScalingPlot::adopted, this, &ScalingView::adopt);
    connect(adopt_, &QPushButton::clicked, this, &ScalingView::adopt);
    connect(table_, &CellTable::currentKeyChanged, this, [this](const QString& key) {
        const QStringList parts = key.split(QLatin1Char('/'));
        if (parts.size() == 2)
            choose(parts[0].toInt(), parts[1].toInt());
    });
    connect(table_, &QAbstractItemView::activated, this, &ScalingView::adopt);
    connect(document, &Document::aboutToOpen, this, &ScalingView::forget);
    showAnswer();
}

ScalingView::~ScalingView() = default;

QWidget* ScalingView::makeTable() {
    auto* bar = new DockTitleBar(QStringLiteral("table"), tr("Sizes"));
    bar->setSubtitle(tr("each with its best plan and the tokens that the budget pays for"));
    table_->setAccessibleName(tr("Sizes"));
    auto* below = new QWidget;
    auto* listed = new QVBoxLayout(below);
    listed->setContentsMargins(0, 0, 0, 0);
    listed->setSpacing(0);
    listed->addWidget(bar);
    listed->addWidget(table_, 1);
    return below;
}

bool ScalingView::isBusy() const { return task_.busy(); }

QString ScalingView::sentence() const { return page_->verdict()->sentence(); }

void ScalingView::updateEstimate() {
    const QString why = whatKeepsFrom(document().spec());
    if (!why.isEmpty())
        empty_->setText(tr("Nothing to scale"), why);
    states_->setCurrentIndex(why.isEmpty() ? 1 : 0);
}

void ScalingView::ask() {
    const Result<BudgetQuestion> question = form_->question();
    form_->setError(question ? QString() : text(question.error()));
    if (!question)
        return;
    const auto catalog = document().catalog();
    const ScenarioSpec spec = document().spec();
    const auto profile = profileOf(spec, *catalog);
    if (!profile) {
        form_->setError(text(profile.error()));
        return;
    }
    const auto context = std::make_shared<const ExploreContext>(ExploreContext{spec, catalog, **profile});
    task_.start(tr("Searching the best plan of each size"),
                [context, question = *question](const std::stop_token& stop,
                                                const QuestionTask<Answered>::Progress& progress) {
                    Answered out{.question = question, .spec = context->spec, .answer = {}, .error = {}};
                    const Result<BudgetAnswer> answer = whatToTrain(
                        context->spec, *context->catalog, context->profile, question, stop, progress);
                    if (answer)
                        out.answer = std::make_shared<const BudgetAnswer>(*answer);
                    else
                        out.error = answer.error();
                    return out;
                });
}

void ScalingView::take(const std::shared_ptr<const Answered>& answered) {
    if (!answered->error.empty()) {
        form_->setError(text(answered->error));
    } else {
        answered_ = answered;
        answer_ = answered->answer;
        showAnswer();
    }
    emit finished();
}

/// An answer is about the scenario that was asked about: adopted later, it would replace another one.
void ScalingView::forget() {
    task_.drop();
    answered_.reset();
    answer_.reset();
    form_->setError({});
    showAnswer();
}

void ScalingView::showAnswer() {
    const BudgetModel* best = answer_ ? answer_->best() : nullptr;
    if (answer_ == nullptr) {
        page_->verdict()->setVerdict(
            BadgeKind::neutral, tr("What should be trained for this budget?"),
            tr("Sizes of the scenario's model, each at the real cost of its best plan"));
    } else if (best == nullptr) {
        page_->verdict()->setVerdict(BadgeKind::err, tr("None of these sizes can be trained"),
                                     tr("The table says why"));
    } else {
        page_->verdict()->setVerdict(
            answer_->complete ? BadgeKind::ok : BadgeKind::warn,
            tr("%1 parameters on %2: loss %3")
                .arg(text(parameterText(best->parameters)), quantity(best->tokens, Dimension::tokens),
                     lossText(best->loss)),
            (answer_->complete ? QString() : tr("Stopped before all sizes were tried. ")) +
                tr("%1, %2 on %3; by FLOP alone %4")
                    .arg(quantity(best->dollars, Dimension::dollars),
                         quantity(best->seconds, Dimension::seconds), text(answer_->curves.front().machine),
                         text(parameterText(answer_->byFlopAlone.parameters))));
    }
    QList<CellRow> rows;
    curve_ = model_ = -1;
    for (int i = 0; answer_ && i < static_cast<int>(answer_->curves.size()); ++i) {
        const BudgetCurve& curve = answer_->curves[static_cast<std::size_t>(i)];
        for (int k = 0; k < static_cast<int>(curve.models.size()); ++k) {
            const BudgetModel& m = curve.models[static_cast<std::size_t>(k)];
            const double size = m.parameters > 0 ? m.parameters : m.asked;
            CellRow row;
            row.key = keyOf(i, k);
            row.cells = {wordCell(text(curve.machine)),
                         {.text = text(parameterText(size)), .value = size, .bound = {}}};
            if (m.trains()) {
                row.cells += {numberCell(m.tokens, Dimension::number),
                              {.text = lossText(m.loss), .value = m.loss, .bound = {}},
                              numberCell(m.seconds, Dimension::seconds),
                              numberCell(m.dollars, Dimension::dollars),
                              numberCell(m.mfu, Dimension::ratio),
                              wordCell(text(degreesText(m.plan)))};
            } else {
                row.cells += {wordCell({}), wordCell({}), wordCell({}),
                              wordCell({}), wordCell({}), wordCell(text(m.whyNot))};
            }
            rows.append(row);
            if (&m == best) {
                curve_ = i;
                model_ = k;
            }
        }
    }
    table_->setTable(
        {{tr("Machine"), false, {}},
         {tr("Parameters"), true, {}},
         {tr("Tokens"), true, {}},
         {tr("Loss"), true, tr("Predicted by the scaling law; compare sizes, not different models")},
         {tr("Run"), true, {}},
         {tr("Cost"), true, {}},
         {tr("MFU"), true, {}},
         {tr("Plan"), false, {}}},
        rows);
    if (answer_)
        table_->resizeColumnsToContents(); // the empty table has fitted them to its headers
    plot_->setAnswer(answer_, answered_ ? answered_->question.law : LossLaw());
    choose(curve_, model_);
}

const BudgetModel* ScalingView::chosen() const {
    if (!answer_ || curve_ < 0 || curve_ >= static_cast<int>(answer_->curves.size()))
        return nullptr;
    const auto& models = answer_->curves[static_cast<std::size_t>(curve_)].models;
    const bool known = model_ >= 0 && model_ < static_cast<int>(models.size());
    return known && models[static_cast<std::size_t>(model_)].trains()
               ? &models[static_cast<std::size_t>(model_)]
               : nullptr;
}

void ScalingView::choose(int curve, int model) {
    curve_ = curve;
    model_ = model;
    const BudgetModel* one = chosen();
    adopt_->setEnabled(one != nullptr);
    adopt_->setText(one ? tr("Adopt %1").arg(text(parameterText(one->parameters))) : tr("Adopt"));
    adopt_->setAccessibleName(adopt_->text());
    plot_->setChosen(one ? curve : -1, one ? model : -1);
    table_->setCurrentKey(keyOf(curve, model));
}

void ScalingView::adopt() {
    const BudgetModel* one = chosen();
    if (one == nullptr)
        return;
    if (document().previewed() != nullptr)
        document().endPreview();
    document().replaceSpec(scenarioOf(answered_->spec, *one),
                           tr("adopt %1 parameters").arg(text(parameterText(one->parameters))));
}

} // namespace alidade::views
