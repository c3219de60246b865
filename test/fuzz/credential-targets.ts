/** Fuzz targets for files of a scan's caller: credentials for pages behind a sign-in, and sitemaps. */
import * as credentialFiles from "../../src/parse/credential-files.ts";
import * as sitemap from "../../src/parse/sitemap.ts";
import type { FuzzTarget } from "./target.ts";

/** Stands for every value of a file. */
const secret = "s3cr3t";
const locationsMax = 5;

export const credentialTargets: readonly FuzzTarget[] = [
  {
    name: "cookie-file",
    tokens: [
      "\t",
      "\n",
      "\r\n",
      "#",
      "#HttpOnly_",
      "TRUE",
      "FALSE",
      "0",
      "-1",
      "1893456000",
      "/",
      ".site.example",
      "[::1]",
      "sid",
      secret,
      ";",
    ],
    samples: [
      `# Netscape HTTP Cookie File\n#HttpOnly_.site.example\tTRUE\t/\tTRUE\t0\tsid\t${secret}\nsite.example\tFALSE\t/app\tFALSE\t1893456000\ta\tb\n`,
    ],
    heads: [`site.example\tFALSE\t/\tTRUE\t0\tsid\t`],
    functions: {
      parseCookieFile: credentialFiles.parseCookieFile,
      isCookieOfHost: (text) => cookiesIn(text).map((cookie) => credentialFiles.isCookieOfHost(cookie, "www.site.example", 1_800_000_000)),
      cookiePathMatches: (text) => credentialFiles.cookiePathMatches(text, `/app${text}`),
    },
    properties: {
      "a fault names a line of the file and quotes none": (text) => isSilentFault(credentialFiles.parseCookieFile(text), text),
      "a cookie fits into one field": (text) => cookiesIn(text).every(({ name, value }) => isFieldValue(`${name}=${value}`)),
    },
  },
  {
    name: "header-file",
    tokens: ["Authorization", "Host", "X-Key", ":", ": ", " ", "\t", "\n", "\r", "#", secret, "Bearer ", "\u0000", "\u00e9"],
    samples: [`# of the test system\nAuthorization: Bearer ${secret}\nX-Key: ${secret}\n`],
    heads: [`X-Key: ${secret}`],
    functions: { parseHeaderFile: credentialFiles.parseHeaderFile },
    properties: {
      "a fault names a line of the file and quotes none": (text) => isSilentFault(credentialFiles.parseHeaderFile(text), text),
      "each field can be sent": (text) => {
        const parsed = credentialFiles.parseHeaderFile(text);
        if (!("headers" in parsed)) return true;
        return parsed.headers.every(({ name, value }) => new Headers([[name, value]]).has(name) && isFieldValue(value));
      },
    },
  },
  {
    name: "sitemap",
    tokens: [
      "<urlset>",
      "</urlset>",
      "<sitemapindex>",
      "<url>",
      "</url>",
      "<loc>",
      "</loc>",
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "<?",
      "?>",
      "&amp;",
    ].concat(["&#x41;", "&#0;", "<!DOCTYPE a [", "<!ENTITY", "xmlns:a='b'", "<a:loc/>", "https://site.example/", '"', ">", "/>", "\n"]),
    samples: [
      `<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://site.example/?a=1&amp;b=2</loc></url></urlset>`,
      "<sitemapindex><sitemap><loc><![CDATA[https://site.example/a.xml]]></loc></sitemap></sitemapindex>",
    ],
    heads: ["<urlset>", "<urlset><url><loc>", "<!--", "<urlset a='", "<![CDATA["],
    functions: { parseSitemap: (text) => sitemap.parseSitemap(text, locationsMax) },
    properties: {
      "there are at most as many locations as asked for": (text) => {
        const parsed = sitemap.parseSitemap(text, locationsMax);
        return "fault" in parsed || parsed.locations.length <= locationsMax;
      },
      "the locations are no longer than the file": (text) => {
        const parsed = sitemap.parseSitemap(text, locationsMax);
        return "fault" in parsed || parsed.locations.join("").length <= text.length;
      },
    },
  },
];

function cookiesIn(text: string): readonly credentialFiles.GivenCookie[] {
  const parsed = credentialFiles.parseCookieFile(text);
  return "cookies" in parsed ? parsed.cookies : [];
}

function isSilentFault(parsed: object | credentialFiles.LineFault, text: string): boolean {
  if (!("line" in parsed)) return true;
  return !parsed.reason.includes(secret) && parsed.line >= 1 && parsed.line <= text.split("\n").length;
}

/** RFC 9110 section 5.5, in ASCII. */
function isFieldValue(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text);
}
