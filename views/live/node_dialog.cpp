// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/node_dialog.h"

#include "views/kit/cell_table.h"
#include "views/kit/text_label.h"
#include "views/live/live_text.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <cmath>

namespace alidade::views {
namespace {

QString none() { return QStringLiteral("–"); }

Cell amount(const std::optional<double>& value, Dimension dimension) {
    return value ? Cell{quantity(*value, dimension, {.significant = 3}), *value, {}} : Cell{none(), {}, {}};
}

/// What is too little to matter is not a power of ten.
Cell smallShare(const std::optional<double>& value) {
    constexpr double least = 1e-4;
    if (value && *value > 0 && *value < least)
        return {QStringLiteral("< ") + quantity(least, Dimension::ratio, {.significant = 1}), *value, {}};
    return amount(value, Dimension::ratio);
}

Cell plain(const std::optional<double>& value, const QString& unit, double scale = 1) {
    return value ? Cell{QStringLiteral("%L1 %2").arg(std::lround(*value * scale)).arg(unit).trimmed(),
                        *value,
                        {}}
                 : Cell{none(), {}, {}};
}

Cell counted(const std::optional<double>& value) { return plain(value, {}); }

/// Now, and in brackets how far it went.
Cell ranged(const DetailFigure& figure, const QString& unit, double scale = 1) {
    if (!figure.now)
        return {figure.mean ? NodeDialog::tr("no data now") : none(), {}, {}};
    const auto number = [&](double value) { return QStringLiteral("%L1").arg(std::lround(value * scale)); };
    QString words = number(*figure.now) + QLatin1Char(' ') + unit;
    if (number(*figure.least) != number(*figure.most))
        words += QStringLiteral(" (%1–%2)").arg(number(*figure.least), number(*figure.most));
    return {words, *figure.now, {}};
}

QString throttleText(const GpuDetail& gpu) {
    QStringList parts;
    const auto add = [&](const std::optional<double>& share, const QString& why) {
        if (!share || *share < (gpu.throttleIsSign ? 1e-12 : 1e-3))
            return;
        parts.append(gpu.throttleIsSign ? why
                                        : NodeDialog::tr("%1 %2").arg(
                                              why, quantity(*share, Dimension::ratio, {.significant = 2})));
    };
    add(gpu.heatThrottled, NodeDialog::tr("heat"));
    add(gpu.powerThrottled, NodeDialog::tr("power"));
    if (!parts.isEmpty())
        return parts.join(QStringLiteral(", "));
    return gpu.heatThrottled || gpu.powerThrottled ? NodeDialog::tr("none") : none();
}

QString xidText(const GpuDetail& gpu, double rangeLength) {
    QStringList parts;
    for (const XidEvent& event : gpu.xids)
        parts.append(
            event.before
                ? NodeDialog::tr("%1 (before %2)").arg(event.code).arg(clockText(event.time, rangeLength))
                : NodeDialog::tr("%1 at %2").arg(event.code).arg(clockText(event.time, rangeLength)));
    return parts.isEmpty() ? NodeDialog::tr("none") : parts.join(QStringLiteral(", "));
}

QString roleText(const std::string& role) {
    return role == "trains"   ? NodeDialog::tr("Trains")
           : role == "serves" ? NodeDialog::tr("Serves")
                              : NodeDialog::tr("Idle: no job, no engine");
}

} // namespace

NodeDialog::NodeDialog(QWidget* parent)
    : QDialog(parent)
    , head_(new TextLabel(FontRole::small, Role::text2))
    , faults_(new TextLabel(FontRole::small, Role::text))
    , devicesTitle_(new TextLabel(FontRole::strong, Role::text, tr("EFA devices")))
    , gpus_(new CellTable)
    , devices_(new CellTable)
    , hosts_(new QComboBox) {
    const Theme& look = theme();
    auto* column = new QVBoxLayout(this);
    hosts_->setAccessibleName(tr("Node"));
    hosts_->setEditable(true); // to be typed among a thousand
    hosts_->setInsertPolicy(QComboBox::NoInsert);
    hosts_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    hosts_->setMinimumContentsLength(24);
    column->addWidget(hosts_);
    connect(hosts_, &QComboBox::activated, this,
            [this](int index) { emit hostChosen(hosts_->itemText(index)); });
    for (TextLabel* label : {head_, faults_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        column->addWidget(label);
    }
    column->addWidget(new TextLabel(FontRole::strong, Role::text, tr("GPUs")));
    column->addWidget(gpus_, 3);
    column->addWidget(devicesTitle_);
    column->addWidget(devices_, 2);
    gpus_->setAccessibleName(tr("GPUs of the node"));
    devices_->setAccessibleName(tr("EFA devices of the node"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false); // Return chooses the typed node
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    resize(look.px(1120), look.px(620));
}

void NodeDialog::setHosts(const QStringList& hosts, const QString& now) {
    const QSignalBlocker quiet(hosts_);
    QStringList before;
    for (int i = 0; i < hosts_->count(); ++i)
        before.append(hosts_->itemText(i));
    if (before != hosts) {
        hosts_->clear();
        hosts_->addItems(hosts);
    }
    hosts_->setCurrentIndex(hosts_->findText(now));
}

QString NodeDialog::words() const { return head_->text() + QLatin1Char('\n') + faults_->text(); }

void NodeDialog::setDetail(const NodeDetail& detail, double rangeLength) {
    detail_ = detail;
    setWindowTitle(tr("Node %1").arg(text(detail.host)));
    QStringList head{roleText(detail.role)};
    if (detail.bootTime)
        head.append(tr("booted %1").arg(dayAndTimeText(*detail.bootTime)));
    QStringList silent;
    int answering = 0;
    for (const auto& [name, up] : detail.exporters)
        if (up && *up)
            ++answering;
        else
            silent.append(text(name));
    if (!detail.exporters.empty())
        head.append(silent.isEmpty() ? tr("all %1 exporters answer").arg(answering)
                                     : tr("silent: %1").arg(silent.join(QStringLiteral(", "))));
    head_->setText(head.join(QStringLiteral("; ")) + QLatin1Char('.'));
    QStringList faults;
    for (const Finding& finding : detail.findings)
        faults.append(QStringLiteral("%1, %2. %3")
                          .arg(text(finding.title), spanText(finding, rangeLength), text(finding.evidence)));
    faults_->setText(faults.join(QLatin1Char('\n')));
    faults_->setVisible(!faults.isEmpty());
    fillGpus(rangeLength);
    fillDevices();
}

void NodeDialog::fillGpus(double rangeLength) {
    const QList<CellColumn> columns{{tr("GPU"), true, {}},
                                    {tr("SM clock"), true, tr("Current value and range")},
                                    {tr("Power"), true, tr("Current value and range")},
                                    {tr("Temperature"), true, tr("Current value and range")},
                                    {tr("Memory"), true, tr("Used now")},
                                    {tr("Tensor"), true, tr("Tensor pipes active, mean of the time shown")},
                                    {tr("Throttled"), false, tr("Reasons, with their share of the time")},
                                    {tr("ECC 1 bit"), true, tr("Corrected errors in the time shown")},
                                    {tr("ECC 2 bits"), true, tr("Uncorrected errors in the time shown")},
                                    {tr("Rows"), true, tr("Remapped rows")},
                                    {tr("XID"), false, tr("Codes with their times")},
                                    {tr("NVLink sent"), true, tr("Mean of the time shown")},
                                    {tr("NVLink errors"), true, tr("Counted in the time shown")}};
    QList<CellRow> rows;
    for (const GpuDetail& gpu : detail_.gpus) {
        CellRow row{QString::number(gpu.gpu), {}};
        row.cells.append(
            {gpu.silent ? tr("%1, silent").arg(gpu.gpu) : QString::number(gpu.gpu), gpu.gpu, {}});
        row.cells.append(ranged(gpu.clock, QStringLiteral("MHz"), 1e-6));
        row.cells.append(ranged(gpu.power, QStringLiteral("W")));
        row.cells.append(ranged(gpu.temperature, QStringLiteral("°C")));
        row.cells.append(amount(gpu.memory.now, Dimension::bytes));
        row.cells.append(amount(gpu.tensor.mean, Dimension::ratio));
        row.cells.append({throttleText(gpu), {}, {}});
        row.cells.append(counted(gpu.singleBit));
        row.cells.append(counted(gpu.doubleBit));
        row.cells.append(counted(gpu.rowsRemapped));
        row.cells.append({xidText(gpu, rangeLength), {}, {}});
        row.cells.append(amount(gpu.nvlinkSent.mean, Dimension::bytesPerSecond));
        row.cells.append(counted(gpu.nvlinkErrors));
        rows.append(row);
    }
    gpus_->setTable(columns, rows);
    gpus_->resizeColumnsToContents();
}

void NodeDialog::fillDevices() {
    devicesTitle_->setVisible(!detail_.devices.empty());
    devices_->setVisible(!detail_.devices.empty());
    const QList<CellColumn> columns{
        {tr("Device"), false, {}},
        {tr("Sent"), true, tr("Mean of the time shown")},
        {tr("Received"), true, tr("Mean of the time shown")},
        {tr("Retransmitted"), true, tr("Share of the bytes sent in the time shown")},
        {tr("Impaired"), true, tr("Connections that became impaired in the time shown")},
        {tr("Unresponsive"), true, tr("Remotes that did not respond in the time shown")}};
    QList<CellRow> rows;
    for (const EfaDetail& device : detail_.devices) {
        const QString name = device.device.empty() ? tr("all of the node") : text(device.device);
        rows.append({name,
                     {{name, {}, {}},
                      amount(device.sent.mean, Dimension::bytesPerSecond),
                      amount(device.received.mean, Dimension::bytesPerSecond),
                      smallShare(device.retransmitShare),
                      counted(device.impaired),
                      counted(device.unresponsive)}});
    }
    devices_->setTable(columns, rows);
    devices_->resizeColumnsToContents();
}

} // namespace alidade::views
