/** URLs as paths of files: relative, never empty, and without what would make a scheme. */
import { describe, expect, test } from "vitest";
import { anchorPath, locationPath } from "../../../src/export/exported-report.ts";

test.each([
  ["https://www.example.org/shop", "www.example.org/shop"],
  ["https://www.example.org/shop?id=1", "www.example.org/shop"],
  ["https://www.example.org", "www.example.org/"],
  ["http://localhost:8443/", "localhost_8443/"],
  ["https://[2001:db8::1]:8443/a", "_2001_db8__1__8443/a"],
  ["https://[::1]/", "___1_/"],
  ["https://192.0.2.1/a/b.html", "192.0.2.1/a/b.html"],
  ["https://example.org//a//b", "example.org//a//b"],
  ["https://example.org/../../etc", "example.org/etc"],
  ["https://example.org/a:b@c;d=e", "example.org/a:b@c;d=e"],
  ["https://example.org/%zz%41|[x]^", "example.org/%25zz%41%7C%5Bx%5D%5E"],
  ["https://m\u00fcnchen.example/stra\u00dfe", "xn--mnchen-3ya.example/stra%C3%9Fe"],
  ["no URL", "no_URL/"],
  ["", "_/"],
])("%s is %s", (url, path) => {
  expect(locationPath(url)).toBe(path);
});

describe("a file of the repository", () => {
  test.each([
    ["deploy/nginx.conf", "deploy/nginx.conf"],
    ["./deploy/nginx.conf", "deploy/nginx.conf"],
    ["/deploy//nginx.conf", "deploy/nginx.conf"],
    ["deploy\\nginx.conf", "deploy/nginx.conf"],
    ["C:/a b#c", "C%3A/a%20b%23c"],
  ])("%s is %s", (file, path) => expect(anchorPath(file)).toBe(path));

  test.each(["", ".", "/", "../nginx.conf", "a/../../b"])("%j is none", (file) => expect(anchorPath(file)).toBeNull());
});
