// Drawing tokens on the device, against the same in plain C++.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "runtime/session_access.h"
#include "support/expect.h"
#include "support/program_builder.h"

namespace highwater {
namespace {

struct Settings {
  float temperature = 1.0f;
  int64_t top_k = 0;
  float top_p = 1.0f;
  int64_t seed = 1;
};

constexpr int64_t kMostTexts = 5, kVocabulary = 1003;  // no multiple of anything

class Sampler {
 public:
  explicit Sampler(const char* kernels = "", int64_t vocabulary = kVocabulary)
      : vocabulary_(vocabulary) {
    ProgramBuilder b;
    const ValueId logits = b.input({1, kMostTexts, vocabulary_});
    std::vector<ValueId> args{logits};
    for (int i = 0; i < 5; ++i) args.push_back(b.input_scalar());
    const ValueId y = b.apply("highwater.sample.default", args, {1, 1}, DType::Int64);
    setenv("HIGHWATER_KERNELS", kernels, 1);
    auto session = SessionAccess::load(b.output(y).program(), {});
    unsetenv("HIGHWATER_KERNELS");
    if (!session) give_up(session.error());
    session_ = *std::move(session);
  }

  // One token for each draw in [first, first + count), in one submit.
  std::vector<int64_t> draw(const std::vector<float>& logits, int64_t rows, const Settings& s,
                            int64_t first, size_t count) {
    std::vector<std::array<Input, 6>> inputs(count);
    std::vector<Call> calls;
    const size_t reads[] = {0};
    for (size_t i = 0; i < count; ++i) {
      inputs[i] = {HostTensor{DType::Float32, {1, rows, vocabulary_}, logits.data()},
                   bits(s.temperature),
                   s.top_k,
                   bits(s.top_p),
                   s.seed,
                   first + static_cast<int64_t>(i)};
      calls.push_back({inputs[i], reads});
    }
    const Status status = session_->run_all(calls);
    if (!status) give_up(status.error());
    std::vector<int64_t> tokens(count);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(succeeds(session_->read_output(
          i, 0, DType::Int64, std::as_writable_bytes(std::span(&tokens[i], 1)))));
    }
    return tokens;
  }

  Status run(const std::vector<float>& logits, const Settings& s) {
    const Input inputs[] = {HostTensor{DType::Float32, {1, 1, vocabulary_}, logits.data()},
                            bits(s.temperature),
                            s.top_k,
                            bits(s.top_p),
                            s.seed,
                            int64_t{0}};
    return session_->run(inputs);
  }

 private:
  static int64_t bits(float x) { return int64_t{std::bit_cast<uint32_t>(x)}; }

  int64_t vocabulary_;
  std::unique_ptr<Session> session_;
};

// Some rows of logits; only the last counts.
std::vector<float> some_logits(int64_t rows, float spread = 3.0f,
                               int64_t vocabulary = kVocabulary) {
  std::vector<float> logits(static_cast<size_t>(rows * vocabulary));
  uint32_t state = 7;
  for (float& x : logits) {
    state = state * 1664525u + 1013904223u;
    x = spread * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
  }
  return logits;
}

std::vector<double> softmax(const float* logits, float temperature) {
  std::vector<double> p(kVocabulary);
  const double highest = *std::max_element(logits, logits + kVocabulary);
  for (size_t i = 0; i < p.size(); ++i)
    p[i] = std::exp((double{logits[i]} - highest) / temperature);
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

// The probabilities that are left, the likeliest first.
std::vector<std::pair<double, int64_t>> likeliest(std::vector<double> p) {
  std::vector<std::pair<double, int64_t>> sorted;
  for (size_t i = 0; i < p.size(); ++i) sorted.emplace_back(p[i], static_cast<int64_t>(i));
  std::sort(sorted.rbegin(), sorted.rend());
  return sorted;
}

TEST(Sample, WithoutTemperatureTakesTheFirstOfTheLargestOfTheLastRow) {
  Sampler sampler;
  for (int64_t rows : {5, 1, 3}) {
    std::vector<float> logits = some_logits(rows);
    logits[0] = 100.0f;
    float* last = logits.data() + (rows - 1) * kVocabulary;
    last[17] = last[901] = 90.0f;
    for (int64_t token : sampler.draw(logits, rows, {0.0f}, 0, 3)) {
      EXPECT_EQ(token, rows == 1 ? 0 : 17);
    }
  }
}

TEST(Sample, FollowsTheDistribution) {
  Sampler sampler;
  const std::vector<float> logits = some_logits(2, 4.0f);
  for (float temperature : {0.7f, 1.3f}) {
    const auto p = softmax(logits.data() + kVocabulary, temperature);
    constexpr size_t kDraws = 4096;
    std::vector<size_t> counts(kVocabulary);
    for (size_t done = 0; done < kDraws; done += 256) {
      for (int64_t t : sampler.draw(logits, 2, {temperature}, static_cast<int64_t>(done), 256)) {
        ++counts[static_cast<size_t>(t)];
      }
    }
    // Groups of similar probability, each with enough draws for a comparison.
    const auto sorted = likeliest(p);
    double expected = 0, chi_squared = 0;
    size_t seen = 0, groups = 0;
    for (const auto& [probability, token] : sorted) {
      expected += probability * kDraws;
      seen += counts[static_cast<size_t>(token)];
      if (expected < 40) continue;
      const double difference = static_cast<double>(seen) - expected;
      chi_squared += difference * difference / expected;
      expected = 0, seen = 0, ++groups;
    }
    ASSERT_GT(groups, 20u);
    // Three standard deviations above the mean.
    EXPECT_LT(chi_squared,
              static_cast<double>(groups) + 3 * std::sqrt(2.0 * static_cast<double>(groups)));
  }
}

TEST(Sample, TopKDrawsAmongTheLikeliestAlone) {
  Sampler sampler;
  const std::vector<float> logits = some_logits(1);
  const auto sorted = likeliest(softmax(logits.data(), 1.0f));
  for (int64_t k : {1, 2, 7, 64}) {
    std::vector<int64_t> allowed;
    for (int64_t i = 0; i < k; ++i) allowed.push_back(sorted[static_cast<size_t>(i)].second);
    std::vector<int64_t> seen;
    for (int64_t token : sampler.draw(logits, 1, {1.0f, k}, 0, 256)) {
      ASSERT_TRUE(std::count(allowed.begin(), allowed.end(), token))
          << "k = " << k << ": " << token;
      if (!std::count(seen.begin(), seen.end(), token)) seen.push_back(token);
    }
    if (k <= 7) {
      EXPECT_EQ(seen.size(), static_cast<size_t>(k));
    }
  }
}

TEST(Sample, TopPDrawsAmongThoseThatTogetherReachIt) {
  Sampler sampler;
  const std::vector<float> logits = some_logits(1, 6.0f);
  for (const auto& [k, p] : {std::pair<int64_t, float>{0, 0.1f}, {0, 0.5f}, {5, 0.6f}}) {
    auto sorted = likeliest(softmax(logits.data(), 0.8f));
    if (k > 0) sorted.resize(static_cast<size_t>(k));
    double total = 0;
    for (const auto& [probability, token] : sorted) total += probability;
    std::vector<int64_t> allowed;
    for (double sum = 0; sum < p * total; sum += sorted[allowed.size() - 1].first) {
      allowed.push_back(sorted[allowed.size()].second);
    }
    ASSERT_LT(allowed.size(), 300u);
    std::vector<bool> seen(allowed.size());
    for (int64_t token : sampler.draw(logits, 1, {0.8f, k, p}, 0, 512)) {
      const auto at = std::find(allowed.begin(), allowed.end(), token);
      ASSERT_NE(at, allowed.end()) << "p = " << p << ": " << token;
      seen[static_cast<size_t>(at - allowed.begin())] = true;
    }
    if (allowed.size() <= 5) {
      EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
    }
  }
}

TEST(Sample, FollowsFromSeedAndDrawAlone) {
  Sampler sampler;
  const std::vector<float> logits = some_logits(1, 0.5f);
  const auto once = sampler.draw(logits, 1, {1.0f, 0, 1.0f, 3}, 10, 32);
  const auto one_by_one = [&] {
    std::vector<int64_t> tokens;
    for (int64_t i = 0; i < 32; ++i) {
      tokens.push_back(sampler.draw(logits, 1, {1.0f, 0, 1.0f, 3}, 10 + i, 1)[0]);
    }
    return tokens;
  };
  EXPECT_EQ(one_by_one(), once);
  EXPECT_NE(sampler.draw(logits, 1, {1.0f, 0, 1.0f, 4}, 10, 32), once);
  EXPECT_NE(sampler.draw(logits, 1, {1.0f, 0, 1.0f, 3 + (int64_t{1} << 40)}, 10, 32), once);
}

// On a GPU many workgroups share a large vocabulary.
TEST(Sample, BothKindsOfKernelsDrawTheSameTokens) {
  constexpr int64_t kLarge = 20011;
  Sampler software("software", kLarge), gpu("gpu", kLarge);
  auto logits = some_logits(3, 5.0f, kLarge);
  float* last = logits.data() + 2 * kLarge;
  std::vector<Settings> all{{0.0f}, {0.7f, 1}, {0.7f}, {1.3f, 0, 1.0f, -1}};
  for (int64_t k : {2, 50, 4096, 20010}) {
    for (float p : {1.0f, 0.9f, 0.05f}) all.push_back({0.8f, k, p, k});
  }
  for (float p : {1e-7f, 0.5f, 0.999f}) all.push_back({1.1f, 0, p, 3});
  const auto check = [&](const char* what) {
    for (const Settings& s : all) {
      EXPECT_EQ(software.draw(logits, 3, s, 5, 4), gpu.draw(logits, 3, s, 5, 4))
          << what << " at a temperature of " << s.temperature << ", k = " << s.top_k
          << ", p = " << s.top_p;
    }
  };
  check("different logits");
  for (int64_t i = 0; i < kLarge; ++i) last[i] = std::round(last[i]);
  check("few different logits");
  for (int64_t i = 0; i < kLarge; ++i) last[i] = i % 1000 == 7 ? 2.0f : -INFINITY;
  check("few possible tokens");
  std::fill(last, last + kLarge, -1.5f);
  check("equal logits");
}

TEST(Sample, SettingsThatMakeNoSenseAreErrorsAndTheNextGoodOnesWork) {
  Sampler sampler;
  const std::vector<float> logits = some_logits(1);
  EXPECT_TRUE(fails_saying(sampler.run(logits, {-1.0f}), {"temperature", "-1"}));
  EXPECT_TRUE(fails_saying(sampler.run(logits, {std::nanf("")}), {"temperature"}));
  EXPECT_TRUE(fails_saying(sampler.run(logits, {1.0f, -2}), {"top_k", "-2"}));
  EXPECT_TRUE(fails_saying(sampler.run(logits, {1.0f, 0, 0.0f}), {"top_p"}));
  EXPECT_TRUE(fails_saying(sampler.run(logits, {1.0f, 0, 1.5f}), {"top_p", "1.5"}));
  EXPECT_TRUE(succeeds(sampler.run(logits, {1.0f, 5, 0.5f})));
}

}  // namespace
}  // namespace highwater
