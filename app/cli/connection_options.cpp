// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/connection_options.h"

#include "app/cli/inputs.h"
#include "app/cli/session.h"
#include "data/json/file.h"
#include "data/prometheus/connection_json.h"
#include "data/prometheus/credentials/aws_credentials.h"
#include "data/prometheus/credentials/secret_store.h"

#include <QCoreApplication>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

namespace alidade::cli {

namespace {

using data::Authentication;

[[noreturn]] void refuseOption(const std::string& option, const std::string& fault) {
    throw Failure(Failure::request, option + ": " + fault);
}

/// The network and the keyring want one. It lives as long as the program.
void ensureApplication() {
    if (QCoreApplication::instance() == nullptr) {
        static char name[] = "alidade";
        static char* words[] = {name, nullptr};
        static int count = 1;
        static const QCoreApplication application(count, words);
    }
}

/// The one line of a file that holds a secret. Its name is not repeated in an error: it may be the secret
/// itself, given by mistake.
std::string secretIn(const std::string& file, const std::string& option) {
    constexpr std::size_t longest = 64U << 10;
    const Result<std::string> content = data::readFile(file, longest);
    if (!content)
        refuseOption(option,
                     content.error() +
                         "; it takes the name of a file that holds the secret, never the secret itself "
                         "(your input is not repeated, because it could be one)");
    noteInput(file);
    std::string secret = *content;
    while (secret.ends_with('\n') || secret.ends_with('\r'))
        secret.pop_back();
    if (secret.empty())
        refuseOption(option, "the file is empty; it holds the secret on one line");
    if (secret.find_first_of("\r\n") != std::string::npos)
        refuseOption(option, "the file has more than one line; it holds the secret on one line");
    return secret;
}

std::pair<std::string, std::string> headerFrom(const std::string& setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size())
        refuseOption("--header-env", "takes NAME=ENVVAR, such as X-Scope-OrgID=TENANT, where the environment "
                                     "variable TENANT holds the value (your input is not repeated)");
    const std::string name = setting.substr(0, equals);
    if (!qEnvironmentVariableIsSet(setting.c_str() + equals + 1))
        refuseOption("--header-env",
                     "the environment variable for the header '" + name +
                         "' is not set; it takes NAME=ENVVAR, the variable's name and not the value");
    return {name, qgetenv(setting.c_str() + equals + 1).toStdString()};
}

bool sameName(const std::string& a, const std::string& b) {
    return QString::fromStdString(a).compare(QString::fromStdString(b), Qt::CaseInsensitive) == 0;
}

/// The connection as it is saved, or a new one.
data::Connection startingPoint(const ConnectionOptions& options) {
    if (!options.given())
        refuseOption("--prometheus",
                     "no server is named; give its URL, or a saved connection by --connection NAME");
    if (options.connection.empty())
        return {.url = options.url};
    if (!options.url.empty())
        refuseOption("--prometheus",
                     "cannot be used with --connection, which has its own URL; leave one of them out");
    Result<data::Connection> saved = data::namedConnection(options.connection);
    if (!saved)
        refuseOption("--connection", saved.error());
    return *std::move(saved);
}

void refuseContradictions(const ConnectionOptions& options) {
    const bool basic = !options.user.empty() || !options.passwordFile.empty();
    if (!options.tokenFile.empty() && basic)
        refuseOption("--token-file",
                     "cannot be used with --user and --password-file; choose one authentication");
    if (!options.region.empty() && (basic || !options.tokenFile.empty()))
        refuseOption("--sigv4-region",
                     "cannot be used with a token or a password; choose one authentication");
}

/// What the arguments say of the server and of who asks, without secrets.
void applyOptions(const ConnectionOptions& options, data::Connection& connection) {
    if (!options.tokenFile.empty()) {
        connection.authentication = Authentication::bearer;
    } else if (!options.region.empty()) {
        connection.authentication = Authentication::sigv4;
        connection.region = options.region;
    } else if (!options.user.empty() || !options.passwordFile.empty()) {
        connection.authentication = Authentication::basic;
        if (!options.user.empty())
            connection.user = options.user;
        if (connection.user.empty())
            refuseOption("--password-file", "needs a user name; give --user");
    }
    if (!options.caFile.empty()) {
        noteInput(options.caFile);
        connection.caFile = options.caFile;
    }
}

void check(const ConnectionOptions& options, const data::Connection& connection) {
    const std::string place = options.connection.empty() ? "--prometheus" : "--connection";
    if (const std::string fault = data::faultOf(data::Connection{.url = connection.url}); !fault.empty())
        refuseOption(place, fault);
    data::Connection bare = connection;
    bare.headers.clear();
    if (const std::string fault = data::faultOf(bare); !fault.empty())
        refuseOption(!options.region.empty() ? "--sigv4-region"
                     : !options.user.empty() ? "--user"
                                             : place,
                     fault);
    if (const std::string fault = data::faultOf(connection); !fault.empty())
        refuseOption(options.headers.empty() ? place : "--header-env", fault);
    if (const std::string fault = data::authorityFault(connection.caFile); !fault.empty())
        refuseOption(options.caFile.empty() ? place : "--ca", connection.caFile + ": " + fault);
}

/// What the arguments name of the secrets.
void readGiven(const ConnectionOptions& options, OpenedConnection& opened) {
    if (!options.tokenFile.empty())
        opened.credentials.token = secretIn(options.tokenFile, "--token-file");
    if (!options.passwordFile.empty())
        opened.credentials.password = secretIn(options.passwordFile, "--password-file");
    auto& names = opened.connection.headers;
    for (const std::string& setting : options.headers) {
        opened.credentials.headers.push_back(headerFrom(setting));
        const std::string& name = opened.credentials.headers.back().first;
        if (std::none_of(names.begin(), names.end(),
                         [&](const std::string& known) { return sameName(known, name); }))
            names.push_back(name);
    }
}

/// What is kept, in the place of what no argument gave.
void fillFrom(const data::Credentials& kept, OpenedConnection& opened) {
    data::Credentials& given = opened.credentials;
    if (given.password.empty() && opened.connection.authentication == Authentication::basic)
        given.password = kept.password;
    if (given.token.empty() && opened.connection.authentication == Authentication::bearer)
        given.token = kept.token;
    if (given.secretKey.empty() && opened.connection.authentication == Authentication::sigv4) {
        given.accessKey = kept.accessKey;
        given.secretKey = kept.secretKey;
        given.sessionToken = kept.sessionToken;
    }
    for (const auto& header : kept.headers) {
        const bool there = std::any_of(given.headers.begin(), given.headers.end(), [&](const auto& known) {
            return sameName(known.first, header.first);
        });
        if (!there)
            given.headers.push_back(header);
    }
}

std::string optionOf(const OpenedConnection& opened) {
    switch (opened.connection.authentication) {
    case Authentication::basic:
        return opened.credentials.password.empty() ? "--user" : "--password-file";
    case Authentication::bearer:
        return "--token-file";
    case Authentication::sigv4:
        return "--sigv4-region";
    case Authentication::none:
        break;
    }
    return "--header-env";
}

} // namespace

void addConnectionOptions(CLI::App& command, ConnectionOptions& options) {
    const auto group = [](CLI::Option* option, const char* type) {
        option->type_name(type)->group("Server");
        return option;
    };
    group(command.add_option("--prometheus", options.url,
                             "Server with the HTTP API of Prometheus, the part of its URL before /api/v1"),
          "URL");
    group(command.add_option("--connection", options.connection,
                             "A server that is saved in the window, with its secrets in the keyring"),
          "NAME");
    group(command.add_option("--token-file", options.tokenFile, "File with a bearer token"), "FILE");
    group(command.add_option("--user", options.user, "User of basic authentication"), "NAME");
    group(command.add_option("--password-file", options.passwordFile, "File with the user's password"),
          "FILE");
    group(command.add_option("--header-env", options.headers,
                             "A further header, whose value an environment variable holds; may be repeated"),
          "NAME=ENVVAR")
        ->allow_extra_args(false);
    group(command.add_option("--ca", options.caFile,
                             "Certificates (PEM) to trust instead of the system's authorities"),
          "FILE");
    group(command.add_option("--sigv4-region", options.region,
                             "Sign for Amazon Managed Prometheus, with the AWS keys of the environment or of "
                             "~/.aws/credentials"),
          "REGION");
}

OpenedConnection openConnection(const ConnectionOptions& options) {
    refuseContradictions(options);
    ensureApplication(); // before anything loads TLS, which certificates do
    OpenedConnection out;
    out.connection = startingPoint(options);
    applyOptions(options, out.connection);
    readGiven(options, out);
    check(options, out.connection);

    std::string noKeys;
    if (out.connection.authentication == Authentication::sigv4) {
        const Result<data::Credentials> keys = data::awsCredentials(out.connection.awsProfile);
        noKeys = keys.error();
        if (keys)
            fillFrom(*keys, out);
    }
    std::string fault = data::faultOf(out.connection, out.credentials);
    if (!fault.empty() && !options.connection.empty()) {
        const auto [kept, place] = data::readSecrets(options.connection);
        fillFrom(kept, out);
        fault = data::faultOf(out.connection, out.credentials);
        if (!fault.empty() && !place.message.empty())
            throw Failure(Failure::environment, "--connection " + options.connection + ": " + place.message +
                                                    "; or give " + optionOf(out) + " beside it");
    }
    if (!fault.empty() && !noKeys.empty())
        refuseOption("--sigv4-region", noKeys);
    if (!fault.empty() && out.connection.authentication == Authentication::basic &&
        out.credentials.password.empty())
        refuseOption("--user", "needs a password; give --password-file FILE");
    if (!fault.empty())
        refuseOption(optionOf(out), fault);
    return out;
}

} // namespace alidade::cli
