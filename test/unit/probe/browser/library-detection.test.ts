/** Recognition of script libraries by URL, by banner and by the answers of a page. False detections are worse than none. */
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
  librariesInAnswers,
  librariesInHead,
  librariesInUrl,
  versionsExpression,
} from "../../../../src/probe/browser/library-detection.ts";
import { libraryPatterns } from "../../../../src/probe/browser/library-patterns.ts";
import advisories from "../../../../src/probe/browser/script-advisories.json" with { type: "json" };

const named = (detected: readonly { readonly name: string; readonly version: string }[]) =>
  detected.map(({ name, version }) => `${name} ${version}`);

test("every pattern names a library of the list, once", () => {
  const names = libraryPatterns.map(({ name }) => name);
  expect(names.filter((name) => !Object.hasOwn(advisories.libraries, name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(50);
});

describe("a URL", () => {
  test.each([
    ["/jquery-3.5.1.min.js", "jquery 3.5.1"],
    ["/jquery-3.5.1.slim.min.js", "jquery 3.5.1"],
    ["/js/jquery-1.12.4.js?v=2#x", "jquery 1.12.4"],
    ["/js/jquery.1.12.4.min.js", "jquery 1.12.4"],
    ["/js/JQuery-3.0.0-rc1.js", "jquery 3.0.0-rc1"],
    ["/assets/jquery-3.5.1.min-0a1b2c3d4e5f.js", "jquery 3.5.1"],
    ["/ajax/libs/jquery/3.5.1/jquery.min.js", "jquery 3.5.1"],
    ["/npm/jquery@3.5.1/dist/jquery.min.js", "jquery 3.5.1"],
    ["/npm/jquery@3.5.1", "jquery 3.5.1"],
    ["/jquery/v3.5.1/jquery.js", "jquery 3.5.1"],
    ["/ajax/libs/jqueryui/1.12.1/jquery-ui.min.js", "jquery-ui 1.12.1"],
    ["/ui/1.12.1/jquery-ui.js", "jquery-ui 1.12.1"],
    ["/jquery-ui-1.12.1.custom.min.js", "jquery-ui 1.12.1"],
    ["/jquery-migrate-1.2.1.min.js", "jquery-migrate 1.2.1"],
    ["/mobile/1.4.5/jquery.mobile-1.4.5.min.js", "jquery-mobile 1.4.5"],
    ["/ajax/libs/jquery-validate/1.19.1/jquery.validate.min.js", "jquery-validation 1.19.1"],
    ["/bootstrap/3.3.7/js/bootstrap.min.js", "bootstrap 3.3.7"],
    ["/npm/bootstrap@4.1.0/dist/js/bootstrap.bundle.min.js", "bootstrap 4.1.0"],
    ["/ajax/libs/twitter-bootstrap/4.5.2/js/bootstrap.min.js", "bootstrap 4.5.2"],
    ["/ajax/libs/angularjs/1.8.2/angular.min.js", "angularjs 1.8.2"],
    ["/vue@2.6.12/dist/vue.runtime.global.prod.js", "vue 2.6.12"],
    ["/react@16.4.0/umd/react.production.min.js", "react 16.4.0"],
    ["/react-dom@16.4.0/umd/react-dom.production.min.js", "react-dom 16.4.0"],
    ["/ajax/libs/lodash.js/4.17.20/lodash.core.min.js", "lodash 4.17.20"],
    ["/ajax/libs/underscore.js/1.8.3/underscore-min.js", "underscore.js 1.8.3"],
    ["/moment@2.29.1/min/moment-with-locales.min.js", "moment.js 2.29.1"],
    ["/handlebars.min-v4.7.6.js", "handlebars 4.7.6"],
    ["/handlebars.runtime-v4.7.6.js", "handlebars 4.7.6"],
    ["/ajax/libs/dompurify/2.0.8/purify.min.js", "DOMPurify 2.0.8"],
    ["/ajax/libs/prototype/1.7.1/prototype.js", "prototypejs 1.7.1"],
    ["/ajax/libs/dojo/1.10.4/dojo/dojo.js", "dojo 1.10.4"],
    ["/ajax/libs/tinymce/5.10.2/tinymce.min.js", "tinyMCE 5.10.2"],
    ["/ckeditor5/34.0.0/classic/ckeditor.js", "ckeditor5 34.0.0"],
    ["/ckeditor/4.16.0/ckeditor.js", "ckeditor 4.16.0"],
    ["/axios@0.21.1/dist/axios.min.js", "axios 0.21.1"],
    ["/ajax/libs/Chart.js/2.9.3/Chart.bundle.min.js", "chart.js 2.9.3"],
    ["/ajax/libs/video.js/7.8.4/video.min.js", "video.js 7.8.4"],
    ["/ajax/libs/datatables/1.10.21/js/jquery.dataTables.min.js", "jquery.datatables 1.10.21"],
    ["/yui/3.9.1/yui/yui-min.js", "YUI 3.9.1"],
    ["/knockout-3.4.2.js", "knockout 3.4.2"],
  ])("%s names %s", (path, library) => expect(named(librariesInUrl(`https://cdn.example${path}`))).toEqual([library]));

  test.each([
    ["a plugin of the library", "/jquery.foo-1.2.0.js"],
    ["a plugin with a hyphen", "/jquery-foo-1.2.0.min.js"],
    ["another library of that beginning", "/vue-router-3.0.1.js"],
    ["a part of the library", "/ajax/libs/angularjs/1.8.2/angular-route.min.js"],
    ["another file in the folder of the library", "/jquery/3.5.1/plugins.js"],
    ["the folder of another library", "/bootstrap/3.3.7/js/vendor.js"],
    ["an alias of the latest version", "/npm/jquery@3/dist/jquery.min.js"],
    ["an alias with two components", "/ajax/libs/jquery/1.8/jquery.min.js"],
    ["a range", "/npm/jquery@^3.5.1/dist/jquery.min.js"],
    ["the latest version", "/npm/jquery@latest/dist/jquery.min.js"],
    ["two components in the name", "/jquery-3.5.min.js"],
    ["a version only in the query", "/jquery.min.js?ver=3.5.1"],
    ["an unknown suffix", "/jquery-3.5.1-patched.js"],
    ["no version", "/jquery.min.js"],
    ["another kind of file", "/jquery-3.5.1.css"],
    ["the second edition of AngularJS", "/npm/angular@2.0.1/angular.js"],
    ["a common name", "/video-1.2.3.min.js"],
    ["a folder that is called like a short package name", "/ui-1.2.3.js"],
    ["a version without a library", "/1.2.3/a.js"],
  ])("names nothing: %s", (_words, path) => expect(librariesInUrl(`https://cdn.example${path}`)).toEqual([]));

  test.each(["data:text/javascript,/jquery-3.5.1.js", "blob:https://cdn.example/jquery-3.5.1.js", "jquery-3.5.1.js", ""])(
    "of another form names nothing: %s",
    (url) => expect(librariesInUrl(url)).toEqual([]),
  );

  test.each(["-min", "-3.5.1", "jquery@", "a.", "0a1b2c3d-"])("of a hostile length names nothing: %s", (part) => {
    expect(librariesInUrl(`https://cdn.example/${part.repeat(100_000)}.js`)).toEqual([]);
  });
});

describe("a banner", () => {
  test.each([
    ["/*! jQuery v3.5.1 | (c) JS Foundation and other contributors */", "jquery 3.5.1"],
    ["/*! jQuery v3.5.1 -ajax,-ajax/jsonp | (c) JS Foundation */", "jquery 3.5.1"],
    ["/*! jQuery v1.8.3 jquery.com | jquery.org/license */", "jquery 1.8.3"],
    ["/*! jQuery v@1.8.1 jquery.com | jquery.org/license */", "jquery 1.8.1"],
    ["/*!\r\n * jQuery JavaScript Library v1.4.2\r\n * http://jquery.com/", "jquery 1.4.2"],
    ["/*\n * jQuery 1.2.6 - New Wave Javascript\n", "jquery 1.2.6"],
    ["/*! jQuery Migrate v3.3.2 | (c) OpenJS Foundation", "jquery-migrate 3.3.2"],
    ["/*!\n * jQuery Migrate - v1.2.1 - 2013-05-08\n", "jquery-migrate 1.2.1"],
    ["/*! jQuery UI - v1.12.1 - 2016-09-14\n", "jquery-ui 1.12.1"],
    ["/*!\n * jQuery UI 1.8.16\n *\n * Copyright 2011", "jquery-ui 1.8.16"],
    ["/*!\n * jQuery UI Dialog 1.11.4\n * http://jqueryui.com", "jquery-ui-dialog 1.11.4"],
    ["/*! jQuery Mobile 1.4.5 | Git HEAD", "jquery-mobile 1.4.5"],
    ["/*! jQuery Validation Plugin - v1.19.1 - 6/15/2019\n", "jquery-validation 1.19.1"],
    ["/*!\n  * Bootstrap v4.5.2 (https://getbootstrap.com/)\n", "bootstrap 4.5.2"],
    ["/*!\n * Bootstrap.js v2.3.2 by @fat & @mdo\n", "bootstrap 2.3.2"],
    ["/*\n AngularJS v1.8.2\n (c) 2010-2020 Google LLC.", "angularjs 1.8.2"],
    ["/**\n * @license AngularJS v1.5.0-rc.2\n", "angularjs 1.5.0-rc.2"],
    ["/*!\n * Vue.js v2.6.12\n * (c) 2014-2020 Evan You", "vue 2.6.12"],
    ["/** @license React v16.4.0\n * react.production.min.js\n", "react 16.4.0"],
    ["/** @license React v16.4.0\n * react-dom.production.min.js\n", "react-dom 16.4.0"],
    [
      "/**\n * @license\n * lodash 4.11.1 (Custom Build) lodash.com/license | Underscore.js 1.8.3 underscorejs.org/LICENSE",
      "lodash 4.11.1",
    ],
    ["//     Underscore.js 1.8.3\n//     http://underscorejs.org", "underscore.js 1.8.3"],
    ["//     Backbone.js 1.1.2\n\n", "backbone.js 1.1.2"],
    ["//! moment.js\n//! version : 2.10.6\n", "moment.js 2.10.6"],
    ["/**!\n\n @license\n handlebars v4.7.6\n", "handlebars 4.7.6"],
    ["/*!\n * Knockout JavaScript library v3.4.2\n", "knockout 3.4.2"],
    ["/*  Prototype JavaScript framework, version 1.7.1\n", "prototypejs 1.7.1"],
    [
      "/*!\n * @overview  Ember - JavaScript Application Framework\n * @license\n *  See https://a.example/b\n * @version   2.18.2\n",
      "ember 2.18.2",
    ],
    ["/*! @license DOMPurify 3.0.1 | (c) Cure53", "DOMPurify 3.0.1"],
    ["/*! @license DOMPurify | (c) Cure53 | github.com/cure53/DOMPurify/blob/2.0.8/LICENSE */", "DOMPurify 2.0.8"],
    ["/* axios v0.21.1 | (c) 2020 by Matt Zabriskie */", "axios 0.21.1"],
    ["// Axios v1.2.0 Copyright (c) 2022 Matt Zabriskie", "axios 1.2.0"],
    ["/*! Select2 4.0.7 | https://github.com/select2", "select2 4.0.7"],
    ["/*!\n DataTables 1.10.21\n", "jquery.datatables 1.10.21"],
    ["/*\n Highcharts JS v8.0.0 (2019-12-10)\n\n (c) 2009-2018 Torstein Honsi", "highcharts 8.0.0"],
    ["/*!\n * Chart.js v2.9.3\n * https://www.chartjs.org", "chart.js 2.9.3"],
    ["/**\n * Plupload - multi-runtime File Uploader\n * v2.1.2\n", "plupload 2.1.2"],
    ["/*!\tSWFObject v2.2 <http://code.google.com/p/swfobject/>", "swfobject 2.2"],
    ["/*\nYUI 3.9.1 (build 5852)\n", "YUI 3.9.1"],
    ["/* ------\n\tClass: prettyPhoto\n\tAuthor: A Name (http://www.a.example)\n\tVersion: 3.1.5\n", "jquery.prettyPhoto 3.1.5"],
  ])("%j names %s", (head, library) => expect(named(librariesInHead(head, "https://site.example/app.js"))).toEqual([library]));

  test.each([
    ["a plugin that needs the library", "/*! Requires jQuery v1.9.1 or later */"],
    ["a plugin named after the library", "/*\n * jQuery 1.2+ Menu Plugin v2.0\n */"],
    ["a plugin of the library", "/*! jQuery Cookie Plugin v1.4.1 */"],
    ["a router", "/*!\n * vue-router v3.0.1\n */"],
    ["a package of a single function", "/**\n * lodash 4.0.6 (Custom Build) <https://lodash.com/>\n"],
    [
      "a build of some functions",
      '/**\n * @license\n * lodash 3.6.0 (Custom Build) lodash.com/license | Underscore.js\n * Build: `lodash include="throttle"`',
    ],
    ["a changed copy of a part", "/*\n * jQuery UI Dialog 1.8.16\n * w/ Minimize Support"],
    ["a module of another author", "/**\n * @license Highcharts JS v2.3.3 (2012-11-02)\n *\n * (c) 2012-2014\n * Author: A Name"],
    ["a style sheet in a script", "var style = `\n/*!\n* Quill Editor v1.3.3\n* https://quilljs.com/"],
    ["no banner", "!function(){var e='jQuery v3.5.1 | (c)'}()"],
    ["a version that is none", "/*! jQuery v3.x | (c) */"],
    ["an extension", "/*! Buttons for DataTables 1.6.2\n"],
  ])("names nothing: %s", (_words, head) => expect(librariesInHead(head, "https://site.example/app.js")).toEqual([]));

  test("of a part of AngularJS names nothing", () => {
    expect(librariesInHead("/*\n AngularJS v1.5.0\n", "https://site.example/js/angular-animate.min.js")).toEqual([]);
  });

  test("may follow another one", () => {
    const head = "/*! jQuery v1.12.4 | (c) */\n(function(){})();\n/*!\n * Bootstrap v3.3.7 (http://getbootstrap.com)\n */";
    expect(named(librariesInHead(head, "https://site.example/app.js"))).toEqual(["jquery 1.12.4", "bootstrap 3.3.7"]);
  });
});

describe("the answers of a page", () => {
  const ask = (globals: object) => librariesInAnswers(runInNewContext(versionsExpression, globals));
  const askNamed = (globals: object) => named(ask(globals) ?? ["unread" as never]);

  test.each([
    ["nothing", {}, []],
    ["jQuery", { jQuery: { fn: { jquery: "3.5.1" } } }, ["jquery 3.5.1"]],
    ["slim jQuery", { jQuery: { fn: { jquery: "3.5.1 -ajax,-ajax/jsonp" } } }, ["jquery 3.5.1"]],
    ["jQuery UI", { jQuery: { ui: { version: "1.11.4", dialog: () => {} } } }, ["jquery-ui 1.11.4", "jquery-ui-dialog 1.11.4"]],
    ["Bootstrap as a plugin", { jQuery: { fn: { tooltip: { Constructor: { VERSION: "3.3.7" } } } } }, ["bootstrap 3.3.7"]],
    ["AngularJS", { angular: { version: { full: "1.5.0" } } }, ["angularjs 1.5.0"]],
    ["Angular", { document: { querySelector: () => ({ getAttribute: () => "17.1.0" }) } }, ["@angular/core 17.1.0"]],
    ["Lodash", { _: { VERSION: "4.17.20", runInContext: () => {} } }, ["lodash 4.17.20"]],
    ["Underscore", { _: { VERSION: "1.8.3" } }, ["underscore.js 1.8.3"]],
    ["Dojo", { dojo: { version: { major: 1, minor: 10, patch: 4, flag: "" } } }, ["dojo 1.10.4"]],
    ["TinyMCE", { tinymce: { majorVersion: "4", minorVersion: "9.11" } }, ["tinyMCE 4.9.11"]],
    ["three.js", { THREE: { REVISION: "124" } }, ["threejs 0.124.0"]],
    ["CKEditor 5", { CKEDITOR_VERSION: "34.0.0" }, ["ckeditor5 34.0.0"]],
    ["two", { Vue: { version: "2.6.12" }, React: { version: "16.4.0" } }, ["vue 2.6.12", "react 16.4.0"]],
  ])("with %s", (_words, globals, libraries) => expect(askNamed(globals)).toEqual(libraries));

  const throwing = {
    get fn(): never {
      throw new Error("the page throws");
    },
  };
  test.each([
    ["a getter that throws", { jQuery: throwing }],
    ["a number", { Vue: { version: 2 } }],
    ["an object that turns into a text", { Vue: { version: { toString: () => "2.6.12" } } }],
    ["an element with that name", { Vue: { version: { tagName: "INPUT" } } }],
    ["an endless text", { Vue: { version: "2".repeat(1_000_000) } }],
    ["markup", { Vue: { version: "<b>2.6.12</b>" } }],
    ["an alias", { Vue: { version: "latest" } }],
    ["one component", { Vue: { version: "2" } }],
  ])("without a library: %s", (_words, globals) => expect(ask(globals)).toEqual([]));

  test("of a wrong form are not read", () => {
    expect([null, 1, "", "2.6.12", "\n".repeat(10_000), { length: 1 }].map(librariesInAnswers)).toEqual(Array(6).fill(null));
    expect(ask({ Vue: { version: "2.6.12\n2.6.13" } })).toBeNull();
  });
});
