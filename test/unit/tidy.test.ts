/** What can be counted about the house is counted here: floors, fences, names, lists and manners. Layering is data, and a test that fails. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { listText } from "../../build/list-checks.ts";
import deDe from "../../locales/de-de.json" with { type: "json" };
import enGb from "../../locales/en-gb.json" with { type: "json" };
import { dependencies } from "../../package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "../..");

/** A room may import from the rooms named here, and from itself. `*` is everything. */
const mayImport: Readonly<Record<string, readonly string[] | "*">> = {
  "src/evidence": ["src/parse"],
  "src/parse": [],
  "src/base/log.ts": [],
  "src/base/deadline.ts": [],
  "src/base/bounded-map.ts": [],
  "src/check": ["src/evidence", "src/parse"],
  checks: ["assay/check", "assay/check/parsers"],
  "src/judge": ["src/evidence", "src/parse", "src/check"],
  "src/text": ["src/evidence", "src/parse", "src/check", "src/judge/result.ts", "src/judge/rank.ts", "locales"],
  "src/egress": ["src/base/deadline.ts", "src/evidence", "src/parse", "src/check"],
  "src/browser": ["src/evidence", "src/parse", "src/check", "src/base/log.ts"],
  "src/probe": ["src/base/deadline.ts", "src/evidence", "src/parse", "src/check", "src/egress", "src/browser"],
  "src/store": ["src/evidence", "src/parse", "src/check", "src/judge/result.ts", "src/judge/rank.ts", "src/scan/task.ts"],
  "src/catalog": ["src/evidence", "src/check", "src/text", "checks", "locales"],
  "src/scan": [
    "src/base/deadline.ts",
    "src/evidence",
    "src/parse",
    "src/check",
    "src/judge",
    "src/text",
    "src/egress",
    "src/browser",
    "src/probe",
    "src/store",
    "src/catalog",
    "src/base/log.ts",
  ],
  "src/account": ["src/store", "src/check", "src/parse", "src/base/bounded-map.ts"],
  "src/http": ["src/parse", "src/base/log.ts", "src/base/bounded-map.ts"],
  "src/api": [
    "src/evidence",
    "src/parse",
    "src/check",
    "src/text",
    "src/store",
    "src/account",
    "src/catalog",
    "src/scan/task.ts",
    "src/http",
    "src/base/log.ts",
  ],
  "src/pages": [
    "src/evidence",
    "src/parse",
    "src/check",
    "src/judge/result.ts",
    "src/judge/rank.ts",
    "src/text",
    "src/store",
    "src/account",
    "src/catalog",
    "src/scan/task.ts",
    "src/http",
    "src/base/log.ts",
    "src/base/bounded-map.ts",
    "locales",
  ],
  "src/app/settings.ts": "*",
  "src/app/config.ts": "*",
  "src/cli": "*",
  "src/main.ts": "*",
};

/** Each package, and the node modules that open connections, in exactly these rooms. */
const fences: readonly { readonly packages: RegExp; readonly rooms: readonly string[] }[] = [
  { packages: /^lmdb$/, rooms: ["src/store"] },
  { packages: /^tinypool$/, rooms: ["src/scan/pool.ts"] },
  { packages: /^puppeteer-core$/, rooms: ["src/probe"] },
  { packages: /^i18next$/, rooms: ["src/text"] },
  { packages: /^elysia$/, rooms: ["src/api", "src/pages"] },
  { packages: /^@elysiajs\/bearer$/, rooms: ["src/api"] },
  { packages: /^preact(\/|$)|^preact-render-to-string$/, rooms: ["src/pages"] },
  { packages: /^uqr$/, rooms: ["src/pages"] },
  { packages: /^otpauth$/, rooms: ["src/account"] },
  { packages: /^@sinclair\/typebox(\/|$)/, rooms: ["src/api", "src/app/settings.ts", "src/app/config.ts"] },
  { packages: /^commander$/, rooms: ["src/cli"] },
  { packages: /^smol-toml$/, rooms: ["src/app/config.ts"] },
  { packages: /^csp_evaluator(\/|$)/, rooms: ["src/parse/script-bypasses.ts"] },
  { packages: /^tldts$/, rooms: ["src/parse"] },
  { packages: /^ipaddr\.js$/, rooms: ["src/http", "src/egress", "src/parse"] },
  { packages: /^dns-packet$/, rooms: ["src/egress"] },
  { packages: /^@noble\/ciphers(\/|$)/, rooms: ["src/probe/tls/handshake-keys.ts"] },
  { packages: /^node:(net|tls|dns|dgram|http|https|http2)(\/|$)/, rooms: ["src/egress", "src/probe"] },
];

/** Files below test/ that are run by themselves, by npm or to pin the rules. */
const programsOfTest = ["test/bench/run.ts", "test/fuzz/run.ts", "test/unit/judge/rules.ts", "test/browser/web/screenshots.ts"];

const topLevel = [
  ".ci",
  ".gitignore",
  "LICENSE",
  "README.md",
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

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function sourcesBelow(folder: string): readonly SourceFile[] {
  return filesBelow(folder)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, imports: importsOf(path, text) };
    });
}

/** Every module that a file names, relative ones as paths from the root. Types count: they are dependencies of the reader. */
function importsOf(path: string, text: string): readonly string[] {
  const names = [...text.matchAll(/^\s*(?:import|export)\b[^;]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\("([^"]+)"\)/gm)];
  return names.map((match) => {
    const name = match[1] ?? match[2] ?? match[3] ?? "";
    return name.startsWith(".") ? relative(root, resolve(root, path, "..", name)) : name;
  });
}

function isBelow(path: string, room: string): boolean {
  return path === room || path.startsWith(`${room}/`);
}

function roomOf(path: string): string | undefined {
  return Object.keys(mayImport).find((room) => isBelow(path, room));
}

const sources = [...sourcesBelow("src"), ...sourcesBelow("checks")];
const allCode = [...sources, ...sourcesBelow("test"), ...sourcesBelow("build")];

/** A composition root puts rooms together and may name them all; the worker is one although it lives among its tasks. */
const compositionRoots = ["src/main.ts", "src/app/worker.ts"];

describe("floors", () => {
  test("every file stands in a room", () => {
    expect(sources.map(({ path }) => path).filter((path) => roomOf(path) === undefined)).toEqual([]);
  });

  test("a file imports only from the rooms below its own", () => {
    const climbing = sources.flatMap(({ path, imports }) => {
      const room = roomOf(path) ?? "";
      const allowed = mayImport[room] ?? [];
      if (allowed === "*" || compositionRoots.includes(path) || path === "checks/index.ts") return [];
      return imports
        .filter((name) => /^(src|checks|locales|assay)\b/.test(name))
        .filter((name) => !isBelow(name, room) || room === "checks")
        .filter((name) => !allowed.some((lower) => isBelow(name, lower)))
        .map((name) => `${path} imports ${name}`);
    });
    expect(climbing).toEqual([]);
  });

  test("a package is named only in its room", () => {
    const strays = sources.flatMap(({ path, imports }) =>
      fences
        .filter(({ rooms }) => !rooms.some((room) => isBelow(path, room)))
        .flatMap(({ packages }) => imports.filter((name) => packages.test(name)).map((name) => `${path} imports ${name}`)),
    );
    expect(strays).toEqual([]);
  });

  test("a room that no longer names a package is not let to", () => {
    const names = (room: string) => sources.filter(({ path }) => isBelow(path, room)).flatMap(({ imports }) => imports);
    const idle = fences.flatMap(({ packages, rooms }) =>
      rooms.filter((room) => !names(room).some((name) => packages.test(name))).map((room) => `${room} ${packages}`),
    );
    expect(idle).toEqual([]);
  });

  test("every package that code names has its room", () => {
    const named = sources.flatMap(({ path, imports }) =>
      Object.keys(dependencies)
        .filter((name) => imports.some((each) => each === name || each.startsWith(`${name}/`)))
        .filter((name) => name !== "bun" && !fences.some(({ packages }) => packages.test(name)))
        .map((name) => `${path} imports ${name}`),
    );
    expect(named).toEqual([]);
  });

  test("nothing reaches the network but through its rooms", () => {
    // What is sent to the visitor's browser asks our own server there; the policy of the pages sees to that.
    const callers = sources.filter(
      ({ path, text }) => !/^src\/(egress|probe|pages\/client)\//.test(path) && /(?<![\w.])fetch\(|Bun\.connect\(/.test(text),
    );
    expect(callers.map(({ path }) => path)).toEqual([]);
  });
});

describe("the check list", () => {
  const names = readdirSync(join(root, "checks"));
  const keys = names.filter((name) => name !== "index.ts").map((name) => name.replace(/\.ts$/, ""));

  test("checks/index.ts lists every file of its folder", () => {
    expect(readFileSync(join(root, "checks/index.ts"), "utf8")).toBe(listText(names));
  });

  test("every check has a test of its name", () => {
    const tests = filesBelow("test/checks");
    expect(keys.filter((key) => !tests.includes(`test/checks/${key}.test.ts`))).toEqual([]);
  });

  test.each([
    ["en-gb", enGb],
    ["de-de", deDe],
  ])("%s speaks of exactly these checks", (_locale, texts) => {
    expect(Object.keys(texts.checks).sort()).toEqual(keys.sort());
  });
});

describe("locales", () => {
  /** Every path of a text with the placeholders it quotes, so that a missing text and a missing value both show. */
  function shapeOf(value: unknown, path = ""): readonly string[] {
    if (typeof value === "string") return [`${path} ${[...new Set(value.match(/\{\{\w+\}\}/g) ?? [])].sort().join(" ")}`];
    return Object.entries(value as object).flatMap(([name, part]) => shapeOf(part, `${path}/${name}`));
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

  test("say the same things with the same values", () => {
    expect(withoutFreePlaceholders(shapeOf(deDe))).toEqual(withoutFreePlaceholders(shapeOf(enGb)));
  });
});

describe("manners", () => {
  test("what is exported is named elsewhere", () => {
    const words = allCode.map(({ path, text }) => ({ path, words: new Set(text.match(/\w+/g)) }));
    const unasked = allCode.flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)]
        .map(([, name = ""]) => name)
        .filter((name) => !words.some((other) => other.path !== path && other.words.has(name)))
        .map((name) => `${path} exports ${name}`),
    );
    expect(unasked).toEqual([]);
  });

  test("every file opens with a sentence that says what it is for", () => {
    expect(allCode.filter(({ text }) => !/^(#!.*\n)?\/\*\*[ \n]/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test("code is ASCII", () => {
    const strays = allCode.flatMap(({ path, text }) =>
      // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what is looked for.
      text.split("\n").flatMap((line, at) => (/[^\x00-\x7f]/.test(line) ? [`${path}:${at + 1}`] : [])),
    );
    expect(strays).toEqual([]);
  });

  test("nothing is left to do later", () => {
    const marks = new RegExp(["TO", "DO|FIX", "ME|X", "XX"].join(""));
    expect(allCode.filter(({ text }) => marks.test(text)).map(({ path }) => path)).toEqual([]);
  });

  // Bun keeps what it compiled: a file that says "vitest" and was once loaded by a program has the wrong one in the tests that follow.
  test("programs load no file of the tests' framework", () => {
    const loaded = (path: string) =>
      (allCode.find((file) => file.path === path)?.text.replace(/^import type .*$/gm, "") ?? "")
        .matchAll(/\bfrom "([^"]+)"/g)
        .map(([, name = ""]) => (name.startsWith(".") ? relative(root, resolve(root, path, "..", name)) : name));
    const reached = new Set([...filesBelow("build"), ...programsOfTest]);
    expect(programsOfTest.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    for (const path of reached) for (const name of loaded(path)) reached.add(name);
    expect([...reached]).not.toContain("vitest");
  });

  test("no test is skipped for good or runs alone", () => {
    const marks = /\b(it|test|describe)\.(only|skip|todo)\(/;
    expect(
      sourcesBelow("test")
        .filter(({ text }) => marks.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  test("no drawer for things without a name", () => {
    expect(
      allCode.map(({ path }) => path).filter((path) => /(^|[/-])(utils?|helpers?|common|manager|service|misc)([-./]|$)/.test(path)),
    ).toEqual([]);
  });

  test("the top level holds only what it is meant to hold", () => {
    const ignored = readFileSync(join(root, ".gitignore"), "utf8")
      .split("\n")
      .map((line) => line.replace(/\/$/, ""));
    const names = readdirSync(root).filter((name) => name !== ".git" && !ignored.includes(name) && !/\.log$/.test(name));
    expect(names.sort()).toEqual(topLevel);
  });
});
