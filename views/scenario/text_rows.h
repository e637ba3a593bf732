// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/scenario/field_row.h"

#include <QList>
#include <QString>

class QComboBox;
class QLineEdit;

namespace alidade::views {

/// Free text, or a list with commas.
class TextRow : public FieldRow {
    Q_OBJECT

public:
    TextRow(const Field& field, Document& document, QWidget* parent);

protected:
    void showValue(const FieldValue& value, bool written) override;
    bool isTyping() const override;
    void dropTyping() override;

private:
    void commit();

    QLineEdit* editor_;
};

/// An entry of the catalog, found by typing a part of its name. The hardware row lists instances and
/// UltraServers together: choosing one leaves the other.
class IdRow : public FieldRow {
    Q_OBJECT

public:
    IdRow(const Field& field, Document& document, QWidget* parent);

protected:
    void showValue(const FieldValue& value, bool written) override;
    bool isTyping() const override;
    void dropTyping() override;

private:
    struct Entry {
        QString name, id;
        std::string_view path; ///< the field that it is a value of
    };

    void fill();
    void addRegions(const Catalog& catalog);
    QString machine() const; ///< what is rented: the instance type or UltraServer
    QString unknown(const QString& typed) const;
    void choose(const QString& typed);
    void choose(const Entry& entry);
    int indexOf(const QString& typed) const;

    QComboBox* combo_;
    QList<Entry> entries_;
    const void* filledFrom_ = nullptr; ///< the catalog that the entries are of
    QString filledFor_;                ///< of regions: the machine
};

} // namespace alidade::views
