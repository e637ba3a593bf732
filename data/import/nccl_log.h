// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// What an nccl-tests log does not always contain; empty and 0: unknown.
struct NcclMachine {
    std::string gpu;      ///< part name: "H100", "GB200"
    std::string instance; ///< AWS type or product
    std::string fabric;   ///< description of the links: "NVLink4; InfiniBand 400 Gb/s per GPU"
    std::string op;       ///< "all_reduce", "all_gather", "reduce_scatter", "alltoall"
    int nodes = 0;
};

/// One measured size.
struct NcclPoint {
    double bytes = 0; ///< the size column
    bool inPlace = false;
    double timeS = 0;        ///< seconds
    double algBandwidth = 0; ///< bytes/s, as printed
    double busBandwidth = 0; ///< bytes/s, as printed
    std::string wrong;       ///< as printed: "0", "N/A", or how many values were wrong

    bool isWrong() const { return !wrong.empty() && wrong != "0" && wrong != "N/A"; }
};

/// One table of a log: one collective on one machine.
struct NcclTable {
    std::string op; ///< word of the measurements: "all_reduce"
    std::string dtype;
    int ranks = 0;             ///< 0: neither stated nor derivable from the bandwidths
    bool ranksDerived = false; ///< from the ratio of the bandwidths, or of size and count
    int nodes = 0;             ///< 0: unknown
    bool nodesDerived = false; ///< from the local number of a device
    std::string gpu;           ///< part name; empty: unknown
    std::string ncclVersion, testsVersion;
    std::optional<double> averageBusBandwidth; ///< bytes/s, as printed below the table
    std::vector<NcclPoint> points;             ///< as printed: out of place, then in place
    std::vector<std::string> warnings;         ///< human-readable: what the log reports or lacks
    std::size_t line = 0;                      ///< of its header, from 1
};

/// "all_reduce, all_gather, ... or alltoall": the operations that can be used, for messages.
std::string measuredCollectivesText();

struct NcclReading {
    std::vector<NcclTable> tables;
    std::vector<std::string> faults; ///< "FILE:line: what is wrong; how to fix it"; then no tables
};

/// Reads the output of nccl-tests, plain or with the prefixes of mpirun (`[1,0]<stdout>:`), srun (`0:`),
/// hosts
/// (`node1:`), kubectl (`[pod/name/container]`), stern (`pod container`) and timestamps, with or without
/// colors; lines of other programs are skipped. What the log lacks is taken from `known`; a contradiction
/// between them is a fault.
NcclReading readNcclLog(std::string_view text, const std::string& fileName, const NcclMachine& known = {});

/// The rows of several logs as an array in the form of catalogs/validation/collectives.json, which
/// `alidade validate` reads. An unknown GPU is "unknown".
struct NcclLog {
    std::string fileName;
    std::vector<NcclTable> tables;
};
std::string writeNcclRows(const std::vector<NcclLog>& logs, const NcclMachine& known = {});

} // namespace alidade::data
