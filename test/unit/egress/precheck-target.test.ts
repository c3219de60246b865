/** SSRF precheck of a URL in the form, before any DNS query. */
import { describe, expect, test } from "vitest";
import { createTargetPrecheck } from "../../../src/egress/precheck-target.ts";
import { egressSettings } from "../../support/egress-settings.ts";

const internet = createTargetPrecheck(egressSettings({ profile: "internet", ownEndpoints: [{ address: "203.0.113.7", port: 443 }] }));
const internal = createTargetPrecheck(
  egressSettings({ profile: "internal", allowPorts: "any", ownEndpoints: [{ address: "127.0.0.1", port: 8787 }] }),
);
const mapped = createTargetPrecheck(
  egressSettings({ connectTo: [{ host: "site.test", port: 8443, address: "127.0.0.1", addressPort: 4711 }], allowPorts: [8080] }),
);

describe("the precheck", () => {
  test.each([
    ["http://10.0.0.1/", false],
    ["http://[::1]/", false],
    ["http://[::ffff:10.0.0.1]/", false],
    ["http://169.254.169.254/", false],
    ["https://example.org:8443/", false],
    ["https://203.0.113.7/", false],
    ["https://8.8.8.8/", true],
    ["https://example.org/", true],
    ["https://localhost/", true],
  ])("in profile internet, %s: %s", (url, open) => expect(internet(url)).toBe(open));

  test.each([
    ["http://10.0.0.1:3000/", true],
    ["http://127.0.0.1:8787/", false],
    ["http://169.254.169.254/", false],
  ])("in profile internal, %s: %s", (url, open) => expect(internal(url)).toBe(open));

  test.each([
    ["https://site.test:8443/", true],
    ["https://site.test:8444/", false],
    ["https://other.test:8080/", true],
  ])("with mapped and allowed ports, %s: %s", (url, open) => expect(mapped(url)).toBe(open));
});
