// Messages by way of rank 0, of threads that play processes. (Processes: grids_of_processes.cpp.)
#include "grid/relay.hpp"

#include "grid/hub.hpp"
#include "kleene/data/error.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>

namespace kleene::test {
namespace {

// A port that nobody has just now.
std::string free_rendezvous() {
  const socket_handle any(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  EXPECT_EQ(bind(any.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
  EXPECT_EQ(getsockname(any.get(), reinterpret_cast<sockaddr*>(&at), &size), 0);
  return "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
}

struct heard {
  std::string words;
  int code = 0;
};

// program(rank, relay) on a thread each. What their endings said.
std::vector<heard> play(int size, const std::function<void(int, relay&)>& program) {
  const std::string rendezvous = free_rendezvous();
  std::vector<heard> ends(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      relay mine({rank, size, rendezvous, "a run", 20}, [&ends, rank](const std::string& words, int code) {
        ends[static_cast<std::size_t>(rank)] = {words, code};
      });
      program(rank, mine);
    });
  for (std::thread& thread : threads) thread.join();
  return ends;
}

std::string relay_refusal(const relay_place& place) {
  try {
    relay alone(place, [](const std::string&, int) {});
  } catch (const error& e) {
    EXPECT_EQ(e.code(), fault_code::device);
    return e.what();
  } catch (const argument_error& e) {
    return e.what();
  }
  return "";
}

TEST(relay, messages_arrive_in_order_by_sender_and_channel) {
  for (const int size : {1, 2, 3, 5}) {
    const auto ends = play(size, [size](int rank, relay& mine) {
      for (int to = 0; to < size; ++to)
        for (int i = 0; i < 50; ++i) {
          const int value = 1000 * rank + i;
          mine.send(to, i % 2, &value, sizeof value);
          mine.send(to, 7, nullptr, 0);
        }
      for (int from = size - 1; from >= 0; --from)
        for (const int channel : {1, 0})
          for (int i = channel; i < 50; i += 2) {
            int value = -1;
            mine.receive(from, channel, &value, sizeof value);
            ASSERT_EQ(value, 1000 * from + i);
          }
      for (int from = 0; from < size; ++from)
        for (int i = 0; i < 50; ++i) mine.receive(from, 7, nullptr, 0);
    });
    for (const heard& each : ends) EXPECT_EQ(each.words, "");
  }
}

// More than connections hold, all at once, and nobody reads before all have written.
TEST(relay, senders_do_not_wait_for_receivers) {
  constexpr std::size_t count = 3'000'000;
  std::atomic<int> have_sent{0};
  play(3, [&](int rank, relay& mine) {
    std::vector<int> large(count);
    std::iota(large.begin(), large.end(), rank);
    for (int to = 0; to < 3; ++to) mine.send(to, 0, large.data(), count * sizeof(int));
    ++have_sent;
    while (have_sent < 3) std::this_thread::yield();
    for (int from = 0; from < 3; ++from) {
      mine.receive(from, 0, large.data(), count * sizeof(int));
      EXPECT_EQ(large.front(), from);
      EXPECT_EQ(large.back(), from + 2'999'999);
    }
  });
}

TEST(relay, programs_that_differ_are_an_error) {
  play(2, [](int rank, relay& mine) {
    char bytes[8] = {};
    if (rank == 1) return mine.send(0, 0, bytes, 8);
    try {
      mine.receive(1, 0, bytes, 4);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const error& e) {
      EXPECT_STREQ(e.what(), "a worker expects 4 bytes and is sent 8: the workers' programs differ");
    }
  });
}

TEST(relay, a_rank_that_fails_ends_all_waits_with_its_code) {
  for (const int failed : {0, 1}) {
    const auto ends = play(3, [failed](int rank, relay& mine) {
      if (rank == failed) return mine.fail(5);
      char byte = 0;
      EXPECT_THROW(mine.receive(failed, 0, &byte, 1), worker_stopped);
    });
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(ends[rank].words, "");  // who fails has said it
      if (rank != failed) {
        EXPECT_EQ(ends[rank].code, 5);
      }
    }
  }
}

TEST(relay, who_does_not_come_is_named) {
  const std::string rendezvous = free_rendezvous();
  EXPECT_EQ(relay_refusal({0, 3, rendezvous, "", 0.2}),
            "1 of 3 ranks came to " + rendezvous + " within 0 s; missing: 1, 2");
  EXPECT_EQ(relay_refusal({1, 3, rendezvous, "", 0.2}),
            "rank 1 found nobody at " + rendezvous + " within 0 s (KLEENE_RENDEZVOUS names another host:port)");
  EXPECT_EQ(relay_refusal({0, 2, "nowhere", "", 0.2}), "'nowhere' is no place to meet: host:port is");
  EXPECT_EQ(relay_refusal({0, 2, ":7", "", 0.2}), "':7' is no place to meet: host:port is");
}

// A connection of nobody's, words of nobody's, and a rank of another run.
TEST(relay, strangers_are_turned_away) {
  const std::string rendezvous = free_rendezvous();
  std::thread others([&] {
    socket_handle silent, babbling;
    while (!(silent = connect_to(rendezvous))) std::this_thread::yield();
    babbling = connect_to(rendezvous);
    EXPECT_TRUE(babbling.write("GET / HTTP/1.1\r\n\r\n", 18));
    EXPECT_EQ(relay_refusal({1, 2, rendezvous, "another run", 5}),
              "rank 0 at " + rendezvous + " turned rank 1 of 2 away, or is gone");
    relay mine({1, 2, rendezvous, "a run", 10}, [](const std::string&, int) {});
    const int value = 42;
    mine.send(0, 0, &value, sizeof value);
  });
  {
    relay first({0, 2, rendezvous, "a run", 10}, [](const std::string&, int) {});
    int value = 0;
    first.receive(1, 0, &value, sizeof value);
    EXPECT_EQ(value, 42);
  }
  others.join();
}

TEST(relay, a_rank_too_many_is_refused) {
  const std::string rendezvous = free_rendezvous();
  std::thread other([&] { EXPECT_NE(relay_refusal({2, 4, rendezvous, "", 5}), ""); });
  EXPECT_EQ(relay_refusal({0, 2, rendezvous, "", 5}), "rank 2 of 4 came to " + rendezvous + ", where 2 ranks meet");
  other.join();
}

}  // namespace
}  // namespace kleene::test
