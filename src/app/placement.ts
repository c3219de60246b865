/** Paths that differ between the source tree and the compiled binary. */
import { fileURLToPath } from "node:url";

const binaryRoot = "/$bunfs/root/";
const compiled = import.meta.path.startsWith(binaryRoot);

export const workerFile = compiled ? `${binaryRoot}src/app/worker.js` : fileURLToPath(new URL("./worker.ts", import.meta.url));

export function ownCommand(): string {
  if (compiled) return process.execPath;
  return process.env.npm_config_user_agent?.startsWith("npm/") ? "npm run --silent assay --" : "bun src/main.ts";
}
