/** A page with forms must restrict their targets. */
import check from "../../../checks/csp-form-action.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

const forms = [{ action: "https://site.example/login", method: "post" }];
const withForm = (...values: string[]) => ({ ...csp(...values), dom: { forms } });

testCheck(check, {
  passed: [
    ["'self'", withForm("img-src *; form-action 'self'")],
    ["'none'", withForm("default-src *; form-action 'none'")],
    ["a host", withForm("img-src *; form-action 'self' https://login.example")],
    ["in the other policy", withForm("default-src 'self'", "form-action 'self'")],
    ["one of two policies restricts them", withForm("img-src *; form-action *, form-action 'self'")],
    ["in a meta element", { ...csp("default-src 'self'"), dom: { forms, metas: [meta("form-action 'self'")] } }],
    ["the sandbox blocks forms", withForm("sandbox allow-scripts; default-src 'self'")],
    ["restricted, although forms were not read", { ...csp("img-src *; form-action 'self'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", { dom: { forms } }],
    ["a policy that restricts nothing that the page loads", withForm("form-action *")],
    ["no forms", csp("default-src 'self'")],
    ["no forms, although restricted", csp("form-action *")],
  ],
  notChecked: [
    ["forms were not read", { ...csp("default-src 'self'"), dom: "timeout" }],
    ["a cut meta element may restrict them", { ...csp("img-src *"), dom: { forms, metas: [meta("form-action 'self'; x", true)] } }],
  ],
  violated: {
    "security.csp.form-action-missing": [
      ["default-src is no fallback", withForm("default-src 'self'"), { values: { directives: "default-src" } }],
      ["the sandbox allows forms", withForm("sandbox Allow-Forms; default-src 'self'")],
    ],
    "security.csp.form-action-any-host": [
      ["*", withForm("img-src *; form-action *"), { values: { sources: "*" } }],
      ["https: allows any host", withForm("img-src *; form-action 'self' https:"), { values: { sources: "'self' https:" } }],
      ["a wildcard at a private suffix", withForm("img-src *; form-action https://*.vercel.app")],
      ["'none' beside another source is ignored", withForm("img-src *; form-action 'none' *")],
    ],
  },
});
