// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/report_dialog.h"

#include "app/window/report_content.h"
#include "data/report/price_validity.h"
#include "data/scenario/scenario_json.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/report/logo.h"
#include "views/report/render.h"
#include "views/report/report_preview.h"
#include "views/theme/theme_controller.h"

#include <QComboBox>
#include <QDate>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace alidade::app {

using views::text;
using views::theme;

namespace {

constexpr int pauseMs = 250; ///< of typing, before the pages are laid out again

QLineEdit* lineEdit(const char* name, const QString& value) {
    auto* edit = new QLineEdit(value);
    edit->setObjectName(QString::fromLatin1(name));
    edit->setMaxLength(200);
    return edit;
}

QListWidget* checkList(const char* name, const QString& words) {
    auto* list = new QListWidget;
    list->setObjectName(QString::fromLatin1(name));
    list->setAccessibleName(words);
    return list;
}

void addCheck(QListWidget* list, const QString& words, bool on, const QString& data = {}) {
    auto* item = new QListWidgetItem(words, list);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    item->setData(Qt::UserRole, data);
}

void fitRows(QListWidget* list) {
    const int rows = std::max(1, list->count());
    list->setFixedHeight(rows * list->sizeHintForRow(0) + 2 * list->frameWidth() + 2);
}

} // namespace

ReportDialog::ReportDialog(ReportSource source, std::vector<ReportScenario> scenarios,
                           const ReportOptions& options, ReportChoices choices, QWidget* parent)
    : QDialog(parent)
    , source_(std::move(source))
    , scenarios_(std::move(scenarios))
    , choices_(std::move(choices))
    , preview_(new views::ReportPreview(this))
    , later_(new QTimer(this)) {
    setObjectName(QStringLiteral("reportDialog"));
    setWindowTitle(tr("Export report"));
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(theme().px(16), theme().px(14), theme().px(16), theme().px(12));
    rows->setSpacing(theme().px(10));
    auto* columns = new QHBoxLayout;
    columns->setSpacing(theme().px(16));
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(makeForm(options));
    scroll->setFixedWidth(theme().px(330));
    columns->addWidget(scroll);
    columns->addWidget(preview_, 1);
    rows->addLayout(columns, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    export_ = buttons->addButton(tr("&Export…"), QDialogButtonBox::AcceptRole);
    export_->setObjectName(QStringLiteral("exportReport"));
    rows->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        accept();
        emit exportRequested();
    });
    later_->setSingleShot(true);
    later_->setInterval(pauseMs);
    connect(later_, &QTimer::timeout, this, &ReportDialog::renewPreview);
    const QSize room = screen()->availableSize() - QSize(theme().px(40), theme().px(60));
    resize(QSize(theme().px(1080), theme().px(720)).boundedTo(room));
    if (!options.logo.isEmpty())
        readLogo();
    renewButtons();
    renewContent();
}

ReportDialog::~ReportDialog() = default;

QWidget* ReportDialog::makeForm(const ReportOptions& options) {
    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(0, 0, 0, 0);
    auto* layout = new QFormLayout;
    column->addLayout(layout);
    column->addStretch(1);
    layout->setRowWrapPolicy(QFormLayout::WrapLongRows);
    layout->setContentsMargins(0, 0, theme().px(8), 0);
    format_ = new QComboBox;
    format_->setObjectName(QStringLiteral("reportFormat"));
    paper_ = new QComboBox;
    paper_->setObjectName(QStringLiteral("reportPaper"));
    locale_ = new QComboBox;
    locale_->setObjectName(QStringLiteral("reportLocale"));
    title_ = lineEdit("reportTitle", options.title);
    title_->setPlaceholderText(tr("The scenario's name"));
    organization_ = lineEdit("reportOrganisation", options.organization);
    author_ = lineEdit("reportAuthor", options.author);
    confidentiality_ = lineEdit("reportConfidentiality", options.confidentiality);
    confidentiality_->setPlaceholderText(tr("Such as: Confidential"));
    validUntil_ = lineEdit("reportValidUntil", options.validUntil);
    validUntil_->setPlaceholderText(tr("YYYY-MM-DD; empty: by the price"));
    logoFile_ = lineEdit("reportLogo", options.logo);
    logoFile_->setMaxLength(4096);
    logoFile_->setPlaceholderText(tr("PNG or SVG"));
    auto* browse = new QPushButton(tr("&Browse…"));
    fault_ = new QLabel;
    fault_->setObjectName(QStringLiteral("reportFault"));
    fault_->setWordWrap(true);
    fault_->setTextFormat(Qt::PlainText);
    auto* logo = new QHBoxLayout;
    logo->addWidget(logoFile_, 1);
    logo->addWidget(browse);
    sections_ = checkList("reportSections", tr("Sections"));
    list_ = checkList("reportScenarios", tr("Scenarios"));
    const auto add = [layout](const QString& words, QWidget* field) {
        layout->addRow(words, field);
        field->setAccessibleName(QString(words).remove(QLatin1Char('&')));
    };
    add(tr("&Format"), format_);
    add(tr("&Paper"), paper_);
    add(tr("&Numbers"), locale_);
    add(tr("&Title"), title_);
    add(tr("&Organization"), organization_);
    add(tr("&Author"), author_);
    add(tr("&Confidentiality"), confidentiality_);
    add(tr("Prices &valid until"), validUntil_);
    auto* logoLabel = new QLabel(tr("&Logo"));
    logoLabel->setBuddy(logoFile_);
    logoFile_->setAccessibleName(tr("Logo"));
    layout->addRow(logoLabel, logo);
    layout->addRow(fault_);
    for (const auto& [words, list] :
         {std::pair(tr("&Sections"), sections_), std::pair(tr("Sc&enarios"), list_)}) {
        auto* label = new QLabel(words);
        label->setBuddy(list);
        label->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed); // the room left is below the form
        layout->addRow(label);
        layout->addRow(list);
    }
    add_ = new QPushButton(tr("A&dd Scenario"));
    add_->setObjectName(QStringLiteral("addReportScenario"));
    add_->setAutoDefault(false);
    add_->setToolTip(tr("Compares it with the others in the report"));
    add_->setMenu(new QMenu(add_));
    add_->setVisible(choices_ != nullptr);
    layout->addRow(add_);
    connect(add_->menu(), &QMenu::aboutToShow, this, &ReportDialog::fillAddMenu);
    addChoices(options);

    connect(browse, &QPushButton::clicked, this, &ReportDialog::askLogo);
    connect(logoFile_, &QLineEdit::editingFinished, this, &ReportDialog::readLogo);
    for (QLineEdit* edit : {title_, organization_, author_, confidentiality_})
        connect(edit, &QLineEdit::textChanged, later_, qOverload<>(&QTimer::start));
    connect(validUntil_, &QLineEdit::textChanged, this, [this] {
        renewButtons();
        later_->start();
    });
    for (QComboBox* choice : {paper_, locale_})
        connect(choice, &QComboBox::currentIndexChanged, later_, qOverload<>(&QTimer::start));
    connect(format_, &QComboBox::currentIndexChanged, this, [this] {
        renewButtons();
        later_->start();
    });
    connect(sections_, &QListWidget::itemChanged, this, [this] {
        renewButtons();
        later_->start();
    });
    connect(list_, &QListWidget::itemChanged, this, [this] {
        renewButtons();
        renewContent();
    });
    return form;
}

void ReportDialog::addChoices(const ReportOptions& options) {
    for (const char* suffix : {"pdf", "html", "xlsx", "csv", "json"}) {
        const QString name = QString::fromLatin1(suffix);
        format_->addItem(name.toUpper(), name);
    }
    format_->setCurrentIndex(std::max(0, format_->findData(options.suffix)));
    paper_->addItem(tr("A4"), QStringLiteral("a4"));
    paper_->addItem(tr("Letter"), QStringLiteral("letter"));
    paper_->setCurrentIndex(std::max(0, paper_->findData(options.paper)));
    locale_->addItem(tr("1,234.5 and 2027-01-04"), QStringLiteral("en"));
    locale_->addItem(tr("1.234,5 and 4.1.2027"), QStringLiteral("de"));
    locale_->setCurrentIndex(std::max(0, locale_->findData(options.locale)));
    for (const data::SectionGroup& group : data::sectionGroups()) {
        const QString name = text(std::string(group.name));
        addCheck(sections_, text(std::string(group.title)),
                 options.sections.isEmpty() || options.sections.contains(name), name);
    }
    for (const ReportScenario& each : scenarios_)
        addCheck(list_, each.name, each.chosen);
    fitRows(sections_);
    fitRows(list_);
    list_->setEnabled(scenarios_.size() > 1);
}

ReportOptions ReportDialog::options() const {
    ReportOptions out{.suffix = format_->currentData().toString(),
                      .paper = paper_->currentData().toString(),
                      .locale = locale_->currentData().toString(),
                      .title = title_->text(),
                      .organization = organization_->text(),
                      .author = author_->text(),
                      .confidentiality = confidentiality_->text(),
                      .validUntil = validUntil_->text().trimmed(),
                      .logo = logoFile_->text(),
                      .sections = {}};
    for (int i = 0; i < sections_->count(); ++i)
        if (sections_->item(i)->checkState() == Qt::Checked)
            out.sections << sections_->item(i)->data(Qt::UserRole).toString();
    if (out.sections.size() == sections_->count())
        out.sections.clear(); // all, and those that a later version adds
    return out;
}

ReportSource ReportDialog::source() const {
    ReportSource out = source_;
    std::vector<ScenarioSpec> specs;
    for (int i = 0; i < list_->count(); ++i)
        if (list_->item(i)->checkState() == Qt::Checked)
            specs.push_back(scenarios_[static_cast<std::size_t>(i)].spec);
    out.spec = specs.front();
    out.others.assign(specs.begin() + 1, specs.end());
    return out;
}

int ReportDialog::chosenScenarios() const {
    int chosen = 0;
    for (int i = 0; i < list_->count(); ++i)
        chosen += list_->item(i)->checkState() == Qt::Checked ? 1 : 0;
    return chosen;
}

void ReportDialog::fillAddMenu() {
    QMenu* menu = add_->menu();
    menu->clear();
    QMenu* group = menu;
    QString named;
    for (const ReportChoice& each : choices_()) {
        if (each.group != named) {
            named = each.group;
            group = menu->addMenu(named);
        }
        group->addAction(QString(each.name).replace(QLatin1Char('&'), QLatin1String("&&")), this,
                         [this, each] { addScenario(each); });
    }
    if (menu->isEmpty())
        menu->addAction(tr("There are no others"))->setEnabled(false);
}

/// It is chosen at once; one that is in the list already is not listed twice.
void ReportDialog::addScenario(const ReportChoice& choice) {
    const Result<ScenarioSpec> spec = choice.spec();
    if (!spec) {
        fault_->setText(tr("%1: %2").arg(choice.name, text(spec.error())));
        fault_->show();
        return;
    }
    const std::string written = data::writeScenario(*spec);
    for (int i = 0; i < list_->count(); ++i)
        if (const ReportScenario& there = scenarios_[static_cast<std::size_t>(i)];
            there.name == choice.name && data::writeScenario(there.spec) == written)
            return list_->item(i)->setCheckState(Qt::Checked);
    scenarios_.push_back({choice.name, *spec, true});
    {
        const QSignalBlocker quiet(list_); // what follows is said once
        addCheck(list_, choice.name, true);
        list_->setEnabled(true);
        fitRows(list_);
    }
    list_->setCurrentRow(list_->count() - 1);
    renewButtons();
    renewContent();
}

void ReportDialog::askLogo() {
    auto* dialog =
        new QFileDialog(this, tr("Choose a logo"), logoFile_->text(), tr("Pictures (*.png *.svg)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        logoFile_->setText(file);
        readLogo();
    });
    dialog->open();
}

/// The disk that it lies on may take its time.
void ReportDialog::readLogo() {
    const int generation = ++logos_;
    const QString file = logoFile_->text();
    const auto take = [this](const data::Logo& logo, const QString& fault) {
        logo_ = logo;
        logoIsBad_ = !fault.isEmpty();
        fault_->setText(fault);
        fault_->setVisible(!fault.isEmpty());
        renewButtons();
        later_->start();
    };
    if (file.isEmpty()) {
        take({}, {});
        return;
    }
    views::runFor(
        this, views::Work::waiting, [file] { return views::readLogo(file); },
        [this, generation, take](const Result<data::Logo>& logo) {
            if (generation != logos_)
                return;
            take(logo ? *logo : data::Logo{}, logo ? QString() : tr("Logo: %1").arg(text(logo.error())));
        });
}

void ReportDialog::renewContent() {
    if (const int chosen = chosenScenarios(); chosen == 0 || chosen > mostScenarios)
        return;
    preview_->wait();
    if (estimating_) { // one at a time: of many clicks only the last choice is estimated after this
        estimateAgain_ = true;
        return;
    }
    estimating_ = true;
    views::runFor(
        this, views::Work::computing, [source = source()] { return ReportContent::of(source); },
        [this](const std::shared_ptr<const ReportContent>& content) {
            estimating_ = false;
            if (std::exchange(estimateAgain_, false))
                return renewContent();
            content_ = content;
            renewPreview();
        });
}

void ReportDialog::renewPreview() {
    if (!content_)
        return;
    const ReportOptions now = options();
    const auto paper = views::paperNamed(now.paper).value_or(views::Paper::a4);
    preview_->show(
        [content = content_, now, logo = logo_,
         date = QDate::currentDate().toString(Qt::ISODate).toStdString()] {
            return content->report(now, logo, date);
        },
        paper, now.suffix);
}

void ReportDialog::renewButtons() {
    const QString format = format_->currentData().toString();
    const bool printed = format == QLatin1String("pdf") || format == QLatin1String("html");
    paper_->setEnabled(printed);
    locale_->setEnabled(printed); // files for programs have one form of numbers
    bool any = false;
    for (int i = 0; i < sections_->count(); ++i)
        any = any || sections_->item(i)->checkState() == Qt::Checked;
    const int scenarios = chosenScenarios();
    const bool scenario = scenarios > 0 && scenarios <= mostScenarios;
    const QString day = dayFault();
    if (export_ != nullptr)
        export_->setEnabled(any && scenario && day.isEmpty() && !logoIsBad_);
    if (logoIsBad_)
        return;
    fault_->setVisible(!any || !scenario || !day.isEmpty());
    fault_->setText(!any ? tr("Choose at least one section.")
                    : !scenario
                        ? (scenarios == 0 ? tr("Choose at least one scenario.")
                                          : tr("A report compares at most %1 scenarios.").arg(mostScenarios))
                        : day);
}

QString ReportDialog::dayFault() const {
    const std::string day = validUntil_->text().trimmed().toStdString();
    const auto read = data::validUntilDay(day, QDate::currentDate().toString(Qt::ISODate).toStdString());
    return day.empty() || read ? QString() : tr("Prices valid until: %1").arg(text(read.error()));
}

} // namespace alidade::app
