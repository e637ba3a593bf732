// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/authorities.h"

#include "data/json/file.h"
#include "data/prometheus/connection_json.h"
#include "data/prometheus/redaction.h"

#include <QSsl>
#include <QSslSocket>

#include <algorithm>

namespace alidade::data {

namespace {

Result<QList<QSslCertificate>> readAuthorities(const std::string& file) {
    const Result<std::string> content = readFile(file, 8U << 20);
    if (!content)
        return Error{content.error() + "; name a file of certificates (PEM)"};
    QList<QSslCertificate> out = QSslCertificate::fromData(QByteArray::fromStdString(*content), QSsl::Pem);
    out.removeIf([](const QSslCertificate& each) { return each.isNull(); });
    if (out.isEmpty())
        return Error{
            "holds no certificate; it needs one or more in PEM, from '-----BEGIN CERTIFICATE-----' on"};
    return out;
}

/// The more telling of two errors first: a foreign host before an unknown authority.
int weight(QSslError::SslError error) {
    switch (error) {
    case QSslError::HostNameMismatch:
        return 0;
    case QSslError::CertificateExpired:
    case QSslError::CertificateNotYetValid:
        return 1;
    case QSslError::SelfSignedCertificate:
    case QSslError::SelfSignedCertificateInChain:
        return 2;
    case QSslError::UnableToGetLocalIssuerCertificate:
    case QSslError::UnableToGetIssuerCertificate:
    case QSslError::UnableToVerifyFirstCertificate:
        return 3;
    default:
        return 4;
    }
}

std::string namesOf(const QSslCertificate& certificate) {
    QStringList names = certificate.subjectAlternativeNames().values();
    if (names.isEmpty())
        names = certificate.subjectInfo(QSslCertificate::CommonName);
    names.sort();
    constexpr int most = 5;
    const QString more = names.size() > most ? QStringLiteral(", ...") : QString();
    return excerptOf(QString(names.mid(0, most).join(QStringLiteral(", ")) + more).toStdString());
}

std::string day(const QDateTime& time) {
    return time.toUTC().toString(QStringLiteral("yyyy-MM-dd HH:mm' UTC'")).toStdString();
}

} // namespace

std::string authorityFault(const std::string& caFile) {
    return caFile.empty() ? std::string() : readAuthorities(caFile).error();
}

Result<QSslConfiguration> tlsConfiguration(const Connection& connection) {
    QSslConfiguration out = QSslConfiguration::defaultConfiguration();
    out.setPeerVerifyMode(QSslSocket::VerifyPeer);
    out.setProtocol(QSsl::TlsV1_2OrLater);
    if (!connection.caFile.empty()) {
        const auto authorities = readAuthorities(connection.caFile);
        if (!authorities)
            return Error{"CA file " + connection.caFile + ": " + authorities.error()};
        out.setCaCertificates(*authorities);
    }
    return out;
}

std::string tlsMessage(const QString& host, const QList<QSslError>& errors, const Connection& connection) {
    const std::string server = host.toStdString();
    const auto first =
        std::min_element(errors.begin(), errors.end(), [](const QSslError& a, const QSslError& b) {
            return weight(a.error()) < weight(b.error());
        });
    if (first == errors.end())
        return server + ": the TLS connection failed; check that the port serves HTTPS";
    const QSslCertificate certificate = first->certificate();
    const std::string wayOut = connection.caFile.empty() ? "; give its CA file, if it is one of your own"
                                                         : "; the CA file " + connection.caFile +
                                                               " does not hold the authority that signed it";
    switch (first->error()) {
    case QSslError::HostNameMismatch:
        return server + ": the certificate is for another host (" + namesOf(certificate) +
               "); use one of these names in the URL, or give the server a certificate for " + server;
    case QSslError::CertificateExpired:
        return server + ": the certificate has expired on " + day(certificate.expiryDate()) +
               "; renew it on the server, or set this computer's clock if that is wrong";
    case QSslError::CertificateNotYetValid:
        return server + ": the certificate is not valid before " + day(certificate.effectiveDate()) +
               "; check this computer's clock";
    case QSslError::SelfSignedCertificate:
    case QSslError::SelfSignedCertificateInChain:
        return server +
               ": the certificate is self-signed or signed by an authority that is not trusted here" + wayOut;
    case QSslError::UnableToGetLocalIssuerCertificate:
    case QSslError::UnableToGetIssuerCertificate:
    case QSslError::UnableToVerifyFirstCertificate:
        return server + ": the certificate was signed by an authority that is not known here" + wayOut;
    default:
        return server + ": the certificate is refused: " + excerptOf(first->errorString().toStdString()) +
               wayOut;
    }
}

} // namespace alidade::data
