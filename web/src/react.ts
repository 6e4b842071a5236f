// Models in React: loaded while a component is there, and closed with it.
import { useEffect, useRef, useState } from "react";
import type { ModelSource } from "./bytes.js";
import { load, type LoadOptions, type Progress } from "./load.js";
import type { Model } from "./model.js";

export interface UseModel {
  /** Once it is loaded. */
  model: Model | undefined;
  /** How far the load has come. */
  progress: Progress | undefined;
  /** Why there is no model. */
  error: Error | undefined;
}

const nothing: UseModel = { model: undefined, progress: undefined, error: undefined };

/**
 * Loads a model, and another whenever `source` is another one; none while it is undefined. Options
 * are those of the render in which a load begins.
 */
export function useModel(
  source: ModelSource | undefined,
  options: Omit<LoadOptions, "onProgress" | "signal"> = {},
): UseModel {
  const [state, setState] = useState<UseModel>(nothing);
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  // URLs that say the same are the same.
  const key = source instanceof URL ? source.href : source;
  useEffect(() => {
    setState(nothing);
    if (key === undefined) return undefined;
    const stop = new AbortController();
    let model: Model | undefined;
    const onProgress = (progress: Progress) => {
      // Kernels that the first call may not need come when the model is there already.
      if (!stop.signal.aborted && !model) setState({ ...nothing, progress });
    };
    load(key, { ...latest.current, onProgress, signal: stop.signal }).then(
      (loaded) => {
        model = loaded;
        if (stop.signal.aborted) model.close();
        else setState({ ...nothing, model });
      },
      (error: Error) => {
        if (!stop.signal.aborted) setState({ ...nothing, error });
      },
    );
    return () => {
      stop.abort();
      model?.close();
    };
  }, [key]);
  return state;
}
