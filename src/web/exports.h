// How functions leave the module for JavaScript. Numbers that may be large are doubles: JavaScript
// has no other that it can calculate with.
#pragma once

#include <string>

#include "highwater/result.h"

#define HIGHWATER_EXPORT(type, name) extern "C" __attribute__((export_name(#name))) type name

namespace highwater::web {

// The text that was handed out last, which JavaScript copies before its next call.
void hand_out(std::string text);

// 0, or 1 after an error, whose message is then the text.
int told(const Status& status);

}  // namespace highwater::web
