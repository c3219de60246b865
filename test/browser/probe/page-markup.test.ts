/** Forms, generator, icons and outline of documents, as the real browser built them, and our limits on them. */
import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { inlineCodeCharsMax, inlineElementsMax, inlineHashesMax, urlCharsMax } from "../../../src/evidence/limits.ts";
import { directoryListingOf } from "../../../src/parse/directory-listing.ts";
import type { OpenDocument } from "../../../src/probe/browser/page-document.ts";
import { probeMarkup } from "../../../src/probe/browser/page-dom.ts";
import { siteIdentity } from "../../support/certificates.ts";
import { cleanUp, keep } from "../../support/clean-up.ts";
import { egressTo, startHttps } from "../../support/servers.ts";
import { openTestBrowser, type TestBrowser } from "../../support/test-browser.ts";
import { factsOf, patientDeadlines, visit } from "../../support/visits.ts";

let browser: TestBrowser;
beforeAll(() => {
  browser = openTestBrowser();
});
afterEach(cleanUp);
afterAll(() => browser.stop());

async function markupOf(body: string, path = "/") {
  const server = keep(await startHttps(siteIdentity("site.test"), { [path]: { body } }));
  const readings = await visit(browser, `https://site.test${path}`, {
    egress: egressTo({ "site.test:443": server }),
    deadlines: patientDeadlines,
  });
  return factsOf(readings, "markup");
}

describe("inline code", () => {
  test("is counted, and hashed as policies spell it; blocks of data are none", async () => {
    const { inlineCode } = await markupOf(
      `<script>1</script><script type=module>2</script><script type=application/json>{}</script><script src=/x.js></script>
       <style>p { color: red }</style><p style="margin: 0" onclick="a()" onmouseover="b()">text</p>`,
    );
    const { hashes = [], ...numbers } = inlineCode ?? {};
    expect(numbers).toEqual({ scripts: 2, styles: 1, handlers: 2, styleAttributes: 1 });
    expect(hashes.map(({ kind }) => kind)).toEqual(["script", "script", "style", "handler", "handler"]);
    expect(hashes[0]?.hash).toBe(`sha256-${createHash("sha256").update("1").digest("base64")}`);
  });

  test("has no hash if it is long, and some hashes if there is much of it", async () => {
    const long = `<script>/*${"x".repeat(inlineCodeCharsMax)}*/</script>`;
    expect((await markupOf(long)).inlineCode).toMatchObject({ scripts: 1, hashes: [] });
    const { inlineCode } = await markupOf("<script>1</script>".repeat(5_000));
    expect([inlineCode?.scripts, inlineCode?.hashes.length]).toEqual([5_000, inlineHashesMax]);
  });

  test("is not looked for in a document of too many elements", async () => {
    const { inlineCode, outline } = await markupOf(`<h1>Long</h1>${"<i></i>".repeat(inlineElementsMax)}`);
    expect([inlineCode, outline.heading]).toEqual([undefined, "Long"]);
  });
});

describe("forms", () => {
  test("have the buttons that replace their action, wherever they stand", async () => {
    const { formActions, formActionsDropped } = await markupOf(
      `<form id=f action=/in method=post><button formaction="http://plain.test/b">b</button><input type=SUBMIT formaction=/c formmethod=GET>
       <input type=image formaction="//other.test/d"><button type=button formaction="http://plain.test/no">no</button>
       <button type=reset formaction="http://plain.test/no">no</button><input type=text formaction="http://plain.test/no"></form>
       <button form=f formaction="http://plain.test/e" formmethod=dialog>e</button><button formaction="http://plain.test/no">no form</button>`,
    );
    expect(formActions).toEqual([
      { action: "http://plain.test/b", method: "post" },
      { action: "https://site.test/c", method: "get" },
      { action: "https://other.test/d", method: "post" },
      { action: "http://plain.test/e", method: "dialog" },
    ]);
    expect(formActionsDropped).toBe(0);
  });

  test("have their password fields, if browsers would send them", async () => {
    const { passwordFields, passwordForms } = await markupOf(
      `<form action=/in><input type=password name=p><button formmethod=post>in</button></form>
       <form method=Post><input type=PASSWORD name=p></form><form><input type=password></form>
       <form><input type=password name=p disabled></form><form><fieldset disabled><input type=password name=p></fieldset></form>
       <form><input name=password></form><input type=password name=p>`,
    );
    expect(passwordFields).toBe(6);
    expect(passwordForms).toEqual([
      { action: "https://site.test/in", method: null, submitters: [{ action: null, method: "post" }] },
      { action: null, method: "post", submitters: [] },
    ]);
  });

  test("cannot hide behind named elements", async () => {
    const { passwordForms, formActions } = await markupOf(
      `<form method=post><input name=method><input name=action><input name=elements><input name=getAttribute>
       <input type=password name=form><button name=querySelectorAll formaction="http://plain.test/">in</button></form>
       <img name=querySelectorAll><script>HTMLButtonElement.prototype.__defineGetter__("form", () => null)</script>`,
    );
    expect(passwordForms).toEqual([{ action: null, method: "post", submitters: [{ action: "http://plain.test/", method: null }] }]);
    expect(formActions).toEqual([{ action: "http://plain.test/", method: "post" }]);
  });
});

test("a form whose field is called localName does not keep the document from being read", async () => {
  const { outline } = await markupOf("<form><input name=localName></form><h1>x</h1>");
  expect(outline.bodyElements).toEqual(["form", "h1"]);
});

test("a document has its generators and icons", async () => {
  const { generators, icons } = await markupOf(
    `<meta name=Generator content="WordPress 6.4.2"><meta name=generator><meta property=generator content=no>
     <link rel="shortcut ICON" href=/f.ico><link rel=icon href="data:,x"><link rel=apple-touch-icon href=/no.png><link rel=icon>`,
  );
  expect(generators).toEqual(["WordPress 6.4.2", ""]);
  expect(icons).toEqual(["https://site.test/f.ico", "data:,x"]);
});

test("numbers are limited and the rest is counted", async () => {
  const form = "<form><input type=password name=p><button formaction=/x>x</button></form>";
  const facts = await markupOf(`${"<meta name=generator content=a>".repeat(7)}${form.repeat(120)}${"<a href=/x>x</a>".repeat(50)}`);
  expect([facts.formActions.length, facts.formActionsDropped]).toEqual([100, 20]);
  expect([facts.passwordFields, facts.passwordForms.length, facts.passwordFormsDropped]).toEqual([120, 20, 100]);
  expect([facts.generators.length, facts.generatorsDropped]).toEqual([5, 2]);
  expect(facts.outline.links).toHaveLength(16);
});

describe("a listing of files is recognised as the server wrote it", () => {
  const nginx = `<html>\r\n<head><title>Index of /files/</title></head>\r\n<body>\r\n<h1>Index of /files/</h1><hr><pre><a href="../">../</a>\r\n<a href="sub/">sub/</a>                22-Nov-2026 07:00       -\r\n<a href="a%20b.txt">a b.txt</a>              22-Nov-2026 07:00      12\r\n</pre><hr></body>\r\n</html>\r\n`;
  const apacheHead = `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">\n<html>\n <head>\n  <title>Index of /files</title>\n </head>\n <body>\n<h1>Index of /files</h1>\n`;
  const apacheTable = `${apacheHead}  <table>\n   <tr><th valign="top"><img src="/icons/blank.gif" alt="[ICO]"></th><th><a href="?C=N;O=D">Name</a></th><th><a href="?C=M;O=A">Last modified</a></th><th><a href="?C=S;O=A">Size</a></th><th><a href="?C=D;O=A">Description</a></th></tr>\n   <tr><th colspan="5"><hr></th></tr>\n<tr><td valign="top"><img src="/icons/text.gif" alt="[TXT]"></td><td><a href="a.txt">a.txt</a></td><td align="right">2026-11-22 07:00  </td><td align="right"> 12 </td><td>&nbsp;</td></tr>\n   <tr><th colspan="5"><hr></th></tr>\n</table>\n<address>Apache/2.4.57 (Debian) Server at site.test Port 443</address>\n</body></html>\n`;
  const apachePre = `${apacheHead}<pre><img src="/icons/blank.gif" alt="Icon "> <a href="?C=N;O=D">Name</a>  <a href="?C=M;O=A">Last modified</a><hr><img src="/icons/text.gif" alt="[TXT]"> <a href="a.txt">a.txt</a>   2026-11-22 07:00\n<hr></pre>\n</body></html>\n`;
  const apacheList = `${apacheHead}<ul><li><a href="/"> Parent Directory</a></li>\n<li><a href="a%20b.txt"> a b.txt</a></li>\n</ul>\n</body></html>\n`;
  const caddy = `<!DOCTYPE html>\n<html>\n\t<head>\n\t\t<title>files</title>\n</head>\n<body onload='initPage()'>\n<header><h1><a href="../">/</a><a href="">files</a>/</h1></header><main><div class="listing"><table aria-describedby="summary"><thead><tr><th></th><th><a href="?sort=namedirfirst&order=desc" class="icon"></a><a href="?sort=name&order=asc">Name</a></th></tr></thead><tbody><tr class="file"><td><a href="./a.txt"><span class="name">a.txt</span></a></td></tr></tbody></table></div></main><footer>Served with <a rel="noopener noreferrer" href="https://caddyserver.com">Caddy</a></footer><script>function initPage() {}</script></body></html>`;
  const iis = `<html><head><title>site.test - /files/</title></head><body><H1>site.test - /files/</H1><hr>\r\n\r\n<pre><A HREF="/">[To Parent Directory]</A><br><br>11/22/2026  7:00 AM        &lt;dir&gt; <A HREF="/files/sub/">sub</A><br>11/22/2026  7:00 AM           12 <A HREF="/files/a%20b.txt">a b.txt</A><br></pre><hr></body></html>`;
  const pages: readonly (readonly [string, string, string | null])[] = [
    ["nginx", nginx, "nginx"],
    ["Apache with a table", apacheTable, "Apache"],
    ["Apache with preformatted text", apachePre, "Apache"],
    ["Apache with a plain list", apacheList, "Apache"],
    ["Caddy", caddy, "Caddy"],
    ["IIS", iis, "IIS"],
    [
      "an article with such a title",
      `<title>Index of /files/</title><h1>Index of /files/</h1><p>How to switch it off</p><pre><a href="../">../</a></pre>`,
      null,
    ],
    ["an ordinary list", `<title>Index of /topics</title><h1>Index of /topics</h1><ul><li><a href=a.html>Alpha</a></li></ul>`, null],
  ];
  test.each(pages)("%s", async (_words, body, server) => {
    expect(directoryListingOf((await markupOf(body, "/files/")).outline)).toBe(server as never);
  });
});

describe("a compromised renderer", () => {
  const link = { href: "", text: "" };
  const outline = { title: "", heading: "", bodyElements: [], links: [], lastLink: null };
  const empty = { formActions: [], passwordForms: [], generators: [], icons: [], outline };
  const document = (value: unknown): OpenDocument => {
    const session = { send: async () => ({ result: { value } }) } as unknown as OpenDocument["session"];
    return { session, contextId: 1 };
  };
  const read = (value: object) => probeMarkup(document({ ...empty, ...value }), 1_000);
  const endless = "x".repeat(100_000);

  test("has its texts, lists and numbers limited", async () => {
    const facts = await read({
      formActions: Array.from({ length: 500 }, () => ({ action: endless, method: endless })),
      passwordFields: endless,
      passwordForms: [{ action: endless, method: null, submitters: Array.from({ length: 99 }, () => ({ action: null, method: endless })) }],
      generators: [endless],
      icons: Array.from({ length: 99 }, () => endless),
      outline: {
        ...outline,
        title: endless,
        bodyElements: Array.from({ length: 99 }, () => "p"),
        links: [{ href: endless, text: endless }],
        lastLink: link,
      },
    });
    expect(facts.formActions).toHaveLength(100);
    expect([facts.formActions[0]?.action.length, facts.formActions[0]?.method.length]).toEqual([urlCharsMax, 200]);
    expect([facts.passwordFields, facts.passwordFormsDropped]).toEqual([0, 0]);
    expect(facts.passwordForms[0]?.submitters).toHaveLength(10);
    expect([facts.generators[0]?.length, facts.icons.length, facts.icons[0]?.length]).toEqual([200, 10, urlCharsMax]);
    expect([facts.outline.title.length, facts.outline.bodyElements.length, facts.outline.links[0]?.text.length]).toEqual([200, 8, 200]);
  });

  test("has a wrong structure rejected", async () => {
    await expect(read({ outline: null })).rejects.toThrow(TypeError);
    await expect(read({ passwordForms: [{}] })).rejects.toThrow(TypeError);
  });
});
