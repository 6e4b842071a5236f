// What is fuzzed. Each target is given any bytes, and harms nobody, whatever they are: an error is
// a promise that was broken, in words. Crashes and undefined behaviour are up to the sanitizers.
#pragma once

#include "fuzz/script.h"
#include "highwater/result.h"

namespace highwater::fuzz {

Status pte(Bytes bytes);        // a .pte file
Status blob(Bytes bytes);       // a delegate's bytes
Status program(Bytes bytes);    // a script of changes to a real program
Status tokenizer(Bytes bytes);  // a tokenizer.json; after a zero byte, a text
Status json(Bytes bytes);       // JSON, which may be the signature of a program

struct Target {
  const char* name;
  Status (*run)(Bytes bytes);
};
inline constexpr Target kTargets[] = {{"pte", &pte},
                                      {"blob", &blob},
                                      {"program", &program},
                                      {"tokenizer", &tokenizer},
                                      {"json", &json}};

}  // namespace highwater::fuzz
