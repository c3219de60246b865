/** Which referrer policy a browser ends up with, out of header and meta elements. */
import check from "../../../checks/referrer-policy.ts";
import { testCheck } from "../../support/check-tester.ts";

const header = (...values: string[]) => ({ headers: { "referrer-policy": values } });
const metas = (...contents: string[]) => ({
  dom: { metas: contents.map((content) => ({ httpEquiv: null, name: "referrer", content, truncated: false })) },
});

testCheck(check, {
  passed: [
    ["no-referrer", header("no-referrer")],
    ["same-origin", header("same-origin")],
    ["strict-origin", header("strict-origin")],
    ["strict-origin-when-cross-origin in capitals", header("Strict-Origin-When-Cross-Origin")],
    ["a fallback before it", header("unsafe-url, strict-origin")],
    ["a word that nobody knows after it", header("same-origin, something-new")],
    ["several fields: the last counts", header("origin", "same-origin")],
    ["a meta element alone", metas("no-referrer")],
    ["an old word in a meta element", metas("never")],
    ["a meta element that replaces a weak header", { ...header("unsafe-url"), ...metas("same-origin") }],
    ["the last meta element counts", metas("unsafe-url", "no-referrer")],
    ["a meta element that means nothing", { ...header("same-origin"), ...metas("no-referrer, unsafe-url", "") }],
    ["a sound header, and a document that was not read", { ...header("same-origin"), dom: "crashed" }],
  ],
  notApplicable: [],
  notChecked: [
    ["no header, and a document that was not read", { dom: "timeout" }],
    ["a weak header, and a document that was not read", { ...header("unsafe-url"), dom: "timeout" }],
    ["no header, and meta elements that were dropped", { dom: { metasDropped: 1 } }],
  ],
  violated: {
    "security.missing-header.referrer-policy": [
      ["neither header nor element", {}],
      ["a meta element that means nothing", metas("none")],
    ],
    "security.weak-header.referrer-policy": [
      ["unsafe-url", header("unsafe-url"), { values: { policy: "unsafe-url" } }],
      ["no-referrer-when-downgrade", header("no-referrer-when-downgrade")],
      ["origin", header("origin")],
      ["origin-when-cross-origin", header("origin-when-cross-origin")],
      ["the last one is weak", header("no-referrer, unsafe-url")],
      ["a meta element undoes the header", { ...header("no-referrer"), ...metas("always") }, { values: { policy: "unsafe-url" } }],
    ],
    "security.invalid-header.referrer-policy": [
      ["an old word, which only meta elements know", header("never"), { values: { value: "never" } }],
      ["the directive of another header", header("default-src 'self'")],
      ["an empty value", header("")],
    ],
  },
});
