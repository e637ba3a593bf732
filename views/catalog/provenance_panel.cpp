// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/catalog/provenance_panel.h"

#include "data/catalog/catalog_keys.h"
#include "data/catalog/catalog_sheet.h"
#include "model/catalog/catalog.h"
#include "views/catalog/catalog_effect.h"
#include "views/catalog/catalog_sheet.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/states.h"
#include "views/kit/text_label.h"
#include "views/theme/theme_controller.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade::views {

namespace {

constexpr int longestFigure = 18; ///< characters; a longer text is not a figure
constexpr int mostHistory = 12;

void emptyLayout(QVBoxLayout* column) {
    while (QLayoutItem* item = column->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

/// "2026-11-20 14:05" of "2026-11-20T14:05:00Z".
QString shownTime(const std::string& when) {
    QString time = text(when).left(16);
    return time.replace(QLatin1Char('T'), QLatin1Char(' '));
}

QString valueWithUnit(data::CatalogKind kind, const std::string& key, const std::string& value) {
    if (value.empty() || value == "null")
        return QStringLiteral("–");
    const data::CatalogKey* known = data::catalogKey(kind, key);
    const QString shown = shownCell(data::shownValue(kind, key, value), data::numberOf(value));
    return known == nullptr || known->unit.empty() ? shown : shown + QLatin1Char(' ') + text(known->unit);
}

} // namespace

ProvenancePanel::ProvenancePanel(CatalogEditor* editor, QWidget* parent)
    : QWidget(parent)
    , editor_(editor)
    , effect_(new CatalogEffect(editor, this))
    , body_(new QWidget)
    , column_(new QVBoxLayout(body_)) {
    setObjectName(QStringLiteral("provenance"));
    setAccessibleName(tr("Where the value comes from"));
    auto* scroll = new QScrollArea(this);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    body_->setAutoFillBackground(true);
    body_->setBackgroundRole(QPalette::Base);
    const int side = theme().px(14);
    column_->setContentsMargins(side, side, side, side);
    column_->setSpacing(theme().px(5));
    scroll->setWidget(body_);
    body_->installEventFilter(this);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    connect(effect_, &CatalogEffect::known, this, &ProvenancePanel::showEffect);
    connect(editor, &CatalogEditor::changed, this, &ProvenancePanel::renew);
    connect(&editor->document(), &Document::specChanged, this, [this] {
        if (isVisible() && !cell_.entry.isEmpty())
            effect_->ask(cell_);
        else
            stale_ = true;
    });
    showNothing();
}

QSize ProvenancePanel::sizeHint() const { return {theme().px(340), theme().px(500)}; }

void ProvenancePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (std::exchange(stale_, false))
        renew();
}

/// A scroll area asks its content for a least height without asking for which width, so wrapped texts would
/// be squeezed instead of scrolled.
bool ProvenancePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == body_ && (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Resize)) {
        const int height =
            std::max(0, body_->layout()->totalHeightForWidth(body_->width())); // -1: no text yet
        if (height != body_->minimumHeight())
            body_->setMinimumHeight(height);
    }
    return QWidget::eventFilter(watched, event);
}

void ProvenancePanel::clear() {
    emptyLayout(column_);
    effectColumn_ = nullptr;
    note_ = nullptr;
}

void ProvenancePanel::showNothing() {
    cell_ = {};
    clear();
    column_->addWidget(new EmptyState(QStringLiteral("explain"), tr("No value selected"),
                                      tr("Click a cell to see where its value comes from."), {}, body_));
}

void ProvenancePanel::showCell(const CatalogCell& cell) {
    if (cell == cell_)
        return;
    cell_ = cell;
    renew();
}

void ProvenancePanel::renew() {
    if (cell_.entry.isEmpty())
        return;
    clear();
    if (cell_.key == QLatin1String("id") || cell_.key == QLatin1String("computed_parameters"))
        addEntry();
    else
        addValue();
    addSources();
    addHistory();
    column_->addStretch(1);
    if (isVisible())
        effect_->ask(cell_);
    else
        stale_ = true;
}

void ProvenancePanel::addHead(const QString& title, const QString& figure, const QString& unit, bool yours) {
    auto* name = new TextLabel(FontRole::title, Role::text, title, body_);
    name->setWordWrap(true);
    column_->addWidget(name);
    if (figure.isEmpty())
        return;
    const bool isFigure = figure.size() < longestFigure;
    auto* value = new TextLabel(isFigure ? FontRole::figure : FontRole::strong,
                                yours ? Role::accent : Role::text, figure, body_);
    value->setObjectName(QStringLiteral("provenanceValue"));
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    value->setWordWrap(!isFigure);
    auto* row = new QWidget(body_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(theme().px(6));
    line->addWidget(value, isFigure ? 0 : 1, Qt::AlignBaseline);
    if (!unit.isEmpty() && isFigure)
        line->addWidget(new TextLabel(FontRole::unit, Role::text2, unit, row), 0, Qt::AlignBaseline);
    if (isFigure)
        line->addStretch(1);
    column_->addWidget(row);
}

void ProvenancePanel::addEntry() {
    const auto row = data::catalogSheetRow(*editor_->shipped(), editor_->user(), editor_->applied(),
                                           cell_.kind, cell_.entry.toStdString());
    if (!row)
        return showNothing();
    addHead(cell_.entry, {}, {}, false);
    if (!row->name.empty() && text(row->name) != cell_.entry)
        addText(text(row->name));
    switch (row->state) {
    case data::EntryState::shipped:
        break;
    case data::EntryState::changed: {
        const auto count = std::ranges::count_if(row->cells, &data::EffectiveValue::changed);
        addText(count == 1 ? tr("One value is yours.") : tr("%1 values are yours.").arg(count));
        addButtons(true);
        break;
    }
    case data::EntryState::added:
        addText(tr("Your own entry; none of this id is shipped."));
        break;
    case data::EntryState::removed: {
        addText(tr("You deleted this shipped entry."));
        auto* restore = new QPushButton(icon(QLatin1StringView("reset")), tr("Restore"), body_);
        restore->setObjectName(QStringLiteral("restoreEntry"));
        connect(restore, &QPushButton::clicked, this, [this] {
            const QString reason = editor_->restoreEntry(cell_.kind, cell_.entry);
            if (!reason.isEmpty())
                emit refused(reason);
        });
        column_->addWidget(restore, 0, Qt::AlignLeft);
        break;
    }
    }
    addEffect();
}

void ProvenancePanel::addValue() {
    const auto value = data::effectiveValue(*editor_->shipped(), editor_->user(), editor_->applied(),
                                            cell_.kind, cell_.entry.toStdString(), cell_.key.toStdString());
    const data::CatalogKey* key = data::catalogKey(cell_.kind, cell_.key.toStdString());
    if (!value || key == nullptr)
        return showNothing();
    addHead(tr("%1, %2").arg(cell_.entry, text(key->label)), shownCell(value->text, value->number),
            text(key->unit), value->changed());
    if (const RefusedText* refusedText = editor_->refusal(cell_)) {
        auto* words =
            new TextLabel(FontRole::small, Role::err,
                          tr("“%1” is not in effect: %2").arg(refusedText->text, refusedText->reason), body_);
        words->setWordWrap(true);
        column_->addWidget(words);
    }
    if (!value->problem.empty()) {
        auto* words = new TextLabel(FontRole::small, Role::warn,
                                    tr("Your change has no effect: %1").arg(text(value->problem)), body_);
        words->setWordWrap(true);
        column_->addWidget(words);
    }
    if (value->changed()) {
        addVerdict(valueWithUnit(cell_.kind, key->key, value->shipped),
                   value->shipped.empty() ? std::nullopt : data::numberOf(value->shipped), value->number);
        addButtons(false);
        addRule();
        addOwn(editor_->user().changes[*value->change]);
    }
    addEffect();
}

void ProvenancePanel::addVerdict(const QString& shipped, std::optional<double> before,
                                 std::optional<double> now) {
    QString words = shipped == QStringLiteral("–") ? tr("Your value; there is no shipped value.")
                                                   : tr("Yours. The shipped value is <b>%1</b>").arg(shipped);
    if (before && now && *before > 0 && *now != *before) {
        const double share = std::abs(*now / *before - 1);
        const QString size = quantity(share, Dimension::ratio, {.significant = 2});
        words += *now < *before ? tr("; this is %1 lower.").arg(size) : tr("; this is %1 higher.").arg(size);
    } else if (shipped != QStringLiteral("–")) {
        words += QLatin1Char('.');
    }
    auto* label = new TextLabel(FontRole::small, Role::text2, words, body_);
    label->setObjectName(QStringLiteral("provenanceVerdict"));
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true);
    column_->addWidget(label);
}

void ProvenancePanel::addButtons(bool wholeEntry) {
    auto* row = new QWidget(body_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, theme().px(4), 0, 0);
    line->setSpacing(theme().px(8));
    auto* reset = new QPushButton(icon(QLatin1StringView("reset")),
                                  wholeEntry ? tr("Reset all") : tr("Reset to shipped"), row);
    reset->setObjectName(QStringLiteral("resetToShipped"));
    reset->setEnabled(editor_->readOnly().isEmpty());
    connect(reset, &QPushButton::clicked, this, [this, wholeEntry] {
        const QString reason =
            wholeEntry ? editor_->resetEntry(cell_.kind, cell_.entry) : editor_->reset({cell_});
        if (!reason.isEmpty())
            emit refused(reason);
    });
    line->addWidget(reset);
    if (!wholeEntry) {
        auto* note = new QPushButton(icon(QLatin1StringView("override")), tr("Edit note"), row);
        note->setObjectName(QStringLiteral("editNote"));
        note->setEnabled(editor_->readOnly().isEmpty());
        connect(note, &QPushButton::clicked, this, &ProvenancePanel::editNote);
        line->addWidget(note);
    }
    line->addStretch(1);
    column_->addWidget(row);
}

void ProvenancePanel::addOwn(const data::CatalogChange& change) {
    QStringList by;
    if (!change.when.empty())
        by.append(shownTime(change.when));
    if (!change.who.empty())
        by.append(text(change.who));
    addHeading(tr("Your value"), by.join(QStringLiteral(", ")));
    auto* words =
        addText(change.note.empty() ? tr("No note.") : QStringLiteral("“%1”").arg(text(change.note)));
    words->setObjectName(QStringLiteral("noteText"));
    note_ = new QLineEdit(text(change.note), body_);
    note_->setObjectName(QStringLiteral("noteField"));
    note_->setPlaceholderText(tr("Reason for this value, in one sentence"));
    note_->setAccessibleName(tr("Note"));
    note_->hide();
    connect(note_, &QLineEdit::editingFinished, this, [this, field = note_] {
        if (field->isHidden())
            return;
        field->hide(); // editing is over, whatever the losing of focus says next
        const QString reason = editor_->setNote(cell_, field->text());
        if (!reason.isEmpty())
            emit refused(reason);
    });
    column_->addWidget(note_);
    if (change.source)
        addSource(*change.source, true);
}

void ProvenancePanel::editNote() {
    if (note_ == nullptr)
        return;
    note_->show();
    note_->setFocus(Qt::OtherFocusReason);
    note_->selectAll();
}

void ProvenancePanel::addEffect() {
    addRule();
    addHeading(tr("Used by"));
    auto* place = new QWidget(body_);
    place->setObjectName(QStringLiteral("provenanceEffect"));
    effectColumn_ = new QVBoxLayout(place);
    effectColumn_->setContentsMargins(0, 0, 0, 0);
    effectColumn_->setSpacing(theme().px(4));
    effectColumn_->addWidget(new TextLabel(FontRole::small, Role::text3, tr("looking…"), place));
    column_->addWidget(place);
}

void ProvenancePanel::showEffect(const EffectReport& report) {
    if (!(report.cell == cell_) || effectColumn_ == nullptr)
        return;
    emptyLayout(effectColumn_);
    QVBoxLayout* outside = std::exchange(column_, effectColumn_);
    const QString name = editor_->document().displayName();
    if (!report.rows.isEmpty()) {
        addText(tr("%1, with the shipped value → with yours").arg(name));
        for (const EffectRow& row : report.rows)
            addPair(row.name, QStringLiteral("%1 → <b>%2</b>").arg(row.before, row.after));
    } else if (!report.reason.isEmpty()) {
        addText(tr("%1: cannot be compared. %2").arg(name, report.reason));
    } else if (report.compared && report.used) {
        addText(tr("%1 uses the entry; its figures are the same with the shipped value.").arg(name));
    } else if (report.used) {
        addText(name);
    } else {
        addText(tr("Not the open scenario."));
    }
    column_ = outside;
}

void ProvenancePanel::addSources() {
    const Provenance* shipped = provenanceOf(*editor_->shipped(), cell_.kind, cell_.entry);
    const bool own = shipped == nullptr;
    const Provenance* provenance = own ? provenanceOf(editor_->catalog(), cell_.kind, cell_.entry) : shipped;
    if (provenance == nullptr)
        return;
    std::vector<const Source*> sources;
    for (const Source& source : provenance->sources)
        sources.push_back(&source);
    const auto stands = [&](const Source* source) { return standsFor(*source, cell_.key.toStdString()); };
    std::ranges::stable_sort(sources, [](const Source* a, const Source* b) { return a->date > b->date; });
    std::ranges::stable_partition(sources, stands);
    addRule();
    addHeading(own ? tr("Sources") : tr("Shipped sources"),
               sources.empty() ? tr("none: an assumption") : tr("newest first"));
    for (const Source* source : sources)
        addSource(*source, stands(source));
    if (!provenance->conflicts.empty()) {
        addRule();
        addHeading(tr("Where sources disagree"));
        for (const std::string& conflict : provenance->conflicts)
            addText(text(conflict));
    }
    if (!provenance->notes.empty()) {
        addRule();
        addHeading(tr("Notes"));
        for (const std::string& note : provenance->notes)
            addText(text(note));
    }
}

void ProvenancePanel::addHistory() {
    const bool entry = cell_.key == QLatin1String("id");
    const std::vector<std::size_t> steps =
        data::historyOf(editor_->user(), cell_.kind, cell_.entry.toStdString(),
                        entry ? std::string() : cell_.key.toStdString());
    if (steps.empty())
        return;
    addRule();
    addHeading(tr("History"), tr("newest first"));
    const std::size_t shown = std::min<std::size_t>(steps.size(), mostHistory);
    for (std::size_t i = 0; i < shown; ++i) {
        const data::CatalogChange& change = editor_->user().changes[steps[steps.size() - 1 - i]];
        QString left = shownTime(change.when);
        if (!change.who.empty())
            left += QStringLiteral(", ") + text(change.who);
        QString right;
        switch (change.action) {
        case data::ChangeAction::set:
            right = valueWithUnit(cell_.kind, change.key, change.value);
            break;
        case data::ChangeAction::add:
            right = tr("added");
            break;
        case data::ChangeAction::remove:
            right = tr("deleted");
            break;
        case data::ChangeAction::reset:
            right = tr("reset to shipped");
            break;
        case data::ChangeAction::restore:
            right = tr("restored");
            break;
        case data::ChangeAction::withdraw:
            right = tr("taken back");
            break;
        }
        if (entry && !change.key.empty())
            right = text(change.key) + QStringLiteral(": ") + right;
        addPair(left, right.toHtmlEscaped());
        if (!change.note.empty())
            addText(QStringLiteral("“%1”").arg(text(change.note)));
    }
    if (steps.size() > shown)
        addText(tr("and %1 older ones").arg(steps.size() - shown));
}

void ProvenancePanel::addHeading(const QString& words, const QString& note) {
    auto* row = new QWidget(body_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, theme().px(2));
    line->addWidget(new TextLabel(FontRole::strong, Role::text, words, row));
    line->addStretch(1);
    line->addWidget(new TextLabel(FontRole::small, Role::text2, note, row));
    column_->addWidget(row);
}

void ProvenancePanel::addSource(const Source& source, bool stands) {
    auto* row = new QWidget(body_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, theme().px(4));
    line->setSpacing(theme().px(8));
    auto* mark = new QLabel(row);
    const int side = theme().px(14);
    if (stands)
        mark->setPixmap(icon(QLatin1StringView("check"), Role::text2).pixmap(side, side));
    mark->setFixedWidth(side);
    mark->setToolTip(stands ? tr("Used for this value") : QString());
    line->addWidget(mark, 0, Qt::AlignTop);
    auto* words = new TextLabel(FontRole::small, stands ? Role::text : Role::text2, {}, row);
    const QString title = text(source.title).toHtmlEscaped();
    QString html = source.url.empty()
                       ? title
                       : QStringLiteral("<a href=\"%1\">%2</a>").arg(text(source.url).toHtmlEscaped(), title);
    if (!source.path.empty())
        html += QStringLiteral("<br>") + text(source.path).toHtmlEscaped();
    if (!source.textChecked)
        html += QStringLiteral("<br>") + tr("as widely quoted; the text itself was not read").toHtmlEscaped();
    words->setTextFormat(Qt::RichText);
    words->setText(html);
    words->setToolTip(text(source.url));
    words->setWordWrap(true);
    words->setOpenExternalLinks(true);
    line->addWidget(words, 1);
    line->addWidget(new TextLabel(FontRole::small, Role::text2, text(source.date), row), 0, Qt::AlignTop);
    column_->addWidget(row);
}

TextLabel* ProvenancePanel::addText(const QString& words) {
    auto* label = new TextLabel(FontRole::small, Role::text2, words, body_);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column_->addWidget(label);
    return label;
}

void ProvenancePanel::addPair(const QString& left, const QString& right) {
    auto* row = new QWidget(body_);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(theme().px(8));
    line->addWidget(new TextLabel(FontRole::small, Role::text2, left, row), 0, Qt::AlignTop);
    auto* value = new TextLabel(FontRole::small, Role::text, right, row);
    value->setTextFormat(Qt::RichText);
    value->setWordWrap(true);
    value->setAlignment(Qt::AlignRight | Qt::AlignTop);
    line->addWidget(value, 1);
    column_->addWidget(row);
}

void ProvenancePanel::addRule() {
    auto* line = new QFrame(body_);
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Plain);
    line->setForegroundRole(QPalette::Mid);
    column_->addSpacing(theme().px(4));
    column_->addWidget(line);
    column_->addSpacing(theme().px(4));
}

} // namespace alidade::views
