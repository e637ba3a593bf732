// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/kind_rows.h"

#include "model/estimate/estimate.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/field_label.h"
#include "views/kit/segmented_buttons.h"
#include "views/scenario/words.h"
#include "views/theme/theme_controller.h"

#include <QHBoxLayout>
#include <QUndoStack>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

using FieldTexts = std::vector<std::pair<std::string, std::string>>;

// A chat with a document behind it; for a start that is easy to read.
constexpr char usualInputTokens[] = "2000";
constexpr char usualOutputTokens[] = "400";
constexpr char usualConcurrency[] = "64";
constexpr int usualGlobalBatch = 256; ///< sequences
// Of published GRPO runs on mathematics.
constexpr char usualPrompts[] = "256";
constexpr char usualPromptTokens[] = "512";
constexpr char usualResponseTokens[] = "2048";

std::string textOf(double value) {
    return formatQuantity(value, Dimension::number, {.significant = 3, .trimZeros = true});
}

FieldTexts neededForServing(const WorkloadSpec& workload) {
    FieldTexts set;
    if (!workload.inputTokens)
        set.emplace_back("workload.input_tokens", usualInputTokens);
    if (!workload.outputTokens)
        set.emplace_back("workload.output_tokens", usualOutputTokens);
    if (!workload.concurrency && !workload.requestRatePerS)
        set.emplace_back("workload.concurrency", usualConcurrency);
    return set;
}

/// A batch that all replicas share evenly, however the GPUs are laid out.
FieldTexts neededForTraining(const WorkloadSpec& workload, const Estimate* estimate) {
    if (workload.globalBatch)
        return {};
    const int gpus = std::max(estimate ? estimate->gpus : 1, 1);
    const int batch = (usualGlobalBatch + gpus - 1) / gpus * gpus;
    return {{"workload.global_batch", std::to_string(batch)}};
}

FieldTexts neededForReinforcement(const ReinforcementSpec& workload) {
    FieldTexts set;
    if (!workload.promptsPerStep)
        set.emplace_back("workload.prompts_per_step", usualPrompts);
    if (!workload.promptTokens)
        set.emplace_back("workload.prompt_tokens", usualPromptTokens);
    if (!workload.responseTokens)
        set.emplace_back("workload.response_tokens", usualResponseTokens);
    return set;
}

} // namespace

KindRow::KindRow(const Field& field, Document& document, QWidget* parent)
    : FieldRow(field, document, parent)
    , buttons_(new SegmentedButtons(this)) {
    QStringList shown;
    for (const std::string_view choice : field.choices) // the panel has no room for the whole term
        shown.append(choice == "reinforcement_learning" ? tr("RL") : choiceText(field.path, choice));
    buttons_->setOptions(shown);
    connect(buttons_, &SegmentedButtons::currentEdited, this,
            [this](int index) { choose(text(this->field().choices[static_cast<std::size_t>(index)])); });
    setEditor(buttons_);
}

void KindRow::showValue(const FieldValue& value, bool /*written*/) {
    const std::string word = fieldText(field(), value);
    const auto& choices = field().choices;
    const auto found = std::ranges::find(choices, word.empty() ? std::string("training") : word);
    buttons_->setCurrentIndex(found == choices.end() ? -1 : static_cast<int>(found - choices.begin()));
}

void KindRow::choose(const QString& kind) {
    const WorkloadSpec& workload = document().spec().workload;
    FieldTexts set = kind == QLatin1String("serving") ? neededForServing(workload)
                     : kind == QLatin1String("training")
                         ? neededForTraining(workload, document().estimate().get())
                         : neededForReinforcement(workload.reinforcement);
    set.insert(set.begin(), {std::string(field().path), kind.toStdString()});
    showRefusal(document().setFields(
        set,
        tr("set %1 to %2").arg(text(field().label), choiceText(field().path, kind.toStdString()).toLower())));
}

LoopRow::LoopRow(Document& document, QWidget* parent)
    : QWidget(parent)
    , document_(document)
    , buttons_(new SegmentedButtons(this)) {
    setObjectName(QStringLiteral("loopRow"));
    buttons_->setOptions(QStringList{tr("Closed loop"), tr("Open loop")});
    buttons_->setAccessibleName(tr("How requests arrive"));
    setToolTip(tr("Closed loop: so many requests are in flight at any time. Open loop: so many arrive in a "
                  "second, whether or not earlier ones are done."));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto* label = new FieldLabel(tr("Load"), buttons_, this);
    label->setFixedWidth(theme().px(fieldLabelWidth));
    row->addWidget(label);
    row->addSpacing(theme().px(fieldResetWidth));
    row->addWidget(buttons_, 1);
    setFocusProxy(buttons_);
    connect(buttons_, &SegmentedButtons::currentEdited, this, [this](int index) { choose(index == 1); });
}

void LoopRow::refresh() {
    // What is remembered is of this scenario.
    if (document_.undoStack()->count() == 0)
        concurrency_ = requestRate_ = std::nullopt;
    const WorkloadSpec& workload = document_.shownSpec().workload;
    if (document_.previewed() == nullptr) {
        concurrency_ = workload.concurrency ? workload.concurrency : concurrency_;
        requestRate_ = workload.requestRatePerS ? workload.requestRatePerS : requestRate_;
    }
    buttons_->setCurrentIndex(workload.requestRatePerS ? 1 : 0);
}

void LoopRow::choose(bool open) {
    const auto estimate = document_.estimate();
    const bool known = estimate && estimate->serving && document_.error().isEmpty();
    const auto usable = [](double value) { return std::isfinite(value) && value > 0; };
    // The load of a scenario is of questions; the estimate's requests are their samples.
    const double samples = known ? samplesOf(estimate->scenario.workload) : 1;
    if (open) {
        double rate = requestRate_.value_or(known ? estimate->serving->requestsPerSecond / samples : 1);
        rate = usable(rate) ? rate : 1;
        document_.setFields({{"workload.request_rate_per_s", textOf(rate)}}, tr("set the load to open loop"));
    } else {
        double concurrency =
            concurrency_.value_or(known ? std::ceil(estimate->serving->concurrency / samples) : 1);
        const std::string set = usable(concurrency) ? textOf(concurrency) : usualConcurrency;
        document_.setFields({{"workload.concurrency", set}}, tr("set the load to closed loop"));
    }
    refresh();
}

} // namespace alidade::views
