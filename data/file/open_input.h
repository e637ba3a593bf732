// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace alidade::data {

/// Marks a file that the program works on, such as the open scenario or its topology: meanwhile writeFile
/// refuses to replace it by anything else. Files are compared by device and inode, so symbolic and hard links
/// count as the file itself. Thread-safe; naming a file does not access the disk.
class OpenInput {
public:
    OpenInput();
    ~OpenInput();
    OpenInput(const OpenInput&) = delete;
    OpenInput& operator=(const OpenInput&) = delete;

    /// \param what the file is, for the error message: "the open scenario". An empty file name clears the
    /// mark.
    void name(const std::string& file, const std::string& what);
    std::uint64_t id() const { return id_; }

private:
    std::uint64_t id_;
};

/// Returns what the file is to the program; empty if it may be replaced. Blocks on the disk.
/// \param own the input that is being saved and may be replaced; 0: none
std::string openInputAt(const std::string& file, std::uint64_t own = 0);

} // namespace alidade::data
