// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/fleet/fleet_form.h"

#include "model/scenario/choice_names.h"
#include "model/units/constants.h"
#include "model/units/parse.h"
#include "views/document/text.h"
#include "views/kit/text_label.h"
#include "views/kit/wheel_guard.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr int formWidth = 300;                                           // logical pixels at 10 pt
constexpr double mostRateScale = 1e6, mostLatency = 1e6;                 // x, s
constexpr double mostPoolInstances = 100'000, mostStart = secondsPerDay; // s

QString nameOf(const char* what, int index) {
    return QStringLiteral("%1-%2").arg(QLatin1String(what)).arg(index);
}

QString numberText(double value) { return text(editText(value, Dimension::number)); }
QString secondsText(const std::optional<double>& value) {
    return value ? text(editText(*value, Dimension::seconds)) : QString();
}

} // namespace

FleetForm::FleetForm(QWidget* parent)
    : QuestionForm(tr("Plan Fleet"), formWidth, parent) {
    setObjectName(QStringLiteral("fleetForm"));
    rows()->addStretch(1);
}

QFormLayout* FleetForm::addGroup(const QString& title) {
    auto* column = static_cast<QVBoxLayout*>(fields_->layout());
    auto* heading = new TextLabel(FontRole::title, Role::text);
    heading->setText(title);
    column->addWidget(heading);
    auto* below = new TextLabel(FontRole::small, Role::text2);
    below->setWordWrap(true);
    column->addWidget(below);
    details_.append(below);
    auto* form = newForm(6);
    form->setHorizontalSpacing(theme().px(10));
    form->setContentsMargins(0, theme().px(4), 0, theme().px(14));
    column->addLayout(form);
    return form;
}

void FleetForm::addField(QFormLayout& form, const QString& name, const QString& owner, const QString& label,
                         const QString& placeholder, const QString& help) {
    QLineEdit* edit = QuestionForm::addField(form, name, label, {}, placeholder, help);
    const QString what = tr("%1, %2").arg(owner, label);
    edit->setAccessibleName(what);
    connect(edit, &QLineEdit::editingFinished, this, [this, edit, what] {
        if (edit->isModified())
            emit committed(what);
    });
}

void FleetForm::addService(int index) {
    const QString owner = text(file_.fleet.services[static_cast<std::size_t>(index)].name);
    QFormLayout* form = addGroup(owner);
    addField(*form, nameOf("rate", index), owner, tr("Rate, ×"), {},
             tr("Multiplier for the traffic as entered"));
    addField(*form, nameOf("ttft", index), owner, tr("TTFT at most"), tr("no target"),
             tr("Target of the time to the first token, at the percentile of the scenario"));
    addField(*form, nameOf("itl", index), owner, tr("ITL at most"), tr("no target"),
             tr("Target of the time between tokens, at the percentile of the scenario"));
}

void FleetForm::addStarts() {
    const QString owner = tr("Start of a replica");
    QFormLayout* form = addGroup(owner);
    addField(*form, QStringLiteral("instanceStart"), owner, tr("Instance"), tr("as in the file"),
             tr("From the decision until an instance is up, its container images included. An assumption: "
                "it depends on the image and on the capacity of the region; measure yours."));
    addField(*form, QStringLiteral("engineStart"), owner, tr("Engine"), tr("as in the file"),
             tr("From weights in memory to the first token: compilation and CUDA graphs. An assumption: it "
                "depends on the model and on what is cached; see the engine's log."));
}

void FleetForm::addPool(int index) {
    const FleetPool& pool = file_.fleet.pools[static_cast<std::size_t>(index)];
    const QString owner = text(pool.name);
    QFormLayout* form = addGroup(owner);
    addField(*form, nameOf("instances", index), owner, tr("Available"), {}, tr("Instances available"));
    addField(*form, nameOf("spares", index), owner, tr("Spare"), {},
             tr("Instances that run without load, for failures"));
    auto* base = new QComboBox;
    base->setObjectName(nameOf("base", index));
    base->setAccessibleName(tr("%1, base").arg(owner));
    base->setToolTip(tr("Purchase option for the base instances"));
    base->addItem(tr("No base"), QString());
    for (const Purchase option : basePurchases)
        // A price of one's own is written in the file.
        if (option != Purchase::custom || (pool.base && pool.base->purchase == purchaseWord(option)))
            base->addItem(text(textsOf(option).name), text(purchaseWord(option)));
    WheelGuard::install(base);
    connect(base, &QComboBox::currentIndexChanged, this,
            [this, what = base->accessibleName()] { emit committed(what); });
    form->addRow(tr("Base"), base);
    addField(*form, nameOf("baseInstances", index), owner, tr("Base instances"), tr("the cheapest number"),
             tr("Instances that are paid for permanently"));
}

void FleetForm::makeFields() {
    delete fields_;
    details_.clear();
    fields_ = new QWidget;
    auto* column = new QVBoxLayout(fields_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(theme().px(2));
    for (int i = 0; i < static_cast<int>(file_.fleet.services.size()); ++i)
        addService(i);
    addStarts();
    for (int i = 0; i < static_cast<int>(file_.fleet.pools.size()); ++i)
        addPool(i);
    rows()->insertWidget(0, fields_);
}

void FleetForm::show(const QString& name, const QString& value) {
    QLineEdit* edit = field(name);
    if (edit->text() != value)
        edit->setText(value);
    edit->setModified(false); // Undo is that of the fleet now
}

void FleetForm::showValues() {
    const std::vector<FleetService>& services = file_.fleet.services;
    const std::vector<FleetPool>& pools = file_.fleet.pools;
    auto detail = details_.begin();
    for (int i = 0; i < static_cast<int>(services.size()); ++i) {
        const FleetService& service = services[static_cast<std::size_t>(i)];
        const data::ServiceTraffic& traffic = file_.traffic[static_cast<std::size_t>(i)];
        const QString source =
            traffic.file.empty() ? tr("typed traffic") : QFileInfo(text(traffic.file)).fileName();
        (*detail++)->setText(
            tr("%1; %2 requests/s at the peak")
                .arg(source, quantity(service.traffic.peak(), Dimension::number, {.significant = 3})));
        show(nameOf("rate", i), numberText(traffic.scale));
        show(nameOf("ttft", i), secondsText(service.spec.workload.ttftSloS));
        show(nameOf("itl", i), secondsText(service.spec.workload.itlSloS));
    }
    (*detail++)->setText(tr("assumed, in addition to the computed time to read the weights"));
    show(QStringLiteral("instanceStart"), secondsText(common(&ScalingPolicy::instanceStart)));
    show(QStringLiteral("engineStart"), secondsText(common(&ScalingPolicy::engineStart)));
    for (int i = 0; i < static_cast<int>(pools.size()); ++i) {
        const FleetPool& pool = pools[static_cast<std::size_t>(i)];
        (*detail++)->setText(text(pool.machine) +
                             (pool.region ? QStringLiteral(", ") + text(*pool.region) : QString()));
        show(nameOf("instances", i), QString::number(pool.maxInstances));
        show(nameOf("spares", i), QString::number(pool.spares));
        const QSignalBlocker quiet(base(i));
        base(i)->setCurrentIndex(
            std::max(0, base(i)->findData(pool.base ? text(pool.base->purchase) : QString())));
        show(nameOf("baseInstances", i),
             pool.baseInstances ? QString::number(*pool.baseInstances) : QString());
    }
}

/// Of all services; nothing where they differ.
std::optional<double> FleetForm::common(double ScalingPolicy::* time) const {
    const double first = file_.fleet.services.front().scaling.*time;
    const bool same = std::ranges::all_of(
        file_.fleet.services, [&](const FleetService& each) { return each.scaling.*time == first; });
    return same ? std::optional(first) : std::nullopt;
}

void FleetForm::setFile(const data::FleetFile& file) {
    const auto same = [](const auto& one, const auto& other) {
        return std::ranges::equal(
            one, other, {}, [](const auto& each) { return each.name; },
            [](const auto& each) { return each.name; });
    };
    const bool fits = fields_ != nullptr && same(file.fleet.services, file_.fleet.services) &&
                      same(file.fleet.pools, file_.fleet.pools);
    file_ = file;
    if (!fits)
        makeFields();
    showValues();
    setError({});
}

Result<std::optional<double>> FleetForm::typed(const QString& name, Dimension dimension, double low,
                                               double high) const {
    const QLineEdit* edit = field(name);
    const std::string words = edit->text().trimmed().toStdString();
    if (words.empty())
        return std::optional<double>();
    const Result<double> value = parseQuantity(words, dimension);
    const std::string owner = edit->accessibleName().toStdString();
    if (!value)
        return Error{owner + ": " + value.error()};
    if (!(*value >= low && *value <= high))
        return Error{owner + ": use " + formatQuantity(low, dimension) + " to " +
                     formatQuantity(high, dimension)};
    return std::optional(*value);
}

std::string FleetForm::editService(std::size_t index, FleetService& service,
                                   data::ServiceTraffic& traffic) const {
    const int i = static_cast<int>(index);
    const auto rate = typed(nameOf("rate", i), Dimension::number, 1e-6, mostRateScale);
    const auto ttft = typed(nameOf("ttft", i), Dimension::seconds, 1e-6, mostLatency);
    const auto itl = typed(nameOf("itl", i), Dimension::seconds, 1e-6, mostLatency);
    for (const auto* each : {&rate, &ttft, &itl})
        if (!*each)
            return each->error();
    const double scale = rate->value_or(1);
    for (double& each : service.traffic.rates)
        each *= scale / traffic.scale;
    traffic.scale = scale;
    service.spec.workload.ttftSloS = *ttft;
    service.spec.workload.itlSloS = *itl;
    return {};
}

std::string FleetForm::editStarts(Fleet& fleet) const {
    const auto edit = [&](const char* name, double ScalingPolicy::* time) -> std::string {
        const auto value = typed(QLatin1String(name), Dimension::seconds, 0, mostStart);
        if (!value)
            return value.error();
        for (FleetService& each : fleet.services)
            if (*value)
                each.scaling.*time = **value;
        return {};
    };
    const std::string wrong = edit("instanceStart", &ScalingPolicy::instanceStart);
    return wrong.empty() ? edit("engineStart", &ScalingPolicy::engineStart) : wrong;
}

std::string FleetForm::editPool(std::size_t index, FleetPool& pool) const {
    const int i = static_cast<int>(index);
    const auto instances = typed(nameOf("instances", i), Dimension::number, 1, mostPoolInstances);
    const auto spares = typed(nameOf("spares", i), Dimension::number, 0, mostPoolInstances);
    const auto baseCount = typed(nameOf("baseInstances", i), Dimension::number, 0, mostPoolInstances);
    for (const auto* each : {&instances, &spares, &baseCount})
        if (!*each)
            return each->error();
    pool.maxInstances = static_cast<int>(std::lround(instances->value_or(pool.maxInstances)));
    pool.spares = static_cast<int>(std::lround(spares->value_or(0)));
    const std::string word = base(i)->currentData().toString().toStdString();
    if (word.empty()) {
        pool.base.reset();
        if (pool.burst.empty())
            pool.burst.emplace_back(); // On-Demand, else there would be no way to buy any
    } else if (!pool.base || pool.base->purchase != word) {
        pool.base =
            PurchaseTerms{.purchase = word, .dollarsPerInstanceHour = {}, .discount = {}, .commitment = {}};
    }
    pool.baseInstances.reset();
    if (*baseCount && pool.base)
        pool.baseInstances = static_cast<int>(std::lround(**baseCount));
    return {};
}

Result<data::FleetFile> FleetForm::edited() const {
    data::FleetFile out = file_;
    for (std::size_t i = 0; i < out.fleet.services.size(); ++i)
        if (const std::string wrong = editService(i, out.fleet.services[i], out.traffic[i]); !wrong.empty())
            return Error{wrong};
    if (const std::string wrong = editStarts(out.fleet); !wrong.empty())
        return Error{wrong};
    for (std::size_t i = 0; i < out.fleet.pools.size(); ++i)
        if (const std::string wrong = editPool(i, out.fleet.pools[i]); !wrong.empty())
            return Error{wrong};
    return out;
}

QComboBox* FleetForm::base(int pool) const { return findChild<QComboBox*>(nameOf("base", pool)); }

} // namespace alidade::views
