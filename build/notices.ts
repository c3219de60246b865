/** Licences of everything that the program contains, as one text: `THIRD-PARTY-NOTICES` and `assay licences`. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import licences from "spdx-license-list/full.js";
import { type BundledPart, lockedPackage } from "./bundled.ts";
import { foreignGroups } from "./foreign-parts.ts";

// reads: docs/notices.md
const root = resolve(import.meta.dirname, "..");
const rule = "=".repeat(80);

export interface NoticesOptions {
  /** Version of the program. */
  readonly version: string;
  /** Whether the browser is left out. */
  readonly slim: boolean;
}

/** @throws Error for a licence whose text is neither in the package nor in the list of SPDX */
export function noticesOf(parts: readonly BundledPart[], { version, slim }: NoticesOptions): string {
  const groups = foreignGroups.filter(({ isBrowser }) => !(slim && isBrowser));
  const standard = [...new Set(groups.flatMap((group) => group.parts.flatMap(({ licence }) => idsOf(licence))))].sort();
  return [
    `THIRD-PARTY NOTICES of assay ${version}\n\nassay contains the components below. Each keeps its own licence. Texts of packages are the files that the packages contain.`,
    ...byText(parts).map(([text, owners]) => section(owners.map(titleOf).join("\n"), text)),
    section(titleOf({ name: "bun", ...lockedPackage("node_modules/bun"), licence: "MIT" }), standardText("MIT", "Oven")),
    ...groups.map(({ title, remark, parts: rows }) =>
      section(title, `${remark}\n\n${rows.map(({ name, licence, url }) => `${name}: ${licence}\n  ${url}`).join("\n")}`),
    ),
    section("Data and fonts in files of their own", readFileSync(`${root}/docs/notices.md`, "utf8").trim()),
    ...standard.map((id) => section(`Text of the licence ${id}, for the tables above`, standardText(id, ""))),
  ].join("\n\n");
}

function section(title: string, text: string): string {
  return `${rule}\n${title}\n${rule}\n\n${text}\n`;
}

function titleOf({ name, version, licence }: { readonly name: string; readonly version: string; readonly licence: string }): string {
  return `${name} ${version} (${licence})`;
}

/** Packages with the same text together, in the order of the first of them. */
function byText(parts: readonly BundledPart[]): readonly (readonly [string, readonly BundledPart[]])[] {
  const owners = new Map<string, BundledPart[]>();
  for (const part of parts) {
    const text =
      part.texts.length > 0
        ? part.texts.join(`\n\n${"-".repeat(80)}\n\n`)
        : idsOf(part.licence)
            .map((id) => standardText(id, part.author))
            .join("\n\n");
    owners.set(text, [...(owners.get(text) ?? []), part]);
  }
  return [...owners];
}

function idsOf(expression: string): readonly string[] {
  return expression.split(/ (?:AND|OR) |[()]/).filter((id) => id !== "");
}

/** Text of SPDX's list, with the holder of the copyright if one is given. */
function standardText(id: string, holder: string): string {
  const text = licences[id]?.licenseText;
  if (text === undefined) throw new Error(`no text of the licence ${id}: name an identifier of SPDX`);
  return holder === "" ? text : text.replace(/<copyright holders?>|<owner>/g, holder).replace(/<year> ?/g, "");
}
