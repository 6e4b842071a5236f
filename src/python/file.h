// A .pte file that Python has opened.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "highwater/file.h"

namespace highwater::python {

// Of a path, or of an object with a file's bytes, which is kept until the file is let go.
class PythonFile {
 public:
  explicit PythonFile(nanobind::handle source);
  ~PythonFile();
  PythonFile(const PythonFile&) = delete;

  const File& file() const { return *file_; }
  bool is_in_memory() const { return bytes_.obj != nullptr; }

 private:
  Py_buffer bytes_{};
  std::optional<File> file_;
};

// A file that is open already, or else what opens one.
class FileArgument {
 public:
  explicit FileArgument(nanobind::handle given);
  const File& file() const { return file_->file(); }
  // Raises if it cannot be read again later, because nobody keeps its bytes.
  void check_stays() const;

 private:
  std::unique_ptr<PythonFile> opened_;
  const PythonFile* file_;
};

}  // namespace highwater::python
