// What lies where beside the pages, wherever they are served.
import path from "node:path";

export function pageFolders(root) {
  return {
    "/": path.join(root, "web/pages"),
    "/highwater/": path.join(root, "web/dist"),
    "/tokenizers/": path.join(root, "web/node_modules/@huggingface/tokenizers/dist"),
    "/models/": path.join(root, "models"),
    "/search/": path.join(root, "build/search"), // what ./playground --search makes
  };
}
