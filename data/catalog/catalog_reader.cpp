// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"

#include "data/catalog/catalog_builder.h"
#include "data/catalog/catalog_check.h"
#include "data/catalog/catalog_sheet.h"
#include "data/catalog/shipped.h"
#include "data/catalog/user_catalog.h"
#include "data/json/file.h"
#include "data/json/reader.h"

#include <QDir>
#include <QFileInfo>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <array>

namespace alidade::data {
namespace {

using Layer = CatalogBuilder::Layer;

void addShipped(CatalogBuilder& builder) {
    for (const std::string& file : shippedDocuments())
        builder.add(file, shippedDocument(file), Layer::shipped);
}

void addFile(CatalogBuilder& builder, const std::string& file, Layer layer) {
    if (const Result<std::string> text = readFile(file))
        builder.add(file, *text, layer);
    else
        builder.fault({file, {}, text.error()});
}

bool standsAlone(const std::string& fileOrDirectory) {
    const QDir directory(QString::fromStdString(fileOrDirectory));
    constexpr std::array needed = {CatalogKind::gpus, CatalogKind::instances, CatalogKind::ultraservers,
                                   CatalogKind::efa,  CatalogKind::prices,    CatalogKind::models};
    for (const CatalogKind kind : needed) {
        const std::string_view word = name(kind);
        if (!directory.exists(QString::fromUtf8(word.data(), static_cast<qsizetype>(word.size())) +
                              QStringLiteral(".json")))
            return false;
    }
    return true;
}

std::vector<CatalogProblem> problemsOf(const CatalogBuilder& builder, const AppliedCatalog& applied) {
    std::vector<CatalogProblem> out;
    const std::vector<std::string>& files = builder.filesOfChanges();
    for (const SetAside& aside : applied.setAside) {
        const auto first = std::find(files.begin(), files.end(), files[aside.change]);
        const std::size_t index = aside.change - static_cast<std::size_t>(first - files.begin());
        out.push_back({files[aside.change], below("/changes", index), aside.message});
    }
    return out;
}

/// Returns the whole user catalog, or nothing of it.
CatalogLoad finished(CatalogBuilder& builder, const std::shared_ptr<const Catalog>& shipped) {
    builder.checkReferences();
    if (!builder.problems().empty())
        return {shipped, builder.problems()};
    CatalogLoad load{std::make_shared<const Catalog>(builder.takeCatalog()), {}};
    const AppliedCatalog applied = applyChanges(load.catalog, builder.changes());
    load.catalog = applied.catalog;
    load.setAside = problemsOf(builder, applied);
    load.shipped = shipped;
    return load;
}

} // namespace

std::vector<std::string> catalogDocuments(const std::string& fileOrDirectory) {
    if (fileOrDirectory.empty())
        return {};
    const QString path = QString::fromStdString(fileOrDirectory);
    if (!QFileInfo(path).isDir())
        return {fileOrDirectory};
    std::vector<std::string> out;
    const QDir directory(path);
    for (const QString& file : directory.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name))
        out.push_back(directory.filePath(file).toStdString());
    return out;
}

std::string text(const CatalogProblem& problem) {
    return text(problem.file, {problem.pointer, problem.message});
}

CatalogLoad loadShippedCatalog() {
    CatalogBuilder builder;
    addShipped(builder);
    builder.checkReferences();
    std::vector<CatalogProblem> problems = builder.problems();
    return {std::make_shared<const Catalog>(builder.takeCatalog()), std::move(problems)};
}

CatalogLoad loadCatalog(const std::shared_ptr<const Catalog>& shipped, const std::string& fileOrDirectory) {
    CatalogBuilder builder(*shipped);
    for (const std::string& file : catalogDocuments(fileOrDirectory))
        addFile(builder, file, Layer::user);
    CatalogLoad load = finished(builder, shipped);
    load.userFile = fileOrDirectory;
    return load;
}

CatalogLoad loadCatalogText(const std::shared_ptr<const Catalog>& shipped, const std::string& fileName,
                            std::string_view document) {
    CatalogBuilder builder(*shipped);
    builder.add(fileName, document, Layer::user);
    return finished(builder, shipped);
}

std::vector<CatalogProblem> checkCatalog(const std::string& fileOrDirectory) {
    if (fileOrDirectory.empty()) {
        CatalogBuilder builder;
        addShipped(builder);
        checkContents(builder);
        return builder.problems();
    }
    const bool alone = standsAlone(fileOrDirectory);
    CatalogBuilder builder = alone ? CatalogBuilder() : CatalogBuilder(*loadShippedCatalog().catalog);
    const std::vector<std::string> documents = catalogDocuments(fileOrDirectory);
    if (documents.empty())
        builder.fault({fileOrDirectory, {}, "no JSON file in this directory; a catalog needs at least one"});
    for (const std::string& file : documents)
        addFile(builder, file, alone ? Layer::shipped : Layer::user);
    checkContents(builder);
    std::vector<CatalogProblem> problems = builder.problems();
    if (!alone && problems.empty() && !builder.changes().changes.empty()) {
        const UserCatalog& user = builder.changes();
        const AppliedCatalog applied = applyChanges(std::make_shared<const Catalog>(builder.catalog()), user);
        problems = problemsOf(builder, applied);
        for (EntryWarning& warning : catalogWarnings(applied, user))
            problems.push_back({std::string(name(warning.kind)) + ' ' + warning.entry,
                                warning.key.empty() ? std::string() : below({}, warning.key),
                                std::move(warning.message)});
    }
    return problems;
}

} // namespace alidade::data
