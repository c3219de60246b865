/** Build plugins that put into the binary what packages would look for beside themselves at run time. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";

const packages = fileURLToPath(new URL("../node_modules/", import.meta.url));

/** Folder of tinypool's worker entry inside the binary: Bun keeps entries in their folder below the build root. */
const tinypoolEntry = "node_modules/tinypool/dist/entry/worker.js";

/** A file of a package with one piece of its source put in another's place. */
interface Replacement {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Put before everything else. */
  readonly imports?: string;
}

const replacements: readonly Replacement[] = [
  {
    file: "lmdb/native.js",
    imports: `import addon from "@lmdb/lmdb-linux-x64/node.napi.glibc.node";`,
    from: "loadNAPI(dirName)",
    to: "addon",
  },
  {
    file: "msgpackr-extract/index.js",
    from: "require('node-gyp-build-optional-packages')(__dirname)",
    to: `require("@msgpackr-extract/msgpackr-extract-linux-x64/node.napi.glibc.node")`,
  },
  {
    file: "tinypool/dist/index.js",
    from: `fileURLToPath(import.meta.url + "/../entry/worker.js")`,
    to: `"/$bunfs/root/${tinypoolEntry}"`,
  },
];

/** Native modules and tinypool's worker, found inside the binary. The build fails when a package no longer reads as expected. */
export const embedPackages: BunPlugin = {
  name: "embed packages",
  setup(build) {
    for (const { file, from, to, imports = "" } of replacements) {
      build.onLoad({ filter: new RegExp(`/node_modules/${file.replaceAll(".", "\\.")}$`) }, ({ path }) => {
        const source = readFileSync(path, "utf8");
        if (!source.includes(from)) throw new Error(`${path} no longer contains ${from}`);
        return { contents: `${imports}\n${source.replace(from, () => to)}`, loader: "js" };
      });
    }
  },
};

/** Puts nothing in the place of the browser's packs; the browser room knows null as "not embedded". */
export const leaveBrowserOut: BunPlugin = {
  name: "leave browser out",
  setup(build) {
    build.onLoad({ filter: /\/@sparticuz\/chromium\/bin\/.*\.br$/ }, () => ({ contents: "export default null;", loader: "js" }));
  },
};

/** Entries besides main: the code of worker threads. */
export const workerEntries: readonly string[] = [`${packages}tinypool/dist/entry/worker.js`];
