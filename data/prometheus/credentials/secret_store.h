// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace alidade::data {

/// The system's place for secrets. Each call answers once, on any thread, or never.
class Keyring {
public:
    enum class Outcome : unsigned char { done, absent, denied, unavailable };
    struct Answer {
        Outcome outcome = Outcome::done;
        std::string secret; ///< of a reading that is done
        std::string why;    ///< the system's words of a failure
    };
    using Done = std::function<void(Answer)>;

    Keyring() = default;
    virtual ~Keyring() = default;
    Keyring(const Keyring&) = delete;
    Keyring& operator=(const Keyring&) = delete;
    virtual void read(const std::string& key, Done done) = 0;
    virtual void write(const std::string& key, const std::string& secret, Done done) = 0;
    virtual void remove(const std::string& key, Done done) = 0;
};

/// The keyring of the desktop (Secret Service or KWallet, by QtKeychain, never its plain text file).
std::unique_ptr<Keyring> systemKeyring();

/// What a person should know of where the secrets are now.
struct SecretPlace {
    enum class Place : unsigned char { keyring, memory, nowhere };
    Place place = Place::nowhere;
    std::string message; ///< for a person, where it is not the keyring; never a secret
};

/// Keeps the Credentials of saved connections: in the system's keyring, else in memory until the program
/// ends, and then says so. No call blocks. The answer comes once, on the thread of the call, from its event
/// loop, at the latest when the time is over; none comes after the store is gone.
class SecretStore {
public:
    /// \param timeoutS until a keyring that does not answer counts as absent; a person may have to unlock it
    explicit SecretStore(std::unique_ptr<Keyring> keyring = systemKeyring(), double timeoutS = 60);
    ~SecretStore();
    SecretStore(const SecretStore&) = delete;
    SecretStore& operator=(const SecretStore&) = delete;

    /// By the name of a connection, which must not be empty. Of what is in neither place: empty credentials,
    /// `nowhere`, and why.
    void read(const std::string& name, std::function<void(Credentials, SecretPlace)> done);
    void write(const std::string& name, Credentials credentials, std::function<void(SecretPlace)> done);
    /// From both places. `nowhere` with an empty message: it is gone.
    void remove(const std::string& name, std::function<void(SecretPlace)> done);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The same for the command line, from the system's keyring: waits. Not on the GUI thread. Needs a
/// QCoreApplication.
std::pair<Credentials, SecretPlace> readSecrets(const std::string& name, double timeoutS = 60);

} // namespace alidade::data
