/** Redacted and kept parts of evidence, and the time for hostile texts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundedHeaders, withoutSecrets } from "../../../src/evidence/redact.ts";
import { cpuMs } from "../../support/cpu-time.ts";

describe("withoutSecrets", () => {
  test.each([
    ["https://a.test/?token=abc123", "https://a.test/?token=***"],
    ["https://a.test/?a=1&access_token=abc123&b=2", "https://a.test/?a=1&access_token=***&b=2"],
    ["https://a.test/cb#id_token=ey.J.x&state=xyz", "https://a.test/cb#id_token=***&state=***"],
    ["https://a.test/i.jsp;jsessionid=0A1B2C?x=1", "https://a.test/i.jsp;jsessionid=***"],
    ["/login?code=4711&resetKey=abcdef", "/login?code=***&resetKey=***"],
    ["https://s3.test/o?X-Amz-Credential=AK%2F1&X-Amz-Signature=abcd", "https://s3.test/o?X-Amz-Credential=***&X-Amz-Signature=***"],
    ["https://b.test/c?sv=1&sig=a%2Bb", "https://b.test/c?sv=1&sig=***"],
    ["https://a.test/?user[password]=hunter2&auth=abc", "https://a.test/?user[password]=***&auth=***"],
    ["https://u:p@ss@a.test/", "https://***@a.test/"],
    ["//user:pass@a.test/x", "//***@a.test/x"],
    ["<https://a.test/x?sid=12345>; rel=preload", "<https://a.test/x?sid=***>; rel=preload"],
    ["default-src 'self'; report-uri https://r.test/?api_key=abcdef", "default-src 'self'; report-uri https://r.test/?api_key=***"],
    ["0;url=https://a.test/?pwd=secret1", "0;url=https://a.test/?pwd=***"],
  ])("%s", (text, kept) => {
    expect(withoutSecrets({ deep: [{ text }] })).toEqual({ deep: [{ text: kept }] });
  });

  test.each([
    "https://a.test/?keyword=shoes&design=4711&author=bob&page=200",
    "https://cdn.test/npm/@scope/pkg@1.2.3/x.js?v=123456",
    "max-age=31536000;includeSubDomains;preload",
    "text/html;charset=utf-8",
    "sha384-abcdef==",
    "mailto:security@a.test",
    "v=DMARC1; p=reject; rua=https://a.test,mailto:reports@a.test",
    "https://a.test/?token=&key=1",
  ])("does not change %s", (text) => {
    expect(withoutSecrets({ text })).toEqual({ text });
  });

  test("replaces the complete value of a secret field", () => {
    const headers = ["X-CSRF-Token", "x-api-key", "Set-Cookie2", "Content-Type"].map((name) => ({
      name,
      value: "whatever",
      truncated: false,
    }));
    expect(withoutSecrets(headers).map(({ value }) => value)).toEqual(["***", "***", "***", "whatever"]);
  });

  test("never makes a text longer", () => {
    const pieces = fc.constantFrom("?", "&", "#", ";", "=", "token", "key", "a", "abc", "://", "//", "https", "@", ":", " ");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join("");
        expect(withoutSecrets(text).length).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  test.each(["a.", "a://", "?a", "?a=", "&token=", "https://", "//a@", "@=", ";", "?tokentoken", "?a=token", "&keykeykey="])(
    "redacts 100 KB of %s in little time",
    (piece) => {
      const text = piece.repeat(Math.ceil(100_000 / piece.length));
      const fromMs = cpuMs();
      withoutSecrets({ text: `${text}@=` });
      expect(cpuMs() - fromMs).toBeLessThan(2_000);
    },
  );
});

describe("boundedHeaders", () => {
  test("removes cookie values and keeps all attributes", () => {
    const { headers } = boundedHeaders([["set-Cookie", `sid=${"x".repeat(4_000)}; Path=/; Secure`]]);
    expect(headers).toEqual([{ name: "set-Cookie", value: "sid=<redacted>; Path=/; Secure", truncated: false }]);
  });
});
