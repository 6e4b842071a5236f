// A component with a model; in strict mode React mounts it twice.
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { useModel } from "highwater/react";

function Pieces({ source }) {
  const { model, progress, error } = useModel(source);
  const [dims, setDims] = useState([]);
  useEffect(() => {
    const x = { data: new Float32Array(128), dims: [2, 64] };
    model?.run([x]).then(({ output0 }) => setDims(output0.dims));
  }, [model]);
  if (error) return <p>{error.name}</p>;
  if (!model) return <p>{progress?.stage ?? "loading"}</p>;
  return <p>{dims.join(" × ")}</p>;
}

const root = createRoot(document.body);
const render = (source) =>
  root.render(
    <StrictMode>
      <Pieces source={source} />
    </StrictMode>,
  );
globalThis.change = render;
render("/pieces.pte");
