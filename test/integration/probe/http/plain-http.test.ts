/** Plain HTTP probe against real servers before and after a redirect. */

import { describe, expect, test } from "vitest";
import { headerValueCharsMax, hopsMax } from "../../../../src/evidence/limits.ts";
import { probePlainHttp } from "../../../../src/probe/http/http.ts";
import { siteIdentity } from "../../../support/certificates.ts";
import { keep } from "../../../support/clean-up.ts";
import { portWithoutListener } from "../../../support/ports.ts";
import { contextOf } from "../../../support/probe-context.ts";
import { type Routes, startHttp, startHttps, startTcp } from "../../../support/servers.ts";

const chain = (facts: { answers: readonly { url: string; status: number }[] }) =>
  facts.answers.map(({ status, url }) => `${status} ${url}`);

async function probe(plainRoutes: Routes, secureRoutes: Routes = {}, url = "https://site.test/") {
  const plain = keep(await startHttp(plainRoutes));
  const secure = keep(await startHttps(siteIdentity("site.test"), secureRoutes));
  const reading = await probePlainHttp(contextOf(url, { "site.test:80": plain, "site.test:443": secure, "www.site.test:80": plain }));
  if (reading.status === "failed") throw new Error(reading.because);
  return { ...reading.facts, plain, secure };
}

describe("answers", () => {
  test("a redirect to https, requested with the scanned path and query", async () => {
    const route = { status: 301, headers: { location: "https://site.test/a/b?c=d", "X-Twice": ["1", "2"] } };
    const facts = await probe({ "/a/b": route }, { "/a/b": { body: "secure" } }, "https://site.test/a/b?c=d#e");
    expect(facts.outcome).toBe("answered");
    expect(chain(facts)).toEqual(["301 http://site.test/a/b?c=d", "200 https://site.test/a/b?c=d"]);
    expect(facts.stoppedBecause).toBeNull();
    expect(facts.answers[0]?.headers.filter(({ name }) => name.toLowerCase() === "x-twice").map(({ value }) => value)).toEqual(["1", "2"]);
    expect(facts.plain.requests.map(({ path }) => path)).toEqual(["/a/b?c=d"]);
  });

  test("a page over plain http, without waiting for its body", async () => {
    const facts = await probe({ "/": (_request, response) => void response.writeHead(200).write("never ends") });
    expect(chain(facts)).toEqual(["200 http://site.test/"]);
  });

  test("a relative redirect, then one to another host", async () => {
    const facts = await probe({
      "/": { status: 302, headers: { location: "b?x#y" } },
      "/b": { status: 307, headers: { location: "//www.site.test/c" } },
      "/c": {},
    });
    expect(chain(facts)).toEqual(["302 http://site.test/", "307 http://site.test/b?x", "200 http://www.site.test/c"]);
  });

  test("an error", async () => expect(chain(await probe({ "/": { status: 503 } }))).toEqual(["503 http://site.test/"]));
  test("a 304 with a location is not a redirect", async () => {
    expect(chain(await probe({ "/": { status: 304, headers: { location: "/b" } } }))).toEqual(["304 http://site.test/"]);
  });
  test("a redirect without a location is not a redirect", async () => {
    const facts = await probe({ "/": { status: 301 } });
    expect(facts).toMatchObject({ stoppedBecause: null, answers: [{ status: 301 }] });
  });

  test("a location longer than a header in evidence is followed completely", async () => {
    const path = `/${"x".repeat(headerValueCharsMax)}`;
    const facts = await probe({ "/": { status: 301, headers: { location: path } }, [path]: {} });
    expect(chain(facts)).toEqual(["301 http://site.test/", `200 http://site.test${path}`]);
  });
});

describe("incomplete chains", () => {
  test("endless redirects", async () => {
    const facts = await probe({ "*": { status: 301, headers: { location: "/" } } });
    expect(facts.stoppedBecause).toBe("too-many-hops");
    expect(facts.answers).toHaveLength(hopsMax);
  });

  test.each(["ftp://site.test/", "javascript:alert(1)", "http://", "http://site.test:99999/", `/${"x".repeat(3_000)}`])(
    "to %s",
    async (location) => {
      expect(await probe({ "/": { status: 301, headers: { location } } })).toMatchObject({
        stoppedBecause: "bad-location",
        answers: [{ status: 301 }],
      });
    },
  );

  test("to a closed port or a blocked address", async () => {
    for (const location of ["http://site.test:81/", "http://169.254.169.254/", "http://10.0.0.1/"]) {
      expect(await probe({ "/": { status: 301, headers: { location } } })).toMatchObject({
        stoppedBecause: "connection-failed",
        answers: [{ status: 301 }],
      });
    }
  });
});

describe("without an answer", () => {
  test("refused", async () => {
    const reading = await probePlainHttp(contextOf("https://site.test/", { "site.test:80": { port: portWithoutListener() } }));
    expect(reading).toEqual({ status: "read", facts: { outcome: "refused", answers: [], stoppedBecause: null } });
  });

  test.each(["http://site.test:8080/", "https://site.test:8443/"])("not requested for %s", async (url) => {
    expect(await probePlainHttp(contextOf(url, {}))).toMatchObject({ facts: { outcome: "custom-port", answers: [] } });
  });

  test.each([
    ["silence", () => {}, "timeout", 300],
    ["another protocol", (socket: { end(text: string): unknown }) => void socket.end("SSH-2.0-x\r\n"), "invalid", 5_000],
    ["a closed connection", (socket: { destroy(): unknown }) => void socket.destroy(), "unreachable", 5_000],
  ] as const)("%s", async (_words, onConnection, because, deadlineMs) => {
    const server = keep(await startTcp(onConnection as never));
    expect(await probePlainHttp(contextOf("https://site.test/", { "site.test:80": server }, deadlineMs))).toEqual({
      status: "failed",
      because,
    });
  });
});
