// SPDX-License-Identifier: MIT
//
// The trainer of `kills`: all ranks read an epoch in steps, rank 0 saves where they are, and a
// later attempt goes on from there in whatever world it is started.
//
//   kill_probe FOLDER NAME=VALUE...
//
//   attempt  its number: the ranks meet, and write what they do, in FOLDER/attempt
//   reader   sampler (no rank has padding), torch (padding), or batches
//   seed, size, epochs   of the data; the same in all attempts
//   batch    samples of a rank in a step
//   every    how many steps lie between two saves
//   die      the save in which rank 0 kills itself; 0: in none
//   cut      what it has written by then, in percent
//   plant    none, or what this trainer does wrong:
//            early     rank 0 saves a step before the ranks have read it
//            skip      goes on one step after the saved one
//            again     goes on one step before it
//            in_place  writes over the saved state, and renames nothing
//
// Who it is comes from the launcher alone.
#include <rankmap/sampler/batch_shard.hpp>
#include <rankmap/sampler/epoch.hpp>
#include <rankmap/sampler/permutation.hpp>
#include <rankmap/sampler/resume.hpp>
#include <rankmap/sampler/sampler.hpp>
#include <rankmap/sampler/sampler_state.hpp>
#include <rankmap/topology/topology.hpp>
#include <rankmap/torch/distributed_sampler.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using rankmap::Epoch;
using rankmap::Permutation;
using rankmap::Remainder;
using rankmap::SamplerState;
using rankmap::Topology;

void check(bool is_good, const char* what) {
  if (!is_good) throw std::runtime_error(what);
}

void write_all(int file, std::string_view text) {
  check(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()), "write");
}

struct Options {
  std::string folder;
  std::map<std::string, std::string, std::less<>> values;

  Options(int argc, char** argv) : folder(argv[1]) {
    for (int i = 2; i != argc; ++i) {
      const std::string_view text(argv[i]);
      const std::size_t at = text.find('=');
      check(at != text.npos, "NAME=VALUE");
      values.emplace(text.substr(0, at), text.substr(at + 1));
    }
  }
  const std::string& text(const char* name) const { return values.at(name); }
  std::uint64_t number(const char* name) const { return std::stoull(text(name)); }
  bool plants(std::string_view fault) const { return text("plant") == fault; }
  std::string attempt() const { return folder + '/' + text("attempt"); }
};

/// What this process did, a line each. Its file is there as soon as the process is.
class Log {
 public:
  explicit Log(const Options& options) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    const std::string path =
        options.attempt() + '/' + host + '.' + std::to_string(getpid()) + ".log";
    file_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    check(file_ != -1, "the log");
  }
  void line(std::string text) const { write_all(file_, text += '\n'); }

 private:
  int file_ = -1;
};

/// Where the ranks of an attempt meet: a file in memory that all of them share.
class Board {
 public:
  Board(const std::string& path, const Topology& me)
      : rank_(static_cast<std::size_t>(me.rank())),
        size_(static_cast<std::size_t>(me.world_size())) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    const std::size_t bytes = size_ * sizeof(Slot);
    check(file != -1 && ftruncate(file, static_cast<off_t>(bytes)) == 0, "the board");
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    check(memory != MAP_FAILED, "the board in memory");
    slots_ = static_cast<Slot*>(memory);
  }
  /// Returns when every rank has come here so many times.
  void meet(std::uint64_t times) const {
    std::atomic_ref(slots_[rank_].times).store(times);
    for (std::size_t rank = 0; rank != size_; ++rank) {
      while (std::atomic_ref(slots_[rank].times).load() < times) usleep(300);
    }
  }
  /// Whether all ranks have this number.
  bool agree(std::uint64_t number) const {
    slots_[rank_].number = number;
    meet(1);
    return std::all_of(slots_, slots_ + size_,
                       [&](const Slot& slot) { return slot.number == number; });
  }

 private:
  struct Slot {
    std::uint64_t number;
    std::uint64_t times;
  };
  std::size_t rank_;
  std::size_t size_;
  Slot* slots_ = nullptr;
};

/// As the page on resuming says: a new file, which then gets the name that is read.
class Saves {
 public:
  Saves(const Options& options, const Log& log) : options_(options), log_(log) {}
  void save(const SamplerState& state) {
    const std::string path = options_.folder + "/state";
    const std::string part = options_.plants("in_place") ? path : path + ".new";
    const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const std::string text(to_string(state).view());
    const std::size_t cut = text.size() * options_.number("cut") / 100;
    write_all(file, std::string_view(text).substr(0, cut));
    if (++count_ == options_.number("die")) {
      log_.line("die");
      std::raise(SIGKILL);
    }
    usleep(1000);  // so that any other kill may fall here too
    write_all(file, std::string_view(text).substr(cut));
    close(file);
    if (part != path) check(std::rename(part.c_str(), path.c_str()) == 0, "rename");
  }

 private:
  const Options& options_;
  const Log& log_;
  std::uint64_t count_ = 0;
};

/// Whole batches of a shuffle, with the members that the samplers of the library have.
struct BatchSampler {
  std::uint64_t size;
  std::uint64_t seed;
  std::uint64_t batch;
  const Topology& me;

  using Rest = Epoch<rankmap::BatchShard, Permutation>;
  Rest epoch(std::uint64_t number, std::uint64_t consumed = 0) const {
    return {rankmap::BatchShard(size, batch, me, {Remainder::uneven, consumed}),
            Permutation(size, seed, number)};
  }
  rankmap::Result<Rest> resume(const SamplerState& state) const {
    const auto consumed = resume_at(state, Permutation(size, seed, state.epoch));
    if (!consumed) return consumed.error();
    return epoch(state.epoch, *consumed);
  }
};

std::string place(const SamplerState& state) {
  return ' ' + std::to_string(state.epoch) + ' ' + std::to_string(state.consumed);
}

/// Where `skip` and `again` go on.
SamplerState misread(SamplerState state, const Options& options, std::uint64_t step) {
  if (options.plants("again")) state.consumed -= std::min(state.consumed, step);
  if (options.plants("skip")) state.consumed += std::min(state.size - state.consumed, step);
  return state;
}

template <class Sampler>
void train(const Sampler& sampler, const Topology& me, const Options& options, const Log& log) {
  const std::uint64_t batch_size = options.number("batch");
  SamplerState state = sampler.epoch(0).state_after(0).value();
  if (std::ifstream file{options.folder + "/state"}) {
    const std::string text(std::istreambuf_iterator<char>(file), {});
    state = rankmap::parse_sampler_state(text).value();
    log.line("state" + place(state));
    state = misread(state, options, batch_size * static_cast<unsigned>(me.world_size()));
  } else {
    log.line("state 0 0");
  }
  const Board board(options.attempt() + "/board", me);
  check(board.agree(fingerprint(state, me.world_size())), "the ranks go on from different states");

  Saves saves(options, log);
  std::minstd_rand random(static_cast<unsigned>(getpid()));
  std::uint64_t steps = 0;
  while (state.epoch < options.number("epochs")) {
    auto rest = sampler.resume(state).value();
    state = rest.state_after(0).value();  // the next epoch, where nothing is left
    const auto batches = [&] {
      if constexpr (requires { rest.batches(); }) {
        return rest.batches();
      } else {
        return rest.batches(batch_size);
      }
    }();
    for (const auto batch : batches) {
      std::string line = "step" + place(state);
      state = batch.state_after().value();
      if (me.is_main() && options.plants("early")) saves.save(state);
      line += place(state) + ':';
      for (std::uint64_t k = 0; k != batch.size(); ++k) {
        line += (batch.is_padding(k) ? " +" : " ") + std::to_string(batch[k]);
      }
      usleep(static_cast<useconds_t>(random() % 3000));
      log.line(line);
      board.meet(++steps + 1);
      const bool is_last = state.epoch == options.number("epochs");
      if (me.is_main() && (steps % options.number("every") == 0 || is_last)) saves.save(state);
    }
  }
  log.line("end");
}

void train(const Options& options, const Log& log) {
  const Topology me = Topology::from_environment().value();
  log.line("rank " + std::to_string(me.rank()) + ' ' + std::to_string(me.world_size()) + ' ' +
           std::string(name(me.launcher())));
  const std::uint64_t size = options.number("size");
  const std::uint64_t seed = options.number("seed");
  const std::string& reader = options.text("reader");
  if (reader == "sampler") {
    train(rankmap::Sampler(size, me, {.seed = seed, .remainder = Remainder::uneven}), me, options,
          log);
  } else if (reader == "torch") {
    train(rankmap::DistributedSampler(size, me, {.seed = seed}), me, options, log);
  } else {
    train(BatchSampler{size, seed, options.number("batch"), me}, me, options, log);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: kill_probe FOLDER NAME=VALUE...\n", stderr);
    return 2;
  }
  const Options options(argc, argv);
  const Log log(options);
  try {
    train(options, log);
  } catch (const std::exception& problem) {
    log.line(std::string("error ") + problem.what());
    return 1;
  }
  return 0;
}
