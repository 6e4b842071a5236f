// Of webgpu.h: command buffers, passes and the queue.
import { type Context, future, toNumber } from "./context.js";
import { numbers, offsets } from "./layout.js";

export function commandFunctions(context: Context) {
  const { device, events, handles } = context;
  const release = (handle: number) => void handles.release(handle);
  const word = (pointer: number) => context.memory.word(pointer);
  const encoder = (handle: number) => handles.get<GPUCommandEncoder>(handle);
  const pass = (handle: number) => handles.get<GPUComputePassEncoder>(handle);
  const buffer = (handle: number) => handles.get<GPUBuffer>(handle);

  const timestampWrites = (writes: number): GPUComputePassTimestampWrites => {
    const at = offsets.WGPUPassTimestampWrites;
    return {
      querySet: handles.get<GPUQuerySet>(word(writes + at.querySet)),
      beginningOfPassWriteIndex: word(writes + at.beginningOfPassWriteIndex),
      endOfPassWriteIndex: word(writes + at.endOfPassWriteIndex),
    };
  };

  return {
    wgpuDeviceCreateCommandEncoder: () => handles.add(device.createCommandEncoder()),
    wgpuCommandEncoderBeginComputePass: (handle: number, descriptor: number) => {
      const writes = descriptor
        ? word(descriptor + offsets.WGPUComputePassDescriptor.timestampWrites)
        : 0;
      const wanted = writes ? { timestampWrites: timestampWrites(writes) } : {};
      return handles.add(encoder(handle).beginComputePass(wanted));
    },
    wgpuCommandEncoderCopyBufferToBuffer: (
      handle: number,
      from: number,
      fromOffset: bigint,
      to: number,
      toOffset: bigint,
      size: bigint,
    ) =>
      encoder(handle).copyBufferToBuffer(
        buffer(from),
        toNumber(fromOffset),
        buffer(to),
        toNumber(toOffset),
        toNumber(size),
      ),
    wgpuCommandEncoderResolveQuerySet: (
      handle: number,
      querySet: number,
      first: number,
      count: number,
      to: number,
      offset: bigint,
    ) =>
      encoder(handle).resolveQuerySet(
        handles.get<GPUQuerySet>(querySet),
        first,
        count,
        buffer(to),
        toNumber(offset),
      ),
    wgpuCommandEncoderFinish: (handle: number) => handles.add(encoder(handle).finish()),
    wgpuCommandEncoderRelease: release,
    wgpuCommandBufferRelease: release,

    wgpuComputePassEncoderSetPipeline: (handle: number, pipeline: number) =>
      pass(handle).setPipeline(handles.get<GPUComputePipeline>(pipeline)),
    wgpuComputePassEncoderSetBindGroup: (handle: number, index: number, group: number) =>
      pass(handle).setBindGroup(index, handles.get<GPUBindGroup>(group)),
    wgpuComputePassEncoderDispatchWorkgroups: (handle: number, x: number, y: number, z: number) =>
      pass(handle).dispatchWorkgroups(x, y, z),
    wgpuComputePassEncoderEnd: (handle: number) => pass(handle).end(),
    wgpuComputePassEncoderRelease: release,

    wgpuQueueWriteBuffer: (
      _queue: number,
      to: number,
      offset: bigint,
      data: number,
      size: number,
    ) => device.queue.writeBuffer(buffer(to), toNumber(offset), context.memory.slice(data, size)),
    wgpuQueueWriteTexture: (
      _queue: number,
      destination: number,
      data: number,
      size: number,
      dataLayout: number,
      extent: number,
    ) => {
      const at = offsets.WGPUTexelCopyBufferLayout;
      const { width, height, depthOrArrayLayers } = offsets.WGPUExtent3D;
      const texture = word(destination + offsets.WGPUTexelCopyTextureInfo.texture);
      device.queue.writeTexture(
        { texture: handles.get<GPUTexture>(texture) },
        context.memory.slice(data, size),
        {
          bytesPerRow: word(dataLayout + at.bytesPerRow),
          rowsPerImage: word(dataLayout + at.rowsPerImage),
        },
        [word(extent + width), word(extent + height), word(extent + depthOrArrayLayers)],
      );
    },
    wgpuQueueSubmit: (_queue: number, count: number, commands: number) =>
      device.queue.submit(
        Array.from({ length: count }, (_, i) =>
          handles.get<GPUCommandBuffer>(word(commands + 4 * i)),
        ),
      ),
    wgpuQueueOnSubmittedWorkDone: (_queue: number, callbackInfo: number) => {
      const callback = context.callback(callbackInfo, offsets.WGPUQueueWorkDoneCallbackInfo);
      const status = numbers.WGPUQueueWorkDoneStatus_Success;
      // An error would be a lost device, of which the engine hears by itself.
      events.when(device.queue.onSubmittedWorkDone(), () =>
        context.withText("", (view) => callback.call(status, view)),
      );
      return future;
    },
  };
}
