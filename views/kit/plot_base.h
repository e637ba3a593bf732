// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/hover_card.h"
#include "views/kit/table_text.h"
#include "views/theme/theme.h"

#include <QPointer>
#include <QWidget>

#include <array>
#include <functional>
#include <optional>

class QCPAxis;
class QCPTextElement;
class QCustomPlot;

namespace alidade::views {

enum class PlotAxis { x, y };

/// A place of a picture that has something to tell.
struct PlotSpot {
    QRect subject; ///< what the card names and leaves free, in pixels of plot()
    CardContent card;
};

/// A plot in the house's manner: grid of hairlines at the majors, no frame, axis titles as text above and
/// below, wheel zooms at the pointer (Ctrl: only x, Shift: only y), drag pans, double click or F fits, Z
/// draws a zoom rectangle, arrows pan, + and - zoom. The context menu copies and exports; Ctrl+D asks for the
/// table behind the picture. Owners add plottables to `plot()` and dress them through `style()`.
class PlotBase : public QWidget {
    Q_OBJECT
public:
    explicit PlotBase(QWidget* parent = nullptr);

    QCustomPlot* plot() const { return plot_; }
    QCPAxis* axis(PlotAxis which) const;

    /// Runs `dress` now and whenever the theme changes or a picture is made for paper, for as long as `part`
    /// lives.
    void style(QObject* part, std::function<void(const Theme&)> dress);
    /// The look that the picture is drawn in at this moment.
    const Theme& look() const { return look_; }

    void setAxisTitle(PlotAxis which, const QString& title);
    /// Where the words of the title stood when it was last drawn, in pixels of plot(); null without a title.
    QRectF titleRect(PlotAxis which) const;
    void setLogarithmic(PlotAxis which, bool on);
    /// How a tick is written, such as "1.2 G" in a unit chosen for the whole axis; default: locale, 6 digits.
    void setTickText(PlotAxis which, std::function<QString(double)> text);
    /// Names at 0, 1, 2, ... in place of numbers.
    void setCategories(PlotAxis which, const QStringList& names);

    /// What is to be seen. The axis keeps its range while the data stays inside, fills half of it, and the
    /// person has not zoomed; else it takes this one.
    void setDataRange(PlotAxis which, double low, double high);
    /// All of the data again.
    void fit();
    /// All of the data along one axis again, unless the person has zoomed: for owners whose range follows the
    /// size of the picture.
    void refit(PlotAxis which);
    bool isZoomed() const { return zoomed_; }
    /// A drag marks a rectangle, see brushed(), in place of panning.
    void setBrushing(bool on);

    /// The table behind the picture, for CSV and "Show data".
    void setTableSource(std::function<TextTable()> table);
    /// Base name of exported files, without suffix.
    void setFileName(const QString& name) { fileName_ = name; }
    /// The result of the picture in words, for those who cannot see it.
    void setSummary(const QString& words) { setAccessibleDescription(words); }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

    /// Writes by suffix: svg, pdf, png (twice the size) black on white, or csv. Returns the reason on
    /// failure, else an empty text.
    QString exportTo(const QString& path);
    void copyPicture();
    /// One paint for any number of calls in one turn of the event loop.
    void redraw();

signals:
    void showDataRequested();
    void exportFailed(const QString& reason);
    void zoomChanged();
    /// A person has marked a rectangle, in pixels of plot().
    void brushed(const QRect& area);

protected:
    /// For owners whose parts depend on the theme in more ways than `style()` can say. Call the base.
    virtual void applyTheme(const Theme& look);
    /// A person sees a part of the data, which new data keeps; for owners with ways of zooming of their own.
    void setZoomed(bool zoomed);
    /// Owners may put more entries on top.
    virtual void fillMenu(QMenu* menu);
    /// What the hover card says where the pointer rests, in pixels of plot(); nothing by default.
    virtual std::optional<PlotSpot> spotAt(const QPointF& position) const;
    /// A click with the left button that is not a drag, in pixels of plot().
    virtual void clicked(const QPointF& position);
    /// The card of a place that was reached with a key. It goes with the focus.
    void showCard(const PlotSpot& spot);
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Part {
        QPointer<QObject> object;
        std::function<void(const Theme&)> dress;
    };
    struct AxisState {
        QCPTextElement* title = nullptr;
        std::function<QString(double)> text;
        double low = 0;
        double high = 1;
        bool known = false;
        bool limiting = false; ///< a range is being brought back to the data
        bool logarithmic = false;
    };

    void makeLayout();
    void connectMouse();
    static void takeRoom(QCPTextElement& title, bool taken);
    void renewTicker(PlotAxis which);
    void keepNearData(PlotAxis which);
    void spaceTicks();
    void dressAxis(QCPAxis* axis, const Theme& look);
    void armRubberBand(bool on);
    void pan(double x, double y);
    void zoom(double factor);
    void askForFile(const QString& suffix);
    QByteArray drawn(const QString& suffix);
    AxisState& state(PlotAxis which) { return axes_[static_cast<std::size_t>(which)]; }
    const AxisState& state(PlotAxis which) const { return axes_[static_cast<std::size_t>(which)]; }

    QCustomPlot* plot_;
    Theme look_;
    std::array<AxisState, 2> axes_;
    QList<Part> parts_;
    std::function<TextTable()> table_;
    QString fileName_;
    QPointF pressed_;
    bool zoomed_ = false;
    bool brushing_ = false;
};

} // namespace alidade::views
