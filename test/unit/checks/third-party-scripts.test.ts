/** Hosts of other sites that run scripts, with and without integrity attributes. */
import check from "../../../checks/third-party-scripts.ts";
import { testCheck } from "../../support/check-tester.ts";
import { subresource } from "../../support/subresources.ts";

const file = (url: string, given: { readonly answeredBy?: string; readonly sameSite?: boolean; readonly inWorker?: boolean } = {}) => ({
  url,
  answeredBy: null,
  sameSite: false,
  ...given,
});
const files = (...all: readonly ReturnType<typeof file>[]) => ({ scripts: { files: all } });
const key = `ed25519-${"a".repeat(43)}`;
const integrity = `sha384-${"a".repeat(64)}`;
const url = "https://cdn.example/lib.js";
const asked = (...given: readonly { readonly url?: string; readonly [field: string]: unknown }[]) =>
  given.map((each) => ({ url, kind: "script" as const, preloaded: false, inFrame: false, unguarded: true, ...each }));
const pinned = { dom: { subresources: [subresource({ url, integrity })] } };

testCheck(check, {
  passed: [
    ["no script", {}],
    ["scripts of the own site", files(file("https://static.site.example/a.js", { sameSite: true }))],
    ["an import of a worker from the own site", files(file("https://static.site.example/a.js", { sameSite: true, inWorker: true }))],
    ["a preload without answer", { dom: { otherSites: asked({ preloaded: true }) } }],
    ["a style sheet without answer", { dom: { otherSites: asked({ kind: "style" }) } }],
    ["an element that the browser did not ask for", { dom: { subresources: [subresource({ url })], otherSites: [] } }],
    ["a file that its hash kept out", { dom: { subresources: [subresource({ url, integrity })], otherSites: asked({}) } }],
    ["a file that its signature kept out", { dom: { subresources: [subresource({ url, integrity: key })], otherSites: asked({}) } }],
    ["an import without answer that the import map pins", { dom: { importIntegrity: [{ url, integrity }], otherSites: asked({}) } }],
  ],
  notApplicable: [["an image", { page: { mediaType: "image/png" } }]],
  notChecked: [
    ["files were dropped", { scripts: { filesDropped: 1 } }],
    ["a script without element and answer", { dom: { otherSites: asked({}) } }],
    ["a script of a frame without answer", { dom: { subresources: [subresource({ url })], otherSites: asked({ inFrame: true }) } }],
  ],
  violated: {
    "security.content.third-party-scripts": [
      ["one file", files(file(url)), { values: { resources: "cdn.example", total: 1 } }],
      [
        "two hosts, one with two files",
        files(file(url), file("https://cdn.example/other.js"), file("https://a.example/t.js")),
        { values: { resources: "a.example, cdn.example", total: 2 } },
      ],
      [
        "an integrity value that browsers ignore",
        { ...files(file(url)), dom: { subresources: [subresource({ url, integrity: "md5-x" })] } },
      ],
      ["an entry of the import map that browsers skip", { ...files(file(url)), dom: { importIntegrity: [{ url, integrity: "sha1-x" }] } }],
      ["a hash on a preload only", { ...files(file(url)), dom: { subresources: [subresource({ url, integrity, kind: "preload" })] } }],
      [
        "a redirect to another site",
        files(file("https://site.example/a.js", { answeredBy: url })),
        { values: { resources: "cdn.example", total: 1 } },
      ],
      ["a host with a pinned file and another one", { ...files(file(url), file("https://cdn.example/other.js")), ...pinned }],
      ["a pinned file that a worker imports as well", { ...files(file(url, { inWorker: true })), ...pinned }],
      [
        "an element without answer",
        { dom: { subresources: [subresource({ url: `${url}#a` })], otherSites: asked({}) } },
        { values: { resources: "cdn.example", total: 1 } },
      ],
      [
        "an element of the own site that leads to another site without answer",
        {
          dom: {
            subresources: [subresource({ url: "https://site.example/a.js", sameSite: true })],
            otherSites: asked({ url: "https://site.example/a.js", answeredBy: url }),
          },
        },
        { values: { resources: "cdn.example", total: 1 } },
      ],
      [
        "an element without answer beside a file",
        { ...files(file("https://a.example/t.js")), dom: { subresources: [subresource({ url })], otherSites: asked({}) } },
        { values: { resources: "a.example, cdn.example", total: 2 } },
      ],
      [
        "an element without answer beside one with a hash",
        { dom: { subresources: [subresource({ url }), subresource({ url, integrity })], otherSites: asked({}) } },
      ],
      [
        "an element without answer whose hash browsers ignore",
        { dom: { subresources: [subresource({ url, integrity: "md5-x" })], otherSites: asked({}) } },
      ],
      [
        "a file beside a script without element and answer",
        { ...files(file(url)), dom: { otherSites: asked({ url: "https://a.example/t.js" }) } },
        { values: { resources: "cdn.example", total: 1 } },
      ],
      ["other files were dropped", { scripts: { files: [file(url)], filesDropped: 1 } }],
    ],
    "security.content.third-party-scripts-pinned": [
      [
        "an import that the import map pins",
        { ...files(file(url)), dom: { importIntegrity: [{ url, integrity }] } },
        { values: { total: 1 } },
      ],
      ["a file with integrity", { ...files(file(url)), ...pinned }, { values: { resources: "cdn.example", total: 1 } }],
      [
        "a fragment in the document",
        { ...files(file(url)), dom: { subresources: [subresource({ url: `${url}#a`, integrity })] } },
        { values: { total: 1 } },
      ],
      [
        "beside a host without",
        { ...files(file(url), file("https://a.example/t.js")), ...pinned },
        { also: ["security.content.third-party-scripts"] },
      ],
    ],
  },
});
