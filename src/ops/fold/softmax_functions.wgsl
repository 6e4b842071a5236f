#include "lowest.wgsl"

// What tells softmax from its logarithm: how a sum of exponentials acts on a result.
fn scale_of(sum: vec4<f32>) -> vec4<f32> { return ${SCALE}; }
fn result(v: vec4<f32>, top: vec4<f32>, scale: vec4<f32>) -> vec4<f32> { return ${RESULT}; }
