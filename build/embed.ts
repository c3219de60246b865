/** Build plugins that embed the files which packages would load from their own folders at run time. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";

// reads: checks/, node_modules/
const packages = fileURLToPath(new URL("../node_modules/", import.meta.url));

/** Path of tinypool's worker entry in the binary: Bun keeps the path of an entry below the build root. */
const tinypoolEntry = "node_modules/tinypool/dist/entry/worker.js";

/** One source replacement in a file of a package. */
interface Replacement {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Inserted at the top of the file. */
  readonly imports?: string;
}

/** Native modules of one processor. */
interface Natives {
  readonly cpu: "x64" | "arm64";
  /** Folder of the packages that contain them. */
  readonly packages: string;
}

function replacementsFor({ cpu, packages }: Natives): readonly Replacement[] {
  return [
    {
      file: "lmdb/native.js",
      imports: `import addon from "${packages}/@lmdb/lmdb-linux-${cpu}/node.napi.glibc.node";`,
      from: "loadNAPI(dirName)",
      to: "addon",
    },
    {
      file: "msgpackr-extract/index.js",
      from: "require('node-gyp-build-optional-packages')(__dirname)",
      to: `require("${packages}/@msgpackr-extract/msgpackr-extract-linux-${cpu}/node.napi.glibc.node")`,
    },
    {
      file: "tinypool/dist/index.js",
      from: `fileURLToPath(import.meta.url + "/../entry/worker.js")`,
      to: `"/$bunfs/root/${tinypoolEntry}"`,
    },
  ];
}

/** Embeds native modules and tinypool's worker. The build fails when the expected source of a package has changed. */
export function embedPackages(natives: Natives): BunPlugin {
  return {
    name: "embed packages",
    setup(build) {
      for (const { file, from, to, imports = "" } of replacementsFor(natives)) {
        build.onLoad({ filter: new RegExp(`/node_modules/${file.replaceAll(".", "\\.")}$`) }, ({ path }) => {
          const source = readFileSync(path, "utf8");
          if (!source.includes(from)) throw new Error(`${path} no longer contains ${from}`);
          return { contents: `${imports}\n${source.replace(from, () => to)}`, loader: "js" };
        });
      }
    },
  };
}

/** Embeds the file that `assay licences` prints. */
export function embedNotices(file: string): BunPlugin {
  return {
    name: "embed notices",
    setup(build) {
      build.onLoad({ filter: /\/src\/cli\/notices\.ts$/ }, () => ({
        contents: `export { default as noticesFile } from ${JSON.stringify(file)} with { type: "file" };`,
        loader: "ts",
      }));
    },
  };
}

/** Replaces the browser's archives by null, which `src/browser` takes as "not embedded". */
export const excludeBrowser: BunPlugin = {
  name: "exclude browser",
  setup(build) {
    build.onLoad({ filter: /\/@sparticuz\/chromium\/bin\/.*\.br$/ }, () => ({ contents: "export default null;", loader: "js" }));
  },
};

/** Replaces `checks/index.ts`, which reads its folder at run time: the compiled binary has no such folder. */
export const embedChecks: BunPlugin = {
  name: "embed checks",
  setup(build) {
    build.onLoad({ filter: /\/checks\/index\.ts$/ }, ({ path }) => {
      const names = readdirSync(dirname(path)).filter((name) => name.endsWith(".ts") && name !== "index.ts");
      const imports = names.map((name, at) => `import check${at} from "./${name}";`);
      const list = names.map((_, at) => `check${at}`).join(", ");
      const exported = `export const builtInChecks = [${list}].sort((one, other) => (one.key < other.key ? -1 : 1));`;
      return { contents: [...imports, exported].join("\n"), loader: "ts" };
    });
  },
};

/** Entries of worker threads that belong to packages. */
export const workerEntries: readonly string[] = [`${packages}tinypool/dist/entry/worker.js`];
