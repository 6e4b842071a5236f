// Serves the pages with the package and the model that ships, and says where: `./playground`.
import path from "node:path";
import { pageFolders } from "./page-folders.mjs";
import { serve } from "./server.mjs";

const port = Number(process.argv[2] ?? 8000);
const folders = pageFolders(path.join(import.meta.dirname, "../.."));
try {
  const { url } = await serve(folders, { port });
  console.log(`Highwater's pages are at ${url}/ (Ctrl-C ends this).`);
} catch (error) {
  if (error.code !== "EADDRINUSE") throw error;
  console.error(`Port ${port} is taken; ./playground ${port + 1} takes another.`);
  process.exit(1);
}
