/** Compares the verdict on framing with the browser: another site frames the page under each set of headers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import check from "../../checks/x-frame-options.ts";
import type { AnyCheck } from "../../src/check/registry.ts";
import { judgeEvidence } from "../../src/judge/ledger.ts";
import { siteIdentity } from "../support/certificates.ts";
import { evidence } from "../support/evidence.ts";
import { startHttps, type TestServer } from "../support/servers.ts";
import { openTab, type Tab } from "./tab.ts";

interface FramingCase {
  readonly options?: readonly string[];
  readonly csp?: readonly string[];
  readonly meta?: string;
  readonly reportOnly?: string;
}

const cases: readonly FramingCase[] = [
  {},
  ...["DENY", "SAMEORIGIN", "sameOrigin", " DENY ", "ALLOW-FROM https://outer.test", "ALLOWALL", "DENY;", '"DENY"', ""].map((value) => ({
    options: [value],
  })),
  ...["SAMEORIGIN, DENY", "SAMEORIGIN, SAMEORIGIN", "DENY, junk", "junk, rubbish", "SAMEORIGIN, ALLOWALL", "DENY,", '"DENY, junk"'].map(
    (value) => ({ options: [value] }),
  ),
  { options: ["DENY", "junk"] },
  { options: ["junk", "rubbish"] },
  ...[
    "frame-ancestors 'none'",
    "frame-ancestors 'self'",
    "frame-ancestors",
    "frame-ancestors *",
    "frame-ancestors https:",
    "frame-ancestors http:",
    "frame-ancestors https://*",
    "frame-ancestors http://*:80",
    "frame-ancestors *:*",
    "frame-ancestors 'none' *",
    "frame-ancestors none",
    "frame-ancestors self",
    "frame-ancestors data: wss:",
    "frame-ancestors 'unsafe-inline' 'nonce-cmFuZG9t'",
    "frame-ancestors https://partner.example",
    "FRAME-ANCESTORS 'SELF'",
    "frame-ancestors 'self'; frame-ancestors *",
    "frame-ancestors *; frame-ancestors 'self'",
    "frame-ancestors *, frame-ancestors 'self'",
    "default-src 'none'",
    "frame-ancestor 'none'",
  ].map((value) => ({ csp: [value] })),
  { csp: ["frame-ancestors *", "frame-ancestors 'none'"] },
  { options: ["DENY"], csp: ["frame-ancestors *"] },
  { options: ["DENY"], csp: ["default-src 'self'"] },
  { options: ["ALLOW-FROM https://outer.test"], csp: ["frame-ancestors 'self'"] },
  { options: ["DENY"], reportOnly: "frame-ancestors *" },
  { reportOnly: "frame-ancestors 'none'" },
  { meta: "frame-ancestors 'none'" },
];

function headersOf({ options, csp, reportOnly }: FramingCase): Record<string, readonly string[]> {
  return {
    ...(options === undefined ? {} : { "x-frame-options": options }),
    ...(csp === undefined ? {} : { "content-security-policy": csp }),
    ...(reportOnly === undefined ? {} : { "content-security-policy-report-only": [reportOnly] }),
  };
}

/** Whether other sites can frame the page, by the check's verdict. */
function predictFraming(framingCase: FramingCase): boolean {
  const metas =
    framingCase.meta === undefined
      ? []
      : [{ httpEquiv: "content-security-policy", name: null, content: framingCase.meta, truncated: false }];
  // Browsers trim the blanks around a value before the page probe reads it.
  const headers = Object.fromEntries(
    Object.entries(headersOf(framingCase)).map(([name, values]) => [name, values.map((value) => value.trim())]),
  );
  const catalog = { checks: [check as unknown as AnyCheck], version: "test" };
  const { ledger } = judgeEvidence(evidence({ url: "https://site.test/", headers, dom: { metas } }), catalog, (_key, fault) =>
    expect(fault).toBe(""),
  );
  return ledger[0]?.state === "violated";
}

describe("another site frames the page", () => {
  const identity = siteIdentity("site.test", { names: ["*.test"] });
  let server: TestServer;
  let tab: Tab;
  let current: FramingCase = {};
  let id = 0;

  beforeAll(async () => {
    server = await startHttps(identity, {
      "/outer": (_request, response) => {
        response.setHeader("content-type", "text/html");
        response.end(`<!doctype html><iframe src="https://site.test/framed?${id}"></iframe>`);
      },
      "/framed": (_request, response) => {
        response.setHeader("content-type", "text/html");
        for (const [name, values] of Object.entries(headersOf(current))) response.setHeader(name, values);
        const head = current.meta === undefined ? "" : `<meta http-equiv="Content-Security-Policy" content="${current.meta}">`;
        response.end(`<!doctype html>${head}<p id=shown>framed</p>`);
      },
    });
    tab = await openTab({ "site.test:443": server, "outer.test:443": server });
  });

  afterAll(async () => {
    await tab?.close();
    await server?.stop();
  });

  /** For a blocked page, the frame contains an error page of the browser. */
  async function isFramed(next: FramingCase): Promise<boolean> {
    current = next;
    id++;
    await tab.load("https://outer.test/outer");
    const { frameTree } = await tab.session.send("Page.getFrameTree");
    const [child] = frameTree.childFrames ?? [];
    return child?.frame.url === `https://site.test/framed?${id}`;
  }

  test.each(cases.map((each) => [JSON.stringify(each), each] as const))("%s", async (_name, each) => {
    expect(await isFramed(each)).toBe(predictFraming(each));
  });
});
