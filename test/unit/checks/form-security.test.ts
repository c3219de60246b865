/** Passwords must not travel in an address or from a page without encryption. */
import check from "../../../checks/form-security.ts";
import type { PasswordForm, Submitter } from "../../../src/evidence/page-facts.ts";
import { testCheck } from "../../support/check-tester.ts";

const form = (given: Partial<PasswordForm> = {}): PasswordForm => ({ action: null, method: null, submitters: [], ...given });
const button = (given: Partial<Submitter> = {}): Submitter => ({ action: null, method: null, ...given });
const page = (...passwordForms: PasswordForm[]) => ({ markup: { passwordFields: 1, passwordForms } });
const post = form({ method: "post" });

testCheck(check, {
  passed: [
    ["a form by POST", page(post)],
    ["a button that makes it POST", page(form({ method: "get", submitters: [button({ method: "post" })] }))],
    ["a field outside of forms", page()],
    ["a form that browsers never send", page(form({ method: "dialog" }))],
    ["a form that a script sends", page(form({ action: "javascript:void(0)" }))],
    ["an http action stays with mixed-content", page(form({ method: "post", action: "http://site.example/" }))],
  ],
  notApplicable: [
    ["no password field", {}],
    ["not HTML", { page: { mediaType: "text/plain" }, ...page(form()) }],
  ],
  notChecked: [
    ["forms were dropped", { markup: { passwordFields: 21, passwordForms: [post], passwordFormsDropped: 1 } }],
    ["no password field in what was read", { markup: { passwordFormsDropped: 1 } }],
    ["no password field in what was read, over http", { url: "http://site.example/", markup: { passwordFormsDropped: 1 } }],
  ],
  violated: {
    "security.content.password-without-https": [
      ["a page over http", { url: "http://site.example/login", ...page(post) }, { values: { resources: "http://site.example/login" } }],
      ["a field outside of forms", { url: "http://site.example/", ...page() }],
    ],
    "security.content.password-form-get": [
      ["GET", page(form({ method: "get" })), { values: { resources: "https://site.example/", total: 1 } }],
      [
        "an address without a method",
        page(form({ action: "https://site.example/in" })),
        { values: { resources: "https://site.example/in" } },
      ],
      ["an unknown method", page(form({ method: "put" }))],
      ["one of two buttons", page(form({ method: "post", submitters: [button(), button({ method: "get" })] }))],
      [
        "a page over http",
        { url: "http://site.example/", ...page(form({ method: "get" })) },
        { also: ["security.content.password-without-https"] },
      ],
    ],
    "security.content.password-form-without-method": [
      ["neither method nor action", page(form()), { values: { resources: "https://site.example/", total: 1 } }],
      ["nor in its button", page(form({ submitters: [button()] }))],
    ],
  },
});
