// What can go wrong, each with what to do about it.

/** Any error of Highwater's. The message is the engine's own where it comes from there. */
export class HighwaterError extends Error {
  override name = "HighwaterError";
}

/** The browser has no WebGPU, or no adapter for it. */
export class NoWebGpuError extends HighwaterError {
  override name = "NoWebGpuError";
}

/** There is not enough memory, on the device or in wasm. */
export class OutOfMemoryError extends HighwaterError {
  override name = "OutOfMemoryError";
}

/** The model needs more of the adapter than it has: larger buffers, or more of them for a kernel. */
export class AdapterTooSmallError extends HighwaterError {
  override name = "AdapterTooSmallError";
}

/** The device is gone, and with it all that was loaded. Loading again gets a new one. */
export class DeviceLostError extends HighwaterError {
  override name = "DeviceLostError";
}

/** The model's file could not be fetched. */
export class DownloadError extends HighwaterError {
  override name = "DownloadError";
}

/** By their names, as they come from a worker. */
export const errorClasses: Record<string, new (message: string) => HighwaterError> = {
  HighwaterError,
  NoWebGpuError,
  OutOfMemoryError,
  AdapterTooSmallError,
  DeviceLostError,
  DownloadError,
};

/** What the engine said, as the class that it belongs to. */
export function engineError(message: string): HighwaterError {
  if (/device is lost/.test(message)) {
    return new DeviceLostError(`${message}; load the model again to get a new device`);
  }
  if (/; (adapter .*|this device) allows /.test(message)) {
    return new AdapterTooSmallError(
      `${message}; export a smaller model, or one with smaller bounds`,
    );
  }
  if (/no memory|out of memory|not enough memory/i.test(message)) {
    return new OutOfMemoryError(
      `${message}; close models that are not used, or take a smaller one`,
    );
  }
  return new HighwaterError(message);
}
