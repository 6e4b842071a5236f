// Each field of a blob broken in turn: an error that says what and where.
#include <functional>
#include <limits>

#include "blob/program.h"
#include "support/blob_builder.h"
#include "support/expect.h"

namespace highwater {
namespace {

using Tensor = BlobContent::Tensor;

struct BadField {
  const char* name;
  std::function<void(BlobContent&)> spoil;
  std::initializer_list<std::string_view> says;
};

Tensor& tensor(BlobContent& c, size_t value) {
  return std::get<Tensor>(c.values[value]);
}

const BadField kBadFields[] = {
    {"ListItemTooLarge",
     [](auto& c) { c.values[11] = BlobContent::Items{{10, 13}}; },
     {"value 11", "item 1", "value 13", "there are 13"}},
    {"ListItemNegative",
     [](auto& c) { c.values[11] = BlobContent::Items{{-1}}; },
     {"value 11", "item 0", "value -1"}},
    {"ListWithinList",
     [](auto& c) { c.values.push_back(BlobContent::Items{{0, 11}}); },
     {"value 13", "the list 11"}},
    {"ListOfItself",
     [](auto& c) { c.values[11] = BlobContent::Items{{11}}; },
     {"value 11", "the list 11"}},
    {"UnknownKind",
     [](auto& c) { c.values[12] = BlobContent::Unknown{}; },
     {"value 12", "kind 99"}},
    {"RankNine",
     [](auto& c) { tensor(c, 0).dims = std::vector<uint32_t>(9, 1); },
     {"value 0", "rank 9"}},
    {"DimsOverflow32",
     [](auto& c) { tensor(c, 0).dims = {65536, 65536}; },
     {"value 0", "[65536, 65536]", "too many elements"}},
    {"DimsOverflow64",
     [](auto& c) { tensor(c, 3).dims = std::vector<uint32_t>(4, 4294967295u); },
     {"value 3", "too many elements"}},
    {"DimsOverflowBehindZero",
     [](auto& c) { tensor(c, 3).dims = {0, 4294967295u, 4294967295u}; },
     {"value 3", "too many elements"}},
    {"DTypeUnset", [](auto& c) { tensor(c, 0).dtype = 127; }, {"value 0", "data type 127"}},
    {"DTypeNegative", [](auto& c) { tensor(c, 0).dtype = -1; }, {"value 0", "data type -1"}},
    {"DTypeNew", [](auto& c) { tensor(c, 2).dtype = 8; }, {"value 2", "data type 8"}},
    {"ConstantIdTooLarge",
     [](auto& c) { tensor(c, 1).constant_id = 2; },
     {"value 1", "constant 2", "there are 2"}},
    {"ConstantIdHuge",
     [](auto& c) { tensor(c, 1).constant_id = std::numeric_limits<int32_t>::max(); },
     {"value 1", "constant 2147483647"}},
    {"ConstantTooShortForItsTensor",
     [](auto& c) { c.constants[0].length = 31; },
     {"value 1", "[8]", "32 bytes", "constant 0 has 31"}},
    {"NamedConstantTooShortForItsTensor",
     [](auto& c) { c.constants[1].length = 31; },
     {"value 2", "int64", "32 bytes", "constant 1 has 31"}},
    {"ConstantOffsetOutside",
     [](auto& c) { c.constants[0].offset = 49; },
     {"constant 0", "offset 49", "48 bytes"}},
    {"ConstantLengthOutside",
     [](auto& c) { c.constants[0].length = 33; },
     {"constant 0", "offset 16, 33 bytes", "48 bytes"}},
    {"ConstantEndOverflows",
     [](auto& c) { c.constants[0].length = std::numeric_limits<uint64_t>::max() - 8; },
     {"constant 0", "outside"}},
    {"ConstantWithNeitherBytesNorKey",
     [](auto& c) { c.constants[1].key = std::nullopt; },
     {"constant 1", "neither"}},
    {"ConstantWithAnEmptyKey", [](auto& c) { c.constants[1].key = ""; }, {"constant 1", "neither"}},
    {"CallWithoutName", [](auto& c) { c.calls[1].name = std::nullopt; }, {"call 1", "no op name"}},
    {"CallWithAnEmptyName", [](auto& c) { c.calls[0].name = ""; }, {"call 0", "no op name"}},
    {"NameNotUtf8", [](auto& c) { c.calls[0].name = "aten.\xff"; }, {"not UTF-8", "aten.\\xff"}},
    {"NameWithAnEscape",
     [](auto& c) { c.calls[1].name = "aten.\x1b[31m"; },
     {"control character", "aten.\\x1b[31m"}},
    {"NameWithAnEscapeOfOneByte",
     [](auto& c) {
       c.constants[1].key =
           "\xc2\x9b"
           "31m";
     },
     {"control character", "\\xc2\\x9b31m"}},
    {"StringWithAnEscape",
     [](auto& c) { c.values[7] = std::string("tanh\x1b]0;"); },
     {"value 7", "control character"}},
    {"ArgumentTooLarge",
     [](auto& c) { c.calls[1].args[2] = 13; },
     {"call 1", "aten.add.Tensor", "argument 2", "value 13", "there are 13"}},
    {"ArgumentNegative",
     [](auto& c) { c.calls[0].args[0] = -2; },
     {"call 0", "sym_size.int", "argument 0", "value -2"}},
    {"InputTooLarge", [](auto& c) { c.inputs[0] = 13; }, {"input 0", "value 13", "there are 13"}},
    {"InputHuge", [](auto& c) { c.inputs[0] = 4294967295u; }, {"input 0", "value 4294967295"}},
    {"InputOfAnotherKind", [](auto& c) { c.inputs[0] = 4; }, {"input 0", "value 4", "kind Int"}},
    {"OutputTooLarge", [](auto& c) { c.outputs[1] = 99; }, {"output 1", "value 99"}},
    {"OutputOfAnotherKind",
     [](auto& c) { c.outputs[0] = 11; },
     {"output 0", "value 11", "kind ValueList"}},
};

class BadFields : public testing::TestWithParam<BadField> {};

TEST_P(BadFields, AreNamed) {
  BlobContent content = good_content();
  GetParam().spoil(content);
  const Blob blob = make_blob(content);
  EXPECT_TRUE(fails_saying(read_program(blob), GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(Blob, BadFields, testing::ValuesIn(kBadFields),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace highwater
