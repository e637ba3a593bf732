// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/provenance.h"
#include "views/catalog/catalog_editor.h"

#include <QWidget>

class QLineEdit;
class QVBoxLayout;

namespace alidade::views {

class CatalogEffect;
class TextLabel;
struct EffectReport;

/// Where one value of the catalog comes from: the value in force; of a value of the person's also the shipped
/// one, who set it, when and why, and what that does to the open scenario; sources, other published values,
/// notes, history.
class ProvenancePanel : public QWidget {
    Q_OBJECT

public:
    explicit ProvenancePanel(CatalogEditor* editor, QWidget* parent = nullptr);

    /// A value; with the key "id" the entry as a whole.
    void showCell(const CatalogCell& cell);
    void showNothing();
    const CatalogCell& cell() const { return cell_; }

    QSize sizeHint() const override;

signals:
    /// A reason that an edit from here was refused for.
    void refused(const QString& reason);

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void renew();
    void clear();
    void addHead(const QString& title, const QString& figure, const QString& unit, bool yours);
    void addEntry();
    void addValue();
    void addVerdict(const QString& shipped, std::optional<double> before, std::optional<double> now);
    void addButtons(bool wholeEntry);
    void addOwn(const data::CatalogChange& change);
    void addEffect();
    void addSources();
    void addHistory();
    void addHeading(const QString& words, const QString& note = {});
    void addSource(const Source& source, bool stands);
    TextLabel* addText(const QString& words);
    void addPair(const QString& left, const QString& right);
    void addRule();
    void editNote();
    void showEffect(const EffectReport& report);

    CatalogEditor* editor_;
    CatalogEffect* effect_;
    CatalogCell cell_;
    bool stale_ = false;
    QWidget* body_;
    QVBoxLayout* column_;
    QVBoxLayout* effectColumn_ = nullptr; ///< of the present content
    QLineEdit* note_ = nullptr;           ///< while a note is edited
};

} // namespace alidade::views
