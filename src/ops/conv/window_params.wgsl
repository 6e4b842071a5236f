  pixels: u32,         // of an image of y
  width: u32,          // of y
  x_height: u32,
  x_width: u32,
  taps_y: u32,
  taps_x: u32,
  stride_y: i32,
  stride_x: i32,
  padding_y: i32,
  padding_x: i32,
  dilation_y: i32,
  dilation_x: i32,
  has_bias: u32,
  p: f32,              // of the epilogue
  q: f32,
