// Whether numbers of the browser are those of the native run. The device is another, and its
// subgroups have another size, so that sums round in another order.
import assert from "node:assert/strict";

export function assertClose(got, want, what) {
  assert.deepEqual(got.dims, want.dims, `dims of ${what}`);
  assert.equal(got.data.length, want.data.length, `elements of ${what}`);
  const largest = want.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const allowed = 1e-5 + 1e-4 * largest;
  for (let i = 0; i < want.data.length; i++) {
    const off = Math.abs(got.data[i] - want.data[i]);
    assert.ok(off <= allowed, `${what}: element ${i} is ${got.data[i]}, natively ${want.data[i]}`);
  }
}
