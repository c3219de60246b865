/** Builds the expected states of a case. */
import type { State } from "../../src/check/check.ts";
import type { States } from "./laboratory.ts";

/** Example: `passed("tls-trust-chain", "dns-caa")`. */
export const passed = inState("passed");
export const violated = inState("violated");
export const notChecked = inState("notChecked");
export const notApplicable = inState("notApplicable");

function inState(state: State): (...keys: readonly string[]) => States {
  return (...keys) => Object.fromEntries(keys.map((key) => [key, state]));
}

/** Keys that depend on the Content-Security-Policy header. */
export const cspHeaderKeys: readonly string[] = [
  "content-security-policy",
  "csp-base-uri",
  "csp-bypassable-hosts",
  "csp-form-action",
  "csp-insecure-sources",
  "csp-object-src",
  "csp-script-eval",
  "csp-script-inline",
  "csp-script-sources",
  "csp-style-inline",
  "csp-syntax",
];
