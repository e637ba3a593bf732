// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/plan_dialog.h"

#include "model/catalog/catalog.h"
#include "model/scenario/fields.h"
#include "views/document/batch_estimator.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/segmented_buttons.h"
#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace alidade::views {

namespace {

/// Stands for the model that the catalog does not have.
const QString ownModel = QStringLiteral("\n");
const QString loraRank = QStringLiteral("workload.finetune.rank");
enum Tuning { allWeights, lora };

} // namespace

PlanDialog::PlanDialog(Document& document, PlanKind kind, const std::optional<Architecture>& own,
                       QWidget* parent)
    : QDialog(parent)
    , document_(document)
    , kind_(kind)
    , own_(own)
    , batch_(new BatchEstimator(document.engine(), this))
    , model_(new QComboBox(this))
    , machine_(new QComboBox(this))
    , count_(new QSpinBox(this))
    , message_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , progress_(new QProgressBar(this)) {
    const bool serving = kind == PlanKind::service;
    setWindowTitle(serving ? tr("Plan a service") : tr("Plan a training run"));
    auto* form = new QFormLayout(this);
    form->setContentsMargins(theme().px(20), theme().px(18), theme().px(20), theme().px(16));
    form->setSpacing(theme().px(8));
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(new TextLabel(FontRole::verdict, Role::text,
                               serving ? tr("What do you want to serve, to whom, and on what?")
                                       : tr("What do you want to train, and on what?"),
                               this));
    form->addRow(tr("&Model"), model_);
    form->addRow(tr("M&achine"), machine_);
    count_->setRange(1, 100'000);
    count_->setValue(serving ? 1 : 64);
    form->addRow(tr("&How many"), count_);
    if (serving) {
        addQuantity("workload.input_tokens", tr("&Input tokens of a request"), QStringLiteral("1,500"));
        addQuantity("workload.output_tokens", tr("&Output tokens of a request"), QStringLiteral("400"));
        addQuantity("workload.request_rate_per_s", tr("&Requests per second"), QStringLiteral("10"));
        addQuantity("workload.ttft_slo_s", tr("&TTFT target, p90"), QStringLiteral("1 s"), false);
        addQuantity("workload.itl_slo_s", tr("IT&L target, p90"), QStringLiteral("50 ms"), false);
    } else {
        addTuning();
        addQuantity("workload.sequence_length", tr("&Sequence length, tokens"), QStringLiteral("8,192"));
        addQuantity("workload.global_batch", tr("&Global batch, sequences"), QStringLiteral("1,024"));
        addQuantity("workload.tokens", tr("&Tokens of the run"), QStringLiteral("1 T tokens"), false);
    }
    for (const Quantity& each : std::as_const(quantities_))
        showRow(each, isAsked(each));
    message_->setWordWrap(true);
    message_->setMinimumWidth(theme().px(360));
    message_->setText(serving
                          ? tr("Alidade estimates the usual layouts and starts from the one that takes the "
                               "most requests within both targets.")
                          : tr("Alidade estimates the usual layouts and starts from the fastest that fits."));
    form->addRow(message_);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(3);
    progress_->setAccessibleName(tr("Layouts estimated"));
    form->addRow(progress_);
    progress_->setVisible(false);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    start_ = buttons->addButton(tr("Find a plan"), QDialogButtonBox::ActionRole);
    start_->setProperty(primaryProperty, true);
    start_->setDefault(true);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(start_, &QPushButton::clicked, this, &PlanDialog::search);
    connect(batch_, &BatchEstimator::estimated, this,
            [this](int index, const std::shared_ptr<const Estimate>& estimate) {
                progress_->setValue(index + 1);
                choice_.consider(index, estimate.get());
            });
    connect(batch_, &BatchEstimator::finished, this, &PlanDialog::finish);
    fillChoices();
    for (auto [widget, name] : {std::pair<QWidget*, QString>{model_, tr("Model")},
                                {machine_, tr("Machine")},
                                {count_, tr("How many machines")}})
        widget->setAccessibleName(name);
}

PlanDialog::~PlanDialog() = default;

void PlanDialog::addTuning() {
    tuning_ = new SegmentedButtons(this);
    tuning_->setOptions(QStringList{tr("All weights"), tr("LoRA adapters")});
    tuning_->setCurrentIndex(allWeights);
    tuning_->setAccessibleName(tr("Weights to train"));
    tuning_->setToolTip(
        tr("All weights: pre-training or full fine-tuning. LoRA adapters: the weights of the model "
           "stay as they are, and small added matrices are trained."));
    auto* form = static_cast<QFormLayout*>(layout());
    form->addRow(tr("T&rained"), tuning_);
    static_cast<QLabel*>(form->labelForField(tuning_))->setBuddy(tuning_);
    addQuantity("workload.finetune.rank", tr("LoRA ran&k"), QStringLiteral("16"));
    connect(tuning_, &SegmentedButtons::currentEdited, this, [this] {
        for (const Quantity& each : std::as_const(quantities_))
            showRow(each, isAsked(each));
    });
}

void PlanDialog::addQuantity(const char* path, const QString& label, const QString& words, bool needed) {
    auto* cell = new QWidget(this);
    auto* column = new QVBoxLayout(cell);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().px(2));
    auto* edit = new QLineEdit(words, cell);
    edit->setObjectName(QLatin1String(path));
    edit->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    auto* fault = new TextLabel(FontRole::small, Role::err, {}, cell);
    fault->setWordWrap(true);
    fault->hide();
    column->addWidget(edit);
    column->addWidget(fault);
    cell->setFocusProxy(edit);
    auto* form = static_cast<QFormLayout*>(layout());
    form->addRow(label, cell);
    quantities_.append({QLatin1String(path), edit, fault, needed});
    connect(edit, &QLineEdit::textEdited, this,
            [this, index = quantities_.size() - 1] { setFault(quantities_[index], {}); });
}

void PlanDialog::showRow(const Quantity& quantity, bool visible) {
    static_cast<QFormLayout*>(layout())->setRowVisible(quantity.edit->parentWidget(), visible);
    if (isVisible())
        fitHeight();
}

bool PlanDialog::isAsked(const Quantity& quantity) const {
    return quantity.path != loraRank || (tuning_ != nullptr && tuning_->currentIndex() == lora);
}

void PlanDialog::setFault(const Quantity& quantity, const QString& fault) {
    quantity.edit->setProperty(refusedProperty, !fault.isEmpty());
    quantity.edit->setAccessibleDescription(fault);
    quantity.edit->update();
    quantity.fault->setText(fault);
    quantity.fault->setVisible(!fault.isEmpty());
    fitHeight();
}

/// What was said takes room that the dialog may not have yet.
void PlanDialog::fitHeight() {
    layout()->activate();
    const int needed = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width())
                                                     : layout()->totalSizeHint().height();
    if (height() < needed)
        resize(width(), needed);
}

void PlanDialog::fillChoices() {
    const Catalog& catalog = *document_.catalog();
    for (const Architecture& model : catalog.models)
        if (kind_ == PlanKind::service || (!model.moe && !model.mla && !model.mamba2 && !model.gatedDeltaNet))
            model_->addItem(text(model.name), text(model.id));
    model_->setCurrentIndex(std::max(0, model_->findData(QStringLiteral("llama-3.1-70b"))));
    if (own_) {
        model_->insertItem(0, tr("%1 (yours)").arg(text(own_->name.empty() ? own_->id : own_->name)),
                           ownModel);
        model_->setCurrentIndex(0);
    }
    for (const Instance& instance : catalog.instances)
        if (!instance.ultraserverOnly)
            machine_->addItem(text(instance.id), QStringLiteral("cluster.instance"));
    for (const UltraServer& server : catalog.ultraservers)
        machine_->addItem(text(server.id), QStringLiteral("cluster.ultraserver"));
    machine_->setCurrentIndex(std::max(0, machine_->findText(QStringLiteral("p5.48xlarge"))));
}

/// The scenario as typed; without one every field that is wrong says why, and the first has the focus.
std::optional<ScenarioSpec> PlanDialog::wanted() {
    const QString machine = machine_->currentData().toString();
    const QString count = machine == QLatin1String("cluster.ultraserver")
                              ? QStringLiteral("cluster.ultraservers")
                              : QStringLiteral("cluster.instances");
    const bool serving = kind_ == PlanKind::service;
    QList<std::pair<QString, QString>> set = {
        {QStringLiteral("workload.kind"),
         text(wordOf(serving ? WorkloadKind::serving : WorkloadKind::training))},
        {QStringLiteral("workload.model"), model_->currentData().toString()},
        {machine, machine_->currentText()},
        {count, QString::number(count_->value())}};
    if (tuning_ != nullptr && tuning_->currentIndex() == lora)
        set.append({QStringLiteral("workload.finetune.kind"), QStringLiteral("lora")});
    ScenarioSpec spec;
    spec.name = (serving ? tr("Serving %1 on %2 × %3") : tr("%1 on %2 × %3"))
                    .arg(model_->currentText(), QString::number(count_->value()), machine_->currentText())
                    .toStdString();
    if (model_->currentData().toString() == ownModel)
        spec.workload.architecture = own_;
    for (const auto& [path, value] : set) {
        if (value == ownModel)
            continue;
        if (Result<ScenarioSpec> changed = withField(spec, path.toStdString(), value.toStdString()))
            spec = *std::move(changed);
    }
    const Quantity* first = nullptr;
    for (const Quantity& each : std::as_const(quantities_)) {
        if (!isAsked(each))
            continue;
        const QString typed = each.edit->text().trimmed();
        Result<ScenarioSpec> changed = withField(spec, each.path.toStdString(), typed.toStdString());
        const QString fault = typed.isEmpty() && each.needed ? tr("Enter a number.")
                              : !changed                     ? text(changed.error())
                                                             : QString();
        setFault(each, fault);
        if (!fault.isEmpty() && first == nullptr)
            first = &each;
        if (changed)
            spec = *std::move(changed);
    }
    if (first == nullptr)
        return spec;
    first->edit->setFocus(Qt::OtherFocusReason);
    first->edit->selectAll();
    return std::nullopt;
}

void PlanDialog::search() {
    const auto base = wanted();
    if (!base)
        return;
    candidates_ = usualLayouts(*base);
    choice_ = {};
    start_->setEnabled(false);
    message_->setInk(Role::text2);
    message_->setText(tr("Estimating %1 layouts").arg(candidates_.size()));
    progress_->setVisible(true);
    progress_->setRange(0, static_cast<int>(candidates_.size()));
    batch_->run(candidates_, document_.catalog());
}

void PlanDialog::finish() {
    emit planned(candidates_[static_cast<std::size_t>(choice_.index())]);
    accept();
}

} // namespace alidade::views
