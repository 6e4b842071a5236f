// What WGSL lacks, or leaves undefined, of the functions that rows of the map family call.

// Abramowitz and Stegun 7.1.26: within 1.5e-7 everywhere.
fn error_function(x: vec4<f32>) -> vec4<f32> {
  let t = 1.0 / (1.0 + 0.3275911 * abs(x));
  let tail = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return sign(x) * (1.0 - tail * exp(-x * x));
}

// Implementations may compute tanh from exp(2x), which overflows; beyond 10 it is 1 in f32.
fn safe_tanh(x: vec4<f32>) -> vec4<f32> {
  return tanh(clamp(x, vec4<f32>(-10.0), vec4<f32>(10.0)));
}

fn to_int8(a: vec4<f32>, inverse: vec4<f32>, zero: vec4<f32>) -> vec4<f32> {
  return clamp(round(a * inverse) + zero, vec4<f32>(-128.0), vec4<f32>(127.0));
}

// Half to even of the whole sum, which as a float would lose the bits that decide.
fn round_sum(a: vec4<f32>, whole: vec4<f32>) -> vec4<f32> {
  let below = floor(a);
  let rest = a - below;
  let sum = below + whole;
  let odd = abs(sum - 2.0 * floor(sum * 0.5)) == vec4<f32>(1.0);
  let up = (rest > vec4<f32>(0.5)) | ((rest == vec4<f32>(0.5)) & odd);
  return sum + select(vec4<f32>(0.0), vec4<f32>(1.0), up);
}

// WGSL's pow is undefined for negative bases and 0^0.
fn power(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  let magnitude = pow(abs(a), b);
  let odd = abs(b - 2.0 * floor(b * 0.5)) == vec4<f32>(1.0);
  var result = select(magnitude, -magnitude, odd & (a < vec4<f32>(0.0)));
  result = select(result, a * a, b == vec4<f32>(2.0));
  return select(result, vec4<f32>(1.0), b == vec4<f32>(0.0));
}

fn power_int(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
  var result = vec4<i32>(1);
  var square = a;
  var rest = max(b, vec4<i32>());
  // The bits of the exponent, of which there are 31.
  for (var bit = 0u; bit < 31u; bit++) {
    result = select(result, result * square, (rest & vec4<i32>(1)) == vec4<i32>(1));
    square *= square;
    rest = rest >> vec4<u32>(1u);
    if (all(rest == vec4<i32>())) { break; }
  }
  return result;
}

fn floor_divide(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  let quotient = floor(a / b);
  // A quotient rounded down across a whole number leaves a remainder of all of b.
  return quotient + select(vec4<f32>(0.0), vec4<f32>(1.0), a - quotient * b == b);
}

fn floor_divide_int(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
  let inexact = (a % b != vec4<i32>(0)) & ((a < vec4<i32>(0)) != (b < vec4<i32>(0)));
  return a / b - select(vec4<i32>(0), vec4<i32>(1), inexact);
}
