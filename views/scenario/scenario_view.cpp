// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/scenario_view.h"

#include "model/estimate/estimate.h"
#include "model/scenario/fields.h"
#include "views/document/document.h"
#include "views/document/group_title.h"
#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/scenario/field_row.h"
#include "views/scenario/kind_rows.h"
#include "views/scenario/words.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QFrame>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

/// "8 × 16 × 1 × 128 = 16,384": how the degrees make the GPUs; empty where they do not by themselves.
QString productText(const PlanSpec& plan, int gpus) {
    QStringList factors;
    std::int64_t product = 1;
    for (const auto& degree :
         {plan.tensorParallel, plan.pipelineParallel, plan.contextParallel, plan.dataParallel}) {
        if (!degree)
            continue; // serving has no context parallelism
        factors.append(QString::number(*degree));
        product *= *degree;
    }
    if (product != gpus)
        return {};
    return factors.join(QStringLiteral(" × ")) + QStringLiteral(" = ") +
           quantity(static_cast<double>(product), Dimension::number, {.significant = 9});
}

/// Does the person's file say something about it? The name is elsewhere in the window.
bool isWritten(const Field& field, const ScenarioSpec& spec) {
    return field.path != "name" && !std::holds_alternative<std::monostate>(field.get(spec));
}

} // namespace

ScenarioView::ScenarioView(Document* document, QWidget* parent)
    : View(document, parent)
    , scroll_(new QScrollArea(this)) {
    setObjectName(QStringLiteral("scenarioView"));
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll_);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);

    auto* body = new QWidget(scroll_);
    body->setBackgroundRole(QPalette::Base);
    body->setAutoFillBackground(true);
    column_ = new QVBoxLayout(body);
    column_->setContentsMargins(0, theme().px(10), 0, theme().px(12));
    column_->setSpacing(theme().px(5));
    for (int group = 0; group < fieldGroupCount; ++group)
        addGroup(group);
    column_->addStretch(1);
    scroll_->setWidget(body);
    connect(document, &Document::specChanged, this, &ScenarioView::refresh);
    connect(document, &Document::catalogChanged, this, &ScenarioView::refresh);
    refresh();
}

QSize ScenarioView::sizeHint() const { return {theme().px(316), theme().px(600)}; }

void ScenarioView::addGroup(int index) {
    const auto group = static_cast<FieldGroup>(index);
    const int side = theme().px(12);
    Group made;
    made.widget = new QWidget(this);
    auto* column = new QVBoxLayout(made.widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().px(5));
    column_->addWidget(made.widget);
    if (index > 0) {
        auto* line = new QFrame(made.widget);
        line->setFrameShape(QFrame::HLine);
        line->setFrameShadow(QFrame::Plain);
        line->setForegroundRole(QPalette::Mid);
        column->addSpacing(theme().px(5));
        column->addWidget(line);
        column->addSpacing(theme().px(3));
    }
    made.title = new TextLabel(FontRole::strong, Role::text, groupTitle(group), this);
    made.note = new TextLabel(FontRole::small, Role::text2, {}, this);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(side, 0, side, theme().px(2));
    head->addWidget(made.title);
    head->addStretch(1);
    head->addWidget(made.note);
    column->addLayout(head);

    std::vector<const Field*> fields;
    for (const Field& field : fieldTable())
        if (field.group == group)
            fields.push_back(&field);
    std::ranges::stable_sort(fields, {}, [](const Field* field) { return field->place; });
    const auto add = [&](QWidget* row) {
        auto* line = new QHBoxLayout;
        line->setContentsMargins(side, 0, side, 0);
        line->addWidget(row);
        column->addLayout(line);
    };
    for (const Field* field : fields) {
        if (field->path == "workload.concurrency")
            add(loop_ = new LoopRow(document(), this));
        FieldRow* row = makeFieldRow(*field, document(), this);
        made.rows.append(row);
        add(row);
    }
    made.more = new QToolButton(this);
    made.more->setCheckable(true);
    made.more->setAutoRaise(true);
    made.more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    made.more->setFocusPolicy(Qt::TabFocus);
    made.more->setAccessibleName(tr("More fields of %1").arg(groupTitle(group)));
    connect(made.more, &QToolButton::toggled, this, &ScenarioView::showRows);
    auto* moreLine = new QHBoxLayout;
    moreLine->setContentsMargins(side - theme().px(4), 0, side, 0);
    moreLine->addWidget(made.more);
    moreLine->addStretch(1);
    column->addLayout(moreLine);
    groups_.append(made);
}

FieldRow* ScenarioView::row(std::string_view path) const {
    for (const Group& group : groups_)
        for (FieldRow* row : group.rows)
            if (row->field().path == path)
                return row;
    return nullptr;
}

void ScenarioView::edit(std::string_view path) {
    FieldRow* wanted = row(path);
    if (wanted == nullptr)
        return;
    for (const Group& group : std::as_const(groups_))
        if (group.rows.contains(wanted) && !wanted->field().common)
            group.more->setChecked(true);
    wanted->setVisible(true);
    layout()->activate();
    scroll_->ensureWidgetVisible(wanted, 0, theme().px(40));
    wanted->edit();
}

void ScenarioView::updateEstimate() { refresh(); }

void ScenarioView::updateSelection() {
    QString place = document().selection().problem;
    if (place.isEmpty())
        return;
    place = place.mid(1).replace(QLatin1Char('/'), QLatin1Char('.'));
    edit(place.toStdString());
}

void ScenarioView::refresh() {
    for (const Group& group : std::as_const(groups_))
        for (FieldRow* row : group.rows)
            if (fieldApplies(row->field(), document().shownSpec(), *document().catalog()))
                row->refresh();
    loop_->refresh();
    refreshNotes();
    showRows();
}

void ScenarioView::refreshNotes() {
    const auto estimate = document().estimate();
    const auto note = [this](FieldGroup group) { return groups_[static_cast<int>(group)].note; };
    note(FieldGroup::cluster)
        ->setText(estimate && estimate->gpus > 0
                      ? tr(estimate->gpus == 1 ? "%1 GPU" : "%1 GPUs")
                            .arg(quantity(estimate->gpus, Dimension::number, {.significant = 9}))
                      : QString());
    const DisaggregatedSpec& apart = document().shownSpec().plan.disaggregated;
    for (const FieldGroup pool : {FieldGroup::prefillPool, FieldGroup::decodePool})
        note(pool)->setText(apart.prefill.workers || apart.decode.workers ? QString() : tr("not apart"));
    TextLabel* plan = note(FieldGroup::plan);
    plan->setText(estimate ? productText(estimate->scenario.plan, estimate->gpus) : QString());
    plan->setInk(estimate && estimate->runs ? Role::ok : Role::text2);
}

void ScenarioView::showRows() {
    loop_->setVisible(document().shownSpec().workload.isServing());
    for (const Group& group : std::as_const(groups_)) {
        int hidden = 0;
        int there = 0;
        for (FieldRow* row : group.rows) {
            const bool applies = fieldApplies(row->field(), document().shownSpec(), *document().catalog());
            const bool common = row->field().common;
            const bool open = common || isWritten(row->field(), document().shownSpec());
            // Where the caret is stays, so that a reset does not take the focus away.
            const bool held = row->isAncestorOf(QApplication::focusWidget());
            row->setVisible(held || (applies && (open || group.more->isChecked())));
            hidden += applies && !open ? 1 : 0;
            there += applies ? 1 : 0;
        }
        group.widget->setVisible(there > 0);
        group.more->setVisible(hidden > 0);
        group.more->setArrowType(group.more->isChecked() ? Qt::DownArrow : Qt::RightArrow);
        group.more->setText(group.more->isChecked()     ? tr("Less")
                            : hidden == 1 && there == 1 ? tr("1 field")
                            : hidden == there           ? tr("%1 fields").arg(hidden)
                                                        : tr("%1 more").arg(hidden));
    }
}

} // namespace alidade::views
