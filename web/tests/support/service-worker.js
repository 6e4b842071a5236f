// Runs the model whose URL it is sent, and answers with the dims of what it gave.
import { load } from "/dist/index.js";

addEventListener("message", (event) => {
  const [port] = event.ports;
  const answer = async () => {
    const model = await load(event.data);
    const { output0 } = await model.run([{ data: new Float32Array(192), dims: [3, 64] }]);
    model.close();
    return output0.dims;
  };
  event.waitUntil(
    answer().then(
      (dims) => port.postMessage(dims),
      (error) => port.postMessage(String(error)),
    ),
  );
});
