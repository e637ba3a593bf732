// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace alidade::data {

/// A file that the program works on, such as the open scenario or its topology: while this names it,
/// writeFile refuses to replace it by anything else. Files are compared by device and inode: symbolic and
/// hard links to one file are that file. Any thread may ask; naming a file does not touch the disk.
class OpenInput {
public:
    OpenInput();
    ~OpenInput();
    OpenInput(const OpenInput&) = delete;
    OpenInput& operator=(const OpenInput&) = delete;

    /// \param what it is, for the refusal: "the open scenario". An empty file name: none.
    void name(const std::string& file, const std::string& what);
    std::uint64_t id() const { return id_; }

private:
    std::uint64_t id_;
};

/// What the file is to the program; empty: nothing is lost when it is replaced. Waits for the disk.
/// \param own an input that may be replaced: it is saved; 0: none
std::string openInputAt(const std::string& file, std::uint64_t own = 0);

} // namespace alidade::data
