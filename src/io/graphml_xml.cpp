// expat (2.x) calls back from C, through which nothing is thrown: what a handler throws waits until expat has returned.
#include "io/xml.hpp"

#include "kleene/data/error.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace kleene::io::detail {

namespace {

class expat_reader {
 public:
  expat_reader(scanner& in, xml_handler& handler)
      : in_(in), handler_(handler), parser_(XML_ParserCreateNS(nullptr, '|'), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
    XML_SetSkippedEntityHandler(parser_.get(), on_skipped);
    XML_SetDefaultHandlerExpand(parser_.get(), on_other);
  }

  void read() {
    constexpr std::size_t piece = std::size_t{1} << 16;
    for (std::size_t got = piece; got == piece;) {
      void* const room = XML_GetBuffer(parser_.get(), static_cast<int>(piece));
      if (!room) throw std::bad_alloc();
      got = in_.take(static_cast<char*>(room), piece);
      silent_ += got;
      const XML_Status status = XML_ParseBuffer(parser_.get(), static_cast<int>(got), got < piece);
      if (thrown_) std::rethrow_exception(thrown_);
      if (status != XML_STATUS_OK) refuse();
      if (silent_ > most_xml_token)
        fail(line(), fmt::format("a tag or a comment of more than {} bytes", most_xml_token));
    }
  }

 private:
  static expat_reader& self(void* data) { return *static_cast<expat_reader*>(data); }

  // Runs work() of a handler. What is left to be called after it has thrown does nothing.
  template <class Work>
  void call(const Work& work) noexcept {
    silent_ = 0;
    if (thrown_) return;
    try {
      work();
    } catch (...) {
      thrown_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  static void on_start(void* data, const char* name, const char** attributes) {
    expat_reader& r = self(data);
    r.call([&] {
      if (++r.depth_ > most_xml_depth) r.fail(r.line(), fmt::format("elements nest more than {} deep", most_xml_depth));
      r.attributes_.clear();
      for (; *attributes; attributes += 2) r.attributes_.push_back({attributes[0], attributes[1]});
      const std::string_view whole = name;
      r.handler_.start(whole.substr(whole.rfind('|') + 1), r.attributes_, r.line());  // npos + 1 is 0
    });
  }
  static void on_end(void* data, const char*) {
    expat_reader& r = self(data);
    r.call([&] {
      --r.depth_;
      r.handler_.end();
    });
  }
  static void on_text(void* data, const char* text, int bytes) {
    self(data).call([&] { self(data).handler_.text({text, static_cast<std::size_t>(bytes)}); });
  }
  // Where entities and attributes that nobody has written would come from.
  static void on_doctype(void* data, const char*, const char*, const char*, int has_declarations) {
    expat_reader& r = self(data);
    r.call([&] {
      if (has_declarations)
        r.fail(r.line(), "a DOCTYPE with declarations of its own, such as entities, which are not read");
    });
  }
  static void on_skipped(void* data, const char* name, int) {
    self(data).call(
        [&] { self(data).fail(self(data).line(), fmt::format("the entity {} is not known", shown(name))); });
  }
  static void on_other(void* data, const char*, int) { self(data).silent_ = 0; }

#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 8
  index_t line() const { return static_cast<index_t>(XML_GetCurrentLineNumber64(parser_.get())); }
#else
  index_t line() const { return static_cast<index_t>(XML_GetCurrentLineNumber(parser_.get())); }
#endif
  [[noreturn]] void fail(index_t line, const std::string& what) const {
    throw error(fault_code::bad_input, fmt::format("{}:{}: {}", in_.file(), line, what));
  }
  [[noreturn]] void refuse() const {
    const XML_Error code = XML_GetErrorCode(parser_.get());
    if (code == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
    if (code == XML_ERROR_UNCLOSED_TOKEN || (code == XML_ERROR_NO_ELEMENTS && depth_ > 0))
      fail(line(), "the file ends early: is it cut off?");
    fail(line(), fmt::format("this is no XML: {}", XML_ErrorString(code)));
  }

  scanner& in_;
  xml_handler& handler_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  std::vector<xml_attribute> attributes_;
  std::exception_ptr thrown_;
  std::size_t silent_ = 0;  // bytes since the last event
  int depth_ = 0;
};

}  // namespace

void parse_xml(scanner& in, xml_handler& handler) { expat_reader(in, handler).read(); }

}  // namespace kleene::io::detail
