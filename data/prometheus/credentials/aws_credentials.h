// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"
#include "model/base/result.h"

#include <functional>
#include <string>

namespace alidade::data {

/// Value of an environment variable; empty: not set.
using Environment = std::function<std::string(const std::string&)>;

/// The keys that the AWS tools would use: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN,
/// unless a profile is named; else the profile (else AWS_PROFILE, else "default") of
/// AWS_SHARED_CREDENTIALS_FILE (else ~/.aws/credentials). The error says what was looked for and where; never
/// a secret.
Result<Credentials> awsCredentials(const std::string& profile = {}, const Environment& environment = {});

} // namespace alidade::data
