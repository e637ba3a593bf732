// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

struct sqlite3_file;

namespace alidade::tests {

/// An SQLite file layer over real files that knows which bytes a loss of power would leave: those that were
/// synced, and of each later write any of its sectors of 512 bytes, or none. A file is there once it was
/// synced; it is gone once it was deleted with a sync of its folder. It can also be full, or fail. One at a
/// time; opens under `name`.
class FaultyDisk {
public:
    static constexpr const char* name = "alidade_faulty";

    FaultyDisk();
    ~FaultyDisk();
    FaultyDisk(const FaultyDisk&) = delete;
    FaultyDisk& operator=(const FaultyDisk&) = delete;

    bool full = false;       ///< no file may grow
    bool failing = false;    ///< every access to a file fails
    bool noNewFiles = false; ///< as in a folder that may not be written
    int operations = 0;      ///< writes, truncations, syncs and deletions so far
    int cutAt = -1;          ///< the power fails at this operation; -1: never
    bool isCut() const { return cutAt >= 0 && operations >= cutAt; }

    /// Files, by path, as they may be found after the loss of power.
    std::map<std::string, std::string> afterPowerLoss(std::mt19937_64& random) const;

    // For the file layer.
    struct Step {
        bool truncates = false;
        std::int64_t at = 0; ///< of a write; the size of a truncation
        std::string bytes;
    };
    struct Shadow {
        bool isDurable = false; ///< the file itself
        bool deletedUnsynced = false;
        std::string durable, current;
        std::vector<Step> unsynced;
    };
    Shadow& opened(const std::string& path, bool existed);
    int step(); ///< counts; \returns an SQLite error if the power is cut or the disk fails
    void deleted(const std::string& path, bool synced);

private:
    std::map<std::string, Shadow> files_;
};

} // namespace alidade::tests
