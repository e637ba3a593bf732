// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <string>
#include <string_view>

namespace alidade::data {

struct WriteOptions {
    /// Who may read the file. `usual` keeps the permissions of a replaced file and applies the umask to a new
    /// one; `ownerOnly` is 0600 in both cases.
    enum class Readers : std::uint8_t { usual, ownerOnly };
    Readers readers = Readers::usual;
    /// Whether devices and pipes (/dev/stdout, a process substitution) are written to; they are refused
    /// otherwise.
    bool streams = false;
    /// The OpenInput that is being saved; all others are refused, as they would be overwritten. 0: none.
    std::uint64_t own = 0;
};

/// Writes a file completely or not at all; all files of this program are written with it. The content goes to
/// a temporary file in the same folder, which is flushed, checked and synchronized, and only then replaces
/// the old file; the folder is synchronized too. After any failure the old file is unchanged, and no
/// temporary file is left. Symbolic links are followed; permissions, owner and group of the old file are kept
/// as far as the system allows. May block on the disk. Refuses a file that an OpenInput names.
/// \returns an empty string, or why it could not be written: "cannot be written: REASON; REMEDY"
[[nodiscard]] std::string writeFile(const std::string& file, std::string_view content,
                                    const WriteOptions& options = {});
[[nodiscard]] QString writeFile(const QString& file, const QByteArray& content,
                                const WriteOptions& options = {});

} // namespace alidade::data
