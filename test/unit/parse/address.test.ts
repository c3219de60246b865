/** Addresses and endpoints as operators write them. */
import { describe, expect, test } from "vitest";
import { parseConnectTo, parseEndpoint, parseIpText, parseResolver, truncatedAddress } from "../../../src/parse/address.ts";

describe("what is understood", () => {
  test("addresses", () => {
    expect(["127.0.0.1", "::1", "[::1]"].map(parseIpText)).toEqual(["127.0.0.1", "::1", "::1"]);
  });

  test("endpoints", () => {
    expect(parseEndpoint("[::1]:0")).toEqual({ address: "::1", port: 0 });
    expect(parseEndpoint("0.0.0.0:65535")).toEqual({ address: "0.0.0.0", port: 65_535 });
  });

  test("names dialled elsewhere", () => {
    expect(parseConnectTo("[::2]:443=[::1]:8443")).toEqual({ host: "[::2]", port: 443, address: "::1", addressPort: 8443 });
  });
});

describe("what is refused", () => {
  test.each(["", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "localhost", "[127.0.0.1]", "::g"])("address %s", (text) => {
    expect(parseIpText(text)).toBeNull();
  });

  test.each(["127.0.0.1", ":80", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[::1]"])("endpoint %s", (text) => {
    expect(parseEndpoint(text)).toBeNull();
  });

  test.each(["site.test=127.0.0.1:1", "site.test:443=localhost:1", "site.test:443", "a:1=127.0.0.1:1=b", "a b:1=127.0.0.1:1"])(
    "connection %s",
    (text) => {
      expect(parseConnectTo(text)).toBeNull();
    },
  );

  test.each(["dns.example", "127.0.0.1:x"])("resolver %s", (text) => {
    expect(parseResolver(text)).toBeNull();
  });
});

test.each([
  ["192.0.2.77", "192.0.2.0"],
  ["127.0.0.1", "127.0.0.0"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::"],
  ["2001:db8:1:2::", "2001:db8:1::"],
  ["::1", "::"],
  ["local", "local"],
  ["", ""],
])("%j is kept as %j where nobody is to be found by it", (address, kept) => expect(truncatedAddress(address)).toBe(kept));
