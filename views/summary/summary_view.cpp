// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/summary/summary_view.h"

#include "model/estimate/estimate.h"
#include "model/scenario/problem.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/band_label.h"
#include "views/kit/step_bar.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/layers/step_switch.h"
#include "views/summary/answer_parts.h"
#include "views/summary/explain_dialog.h"
#include "views/summary/figure_cards.h"
#include "views/summary/nearest_note.h"
#include "views/summary/old_and_new.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"
#include "views/validation/validation_source.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

constexpr int figureCount = 6;
/// Below this width (logical pixels at 10 pt) four figures are shown.
constexpr int sixFigureWidth = 990;

/// Without what is next to it in brackets.
QString plainLabel(const Figure& figure) { return figure.label.section(QStringLiteral(" ("), 0, 0); }

} // namespace

SummaryView::SummaryView(Document* document, QWidget* parent)
    : View(document, parent)
    , verdict_(new VerdictLabel(this))
    , nearest_(new NearestNote(this))
    , wayOut_(new QWidget(this))
    , fix_(new QPushButton(wayOut_))
    , stepTitle_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , headRow_(new QHBoxLayout)
    , stepRow_(new QHBoxLayout)
    , bar_(new StepBar(this))
    , steps_(new StepSwitch(*document, this))
    , cards_(new FigureCards(*document, this)) {
    setObjectName(QStringLiteral("summary"));
    setAccessibleName(title());
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);

    auto* way = new QHBoxLayout(wayOut_);
    way->setContentsMargins(theme().px(29), 0, 0, theme().px(4));
    way->setSpacing(theme().px(10));
    way->addWidget(new TextLabel(FontRole::body, Role::text2, tr("The nearest that does:"), wayOut_));
    way->addWidget(fix_);
    way->addStretch(1);
    fix_->setProperty(primaryProperty, true);
    wayOut_->hide();
    connect(fix_, &QPushButton::clicked, this, [this] {
        const auto estimate = this->document().estimate();
        const Answer answer = estimate ? answerOf(*estimate) : Answer();
        if (answer.fix)
            this->document().setFields(answer.fix->set, text(answer.fix->text));
    });

    auto* row = new QHBoxLayout;
    row->setSpacing(theme().px(14));
    for (int i = 0; i < figureCount; ++i) {
        auto* figure = new BandLabel(this);
        figure->setSeparator(i > 0);
        figures_.append(figure);
        row->addWidget(figure, 1);
        connect(figure, &BandLabel::explainRequested, this, [this, i] { explain(i); });
        connect(figure, &BandLabel::hovered, this, [this, i](bool inside) { showCard(i, inside); });
        auto* explainAction = new QAction(tr("Explain"), figure);
        connect(explainAction, &QAction::triggered, this, [this, i] { explain(i); });
        figure->addAction(explainAction);
    }

    bar_->setAccessibleName(tr("Step time breakdown"));
    auto* column = new QVBoxLayout(this);
    headRow_->setSpacing(theme().px(10));
    headRow_->addWidget(verdict_, 1);
    headRow_->addWidget(nearest_);
    column->addLayout(headRow_);
    column->addWidget(wayOut_);
    column->addLayout(row);
    stepRow_->addWidget(stepTitle_);
    stepRow_->addStretch(1);
    stepRow_->addWidget(steps_);
    column->addLayout(stepRow_);
    column->addWidget(bar_);
    space();
    coverWhileBusy();
    connect(document, &Document::servingStepChanged, this, &SummaryView::outdate);
    connect(document, &Document::busyChanged, this, [this](bool busy) {
        if (!busy && this->document().estimate() == shown_)
            outdate(); // canceled: what is shown is not a trial any more
    });
    showNothing();
}

QSize SummaryView::sizeHint() const {
    const int width = theme().px(1000);
    return {width, layout()->heightForWidth(width)};
}

QString SummaryView::sentence() const { return verdict_->sentence(); }

void SummaryView::explain(int figure) {
    const auto estimate = document().estimate();
    if (!estimate || figures_[figure]->figure().value.isEmpty())
        return;
    const QString path = answerOf(*estimate).paths[figure];
    if (path.isEmpty())
        return; // a search found it, no formula
    explain(plainLabel(figures_[figure]->figure()), path);
}

void SummaryView::explain(const QString& label, const QString& path) {
    if (explanation_ == nullptr) {
        explanation_ = new ExplainDialog(document(), this);
        connect(explanation_, &ExplainDialog::placeRequested, this, &SummaryView::placeRequested);
    }
    explanation_->explain(label, path);
}

void SummaryView::showCard(int index, bool inside) {
    BandLabel* figure = figures_[index];
    const auto estimate = document().estimate();
    const QString path = inside && estimate && !figure->figure().dimmed && !figure->figure().value.isEmpty()
                             ? answerOf(*estimate).paths.value(index)
                             : QString();
    if (path.isEmpty())
        cards_->leave(figure);
    else
        cards_->enter(figure, plainLabel(figure->figure()), path, meaningOf(figure->figure().label));
}

void SummaryView::showFigure(int index, const Figure& figure) {
    figures_[index]->setFigure(figure);
    const QString meaning = meaningOf(figure.label);
    // What has a formula has a card.
    const auto estimate = document().estimate();
    const bool hasCard = estimate && !figure.dimmed && !answerOf(*estimate).paths.value(index).isEmpty();
    figures_[index]->setToolTip(hasCard ? QString() : meaning);
}

void SummaryView::updateEstimate() {
    const auto estimate = document().estimate();
    if (!document().error().isEmpty() || !estimate) {
        showNothing();
        return;
    }
    shown_ = estimate;
    steps_->setEstimate(*estimate);
    const auto answerIn = [this](const Estimate& each) {
        return answerOf(each, document().servingStep(), ownRate_ ? ownRate_(each) : QString());
    };
    Answer answer = answerIn(*estimate);
    // The estimate of a trial comes some time after the trial began, and stays a while when it has ended.
    if (document().previewed() == nullptr && !document().busy())
        adopted_ = estimate;
    else if (document().previewed() != nullptr && adopted_ && adopted_ != estimate)
        markChanges(answerIn(*adopted_), answer);
    const BaselineDifference* difference = baseline();
    const bool comparable = difference != nullptr && isServing(*difference->before) == isServing(*estimate);
    if (comparable && document().previewed() == nullptr)
        markBaseline(*difference, answer);
    showAnswer(answer);
    const Answer before = comparable ? answerIn(*difference->before) : Answer();
    bar_->setBaseline(before.stepTime.isEmpty() ? QList<BarSegment>() : before.segments,
                      comparable ? tr("%1, %2").arg(before.stepTime, difference->name) : QString());
    fit();
}

void SummaryView::showAnswer(const Answer& answer) {
    verdict_->setVerdict(answer.kind, answer.sentence, answer.detail);
    verdict_->setBadges(answer.badges);
    for (qsizetype i = 0; i < figures_.size(); ++i)
        showFigure(static_cast<int>(i), answer.figures[i]);
    stepTitle_->setText(!answer.tokenTime.isEmpty() ? answer.tokenTime
                        : answer.stepTime.isEmpty() ? tr("Step time breakdown")
                                                    : tr("Step time breakdown (%1)").arg(answer.stepTime));
    bar_->setSegments(answer.segments);
    dispensable_ = answer.dispensable;
    showFix(answer);
    showNearest();
    fit();
}

void SummaryView::setOwnRate(std::function<QString(const Estimate&)> text) {
    ownRate_ = std::move(text);
    outdate();
}

void SummaryView::setValidation(ValidationSource* source) {
    validation_ = source;
    connect(source, &ValidationSource::nearestChanged, this, &SummaryView::showNearest);
    connect(nearest_, &QAbstractButton::clicked, this, [this] { emit nearestRequested(nearest_->ids()); });
    showNearest();
}

/// Next to an answer only: where nothing runs there is no figure to trust.
void SummaryView::showNearest() {
    const auto estimate = document().estimate();
    const bool answered = estimate && estimate->runs && document().error().isEmpty();
    if (validation_ == nullptr)
        return;
    if (answered)
        validation_->request();
    nearest_->setRuns(answered ? validation_->nearest() : NearestRuns(), *document().catalog());
    fit();
}

void SummaryView::showFix(const Answer& answer) {
    wayOut_->setVisible(answer.fix.has_value());
    if (!answer.fix)
        return;
    fix_->setText(text(answer.fix->text));
    QStringList lines;
    for (const auto& [path, value] : answer.fix->set)
        lines.append(text(path) + QStringLiteral(" = ") + text(value));
    fix_->setToolTip(lines.join(QLatin1Char('\n')));
    fix_->setAccessibleName(fix_->text());
}

void SummaryView::showNothing() {
    const QString error = document().error();
    const bool hasModel =
        document().shownSpec().workload.model || document().shownSpec().workload.architecture;
    if (!hasModel)
        verdict_->setVerdict(BadgeKind::neutral, tr("Choose a model in the scenario."),
                             tr("The estimate then appears here."));
    else if (!error.isEmpty())
        verdict_->setVerdict(BadgeKind::err,
                             tr("No estimate: %1").arg(error.section(QStringLiteral(": "), 1)),
                             error.section(QStringLiteral(": "), 0, 0));
    else
        verdict_->setVerdict(BadgeKind::neutral, tr("Estimating…"));
    verdict_->setBadges({});
    wayOut_->hide();
    showNearest();
    const QStringList labels = figureLabels(document().shownSpec());
    for (qsizetype i = 0; i < figures_.size(); ++i) {
        Figure figure = figures_[i]->figure();
        figure.dimmed = true;
        if (!document().estimate()) {
            figure = Figure();
            figure.label = labels[i];
        }
        showFigure(static_cast<int>(i), figure);
    }
    if (!document().estimate()) {
        stepTitle_->setText(tr("Step time breakdown"));
        bar_->setSegments({});
        bar_->setBaseline({});
    }
    fit();
}

void SummaryView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fit();
}

void SummaryView::changeEvent(QEvent* event) {
    View::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        space();
        fit();
    }
}

void SummaryView::setCompact(bool compact) {
    if (compact == compact_)
        return;
    compact_ = compact;
    space();
    fit();
}

void SummaryView::space() {
    const int side = theme().px(18);
    const int above = theme().px(compact_ ? 8 : 14);
    layout()->setContentsMargins(side, above, side, above);
    layout()->setSpacing(theme().px(compact_ ? 4 : 8));
    bar_->setBarHeight(compact_ ? 22 : StepBar::usualHeight);
    bar_->setOneLine(compact_);
}

/// A part that asks for another height later, as text that wraps, is not to squeeze the others.
bool SummaryView::event(QEvent* event) {
    const bool handled = View::event(event);
    if (event->type() == QEvent::LayoutRequest && !fitting_)
        fit();
    return handled;
}

/// As many figures as have room, and as high as the wrapped legend needs.
void SummaryView::fit() {
    const QScopedValueRollback once(fitting_, true);
    const bool six = width() >= theme().px(sixFigureWidth);
    QHBoxLayout* row = six ? headRow_ : stepRow_;
    if (row->indexOf(nearest_) < 0) {
        (six ? stepRow_ : headRow_)->removeWidget(nearest_);
        row->addWidget(nearest_);
    }
    stepTitle_->setMinimumHeight(six ? 0 : nearest_->sizeHint().height()); // nothing jumps when it comes
    for (int i = 0; i < figureCount; ++i)
        figures_[i]->setVisible(six || std::ranges::count(dispensable_, i) == 0);
    // What was shown or wraps otherwise now has another height; in its new width so has the verdict.
    layout()->activate();
    layout()->activate();
    const int wanted = layout()->heightForWidth(width());
    if (wanted > 0 && (minimumHeight() != wanted || maximumHeight() != wanted))
        setFixedHeight(wanted);
}

} // namespace alidade::views
