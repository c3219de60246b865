/** Effective referrer policy from header and meta elements. */
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
    ["a fallback before the policy", header("unsafe-url, strict-origin")],
    ["an unknown word after the policy", header("same-origin, something-new")],
    ["several fields, of which the last counts", header("origin", "same-origin")],
    ["a meta element alone", metas("no-referrer")],
    ["a legacy word in a meta element", metas("never")],
    ["a meta element that overrides a weak header", { ...header("unsafe-url"), ...metas("same-origin") }],
    ["the last meta element counts", metas("unsafe-url", "no-referrer")],
    ["an unknown word in a meta element", { ...header("same-origin"), ...metas("no-referrer, unsafe-url", "") }],
    ["a valid header, and an unread document", { ...header("same-origin"), dom: "crashed" }],
  ],
  notApplicable: [],
  notChecked: [
    ["no header, and an unread document", { dom: "timeout" }],
    ["a weak header, and an unread document", { ...header("unsafe-url"), dom: "timeout" }],
    ["no header, and dropped meta elements", { dom: { metasDropped: 1 } }],
  ],
  violated: {
    "security.missing-header.referrer-policy": [
      ["neither header nor element", {}],
      ["an unknown word in a meta element", metas("none")],
    ],
    "security.weak-header.referrer-policy": [
      ["unsafe-url", header("unsafe-url"), { values: { policy: "unsafe-url" } }],
      ["no-referrer-when-downgrade", header("no-referrer-when-downgrade")],
      ["origin", header("origin")],
      ["origin-when-cross-origin", header("origin-when-cross-origin")],
      ["the last policy is weak", header("no-referrer, unsafe-url")],
      ["a meta element overrides the header", { ...header("no-referrer"), ...metas("always") }, { values: { policy: "unsafe-url" } }],
    ],
    "security.invalid-header.referrer-policy": [
      ["a legacy word, which is valid only in meta elements", header("never"), { values: { value: "never" } }],
      ["a directive of another header", header("default-src 'self'")],
      ["an empty value", header("")],
    ],
  },
});
