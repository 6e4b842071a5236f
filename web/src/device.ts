// The device that models run on.
import { HighwaterError, NoWebGpuError } from "./errors.js";

const wantedFeatures: GPUFeatureName[] = ["shader-f16", "timestamp-query", "subgroups"];

// Without asking, a device has the least that WebGPU allows, whatever it could do.
const wantedLimits = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupStorageSize",
] as const;

export async function openDevice(): Promise<GPUDevice> {
  // Types say that it is always there; browsers do not.
  const gpu = globalThis.navigator?.gpu as GPU | undefined;
  if (!gpu) {
    const reason = globalThis.isSecureContext
      ? "use a current Chrome, Edge, Safari or Firefox"
      : "pages have it over https, and on localhost, only";
    throw new NoWebGpuError(`this browser has no WebGPU here: ${reason}`);
  }
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) {
    throw new NoWebGpuError(
      "the browser has WebGPU, but no adapter for it: the graphics driver may be blocked or too " +
        "old; chrome://gpu tells why",
    );
  }
  try {
    return await adapter.requestDevice({
      label: "highwater",
      requiredFeatures: wantedFeatures.filter((feature) => adapter.features.has(feature)),
      requiredLimits: Object.fromEntries(wantedLimits.map((name) => [name, adapter.limits[name]])),
    });
  } catch (error) {
    throw new HighwaterError(`the adapter gave no device: ${(error as Error).message}`);
  }
}
