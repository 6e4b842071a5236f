// Two cuts, of the k likeliest tokens and of those that have the probability p together. Each is a key
// (see logits.wgsl), of which workgroups find 11 or 10 bits in a dispatch: they add up the weights of
// all tokens that agree with the bits so far by their next bits, in bins. What follows from the bins
// is worked out by every workgroup of the next dispatch for itself.
const CUT_K = 0u;
const CUT_P = 1u;
const DIGITS = 3u;
const BINS = 2048u;

const MOST_PARTS = ${MOST_PARTS}u;
const TOPS = 0u;              // the largest logit of each part
const SUMS = MOST_PARTS;      // what it adds to the sum of all probabilities
const STATES = 2u * SUMS;     // of each cut before each digit: bits, and weight still to be covered
const BINS_START = STATES + 4u * (DIGITS + 1u);
const ALL_BINS = 2u * DIGITS * BINS;
#output memory : atomic<u32>

var<workgroup> segments: array<u32, WG>;
var<workgroup> settled_state: vec2<u32>;

fn bins_of(cut: u32, digit: u32) -> u32 { return BINS_START + (cut * DIGITS + digit) * BINS; }
fn state_of(cut: u32, digit: u32) -> u32 { return STATES + 2u * (cut * (DIGITS + 1u) + digit); }

// The last digit has 10 bits.
fn shift_of(digit: u32) -> u32 { return select(21u - 11u * digit, 0u, digit == 2u); }

// The bits of a cut before digit `digit` is known, and the weight that is still to be covered below.
fn settled(lane: u32, cut: u32, digit: u32) -> vec2<u32> {
  if (digit == 0u) { return vec2<u32>(0u, select(wanted_by_p(), params.top_k, cut == CUT_K)); }
  let before = vec2<u32>(atomicLoad(&memory[state_of(cut, digit - 1u)]), atomicLoad(&memory[state_of(cut, digit - 1u) + 1u]));
  let bins = bins_of(cut, digit - 1u);
  let segment = BINS / WG;
  var own = 0u;
  for (var b = 0u; b < BINS / WG; b++) { own += atomicLoad(&memory[bins + lane * segment + b]); }
  workgroupBarrier();
  segments[lane] = own;
  workgroupBarrier();
  var covered = 0u;
  for (var other = lane + 1u; other < WG; other++) { covered += segments[other]; }
  // One of the invocations has the bin in its segment; the last if all bins are not enough.
  if (covered < before.y && (covered + own >= before.y || lane == 0u)) {
    var b = segment;
    var last = 0u;
    while (b > 0u && covered < before.y) {
      b -= 1u;
      last = atomicLoad(&memory[bins + lane * segment + b]);
      covered += last;
    }
    let width = select(11u, 10u, digit == DIGITS);
    settled_state = vec2<u32>((before.x << width) | (lane * segment + b), before.y - min(before.y, covered - last));
  }
  workgroupBarrier();
  return settled_state;
}

// For the next dispatch.
fn keep_state(cut: u32, digit: u32, state: vec2<u32>) {
  atomicStore(&memory[state_of(cut, digit)], state.x);
  atomicStore(&memory[state_of(cut, digit) + 1u], state.y);
}
