// Finite, so that a row of minus infinities never subtracts infinity from infinity.
const LOWEST: f32 = -3.4028234e38;
