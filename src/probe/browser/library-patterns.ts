/** Patterns of script libraries: names of files, banner comments, and variables that a library sets. */

// Patterns of libraries that build pages, and of their parts.

const frameworkPatterns: readonly NamedPattern[] = [
  {
    name: "jquery",
    banners: [
      /\/\*!?[\s*]{0,8}jQuery JavaScript Library v@?(\d[^\s,()]*)/,
      /\/\*!? ?jQuery v@?(\d[^\s,()]*) (?:\||jquery\.com|-)/,
      /\/\*[\s*]{0,8}jQuery (\d[^\s,()]*) - New Wave Javascript/,
    ],
    expressions: ["jQuery.fn.jquery"],
  },
  { name: "jquery-migrate", banners: [/\/\*![\s*]{0,8}jQuery Migrate (?:- )?v(\d[^\s,()]*)/], expressions: ["jQuery.migrateVersion"] },
  {
    name: "jquery-ui",
    files: ["jquery-ui", "jquery.ui"],
    packages: ["jqueryui", "jquery-ui", "jquery-ui-dist", "ui"],
    banners: [
      /\/\*!?[\s*]{0,8}jQuery UI - v(\d[^\s,()]*) - \d{4}/,
      /\/\*!?[\s*]{0,8}jQuery UI (\d[^\s,()]*)\n \*(?: http:\/\/jqueryui|\n \* Copyright)/,
    ],
    expressions: ["jQuery.ui.version"],
  },
  {
    name: "jquery-ui-dialog",
    files: ["jquery.ui.dialog"],
    packages: [],
    banners: [/\/\*!?[\s*]{0,8}jQuery UI Dialog (\d[^\s,()]*)\n \*(?: http:\/\/jqueryui|\n \* Copyright)/],
    expressions: ['typeof jQuery.ui.dialog === "function" ? jQuery.ui.version : ""'],
  },
  {
    name: "jquery-ui-tooltip",
    files: ["jquery.ui.tooltip"],
    packages: [],
    banners: [/\/\*!?[\s*]{0,8}jQuery UI Tooltip (\d[^\s,()]*)\n \*(?: http:\/\/jqueryui|\n \* Copyright)/],
    expressions: ['typeof jQuery.ui.tooltip === "function" ? jQuery.ui.version : ""'],
  },
  {
    name: "jquery-mobile",
    files: ["jquery.mobile", "jquery-mobile"],
    packages: ["jquery-mobile", "jquerymobile", "mobile"],
    banners: [/\/\*!?[\s*]{0,8}jQuery Mobile (?:v|- v)?(\d[^\s,()]*)(?: \||\n)/],
    expressions: ["jQuery.mobile.version"],
  },
  {
    name: "jquery-validation",
    files: ["jquery.validate", "jquery-validate"],
    packages: ["jquery-validate", "jquery.validate", "jquery-validation"],
    banners: [/\/\*!?[\s*]{0,8}jQuery Validation Plugin (?:- )?v?(\d[^\s,()]*)/],
  },
  {
    name: "bootstrap",
    packages: ["bootstrap", "twitter-bootstrap"],
    banners: [/\/\*!?[\s*]{0,8}Bootstrap v(\d[^\s,()]*) \(http/, /\/\*!?[\s*]{0,8}Bootstrap\.js v(\d[^\s,()]*) by @/],
    expressions: ["bootstrap.Tooltip.VERSION", "jQuery.fn.tooltip.Constructor.VERSION", "jQuery.fn.modal.Constructor.VERSION"],
  },
  {
    name: "bootstrap-select",
    banners: [/\/\*!?[\s*]{0,8}Bootstrap-select v(\d[^\s,()]*) \(http/],
    expressions: ["jQuery.fn.selectpicker.Constructor.VERSION"],
  },
  {
    name: "angularjs",
    files: ["angular"],
    packages: ["angularjs", "angular.js", "angular"],
    banners: [/\/\*[\s*]{0,8}(?:@license )?AngularJS v(\d[^\s,()]*)\n/],
    // Routing, animation and other parts have the same banner.
    bannerNotIn: /\/angular-[a-z]/,
    expressions: ["angular.version.full"],
    versions: /^v?[01]\./,
  },
  {
    name: "@angular/core",
    files: [],
    packages: [],
    expressions: ['document.querySelector("[ng-version]").getAttribute("ng-version")'],
  },
  {
    name: "vue",
    banners: [/\/\*[!*][\s*]{0,8}Vue\.js v(\d[^\s,()]*)\n/, /\/\*[!*][\s*]{0,8}vue v(\d[^\s,()]*)\n/],
    expressions: ["Vue.version"],
  },
  {
    name: "react",
    files: ["react", "react-with-addons"],
    banners: [/\/\*\*? ?@license React v(\d[^\s,()]*)\n \* react\.(?:production|development)/, /\/\*\*[\s*]{0,8}React v(\d[^\s,()]*)\n/],
    expressions: ["React.version"],
  },
  {
    name: "react-dom",
    banners: [
      /\/\*\*? ?@license React v(\d[^\s,()]*)\n \* react-dom\.(?:production|development)/,
      /\/\*\*[\s*]{0,8}ReactDOM v(\d[^\s,()]*)\n/,
    ],
    expressions: ["ReactDOM.version"],
  },
  { name: "nextjs", files: [], packages: [], expressions: ["next.version"] },
  {
    name: "ember",
    packages: ["ember", "ember.js"],
    banners: [/@overview {1,4}Ember - JavaScript Application Framework\n[^{}]{0,600}@version {1,4}(\d[^\s,()]*)/],
    expressions: ["Ember.VERSION"],
  },
  {
    name: "backbone.js",
    files: ["backbone"],
    packages: ["backbone", "backbone.js"],
    banners: [/\/\/ {1,8}Backbone\.js (\d[^\s,()]*)\s/],
    expressions: ["Backbone.VERSION"],
  },
  { name: "knockout", banners: [/\/[/*]!?[\s*]{0,8}Knockout JavaScript library v(\d[^\s,()]*)/], expressions: ["ko.version"] },
  {
    name: "prototypejs",
    files: ["prototype"],
    packages: ["prototype"],
    banners: [/\/\*[\s*]{0,8}Prototype JavaScript framework, version (\d[^\s,()]*)/],
    expressions: ["Prototype.Version"],
  },
  { name: "dojo", expressions: ['dojo.version.major + "." + dojo.version.minor + "." + dojo.version.patch + (dojo.version.flag || "")'] },
  {
    name: "mootools",
    files: ["mootools", "mootools-core", "mootools-yui-compressed", "mootools-core-yui-compressed"],
    packages: ["mootools", "mootools-core"],
    expressions: ["MooTools.version"],
  },
  { name: "YUI", banners: [/\/\*[\s*]{0,8}YUI (\d[^\s,()]*) \(build/], expressions: ["YUI.version"] },
  {
    name: "ExtJS",
    files: ["ext-all", "ext-base"],
    sharesFileNames: true,
    packages: ["ext", "extjs", "ext-core"],
    expressions: ["Ext.versions.extjs.version", "Ext.version"],
  },
];

// Patterns of libraries for data, texts, templates and requests.

/** Underscore has none of these functions, Lodash in each edition at least one. */
const isLodash = '[_.forIn, _.assignIn, _.runInContext].some((part) => typeof part === "function")';

const toolPatterns: readonly NamedPattern[] = [
  {
    name: "lodash",
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
    banners: [
      /\/\*! @license DOMPurify (\d[^\s,()]*) \|/,
      /\/\*! @license DOMPurify \|.{1,200}github\.com\/cure53\/DOMPurify\/blob\/(\d[^\s/]*)\//,
    ],
    expressions: ["DOMPurify.version"],
  },
  {
    name: "axios",
    banners: [/\/\* axios v(\d[^\s,()]*) \| \(c\)/, /\/[/*]!? ?Axios v(\d[^\s,()]*) Copyright \(c\)/],
    expressions: ["axios.VERSION"],
  },
  { name: "marked", banners: [/\/\*\*[\s*]{0,8}marked v(\d[^\s,()]*) - a markdown parser/] },
  { name: "markdown-it", banners: [/\/\*!? ?markdown-it (\d[^\s,()]*) https?:\/\/github\.com\/markdown-it/] },
  { name: "jszip", banners: [/\/\*!\s{0,8}JSZip v(\d[^\s,()]*) - A JavaScript class/], expressions: ["JSZip.version"] },
  {
    name: "ua-parser-js",
    files: ["ua-parser"],
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
  { name: "AlaSQL", expressions: ["alasql.version"] },
  { name: "easyXDM", expressions: ["easyXDM.version"] },
  { name: "swfobject", banners: [/\/\*!?\s{0,8}SWFObject v(\d[^\s,()]*) </] },
];

// Patterns of visible components: editors, tables, charts, players.

const widgetPatterns: readonly NamedPattern[] = [
  {
    name: "tinyMCE",
    banners: [/\/\*\*[\s*]{0,8}TinyMCE version (\d[^\s,()]*) \(\d{4}/],
    expressions: ['tinymce.majorVersion + "." + tinymce.minorVersion'],
  },
  {
    name: "ckeditor",
    sharesFileNames: true,
    packages: ["ckeditor", "ckeditor4"],
    expressions: ["CKEDITOR.version"],
    versions: /^v?[1-4]\./,
  },
  {
    name: "ckeditor5",
    files: ["ckeditor", "ckeditor5"],
    sharesFileNames: true,
    expressions: ["CKEDITOR_VERSION"],
  },
  {
    name: "froala",
    files: ["froala_editor", "froala_editor.pkgd"],
    packages: ["froala-editor"],
    banners: [/\/\*![\s*]{0,8}froala_editor v(\d[^\s,()]*) \(http/],
    expressions: ["FroalaEditor.VERSION"],
  },
  {
    name: "quill",
    // No banner: its style sheet, which other libraries embed in scripts, has the same one.
    expressions: ["Quill.version"],
  },
  { name: "select2", banners: [/\/\*![\s*]{0,8}Select2 (\d[^\s,()]*)(?: \||\n)/] },
  {
    name: "jquery.datatables",
    files: ["jquery.datatables", "datatables"],
    packages: ["datatables", "datatables.net"],
    banners: [/\/\*!?[\s*]{0,8}DataTables (\d[^\s,()]*)\s/],
    expressions: ["jQuery.fn.dataTable.version"],
  },
  {
    name: "jquery.prettyPhoto",
    packages: ["prettyphoto"],
    banners: [/\/\*[\s*-]{0,80}Class: prettyPhoto\n[^*{}]{0,300}Version: (\d[^\s,()]*)/],
    expressions: ["jQuery.prettyPhoto.version"],
  },
  { name: "jquery.terminal", expressions: ["jQuery.terminal.version"] },
  {
    name: "highcharts",
    banners: [/\/\*[\s*]{0,8}(?:@license )?Highcharts JS v(\d[^\s,()]*) \(\d{4}-\d\d-\d\d\)[\s*]{1,12}\(c\) \d{4}-\d{4} Torstein/],
    bannerNotIn: /\/(?:modules|highstock|highmaps)/,
    expressions: ["Highcharts.version"],
  },
  {
    name: "highlightjs",
    files: ["highlight"],
    sharesFileNames: true,
    packages: ["highlight.js", "highlightjs"],
    banners: [/\/\*!\s{0,8}Highlight\.js v(\d[^\s,()]*) \(git/],
    expressions: ["hljs.versionString"],
  },
  {
    name: "chart.js",
    files: ["chart"],
    sharesFileNames: true,
    banners: [/\/\*![\s*]{0,8}Chart\.js v(\d[^\s,()]*)\n/],
    expressions: ["Chart.version"],
  },
  { name: "c3", sharesFileNames: true, expressions: ["c3.version"] },
  { name: "echarts", expressions: ["echarts.version"] },
  { name: "zrender", expressions: ["zrender.version"] },
  { name: "threejs", files: [], packages: [], expressions: ['"0." + THREE.REVISION + ".0"'] },
  { name: "swiper", files: ["swiper", "swiper-bundle"], banners: [/\/\*\*[\s*]{0,8}Swiper (\d[^\s,()]*)\n/] },
  {
    name: "plupload",
    files: ["plupload", "plupload.full"],
    banners: [/\/\*\*[\s*]{0,8}Plupload - multi-runtime File Uploader\n \* v(\d[^\s,()]*)\n/],
    expressions: ["plupload.VERSION"],
  },
  {
    name: "pdf.js",
    files: ["pdf"],
    sharesFileNames: true,
    packages: ["pdf.js", "pdfjs-dist"],
    expressions: ["pdfjsLib.version"],
  },
  { name: "video.js", files: ["video"], sharesFileNames: true, expressions: ["videojs.VERSION"] },
  { name: "flowplayer", expressions: ["flowplayer.version"] },
  { name: "jPlayer", files: ["jquery.jplayer"], expressions: ["jQuery.jPlayer.prototype.version.script"] },
];

interface NamedPattern {
  /** Name in the list of advisories. */
  readonly name: string;
  /** Names of its own files, without version and `.min.js`, in lower case; the name of the library by default. */
  readonly files?: readonly string[];
  /** Folders or packages whose name precedes the version: `/jquery/3.5.1/`, `/npm/jquery@3.5.1/`. In lower case, by default as for files. */
  readonly packages?: readonly string[];
  /** Comments in its files. The first group is the version. A plugin that only mentions the library must not match. */
  readonly banners?: readonly RegExp[];
  /** Files that have the banner of the library but are only a part of it. */
  readonly bannerNotIn?: RegExp;
  /** JavaScript expressions for the page. Each returns the version or an unrelated value. */
  readonly expressions?: readonly string[];
  /** Set if other libraries use the same file names: only a version in the folder's name counts. */
  readonly sharesFileNames?: true;
  /** Versions that exist: other libraries or later editions share the names. */
  readonly versions?: RegExp;
}

export type LibraryPattern = NamedPattern & Required<Pick<NamedPattern, "files" | "packages">>;

export const libraryPatterns: readonly LibraryPattern[] = [...frameworkPatterns, ...toolPatterns, ...widgetPatterns].map((pattern) => {
  const ownNames = [pattern.name.toLowerCase()];
  return { files: ownNames, packages: ownNames, ...pattern };
});
