// SPDX-License-Identifier: GPL-3.0-or-later
#include "test_certificates.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QtNetwork/QSslCertificate>
#include <QtNetwork/QSslKey>

namespace alidade::test {

namespace {

bool writeText(const QString& name, const QByteArray& text) {
    QFile out(name);
    return out.open(QIODevice::WriteOnly) && out.write(text) == text.size();
}

QByteArray readBytes(const QString& name) {
    QFile in(name);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

const QStringList newKey{QStringLiteral("-newkey"), QStringLiteral("ec"), QStringLiteral("-pkeyopt"),
                         QStringLiteral("ec_paramgen_curve:prime256v1"), QStringLiteral("-nodes")};

} // namespace

TestCertificates::TestCertificates(const QString& folder)
    : folder_(folder) {
    // `openssl ca` is the one command of OpenSSL 3.0 that makes certificates of the past.
    const QByteArray settings =
        "[req]\ndistinguished_name=dn\n[dn]\n[ca]\ndefault_ca=own\n[own]\n"
        "database=" +
        QFile::encodeName(file("index.txt")) + "\nnew_certs_dir=" + QFile::encodeName(folder) +
        "\nserial=" + QFile::encodeName(file("serial")) +
        "\ndefault_md=sha256\ndefault_days=30\npolicy=any\ncopy_extensions=copy\nunique_subject=no\n"
        "[any]\ncommonName=supplied\n";
    made_ =
        writeText(file("own.cnf"), settings) && writeText(file("index.txt"), "") &&
        writeText(file("serial"), "1000\n") && authorityNamed("ca") && authorityNamed("other") &&
        certificate("good", "IP:127.0.0.1,DNS:localhost", {QStringLiteral("-days"), QStringLiteral("30")}) &&
        certificate("stranger", "DNS:elsewhere.example", {QStringLiteral("-days"), QStringLiteral("30")}) &&
        certificate("expired", "IP:127.0.0.1",
                    {QStringLiteral("-startdate"), QStringLiteral("20200101000000Z"),
                     QStringLiteral("-enddate"), QStringLiteral("20200201000000Z")}) &&
        run(QStringList{QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-days"),
                        QStringLiteral("30")} +
            newKey +
            QStringList{QStringLiteral("-subj"), QStringLiteral("/CN=self"), QStringLiteral("-addext"),
                        QStringLiteral("subjectAltName=IP:127.0.0.1"), QStringLiteral("-keyout"),
                        file("self.key"), QStringLiteral("-out"), file("self.pem")});
}

QString TestCertificates::file(const char* name) const {
    return QDir(folder_).filePath(QString::fromLatin1(name));
}

bool TestCertificates::run(const QStringList& arguments) const {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral("openssl"), arguments);
    const bool good = process.waitForFinished(30'000) && process.exitCode() == 0;
    if (!good)
        qWarning("openssl %s: %s", qPrintable(arguments.join(QLatin1Char(' '))),
                 process.readAll().constData());
    return good;
}

bool TestCertificates::authorityNamed(const char* name) const {
    const QString base = file(name);
    return run(QStringList{QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-days"),
                           QStringLiteral("30")} +
               newKey +
               QStringList{QStringLiteral("-subj"),
                           QString(QStringLiteral("/CN=Test authority ") + QString::fromLatin1(name)),
                           QStringLiteral("-addext"), QStringLiteral("keyUsage=critical,keyCertSign,cRLSign"),
                           QStringLiteral("-keyout"), QString(base + QStringLiteral(".key")),
                           QStringLiteral("-out"), QString(base + QStringLiteral(".pem"))});
}

bool TestCertificates::certificate(const char* name, const char* alternativeNames,
                                   const QStringList& validity) const {
    const QString base = file(name);
    return run(QStringList{QStringLiteral("req"), QStringLiteral("-new")} + newKey +
               QStringList{QStringLiteral("-subj"), QStringLiteral("/CN=server"), QStringLiteral("-addext"),
                           QString(QStringLiteral("subjectAltName=") + QString::fromLatin1(alternativeNames)),
                           QStringLiteral("-keyout"), QString(base + QStringLiteral(".key")),
                           QStringLiteral("-out"), QString(base + QStringLiteral(".csr"))}) &&
           run(QStringList{QStringLiteral("ca"), QStringLiteral("-batch"), QStringLiteral("-notext"),
                           QStringLiteral("-config"), file("own.cnf"), QStringLiteral("-cert"),
                           file("ca.pem"), QStringLiteral("-keyfile"), file("ca.key"), QStringLiteral("-in"),
                           QString(base + QStringLiteral(".csr")), QStringLiteral("-out"),
                           QString(base + QStringLiteral(".pem"))} +
               validity);
}

std::optional<QSslConfiguration> TestCertificates::server(const char* name) const {
    const QString base = file(name);
    const QByteArray pem = readBytes(base + QStringLiteral(".pem"));
    const QSslKey key(readBytes(base + QStringLiteral(".key")), QSsl::Ec);
    QSslConfiguration out = QSslConfiguration::defaultConfiguration();
    out.setLocalCertificateChain(QSslCertificate::fromData(pem));
    out.setPrivateKey(key);
    out.setPeerVerifyMode(QSslSocket::VerifyNone); // of clients
    return out;
}

} // namespace alidade::test
