// Of webgpu.h: the instance, the adapter, the device and its error scopes. The device is there before
// the engine is, so that it need not wait for one.
import { type Context, future } from "./context.js";
import { ErrorScopes } from "./error-scopes.js";
import { numbers, offsets } from "./layout.js";

const features: Record<number, GPUFeatureName> = {
  [numbers.WGPUFeatureName_TimestampQuery]: "timestamp-query",
  [numbers.WGPUFeatureName_ShaderF16]: "shader-f16",
  [numbers.WGPUFeatureName_Subgroups]: "subgroups",
};

/** Browsers do not say what kind an adapter is, but software has well-known names. */
export function isSoftware(info: GPUAdapterInfo): boolean {
  const names = `${info.vendor} ${info.architecture} ${info.device} ${info.description}`;
  return info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|basic render/i.test(names);
}

export function deviceFunctions(context: Context, scopes: ErrorScopes) {
  const { device, events, handles, info } = context;
  const put = (view: number, text: string) => {
    const bytes = context.memory.encode(text);
    const pointer = context.memory.allocate(bytes.length);
    context.memory.slice(pointer, bytes.length).set(bytes);
    context.memory.setWord(view + offsets.WGPUStringView.data, pointer);
    context.memory.setWord(view + offsets.WGPUStringView.length, bytes.length);
  };
  const release = (handle: number) => void handles.release(handle);

  return {
    wgpuCreateInstance: () => handles.add({}),
    wgpuInstanceProcessEvents: () => events.deliver(),
    wgpuInstanceRequestAdapter: (_instance: number, _options: number, callbackInfo: number) => {
      const callback = context.callback(callbackInfo, offsets.WGPURequestAdapterCallbackInfo);
      const status = numbers.WGPURequestAdapterStatus_Success;
      events.add(() =>
        context.withText("", (view) => callback.call(status, handles.add({}), view)),
      );
      return future;
    },
    wgpuAdapterGetInfo: (_adapter: number, out: number) => {
      const at = offsets.WGPUAdapterInfo;
      const { memory } = context;
      put(out + at.vendor, info.vendor);
      put(out + at.architecture, info.architecture);
      put(out + at.device, info.device || `${info.vendor} ${info.architecture}`.trim());
      put(out + at.description, info.description);
      const software = isSoftware(info);
      memory.setWord(out + at.backendType, numbers.WGPUBackendType_WebGPU);
      memory.setWord(
        out + at.adapterType,
        software ? numbers.WGPUAdapterType_CPU : numbers.WGPUAdapterType_Unknown,
      );
      memory.setWord(out + at.vendorID, 0);
      memory.setWord(out + at.deviceID, 0);
      memory.setWord(out + at.subgroupMinSize, info.subgroupMinSize ?? 0);
      memory.setWord(out + at.subgroupMaxSize, info.subgroupMaxSize ?? 0);
      return numbers.WGPUStatus_Success;
    },
    wgpuAdapterInfoFreeMembers: (members: number) => {
      const { vendor, architecture, device: name, description } = offsets.WGPUAdapterInfo;
      for (const at of [vendor, architecture, name, description]) {
        context.memory.release(context.memory.word(members + at));
      }
    },
    wgpuAdapterHasFeature: (_adapter: number, feature: number) =>
      Number(feature in features && device.features.has(features[feature])),
    wgpuAdapterGetLimits: (_adapter: number, out: number) => {
      const at = offsets.WGPULimits;
      const { memory } = context;
      const { limits } = device;
      memory.setLong(out + at.maxBufferSize, limits.maxBufferSize);
      memory.setLong(out + at.maxStorageBufferBindingSize, limits.maxStorageBufferBindingSize);
      for (const name of [
        "maxStorageBuffersPerShaderStage",
        "maxComputeInvocationsPerWorkgroup",
        "maxComputeWorkgroupStorageSize",
      ] as const) {
        memory.setWord(out + at[name], limits[name]);
      }
      return numbers.WGPUStatus_Success;
    },
    wgpuAdapterRequestDevice: (_adapter: number, descriptor: number, callbackInfo: number) => {
      const at = offsets.WGPUDeviceDescriptor;
      const lost = context.callback(
        descriptor + at.deviceLostCallbackInfo,
        offsets.WGPUDeviceLostCallbackInfo,
      );
      const uncaptured = context.callback(
        descriptor + at.uncapturedErrorCallbackInfo,
        offsets.WGPUUncapturedErrorCallbackInfo,
      );
      void device.lost.then(({ message, reason }) => {
        // Whoever destroyed it, the models are gone.
        const unknown = numbers.WGPUDeviceLostReason_Unknown;
        context.withText(message || reason, (view) => lost.call(0, unknown, view));
        events.wake();
      });
      device.addEventListener("uncapturederror", ({ error }) =>
        context.withText(error.message, (view) =>
          uncaptured.call(0, numbers.WGPUErrorType_Validation, view),
        ),
      );
      const callback = context.callback(callbackInfo, offsets.WGPURequestDeviceCallbackInfo);
      const status = numbers.WGPURequestDeviceStatus_Success;
      events.add(() =>
        context.withText("", (view) => callback.call(status, handles.add(device), view)),
      );
      return future;
    },
    wgpuDeviceGetQueue: () => handles.add(device.queue),
    wgpuDevicePushErrorScope: (_device: number, filter: number) => scopes.push(filter),
    wgpuDevicePopErrorScope: (_device: number, callbackInfo: number) => {
      const callback = context.callback(callbackInfo, offsets.WGPUPopErrorScopeCallbackInfo);
      events.when(scopes.pop(), (caught, error) => {
        const message = caught ?? error?.message;
        const type =
          message === undefined ? numbers.WGPUErrorType_NoError : numbers.WGPUErrorType_Validation;
        context.withText(message ?? "", (view) =>
          callback.call(numbers.WGPUPopErrorScopeStatus_Success, type, view),
        );
      });
      return future;
    },
    wgpuAdapterRelease: release,
    wgpuDeviceRelease: release,
    wgpuQueueRelease: release,
  };
}
