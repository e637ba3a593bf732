// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <optional>

namespace alidade::views {

/// The time that all charts of the page show, and the one crosshair over them. Unix s.
class LiveTime : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    double start() const { return start_; } ///< of what is to be seen
    double end() const { return end_; }
    bool isZoomed() const { return zoomed_; }
    std::optional<double> cursor() const { return cursor_; }

    /// All that there is. A zoomed range stays as far as it lies inside.
    void setWhole(double start, double end);
    double wholeEnd() const { return wholeEnd_; }
    /// A part, at least 10 s long; outside of the whole is cut.
    void zoomTo(double start, double end);
    /// \param factor below 1 zooms in; \param about stays where it is
    void zoomBy(double factor, double about);
    /// By so many times of what is to be seen.
    void moveBy(double share);
    void reset();
    void setCursor(std::optional<double> at);

signals:
    void rangeChanged();
    void cursorChanged();

private:
    void set(double start, double end, bool zoomed);
    double wholeStart_ = 0, wholeEnd_ = 1, start_ = 0, end_ = 1;
    bool zoomed_ = false;
    std::optional<double> cursor_;
};

} // namespace alidade::views
