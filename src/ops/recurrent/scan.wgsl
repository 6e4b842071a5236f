// The steps of a recurrent layer, one after another. A workgroup walks one sequence: its invocations
// share the hidden units, and keep the state in the workgroup's memory from step to step.
//
// What a step adds to the gates from its input is `gates`, computed before for all steps at once. Of
// each gate of a hidden quad u, what comes from the hidden state is gate0, gate1 and so on.
struct Params {
  sequences: u32,
  steps: u32,
  step_stride: u32,      // of y, in quads; `gates` has so many times ${GATES}
  sequence_stride: u32,
  backwards: u32,
}
${BINDINGS}

// Of this step and of the next, in turn.
var<workgroup> hidden: array<vec4<f32>, 2u * ${QUADS}u>;
${MEMORY}

fn sigmoid(v: vec4<f32>) -> vec4<f32> { return 1.0 / (1.0 + exp(-v)); }
// tanh overflows on some adapters where exp does.
fn bounded_tanh(v: vec4<f32>) -> vec4<f32> { return tanh(clamp(v, vec4<f32>(-15.0), vec4<f32>(15.0))); }

#main sequence lane
  if (sequence >= params.sequences) { return; }
  let first = sequence * params.sequence_stride;
  for (var u = lane; u < ${QUADS}u; u += WG) {
    hidden[u] = h_quad(sequence * ${QUADS}u + u);
    ${BEGIN}
  }
  for (var step = 0u; step < params.steps; step++) {
    workgroupBarrier();
    let now = (step & 1u) * ${QUADS}u;
    let next = ${QUADS}u - now;
    let time = select(step, params.steps - 1u - step, params.backwards != 0u);
    let at = first + time * params.step_stride;
    for (var u = lane; u < ${QUADS}u; u += WG) {
#unroll g ${GATES}
      var gate${g} = b_quad(${g}u * ${QUADS}u + u);
#end
      for (var k = 0u; k < ${QUADS}u; k++) {
        let state = hidden[now + k];
#unroll g ${GATES}
        {
          let row = (${g}u * ${QUADS}u + u) * 4u;
          gate${g} += vec4<f32>(dot(w_quad(row * ${QUADS}u + k), state), dot(w_quad((row + 1u) * ${QUADS}u + k), state), dot(w_quad((row + 2u) * ${QUADS}u + k), state), dot(w_quad((row + 3u) * ${QUADS}u + k), state));
        }
#end
      }
#unroll g ${GATES}
      let given${g} = gates_quad(at * ${GATES}u + ${g}u * ${QUADS}u + u);
#end
${STEP}
      hidden[next + u] = new_hidden;
      y_put(at + u, new_hidden);
      if (step + 1u == params.steps) {
        h_last_put(sequence * ${QUADS}u + u, new_hidden);
        ${END}
      }
    }
  }
}
