/** Result of gathering when the page broke its browser each time: the page was not read. */
import { failed } from "../evidence/evidence.ts";
import type { Gathered } from "./task.ts";
import { unreachableBecause } from "./unreachable.ts";

/** The same, with every reading of the page failed as `crashed`: a failure of this appliance, not of the site. */
export function withCrashedPage(gathered: Gathered): Gathered {
  const crashed = failed("crashed");
  const ofPage = { navigation: crashed, page: crashed, dom: crashed, markup: crashed, requests: crashed, crossOrigin: crashed };
  const evidence = { ...gathered.evidence, ...ofPage, scripts: crashed, scriptLibraries: crashed };
  return { ...gathered, evidence, screenshot: null, unreachable: unreachableBecause(evidence) };
}
