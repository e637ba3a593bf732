// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/fields.h"

#include <QElapsedTimer>
#include <QWidget>

class QToolButton;

namespace alidade::views {

class Document;
class Scrubbed;
class TextLabel;

/// Widths of the columns before the editors, in logical pixels at 10 pt.
inline constexpr int fieldLabelWidth = 100;
inline constexpr int fieldResetWidth = 18;

/// One field of the scenario: label, editor, a button that resets it where it is written, and below it what
/// is wrong with it. What the editor is depends on the field (see makeFieldRow).
class FieldRow : public QWidget {
    Q_OBJECT

public:
    const Field& field() const { return field_; }
    /// Shows the document's present value, the resolved default and the problems of the estimate. A refused
    /// text stays until it is mended or the value changes elsewhere.
    void refresh();
    /// Puts the keyboard focus into the editor.
    void edit();
    QString message() const; ///< what is below the field; empty: nothing

protected:
    FieldRow(const Field& field, Document& document, QWidget* parent);
    /// Once, by the constructor of the derived class; the label names it.
    /// \param scrubbed what dragging on the label changes, if it is not the editor itself
    void setEditor(QWidget* editor, Scrubbed* scrubbed = nullptr);
    /// A drag: all steps until endGesture() are one undo step, however long it takes.
    void beginGesture();
    void endGesture();
    Document& document() const { return document_; }

    /// What the editor shows; `written` false: the value is the default that holds (empty where none is
    /// known).
    virtual void showValue(const FieldValue& value, bool written) = 0;
    /// The editor holds a text that is not committed.
    virtual bool isTyping() const { return false; }
    virtual void dropTyping() {}

    /// Hands a text to the document. Steps that follow each other quickly are one undo step.
    /// \returns empty, or why it was refused; then it is also shown below the field
    QString apply(const QString& text, bool step = false);
    void showRefusal(const QString& reason);
    /// The refused text is being edited, or gone.
    void dropRefusal();
    QString defaultText() const; ///< what holds while the field is absent, and why
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showMessage();
    void reset();
    bool revert();
    FieldValue resolved() const;

    const Field& field_;
    Document& document_;
    QWidget* editor_ = nullptr;
    QToolButton* reset_;
    TextLabel* message_;
    QString refusal_;     ///< of what was typed
    FieldValue shownFor_; ///< value in the document when the refused text was typed
    QElapsedTimer sinceStep_;
    int gesture_ = 0;
    bool dragged_ = false;
};

/// The row that suits a field.
FieldRow* makeFieldRow(const Field& field, Document& document, QWidget* parent);

} // namespace alidade::views
