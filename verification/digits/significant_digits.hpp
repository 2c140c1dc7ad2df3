// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "verification/metrics/value.hpp"

namespace ulpine::verification {

/// Significant bits of a mean over perturbed samples after Parker: -log2(sd / |mean|), sd with n - 1.
/// `mantissa` bits where sd is 0; undefined for a zero mean and fewer than two samples. Divide by log2(10)
/// for decimal digits.
Value parker_bits(std::span<double const> samples, int mantissa = 53);

/// The definition of the error Z of a sample against a reference value.
enum class ErrorKind {
  relative,  ///< Z = x/reference - 1
  absolute   ///< Z = x - reference; for fields around zero divide both by a physical scale first
};

/// The bracket that the centred normal hypothesis takes off -log2(sd_Z) (Sohier, de Oliveira Castro et al.
/// 2018): 0.5 log2((n-1)/chi2_{(1-confidence)/2; n-1}) + log2(Phi^-1((probability+1)/2)). 1.398 bits for n =
/// 30 at 0.95, 0.95.
double normal_hypothesis_penalty(std::int64_t samples, double probability = 0.95, double confidence = 0.95);

/// Bits significant with `probability` at `confidence` under the centred normal hypothesis; sd_Z with n (as
/// verificarlo). sd_Z = 0: `mantissa` less the penalty.
Value normal_hypothesis_bits(std::span<double const> samples, double reference,
                             ErrorKind kind = ErrorKind::relative, double probability = 0.95,
                             double confidence = 0.95, int mantissa = 53);

/// As normal_hypothesis_penalty(), of contributing bits: 0.5 log2((n-1)/chi2_{(1-confidence)/2; n-1}) +
/// log2(probability - 1/2) + log2(2 sqrt(2 pi)), for a probability little above 1/2. -3.891 bits for n = 30
/// at 0.51, 0.95.
double contributing_penalty(std::int64_t samples, double probability = 0.51, double confidence = 0.95);

/// Bits each of which makes a rounded result better with `probability` at `confidence` under the centred
/// normal hypothesis (Sohier et al.): beyond the significant ones, up to where a bit is as good as a coin.
Value contributing_bits(std::span<double const> samples, double reference,
                        ErrorKind kind = ErrorKind::relative, double probability = 0.51,
                        double confidence = 0.95, int mantissa = 53);

/// Largest k <= `mantissa` with |error| <= 2^-k; `mantissa` for no error.
int bits_of_error(double error, int mantissa = 53);

/// Largest k <= `mantissa` with |Z_i| <= 2^-k for all samples (Bernoulli estimator, no assumption on the
/// distribution).
Value bernoulli_bits(std::span<double const> samples, double reference, ErrorKind kind = ErrorKind::relative,
                     int mantissa = 53);

/// Samples that bernoulli_bits() needs for `probability` at `confidence`:
/// ceil(ln(1-confidence)/ln(probability)); 59 at 0.95, 0.95.
std::int64_t bernoulli_samples(double probability = 0.95, double confidence = 0.95);

/// Probability that bernoulli_bits() of so many samples holds with at `confidence`:
/// (1-confidence)^(1/samples); 0.905 for 30 samples at 0.95.
double bernoulli_probability(std::int64_t samples, double confidence = 0.95);

/// p of Anderson and Darling's test that the values are normal, mean and variance unknown (D'Agostino and
/// Stephens 1986, table 4.9). Nothing below 8 values or without spread.
std::optional<double> normality(std::span<double const> values);

}  // namespace ulpine::verification
