/** Fuzz targets for files of a pipeline, and for the positions in them. */
import * as address from "../../src/parse/address.ts";
import * as location from "../../src/parse/location.ts";
import * as texts from "../../src/parse/text.ts";
import * as toml from "../../src/parse/toml.ts";
import type { FuzzTarget } from "./target.ts";

export const documentTargets: readonly FuzzTarget[] = [
  {
    name: "toml",
    tokens: ["[", "]", "[[", "]]", "a", '"b c"', "'", '"', '"""', "\\", " = ", "{", "}", ",", "2027-02-30", "#", "\n", ".", "1"],
    samples: ['a.b = 1\n[[c]]\nd = """\n[x]\n"""\n[c.e]\n"f g" = [ # ]\n "]", { h = 2027-02-30 }]\n'],
    heads: ["a = [", "[a", '"', "a."],
    functions: {
      parseTomlDocument: (text) => {
        const document = toml.parseTomlDocument(text);
        return "fault" in document ? document.fault : [document.positionOf(["a", "b"]), document.dayAt(["a", "b"])];
      },
      isTomlTable: toml.isTomlTable,
    },
    properties: {
      "the position of a key is where its name is written": (text) => {
        const document = toml.parseTomlDocument(text);
        if ("fault" in document) return true;
        return Object.keys(document.table).every((name) => {
          const { line, column } = document.positionOf([name]);
          const rest = text.split("\n")[line - 1]?.slice(column - 1) ?? "";
          const key = rest.replace(/^\[\[?[ \t]*/, "").replace(/^["']/, "");
          // Escapes are written otherwise than the name.
          return key.startsWith(name) || key.includes("\\");
        });
      },
    },
  },
  {
    name: "repository-path",
    tokens: ["/", ".", "..", "a", "\\", ":", "%2e", "\n", "\u202e"],
    samples: ["deploy/nginx.conf"],
    heads: ["a/", "../"],
    functions: { parseRepositoryPath: address.parseRepositoryPath },
    properties: {
      "a path stays in its folder": (text) => {
        const path = address.parseRepositoryPath(text);
        return path === null || new URL(path.replaceAll("%", "%25"), "http://host/folder/").pathname.startsWith("/folder/");
      },
    },
  },
  {
    name: "location",
    tokens: ["-", "a", "0", ".", "*", ">", " ", "A", "\u00e9"],
    samples: ["berlin-2"],
    heads: ["a", "-"],
    functions: { parseLocation: location.parseLocation },
    properties: {
      "a location is one token of a subject": (text) => {
        const name = location.parseLocation(text);
        return name === null || (!/[.*>\s]/.test(name) && name.length > 0 && name.length <= location.locationCharsMax);
      },
    },
  },
  {
    name: "text-position",
    tokens: ["\n", "a"],
    samples: ["a\nb"],
    heads: ["\n"],
    functions: { positionAt: (text) => texts.positionAt(text, text.length) },
    properties: {
      "a line ends at each line feed": (text) => texts.positionAt(text, text.length).line === text.split("\n").length,
    },
  },
];
