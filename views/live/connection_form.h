// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"

#include <QList>
#include <QStringList>
#include <QWidget>

class QComboBox;
class QFormLayout;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace alidade::views {

class TextLabel;

/// The fields of one connection. Secrets are only ever typed here: those that are kept are never shown, and
/// an empty field means "as it is kept".
class ConnectionForm : public QWidget {
    Q_OBJECT
public:
    explicit ConnectionForm(QWidget* parent = nullptr);

    /// \param hasSecrets some are kept for it
    void setConnection(const data::Connection& connection, bool hasSecrets);
    data::Connection connection() const;
    /// What was typed; the members of empty fields are empty.
    data::Credentials typed() const;
    /// Whether the connection needs secrets that were not typed, so that the kept ones would be taken.
    bool needsKept() const;
    /// What is wrong, field by field, in their order; marks those fields, and no others. A mark goes when its
    /// field is edited.
    /// \param otherNames of connections that there are; \param kept the secrets that are kept will do
    QStringList markFaults(const QStringList& otherNames, bool kept);
    /// Forgets what was typed.
    void clearSecrets();

signals:
    void edited();

private:
    QLineEdit* addLine(const char* name, const QString& label, const QString& hint, bool secret = false);
    void addHeader(const QString& name);
    void renewRows();
    void chooseCa();

    struct Header {
        QWidget* row;
        QLineEdit *name, *value;
    };
    QFormLayout* form_;
    QComboBox* authentication_;
    QLineEdit *name_ = nullptr, *url_ = nullptr, *user_ = nullptr, *password_ = nullptr, *token_ = nullptr,
              *region_ = nullptr, *profile_ = nullptr, *accessKey_ = nullptr, *secretKey_ = nullptr,
              *sessionToken_ = nullptr, *caFile_ = nullptr, *grafana_ = nullptr;
    TextLabel* plainHttp_;
    QVBoxLayout* headerRows_;
    QList<Header> headers_;
    bool hasSecrets_ = false;
};

} // namespace alidade::views
