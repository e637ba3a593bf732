// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/plan_dialog.h"

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "model/scenario/fields.h"
#include "views/document/batch_estimator.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>

#include <limits>

namespace alidade::views {

namespace {

/// Stands for the model that the catalog does not have.
const QString ownModel = QStringLiteral("\n");

} // namespace

std::vector<ScenarioSpec> usualLayouts(const ScenarioSpec& base) {
    std::vector<ScenarioSpec> layouts;
    for (const std::int64_t tensor : {1, 2, 4, 8})
        for (const std::int64_t pipeline : {1, 2, 4, 8, 16})
            for (const char* recompute : {"none", "selective", "full"}) {
                ScenarioSpec spec = base;
                spec.plan.tensorParallel = tensor;
                spec.plan.pipelineParallel = pipeline;
                spec.plan.recompute = std::vector<std::string>{recompute};
                if (tensor > 1)
                    spec.plan.sequenceParallel = true;
                layouts.push_back(std::move(spec));
            }
    return layouts;
}

PlanDialog::PlanDialog(Document& document, const std::optional<Architecture>& own, QWidget* parent)
    : QDialog(parent)
    , document_(document)
    , own_(own)
    , batch_(new BatchEstimator(document.engine(), this))
    , model_(new QComboBox(this))
    , machine_(new QComboBox(this))
    , count_(new QSpinBox(this))
    , message_(new TextLabel(FontRole::small, Role::text2, {}, this))
    , progress_(new QProgressBar(this)) {
    setWindowTitle(tr("Plan a training run"));
    auto* form = new QFormLayout(this);
    form->setContentsMargins(theme().px(20), theme().px(18), theme().px(20), theme().px(16));
    form->setSpacing(theme().px(8));
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->addRow(
        new TextLabel(FontRole::verdict, Role::text, tr("What do you want to train, and on what?"), this));
    form->addRow(tr("&Model"), model_);
    form->addRow(tr("M&achine"), machine_);
    count_->setRange(1, 100'000);
    count_->setValue(64);
    form->addRow(tr("&How many"), count_);
    sequence_ = addQuantity(tr("&Sequence length, tokens"), QStringLiteral("8,192"));
    batchSize_ = addQuantity(tr("&Global batch, sequences"), QStringLiteral("1,024"));
    tokens_ = addQuantity(tr("&Tokens of the run"), QStringLiteral("1 T tokens"));
    message_->setWordWrap(true);
    message_->setMinimumWidth(theme().px(360));
    message_->setText(tr("Alidade estimates the usual layouts and starts from the fastest that fits."));
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
                consider(index, estimate.get());
            });
    connect(batch_, &BatchEstimator::finished, this, &PlanDialog::finish);
    fillChoices();
    for (auto [widget, name] : {std::pair<QWidget*, QString>{model_, tr("Model")},
                                {machine_, tr("Machine")},
                                {count_, tr("How many machines")}})
        widget->setAccessibleName(name);
}

PlanDialog::~PlanDialog() = default;

QLineEdit* PlanDialog::addQuantity(const QString& label, const QString& words) {
    auto* edit = new QLineEdit(words, this);
    edit->setAccessibleName(QString(label).remove(QLatin1Char('&')));
    static_cast<QFormLayout*>(layout())->addRow(label, edit);
    return edit;
}

void PlanDialog::fillChoices() {
    const Catalog& catalog = *document_.catalog();
    for (const Architecture& model : catalog.models)
        if (!model.moe && !model.mla && !model.mamba2 && !model.gatedDeltaNet)
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

/// The scenario as typed; without one the message says what is wrong and where.
std::optional<ScenarioSpec> PlanDialog::wanted() {
    const QString machine = machine_->currentData().toString();
    const QString count = machine == QLatin1String("cluster.ultraserver")
                              ? QStringLiteral("cluster.ultraservers")
                              : QStringLiteral("cluster.instances");
    const QList<std::pair<QString, QString>> set = {
        {QStringLiteral("workload.kind"), QStringLiteral("training")},
        {QStringLiteral("workload.model"), model_->currentData().toString()},
        {QStringLiteral("workload.sequence_length"), sequence_->text()},
        {QStringLiteral("workload.global_batch"), batchSize_->text()},
        {QStringLiteral("workload.tokens"), tokens_->text()},
        {machine, machine_->currentText()},
        {count, QString::number(count_->value())}};
    ScenarioSpec spec;
    spec.name = tr("%1 on %2 × %3")
                    .arg(model_->currentText(), QString::number(count_->value()), machine_->currentText())
                    .toStdString();
    if (model_->currentData().toString() == ownModel)
        spec.workload.architecture = own_;
    for (const auto& [path, value] : set) {
        if (value == ownModel)
            continue;
        Result<ScenarioSpec> changed = withField(spec, path.toStdString(), value.trimmed().toStdString());
        if (!changed) {
            message_->setInk(Role::err);
            message_->setText(text(findField(path.toStdString())->label) + QStringLiteral(": ") +
                              text(changed.error()));
            return std::nullopt;
        }
        spec = *std::move(changed);
    }
    return spec;
}

void PlanDialog::search() {
    const auto base = wanted();
    if (!base)
        return;
    candidates_ = usualLayouts(*base);
    best_ = nearest_ = -1;
    bestRate_ = 0;
    nearestLack_ = std::numeric_limits<double>::infinity();
    start_->setEnabled(false);
    message_->setInk(Role::text2);
    message_->setText(tr("Estimating %1 layouts").arg(candidates_.size()));
    progress_->setVisible(true);
    progress_->setRange(0, static_cast<int>(candidates_.size()));
    batch_->run(candidates_, document_.catalog());
}

void PlanDialog::consider(int index, const Estimate* estimate) {
    progress_->setValue(index + 1);
    if (estimate == nullptr || !estimate->runs)
        return;
    if (estimate->fits && estimate->training && estimate->training->tokensPerSecond > bestRate_) {
        best_ = index;
        bestRate_ = estimate->training->tokensPerSecond;
    }
    if (!estimate->fits && estimate->memory && -estimate->memory->headroomBytes < nearestLack_) {
        nearest_ = index;
        nearestLack_ = -estimate->memory->headroomBytes;
    }
}

void PlanDialog::finish() {
    const int chosen = best_ >= 0 ? best_ : std::max(nearest_, 0);
    emit planned(candidates_[static_cast<std::size_t>(chosen)]);
    accept();
}

} // namespace alidade::views
