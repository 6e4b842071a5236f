// Files that are no files, and files that change while they are read.
#include "platform/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/expect.h"

namespace highwater {
namespace {

class ByteSources : public testing::Test {
 protected:
  ByteSources() { std::filesystem::create_directories(folder_); }
  ~ByteSources() override { std::filesystem::remove_all(folder_); }

  std::string write(std::string_view content) {
    const std::string path = folder_ / "file";
    std::ofstream(path) << content;
    return path;
  }

  std::filesystem::path folder_ = testing::TempDir() + "/bytes-" + std::to_string(::getpid());
};

TEST_F(ByteSources, GiveAnyPart) {
  const auto file = open_file(write("0123456789"));
  ASSERT_TRUE(succeeds(file));
  EXPECT_EQ((*file)->size(), 10u);
  const auto part = (*file)->read(3, 4);
  ASSERT_TRUE(succeeds(part));
  EXPECT_EQ(std::memcmp(part->bytes().data(), "3456", 4), 0);
  EXPECT_TRUE(fails_saying((*file)->read(8, 3), {"bytes 8 to 11", "of 10"}));
  EXPECT_TRUE(fails_saying((*file)->read(11, 0), {"of 10"}));
  EXPECT_FALSE((*file)->read(UINT64_MAX, 2).ok());
}

TEST_F(ByteSources, FileCutWhileItIsReadIsAnError) {
  const std::string path = write(std::string(100'000, 'x'));
  const auto file = open_file(path);
  ASSERT_TRUE(succeeds(file));
  std::filesystem::resize_file(path, 5000);
  EXPECT_TRUE(fails_saying((*file)->read_all(), {path, "became shorter"}));
  EXPECT_TRUE(succeeds((*file)->read(0, 5000)));
}

TEST_F(ByteSources, FileThatIsLargerThanAllMemoryIsAnError) {
  const std::string path = write("");
  std::filesystem::resize_file(path, uint64_t{1} << 43);  // of nothing: it takes no room
  const auto file = open_file(path);
  ASSERT_TRUE(succeeds(file));
  EXPECT_TRUE(fails_saying((*file)->read_all(), {"no memory for 8796093022208 bytes"}));
  EXPECT_TRUE(succeeds((*file)->read(uint64_t{1} << 42, 16)));
}

TEST_F(ByteSources, PipeIsRefusedAtOnce) {
  const std::string path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(fails_saying(open_file(path), {path, "not a file"}));
}

TEST_F(ByteSources, FolderAndNothingAreRefused) {
  EXPECT_TRUE(fails_saying(open_file(folder_), {"not a file"}));
  EXPECT_TRUE(fails_saying(open_file(folder_ / "none"), {"No such file"}));
}

}  // namespace
}  // namespace highwater
