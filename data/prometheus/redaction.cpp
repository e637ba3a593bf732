// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/redaction.h"

#include "data/prometheus/sigv4.h"

#include <QByteArray>

#include <algorithm>

namespace alidade::data {

namespace {

constexpr std::size_t shortest = 4; // bytes of a secret that can be replaced in a text
constexpr std::string_view instead = "[secret]";
constexpr std::string_view withheld =
    "[withheld: this text holds a secret that is too short to be taken out of it]";

std::string base64(const std::string& text) {
    return QByteArray::fromStdString(text).toBase64().toStdString();
}

std::string lowerHex(std::string encoded) {
    for (std::size_t i = 0; i + 2 < encoded.size(); ++i) {
        if (encoded[i] == '%')
            for (std::size_t k = i + 1; k <= i + 2; ++k)
                encoded[k] =
                    encoded[k] >= 'A' && encoded[k] <= 'F' ? static_cast<char>(encoded[k] + 32) : encoded[k];
    }
    return encoded;
}

/// As it stands inside a string of JSON. \param web also "<", ">", "&" and "/", as the encoders of Go and PHP
/// do
std::string jsonEscaped(const std::string& text, bool web) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\' || (web && c == '/')) {
            out += '\\';
            out += c;
        } else if (web && (c == '<' || c == '>' || c == '&')) {
            out += "\\u00";
            out += digits[(c >> 4) & 15];
            out += digits[c & 15];
        } else {
            out += c;
        }
    }
    return out;
}

std::string htmlEscaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&#34;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

void addForms(std::vector<std::string>& forms, const std::string& secret) {
    const std::string encoded = percentEncoded(secret);
    std::string goQuoted = jsonEscaped(secret, true);
    std::string goOnly = jsonEscaped(secret, true);
    for (std::size_t at = 0; (at = goOnly.find("\\/", at)) != std::string::npos;)
        goOnly.erase(at, 1);
    for (std::string form :
         {secret, encoded, lowerHex(encoded), percentEncoded(secret, true), jsonEscaped(secret, false),
          std::move(goQuoted), std::move(goOnly), htmlEscaped(secret), base64(secret)})
        forms.push_back(std::move(form));
}

bool isUtf8Tail(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Bytes of the character that begins here; 0: no UTF-8.
std::size_t characterAt(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if (!isUtf8Tail(text[i]))
            return 0;
    return length;
}

} // namespace

Redaction::Redaction(const Connection& connection, const Credentials& credentials) {
    std::vector<std::string> plain{credentials.password, credentials.token, credentials.secretKey,
                                   credentials.sessionToken, credentials.accessKey};
    for (const auto& header : credentials.headers)
        plain.push_back(header.second);
    for (const std::string& secret : plain) {
        if (secret.empty())
            continue;
        if (secret.size() < shortest)
            short_.push_back(secret);
        else
            addForms(secrets_, secret);
    }
    if (!credentials.password.empty())
        addForms(secrets_, base64(connection.user + ":" + credentials.password));
    const auto longerFirst = [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() > b.size() : a < b;
    };
    std::sort(secrets_.begin(), secrets_.end(), longerFirst);
    secrets_.erase(std::unique(secrets_.begin(), secrets_.end()), secrets_.end());
}

std::string Redaction::operator()(std::string text) const {
    for (const std::string& secret : secrets_)
        for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += instead.size())
            text.replace(at, secret.size(), instead);
    const bool holdsShort = std::any_of(short_.begin(), short_.end(), [&](const std::string& secret) {
        return text.find(secret) != std::string::npos;
    });
    return holdsShort ? std::string(withheld) : text;
}

std::string Redaction::ofBeginning(std::string text) const {
    text = (*this)(std::move(text));
    std::size_t cut = 0;
    for (const std::string& secret : secrets_) {
        for (std::size_t length = std::min(secret.size() - 1, text.size()); length > cut; --length) {
            if (text.ends_with(std::string_view(secret).substr(0, length))) {
                cut = length;
                break;
            }
        }
    }
    text.resize(text.size() - cut);
    return text;
}

std::string excerptOf(std::string_view text, std::size_t bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out;
    while (!text.empty() && out.size() < bytes) {
        const char c = text.front();
        const std::size_t length = characterAt(text);
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
            if (!out.empty() && !out.ends_with(' '))
                out += ' ';
            text.remove_prefix(1);
        } else if (length == 0 || (length == 1 && (c < 0x20 || c == 0x7F))) {
            out += "\\x";
            out += digits[(static_cast<unsigned char>(c) >> 4) & 15];
            out += digits[static_cast<unsigned char>(c) & 15];
            text.remove_prefix(1);
        } else {
            out += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    while (out.ends_with(' '))
        out.pop_back();
    return text.empty() ? out : out + " ...";
}

void wipe(Credentials& credentials) {
    const auto overwrite = [](std::string& text) {
        volatile char* bytes = text.data(); // volatile: a store to memory that dies is otherwise left out
        for (std::size_t i = 0; i < text.size(); ++i)
            bytes[i] = 0;
        text.clear();
    };
    for (std::string* text : {&credentials.password, &credentials.token, &credentials.accessKey,
                              &credentials.secretKey, &credentials.sessionToken})
        overwrite(*text);
    for (auto& header : credentials.headers)
        overwrite(header.second);
    credentials.headers.clear();
}

} // namespace alidade::data
