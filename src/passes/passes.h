// Small rewrites of a program before it becomes a graph. Each leaves the numbers as they are, up to
// rounding; each can be switched off.
#pragma once

#include <string_view>

#include "blob/program.h"
#include "highwater/result.h"

namespace highwater {

// Rotary embeddings read their tables at a live position, instead of copies of the live rows.
void fold_rope_tables(Program& program);

// Rotary embeddings of what attention puts into its caches and looks for there are its own work.
void fuse_rope_cache(Program& program);

// Layers that quantize their input as it comes read it as int8 shows it, which is made once for all
// of them, and are then 4-bit layers like any other.
void fuse_fake_quantize(Program& program);

// Views of one value to the same sizes are one, so that what reads them has the same input.
void merge_equal_views(Program& program);

// Linear layers with the same input become one, which reads it once.
void share_linear_inputs(Program& program);

// sigmoid(g) * g * u is one op.
void fuse_swiglu(Program& program);

// …and one with the two linear layers that make g and u, where nothing else reads those.
void fuse_linear_swiglu(Program& program);

// What is added to the result of a 4-bit layer is one op with it.
void fuse_linear_residual(Program& program);

// The norm that only a 4-bit layer reads, or several as one, and the way through int8 of what it
// reads, are one op with it.
void fuse_linear_input(Program& program);

// A sum and the norm of it are one op.
void fuse_add_rms_norm(Program& program);

// Two batched products about a softmax are attention, which never writes down the scores.
void fuse_attention(Program& program);

// Attention reads queries, keys and values where linear layers leave them, and its result lies as
// the next one reads it: heads are not moved in front of positions and back.
void attend_in_place(Program& program);

// Linear layers read inputs of any rank: what exporters make two dims of for them stays as it was.
void drop_linear_views(Program& program);

// What is added to a convolution's result, and the activation of it, are one op with it.
void fuse_conv_epilogue(Program& program);

// The same for linear layers.
void fuse_linear_epilogue(Program& program);

// A convolution of int8 whose result becomes floats for an activation, and then int8 again, does
// all of it.
void fuse_q8_conv_activation(Program& program);

// Int8 tensors between convolutions have their channels last, as the kernels read them.
void keep_channels_last(Program& program);

// Caches of attention take half the memory: float32 ones are kept as float16, where only attention
// reads them. Not among those that always run, because the program asked for more precision.
void halve_caches(Program& program);

// All the others, in the order in which they help each other. `without` names some to leave out,
// separated by commas; "all" leaves out all.
void run_passes(Program& program, std::string_view without = {});

// An error, with the names that there are, if such a list has another.
Status check_pass_names(std::string_view without);

}  // namespace highwater
