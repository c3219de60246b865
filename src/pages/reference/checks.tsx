/** `/checks`: every check of this appliance, by what it is about. */

import { basename } from "node:path";
import type { Catalog } from "../../catalog/load.ts";
import { type Area, areaOf, areas } from "../../check/check.ts";
import type { AnyCheck } from "../../check/registry.ts";
import { page } from "../answer.tsx";
import { untranslated } from "../components/foreign.tsx";
import { useVisit } from "../context.ts";
import { notFound } from "../errors.ts";
import { pageGroup, type Visit } from "../visit.ts";
import { checkPage } from "./check.tsx";

export function checkRoutes() {
  return pageGroup("checks")
    .get("/checks", ({ visit }) => checksPage(visit))
    .get("/checks/:key", ({ visit, params }) => {
      const check = visit.settings.catalog.checks.find(({ key }) => key === params.key);
      if (check === undefined) throw notFound();
      return checkPage(visit, check);
    });
}

function checksPage(visit: Visit): Response {
  const { words } = visit;
  const { checks, version } = visit.settings.catalog;
  const taken = areas.filter((area) => checks.some((check) => areaOf(check) === area));
  return page(visit, {
    title: words.say("checks.title"),
    children: (
      <>
        <h1>{words.say("checks.title")}</h1>
        <p>{words.count("checks.intro", checks.length, { points: words.number(weightOf(checks)) })}</p>
        <p>{words.say("checks.scoring")}</p>
        <nav aria-label={words.say("checks.areasLabel")}>
          <ul class="columns">
            {taken.map((area) => (
              <li key={area}>
                <a href={`#${areaId(area)}`}>{words.say(`checks.areas.${area}`)}</a>
              </li>
            ))}
          </ul>
        </nav>
        {taken.map((area) => (
          <AreaTable key={area} area={area} checks={checks.filter((check) => areaOf(check) === area)} />
        ))}
        <p class="muted">{words.say("checks.catalog", { version })}</p>
      </>
    ),
  });
}

/** The part of `/checks` about it. A check's key may be any word, so areas and checks have names of their own. */
export function areaId(area: Area): string {
  return `area-${area}`;
}

/** Weights of all of them together. */
export function weightOf(checks: readonly AnyCheck[]): number {
  return checks.reduce((sum, { weight }) => sum + weight, 0);
}

/** Name of the file that brought a check along, without its folder; null for a built-in one. */
export function fileOf({ droppedIn }: Catalog, key: string): string | null {
  const path = droppedIn[key];
  return path === undefined ? null : basename(path);
}

function AreaTable({ area, checks }: { readonly area: Area; readonly checks: readonly AnyCheck[] }) {
  const { words } = useVisit();
  // What weighs most comes first; within a weight the catalog's order holds, which is by key.
  const sorted = checks.toSorted((one, other) => other.weight - one.weight);
  return (
    <section aria-labelledby={areaId(area)}>
      <h2 id={areaId(area)}>{words.say(`checks.areas.${area}`)}</h2>
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">{words.say("checks.columns.check")}</th>
            <th scope="col">{words.say("checks.columns.reason")}</th>
            <th scope="col" class="number">
              {words.say("checks.columns.weight")}
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((check) => (
            <CheckRow key={check.key} check={check} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function CheckRow({ check: { key, weight } }: { readonly check: AnyCheck }) {
  const {
    words,
    settings: { catalog },
  } = useVisit();
  const texts = catalog.texts[words.locale][key];
  const file = fileOf(catalog, key);
  return (
    <tr id={`check-${key}`}>
      <th scope="row" data-label={words.say("checks.columns.check")}>
        <a href={`/checks/${key}`}>{texts?.label ?? key}</a> <code {...untranslated}>{key}</code>
        {file !== null && <span class="chip">{words.say("checks.fromFile", { file })}</span>}
      </th>
      <td data-label={words.say("checks.columns.reason")}>{texts?.reason}</td>
      <td class="number" data-label={words.say("checks.columns.weight")}>
        {words.number(weight)}
      </td>
    </tr>
  );
}
