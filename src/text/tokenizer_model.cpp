#include "text/tokenizer_model.h"

#include <string>

namespace highwater {
namespace {

// The model's own settings that change what merges mean.
Status check_model(const JsonValue& model) {
  if (!model.object()) return fail("it is not a tokenizer.json: it has no model");
  const std::string type = type_of(model);
  if (type != "BPE" && !(type.empty() && model["merges"].list())) {
    return fail("it is of the kind '", type, "': only byte-level BPE is read");
  }
  if (const bool* fallback = model["byte_fallback"].flag(); fallback && *fallback) {
    return fail("it falls back to bytes (byte_fallback), as SentencePiece does: only byte-level ",
                "BPE is read");
  }
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const std::string* affix = model[name].string();
    if (affix && !affix->empty()) return fail("its '", name, "' is not supported");
  }
  const double* dropout = model["dropout"].number();
  if (dropout && *dropout != 0) return fail("it drops merges at random (dropout)");
  return {};
}

// NFC is taken as done: text is in that form as it is typed and stored nearly everywhere. Text that
// is not gets other tokens than with Hugging Face's package, of the same characters.
Status check_normalizer(const JsonValue& normalizer) {
  const std::string type = type_of(normalizer);
  if (normalizer.is_null() || type == "NFC") return {};
  const JsonValue::List* steps = normalizer["normalizers"].list();
  if (type != "Sequence" || !steps) {
    return fail("it changes texts by a normalizer of the kind '", type, "': only NFC is supported");
  }
  for (const JsonValue& step : *steps) HW_CHECK(check_normalizer(step));
  return {};
}

Status check_decoder(const JsonValue& decoder) {
  const std::string type = type_of(decoder);
  const JsonValue::List* steps = decoder["decoders"].list();
  if (type == "Sequence" && steps) {
    for (const JsonValue& step : *steps) HW_CHECK(check_decoder(step));
  } else if (!decoder.is_null() && type != "ByteLevel") {
    return fail("its decoder is of the kind '", type, "': only byte-level ones are read");
  }
  return {};
}

// The tokens around a text, from {"single": [{"SpecialToken": {"id": …}}, {"Sequence": …}, …]}.
Status read_template(const JsonValue& processor, TokenizerModel& model) {
  const JsonValue::List* parts = processor["single"].list();
  if (!parts) return fail("its template says nothing of single texts");
  bool after_text = false;
  for (const JsonValue& part : *parts) {
    if (part["Sequence"].object()) {
      after_text = true;
      continue;
    }
    const std::string* name = part["SpecialToken"]["id"].string();
    const JsonValue::List* ids = name ? processor["special_tokens"][*name]["ids"].list() : nullptr;
    if (!ids) return fail("its template has a part that is neither the text nor a known token");
    for (const JsonValue& value : *ids) {
      HW_TRY(const int32_t id, read_token_id(value, *name));
      (after_text ? model.after : model.before).push_back(id);
    }
  }
  return {};
}

Status read_processor(const JsonValue& processor, TokenizerModel& model) {
  const std::string type = type_of(processor);
  if (processor.is_null() || type == "ByteLevel") return {};
  if (type == "TemplateProcessing") return read_template(processor, model);
  const JsonValue::List* steps = processor["processors"].list();
  if (type != "Sequence" || !steps) {
    return fail("its post-processor of the kind '", type, "' is not supported");
  }
  for (const JsonValue& step : *steps) HW_CHECK(read_processor(step, model));
  return {};
}

}  // namespace

Result<TokenizerModel> TokenizerModel::read(const JsonValue& file) {
  const JsonValue& bpe = file["model"];
  HW_CHECK(check_model(bpe));
  HW_CHECK(check_normalizer(file["normalizer"]));
  HW_CHECK(check_decoder(file["decoder"]));
  TokenizerModel model;
  HW_TRY(model.cutter, Cutter::read(file["pre_tokenizer"]));
  HW_TRY(model.added, AddedTokens::read(file["added_tokens"]));
  HW_TRY(model.vocabulary, Vocabulary::read(bpe["vocab"]));
  HW_TRY(model.merges, Merges::read(bpe, model.vocabulary));
  HW_CHECK(read_processor(file["post_processor"], model));
  const bool* whole = bpe["ignore_merges"].flag();
  model.takes_whole_pieces = whole && *whole;
  return model;
}

}  // namespace highwater
