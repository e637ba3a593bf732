// SPDX-License-Identifier: GPL-3.0-or-later
#include "gallery.h"

#include "views/icons/icon.h"
#include "views/kit/delegates.h"
#include "views/kit/dock_title_bar.h"
#include "views/kit/field_label.h"
#include "views/kit/plot_parts.h"
#include "views/kit/tag.h"
#include "views/kit/text_label.h"
#include "views/kit/verdict_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDirIterator>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QRadioButton>
#include <QRegularExpression>
#include <qcustomplot.h>

using namespace alidade;
using namespace alidade::views;

namespace {

/// Texture and marker of a class, as in the design's list.
class Swatch : public QWidget {
public:
    explicit Swatch(Bound bound)
        : bound_(bound) {
        setFixedSize(130, 18);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        paintClassFill(painter, QRectF(0, 1, 130, 16), bound_);
    }

private:
    Bound bound_;
};

class Ramp : public QWidget {
public:
    explicit Ramp(QList<QColor> (*colors)())
        : colors_(colors) {
        setFixedSize(210, 18);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const QList<QColor> colors = colors_();
        for (int i = 0; i < colors.size(); ++i)
            painter.fillRect(QRectF(i * 30, 0, 30, 18), colors[i]);
    }

private:
    QList<QColor> (*colors_)();
};

QList<QColor> memoryTones() {
    QList<QColor> tones;
    for (const MemoryTone tone : {MemoryTone::held1, MemoryTone::held2, MemoryTone::held3,
                                  MemoryTone::passing1, MemoryTone::passing2, MemoryTone::overhead})
        tones.append(theme().memoryColor(tone));
    return tones;
}

QWidget* heading(const QString& text) { return new DockTitleBar({}, text); }

const QList<BarSegment> stepParts{
    {Bound::compute, 3.89, 1, QStringLiteral("3.89 s"), QStringLiteral("63 %")},
    {Bound::hbm, 0.09, 1, QStringLiteral("0.09 s"), QStringLiteral("1.5 %")},
    {Bound::latency, 0.03, 1, QStringLiteral("0.03 s"), QStringLiteral("0.5 %")},
    {Bound::nvlink, 0.94, 1, QStringLiteral("0.94 s"), QStringLiteral("15 %")},
    {Bound::straggler, 0.24, 1, QStringLiteral("0.24 s"), QStringLiteral("4 %")},
    {Bound::efa, 0.19, 1, QStringLiteral("0.19 s"), QStringLiteral("3 %")},
    {Bound::exposed, 0.17, 1, QStringLiteral("0.17 s"), QStringLiteral("3 %")},
    {Bound::bubble, 0.58, 1, QStringLiteral("0.58 s"), QStringLiteral("9 %")},
    {Bound::optimizer, 0.001, 1, QString(), QStringLiteral("< 0.1 %")},
    {Bound::storage, 0, 1, QString(), QStringLiteral("0 %")},
};

QStandardItem* numberItem(const QString& text, double value) {
    auto* item = new QStandardItem(text);
    item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    item->setData(value, Qt::UserRole);
    return item;
}

QList<QStandardItem*> layerRow(const QString& name, Bound bound, double forward, double backward,
                               bool group) {
    auto* tag = new QStandardItem;
    tag->setData(QVariant::fromValue(bound), boundRole);
    auto* bar = new QStandardItem;
    bar->setData(QVariant::fromValue(BarCell{{{bound, forward, 1, {}, {}}, {bound, backward, 0.62, {}, {}}}}),
                 barRole);
    const double sum = forward + backward;
    QList<QStandardItem*> row{new QStandardItem(name), tag, numberItem(QLocale().toString(sum, 'f', 2), sum),
                              bar};
    for (QStandardItem* item : std::as_const(row))
        item->setData(group, groupRowRole);
    return row;
}

} // namespace

UnitText bandwidthText(double bytesPerSecond) {
    const bool tera = bytesPerSecond >= 1e12;
    return {QLocale().toString(bytesPerSecond / (tera ? 1e12 : 1e9), 'g', 4),
            tera ? QStringLiteral("TB/s") : QStringLiteral("GB/s")};
}

UnitParse parseBandwidth(const QString& text) {
    static const QRegularExpression shape(QStringLiteral("^\\s*([0-9.]+)\\s*(TB/s|GB/s|Gbps)\\s*$"));
    const auto match = shape.match(text);
    if (!match.hasMatch())
        return {std::nullopt, QStringLiteral("“%1” is not a bandwidth; use 400 Gbps or 3.35 TB/s").arg(text)};
    const QString unit = match.captured(2);
    const double factor = unit == QLatin1String("TB/s")   ? 1e12
                          : unit == QLatin1String("GB/s") ? 1e9
                                                          : 1e9 / 8;
    return {match.captured(1).toDouble() * factor, {}};
}

void saveGrab(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("ALIDADE_GRAB_DIR");
    if (folder.isEmpty())
        return;
    const QPixmap picture = widget.grab();
    const QString scale = picture.devicePixelRatio() > 1 ? QStringLiteral("-2x") : QString();
    const QString look = theme().isDark() ? QStringLiteral("-dark") : QStringLiteral("-light");
    picture.save(folder + QLatin1Char('/') + name + look + scale + QStringLiteral(".png"));
}

Gallery::Gallery() {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* columns = new QHBoxLayout(this);
    auto* left = new QVBoxLayout;
    auto* right = new QVBoxLayout;
    columns->addLayout(left, 1);
    columns->addLayout(right, 1);
    for (QVBoxLayout* side : {left, right})
        side->setSpacing(8);
    const auto add = [](QVBoxLayout* side, const QString& title, QWidget* part, int stretch) {
        side->addWidget(heading(title));
        side->addWidget(part, stretch);
    };
    add(left, QStringLiteral("Classes: colour, letter, texture"), classes(), 0);
    add(left, QStringLiteral("Figures with band"), figures(), 0);
    add(left, QStringLiteral("Buttons, badges"), controls(), 0);
    add(left, QStringLiteral("Empty, loading, error"), states(), 1);
    add(left, QStringLiteral("Icons"), icons(), 0);
    add(right, QStringLiteral("Fields"), fields(), 0);
    right->addWidget(tables(), 1);
    right->addWidget(plots(), 1);
}

QWidget* Gallery::classes() {
    auto* box = new QWidget;
    auto* grid = new QGridLayout(box);
    for (std::size_t i = 0; i < classOrder.size(); ++i) {
        const int row = static_cast<int>(i) / 2;
        const int column = static_cast<int>(i) % 2 * 2;
        grid->addWidget(new Tag(classOrder[i], nullptr, true), row, column);
        grid->addWidget(new Swatch(classOrder[i]), row, column + 1, Qt::AlignLeft);
    }
    auto* ramps = new QHBoxLayout;
    ramps->addWidget(new Ramp(memoryTones));
    ramps->addWidget(new Ramp([] { return theme().sequentialStops(); }));
    ramps->addWidget(new Ramp([] { return theme().divergingStops(); }));
    ramps->addStretch(1);
    grid->addLayout(ramps, 5, 0, 1, 4);
    return box;
}

QWidget* Gallery::figures() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    auto* verdict = new VerdictLabel;
    verdict->setVerdict(BadgeKind::ok, QStringLiteral("It fits, and a step is compute-bound."),
                        QStringLiteral("71.0 of 75.2 GB usable on stage 1"));
    verdict->setBadges({{BadgeKind::warn, QStringLiteral("high end would not fit")}});
    column->addWidget(verdict);
    auto* row = new QHBoxLayout;
    const QList<Figure> list{
        {QStringLiteral("Step time"),
         QStringLiteral("6.13"),
         QStringLiteral("s"),
         BandRange{5.6, 6.13, 6.9},
         QStringLiteral("5.6 – 6.9"),
         {}},
        {QStringLiteral("Step time"), QStringLiteral("5.30"), QStringLiteral("s"), BandRange{4.9, 5.3, 6},
         QStringLiteral("4.9 – 6.0"), QStringLiteral("−0.83 to baseline"), Figure::Trend::better},
        {QStringLiteral("Reserved, 3 years"), {}, {}, std::nullopt, QStringLiteral("not published"), {}},
        {QStringLiteral("Goodput"),
         QStringLiteral("0.90"),
         {},
         std::nullopt,
         {},
         {},
         Figure::Trend::uncertain,
         true},
    };
    for (qsizetype i = 0; i < list.size(); ++i) {
        auto* label = new BandLabel;
        label->setFigure(list[i]);
        label->setSeparator(i > 0);
        row->addWidget(label);
        if (i == 0)
            figure = label;
    }
    column->addLayout(row);
    bar = new StepBar;
    bar->setAccessibleName(QStringLiteral("Step time breakdown (6.13 s)"));
    bar->setSegments(stepParts);
    column->addWidget(bar);
    return box;
}

QWidget* Gallery::controls() {
    auto* box = new QWidget;
    auto* grid = new QVBoxLayout(box);
    auto* row = new QHBoxLayout;
    auto* primary = new QPushButton(QStringLiteral("Estimate"));
    primary->setProperty(primaryProperty, true);
    auto* checked = new QPushButton(QStringLiteral("Follow"));
    checked->setCheckable(true);
    checked->setChecked(true);
    auto* flat = new QPushButton(icon(QLatin1StringView("export")), QStringLiteral("Export"));
    flat->setFlat(true);
    auto* disabled = new QPushButton(icon(QLatin1StringView("add")), QStringLiteral("Add"));
    disabled->setEnabled(false);
    auto* check = new QCheckBox(QStringLiteral("Offload"));
    check->setChecked(true);
    auto* radio = new QRadioButton(QStringLiteral("A4"));
    radio->setChecked(true);
    const QList<QWidget*> widgets{
        primary, new QPushButton(QStringLiteral("Try")), checked, flat, disabled, check, radio};
    for (QWidget* widget : widgets)
        row->addWidget(widget);
    row->addStretch(1);
    grid->addLayout(row);
    auto* badges = new QHBoxLayout;
    for (const auto& [kind, text] : {std::pair{BadgeKind::ok, "fits"},
                                     {BadgeKind::warn, "tight"},
                                     {BadgeKind::err, "does not fit"},
                                     {BadgeKind::neutral, "assumed"},
                                     {BadgeKind::accent, "yours"},
                                     {BadgeKind::neutral, "price 62 days old"}})
        badges->addWidget(new Badge(kind, QString::fromLatin1(text)));
    badges->addStretch(1);
    grid->addLayout(badges);
    return box;
}

QWidget* Gallery::fields() {
    auto* box = new QWidget;
    auto* form = new QFormLayout(box);
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto* combo = new QComboBox;
    combo->addItems({QStringLiteral("p5.48xlarge"), QStringLiteral("p5en.48xlarge")});
    field = new UnitField;
    field->setFormat(bandwidthText);
    field->setParse(parseBandwidth);
    field->setValue(3.35e12);
    refusedField = new UnitField;
    refusedField->setFormat(bandwidthText);
    refusedField->setParse(parseBandwidth);
    refusedField->setValue(4e11);
    degree = new DegreeField;
    degree->setLegalValues({1, 2, 4, 8, 16, 32});
    degree->setReason(QStringLiteral("must divide 126 layers into stages"));
    degree->setValue(16);
    segments = new SegmentedButtons;
    segments->setOptions(
        QList<SegmentedButtons::Option>{{QStringLiteral("BF16"), {}},
                                        {QStringLiteral("FP8"), {}},
                                        {QStringLiteral("MXFP8"), QStringLiteral("needs a B200")},
                                        {QStringLiteral("NVFP4"), {}}});
    segments->setCurrentIndex(0);
    const auto add = [form](const QString& label, QWidget* widget) {
        form->addRow(new FieldLabel(label, widget), widget);
    };
    add(QStringLiteral("&Instance"), combo);
    add(QStringLiteral("&Bandwidth"), field);
    add(QStringLiteral("&Refused"), refusedField);
    add(QStringLiteral("&Pipeline"), degree);
    add(QStringLiteral("Precision"), segments);
    return box;
}

QWidget* Gallery::states() {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->addWidget(new EmptyState(QStringLiteral("roofline"), QStringLiteral("No operation to draw yet"),
                                  QStringLiteral("Choose a model in the scenario."),
                                  QStringLiteral("Choose a model…")));
    auto* work = new QWidget;
    auto* inside = new QVBoxLayout(work);
    inside->addWidget(new TextLabel(FontRole::figure, Role::text, QStringLiteral("6.13 s")), 0,
                      Qt::AlignHCenter | Qt::AlignTop);
    busy = new BusyOverlay(work);
    row->addWidget(work);
    row->addWidget(new ErrorState(QStringLiteral("No answer from prometheus-a"),
                                  QStringLiteral("Charts end at 15:52.")));
    for (int i = 0; i < row->count(); ++i)
        row->setStretch(i, 1);
    return box;
}

QWidget* Gallery::icons() {
    auto* box = new QWidget;
    auto* grid = new QGridLayout(box);
    QDirIterator files(QStringLiteral(":/alidade/icons"));
    int count = 0;
    while (files.hasNext()) {
        const QByteArray name = QFileInfo(files.next()).completeBaseName().toLatin1();
        if (name.startsWith("alidade"))
            continue;
        auto* button = new QPushButton(icon(QLatin1StringView(name)), {});
        button->setFlat(true);
        button->setAccessibleName(QString::fromLatin1(name));
        button->setFocusPolicy(Qt::NoFocus);
        grid->addWidget(button, count / 15, count % 15);
        ++count;
    }
    auto* application = new QLabel;
    application->setPixmap(applicationIcon().pixmap(QSize(32, 32), devicePixelRatioF()));
    grid->addWidget(application, count / 15, count % 15);
    return box;
}

QWidget* Gallery::tables() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* title = new DockTitleBar(QStringLiteral("layers"), QStringLiteral("Layers"));
    title->setSubtitle(QStringLiteral("ms per micro-batch and GPU, forward + backward"));
    title->addRightText(QStringLiteral("Stage 1"));
    column->addWidget(title);
    auto* layers = new QStandardItemModel(0, 4, this);
    layers->setHorizontalHeaderLabels({QStringLiteral("Operation"), QStringLiteral("Class"),
                                       QStringLiteral("ms"), QStringLiteral("Forward, backward")});
    const QList<QStandardItem*> group =
        layerRow(QStringLiteral("Transformer layer"), Bound::compute, 12.9, 25.7, true);
    layers->appendRow(group);
    for (const auto& [name, bound, forward, backward] :
         {std::tuple{"QKV projection", Bound::compute, 0.889, 1.778},
          {"MLP gate + up", Bound::compute, 5.121, 10.242},
          {"Norms, RoPE, SwiGLU", Bound::hbm, 0.236, 0.472},
          {"All-gather", Bound::nvlink, 1.462, 2.923}})
        group.first()->appendRow(layerRow(QString::fromLatin1(name), bound, forward, backward, false));
    tree = new DataTreeView;
    tree->setAccessibleName(QStringLiteral("Layers"));
    tree->setModel(layers);
    tree->setItemDelegateForColumn(1, new TagDelegate(tree));
    auto* bars = new BarDelegate(tree);
    bars->setMaximum(40);
    tree->setItemDelegateForColumn(3, bars);
    tree->expandAll();
    tree->header()->resizeSection(0, 180);
    tree->header()->resizeSection(1, 50);
    tree->header()->resizeSection(2, 70);
    tree->setCurrentIndex(layers->index(1, 0, group.first()->index()));
    column->addWidget(tree, 1);

    auto* prices = new QStandardItemModel(0, 3, this);
    prices->setHorizontalHeaderLabels(
        {QStringLiteral("Instance"), QStringLiteral("HBM, GB"), QStringLiteral("On demand")});
    for (const auto& [name, memory, price] : {std::tuple{"p5.48xlarge", 640, "$38.00"},
                                              {"p5en.48xlarge", 1128, "$63.30"},
                                              {"p6-b200.48xlarge", 1440, "800 Gb"}}) {
        prices->appendRow({new QStandardItem(QString::fromLatin1(name)), new QStandardItem,
                           new QStandardItem(QString::fromLatin1(price))});
        QStandardItem* cell = prices->item(prices->rowCount() - 1, 1);
        cell->setData(memory, Qt::EditRole);
        cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        prices->item(prices->rowCount() - 1, 2)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    prices->item(0, 2)->setData(QVariant::fromValue(CellMark{true, false, false}), markRole);
    prices->item(1, 1)->setData(QVariant::fromValue(CellMark{false, true, false}), markRole);
    prices->item(2, 2)->setData(QVariant::fromValue(CellMark{false, false, true}), markRole);
    table = new DataTableView;
    table->setAccessibleName(QStringLiteral("Prices"));
    table->setModel(prices);
    auto* marks = new CatalogDelegate(table);
    table->setItemDelegate(marks);
    table->horizontalHeader()->resizeSection(0, 180);
    table->setFilterRowVisible(true);
    table->setCurrentIndex(prices->index(0, 2));
    column->addWidget(table, 1);
    return box;
}

QWidget* Gallery::plots() {
    plot = new PlotBase;
    plot->setAccessibleName(QStringLiteral("Memory"));
    plot->setAxisTitle(PlotAxis::y, QStringLiteral("GB per GPU"));
    plot->setAxisTitle(PlotAxis::x, QStringLiteral("stage"));
    plot->setDataRange(PlotAxis::x, -0.6, 7.6);
    plot->setDataRange(PlotAxis::y, 0, 90);
    QCPBars* below = nullptr;
    const QList<std::pair<MemoryTone, double>> parts{{MemoryTone::held1, 6},
                                                     {MemoryTone::held2, 13},
                                                     {MemoryTone::passing1, 46},
                                                     {MemoryTone::overhead, 4}};
    for (const auto& [tone, size] : parts) {
        QCPBars* bars = addMemoryBars(*plot, tone);
        for (int stage = 0; stage < 6; ++stage)
            bars->addData(stage, size - stage * 0.2);
        if (below)
            bars->moveAbove(below);
        below = bars;
    }
    QCPBars* classed = addClassBars(*plot, Bound::nvlink);
    classed->addData(6, 40);
    addClassBars(*plot, Bound::bubble)->addData(7, 30);
    addLimit(*plot, {PlotAxis::y, 80, QStringLiteral("capacity 80.0"), Role::err, false, 1, {}});
    addLimit(*plot, {PlotAxis::y, 75.2, QStringLiteral("usable 75.2"), Role::warn, true, 0.8, 80.0});
    plot->setTableSource([] {
        return TextTable{{QStringLiteral("stage"), QStringLiteral("GB")},
                         {{QStringLiteral("0"), QStringLiteral("=69")}}};
    });
    return plot;
}
