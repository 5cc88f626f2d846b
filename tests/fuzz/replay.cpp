// Runs a fuzz target on every file of some folders, once, without libFuzzer: replay FOLDER...
#include "fuzz/finding.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

int main(int argc, char** argv) {
  int files = 0;
  for (int at = 1; at < argc; ++at)
    for (const auto& entry : std::filesystem::directory_iterator(argv[at])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
      std::fprintf(stderr, "%s\n", entry.path().c_str());  // the last one is what a finding is about
      LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
      ++files;
    }
  std::printf("%d inputs\n", files);
  return files > 0 ? 0 : 1;
}
