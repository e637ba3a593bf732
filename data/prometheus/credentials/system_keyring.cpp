// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/credentials/secret_store.h"

#include <QObject>
#include <QString>
#include <QThread>
#include <qt6keychain/keychain.h>

#include <utility>

namespace alidade::data {

namespace {

/// The thread of all keyring jobs. QtKeychain queues them in one object that belongs to the thread of the
/// first job, and its backends may block in D-Bus; so there is one thread, and it lives as long as the
/// program: a keyring that hangs delays nothing, not even at the end.
QObject& keyringThread() {
    static QObject* const context = [] {
        auto* thread = new QThread;
        thread->setObjectName(QStringLiteral("keyring"));
        auto* object = new QObject;
        object->moveToThread(thread);
        thread->start();
        return object;
    }();
    return *context;
}

Keyring::Answer answerOf(const QKeychain::Job& job) {
    Keyring::Answer out;
    switch (job.error()) {
    case QKeychain::NoError:
        return out;
    case QKeychain::EntryNotFound:
        out.outcome = Keyring::Outcome::absent;
        return out;
    case QKeychain::AccessDeniedByUser:
    case QKeychain::AccessDenied:
        out.outcome = Keyring::Outcome::denied;
        break;
    case QKeychain::CouldNotDeleteEntry:
    case QKeychain::NoBackendAvailable:
    case QKeychain::NotImplemented:
    case QKeychain::OtherError:
        out.outcome = Keyring::Outcome::unavailable;
        break;
    }
    out.why = job.errorString().toStdString();
    return out;
}

class SystemKeyring : public Keyring {
public:
    void read(const std::string& key, Done done) override {
        post([key, done = std::move(done)] {
            auto* job = new QKeychain::ReadPasswordJob(service());
            start(*job, key, [job, done] {
                Answer answer = answerOf(*job);
                answer.secret = job->textData().toStdString();
                done(std::move(answer));
            });
        });
    }
    void write(const std::string& key, const std::string& secret, Done done) override {
        post([key, secret, done = std::move(done)] {
            auto* job = new QKeychain::WritePasswordJob(service());
            job->setTextData(QString::fromStdString(secret));
            start(*job, key, [job, done] { done(answerOf(*job)); });
        });
    }
    void remove(const std::string& key, Done done) override {
        post([key, done = std::move(done)] {
            auto* job = new QKeychain::DeletePasswordJob(service());
            start(*job, key, [job, done] { done(answerOf(*job)); });
        });
    }

private:
    static QString service() { return QStringLiteral("Alidade"); }

    template <class Work>
    static void post(Work work) {
        QMetaObject::invokeMethod(&keyringThread(), std::move(work), Qt::QueuedConnection);
    }

    template <class Finished>
    static void start(QKeychain::Job& job, const std::string& key, Finished finished) {
        job.setInsecureFallback(false); // never the plain text of QSettings
        job.setKey(QString::fromStdString(key));
        QObject::connect(&job, &QKeychain::Job::finished, &job, std::move(finished));
        job.start();
    }
};

} // namespace

std::unique_ptr<Keyring> systemKeyring() { return std::make_unique<SystemKeyring>(); }

} // namespace alidade::data
