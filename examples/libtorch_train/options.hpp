// SPDX-License-Identifier: MIT
//
// The command line: numbers and names with their defaults, in one table.
#ifndef LIBTORCH_TRAIN_OPTIONS_HPP
#define LIBTORCH_TRAIN_OPTIONS_HPP

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

struct Options {
  std::uint64_t samples = 1003;  // of the data set, which makes itself
  std::uint64_t batch = 12;      // samples of all ranks together in one step
  std::uint64_t epochs = 2;
  std::uint64_t seed = 42;    // of the order and of the model's first weights
  std::uint64_t every = 10;   // steps between two checkpoints and two lines of progress
  std::uint64_t pace = 0;     // milliseconds that a step takes at least: time to watch, or to kill
  std::uint64_t mix = 0;      // 1: a mixture in shuffled blocks and balanced batches
  std::uint64_t workers = 0;  // threads of the loader; they read ahead
  std::string checkpoint;     // a file that all hosts see; gone on from where it exists
  std::string record;         // a folder: each rank writes down what it read
};

inline Options parse_options(int argc, char** argv) {
  Options options;
  struct Row {
    std::string_view name;
    std::uint64_t* number;
    std::string* text;
  };
  const Row rows[] = {{"--samples", &options.samples, nullptr},
                      {"--batch", &options.batch, nullptr},
                      {"--epochs", &options.epochs, nullptr},
                      {"--seed", &options.seed, nullptr},
                      {"--every", &options.every, nullptr},
                      {"--pace", &options.pace, nullptr},
                      {"--mix", &options.mix, nullptr},
                      {"--workers", &options.workers, nullptr},
                      {"--checkpoint", nullptr, &options.checkpoint},
                      {"--record", nullptr, &options.record}};
  const auto refuse = [&](std::string_view found) {
    std::string known;
    for (const Row& row : rows) known += " " + std::string(row.name);
    throw std::runtime_error("\"" + std::string(found) + "\": expected one of" + known +
                             " and its value");
  };
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    bool done = false;
    for (const Row& row : rows) {
      if (row.name != name || i + 1 == argc) continue;
      const std::string_view value = argv[i + 1];
      if (row.text != nullptr) {
        *row.text = value;
        done = true;
      } else {
        const char* const end = value.data() + value.size();
        done = std::from_chars(value.data(), end, *row.number).ptr == end;
      }
    }
    if (!done) refuse(name);
  }
  if (options.batch == 0 || options.every == 0) refuse("0 as --batch or --every");
  return options;
}

#endif  // LIBTORCH_TRAIN_OPTIONS_HPP
