/** Patterns of libraries for data, texts, templates and requests. */
import type { LibraryPattern } from "./library-patterns.ts";

/** Underscore has none of these functions, Lodash in each edition at least one. */
const isLodash = '[_.forIn, _.assignIn, _.runInContext].some((part) => typeof part === "function")';

export const toolPatterns: readonly LibraryPattern[] = [
  {
    name: "lodash",
    files: ["lodash"],
    packages: ["lodash", "lodash.js"],
    // Builds of some functions name these. Packages of one function (lodash.debounce) have an address in angle brackets instead.
    banners: [
      /\/\*\*?[\s*]{0,8}(?:@license[\s*]{1,8})?(?:lodash|Lo-Dash) (\d[^\s,()]*) \(Custom Build\) lodash\.com\/license(?!.{0,80}\n[\s*]{0,8}Build: [^\n]{0,200}(?:include|minus|plus|category)=)/,
      /\/\*\*?[\s*]{0,8}@license[\s*]{1,8}Lo-Dash (\d[^\s,()]*) <http/,
    ],
    expressions: [`${isLodash} ? _.VERSION : ""`],
  },
  {
    name: "underscore.js",
    files: ["underscore", "underscore-umd", "underscore-esm"],
    packages: ["underscore", "underscore.js"],
    banners: [/\/\/ {1,8}Underscore\.js (\d[^\s,()]*)\s/],
    expressions: [`${isLodash} ? "" : _.VERSION`],
    versions: /^v?[01]\./,
  },
  {
    name: "moment.js",
    files: ["moment", "moment-with-locales", "moment-with-langs"],
    packages: ["moment", "moment.js"],
    banners: [/\/\/! moment\.js\n\/\/! version : (\d[^\s,()]*)\n/],
    expressions: ["moment.version"],
  },
  {
    name: "handlebars",
    files: ["handlebars", "handlebars.runtime"],
    packages: ["handlebars", "handlebars.js"],
    banners: [/\/\*\*?!?\s{0,8}(?:@license\s{0,8})?handlebars v(\d[^\s,()]*)\n/],
    expressions: ["Handlebars.VERSION"],
  },
  {
    name: "mustache.js",
    files: ["mustache"],
    packages: ["mustache", "mustache.js"],
    expressions: ["Mustache.version"],
  },
  {
    name: "DOMPurify",
    files: ["purify", "dompurify"],
    sharesFileNames: true,
    packages: ["dompurify"],
    banners: [
      /\/\*! @license DOMPurify (\d[^\s,()]*) \|/,
      /\/\*! @license DOMPurify \|.{1,200}github\.com\/cure53\/DOMPurify\/blob\/(\d[^\s/]*)\//,
    ],
    expressions: ["DOMPurify.version"],
  },
  {
    name: "axios",
    files: ["axios"],
    packages: ["axios"],
    banners: [/\/\* axios v(\d[^\s,()]*) \| \(c\)/, /\/[/*]!? ?Axios v(\d[^\s,()]*) Copyright \(c\)/],
    expressions: ["axios.VERSION"],
  },
  {
    name: "marked",
    files: ["marked"],
    packages: ["marked"],
    banners: [/\/\*\*[\s*]{0,8}marked v(\d[^\s,()]*) - a markdown parser/],
  },
  {
    name: "markdown-it",
    files: ["markdown-it"],
    packages: ["markdown-it"],
    banners: [/\/\*!? ?markdown-it (\d[^\s,()]*) https?:\/\/github\.com\/markdown-it/],
  },
  {
    name: "jszip",
    files: ["jszip"],
    packages: ["jszip"],
    banners: [/\/\*!\s{0,8}JSZip v(\d[^\s,()]*) - A JavaScript class/],
    expressions: ["JSZip.version"],
  },
  {
    name: "ua-parser-js",
    files: ["ua-parser"],
    packages: ["ua-parser-js"],
    banners: [/\/\*!?[\s*@/]{0,8}(?:@license[\s*]{0,8})?UAParser\.js v(\d[^\s,()]*)\s/],
    expressions: ["UAParser.VERSION"],
  },
  {
    name: "protobufjs",
    files: ["protobuf"],
    packages: ["protobufjs", "protobuf.js"],
    banners: [/\/\*![\s*]{0,8}protobuf\.js v(\d[^\s,()]*) \(c\)/],
  },
  { name: "mathjax", files: [], packages: [], expressions: ["MathJax.version"] },
  { name: "AlaSQL", files: ["alasql"], packages: ["alasql"], expressions: ["alasql.version"] },
  { name: "easyXDM", files: ["easyxdm"], packages: ["easyxdm"], expressions: ["easyXDM.version"] },
  {
    name: "swfobject",
    files: ["swfobject"],
    packages: ["swfobject"],
    banners: [/\/\*!?\s{0,8}SWFObject v(\d[^\s,()]*) </],
  },
];
