// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/credentials/aws_credentials.h"

#include "data/json/file.h"
#include "data/json/reader.h"

#include <QDir>
#include <QString>

#include <optional>
#include <string_view>
#include <vector>

namespace alidade::data {

namespace {

std::string_view trimmedLine(std::string_view line) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!line.empty() && blank(line.front()))
        line.remove_prefix(1);
    while (!line.empty() && blank(line.back()))
        line.remove_suffix(1);
    return line;
}

struct ProfileReading {
    std::optional<Credentials> found;
    std::vector<std::string> profiles;
};

/// The shared credentials file is of the INI kind: "[profile]", then "key = value"; "#" or ";" begins a
/// comment.
ProfileReading readProfile(std::string_view content, const std::string& wanted) {
    ProfileReading out;
    bool inside = false;
    while (!content.empty()) {
        const std::size_t end = std::min(content.find('\n'), content.size());
        const std::string_view line = trimmedLine(content.substr(0, end));
        content.remove_prefix(std::min(end + 1, content.size()));
        if (line.empty() || line.front() == '#' || line.front() == ';')
            continue;
        if (line.front() == '[') {
            out.profiles.emplace_back(trimmedLine(line.substr(1, std::min(line.find(']'), line.size()) - 1)));
            inside = out.profiles.back() == wanted;
            if (inside)
                out.found.emplace();
            continue;
        }
        const std::size_t equals = line.find('=');
        if (!inside || equals == std::string_view::npos)
            continue;
        const std::string_view key = trimmedLine(line.substr(0, equals));
        const std::string value(trimmedLine(line.substr(equals + 1)));
        if (key == "aws_access_key_id")
            out.found->accessKey = value;
        else if (key == "aws_secret_access_key")
            out.found->secretKey = value;
        else if (key == "aws_session_token")
            out.found->sessionToken = value;
    }
    return out;
}

std::string systemEnvironment(const std::string& name) { return qgetenv(name.c_str()).toStdString(); }

} // namespace

Result<Credentials> awsCredentials(const std::string& profile, const Environment& given) {
    const Environment environment = given ? given : Environment(systemEnvironment);
    Credentials keys{.accessKey = environment("AWS_ACCESS_KEY_ID"),
                     .secretKey = environment("AWS_SECRET_ACCESS_KEY"),
                     .sessionToken = environment("AWS_SESSION_TOKEN")};
    if (profile.empty() && !keys.accessKey.empty() && !keys.secretKey.empty())
        return keys;
    if (profile.empty() && keys.accessKey.empty() != keys.secretKey.empty())
        return Error{std::string(
            "only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set; set both, or neither "
            "for the shared credentials file")};
    std::string wanted = profile.empty() ? environment("AWS_PROFILE") : profile;
    if (wanted.empty())
        wanted = "default";
    std::string file = environment("AWS_SHARED_CREDENTIALS_FILE");
    if (file.empty()) {
        const std::string home = environment("HOME");
        file = (home.empty() ? QDir::homePath().toStdString() : home) + "/.aws/credentials";
    }
    const Result<std::string> content = readFile(file, 1U << 20);
    if (!content)
        return Error{
            "no AWS keys: AWS_ACCESS_KEY_ID is not set, and " + file + ": " + content.error() +
            "; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile of the shared file"};
    ProfileReading reading = readProfile(*content, wanted);
    if (!reading.found)
        return Error{file + ": has no profile '" + wanted + "'" + suggestion(wanted, reading.profiles)};
    if (reading.found->accessKey.empty() || reading.found->secretKey.empty())
        return Error{file + ": the profile '" + wanted +
                     "' has no aws_access_key_id with an aws_secret_access_key; a profile with sso or a role "
                     "gives keys "
                     "by: aws configure export-credentials --format env"};
    return *std::move(reading.found);
}

} // namespace alidade::data
