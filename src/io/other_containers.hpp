// Files that hold graphs in a wrapping that is not taken off, or are none: archives, workbooks, databases, pictures.
#pragma once

#include <string_view>

namespace kleene::io::detail {

// error(bad_input) "file: at byte N: what, and what to do" where the content starts as one of them does; and where
// many of its first bytes are control characters, of no text.
void refuse_other_containers(std::string_view content, std::string_view file);

}  // namespace kleene::io::detail
