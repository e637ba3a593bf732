// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/credentials/secret_store.h"

#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/prometheus/redaction.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace alidade::data {

namespace {

using Json = nlohmann::json;
using Place = SecretPlace::Place;

/// One entry of the keyring holds all secrets of a connection, so that a person unlocks it once.
/// Nothing if they are not UTF-8.
std::optional<std::string> secretDocument(const Credentials& credentials) {
    Json headers = Json::array();
    for (const auto& [name, value] : credentials.headers)
        headers.push_back({{"name", name}, {"value", value}});
    const Json document{{"alidade", 1},
                        {"password", credentials.password},
                        {"token", credentials.token},
                        {"access_key", credentials.accessKey},
                        {"secret_key", credentials.secretKey},
                        {"session_token", credentials.sessionToken},
                        {"headers", std::move(headers)}};
    try {
        return document.dump();
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

std::optional<Credentials> readDocument(const std::string& text) {
    const Result<Json> json = parseJson(text, {.bytes = 1U << 20});
    if (!json || !json->is_object())
        return std::nullopt;
    try {
        Credentials out;
        out.password = json->value("password", "");
        out.token = json->value("token", "");
        out.accessKey = json->value("access_key", "");
        out.secretKey = json->value("secret_key", "");
        out.sessionToken = json->value("session_token", "");
        for (const Json& header : json->value("headers", Json::array()))
            out.headers.emplace_back(header.at("name").get<std::string>(),
                                     header.at("value").get<std::string>());
        return out;
    } catch (const Json::exception&) {
        return std::nullopt;
    }
}

/// "the system's keyring does not answer (no such service)".
std::string keyringTrouble(const Keyring::Answer& answer) {
    const std::string why = answer.why.empty() ? "" : " (" + excerptOf(answer.why, 160) + ")";
    return (answer.outcome == Keyring::Outcome::denied ? "the system's keyring refuses access"
                                                       : "no keyring responds") +
           why;
}

std::pair<Credentials, SecretPlace> secretsOf(const std::string& name, Keyring::Answer answer) {
    if (answer.outcome == Keyring::Outcome::done) {
        std::optional<Credentials> found = readDocument(answer.secret);
        if (found)
            return {std::move(*found), {Place::keyring, ""}};
        return {{},
                {Place::nowhere,
                 "what the keyring holds for '" + name + "' cannot be read; enter the secrets again"}};
    }
    if (answer.outcome == Keyring::Outcome::absent)
        return {{}, {Place::nowhere, "no secrets are kept for '" + name + "'; enter them again"}};
    return {{}, {Place::nowhere, "the secrets of '" + name + "' cannot be read: " + keyringTrouble(answer)}};
}

} // namespace

struct SecretStore::State {
    /// Brings answers of other threads to the store's own as long as it is there.
    class Mailbox {
    public:
        explicit Mailbox(QObject& target)
            : target_(&target) {}
        void close() {
            const std::lock_guard lock(mutex_);
            target_ = nullptr;
        }
        void post(std::function<void()> work) {
            const std::lock_guard lock(mutex_);
            if (target_ != nullptr)
                QMetaObject::invokeMethod(target_, std::move(work), Qt::QueuedConnection);
        }

    private:
        std::mutex mutex_;
        QObject* target_;
    };

    std::unique_ptr<Keyring> keyring;
    int timeoutMs = 0;
    QObject context;
    std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>(context);
    std::map<std::string, Credentials> memory;

    /// For the keyring to answer to: `then` runs on this thread, once, and at the latest when the time is
    /// over.
    Keyring::Done inTime(std::function<void(Keyring::Answer)> then) {
        const auto waiting = std::make_shared<std::function<void(Keyring::Answer)>>(std::move(then));
        const auto settle = [waiting](Keyring::Answer answer) {
            if (*waiting)
                std::exchange(*waiting, nullptr)(std::move(answer));
        };
        QTimer::singleShot(timeoutMs, &context, [settle, ms = timeoutMs] {
            settle(
                {Keyring::Outcome::unavailable, "", "no answer within " + std::to_string(ms / 1000) + " s"});
        });
        return [box = mailbox, settle](Keyring::Answer answer) {
            box->post([settle, answer = std::move(answer)] { settle(answer); });
        };
    }
    void forget(const std::string& name) {
        if (const auto at = memory.find(name); at != memory.end()) {
            wipe(at->second);
            memory.erase(at);
        }
    }
};

SecretStore::SecretStore(std::unique_ptr<Keyring> keyring, double timeoutS)
    : state_(std::make_unique<State>()) {
    state_->keyring = std::move(keyring);
    state_->timeoutMs = static_cast<int>(timeoutS * 1000);
}

SecretStore::~SecretStore() {
    state_->mailbox->close();
    while (!state_->memory.empty())
        state_->forget(state_->memory.begin()->first);
}

void SecretStore::read(const std::string& name, std::function<void(Credentials, SecretPlace)> done) {
    if (const auto at = state_->memory.find(name); at != state_->memory.end()) {
        state_->mailbox->post([done = std::move(done), found = at->second] {
            done(found, {Place::memory, "kept in memory only, until the program ends"});
        });
        return;
    }
    state_->keyring->read(name, state_->inTime([name, done = std::move(done)](Keyring::Answer answer) {
        auto [credentials, place] = secretsOf(name, std::move(answer));
        done(std::move(credentials), std::move(place));
    }));
}

void SecretStore::write(const std::string& name, Credentials credentials,
                        std::function<void(SecretPlace)> done) {
    std::optional<std::string> document = secretDocument(credentials);
    state_->memory[name] = std::move(credentials); // at hand at once, whatever the keyring says later
    State* state = state_.get();
    const auto inMemory = [name](const std::string& why) {
        return SecretPlace{Place::memory, "The secrets of '" + name +
                                              "' are kept in memory only, until the program ends: " + why +
                                              "."};
    };
    if (!document) {
        state_->mailbox->post(
            [done = std::move(done), place = inMemory("they are not valid UTF-8")] { done(place); });
        return;
    }
    // `state` outlives the answer: none comes after the store is gone.
    state_->keyring->write(
        name, *document,
        state_->inTime([state, name, inMemory, done = std::move(done)](Keyring::Answer answer) {
            if (answer.outcome != Keyring::Outcome::done)
                return done(inMemory(keyringTrouble(answer)));
            state->forget(name);
            done({Place::keyring, ""});
        }));
}

void SecretStore::remove(const std::string& name, std::function<void(SecretPlace)> done) {
    state_->forget(name);
    state_->keyring->remove(name, state_->inTime([name, done = std::move(done)](Keyring::Answer answer) {
        const bool gone =
            answer.outcome == Keyring::Outcome::done || answer.outcome == Keyring::Outcome::absent;
        done({Place::nowhere, gone ? ""
                                   : "whether the keyring still holds secrets of '" + name +
                                         "' is not known: " + keyringTrouble(answer)});
    }));
}

std::pair<Credentials, SecretPlace> readSecrets(const std::string& name, double timeoutS) {
    struct Wait {
        std::mutex mutex;
        std::condition_variable answered;
        std::optional<Keyring::Answer> answer;
    };
    const auto wait = std::make_shared<Wait>(); // a late answer still finds it
    const std::unique_ptr<Keyring> keyring = systemKeyring();
    keyring->read(name, [wait](Keyring::Answer answer) {
        const std::lock_guard lock(wait->mutex);
        wait->answer = std::move(answer);
        wait->answered.notify_one();
    });
    std::unique_lock lock(wait->mutex);
    if (!wait->answered.wait_for(lock, std::chrono::duration<double>(timeoutS),
                                 [&] { return wait->answer.has_value(); }))
        return secretsOf(name, {Keyring::Outcome::unavailable, "", "no answer within the time"});
    return secretsOf(name, std::move(*wait->answer));
}

} // namespace alidade::data
