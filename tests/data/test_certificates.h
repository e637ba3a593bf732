// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QtNetwork/QSslConfiguration>

#include <optional>

namespace alidade::test {

/// An authority and certificates of its own, made by the openssl command in a folder.
class TestCertificates {
public:
    /// \param folder that exists; empty: nothing is made
    explicit TestCertificates(const QString& folder);

    bool made() const { return made_; } ///< false: there is no openssl command, or it failed
    QString authority() const { return file("ca.pem"); }
    QString otherAuthority() const { return file("other.pem"); }
    QString file(const char* name) const;

    /// For a server: "good" (127.0.0.1 and localhost), "stranger" (another host), "expired", "self" (signed
    /// by itself).
    std::optional<QSslConfiguration> server(const char* name) const;

private:
    bool run(const QStringList& arguments) const;
    bool authorityNamed(const char* name) const;
    bool certificate(const char* name, const char* alternativeNames, const QStringList& validity) const;

    QString folder_;
    bool made_ = false;
};

} // namespace alidade::test
