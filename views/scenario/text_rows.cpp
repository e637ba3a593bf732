// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/text_rows.h"

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/document/topology_words.h"
#include "views/kit/wheel_guard.h"
#include "views/scenario/choice_rows.h"
#include "views/scenario/kind_rows.h"
#include "views/scenario/number_rows.h"
#include "views/theme/kit_style.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>

#include <algorithm>
#include <set>

namespace alidade::views {

namespace {

constexpr std::string_view instancePath = "cluster.instance";
constexpr std::string_view ultraserverPath = "cluster.ultraserver";
constexpr std::string_view calibrationPath = "calibration";
constexpr std::string_view topologyPath = "cluster.topology";

bool isHardware(const Field& field) { return field.path == instancePath || field.path == ultraserverPath; }

void mark(QWidget* editor, bool refused) {
    if (editor->property(refusedProperty).toBool() == refused)
        return;
    editor->setProperty(refusedProperty, refused);
    editor->update();
}

/// UltraServers that hold at least as many GPUs as are in use now.
std::int64_t ultraserversFor(const Document& document, const QString& id) {
    const UltraServer* wanted = document.catalog()->ultraserver(id.toStdString());
    const auto estimate = document.estimate();
    if (wanted == nullptr || wanted->gpus <= 0 || !estimate)
        return 1;
    return std::max(1, (estimate->gpus + wanted->gpus - 1) / wanted->gpus);
}

std::int64_t instancesFor(const Document& document, const QString& id) {
    const Instance* wanted = document.catalog()->instance(id.toStdString());
    const auto estimate = document.estimate();
    if (wanted == nullptr || wanted->gpus <= 0 || !estimate)
        return 1;
    return std::max(1, (estimate->gpus + wanted->gpus - 1) / wanted->gpus);
}

} // namespace

TextRow::TextRow(const Field& field, Document& document, QWidget* parent)
    : FieldRow(field, document, parent)
    , editor_(new QLineEdit(this)) {
    connect(editor_, &QLineEdit::editingFinished, this, &TextRow::commit);
    connect(editor_, &QLineEdit::textEdited, this, [this] {
        mark(editor_, false);
        dropRefusal();
    });
    setEditor(editor_);
}

void TextRow::commit() {
    if (!editor_->isModified())
        return;
    editor_->setModified(false);
    const QString refusal = apply(editor_->text());
    mark(editor_, !refusal.isEmpty());
}

bool TextRow::isTyping() const { return editor_->isModified(); }
void TextRow::dropTyping() { editor_->setModified(false); }

void TextRow::showValue(const FieldValue& value, bool written) {
    const QString shown = text(fieldText(field(), value));
    mark(editor_, false);
    editor_->setPlaceholderText(shown.isEmpty() || written ? defaultText() : tr("%1, default").arg(shown));
    if (editor_->hasFocus() && editor_->isModified())
        return;
    const QString wanted = written ? shown : QString();
    if (editor_->text() == wanted)
        return; // what is selected stays selected
    editor_->setText(wanted);
    editor_->setCursorPosition(0);
}

IdRow::IdRow(const Field& field, Document& document, QWidget* parent)
    : FieldRow(field, document, parent)
    , combo_(new QComboBox(this)) {
    combo_->setEditable(true);
    combo_->setInsertPolicy(QComboBox::NoInsert);
    combo_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo_->setMinimumContentsLength(8);
    combo_->setMaxVisibleItems(18);
    WheelGuard::install(combo_);
    combo_->lineEdit()->setAccessibleName(text(field.label));
    QCompleter* completer = combo_->completer();
    completer->setCompletionMode(QCompleter::PopupCompletion);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    connect(combo_, &QComboBox::activated, this, [this](int index) {
        if (index >= 0 && index < entries_.size())
            choose(entries_[index]);
    });
    connect(combo_->lineEdit(), &QLineEdit::editingFinished, this, [this] {
        if (combo_->lineEdit()->isModified())
            choose(combo_->currentText().trimmed());
    });
    connect(combo_->lineEdit(), &QLineEdit::textEdited, this, [this] {
        mark(combo_, false);
        dropRefusal();
    });
    setEditor(combo_);
}

void IdRow::fill() {
    const Catalog& catalog = *document().catalog();
    const QString machineNow = field().path == "cluster.region" ? machine() : QString();
    if (filledFrom_ == &catalog && filledFor_ == machineNow)
        return;
    filledFrom_ = &catalog;
    filledFor_ = machineNow;
    entries_.clear();
    const auto add = [this](const auto& list, std::string_view path, auto name) {
        for (const auto& entry : list)
            entries_.append({text(name(entry)), text(entry.id), path});
    };
    const auto byName = [](const auto& entry) { return entry.name.empty() ? entry.id : entry.name; };
    const auto byId = [](const auto& entry) { return entry.id; };
    const std::string_view kind = field().catalogKind;
    const std::string_view path = field().path;
    if (isHardware(field())) {
        add(catalog.instances, instancePath, byId);
        add(catalog.ultraservers, ultraserverPath, byId);
    } else if (kind == "instances") {
        add(catalog.instances, path, byId);
    } else if (kind == "models") {
        add(catalog.models, path, byName);
    } else if (kind == "gpus") {
        add(catalog.gpus, path, byName);
    } else if (kind == "frameworks") {
        add(catalog.frameworks, path, byName);
    } else if (kind == "engines") {
        add(catalog.engines, path, byName);
    } else if (kind == "storage") { // what all nodes share
        for (const StorageTier& tier : catalog.storage)
            if (tier.service == "fsx_lustre" || tier.service == "s3")
                entries_.append({text(tier.name), text(tier.id), path});
    } else if (path == "cluster.region") {
        addRegions(catalog);
    } else if (path == calibrationPath) {
        entries_.append({tr("Default"), QStringLiteral("default"), path});
        for (const Profile& profile : catalog.profiles)
            entries_.append({text(profile.name), text(profile.name), path});
    } else if (path == topologyPath) {
        for (const Topology& topology : catalog.topologies)
            entries_.append(
                {tr("%1 (%2)").arg(text(topology.name), topologyHosts(topology)), text(topology.name), path});
    }
    combo_->clear();
    for (const Entry& entry : std::as_const(entries_))
        combo_->addItem(entry.name, entry.id);
    for (int i = 0; i < entries_.size(); ++i)
        if (entries_[i].name != entries_[i].id)
            combo_->setItemData(i, entries_[i].id, Qt::ToolTipRole);
}

QString IdRow::machine() const {
    const ClusterSpec& cluster = document().shownSpec().cluster;
    return text(cluster.ultraserver ? *cluster.ultraserver : cluster.instance.value_or(std::string()));
}

/// Where the machine is sold; all regions where it has no price anywhere.
void IdRow::addRegions(const Catalog& catalog) {
    const std::string item = machine().toStdString();
    std::set<std::string> sold, all;
    for (const Price& price : catalog.prices) {
        if (!price.current || price.purchase == Purchase::spot)
            continue;
        all.insert(price.region);
        if (price.item == item)
            sold.insert(price.region);
    }
    for (const std::string& region : sold.empty() ? all : sold)
        entries_.append({text(region), text(region), field().path});
}

/// What is said of a text that is not an entry.
QString IdRow::unknown(const QString& typed) const {
    std::vector<std::string> known;
    for (const Entry& entry : std::as_const(entries_))
        known.push_back(entry.name.toStdString());
    const QString nearest = text(nearestName(typed.toStdString(), known));
    const QString what = filledFor_.isEmpty()
                             ? tr("The catalog has no “%1”").arg(typed)
                             : tr("The catalog has no price of %1 in “%2”").arg(filledFor_, typed);
    return nearest.isEmpty() ? tr("%1.").arg(what) : tr("%1; did you mean %2?").arg(what, nearest);
}

int IdRow::indexOf(const QString& typed) const {
    for (int i = 0; i < entries_.size(); ++i)
        if (entries_[i].name.compare(typed, Qt::CaseInsensitive) == 0 ||
            entries_[i].id.compare(typed, Qt::CaseInsensitive) == 0)
            return i;
    return -1;
}

void IdRow::choose(const QString& typed) {
    combo_->lineEdit()->setModified(false);
    const int index = indexOf(typed);
    if (typed.isEmpty()) {
        mark(combo_, !apply({}).isEmpty());
    } else if (index >= 0) {
        choose(entries_[index]);
    } else if (field().path == topologyPath && !document().fileName().isEmpty()) {
        apply(typed); // a file may name one that lies next to it
    } else if (field().path == topologyPath) {
        showRefusal(entries_.isEmpty()
                        ? tr("No topology has been imported yet; import one first (Ctrl+I).")
                        : tr("No topology “%1” has been imported; choose one of the list.").arg(typed));
        mark(combo_, true);
    } else {
        showRefusal(unknown(typed));
        mark(combo_, true);
    }
}

void IdRow::choose(const Entry& entry) {
    combo_->lineEdit()->setModified(false);
    mark(combo_, false);
    showRefusal({});
    if (entry.path == field().path) {
        mark(combo_, !apply(entry.id).isEmpty());
        return;
    }
    const bool toUltraserver = entry.path == ultraserverPath;
    const auto count =
        toUltraserver ? ultraserversFor(document(), entry.id) : instancesFor(document(), entry.id);
    const QString refusal = document().setFields(
        {{std::string(entry.path), entry.id.toStdString()},
         {toUltraserver ? "cluster.ultraservers" : "cluster.instances", std::to_string(count)}},
        tr("use %1").arg(entry.id));
    showRefusal(refusal);
    mark(combo_, !refusal.isEmpty());
}

bool IdRow::isTyping() const { return combo_->lineEdit()->isModified(); }
void IdRow::dropTyping() { combo_->lineEdit()->setModified(false); }

void IdRow::showValue(const FieldValue& value, bool written) {
    fill();
    const QString id = text(fieldText(field(), value));
    mark(combo_, false);
    combo_->lineEdit()->setPlaceholderText(id.isEmpty() || written ? defaultText()
                                                                   : tr("%1, default").arg(id));
    if (combo_->lineEdit()->hasFocus() && combo_->lineEdit()->isModified())
        return;
    const int index = written ? indexOf(id) : -1;
    const QString wanted = index >= 0 ? combo_->itemText(index) : written ? id : QString();
    if (combo_->currentIndex() == index && combo_->currentText() == wanted) {
        if (!combo_->lineEdit()->hasFocus())          // what is selected stays selected
            combo_->lineEdit()->setCursorPosition(0); // a long text shows its beginning, also in a new list
        return;
    }
    combo_->setCurrentIndex(index);
    if (index < 0)
        combo_->setEditText(wanted);
    combo_->lineEdit()->setCursorPosition(0);
}

FieldRow* makeFieldRow(const Field& field, Document& document, QWidget* parent) {
    switch (field.kind) {
    case FieldKind::flag:
        return new SegmentRow(field, document, parent);
    case FieldKind::integer:
    case FieldKind::quantity:
        if (field.degree)
            return new DegreeRow(field, document, parent);
        return new NumberRow(field, document, parent);
    case FieldKind::choice:
        if (field.path == "workload.kind")
            return new KindRow(field, document, parent);
        if (field.choices.size() <= 2)
            return new SegmentRow(field, document, parent);
        return new ChoiceRow(field, document, parent);
    case FieldKind::text:
        if (!field.catalogKind.empty() || field.path == "cluster.region" || field.path == calibrationPath ||
            field.path == topologyPath)
            return new IdRow(field, document, parent);
        return new TextRow(field, document, parent);
    case FieldKind::wordList:
        if (!field.choices.empty())
            return new WordsRow(field, document, parent);
        return new TextRow(field, document, parent);
    case FieldKind::integerList:
        return new TextRow(field, document, parent);
    }
    Q_UNREACHABLE();
}

} // namespace alidade::views
