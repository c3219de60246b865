/** Every text of the pages is used, by a literal or a composed path. */
import { expect, test } from "vitest";
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { eventTypes } from "../../../src/store/notification-rules.ts";
import { sourcesBelow } from "../../support/source-tree.ts";

// reads: src/export/, src/report/, src/text/, src/web/
const code = ["src/web", "src/report", "src/export", "src/text"]
  .flatMap((folder) => sourcesBelow(folder))
  .map(({ text }) => text)
  .join("\n");

/** Types of events have dots, so that a template path with one is not of one segment per expression. */
const ofEvents = eventTypes.map((type) => `channels.events.${type}`);
/** Literal paths ... */
const written = new Set([...[...code.matchAll(/"(\w+(?:\.[\w-]+)+)"/g)].map(([, path = ""]) => path), ...ofEvents]);
/** ... and template paths, with one path segment per expression. */
const composed = [...code.matchAll(/`(\w+\.(?:[\w.-]*\$\{[^}]*\}[\w.-]*)+)`/g)].map(
  ([, template = ""]) => new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\$\{[^}]*\}/g, "[^.]+")}$`),
);
/** `RowAction` names the row by the text at the path of its button with `Of`. */
const ofRows = (path: string) => path.endsWith("Of") && written.has(path.slice(0, -"Of".length));
/** Chosen by placeholder names, of which plugin checks may have further ones, or by names of formats and audit actions. */
const byValue = /^(check\.sample$|check\.samples\.|report\.downloads\.formats\.|admin\.audit\.actions\.)/;

function pathsOf(texts: object, above = ""): readonly string[] {
  if ("one" in texts && "other" in texts) return [above];
  return Object.entries(texts).flatMap(([name, part]) => {
    const path = above === "" ? name : `${above}.${name}`;
    return typeof part === "string" ? [path] : pathsOf(part, path);
  });
}

test("every text of the pages is used", () => {
  const unsaid = pathsOf(enGb.pages).filter(
    (path) => !written.has(path) && !ofRows(path) && !byValue.test(path) && !composed.some((pattern) => pattern.test(path)),
  );
  expect(unsaid).toEqual([]);
});
