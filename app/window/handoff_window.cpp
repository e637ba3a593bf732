// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/handoff_window.h"

#include "app/window/handoff_highlighter.h"
#include "app/window/line_difference.h"
#include "app/window/settings.h"
#include "data/file/write_file.h"
#include "data/handoff/tools.h"
#include "model/engine/engine.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/theme/theme_controller.h"

#include <QAbstractItemView>
#include <QClipboard>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTextBlock>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <utility>

namespace alidade::app {

using data::handoff::Tools;
using views::Role;
using views::text;
using views::theme;

namespace {

struct Answer {
    data::Handoff handoff;
    QString error;
};

Answer write(const ScenarioSpec& spec, const Catalog& catalog, const Estimate& estimate,
             const data::handoff::Tools& tools, const std::vector<std::string>& targets,
             const std::string& program) {
    const auto resolved = resolve(spec, catalog, catalog.profileOrDefault(spec.calibration));
    if (!resolved)
        return {{}, text(resolved.error())};
    auto handoff = data::handOff({.written = spec,
                                  .estimate = estimate,
                                  .scenario = *resolved,
                                  .catalog = catalog,
                                  .program = program,
                                  .tools = &tools},
                                 targets);
    return handoff ? Answer{*std::move(handoff), {}} : Answer{{}, text(handoff.error())};
}

} // namespace

HandoffWindow::HandoffWindow(views::Document& document, Settings& settings, std::string userCatalog,
                             QWidget* parent)
    : QDialog(parent)
    , document_(document)
    , settings_(settings)
    , userCatalog_(std::move(userCatalog))
    , tools_(std::make_shared<const Tools>(Tools::shipped()))
    , tool_(new QComboBox(this))
    , versionLabel_(new QLabel(tr("&version"), this))
    , version_(new QComboBox(this))
    , cluster_(new QComboBox(this))
    , files_(new QListWidget(this))
    , preview_(new QPlainTextEdit(this))
    , note_(new QLabel(this))
    , copy_(new QPushButton(tr("&Copy File"), this))
    , save_(new QPushButton(tr("&Save Folder…"), this)) {
    setObjectName(QStringLiteral("handoff"));
    setWindowTitle(tr("Hand off"));
    resize(theme().px(980), theme().px(680));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(theme().px(16), theme().px(14), theme().px(16), theme().px(12));
    column->setSpacing(theme().px(10));
    auto* row = new QHBoxLayout;
    row->setSpacing(theme().px(8));
    const auto add = [&](QLabel* label, QComboBox* box, const char* name) {
        label->setBuddy(box);
        box->setObjectName(QString::fromLatin1(name));
        box->setAccessibleName(label->text());
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(12);
        row->addWidget(label);
        row->addWidget(box, 1);
    };
    add(new QLabel(tr("&Run with"), this), tool_, "handoffTool");
    add(versionLabel_, version_, "handoffVersion");
    add(new QLabel(tr("&on"), this), cluster_, "handoffCluster");
    column->addLayout(row);
    auto* parts = new QSplitter(Qt::Horizontal, this);
    files_->setObjectName(QStringLiteral("handoffFiles"));
    files_->setAccessibleName(tr("Files"));
    preview_->setObjectName(QStringLiteral("handoffPreview"));
    preview_->setAccessibleName(tr("Preview"));
    preview_->setReadOnly(true);
    preview_->setLineWrapMode(QPlainTextEdit::NoWrap);
    preview_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    auto* highlighter = new HandoffHighlighter(preview_->document());
    connect(&views::ThemeController::instance(), &views::ThemeController::changed, this, [this, highlighter] {
        highlighter->rehighlight();
        showFile(files_->currentRow());
    });
    parts->addWidget(files_);
    parts->addWidget(preview_);
    parts->setStretchFactor(1, 1);
    parts->setSizes({theme().px(190), theme().px(760)});
    column->addWidget(parts, 1);
    note_->setWordWrap(true);
    note_->setTextFormat(Qt::PlainText);
    note_->setObjectName(QStringLiteral("handoffNote"));
    column->addWidget(note_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(copy_, QDialogButtonBox::ActionRole);
    buttons->addButton(save_, QDialogButtonBox::ActionRole);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(copy_, &QPushButton::clicked, this, &HandoffWindow::copy);
    connect(save_, &QPushButton::clicked, this, &HandoffWindow::askFolder);
    connect(tool_, &QComboBox::currentIndexChanged, this, [this] {
        fillVersions();
        refresh();
    });
    connect(version_, &QComboBox::currentIndexChanged, this, [this] {
        rememberVersion();
        refresh();
    });
    connect(cluster_, &QComboBox::currentIndexChanged, this, &HandoffWindow::refresh);
    connect(files_, &QListWidget::currentRowChanged, this, &HandoffWindow::showFile);
    connect(&document_, &views::Document::estimateChanged, this, [this] {
        if (isVisible())
            refresh();
    });
}

void HandoffWindow::open() {
    fillTargets();
    readTools();
    refresh();
    show();
    raise();
    activateWindow();
}

/// Each time anew: a person may have added a version.
void HandoffWindow::readTools() {
    if (userCatalog_.empty())
        return;
    struct Read {
        std::shared_ptr<const Tools> tools;
        QString fault;
    };
    views::runFor(
        this, views::Work::waiting,
        [folder = userCatalog_] {
            std::vector<std::string> faults;
            auto tools = std::make_shared<const Tools>(data::handoff::toolsOf(folder, faults));
            return Read{tools, faults.empty() ? QString() : text(faults.front())};
        },
        [this](const Read& read) {
            tools_ = read.tools;
            toolsFault_ = read.fault;
            const QSignalBlocker blocker(tool_);
            tool_->setProperty("choices", QStringList()); // their versions may have changed
            fillTargets();
            fillVersions();
            refresh();
        });
}

/// Where there are several versions they have their own list.
QString HandoffWindow::toolText(const data::TargetInfo& target) const {
    return text(target.name + (target.version.empty() || tools_->versions(target.id).size() > 1
                                   ? ""
                                   : " " + target.version));
}

void HandoffWindow::fillVersions() {
    const QString tool = tool_->currentData().toString();
    const QSignalBlocker blocker(version_);
    version_->clear();
    for (const std::string& each : tools_->versions(tool.toStdString()))
        version_->addItem(text(each));
    for (const QString& each : settings_.handoffVersions)
        if (each.section(QLatin1Char('@'), 0, 0) == tool)
            version_->setCurrentIndex(std::max(0, version_->findText(each.section(QLatin1Char('@'), 1))));
    version_->setVisible(version_->count() > 1);
    versionLabel_->setVisible(version_->count() > 1);
}

/// The usual version is not remembered: it is another one when the program is renewed.
void HandoffWindow::rememberVersion() {
    const QString tool = tool_->currentData().toString() + QLatin1Char('@');
    settings_.handoffVersions.removeIf([&](const QString& each) { return each.startsWith(tool); });
    if (version_->currentIndex() > 0)
        settings_.handoffVersions.append(tool + version_->currentText());
    settings_.save();
}

/// Those that can hold the plan come first; the others are grayed, with the reason.
void HandoffWindow::fillTargets() {
    const ScenarioSpec& spec = document_.shownSpec();
    const auto isOf = [](const data::TargetChoice& each, bool cluster) {
        return (each.target->kind == data::TargetKind::cluster) == cluster;
    };
    const std::vector<data::TargetChoice> tools = data::handoffChoices(spec);
    std::vector<data::TargetChoice> list;
    std::ranges::copy_if(tools, std::back_inserter(list),
                         [&](const auto& each) { return isOf(each, false); });
    if (fill(*tool_, list, text(data::toolOf(spec))))
        fillVersions();
    list.assign(1, data::TargetChoice());
    std::ranges::copy_if(data::handoffChoices(spec, tool_->currentData().toString().toStdString()),
                         std::back_inserter(list), [&](const auto& each) { return isOf(each, true); });
    fill(*cluster_, list, QStringLiteral("slurm"));
}

/// \param usual what is chosen where the present choice cannot hold the plan
/// \returns whether the list has changed; the choice stays where it can
bool HandoffWindow::fill(QComboBox& box, const std::vector<data::TargetChoice>& choices,
                         const QString& usual) {
    const auto idOf = [](const data::TargetChoice& each) {
        return each.target == nullptr ? QString() : text(each.target->id);
    };
    QStringList shown;
    for (const data::TargetChoice& each : choices)
        shown.append(idOf(each) + u' ' + text(each.why));
    if (box.property("choices").toStringList() == shown)
        return false;
    const bool first = box.count() == 0;
    const QString before = box.currentData().toString();
    const QSignalBlocker blocker(box);
    box.setProperty("choices", shown);
    box.clear();
    const auto* model = qobject_cast<QStandardItemModel*>(box.model());
    int chosen = -1, fallback = 0;
    for (const data::TargetChoice& each : choices) {
        const int row = box.count();
        QString name = each.target == nullptr ? tr("a shell") : toolText(*each.target);
        if (!each.why.empty())
            name = tr("%1: %2").arg(name, text(each.why));
        box.addItem(name, idOf(each));
        if (!each.why.empty()) {
            model->item(row)->setEnabled(false);
            model->item(row)->setToolTip(name);
            continue;
        }
        if (!first && idOf(each) == before)
            chosen = row;
        if (idOf(each) == usual)
            fallback = row;
    }
    box.setCurrentIndex(chosen >= 0 ? chosen : fallback);
    // The list is as wide as its reasons; the box is not.
    box.view()->setMinimumWidth(box.view()->sizeHintForColumn(0) + theme().px(24));
    return true;
}

void HandoffWindow::refresh() {
    fillTargets();
    const auto estimate = document_.estimate();
    std::vector<std::string> targets{tool_->currentData().toString().toStdString()};
    const data::TargetInfo* tool = data::handoffTarget(targets.front());
    const bool alone = tool != nullptr && tool->kind == data::TargetKind::observation;
    cluster_->setEnabled(!alone);
    if (version_->currentIndex() > 0)
        targets.front() += "@" + version_->currentText().toStdString();
    if (const QString cluster = cluster_->currentData().toString(); !cluster.isEmpty() && !alone)
        targets.push_back(cluster.toStdString());
    const QString wanted = text(targets.front()) + u' ' + cluster_->currentText();
    if (wanted != targets_) {
        before_.clear(); // of other targets nothing is a change
        handoff_ = {};
    }
    targets_ = wanted;
    const int generation = ++generation_; // also without an estimate: files on their way are out of date
    if (estimate == nullptr) {
        take({}, document_.error());
        return;
    }
    const std::string program = "Alidade " + QCoreApplication::applicationVersion().toStdString();
    views::runFor(
        this, views::Work::computing,
        [spec = document_.shownSpec(), catalog = document_.catalog(), estimate, tools = tools_, targets,
         program] { return write(spec, *catalog, *estimate, *tools, targets, program); },
        [this, generation](const Answer& answer) {
            if (generation == generation_)
                take(answer.handoff, answer.error);
        });
}

void HandoffWindow::take(const data::Handoff& handoff, const QString& error) {
    // The same files again, as after an edit of what they do not say, keep their marks.
    const auto isSame = [](const data::HandoffFile& a, const data::HandoffFile& b) {
        return a.name == b.name && a.text == b.text;
    };
    if (!std::ranges::equal(handoff_.files, handoff.files, isSame)) {
        const bool first = handoff_.files.empty() && before_.empty();
        for (const data::HandoffFile& file : handoff_.files)
            before_[file.name] = text(file.text);
        if (!first && !handoff.files.empty())
            for (const data::HandoffFile& file : handoff.files)
                before_.try_emplace(file.name); // a file that the plan did not have is new throughout
    }
    handoff_ = handoff;
    const QString present = files_->currentItem() != nullptr ? files_->currentItem()->text() : QString();
    {
        const QSignalBlocker blocker(files_);
        files_->clear();
        for (const data::HandoffFile& file : handoff_.files) {
            auto* item = new QListWidgetItem(text(file.name), files_);
            const auto before = before_.find(file.name);
            if (before == before_.end() || before->second == text(file.text))
                continue;
            QFont font = item->font();
            font.setBold(true);
            item->setFont(font);
            item->setToolTip(tr("Changed by the last change of the plan"));
            item->setData(Qt::AccessibleDescriptionRole, item->toolTip());
        }
        const QList<QListWidgetItem*> same = files_->findItems(present, Qt::MatchExactly);
        files_->setCurrentRow(same.isEmpty() || present.isEmpty() ? (handoff_.files.empty() ? -1 : 0)
                                                                  : files_->row(same.front()));
    }
    QStringList notes;
    if (!error.isEmpty())
        notes.append(error);
    if (!toolsFault_.isEmpty())
        notes.append(tr("The versions in your catalog are left out: %1").arg(toolsFault_));
    for (const data::LeftOut& each : handoff_.leftOut)
        notes.append(
            tr("Not expressed: %1 = %2 (%3)").arg(text(each.path), text(each.value), text(each.why)));
    for (const std::string& each : handoff_.warnings)
        notes.append(text(each));
    constexpr qsizetype mostNotes = 6;
    const qsizetype more = notes.size() - mostNotes;
    notes = notes.mid(0, mostNotes);
    if (more > 0)
        notes.append(tr("and %1 more in README.md").arg(more));
    note_->setText(notes.join(QLatin1Char('\n')));
    copy_->setEnabled(!handoff_.files.empty());
    save_->setEnabled(!handoff_.files.empty());
    showFile(files_->currentRow());
}

void HandoffWindow::showFile(int row) {
    if (row < 0 || row >= static_cast<int>(handoff_.files.size())) {
        preview_->clear();
        return;
    }
    const data::HandoffFile& file = handoff_.files[static_cast<std::size_t>(row)];
    // A person who watches a line while the plan changes keeps it in view.
    const bool stays = text(file.name) == shown_;
    shown_ = text(file.name);
    const QScrollBar* bars[] = {preview_->verticalScrollBar(), preview_->horizontalScrollBar()};
    const int places[] = {stays ? bars[0]->value() : 0, stays ? bars[1]->value() : 0};
    preview_->setPlainText(text(file.text));
    markChanges(file);
    preview_->verticalScrollBar()->setValue(places[0]);
    preview_->horizontalScrollBar()->setValue(places[1]);
}

/// Lines that were not in the text before the last change of the plan, and where lines of that are gone.
void HandoffWindow::markChanges(const data::HandoffFile& file) {
    QList<QTextEdit::ExtraSelection> marks;
    if (const auto before = before_.find(file.name); before != before_.end()) {
        const auto linesOf = [](const QString& all) {
            return all.isEmpty() ? QStringList() : all.split(QLatin1Char('\n'));
        };
        const LineDifference changes = differenceOf(linesOf(before->second), linesOf(text(file.text)));
        const auto mark = [&](int line) {
            QTextEdit::ExtraSelection out;
            out.cursor = QTextCursor(preview_->document()->findBlockByNumber(std::max(0, line)));
            return out;
        };
        for (const int line : changes.added) {
            marks.append(mark(line));
            marks.back().format.setBackground(theme().color(Role::okBg));
            marks.back().format.setProperty(QTextFormat::FullWidthSelection, true);
        }
        for (const int line : changes.removedBelow) {
            marks.append(mark(line));
            marks.back().cursor.select(QTextCursor::LineUnderCursor);
            marks.back().format.setUnderlineStyle(QTextCharFormat::DashUnderline);
            marks.back().format.setUnderlineColor(theme().color(Role::err));
            marks.back().format.setToolTip(tr("Lines were removed here"));
        }
    }
    preview_->setExtraSelections(marks);
}

void HandoffWindow::copy() { QGuiApplication::clipboard()->setText(preview_->toPlainText()); }

void HandoffWindow::askFolder() {
    auto* dialog = new QFileDialog(this, tr("Write the files to a folder"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, &HandoffWindow::save);
    dialog->open();
}

void HandoffWindow::save(const QString& folder) {
    views::runFor(
        this, views::Work::waiting,
        [folder, handoff = handoff_, pending = views::PendingWrite()]() -> QString {
            for (const data::HandoffFile& file : handoff.files) {
                const QString name = QDir(folder).filePath(text(file.name));
                if (const std::string fault = data::writeFile(name.toStdString(), file.text); !fault.empty())
                    return name + QStringLiteral(": ") + text(fault);
                QFile written(name);
                if (file.executable)
                    written.setPermissions(written.permissions() | QFileDevice::ExeOwner |
                                           QFileDevice::ExeUser | QFileDevice::ExeGroup |
                                           QFileDevice::ExeOther);
            }
            return QString();
        },
        [this, folder](const QString& reason) { emit saved(folder, reason); });
}

} // namespace alidade::app
