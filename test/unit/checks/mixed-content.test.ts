/** Content that an https page loads or sends over plain http. */
import check from "../../../checks/mixed-content.ts";
import { testCheck } from "../../support/check-tester.ts";

const insecure = (kind: string, outcome: "loaded" | "blocked" | "upgraded", url = `http://site.example/${kind}`) => ({
  url,
  kind,
  outcome,
});
const form = (action: string, method = "post") => ({ action, method });

testCheck(check, {
  passed: [
    ["nothing", {}],
    ["forms over https", { dom: { forms: [form("https://site.example/send")] } }],
    ["a form that browsers never send", { dom: { forms: [form("http://site.example/", "DIALOG")] } }],
    ["a button that sends over https", { markup: { formActions: [form("https://site.example/")] } }],
    ["a button of a form that browsers never send", { markup: { formActions: [form("http://site.example/", "dialog")] } }],
    [
      "the visitor's own machine",
      {
        requests: {
          insecure: ["http://localhost:8080/a.js", "http://127.0.0.2/", "http://[::1]/a", "http://app.localhost/"]
            .map((url) => insecure("script", "loaded", url))
            .concat(insecure("websocket", "loaded", "ws://localhost/")),
        },
        dom: { forms: [form("http://localhost/send")] },
        markup: { formActions: [form("http://127.0.0.1/")] },
      },
    ],
    ["a form with a mail address", { dom: { forms: [form("mailto:info@site.example")] } }],
  ],
  notApplicable: [["a page over http", { url: "http://site.example/", requests: { insecure: [insecure("image", "loaded")] } }]],
  notChecked: [
    ["the forms were not read", { dom: "crashed" }],
    ["the buttons were not read", { markup: "timeout" }],
    ["buttons were dropped", { markup: { formActionsDropped: 1 } }],
    ["forms were dropped", { dom: { formsDropped: 1 } }],
  ],
  violated: {
    "security.content.active-mixed-content": [
      [
        "a script that the browser blocked",
        { requests: { insecure: [insecure("script", "blocked")] } },
        { values: { resources: "http://site.example/script", total: 1 } },
      ],
      ["a style sheet", { requests: { insecure: [insecure("stylesheet", "loaded")] } }],
      [
        "a frame, a font and a call",
        { requests: { insecure: ["document", "font", "fetch"].map((kind) => insecure(kind, "blocked")) } },
        { values: { total: 3 } },
      ],
      ["a socket", { requests: { insecure: [insecure("websocket", "blocked", "ws://site.example/")] } }],
      ["the forms were not read", { requests: { insecure: [insecure("xhr", "blocked")] }, dom: "crashed" }],
    ],
    "security.content.passive-mixed-content": [
      [
        "an image and a video",
        { requests: { insecure: [insecure("image", "loaded"), insecure("media", "blocked")] } },
        { values: { total: 2 } },
      ],
      [
        "in the words of Chromium's reports",
        { requests: { insecure: ["audio", "video", "favicon"].map((kind) => insecure(kind, "blocked")) } },
        { values: { total: 3 } },
      ],
      [
        "beside a script",
        { requests: { insecure: [insecure("image", "loaded"), insecure("script", "blocked")] } },
        { also: ["security.content.active-mixed-content"] },
      ],
    ],
    "security.content.upgraded-mixed-content": [
      ["an image that the browser fetched over https instead", { requests: { insecure: [insecure("image", "upgraded")] } }],
      ["a script, upgraded by upgrade-insecure-requests", { requests: { insecure: [insecure("script", "upgraded")] } }],
    ],
    "security.content.insecure-form-action": [
      ["a form that Chromium reported and that no longer exists", { requests: { insecure: [insecure("form", "loaded")] } }],
      [
        "a form that Chromium reported too",
        { requests: { insecure: [insecure("form", "loaded")] }, dom: { forms: [form("http://site.example/form")] } },
        { values: { total: 1 } },
      ],
      [
        "a form over http",
        { dom: { forms: [form("HTTP://site.example/send")] } },
        { values: { resources: "HTTP://site.example/send", total: 1 } },
      ],
      [
        "a button that replaces the action of its form",
        { dom: { forms: [form("https://site.example/")] }, markup: { formActions: [form("http://site.example/", "get")] } },
        { values: { resources: "http://site.example/", total: 1 } },
      ],
      ["a host that only looks like the own machine", { dom: { forms: [form("http://localhost.example/")] } }],
      [
        "several forms with two URLs",
        { dom: { forms: [form("http://a.example/"), form("http://b.example/", "get"), form("http://a.example/")] } },
        { values: { resources: "http://a.example/, http://b.example/", total: 2 } },
      ],
    ],
  },
});
