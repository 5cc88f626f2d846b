// The only unit that sees the commit, so that a new one compiles nothing else anew.
#include "version.hpp"

// Of the build (cmake/kleene_commit.cmake).
#if __has_include("kleene_commit.hpp")
#include "kleene_commit.hpp"
#else
#define KLEENE_COMMIT ""
#endif

namespace kleene::cli {

std::string version_line() {
  const std::string commit = KLEENE_COMMIT;
  return "kleene " KLEENE_VERSION + (commit.empty() ? "" : " (" + commit + ")");
}

}  // namespace kleene::cli
