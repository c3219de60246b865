/** Structure of the source tree: layers, packages, names, sizes, locales and the top level. The rules are data. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { dependencies } from "../../package.json" with { type: "json" };
import * as localeFiles from "../../src/text/locale-files.ts";
import { filesBelow, functionsOf, importCycles, isBelow, root, sourcesBelow } from "../support/source-tree.ts";

/** Folders of `src` by layer, lowest first. A folder imports from lower layers, and from the siblings named below. */
const layers: readonly (readonly string[])[] = [
  ["base", "evidence", "parse"],
  ["check"],
  ["judge", "text", "egress", "browser", "metrics"],
  ["probe", "catalog", "store", "policy"],
  ["settings"],
  ["scan", "scans", "fleet", "accounts", "agency", "sites", "channels", "backup", "report", "export", "authoring"],
  ["prove"],
  ["http", "api", "web", "doctor"],
  ["app", "cli", "main.ts"],
];

/** Folders of its own layer that a folder may import from. */
const siblings: Readonly<Record<string, readonly string[]>> = {
  parse: ["base", "evidence"],
  text: ["judge"],
  agency: ["accounts"],
  sites: ["accounts"],
  channels: ["sites"],
  export: ["report"],
  fleet: ["scan"],
  api: ["http"],
  web: ["http", "doctor"],
  cli: ["app"],
  "main.ts": ["cli"],
};

/** Lower folders that a folder may not import from, apart from the files named. Reading a result measures and judges nothing. */
const forbidden: Readonly<Record<string, { readonly folders: readonly string[]; readonly except: readonly string[] }>> = {
  api: { folders: ["judge", "egress", "browser", "probe", "scan"], except: ["src/judge/result.ts"] },
  web: { folders: ["judge", "egress", "browser", "probe", "scan"], except: ["src/judge/result.ts"] },
  report: { folders: ["judge", "egress", "browser", "probe", "catalog", "store"], except: ["src/judge/result.ts"] },
  export: { folders: ["judge", "egress", "browser", "probe"], except: ["src/judge/result.ts"] },
  store: { folders: ["judge"], except: ["src/judge/result.ts"] },
};

/** Modules that the checks of `checks/` may import. */
const checkImports = ["assay/check", "assay/check/parsers"];

/** Folders or files in which each package, and each Node module that opens connections, may be imported. */
const packages: readonly { readonly names: RegExp; readonly places: readonly string[] }[] = [
  { names: /^lmdb$/, places: ["src/store"] },
  { names: /^tinypool$/, places: ["src/scan/pool.ts"] },
  { names: /^puppeteer-core(\/|$)/, places: ["src/browser"] },
  { names: /^i18next$/, places: ["src/text"] },
  { names: /^elysia$/, places: ["src/api", "src/app/worker.ts", "src/web"] },
  { names: /^@elysiajs\/bearer$/, places: ["src/api"] },
  { names: /^lru-cache$/, places: ["src/api", "src/base"] },
  { names: /^preact(\/|$)|^preact-render-to-string$/, places: ["src/export", "src/report", "src/web"] },
  { names: /^uqr$/, places: ["src/web"] },
  { names: /^@resvg\/resvg-wasm$/, places: ["src/web/picture/render-png.ts"] },
  { names: /^@nats-io\/(jetstream|nkeys|transport-node)$/, places: ["src/fleet"] },
  { names: /^openid-client$/, places: ["src/accounts/oidc/provider.ts"] },
  { names: /^otpauth$/, places: ["src/accounts"] },
  { names: /^croner$/, places: ["src/sites/schedule.ts"] },
  { names: /^nodemailer(\/|$)/, places: ["src/channels/mail.ts"] },
  {
    names: /^@sinclair\/typebox(\/|$)/,
    places: [
      "src/api",
      "src/app/operator.ts",
      "src/cli/scan/server-client.ts",
      "src/authoring",
      "src/backup",
      "src/evidence",
      "src/fleet",
      "src/settings",
      "src/store/define-table.ts",
    ],
  },
  { names: /^tar-stream$/, places: ["src/backup"] },
  { names: /^prom-client$/, places: ["src/metrics"] },
  { names: /^commander$/, places: ["src/cli"] },
  { names: /^smol-toml$/, places: ["src/parse/toml.ts"] },
  { names: /^csp_evaluator(\/|$)/, places: ["src/parse/csp.ts"] },
  { names: /^tldts$/, places: ["src/parse"] },
  { names: /^ipaddr\.js$/, places: ["src/http", "src/egress", "src/parse"] },
  { names: /^dns-packet$/, places: ["src/egress"] },
  { names: /^@noble\/ciphers(\/|$)/, places: ["src/probe/tls/handshake-keys.ts"] },
  { names: /^node:(net|tls|dns|dgram|http|https|http2)(\/|$)/, places: ["src/egress", "src/probe"] },
];

/** Programs below test/, started by npm scripts. */
const testPrograms = ["test/bench/run.ts", "test/fuzz/run.ts", "test/unit/judge/rules.ts", "test/browser/web/screenshots.ts"];

const functionLinesMax = 70;
const fileLinesMax = 700;

const topLevel = [
  ".ci",
  ".editorconfig",
  ".gitignore",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
  "biome.json",
  "build",
  "bunfig.toml",
  "checks",
  "docs",
  "locales",
  "package-lock.json",
  "package.json",
  "src",
  "test",
  "tsconfig.json",
];

// reads: build/, checks/, locales/, src/, test/, .gitignore
const sources = [...sourcesBelow("src"), ...sourcesBelow("checks")];
const allCode = [...sources, ...sourcesBelow("test"), ...sourcesBelow("build")];

/** Folder below `src` of a path, or the name of a file that lies directly in `src`. */
function folderOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function mayImport(from: string, target: string): boolean {
  const [own, other] = [folderOf(from), folderOf(target)];
  if (own === other || siblings[own]?.includes(other)) return true;
  const rule = forbidden[own];
  if (rule?.folders.includes(other) && !rule.except.includes(target)) return false;
  const layerOf = (folder: string) => layers.findIndex((folders) => folders.includes(folder));
  return layerOf(other) < layerOf(own);
}

describe("layers", () => {
  test("hold every folder of src", () => {
    expect(readdirSync(join(root, "src")).sort()).toEqual(layers.flat().sort());
  });

  test("import downwards only", () => {
    const upward = sourcesBelow("src").flatMap(({ path, imports }) =>
      imports.filter(({ name }) => name.startsWith("src/") && !mayImport(path, name)).map(({ name }) => `${path} imports ${name}`),
    );
    expect(upward).toEqual([]);
  });

  test("have no cycle of files at run time", () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test("give checks nothing but the plugin API", () => {
    const wrongImports = sourcesBelow("checks")
      .filter(({ path }) => path !== "checks/index.ts")
      .flatMap(({ path, imports }) =>
        imports.filter(({ name }) => !checkImports.includes(name)).map(({ name }) => `${path} imports ${name}`),
      );
    expect(wrongImports).toEqual([]);
  });
});

describe("packages", () => {
  test("are imported only in their places", () => {
    const misplaced = sources.flatMap(({ path, imports }) =>
      packages
        .filter(({ places }) => !places.some((place) => isBelow(path, place)))
        .flatMap(({ names }) => imports.filter(({ name }) => names.test(name)).map(({ name }) => `${path} imports ${name}`)),
    );
    expect(misplaced).toEqual([]);
  });

  test("are imported in every place that the list names", () => {
    const importsIn = (place: string) => sources.filter(({ path }) => isBelow(path, place)).flatMap(({ imports }) => imports);
    const unused = packages.flatMap(({ names, places }) =>
      places.filter((place) => !importsIn(place).some(({ name }) => names.test(name))).map((place) => `${place} ${names}`),
    );
    expect(unused).toEqual([]);
  });

  test("that code imports are on the list", () => {
    const unlisted = sources.flatMap(({ path, imports }) =>
      Object.keys(dependencies)
        .filter((name) => imports.some((each) => each.name === name || each.name.startsWith(`${name}/`)))
        .filter((name) => name !== "bun" && !packages.some(({ names }) => names.test(name)))
        .map((name) => `${path} imports ${name}`),
    );
    expect(unlisted).toEqual([]);
  });

  test("open connections in egress and probe only", () => {
    // Scripts in src/web/client run in the browser of the visitor, where the CSP allows our own origin only.
    const callers = sources.filter(
      ({ path, text }) => !/^src\/(egress|probe|web\/client)\//.test(path) && /(?<![\w.])fetch\(|Bun\.connect\(/.test(text),
    );
    expect(callers.map(({ path }) => path)).toEqual([]);
  });
});

describe("time and chance", () => {
  /** A simulator runs these folders with its own clock. */
  const folders = ["src/backup", "src/channels", "src/fleet", "src/scan", "src/sites", "src/store"];
  const ofSystem = [
    /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b|\bnanoseconds\b/,
    /\bset(Timeout|Interval)\b|\bAbortSignal\.timeout\b|\bBun\.sleep/,
    /\bMath\.random\b|\brandom(UUID|Int)\b|\bgetRandomValues\b|(?<!clock\.|")\brandomBytes\b/,
    /\bsystemClock\b/,
  ];
  /** Files whose parameter is the clock of the system by default. */
  const defaults = ["src/channels/webhook.ts", "src/store/database.ts"];

  test("come from the clock that is passed in", () => {
    const used = sources
      .filter(({ path }) => folders.some((folder) => isBelow(path, folder)))
      .map(({ path, text }) => ({ path, text: defaults.includes(path) ? text.replaceAll(/\bsystemClock\b/g, "") : text }))
      .flatMap(({ path, text }) => ofSystem.flatMap((pattern) => pattern.exec(text)?.map((match) => `${path} uses ${match}`)[0] ?? []));
    expect(used).toEqual([]);
  });
});

describe("names and sizes", () => {
  const exported = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:default )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)].map(([, name = ""]) => ({
      path,
      name,
    })),
  );

  test("exported names are unique", () => {
    const counts = Map.groupBy(exported, ({ name }) => name);
    const repeated = [...counts].filter(([, places]) => places.length > 1).map(([name, places]) => [name, places.map(({ path }) => path)]);
    expect(Object.fromEntries(repeated)).toEqual({});
  });

  test("no function is longer than its limit", () => {
    const long = sources.flatMap((file) => functionsOf(file).map(({ name, lines }) => ({ place: `${file.path} ${name}`, lines })));
    expect(long.filter(({ lines }) => lines > functionLinesMax)).toEqual([]);
  });

  test("no file is longer than its limit", () => {
    const long = allCode.filter(({ text }) => text.split("\n").length - 1 > fileLinesMax);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test("every export is used in another file", () => {
    const words = allCode.map(({ path, text }) => ({ path, words: new Set(text.match(/\w+/g)) }));
    const unused = allCode.flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)]
        .map(([, name = ""]) => name)
        .filter((name) => !words.some((other) => other.path !== path && other.words.has(name)))
        .map((name) => `${path} exports ${name}`),
    );
    expect(unused).toEqual([]);
  });

  test("every file opens with a comment on its purpose", () => {
    expect(allCode.filter(({ text }) => !/^(#!.*\n)?\/\*\*[ \n]/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("code is ASCII", () => {
    const strays = allCode.flatMap(({ path, text }) =>
      // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is looked for.
      text.split("\n").flatMap((line, at) => (/[^\x00-\x7f]/.test(line) ? [`${path}:${at + 1}`] : [])),
    );
    expect(strays).toEqual([]);
  });

  test("no file marks unfinished work", () => {
    const marks = new RegExp(["TO", "DO|FIX", "ME|X", "XX"].join(""));
    expect(allCode.filter(({ text }) => marks.test(text)).map(({ path }) => path)).toEqual([]);
  });

  // Bun caches transpiled files: a file with the import of vitest, once loaded by a program, breaks the tests that follow.
  test("programs do not load vitest", () => {
    const loaded = (path: string) =>
      (allCode.find((file) => file.path === path)?.text.replace(/^import type .*$/gm, "") ?? "")
        .matchAll(/\bfrom "([^"]+)"/g)
        .map(([, name = ""]) => (name.startsWith(".") ? relative(root, resolve(root, path, "..", name)) : name));
    const reached = new Set([...filesBelow("build"), ...testPrograms]);
    expect(testPrograms.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    for (const path of reached) for (const name of loaded(path)) reached.add(name);
    expect([...reached]).not.toContain("vitest");
  });

  test("no test is skipped or runs alone", () => {
    const marks = /\b(it|test|describe)\.(only|skip|todo)\(/;
    expect(
      sourcesBelow("test")
        .filter(({ text }) => marks.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  test("no file has a name without meaning", () => {
    expect(
      allCode.map(({ path }) => path).filter((path) => /(^|[/-])(utils?|helpers?|common|manager|service|misc)([-./]|$)/.test(path)),
    ).toEqual([]);
  });

  test("the top level holds the listed files only", () => {
    const ignored = readFileSync(join(root, ".gitignore"), "utf8")
      .split("\n")
      .map((line) => line.replace(/\/$/, ""));
    const names = readdirSync(root).filter((name) => name !== ".git" && !ignored.includes(name) && !/\.log$/.test(name));
    expect(names.sort()).toEqual(topLevel);
  });
});

describe("the check list", () => {
  const names = readdirSync(join(root, "checks"));
  const keys = names.filter((name) => name !== "index.ts").map((name) => name.replace(/\.ts$/, ""));

  test("every check has a test of its name", () => {
    const tests = filesBelow("test/unit/checks");
    expect(keys.filter((key) => !tests.includes(`test/unit/checks/${key}.test.ts`))).toEqual([]);
  });

  test.each([
    ["en-gb", enGb],
    ["de-de", deDe],
  ])("%s speaks of exactly these checks", (_locale, texts) => {
    expect(Object.keys(texts.checks).sort()).toEqual(keys.sort());
  });
});

describe("locales", () => {
  /** Forms that some languages have and English lacks. */
  const extraPluralForms = ["zero", "two", "few", "many"];

  /** Paths of all texts with their placeholders: shows missing texts and missing values. */
  function shapeOf(value: unknown, path = ""): readonly string[] {
    if (typeof value === "string") return [`${path} ${[...new Set(value.match(/\{\{\w+\}\}/g) ?? [])].sort().join(" ")}`];
    const entries = Object.entries(value as object).filter(([name]) => !extraPluralForms.includes(name));
    return entries.flatMap(([name, part]) => shapeOf(part, `${path}/${name}`));
  }

  /** `host` and `url` are always at hand, and a language may need them where another does not. */
  function withoutFreePlaceholders(shape: readonly string[]): readonly string[] {
    return shape
      .map((line) =>
        line
          .replaceAll(/\{\{(host|url)\}\}/g, "")
          .replaceAll(/ +/g, " ")
          .trim(),
      )
      .sort();
  }

  test("every file is listed", () => {
    expect(
      readdirSync(join(root, "locales"))
        .map((name) => name.replace(".json", ""))
        .sort(),
    ).toEqual(Object.keys(localeFiles));
  });

  test("have the same texts with the same placeholders", () => {
    for (const file of Object.values(localeFiles))
      expect(withoutFreePlaceholders(shapeOf(file))).toEqual(withoutFreePlaceholders(shapeOf(enGb)));
  });
});
