// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/scenario/field_row.h"

#include "model/estimate/estimate.h"
#include "views/document/document.h"
#include "views/document/text.h"
#include "views/icons/icon.h"
#include "views/kit/field_label.h"
#include "views/theme/theme_controller.h"

#include <QContextMenuEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QToolButton>

namespace alidade::views {

namespace {

/// Steps closer to each other than this are one undo step.
constexpr int gestureMilliseconds = 700;

bool isAbsent(const FieldValue& value) { return std::holds_alternative<std::monostate>(value); }

} // namespace

FieldRow::FieldRow(const Field& field, Document& document, QWidget* parent)
    : QWidget(parent)
    , field_(field)
    , document_(document)
    , reset_(new QToolButton(this))
    , message_(new TextLabel(FontRole::small, Role::err, {}, this)) {
    setObjectName(text(field.path));
    reset_->setIcon(icon(QLatin1StringView("reset")));
    reset_->setAutoRaise(true);
    reset_->setFocusPolicy(Qt::NoFocus); // the keyboard has Ctrl+Shift+Backspace and the context menu
    reset_->setAccessibleName(tr("Reset %1").arg(text(field.label)));
    reset_->setIconSize(QSize(theme().px(13), theme().px(13)));
    reset_->setFixedWidth(theme().px(fieldResetWidth)); // with it or without, editors are aligned
    connect(reset_, &QToolButton::clicked, this, &FieldRow::reset);
    message_->setWordWrap(true);
    message_->hide();
}

void FieldRow::setEditor(QWidget* editor, Scrubbed* scrubbed) {
    editor_ = editor;
    auto* label = new FieldLabel(text(field_.label), editor, this);
    if (scrubbed != nullptr)
        label->setScrubbed(scrubbed);
    label->setFixedWidth(theme().px(fieldLabelWidth));
    label->setWordWrap(true);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(0);
    grid->setVerticalSpacing(theme().px(2));
    grid->addWidget(label, 0, 0);
    grid->addWidget(reset_, 0, 1);
    grid->addWidget(editor, 0, 2);
    grid->addWidget(message_, 1, 0, 1, 3);
    grid->setColumnMinimumWidth(1, theme().px(fieldResetWidth));
    grid->setColumnStretch(2, 1);
    setFocusProxy(editor);
    if (editor->accessibleName().isEmpty())
        editor->setAccessibleName(text(field_.label));
    const QString tip =
        QStringLiteral("<p><b>%1</b><br>%2</p><p>%3<br>%4</p>")
            .arg(text(field_.label).toHtmlEscaped(), text(field_.doc).toHtmlEscaped(),
                 tr("Unless set: %1").arg(defaultText()).toHtmlEscaped(), text(field_.path).toHtmlEscaped());
    setToolTip(tip);
    label->setToolTip(tip);
    for (QWidget* each : editor->findChildren<QWidget*>())
        each->installEventFilter(this);
    editor->installEventFilter(this);
}

void FieldRow::edit() { setFocus(Qt::ShortcutFocusReason); } // the proxy knows where the caret goes

QString FieldRow::message() const { return message_->isHidden() ? QString() : message_->text(); }

FieldValue FieldRow::resolved() const {
    const auto estimate = document_.estimate();
    return estimate && document_.error().isEmpty() ? field_.get(estimate->scenario) : FieldValue();
}

QString FieldRow::defaultText() const { return text(field_.defaultDoc); }

void FieldRow::refresh() {
    const FieldValue value = field_.get(document_.shownSpec());
    const bool written = !isAbsent(value);
    if (!refusal_.isEmpty() && value != shownFor_)
        refusal_.clear();
    if (refusal_.isEmpty())
        showValue(written ? value : resolved(), written);
    reset_->setVisible(written && document_.previewed() == nullptr);
    reset_->setToolTip(tr("Reset: %1").arg(defaultText()));
    showMessage();
}

void FieldRow::showMessage() {
    QString message = refusal_;
    Role ink = Role::err;
    const std::string place = pointerOf(field_.path);
    const auto estimate = document_.estimate();
    if (message.isEmpty() && estimate && document_.error().isEmpty())
        for (const Problem& problem : estimate->problems)
            if (problem.place == place && problem.severity != Severity::info && message.isEmpty()) {
                message = text(problem.message);
                ink = problem.severity == Severity::error ? Role::err : Role::warn;
            }
    if (message.isEmpty() && document_.error().startsWith(text(place) + QLatin1Char(':')))
        message = document_.error().section(QStringLiteral(": "), 1);
    message_->setInk(ink);
    message_->setText(message);
    message_->setVisible(!message.isEmpty());
}

QString FieldRow::apply(const QString& newText, bool step) {
    if (step && !dragged_ && !(sinceStep_.isValid() && sinceStep_.elapsed() < gestureMilliseconds))
        gesture_ = Document::newGesture();
    if (step)
        sinceStep_.start();
    const QString refusal = document_.setField(field_, newText, step ? gesture_ : 0);
    showRefusal(refusal);
    return refusal;
}

void FieldRow::beginGesture() {
    gesture_ = Document::newGesture();
    dragged_ = true;
}

void FieldRow::endGesture() {
    dragged_ = false;
    sinceStep_.invalidate(); // the next step is a separate one
}

void FieldRow::showRefusal(const QString& reason) {
    refusal_ = reason;
    shownFor_ = field_.get(document_.shownSpec());
    showMessage();
}

void FieldRow::dropRefusal() {
    if (!refusal_.isEmpty())
        showRefusal({});
}

void FieldRow::reset() {
    dropTyping();
    refusal_.clear();
    document_.setField(field_, {});
    refresh();
}

/// Back to the value that is in force. False: the editor shows nothing else.
bool FieldRow::revert() {
    if (refusal_.isEmpty() && !isTyping())
        return false;
    dropTyping();
    refusal_.clear();
    refresh();
    return true;
}

void FieldRow::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* resetAction = menu->addAction(tr("Reset: %1").arg(defaultText()), this, &FieldRow::reset);
    resetAction->setEnabled(!isAbsent(field_.get(document_.spec())));
    menu->popup(event->globalPos());
}

bool FieldRow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Backspace &&
            key->modifiers() == (Qt::ControlModifier | Qt::ShiftModifier)) {
            reset();
            return true;
        }
        if (key->key() == Qt::Key_Escape && revert())
            return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace alidade::views
