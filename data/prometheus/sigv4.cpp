// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/sigv4.h"

#include <QCryptographicHash>
#include <QMessageAuthenticationCode>

#include <algorithm>
#include <map>

namespace alidade::data {

namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";

std::string sha256Hex(std::string_view text) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QByteArrayView(text.data(), static_cast<qsizetype>(text.size())));
    return hash.result().toHex().toStdString();
}

QByteArray hmac(const QByteArray& key, std::string_view text) {
    return QMessageAuthenticationCode::hash(QByteArray(text.data(), static_cast<qsizetype>(text.size())), key,
                                            QCryptographicHash::Sha256);
}

bool isUnreserved(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

int hexDigit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

std::string percentDecoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = text[i] == '%' && i + 2 < text.size() ? hexDigit(text[i + 1]) : -1;
        const int low = high >= 0 ? hexDigit(text[i + 2]) : -1;
        if (low >= 0) {
            out += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

/// Without empty, "." and ".." steps.
std::string normalized(std::string_view path) {
    std::vector<std::string_view> steps;
    const bool folder = path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..");
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        const std::string_view step = path.substr(0, end);
        path.remove_prefix(std::min(end + 1, path.size()));
        if (step == "..") {
            if (!steps.empty())
                steps.pop_back();
        } else if (!step.empty() && step != ".") {
            steps.push_back(step);
        }
    }
    std::string out;
    for (const std::string_view step : steps)
        out.append("/").append(step);
    return folder || out.empty() ? out + '/' : out;
}

std::string canonicalQuery(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> fields;
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view field = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (field.empty())
            continue;
        const std::size_t equals = std::min(field.find('='), field.size());
        const std::string_view value = field.substr(std::min(equals + 1, field.size()));
        fields.emplace_back(percentEncoded(percentDecoded(field.substr(0, equals))),
                            percentEncoded(percentDecoded(value)));
    }
    std::sort(fields.begin(), fields.end());
    std::string out;
    for (const auto& [name, value] : fields)
        out.append(out.empty() ? "" : "&").append(name).append("=").append(value);
    return out;
}

std::string lowerCase(std::string text) {
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

/// Without space at the ends, and with one in the place of several.
std::string trimmedValue(std::string_view value) {
    std::string out;
    for (const char c : value) {
        const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!space)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    while (out.ends_with(' '))
        out.pop_back();
    return out;
}

} // namespace

std::string percentEncoded(std::string_view text, bool keepSlash) {
    constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        if (isUnreserved(c) || (keepSlash && c == '/')) {
            out += c;
        } else {
            out += '%';
            out += digits[(static_cast<unsigned char>(c) >> 4) & 15];
            out += digits[static_cast<unsigned char>(c) & 15];
        }
    }
    return out;
}

SigV4Signature sign(const SignableRequest& request, const SigningScope& scope,
                    const Credentials& credentials) {
    const std::string bodyHash = sha256Hex(request.body);
    SigV4Signature out;
    out.headers = request.headers;
    out.headers.emplace_back("X-Amz-Date", scope.time);
    if (!credentials.sessionToken.empty())
        out.headers.emplace_back("X-Amz-Security-Token", credentials.sessionToken);
    if (scope.sendBodyHash)
        out.headers.emplace_back("X-Amz-Content-Sha256", bodyHash);

    std::map<std::string, std::string> headers; // sorted; the values of one name in their order
    for (const auto& [name, value] : out.headers) {
        const auto [at, added] = headers.try_emplace(lowerCase(name), trimmedValue(value));
        if (!added)
            at->second += "," + trimmedValue(value);
    }
    std::string lines, names;
    for (const auto& [name, value] : headers) {
        lines.append(name).append(":").append(value).append("\n");
        names.append(names.empty() ? "" : ";").append(name);
    }
    const std::string path = scope.normalizePath ? normalized(request.path) : request.path;
    out.canonicalRequest = request.method + "\n" + percentEncoded(path.empty() ? "/" : path, true) + "\n" +
                           canonicalQuery(request.query) + "\n" + lines + "\n" + names + "\n" + bodyHash;

    const std::string date = scope.time.substr(0, scope.time.find('T'));
    const std::string range = date + "/" + scope.region + "/" + scope.service + "/aws4_request";
    out.stringToSign =
        std::string(algorithm) + "\n" + scope.time + "\n" + range + "\n" + sha256Hex(out.canonicalRequest);
    QByteArray key = QByteArray::fromStdString("AWS4" + credentials.secretKey);
    for (const std::string& step : {date, scope.region, scope.service, std::string("aws4_request")})
        key = hmac(key, step);
    out.signature = hmac(key, out.stringToSign).toHex().toStdString();
    out.headers.emplace_back("Authorization",
                             std::string(algorithm) + " Credential=" + credentials.accessKey + "/" + range +
                                 ", SignedHeaders=" + names + ", Signature=" + out.signature);
    return out;
}

} // namespace alidade::data
