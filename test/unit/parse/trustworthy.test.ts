/** URLs that need no encryption, because they never leave the machine. */
import { expect, test } from "vitest";
import { isInsecureUrl, isLoopbackUrl } from "../../../src/parse/trustworthy.ts";

test.each([
  "http://localhost/",
  "http://LOCALHOST.:80/a",
  "ws://a.b.localhost/",
  "http://127.0.0.1:8080/",
  "http://127.1/",
  "http://[::1]/",
])("%s stays on the machine", (url) => {
  expect(isLoopbackUrl(url)).toBe(true);
  expect(isInsecureUrl(url)).toBe(false);
});

test.each([
  "http://localhost.example/",
  "http://notlocalhost/",
  "http://128.0.0.1/",
  "http://[::2]/",
  "http://127.0.0.1.example/",
  "HTTP://10.0.0.1/",
])("%s crosses a network", (url) => {
  expect(isLoopbackUrl(url)).toBe(false);
  expect(isInsecureUrl(url)).toBe(true);
});

test("https and text without a host are not insecure", () => {
  expect(["https://site.example/", "mailto:a@b", ""].map(isInsecureUrl)).toEqual([false, false, false]);
});
