// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <string>
#include <string_view>

namespace alidade::data {

struct WriteOptions {
    /// Who may read the file. `usual` keeps the permissions of a file that is replaced, and leaves those of a
    /// new one to the umask; `ownerOnly` is 0600 in both cases.
    enum class Readers : std::uint8_t { usual, ownerOnly };
    Readers readers = Readers::usual;
    /// Devices and pipes (/dev/stdout, a process substitution) are written to; otherwise they are refused.
    bool streams = false;
    /// The OpenInput that is saved; all others are refused, as what they hold would be lost. 0: none is.
    std::uint64_t own = 0;
};

/// The one way in which this program writes a file: complete or not at all. The content goes to a temporary
/// file in the same folder, which is flushed, checked and synchronised, and only then replaces the old file;
/// the folder is synchronised too. After any failure the old file is as it was, and no temporary file is
/// left. Symbolic links are followed; permissions, owner and group of the old file are kept as far as the
/// system allows. May wait for the disk.
/// Refuses a file that an OpenInput names.
/// \returns an empty text, or why it could not be written: "cannot be written: REASON; REMEDY"
[[nodiscard]] std::string writeFile(const std::string& file, std::string_view content,
                                    const WriteOptions& options = {});
[[nodiscard]] QString writeFile(const QString& file, const QByteArray& content,
                                const WriteOptions& options = {});

} // namespace alidade::data
