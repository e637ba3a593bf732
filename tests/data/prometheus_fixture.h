// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QFile>
#include <QString>
#include <QStringList>

#include <algorithm>
#include <string>
#include <vector>

namespace alidade::tests {

inline QString replyFolder() { return QStringLiteral(ALIDADE_TEST_DATA "/data/prometheus"); }

/// The bytes of a recorded or made-up reply.
inline std::string reply(const std::string& file) {
    QFile in(replyFolder() + u'/' + QString::fromStdString(file));
    if (!in.open(QIODevice::ReadOnly))
        qFatal("no reply %s", file.c_str());
    return in.readAll().toStdString();
}

inline QStringList replyFiles() {
    return QDir(replyFolder()).entryList({QStringLiteral("*.json"), QStringLiteral("*.txt")}, QDir::Files);
}

/// Texts of tests have ' for the quotes of JSON.
inline std::string quotes(std::string text) {
    std::ranges::replace(text, '\'', '"');
    return text;
}

inline QString lines(const std::vector<std::string>& texts) {
    QStringList out;
    for (const std::string& text : texts)
        out.push_back(QString::fromStdString(text));
    return out.join(u'\n');
}

} // namespace alidade::tests
