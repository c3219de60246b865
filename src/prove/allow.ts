/** How a policy allows what it blocked, or why it should not. */
import type { BlockedByPolicy } from "../evidence/observation.ts";
import { sourceOf } from "./draft.ts";

/** `source`: add it to the directive. `move`: the page has to change. `weakens`: possible, at a price. */
export interface WayToAllow {
  readonly way: "source" | "move-handler" | "weakens" | "trusted-types" | "unknown-code";
  readonly directive: string;
  readonly source: string;
}

export function wayToAllow({ directive: violated, kind, url, hash }: BlockedByPolicy, pageUrl: string): WayToAllow {
  // Policies rarely name the part for elements.
  const directive = violated.replace(/-elem$/, "");
  if (kind === "url") return { way: "source", directive, source: sourceOf(url ?? "", pageUrl) };
  if (kind === "eval") return { way: "weakens", directive, source: "'unsafe-eval'" };
  if (kind === "wasm-eval") return { way: "source", directive, source: "'wasm-unsafe-eval'" };
  if (kind === "trusted-types") return { way: "trusted-types", directive, source: "" };
  if (directive === "script-src-attr") return { way: "move-handler", directive, source: "" };
  // Pages have thousands of style attributes, each with a hash of its own.
  if (directive === "style-src-attr") return { way: "weakens", directive, source: "'unsafe-inline'" };
  return hash === null ? { way: "unknown-code", directive, source: "" } : { way: "source", directive, source: `'${hash}'` };
}
