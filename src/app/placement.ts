/** Paths that differ between the source tree and the compiled binary. */
import { fileURLToPath } from "node:url";
import { isCompiled } from "../base/build.ts";

const compiledRoot = "/$bunfs/root/";

// reaches: src/app/author-worker.ts, src/app/catalog-worker.ts, src/app/gather-worker.ts, src/app/judge-worker.ts
// reaches: src/app/picture-worker.ts
/** Entries of the worker threads. */
export const workerFiles = {
  gather: workerFile("gather-worker"),
  judge: workerFile("judge-worker"),
  picture: workerFile("picture-worker"),
  catalog: workerFile("catalog-worker"),
  author: workerFile("author-worker"),
} as const;

function workerFile(name: string): string {
  return isCompiled ? `${compiledRoot}src/app/${name}.js` : fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
}
