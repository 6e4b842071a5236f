#include "highwater/tokenizer.h"

#include <unordered_map>

#include "base/utf8.h"
#include "platform/file.h"
#include "text/tokenizer_model.h"

namespace highwater {
namespace {

// Encodes one piece after another. Words come again and again, so what they became is kept: as
// where it stands among the tokens so far.
class Encoder {
 public:
  Encoder(const TokenizerModel& model, std::vector<int64_t>& out) : model_(model), out_(out) {}

  void add(std::string_view piece) {
    const auto [entry, fresh] = seen_.try_emplace(piece, Span{out_.size(), 0});
    auto& [begin, count] = entry->second;
    if (fresh) {
      encode(piece);
      count = out_.size() - begin;
    } else {
      for (size_t i = 0; i < count; ++i) out_.push_back(out_[begin + i]);
    }
  }

 private:
  struct Span {
    size_t begin;
    size_t count;
  };

  void encode(std::string_view piece) {
    if (model_.takes_whole_pieces) {
      if (const auto id = model_.vocabulary.find(piece)) return out_.push_back(*id);
    }
    model_.merges.encode(piece, work_, out_);
  }

  const TokenizerModel& model_;
  std::vector<int64_t>& out_;
  Merges::Work work_;
  std::unordered_map<std::string_view, Span> seen_;
};

Status encode_between(const TokenizerModel& model, std::string_view text,
                      std::vector<int64_t>& out) {
  std::string with_space;
  if (model.cutter.adds_space() && !text.starts_with(' ')) {
    with_space = highwater::text(' ', text);
    text = with_space;
  }
  HW_TRY(const Cutter::Pieces pieces, model.cutter.cut(text));
  Encoder encoder(model, out);
  for (const std::string_view piece : pieces) encoder.add(piece);
  return {};
}

}  // namespace

Result<Tokenizer> Tokenizer::open(const std::string& path) {
  HW_TRY(const auto file, open_file(path));
  HW_TRY(const ByteBuffer content, file->read_all());
  const std::span<const std::byte> bytes = content.bytes();
  auto tokenizer = parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!tokenizer) return tokenizer.take_error().within(path);
  return tokenizer;
}

Result<Tokenizer> Tokenizer::parse(std::string_view json) {
  auto file = read_json(json);
  if (!file) {
    return file.take_error().within(
        "it is not a tokenizer.json (a SentencePiece or tiktoken model is not read)");
  }
  HW_TRY(TokenizerModel model, TokenizerModel::read(*file));
  return Tokenizer(std::make_shared<const TokenizerModel>(std::move(model)));
}

Result<std::vector<int64_t>> Tokenizer::encode(std::string_view text, bool goes_on) const {
  std::vector<int64_t> tokens;
  if (!goes_on) tokens = model_->before;
  for (const AddedTokens::Part& part : model_->added.split(text)) {
    if (part.token) {
      tokens.push_back(part.token->id);
    } else {
      HW_CHECK(encode_between(*model_, part.text, tokens));
    }
  }
  if (!goes_on) tokens.insert(tokens.end(), model_->after.begin(), model_->after.end());
  return tokens;
}

std::string_view Tokenizer::bytes(int64_t token) const {
  if (const AddedToken* added = model_->added.find(token)) {
    return added->special ? std::string_view() : added->text;
  }
  const std::string* bytes = model_->vocabulary.bytes_of(token);
  return bytes ? std::string_view(*bytes) : std::string_view();
}

std::string Tokenizer::decode(std::span<const int64_t> tokens) const {
  TextStream stream(*this);
  std::string text = stream.add(tokens);
  return text += stream.end();
}

std::string TextStream::add(std::span<const int64_t> tokens) {
  for (const int64_t token : tokens) held_ += tokenizer_.bytes(token);
  const size_t whole = held_.size() - utf8_unfinished(held_);
  std::string text;
  append_as_utf8(text, std::string_view(held_).substr(0, whole));
  held_.erase(0, whole);
  return text;
}

std::string TextStream::end() {
  std::string text;
  append_as_utf8(text, held_);
  held_.clear();
  return text;
}

}  // namespace highwater
