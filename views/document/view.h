// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

namespace alidade::views {

class Document;
struct BaselineDifference;

/// Base of each view that the window puts into a dock or page. A view draws what the document holds and never
/// computes; it shows an own empty state while there is no estimate. The window makes the dock's title from
/// title(), note() and aside(), and flat buttons next to it from the actions() of the widget (those with the
/// object name "titleAction").
class View : public QWidget {
    Q_OBJECT

public:
    explicit View(Document* document, QWidget* parent = nullptr);

    virtual QString title() const = 0;    ///< "Layers"
    virtual QString iconName() const = 0; ///< of the icon set: "layers"
    /// Chapter of the user guide that F1 opens at: "layers".
    virtual QString helpTopic() const { return iconName(); }
    /// Next to the title, in small type: "ms per micro-batch and GPU".
    QString note() const { return note_; }
    /// At the right end of the title: "worst: stage 1, 71.0 GB".
    QString aside() const { return aside_; }

    /// To be seen: shown, and not behind another tab.
    bool isSeen() const;
    /// Brings it up to date if it is seen; what is not seen waits. For the dock that comes to the front.
    void refresh();

    QSize sizeHint() const override { return {360, 240}; }
    /// Below this a dock never makes it: logical pixels at 10 pt.
    virtual QSize leastSize() const { return {240, 150}; }

signals:
    void titleChanged(); ///< note() or aside()

protected:
    Document& document() const { return *document_; }
    /// The estimate against the baseline, which updateEstimate() shows where it matters; null: there is none.
    const BaselineDifference* baseline() const;
    void setNote(const QString& note);
    void setAside(const QString& aside);
    /// While an estimate takes long, the old content is dimmed under a Cancel button. Once, by the
    /// constructor.
    void coverWhileBusy();
    /// Puts a flat button at the right end of the dock's title.
    void addTitleAction(QAction* action);

    /// What updateEstimate() shows changed; it is called at once, or when the view is seen again.
    void outdate();

    /// The estimate or its error changed; also called once when the view is first seen. Deferred while the
    /// view is not seen.
    virtual void updateEstimate() {}
    /// An estimate began or ended; also after updateEstimate(). Deferred while the view is not seen.
    virtual void updateBusy() {}
    /// The selection changed; also after updateEstimate(). Deferred while the view is not seen.
    virtual void updateSelection() {}

    bool event(QEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    Document* document_;
    QString note_, aside_;
    bool stale_ = true;
    bool busyStale_ = true;
    bool selectionStale_ = true;
};

/// Object name of the actions that a dock shows as buttons.
inline constexpr char titleActionName[] = "titleAction";

} // namespace alidade::views
