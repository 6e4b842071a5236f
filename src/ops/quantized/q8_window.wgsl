// What the kernels of layers with int8 weights share. Pixels lie one after the other, each with all
// its channels in whole quads. Sums are of products of small integers, and as floats exact up to
// 2^24; beyond that they round as any sum of floats does.
struct Params {
  tiles: u32,
  pixels: u32,              // of y, in all images
  columns: u32,             // channels of y
  column_quads: u32,
  column_tiles: u32,
  group_columns: u32,       // of one group
  group_column_quads: u32,
  depth: u32,               // channels of x that a group reads
  depth_quads: u32,
  x_quads: u32,             // of one pixel of x
  w_row: u32,
  scale_period: u32,        // after so many columns scales repeat
  has_bias: u32,
  x_height: u32,
  x_width: u32,
  y_height: u32,
  y_width: u32,
  taps: u32,
  kernel_width: u32,
  stride_y: i32,
  stride_x: i32,
  padding_y: i32,
  padding_x: i32,
  dilation_y: i32,
  dilation_x: i32,
  x_scale: f32,
  x_zero: f32,
  y_inverse: f32,
  y_zero: f32,
  lowest: f32,
  y_scale: f32,             // of what an activation is taken of
  p: f32,                   // of the activation
  q: f32,
  then_inverse: f32,        // what it is quantized by
  then_zero: f32,
}
#output y
#input x
#image w
#input scale
#input bias

alias T = f32;
${ACTIVATION}

const NOWHERE: u32 = 0xffffffffu;

struct Place {
  image: u32,       // the first pixel of its image in x
  at: vec2<i32>,    // row and column in y
}

fn place_of(pixel: u32) -> Place {
  let row = pixel / params.y_width;
  let image = (row / params.y_height) * params.x_height * params.x_width;
  return Place(image, vec2<i32>(i32(row % params.y_height), i32(pixel % params.y_width)));
}

// Row and column of x that a tap of the window sees; none is less than 0.
fn plain(at: vec2<i32>, tap: vec2<i32>) -> vec2<i32> {
  return at * vec2<i32>(params.stride_y, params.stride_x) - vec2<i32>(params.padding_y, params.padding_x) + tap * vec2<i32>(params.dilation_y, params.dilation_x);
}
fn transposed(at: vec2<i32>, tap: vec2<i32>) -> vec2<i32> {
  let stride = vec2<i32>(params.stride_y, params.stride_x);
  let spread = at + vec2<i32>(params.padding_y, params.padding_x) - tap * vec2<i32>(params.dilation_y, params.dilation_x);
  let seen = spread / stride;
  return select(vec2<i32>(-1), seen, (spread >= vec2<i32>(0)) & (seen * stride == spread));
}

fn source(place: Place, tap: u32) -> u32 {
  let at = ${WINDOW}(place.at, vec2<i32>(i32(tap / params.kernel_width), i32(tap % params.kernel_width)));
  let outside = any(at < vec2<i32>(0)) || any(at >= vec2<i32>(i32(params.x_height), i32(params.x_width)));
  return select(place.image + u32(at.x) * params.x_width + u32(at.y), NOWHERE, outside);
}

fn weights(at: u32) -> vec4<f32> {
  return vec4<f32>(${WEIGHTS});
}

// What four columns have in common at every pixel.
struct Line {
  scale: vec4<f32>,
  bias: vec4<f32>,
}

fn line_of(column: u32) -> Line {
  let c = min(vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(params.columns - 1u));
  let s = c % params.scale_period;
  let scale = params.x_scale * vec4<f32>(f32(scale_at(s.x)), f32(scale_at(s.y)), f32(scale_at(s.z)), f32(scale_at(s.w)));
  var bias = vec4<f32>();
  if (params.has_bias != 0u) { bias = vec4<f32>(f32(bias_at(c.x)), f32(bias_at(c.y)), f32(bias_at(c.z)), f32(bias_at(c.w))); }
  return Line(scale, bias);
}

fn finished(sum: vec4<f32>, line: Line) -> vec4<y_t> {
  let v = sum * line.scale + line.bias;
  return vec4<y_t>(${FINISH});
}
