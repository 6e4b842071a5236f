// How a kernel's source becomes WGSL.
#include "graph/kernel.h"

#include "support/expect.h"

namespace highwater {
namespace {

Result<KernelText> expand_text(std::string_view text, std::vector<DType> bindings,
                               std::vector<Substitution> substitutions = {},
                               uint32_t params_size = 0,
                               const DeviceTraits& traits = {.software = false},
                               bool constants = false) {
  std::vector<Operand> operands;
  for (DType type : bindings) operands.push_back({type, constants});
  return expand(KernelSource{"sample", params_size, text}, traits, operands, substitutions);
}

constexpr DeviceTraits kGpu{.software = false};
constexpr DeviceTraits kSoftware{.software = true, .lanes = 8};

bool has(const Result<KernelText>& result, std::string_view piece) {
  return result.ok() && result->wgsl.find(piece) != std::string::npos;
}

TEST(Kernel, BindingsAreNumberedInOrderAfterTheParams) {
  const auto k =
      expand_text("#output y\n#input x\n#input w\n", {DType::Float32, DType::Float16, DType::Int8});
  ASSERT_TRUE(succeeds(k));
  EXPECT_EQ(k->uses, (std::vector<OperandUse>{{.writes = true}, {}, {}}));
  EXPECT_TRUE(has(k, "@binding(1) var<storage, read_write> y: array<vec4<f32>>;"));
  EXPECT_TRUE(has(k, "@binding(2) var<storage, read> x: array<vec2<u32>>;"));
  EXPECT_TRUE(has(k, "@binding(3) var<storage, read> w: array<u32>;"));
  EXPECT_TRUE(has(k, "alias x_t = f32;"));
  EXPECT_TRUE(has(k, "alias w_t = i32;"));
  EXPECT_TRUE(has(k, "fn y_put("));
  EXPECT_FALSE(has(k, "fn x_put(")) << "inputs are not written";
  EXPECT_FALSE(has(k, "params"));
}

TEST(Kernel, SixtyFourBitTypesLiveAtHalfTheirWidth) {
  const auto k = expand_text("#output y\n#input x\n", {DType::Int64, DType::Float64});
  EXPECT_TRUE(has(k, "y: array<vec4<i32>>;"));
  EXPECT_TRUE(has(k, "x: array<vec4<f32>>;"));
}

TEST(Kernel, HalvesAreBoundAsTheyAreWhereTheDeviceKnowsThem) {
  const std::string_view source = "#output y\n#input x\n#input w : vec2<u32>\n";
  const std::vector types{DType::Float16, DType::Float32, DType::Float16};
  const auto k = expand_text(source, types, {}, 0, {.software = false, .half = true});
  ASSERT_TRUE(succeeds(k));
  EXPECT_TRUE(k->wgsl.starts_with("enable f16;\n"));
  EXPECT_TRUE(has(k, "y: array<vec4<f16>>;"));
  EXPECT_TRUE(has(k, "alias y_t = f32;")) << "it computes in single precision all the same";
  EXPECT_TRUE(has(k, "fn y_put(AT: u32, VEC: vec4<f32>) { y[AT] = vec4<f16>(VEC); }"));
  EXPECT_TRUE(has(k, "return f32(y[AT >> 2u][LANE]);"));
  EXPECT_TRUE(has(k, "w: array<vec2<u32>>;")) << "a kernel that asks for words gets words";
  EXPECT_FALSE(has(k, "2x16float"));
}

TEST(Kernel, HalvesAreEnabledOnlyWhereThereAreAny) {
  const DeviceTraits traits{.software = false, .half = true};
  const auto bare = expand_text("#input w : u32\n", {DType::Float16}, {}, 0, traits);
  ASSERT_TRUE(succeeds(bare));
  EXPECT_FALSE(has(bare, "enable"));
  EXPECT_FALSE(has(expand_text("#input x\n", {DType::Float32}, {}, 0, traits), "enable"));
  EXPECT_FALSE(has(expand_text("#input x\n", {DType::Float16}, {}, 0, kGpu), "f16"));
}

TEST(Kernel, EverythingThatIsEnabledIsOnTop) {
  const auto k = expand_text("#input x\n#lanes tile lane\n}\n", {DType::Float16}, {{"LANES", "4"}},
                             0, {.lanes = 4, .enable_subgroups = true, .half = true});
  EXPECT_TRUE(k.ok() && k->wgsl.starts_with("enable f16;\nenable subgroups;\n"));
}

TEST(Kernel, BareBindingsAreReadByItems) {
  const auto k = expand_text("#output y\n#input w : vec4<u32>\n", {DType::Float32, DType::UInt8});
  EXPECT_TRUE(has(k, "@binding(2) var<storage, read> w: array<vec4<u32>>;"));
  EXPECT_FALSE(has(k, "fn w_at("));
  EXPECT_TRUE(has(k, "fn w_item(AT: u32) -> vec4<u32> { return w[AT]; }"));
  EXPECT_FALSE(has(k, "fn w_set("));
}

TEST(Kernel, ConstantsMayBeImagesOnSoftwareAdapters) {
  const std::string_view source = "#image s\n#image w : vec4<u32>\n#image b\n#input x\n";
  const std::vector types{DType::Float32, DType::UInt8, DType::Float16, DType::Float32};
  const auto k = expand_text(source, types, {}, 0, kSoftware, true);
  ASSERT_TRUE(succeeds(k));
  EXPECT_EQ(
      k->uses,
      (std::vector<OperandUse>{
          {.texels = Texels::Float4}, {.texels = Texels::Uint4}, {.texels = Texels::Uint2}, {}}));
  EXPECT_TRUE(has(k, "@binding(1) var s: texture_storage_2d<rgba32float, read>;"));
  EXPECT_TRUE(has(k, "@binding(2) var w: texture_storage_2d<rgba32uint, read>;"));
  EXPECT_TRUE(has(k, "fn w_item(AT: u32) -> vec4<u32> { return textureLoad(w, "));
  EXPECT_TRUE(has(k, "unpack2x16float(MEM.x)"));
  EXPECT_TRUE(has(k, "@binding(4) var<storage, read> x: array<vec4<f32>>;"));
}

TEST(Kernel, OtherwiseImagesAreBuffersWithTheSameAccessors) {
  const std::string_view source = "#image s\n#image w : vec4<u32>\n#image i\n";
  const std::vector types{DType::Float32, DType::UInt8, DType::Int8};
  const std::vector<OperandUse> plain(3);
  const auto on_gpu = expand_text(source, types, {}, 0, kGpu, true);
  const auto not_constant = expand_text(source, types, {}, 0, kSoftware, false);
  ASSERT_TRUE(succeeds(on_gpu));
  ASSERT_TRUE(succeeds(not_constant));
  EXPECT_EQ(on_gpu->uses, plain);
  EXPECT_EQ(not_constant->uses, plain);
  EXPECT_TRUE(has(on_gpu, "@binding(2) var<storage, read> w: array<vec4<u32>>;"));
  EXPECT_TRUE(has(on_gpu, "fn w_item(AT: u32) -> vec4<u32> { return w[AT]; }"));
  EXPECT_TRUE(has(on_gpu, "fn s_quad("));
}

TEST(Kernel, LargeOperandsAreBoundInPartsThatTheirAccessorsFind) {
  const DeviceTraits traits{.software = false, .binding_bytes = 512};
  const auto parts = [&](std::string_view source, std::vector<uint64_t> bytes) {
    std::vector<Operand> operands;
    for (uint64_t b : bytes) operands.push_back({DType::Float16, false, b});
    return expand(KernelSource{"sample", 0, source}, traits, operands, {});
  };
  const auto k = parts("#output y\n#input x\n#input w : u32\n", {1040, 512, 528});
  ASSERT_TRUE(succeeds(k));
  EXPECT_EQ(k->uses, (std::vector<OperandUse>{{.writes = true, .parts = 3}, {}, {.parts = 2}}));
  EXPECT_TRUE(has(k, "@binding(3) var<storage, read_write> y_2: array<vec2<u32>>;"));
  EXPECT_TRUE(has(k, "@binding(4) var<storage, read> x: array<vec2<u32>>;")) << "as it was";
  EXPECT_TRUE(has(k, "@binding(6) var<storage, read> w_1: array<u32>;"));
  EXPECT_TRUE(has(k, "switch AT / 64u {")) << "quads of eight bytes";
  EXPECT_TRUE(has(k, "case 1u: { y_1[AT - 64u] = ITEM; }"));
  EXPECT_TRUE(has(k, "default: { y_2[AT - 128u] = ITEM; }"));
  EXPECT_TRUE(has(k, "fn y_put(AT: u32, VEC: vec4<f32>) { y_set(AT, "));
  EXPECT_TRUE(has(k, "default: { return w_1[AT - 128u]; }"));
  EXPECT_TRUE(fails_saying(parts("#output y : atomic<u32>\n", {528}), {"'y'", "528", "512"}));
}

TEST(Kernel, LanesAreAWorkgroupOfOneSubgroup) {
  const auto k = expand_text("#lanes tile lane\n}\n", {}, {{"LANES", "8"}}, 0, kSoftware);
  EXPECT_TRUE(has(k, "@workgroup_size(8)"));
  EXPECT_TRUE(has(k, "@builtin(subgroup_invocation_id) local_id"));
  EXPECT_FALSE(has(k, "enable subgroups;")) << "naga does not know it";
  const auto on_dawn = expand_text("#lanes tile lane\n}\n", {}, {{"LANES", "4"}}, 0,
                                   {.lanes = 4, .enable_subgroups = true});
  EXPECT_TRUE(on_dawn.ok() && on_dawn->wgsl.starts_with("enable subgroups;\n"));
}

TEST(Kernel, WithoutSubgroupsALaneIsAnInvocation) {
  const auto k =
      expand_text("#lanes tile lane\n}\n", {}, {{"LANES", "1"}}, 0, {.enable_subgroups = true});
  EXPECT_TRUE(has(k, "let tile = (group_id.y * group_count.x + group_id.x) * WG + local_id;"));
  EXPECT_TRUE(has(k, "let lane = 0u;"));
  EXPECT_FALSE(has(k, "subgroup"));
}

TEST(Kernel, LanesMayBeAWholeWorkgroup) {
  const auto k = expand_text("#lanes row lane\n}\n", {}, {{"LANES", "64"}}, 0, kSoftware);
  EXPECT_TRUE(has(k, "@workgroup_size(WG)"));
  EXPECT_TRUE(has(k, "let row = (group_id.y * group_count.x + group_id.x); let lane = local_id;"));
  EXPECT_FALSE(has(k, "subgroup"));
}

TEST(Kernel, WhatLanesFoundIsMergedAsTheyShareTheWork) {
  const std::string_view source = "#over_lanes sum vec4<f32> a + b\n#lanes row lane\n}\n";
  const auto shared_by = [&](const char* lanes) {
    return expand_text(source, {}, {{"LANES", lanes}}, 0, kSoftware);
  };
  const std::string_view head = "fn sum_over_lanes(mine: vec4<f32>, lane: u32) -> vec4<f32> {";
  for (const char* lanes : {"1", "2", "8", "64"}) EXPECT_TRUE(has(shared_by(lanes), head)) << lanes;
  EXPECT_FALSE(has(shared_by("1"), "workgroupBarrier"));
  EXPECT_FALSE(has(shared_by("1"), "var<workgroup>"));
  EXPECT_TRUE(has(shared_by("2"), "let b = subgroupBroadcast(mine, 0u + 1u);\n    a = a + b;\n"));
  EXPECT_FALSE(has(shared_by("2"), "1u + 1u")) << "there are two lanes";
  EXPECT_TRUE(has(shared_by("8"), "6u + 1u"));
  EXPECT_TRUE(has(shared_by("64"), "var<workgroup> sum_parts: array<vec4<f32>, WG>;"));
  EXPECT_TRUE(has(shared_by("64"), "sum_parts[lane] = a + b;"));
  EXPECT_TRUE(has(expand_text("#over_lanes top f32 max(a, b)\n#main row lane\n}\n", {}),
                  "top_parts[lane] = max(a, b);"));
  EXPECT_TRUE(fails_saying(expand_text("#over_lanes sum f32\n", {}), {"sample", "how"}));
}

TEST(Kernel, ParamsAreBoundWhereThereAreAny) {
  EXPECT_TRUE(has(expand_text("#output y\n", {DType::Float32}, {}, 16),
                  "@group(0) @binding(0) var<uniform> params: Params;"));
}

TEST(Kernel, ParamsMayLieInStorage) {
  const auto k = expand_text("#output y\n#main i\n}\n", {DType::Float32}, {}, 16, kSoftware);
  EXPECT_TRUE(has(k, "@group(0) @binding(0) var<storage, read> params_memory: Params;"));
  EXPECT_TRUE(has(k, "params = params_memory;\n")) << "they are loaded once";
}

TEST(Kernel, EntryPointsNumberFoldedGroups) {
  const auto by_item = expand_text("#output y\n#main i\n}\n", {DType::Float32});
  EXPECT_TRUE(has(by_item, "@compute @workgroup_size(WG) fn main("));
  EXPECT_TRUE(has(by_item, "let i = (group_id.y * group_count.x + group_id.x) * WG + local_id;"));
  const auto by_group = expand_text("#output y\n#main row lane\n}\n", {DType::Float32});
  EXPECT_TRUE(has(by_group, "let row = (group_id.y * group_count.x + group_id.x);"));
  EXPECT_TRUE(has(by_group, "let lane = local_id;"));
}

TEST(Kernel, SubstitutionsMayRepeatAndNameOthers) {
  const auto k = expand_text("#output y\nlet a = ${E} + ${E};\n", {DType::Float32},
                             {{"E", "f(${N})"}, {"N", "7"}});
  EXPECT_TRUE(has(k, "let a = f(7) + f(7);\n"));
}

TEST(Kernel, UnrolledLinesRepeatWithTheirIndexAndNest) {
  const auto k = expand_text("#output y\n#unroll i 2\n#unroll j 2\nrow(${i}, ${j});\n#end\n#end\n",
                             {DType::Float32});
  EXPECT_TRUE(has(k, "row(0, 0);\nrow(0, 1);\nrow(1, 0);\nrow(1, 1);\n"));
  EXPECT_FALSE(has(k, "#end"));
  EXPECT_TRUE(fails_saying(expand_text("#unroll i\n#end\n", {}), {"sample", "no count"}));
}

TEST(Kernel, AHoleOnALineOfItsOwnMayBeFilledWithLines) {
  const auto k =
      expand_text("  ${PART}\n", {DType::Float32},
                  {{"PART", "#output y\n${INNER}\n"}, {"INNER", "let n = ${N};"}, {"N", "3"}});
  ASSERT_TRUE(succeeds(k));
  EXPECT_EQ(k->uses, std::vector<OperandUse>{{.writes = true}});
  EXPECT_TRUE(has(k, "let n = 3;\n"));
  EXPECT_FALSE(has(expand_text("${NONE}\n", {}, {{"NONE", ""}}), "\n\n"));
  EXPECT_TRUE(fails_saying(expand_text("${GONE}\n", {}), {"sample", "${GONE}"}));
}

TEST(Kernel, TwoHolesOnALineAreFilledWithinIt) {
  EXPECT_TRUE(has(expand_text("${A} ${B}\n", {}, {{"A", "let x ="}, {"B", "1;"}}), "let x = 1;\n"));
}

TEST(Kernel, InnerIndexHidesAnOuterOne) {
  const auto k = expand_text("#unroll i 2\n#unroll i 2\na${i};\n#end\nb${i};\n#end\n", {});
  EXPECT_TRUE(has(k, "a0;\na1;\nb0;\na0;\na1;\nb1;\n"));
}

TEST(Kernel, MissingSubstitutionIsNamed) {
  EXPECT_TRUE(fails_saying(expand_text("#output y\nlet a = ${SCALE};\n", {DType::Float32}),
                           {"kernel sample", "${SCALE}"}));
  EXPECT_TRUE(fails_saying(expand_text("let a = ${SCALE;\n", {}), {"kernel sample", "open ${"}));
}

TEST(Kernel, NumberOfBindingsMustFit) {
  const std::string_view two = "#output y\n#input x\n";
  EXPECT_TRUE(fails_saying(expand_text(two, {DType::Float32}), {"sample", "more bindings", "1"}));
  EXPECT_TRUE(fails_saying(expand_text(two, {DType::Float32, DType::Float32, DType::Float32}),
                           {"sample", "2 bindings", "3 were given"}));
  EXPECT_TRUE(fails_saying(expand_text(two, {}), {"sample", "more bindings", "0"}));
}

TEST(Kernel, LastLineNeedsNoNewline) {
  EXPECT_TRUE(has(expand_text("const a = 1;", {}), "const a = 1;\n"));
  EXPECT_TRUE(succeeds(expand_text("#output y", {DType::Float32})));
}

}  // namespace
}  // namespace highwater
