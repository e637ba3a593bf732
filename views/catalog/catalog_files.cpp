// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/catalog_files.h"

#include "data/catalog/catalog_keys.h"
#include "data/catalog/user_catalog_json.h"
#include "data/file/write_file.h"
#include "data/json/file.h"
#include "model/catalog/catalog.h"
#include "views/catalog/catalog_sheet.h"
#include "views/document/text.h"
#include "views/document/workers.h"
#include "views/kit/text_label.h"
#include "views/theme/kit_style.h"
#include "views/theme/theme_controller.h"

#include <QDateTime>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace alidade::views {

namespace {

constexpr std::size_t largestCatalogFile = 16u << 20;

/// Where something worked: no reason.
struct FileAnswer {
    std::optional<data::UserCatalog> user;
    QString reason;
};

FileAnswer readUserCatalog(const std::shared_ptr<const Catalog>& shipped, const QString& fileName) {
    const Result<std::string> content = data::readFile(fileName.toStdString(), largestCatalogFile);
    if (!content)
        return {{}, fileName + QStringLiteral(": ") + text(content.error())};
    const std::string name = QFileInfo(fileName).fileName().toStdString();
    const data::Signature from{.who = name,
                               .when = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString(),
                               .note = {},
                               .source = {}};
    auto user = data::userCatalogFromJson(*shipped, *content, name, from);
    if (!user)
        return {{}, text(user.error()).section(QLatin1Char('\n'), 0, 0)};
    return {*std::move(user), {}};
}

FileAnswer writeUserCatalog(const data::UserCatalog& user, const std::string& version,
                            const QString& fileName) {
    const QByteArray content = QByteArray::fromStdString(data::userCatalogToJson(user, version));
    const QString fault = data::writeFile(fileName, content);
    return {{}, fault.isEmpty() ? fault : fileName + QStringLiteral(": ") + fault};
}

QString importedValue(const data::ImportStep& step, const std::string& value) {
    if (value.empty())
        return QStringLiteral("–");
    if (step.key.empty())
        return ImportDialog::tr("an entry");
    const data::CatalogKey* key = data::catalogKey(step.kind, step.key);
    const QString shown = shownCell(data::shownValue(step.kind, step.key, value), data::numberOf(value));
    return key == nullptr || key->unit.empty() ? shown : shown + QLatin1Char(' ') + text(key->unit);
}

} // namespace

CatalogFiles::CatalogFiles(CatalogEditor* editor, QWidget* window)
    : QObject(window)
    , editor_(editor)
    , window_(window) {}

void CatalogFiles::askImport() {
    auto* dialog =
        new QFileDialog(window_, tr("Import a catalog"), {}, tr("Catalogs (*.json);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &CatalogFiles::importFile);
    dialog->open();
}

void CatalogFiles::askExport() {
    auto* dialog = new QFileDialog(window_, tr("Export your catalog"), {}, tr("Catalogs (*.json)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("json"));
    dialog->selectFile(QStringLiteral("my-catalog.json"));
    connect(dialog, &QFileDialog::fileSelected, this, &CatalogFiles::exportTo);
    dialog->open();
}

void CatalogFiles::importFile(const QString& fileName) {
    runFor(
        this, Work::waiting,
        [shipped = editor_->shipped(), fileName] { return readUserCatalog(shipped, fileName); },
        [this, fileName](const FileAnswer& answer) {
            if (answer.user)
                show(*answer.user, fileName);
            else
                emit said(tr("Nothing was imported. %1").arg(answer.reason));
        });
}

void CatalogFiles::show(const data::UserCatalog& imported, const QString& fileName) {
    const std::vector<data::ImportStep> steps =
        data::importSteps(editor_->shipped(), editor_->user(), imported);
    const QString name = QFileInfo(fileName).fileName();
    if (steps.empty()) {
        emit said(tr("%1 contains nothing new.").arg(name));
        return;
    }
    auto* dialog = new ImportDialog(steps, name, window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, imported, name, count = steps.size()] {
        const std::vector<std::size_t> leftOut = dialog->leftOut();
        const QString reason = editor_->append(data::withImported(editor_->user(), imported, leftOut),
                                               tr("import %1").arg(name));
        emit said(reason.isEmpty() ? tr("%1 of %2 changes imported from %3. Undo reverts them.")
                                         .arg(count - std::min(count, leftOut.size()))
                                         .arg(count)
                                         .arg(name)
                                   : reason);
    });
    dialog->open();
}

void CatalogFiles::exportTo(const QString& fileName) {
    runFor(
        this, Work::waiting,
        [user = editor_->user(), version = editor_->shipped()->version, fileName, pending = PendingWrite()] {
            return writeUserCatalog(user, version, fileName);
        },
        [this, fileName](const FileAnswer& answer) {
            const QString name = QFileInfo(fileName).fileName();
            emit said(answer.reason.isEmpty() ? tr("%1 written. On the command line: --catalog %1").arg(name)
                                              : tr("%1 was not written. %2").arg(name, answer.reason));
        });
}

ImportDialog::ImportDialog(const std::vector<data::ImportStep>& steps, const QString& fileName,
                           QWidget* parent)
    : QDialog(parent)
    , steps_(steps)
    , list_(new QTreeWidget) {
    setObjectName(QStringLiteral("importDialog"));
    setWindowTitle(tr("Import %1").arg(fileName));
    auto* column = new QVBoxLayout(this);
    const auto own = std::ranges::count_if(steps, &data::ImportStep::own);
    const auto useless = std::ranges::count_if(steps, [](const auto& step) { return !step.problem.empty(); });
    QString words = steps.size() == 1 ? tr("One value changes.") : tr("%1 values change.").arg(steps.size());
    if (own > 0)
        words += tr(" %1 replace yours.").arg(own);
    if (useless > 0)
        words += tr(" %1 would have no effect.").arg(useless);
    column->addWidget(new TextLabel(FontRole::body, Role::text, words));
    list_->setHeaderLabels({tr("Entry"), tr("Value"), tr("Now"), tr("Then"), tr("Remark")});
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setAccessibleName(tr("What would change"));
    for (const data::ImportStep& step : steps) {
        const data::CatalogKey* key = data::catalogKey(step.kind, step.key);
        const QString remark = !step.problem.empty() ? text(step.problem)
                               : step.own            ? tr("replaces yours")
                                                     : QString();
        auto* item = new QTreeWidgetItem(
            list_, {text(step.entry), key != nullptr ? text(key->label) : text(step.key),
                    importedValue(step, step.now), importedValue(step, step.then), remark});
        item->setCheckState(0, step.problem.empty() ? Qt::Checked : Qt::Unchecked);
    }
    for (int i = 0; i < list_->columnCount(); ++i)
        list_->resizeColumnToContents(i);
    column->addWidget(list_, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    auto* take = buttons->addButton(tr("Import"), QDialogButtonBox::AcceptRole);
    take->setObjectName(QStringLiteral("acceptImport"));
    take->setProperty(primaryProperty, true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    resize(theme().px(760), theme().px(420));
}

std::vector<std::size_t> ImportDialog::leftOut() const {
    std::vector<std::size_t> out;
    for (int i = 0; i < list_->topLevelItemCount(); ++i)
        if (list_->topLevelItem(i)->checkState(0) != Qt::Checked)
            out.push_back(steps_[static_cast<std::size_t>(i)].change);
    return out;
}

} // namespace alidade::views
