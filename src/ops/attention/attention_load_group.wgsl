// Through workgroup memory.
    for (var i = lane; i < ${BATCH}u * ${QUADS}u; i += ${LANES}u) {
      let kv_at = kv_start + min(start + i / ${QUADS}u, params.context - 1u) * params.kv_position + i % ${QUADS}u;
      keys[i] = k_quad(kv_at);
      values[i] = v_quad(kv_at);
    }
    workgroupBarrier();
