// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/start/start_page.h"

#include "data/fleet/fleet_file.h"
#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "views/document/batch_estimator.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/icons/icon.h"
#include "views/kit/text_label.h"
#include "views/start/drop_zone.h"
#include "views/start/sample_card.h"
#include "views/start/samples.h"
#include "views/start/way_button.h"
#include "views/theme/theme_controller.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QFocusEvent>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace alidade::views {

namespace {

/// Narrowest column of sample cards, logical pixels at 10 pt.
constexpr int cardColumn = 340;
constexpr int sideWidth = 392;

QString dayText(const QDateTime& when) {
    const qint64 days = when.date().daysTo(QDate::currentDate());
    if (days == 0)
        return StartPage::tr("today, %1").arg(QLocale::c().toString(when.time(), QStringLiteral("HH:mm")));
    if (days == 1)
        return StartPage::tr("yesterday");
    return when.date().toString(Qt::ISODate);
}

QString shortFolder(const QString& file) {
    QString folder = QFileInfo(file).absolutePath();
    if (folder.startsWith(QDir::homePath()))
        folder.replace(0, QDir::homePath().size(), QStringLiteral("~"));
    return folder;
}

} // namespace

StartPage::StartPage(Document* document, QWidget* parent)
    : QWidget(parent)
    , document_(document)
    , batch_(new BatchEstimator(document->engine(), this)) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(makeSide());
    row->addWidget(makeMain(), 1);
    connect(batch_, &BatchEstimator::estimated, this,
            [this](int index, const std::shared_ptr<const Estimate>& estimate, const QString& error) {
                cards_[index]->setEstimate(estimate.get(), error);
            });
    connect(document, &Document::catalogChanged, this, [this] {
        estimated_ = false;
        if (isVisible())
            estimateSamples();
    });
}

StartPage::~StartPage() = default;

QWidget* StartPage::makeSide() {
    auto* scroll = new QScrollArea(this); // a low window must not be made higher by it
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFixedWidth(theme().px(sideWidth));
    auto* side = new QFrame(scroll);
    side->setAutoFillBackground(true);
    side->setBackgroundRole(QPalette::Midlight);
    auto* column = new QVBoxLayout(side);
    const int margin = theme().px(36);
    column->setContentsMargins(margin, theme().px(36), margin, theme().px(16));
    column->setSpacing(theme().px(10));
    column->addWidget(makeBrand());
    column->addSpacing(theme().px(12));

    auto* plan = new WayButton(QStringLiteral("layers"), tr("Plan a training run"),
                               tr("A model, a cluster, a number of tokens"), side);
    connect(plan, &WayButton::clicked, this, [this] { planRun(); });
    auto* service = new WayButton(QStringLiteral("serving"), tr("Plan a service"),
                                  tr("A model, its load, and latency targets"), side);
    connect(service, &WayButton::clicked, this, &StartPage::planService);
    auto* own = new WayButton(QStringLiteral("gpu"), tr("Use your own model"),
                              tr("A Hugging Face config.json, or a scenario"), side);
    connect(own, &WayButton::clicked, this, &StartPage::askOpen);
    auto* look = new WayButton(QStringLiteral("catalog"), tr("Browse the catalog"),
                               tr("GPUs, instances, fabrics, prices, with sources"), side);
    connect(look, &WayButton::clicked, this, &StartPage::showCatalog);
    for (WayButton* way : {plan, service, own, look})
        column->addWidget(way);
    column->addSpacing(theme().px(12));

    workspace_ = addLink(column, QStringLiteral("library"), {}, {}, &StartPage::showLibrary);
    workspace_->hide();
    addLink(column, QStringLiteral("open"), tr("Open a workspace, scenario or fleet…"),
            QStringLiteral("Ctrl+O"), &StartPage::askOpen);
    addLink(column, QStringLiteral("folder"), tr("New workspace…"), {}, &StartPage::newWorkspace);
    addLink(column, QStringLiteral("add"), tr("Empty scenario"), QStringLiteral("Ctrl+N"),
            &StartPage::startNew);
    addLink(column, QStringLiteral("explain"), tr("User guide"), QStringLiteral("F1"), &StartPage::showGuide);
    column->addSpacing(theme().px(8));
    auto* drop = new DropZone(tr("Drop a workspace, a scenario, a fleet, a\n"
                                 "Hugging Face config, a topology or an nccl-tests log"),
                              side);
    column->addWidget(drop);
    column->addStretch(1);
    column->addWidget(
        new TextLabel(FontRole::small, Role::text2, tr("Works offline. Nothing is sent anywhere."), side));
    scroll->setWidget(side);
    return scroll;
}

QWidget* StartPage::makeBrand() {
    auto* brand = new QWidget(this);
    auto* row = new QHBoxLayout(brand);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme().px(16));
    auto* mark = new QLabel(brand);
    const int side = theme().px(58);
    mark->setPixmap(applicationIcon().pixmap(side, side));
    row->addWidget(mark);
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(new TextLabel(FontRole::figure, Role::text, QStringLiteral("Alidade"), brand));
    words->addWidget(new TextLabel(FontRole::body, Role::text2,
                                   tr("What to rent, how to lay it out,\nand what it costs."), brand));
    row->addLayout(words, 1);
    return brand;
}

LinkButton* StartPage::addLink(QVBoxLayout* column, const QString& icon, const QString& words,
                               const QString& keys, void (StartPage::*signal)()) {
    auto* link = new LinkButton(icon, words, keys, this);
    column->addWidget(link);
    connect(link, &LinkButton::clicked, this, signal);
    return link;
}

QWidget* StartPage::makeMain() {
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* body = new QWidget(scroll);
    body->setAutoFillBackground(true);
    body->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(body);
    const int margin = theme().px(44);
    column->setContentsMargins(margin, theme().px(44), margin, margin);
    column->setSpacing(theme().px(12));

    auto* head = new QHBoxLayout;
    head->addWidget(new TextLabel(FontRole::title, Role::text, tr("Sample scenarios"), body));
    head->addStretch(1);
    estimatedWith_ = new TextLabel(FontRole::small, Role::text2, {}, body);
    head->addWidget(estimatedWith_);
    column->addLayout(head);
    grid_ = new QGridLayout;
    grid_->setSpacing(theme().px(16));
    column->addLayout(grid_);
    for (const Sample& sample : samples()) {
        auto* card = new SampleCard(sample.name, body);
        connect(card, &SampleCard::clicked, this, [this, id = sample.id] { emit openSample(id); });
        cards_.append(card);
    }

    column->addWidget(makeFleets());

    recent_ = new QWidget(body);
    recentRows_ = new QVBoxLayout(recent_);
    recentRows_->setContentsMargins(0, theme().px(28), 0, 0);
    recentRows_->setSpacing(0);
    column->addWidget(recent_);
    column->addStretch(1);
    scroll->setWidget(body);
    return scroll;
}

QWidget* StartPage::makeFleets() {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, theme().px(28), 0, 0);
    column->setSpacing(0);
    auto* head = new TextLabel(FontRole::title, Role::text, tr("Sample fleets"), box);
    head->setContentsMargins(0, 0, 0, theme().px(6));
    column->addWidget(head);
    for (const data::SampleFleet& fleet : data::sampleFleets()) {
        auto* link = new LinkButton(QStringLiteral("fleet"), text(fleet.name), {}, box);
        link->setToolTip(tr("Several services on shared pools, on the Fleet page"));
        column->addWidget(link);
        connect(link, &LinkButton::clicked, this, [this, id = text(fleet.id)] { emit openFleet(id); });
    }
    return box;
}

/// No focus proxy: Tab would go from the page to the first sample, over all that is in between.
void StartPage::focusInEvent(QFocusEvent* event) {
    if (!cards_.isEmpty())
        cards_.first()->setFocus(event->reason());
}

/// On another thread: the file may be on a disk that does not answer.
void StartPage::showDayOf(const QString& file, LinkButton* link) {
    runFor(
        link, Work::waiting, [file] { return QFileInfo(file).lastModified(); },
        [link](const QDateTime& changed) {
            link->setNote(changed.isValid() ? dayText(changed) : tr("gone"));
        });
}

void StartPage::setRecentFiles(const QStringList& files) {
    while (QLayoutItem* item = recentRows_->takeAt(0)) {
        if (item->widget() != nullptr)
            item->widget()->deleteLater();
        delete item;
    }
    recent_->setVisible(!files.isEmpty());
    if (files.isEmpty())
        return;
    auto* head = new QWidget(recent_);
    auto* line = new QHBoxLayout(head);
    line->setContentsMargins(0, 0, 0, theme().px(6));
    line->addWidget(new TextLabel(FontRole::title, Role::text, tr("Recent"), head));
    line->addStretch(1);
    auto* clear = new QPushButton(tr("Clear"), head);
    clear->setFlat(true);
    clear->setAccessibleName(tr("Clear the list of recent files"));
    connect(clear, &QPushButton::clicked, this, &StartPage::clearRecent);
    line->addWidget(clear);
    recentRows_->addWidget(head);
    for (const QString& file : files) {
        const QFileInfo info(file);
        auto* link = new LinkButton({}, info.fileName(), {}, recent_);
        showDayOf(file, link);
        link->setMiddle(shortFolder(file));
        link->setToolTip(file);
        connect(link, &LinkButton::clicked, this, [this, file] { emit openFile(file); });
        auto* rule = new QFrame(recent_);
        rule->setFrameShape(QFrame::HLine);
        rule->setFrameShadow(QFrame::Plain);
        rule->setForegroundRole(QPalette::Mid);
        recentRows_->addWidget(rule);
        recentRows_->addWidget(link);
    }
}

void StartPage::setWorkspace(const QString& name, int scenarios) {
    workspace_->setVisible(!name.isEmpty());
    workspace_->setText(tr("Library of %1").arg(name));
    workspace_->setAccessibleName(workspace_->text());
    workspace_->setNote(counted(scenarios, tr("scenario"), tr("scenarios")));
}

void StartPage::planRun(const std::optional<Architecture>& own) { guide(PlanKind::trainingRun, own); }
void StartPage::planService() { guide(PlanKind::service, std::nullopt); }

void StartPage::guide(PlanKind kind, const std::optional<Architecture>& own) {
    auto* dialog = new PlanDialog(*document_, kind, own, window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &PlanDialog::planned, this, &StartPage::openSpec);
    dialog->open();
}

void StartPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (!estimated_)
        estimateSamples();
}

void StartPage::estimateSamples() {
    estimated_ = true;
    estimatedWith_->setText(
        tr("estimated just now with catalog %1").arg(text(document_->catalog()->version)));
    std::vector<ScenarioSpec> specs;
    for (const Sample& sample : samples())
        specs.push_back(sample.spec);
    batch_->run(std::move(specs), document_->catalog());
}

void StartPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrangeCards();
}

void StartPage::arrangeCards() {
    const int room = width() - theme().px(sideWidth) - 2 * theme().px(44);
    const int columns = std::clamp(room / theme().px(cardColumn), 1, 4);
    if (columns == columns_)
        return;
    columns_ = columns;
    for (int i = 0; i < cards_.size(); ++i)
        grid_->addWidget(cards_[i], i / columns, i % columns);
    for (int i = 0; i < grid_->columnCount(); ++i)
        grid_->setColumnStretch(i, i < columns ? 1 : 0);
}

} // namespace alidade::views
