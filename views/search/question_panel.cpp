// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/question_panel.h"

#include "data/search/kept_search.h"
#include "model/catalog/catalog.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/fields.h"
#include "model/search/search_words.h"
#include "model/units/dimension.h"
#include "views/document/group_title.h"
#include "views/document/text.h"
#include "views/kit/column_scroll.h"
#include "views/kit/text_label.h"
#include "views/kit/wheel_guard.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade::views {

namespace {

constexpr int panelWidth = 280; // logical pixels at 10 pt

struct LimitRow {
    const char* figure;
    bool atMost;
    const char* label;
};
constexpr std::array trainingLimits = {
    LimitRow{"training.run_time_s", true, QT_TRANSLATE_NOOP("alidade::views::QuestionPanel", "Run at most")},
    LimitRow{"cost.dollars_per_run", true,
             QT_TRANSLATE_NOOP("alidade::views::QuestionPanel", "Cost at most")},
    LimitRow{"cost.dollars_per_hour", true,
             QT_TRANSLATE_NOOP("alidade::views::QuestionPanel", "Rent at most")},
    LimitRow{"memory.headroom_bytes", false,
             QT_TRANSLATE_NOOP("alidade::views::QuestionPanel", "Headroom at least")}};
constexpr std::array servingLimits = {
    LimitRow{"serving.ttft_percentiles_s.p90", true,
             QT_TRANSLATE_NOOP("alidade::views::QuestionPanel", "TTFT P90 at most")},
    LimitRow{"serving.tpot_s", true, QT_TRANSLATE_NOOP("alidade::views::QuestionPanel", "TPOT at most")},
    LimitRow{"cost.dollars_per_hour", true,
             QT_TRANSLATE_NOOP("alidade::views::QuestionPanel", "Rent at most")},
    LimitRow{"memory.headroom_bytes", false,
             QT_TRANSLATE_NOOP("alidade::views::QuestionPanel", "Headroom at least")}};

/// Fields that the panel offers next to those that are free at first.
constexpr std::array trainingFields = {"cluster.instances", "plan.context_parallel", "plan.sharding",
                                       "plan.schedule", "plan.precision"};
constexpr std::array servingFields = {"cluster.instances", "plan.weights", "plan.max_batch",
                                      "plan.chunk_tokens"};

QString labelOf(const QString& path) {
    return text(labelOfFree({.path = path.toStdString(), .choices = {}}));
}

/// What a person reads as the values of a field that is left free: "1, 2, 4, … 64".
QString summaryOf(const FreeField& field) {
    constexpr std::size_t most = 4;
    QStringList words;
    const std::size_t count = field.choices.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (count > most && i >= most - 1 && i + 1 < count) {
            if (i == most - 1)
                words.append(QStringLiteral("…"));
            continue;
        }
        for (const auto& [path, value] : field.choices[i].edit) {
            if (!value.empty()) {
                words.append(text(nameOfChoice(path, value)));
                break;
            }
        }
    }
    return words.join(QStringLiteral(", "));
}

/// Fields that a search may vary but that the panel does not list: those of the table with a meaning in this
/// scenario. Names are not plans.
std::vector<const Field*> furtherFields(const ScenarioSpec& spec, const Catalog& catalog) {
    std::vector<const Field*> out;
    for (const Field& each : fieldTable()) {
        const bool isMachine = each.path == "cluster.instance" || each.path == "cluster.ultraserver";
        const bool isText = each.kind == FieldKind::text && each.catalogKind.empty();
        if (belongsTo(each.appliesTo, spec.workload) && fieldApplies(each, spec, catalog) && !isText &&
            !isMachine)
            out.push_back(&each);
    }
    return out;
}

bool isSameKind(const ScenarioSpec& a, const ScenarioSpec& b) {
    return a.workload.kind == b.workload.kind && a.workload.model == b.workload.model &&
           a.cluster.ultraserver.has_value() == b.cluster.ultraserver.has_value();
}

} // namespace

QuestionPanel::QuestionPanel(QWidget* parent)
    : QWidget(parent)
    , holder_(new QWidget)
    , addMenu_(new QMenu(this))
    , size_(new TextLabel(FontRole::body, Role::text2))
    , progress_(new TextLabel(FontRole::body, Role::text2))
    , error_(new TextLabel(FontRole::small, Role::err))
    , search_(new QPushButton(tr("Search"))) {
    setObjectName(QStringLiteral("searchQuestion"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    holder_->setAutoFillBackground(true);
    holder_->setBackgroundRole(QPalette::Base);
    auto* held = new QVBoxLayout(holder_);
    held->setContentsMargins(0, 0, 0, 0);
    held->addStretch(1);
    const int side = theme().px(14);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(side, theme().px(8), side, theme().px(12));
    foot->setSpacing(theme().px(8));
    size_->setWordWrap(true);
    error_->setWordWrap(true);
    error_->hide();
    search_->setProperty(primaryProperty, true);
    search_->setAccessibleName(search_->text());
    auto* sizes = new QHBoxLayout;
    sizes->addWidget(size_, 1);
    sizes->addWidget(progress_);
    progress_->hide();
    foot->addLayout(sizes);
    foot->addWidget(error_);
    foot->addWidget(search_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(new ColumnScroll(holder_), 1);
    column->addLayout(foot);
    connect(search_, &QPushButton::clicked, this, [this] {
        if (busy_)
            emit stopRequested();
        else
            emit searchRequested();
    });
}

QSize QuestionPanel::sizeHint() const { return {theme().px(panelWidth), theme().px(600)}; }

void QuestionPanel::setScenario(const ScenarioSpec& spec, const std::shared_ptr<const Catalog>& catalog,
                                const Profile& profile) {
    const bool same = form_ != nullptr && isSameKind(spec, spec_);
    spec_ = spec;
    catalog_ = catalog;
    profile_ = std::make_unique<Profile>(profile);
    if (!same)
        rebuild();
    renewSize();
}

void QuestionPanel::rebuild() {
    delete form_;
    limits_.clear();
    fields_.clear();
    form_ = new QWidget;
    auto* grid = new QGridLayout(form_);
    const int side = theme().px(14);
    grid->setContentsMargins(side, theme().px(10), side, theme().px(10));
    grid->setHorizontalSpacing(theme().px(8));
    grid->setVerticalSpacing(theme().px(5));
    grid->setColumnStretch(1, 1);
    int line = 0;
    addFigures(grid, line);
    addLimits(grid, line);
    grid_ = grid;
    addFields(grid, line);
    static_cast<QVBoxLayout*>(holder_->layout())->insertWidget(0, form_);
}

void QuestionPanel::addHeading(QGridLayout* grid, int& line, const QString& words) {
    if (line > 0)
        grid->setRowMinimumHeight(line++, theme().px(8));
    grid->addWidget(new TextLabel(FontRole::strong, Role::text, words), line++, 0, 1, 3);
}

void QuestionPanel::addFigures(QGridLayout* grid, int& line) {
    addHeading(grid, line, tr("Objective"));
    objective_ = new QComboBox;
    second_ = new QComboBox;
    second_->addItem(tr("Nothing else"));
    for (const PlanFigure& figure : planFigures()) {
        if (!figure.isOf(spec_.workload))
            continue;
        const QString words =
            (figure.moreIsBetter ? tr("Most: %1") : tr("Least: %1")).arg(text(figure.label));
        for (QComboBox* combo : {objective_, second_})
            combo->addItem(words, text(figure.path));
    }
    SearchQuestion usual;
    usual.base = spec_;
    completeQuestion(usual, *catalog_, *profile_);
    objective_->setCurrentIndex(objective_->findData(text(usual.objectives.front()->path)));
    const std::array rows = {std::pair(tr("First"), objective_), std::pair(tr("And"), second_)};
    for (const auto& [words, combo] : rows) {
        combo->setAccessibleName(words);
        combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        combo->setMinimumContentsLength(10);
        WheelGuard::install(combo);
        connect(combo, &QComboBox::activated, this, &QuestionPanel::rankingEdited);
        grid->addWidget(new TextLabel(FontRole::body, Role::text2, words), line, 0);
        grid->addWidget(combo, line++, 1, 1, 2);
    }
    second_->setToolTip(tr("With a second figure, search returns the Pareto front"));
}

void QuestionPanel::addLimits(QGridLayout* grid, int& line) {
    addHeading(grid, line, tr("Limits"));
    for (const LimitRow& row : spec_.workload.isServing() ? servingLimits : trainingLimits) {
        const PlanFigure* figure = findPlanFigure(row.figure);
        auto* value = new QLineEdit;
        value->setPlaceholderText(tr("no limit"));
        const QString words = (row.atMost ? tr("%1 at most") : tr("%1 at least")).arg(text(figure->label));
        value->setAccessibleName(words);
        value->setToolTip(words + u"; " + text(unitExamples(figure->dimension)));
        auto* label = new TextLabel(FontRole::body, Role::text2, tr(row.label));
        grid->addWidget(label, line, 0);
        grid->addWidget(value, line++, 1, 1, 2);
        connect(value, &QLineEdit::editingFinished, this, &QuestionPanel::renewSize);
        connect(value, &QLineEdit::editingFinished, this, &QuestionPanel::rankingEdited);
        limits_.append({figure, row.atMost, value});
    }
    robust_ = new QCheckBox(tr("Also at the bad end of the error band"));
    robust_->setAccessibleName(robust_->text());
    robust_->setToolTip(tr("Ranks by the unfavorable 10 % quantile; limits and memory must hold there too"));
    connect(robust_, &QCheckBox::clicked, this, &QuestionPanel::rankingEdited);
    grid->addWidget(robust_, line++, 0, 1, 3);
}

void QuestionPanel::addFields(QGridLayout* grid, int& line) {
    addHeading(grid, line, tr("What may change"));
    QList<std::pair<QString, bool>> paths{{QStringLiteral("cluster.instance"), false}};
    for (const FreeField& each : usualFreeFields(spec_, *catalog_))
        paths.append({text(each.path), true});
    const auto further = [&](const auto& fields) {
        for (const char* path : fields) {
            const QString name = spec_.cluster.ultraserver && qstrcmp(path, "cluster.instances") == 0
                                     ? QStringLiteral("cluster.ultraservers")
                                     : QString::fromLatin1(path);
            if (std::ranges::none_of(paths, [&](const auto& known) { return known.first == name; }))
                paths.append({name, false});
        }
    };
    if (spec_.workload.isServing())
        further(servingFields);
    else
        further(trainingFields);
    add_ = new QPushButton(tr("Add Field…"));
    add_->setAccessibleName(add_->text());
    add_->setToolTip(tr("Vary any other field of the scenario"));
    connect(add_, &QPushButton::clicked, this, &QuestionPanel::offerFields);
    for (const auto& [path, isFree] : paths)
        addCandidate(path, isFree);
}

/// Below the others; the button that adds more is below it.
QuestionPanel::Candidate& QuestionPanel::addCandidate(const QString& path, bool isFree) {
    Candidate each{path, new QCheckBox(labelOf(path)), new QLineEdit,
                   new TextLabel(FontRole::small, Role::text2)};
    each.box->setChecked(isFree);
    each.box->setAccessibleName(each.box->text());
    each.values->setAccessibleName(tr("Values of %1").arg(labelOf(path)));
    const Field* field = findField(path.toStdString());
    const bool lists = field && (field->kind == FieldKind::wordList || field->kind == FieldKind::integerList);
    each.values->setToolTip(lists
                                ? tr("Values to try, separated by |: norms, glu|full; empty: all that may be "
                                     "legal")
                                : tr("Values to try: 1,2,4 or 1..8; empty: all that may be legal"));
    each.count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    grid_->removeWidget(add_);
    const int line = grid_->rowCount();
    grid_->addWidget(each.box, line, 0);
    grid_->addWidget(each.values, line, 1);
    grid_->addWidget(each.count, line, 2);
    grid_->addWidget(add_, line + 1, 0, 1, 3, Qt::AlignLeft);
    setTabOrder(each.values, add_);
    connect(each.box, &QCheckBox::toggled, this, &QuestionPanel::renewSize);
    connect(each.values, &QLineEdit::editingFinished, this, &QuestionPanel::renewSize);
    return fields_.emplaceBack(each);
}

/// A menu of the fields that are not listed yet, by group.
void QuestionPanel::offerFields() {
    addMenu_->clear();
    std::array<QMenu*, fieldGroupCount> groups{};
    for (const Field* each : furtherFields(spec_, *catalog_)) {
        const QString path = text(each->path);
        if (box(path) != nullptr)
            continue;
        QMenu*& group = groups[static_cast<std::size_t>(each->group)];
        if (group == nullptr)
            group = new QMenu(groupTitle(each->group), addMenu_);
        QAction* action = group->addAction(labelOf(path));
        action->setData(path);
        action->setToolTip(text(each->doc));
        connect(action, &QAction::triggered, this, [this, path] {
            const Candidate& added = addCandidate(path, true);
            renewSize();
            added.values->setFocus(Qt::OtherFocusReason);
        });
    }
    for (QMenu* group : groups) {
        if (group == nullptr)
            continue;
        group->setToolTipsVisible(true);
        addMenu_->addMenu(group);
    }
    addMenu_->popup(add_->mapToGlobal(QPoint(0, add_->height())));
}

Result<FreeField> QuestionPanel::fieldOf(const Candidate& candidate) const {
    return freeField(spec_, *catalog_, candidate.path.toStdString(),
                     candidate.values->text().trimmed().toStdString());
}

Result<SearchQuestion> QuestionPanel::question() const {
    if (form_ == nullptr)
        return Error{tr("Open a scenario first").toStdString()};
    SearchQuestion out;
    out.base = spec_;
    for (const QComboBox* combo : {objective_, second_}) {
        const PlanFigure* figure = findPlanFigure(combo->currentData().toString().toStdString());
        if (figure && (out.objectives.empty() || out.objectives.front() != figure))
            out.objectives.push_back(figure);
    }
    for (const Limit& each : limits_) {
        const QString typed = each.value->text().trimmed();
        if (typed.isEmpty())
            continue;
        const auto limit = searchLimit(
            spec_.workload, std::string(each.figure->path) + "=" + typed.toStdString(), each.atMost);
        if (!limit)
            return Error{each.value->accessibleName().toStdString() + ": " + limit.error()};
        out.limits.push_back(*limit);
    }
    for (const Candidate& each : fields_) {
        if (!each.box->isChecked())
            continue;
        auto field = fieldOf(each);
        if (!field)
            return Error{field.error()};
        if (field->choices.empty())
            return Error{each.box->text().toStdString() + ": no value is legal here"};
        out.free.push_back(*std::move(field));
    }
    if (out.free.empty())
        return Error{tr("Choose at least one field that may change").toStdString()};
    out.robust = robust_->isChecked();
    out.top = 50;
    completeQuestion(out, *catalog_, *profile_);
    if (const std::string wrong = wrongWith(out); !wrong.empty())
        return Error{wrong};
    return out;
}

void QuestionPanel::renewSize() {
    for (const Candidate& each : fields_) {
        const bool isFree = each.box->isChecked();
        each.values->setEnabled(isFree);
        const auto field = fieldOf(each);
        each.count->setText(isFree && field ? QString::number(field->choices.size()) : QString());
        const auto all = freeField(spec_, *catalog_, each.path.toStdString(), "");
        each.values->setPlaceholderText(all ? summaryOf(*all) : tr("list the values"));
    }
    const auto asked = question();
    size_->setText(asked
                       ? tr("%1 plans").arg(quantity(static_cast<double>(asked->plans()), Dimension::number))
                       : QString());
    size_->setVisible(bool(asked));
    error_->setText(asked ? QString() : text(asked.error()));
    error_->setVisible(!asked);
    search_->setEnabled(busy_ || bool(asked));
}

void QuestionPanel::setQuestion(const SearchQuestion& question) {
    if (form_ == nullptr)
        return;
    const auto& objectives = question.objectives;
    objective_->setCurrentIndex(objective_->findData(text(objectives.front()->path)));
    second_->setCurrentIndex(objectives.size() > 1 ? second_->findData(text(objectives[1]->path)) : 0);
    for (const Limit& each : limits_) {
        const auto asked = std::ranges::find(question.limits, each.figure, &SearchLimit::figure);
        each.value->setText(
            asked == question.limits.end()
                ? QString()
                : quantity(asked->value, each.figure->dimension, {.significant = 17, .trimZeros = true}));
    }
    robust_->setChecked(question.robust);
    for (const Candidate& each : fields_)
        each.box->setChecked(false);
    for (const FreeField& each : question.free) {
        const QString path = text(each.path);
        if (box(path) == nullptr)
            addCandidate(path, true);
        box(path)->setChecked(true);
        const auto all = freeField(spec_, *catalog_, each.path, "");
        const std::string typed = data::choicesAsTyped(each);
        values(path)->setText(all && data::choicesAsTyped(*all) == typed ? QString() : text(typed));
    }
    renewSize();
}

void QuestionPanel::setProgress(double done) {
    progress_->setText(tr("%1 % tried").arg(static_cast<int>(std::clamp(done, 0.0, 1.0) * 100)));
}

void QuestionPanel::setBusy(bool busy) {
    busy_ = busy;
    progress_->setVisible(busy);
    setProgress(0);
    search_->setText(busy ? tr("Stop") : tr("Search"));
    search_->setAccessibleName(search_->text());
    renewSize();
}

QString QuestionPanel::sizeText() const { return size_->text(); }

QCheckBox* QuestionPanel::box(const QString& path) const {
    const auto found = std::ranges::find(fields_, path, &Candidate::path);
    return found == fields_.end() ? nullptr : found->box;
}

QLineEdit* QuestionPanel::values(const QString& path) const {
    const auto found = std::ranges::find(fields_, path, &Candidate::path);
    return found == fields_.end() ? nullptr : found->values;
}

QLineEdit* QuestionPanel::limit(const QString& figure) const {
    const auto found =
        std::ranges::find_if(limits_, [&](const Limit& each) { return text(each.figure->path) == figure; });
    return found == limits_.end() ? nullptr : found->value;
}

} // namespace alidade::views
