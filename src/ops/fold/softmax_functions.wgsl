// What tells softmax from its logarithm: how a sum of exponentials acts on a result.
fn scale_of(sum: vec4<f32>) -> vec4<f32> { return ${SCALE}; }
fn result(v: vec4<f32>, top: vec4<f32>, scale: vec4<f32>) -> vec4<f32> { return ${RESULT}; }

// Finite, so that a row of minus infinities never subtracts infinity from infinity.
const LOWEST: f32 = -3.4028234e38;
