/** A page with forms has to say where they may lead. */
import check from "../../../checks/csp-form-action.ts";
import { testCheck } from "../../support/check-tester.ts";

const csp = (...values: string[]) => ({ headers: { "content-security-policy": values } });
const meta = (content: string, truncated = false) => ({ httpEquiv: "content-security-policy", name: null, content, truncated });

const forms = [{ action: "https://site.example/login", method: "post" }];
const withForm = (...values: string[]) => ({ ...csp(...values), dom: { forms } });

testCheck(check, {
  passed: [
    ["'self'", withForm("form-action 'self'")],
    ["'none'", withForm("default-src *; form-action 'none'")],
    ["a host", withForm("form-action 'self' https://login.example")],
    ["in the other policy", withForm("default-src 'self'", "form-action 'self'")],
    ["one of two policies confines them", withForm("form-action *, form-action 'self'")],
    ["in a meta element", { ...csp("default-src 'self'"), dom: { forms, metas: [meta("form-action 'self'")] } }],
    ["the sandbox lets no form be sent", withForm("sandbox allow-scripts; default-src 'self'")],
    ["whether there are forms is not known, but they are confined", { ...csp("form-action 'self'"), dom: "crashed" }],
  ],
  notApplicable: [
    ["no policy", { dom: { forms } }],
    ["no forms", csp("default-src 'self'")],
    ["no forms, and still a rule", csp("form-action *")],
  ],
  notChecked: [
    ["whether there are forms is not known", { ...csp("default-src 'self'"), dom: "timeout" }],
    ["a meta element that was cut may confine them", { ...csp("img-src *"), dom: { forms, metas: [meta("form-action 'self'; x", true)] } }],
  ],
  violated: {
    "security.csp.form-action-missing": [
      ["default-src does not stand in for it", withForm("default-src 'self'"), { values: { directives: "default-src" } }],
      ["the sandbox lets forms be sent", withForm("sandbox Allow-Forms; default-src 'self'")],
    ],
    "security.csp.form-action-any-host": [
      ["*", withForm("form-action *"), { values: { sources: "*" } }],
      ["https: is as wide", withForm("form-action 'self' https:"), { values: { sources: "'self' https:" } }],
      ["'none' beside another source means nothing", withForm("form-action 'none' *")],
    ],
  },
});
