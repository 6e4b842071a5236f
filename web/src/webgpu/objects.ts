// Of webgpu.h: buffers, textures, kernels and what they are bound to.
import { type Context, future, toNumber } from "./context.js";
import type { ErrorScopes } from "./error-scopes.js";
import { numbers, offsets, sizes } from "./layout.js";

const bufferTypes: Record<number, GPUBufferBindingType> = {
  [numbers.WGPUBufferBindingType_Uniform]: "uniform",
  [numbers.WGPUBufferBindingType_Storage]: "storage",
  [numbers.WGPUBufferBindingType_ReadOnlyStorage]: "read-only-storage",
};
const formats: Record<number, GPUTextureFormat> = {
  [numbers.WGPUTextureFormat_R32Uint]: "r32uint",
  [numbers.WGPUTextureFormat_RG32Uint]: "rg32uint",
  [numbers.WGPUTextureFormat_RGBA32Float]: "rgba32float",
  [numbers.WGPUTextureFormat_RGBA32Uint]: "rgba32uint",
  [numbers.WGPUTextureFormat_RGBA32Sint]: "rgba32sint",
};

/** A mapped range is the browser's memory: the engine works on a copy of it. */
interface Mapped {
  pointer: number;
  offset: number;
  size: number;
  isWritten: boolean;
}

export function objectFunctions(context: Context, scopes: ErrorScopes) {
  const { device, events, handles } = context;
  const mapped = new Map<number, Mapped>();
  const release = (handle: number) => void handles.release(handle);
  const word = (pointer: number) => context.memory.word(pointer);

  const layoutEntry = (entry: number): GPUBindGroupLayoutEntry => {
    const at = offsets.WGPUBindGroupLayoutEntry;
    const buffer = entry + at.buffer;
    const texture = entry + at.storageTexture;
    const type = bufferTypes[word(buffer + offsets.WGPUBufferBindingLayout.type)];
    const minBindingSize = context.memory.long(
      buffer + offsets.WGPUBufferBindingLayout.minBindingSize,
    );
    const format = formats[word(texture + offsets.WGPUStorageTextureBindingLayout.format)];
    return {
      binding: word(entry + at.binding),
      visibility: word(entry + at.visibility),
      // The engine only reads images.
      ...(type
        ? { buffer: { type, minBindingSize } }
        : { storageTexture: { access: "read-only" as const, format: format! } }),
    };
  };
  const groupEntry = (entry: number): GPUBindGroupEntry => {
    const at = offsets.WGPUBindGroupEntry;
    const view = word(entry + at.textureView);
    const binding = word(entry + at.binding);
    if (view) return { binding, resource: handles.get<GPUTextureView>(view) };
    const isWhole = word(entry + at.size + 4) === 0xffffffff;
    const resource = {
      buffer: handles.get<GPUBuffer>(word(entry + at.buffer)),
      offset: context.memory.long(entry + at.offset),
      size: isWhole ? undefined : context.memory.long(entry + at.size),
    };
    return { binding, resource };
  };
  const each = <T>(begin: number, count: number, size: number, read: (entry: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => read(begin + i * size));

  return {
    wgpuDeviceCreateBuffer: (_device: number, descriptor: number) => {
      const at = offsets.WGPUBufferDescriptor;
      try {
        const buffer = device.createBuffer({
          label: context.text(descriptor + at.label),
          usage: word(descriptor + at.usage),
          size: context.memory.long(descriptor + at.size),
          mappedAtCreation: word(descriptor + at.mappedAtCreation) !== 0,
        });
        return handles.add(buffer);
      } catch {
        return 0; // a mapped buffer for which there is no memory
      }
    },
    wgpuBufferGetMappedRange: (buffer: number, offset: number, size: number) => {
      const pointer = context.memory.allocate(size);
      mapped.set(buffer, { pointer, offset, size, isWritten: true });
      return pointer;
    },
    wgpuBufferGetConstMappedRange: (buffer: number, offset: number, size: number) => {
      const pointer = context.memory.allocate(size);
      const range = handles.get<GPUBuffer>(buffer).getMappedRange(offset, size);
      context.memory.slice(pointer, size).set(new Uint8Array(range));
      mapped.set(buffer, { pointer, offset, size, isWritten: false });
      return pointer;
    },
    wgpuBufferUnmap: (handle: number) => {
      const buffer = handles.get<GPUBuffer>(handle);
      const copy = mapped.get(handle);
      mapped.delete(handle);
      try {
        if (copy?.isWritten) {
          const range = new Uint8Array(buffer.getMappedRange(copy.offset, copy.size));
          range.set(context.memory.slice(copy.pointer, copy.size));
        }
      } finally {
        if (copy) context.memory.release(copy.pointer);
      }
      buffer.unmap();
    },
    wgpuBufferMapAsync: (
      buffer: number,
      mode: bigint,
      offset: number,
      size: number,
      callbackInfo: number,
    ) => {
      const callback = context.callback(callbackInfo, offsets.WGPUBufferMapCallbackInfo);
      const mapping = handles.get<GPUBuffer>(buffer).mapAsync(toNumber(mode), offset, size);
      events.when(mapping, (_nothing, error) => {
        const status = error
          ? numbers.WGPUMapAsyncStatus_Aborted
          : numbers.WGPUMapAsyncStatus_Success;
        context.withText(error?.message ?? "", (view) => callback.call(status, view));
      });
      return future;
    },
    wgpuBufferRelease: (handle: number) => {
      const copy = mapped.get(handle);
      mapped.delete(handle);
      if (copy) context.memory.release(copy.pointer);
      (handles.release(handle) as GPUBuffer | undefined)?.destroy();
    },

    wgpuDeviceCreateTexture: (_device: number, descriptor: number) => {
      const at = offsets.WGPUTextureDescriptor;
      const size = descriptor + at.size;
      const { width, height, depthOrArrayLayers } = offsets.WGPUExtent3D;
      const texture = device.createTexture({
        label: context.text(descriptor + at.label),
        usage: word(descriptor + at.usage),
        size: [word(size + width), word(size + height), word(size + depthOrArrayLayers)],
        format: formats[word(descriptor + at.format)],
      });
      return handles.add(texture);
    },
    wgpuTextureCreateView: (texture: number) =>
      handles.add(handles.get<GPUTexture>(texture).createView()),
    wgpuTextureRelease: (handle: number) =>
      (handles.release(handle) as GPUTexture | undefined)?.destroy(),
    wgpuTextureViewRelease: release,

    wgpuDeviceCreateShaderModule: (_device: number, descriptor: number) => {
      const at = offsets.WGPUShaderModuleDescriptor;
      const { next, sType } = offsets.WGPUChainedStruct;
      let source = word(descriptor + at.nextInChain);
      while (source && word(source + sType) !== numbers.WGPUSType_ShaderSourceWGSL) {
        source = word(source + next);
      }
      const code = context.text(source + offsets.WGPUShaderSourceWGSL.code);
      const label = context.text(descriptor + at.label);
      return handles.add(device.createShaderModule({ label, code }));
    },
    wgpuDeviceCreateBindGroupLayout: (_device: number, descriptor: number) => {
      const at = offsets.WGPUBindGroupLayoutDescriptor;
      const [count, begin] = [word(descriptor + at.entryCount), word(descriptor + at.entries)];
      const entries = each(begin, count, sizes.WGPUBindGroupLayoutEntry, layoutEntry);
      return handles.add(device.createBindGroupLayout({ entries }));
    },
    wgpuDeviceCreatePipelineLayout: (_device: number, descriptor: number) => {
      const at = offsets.WGPUPipelineLayoutDescriptor;
      const count = word(descriptor + at.bindGroupLayoutCount);
      const bindGroupLayouts = each(word(descriptor + at.bindGroupLayouts), count, 4, (entry) =>
        handles.get<GPUBindGroupLayout>(word(entry)),
      );
      return handles.add(device.createPipelineLayout({ bindGroupLayouts }));
    },
    // Made beside other work. The engine's scope closes when it is there, and the engine uses no
    // kernel before that.
    wgpuDeviceCreateComputePipeline: (_device: number, descriptor: number) => {
      const at = offsets.WGPUComputePipelineDescriptor;
      const compute = descriptor + at.compute;
      const pending = device.createComputePipelineAsync({
        label: context.text(descriptor + at.label),
        layout: handles.get<GPUPipelineLayout>(word(descriptor + at.layout)),
        compute: {
          module: handles.get<GPUShaderModule>(word(compute + offsets.WGPUComputeState.module)),
          entryPoint: context.text(compute + offsets.WGPUComputeState.entryPoint),
        },
      });
      const handle = handles.add(pending);
      const { kernels, onKernel } = context;
      kernels.asked += 1;
      const made = pending.then(
        (pipeline) => void handles.replace(handle, pending, pipeline),
        (error: Error) => error.message,
      );
      scopes.hold(
        made.finally(() => {
          kernels.made += 1;
          onKernel();
        }),
      );
      return handle;
    },
    wgpuDeviceCreateBindGroup: (_device: number, descriptor: number) => {
      const at = offsets.WGPUBindGroupDescriptor;
      const [count, begin] = [word(descriptor + at.entryCount), word(descriptor + at.entries)];
      const entries = each(begin, count, sizes.WGPUBindGroupEntry, groupEntry);
      const layout = handles.get<GPUBindGroupLayout>(word(descriptor + at.layout));
      return handles.add(device.createBindGroup({ layout, entries }));
    },
    wgpuDeviceCreateQuerySet: (_device: number, descriptor: number) => {
      const count = word(descriptor + offsets.WGPUQuerySetDescriptor.count);
      return handles.add(device.createQuerySet({ type: "timestamp", count }));
    },
    wgpuShaderModuleRelease: release,
    wgpuBindGroupLayoutRelease: release,
    wgpuPipelineLayoutRelease: release,
    wgpuComputePipelineRelease: release,
    wgpuBindGroupRelease: release,
    wgpuQuerySetRelease: release,
  };
}
