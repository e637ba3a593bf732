// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>
#include <QPointer>

#include <functional>

namespace alidade::views {

class TextLabel;

/// Editor of a catalog cell. With every key the text is checked: a refused one is drawn as an error, and a
/// note below the cell says why. It can be committed all the same; the owner keeps it marked.
class CellField : public QLineEdit {
    Q_OBJECT
public:
    /// Why a text is refused; empty if it is good.
    using Check = std::function<QString(const QString&)>;

    /// \param parent the viewport of the table: the note is a child of it too
    CellField(Check check, const QStringList& words, QWidget* parent);
    ~CellField() override;

    /// What is in the cell when the edit begins; it is not checked until a key changes it.
    void begin(const QString& text);
    /// The reason that the note gives now; empty if there is none.
    QString reason() const;

protected:
    void moveEvent(QMoveEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void check();
    Check check_;
    QPointer<TextLabel> note_; ///< goes with the table, when that goes first
};

} // namespace alidade::views
