/** An identity provider between sign-ins: what the doctor says of it, and the end of the watch over it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { watchIssuer } from "../../../src/accounts/oidc/oidc-sign-in.ts";
import { type DiscoveredProvider, discoverProvider, examineProvider, type ProviderSettings } from "../../../src/accounts/oidc/provider.ts";
import { createConfiguredFetch } from "../../../src/egress/configured-fetch.ts";
import { startTestProvider, type TestProvider, testClientId, testClientSecret } from "../../support/identity-provider.ts";

const redirectUri = "http://assay.test/account/sign-in/oidc";
const fetchAnswer = createConfiguredFetch({ caPems: [], dnsServers: [], connectTo: [] });

let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
});
afterAll(() => provider.stop());

/** `skewS`: seconds by which the clock of the provider is behind; null if its answers have no date. */
function settings(skewS: number | null): ProviderSettings {
  const client = { clientId: testClientId, clientSecret: testClientSecret, redirectUri, groupsClaim: "groups", readsGroups: false };
  return {
    ...client,
    issuer: provider.issuer,
    fetch: async (url, request) => {
      const answer = await fetchAnswer(url, request);
      if (skewS === null) answer.headers.delete("date");
      else answer.headers.set("date", new Date(Date.now() - skewS * 1_000).toUTCString());
      return answer;
    },
  };
}

describe("the doctor", () => {
  test.each([0, 20, -20, null])("accepts a provider whose clock is %s seconds behind", async (skewS) => {
    const { isUsable, detail } = await examineProvider(settings(skewS));
    expect(detail).toBe(`${provider.issuer} answers; keys: 1; it must know the redirect address ${redirectUri}`);
    expect(isUsable).toBe(true);
  });

  test.each([
    ["behind", 3_600],
    ["ahead", -3_600],
  ])("names the difference of a clock that is an hour %s", async (_direction, skewS) => {
    const { isUsable, detail } = await examineProvider(settings(skewS));
    // The examination itself takes time, and a date has whole seconds.
    expect(detail).toMatch(/^the clocks of this machine and of http:\S+ differ by 3[56]\d\d seconds; synchronize both with NTP$/);
    expect(isUsable).toBe(false);
  });
});

describe("the watch", () => {
  test("says that the provider answers, once", async () => {
    const logged: string[] = [];
    const log = { info: (message: string) => void logged.push(message), warn: (message: string) => void logged.push(message) };
    const watch = watchIssuer(() => discoverProvider(settings(0)), log);
    await watch.check();
    await watch.check();
    watch.close();
    expect(logged).toEqual(["identity provider ready"]);
  });

  test("says nothing more after its end, whatever the provider answers then", async () => {
    const logged: string[] = [];
    const log = { info: (message: string) => void logged.push(message), warn: (message: string) => void logged.push(message) };
    const answer = Promise.withResolvers<DiscoveredProvider>();
    const watch = watchIssuer(() => answer.promise, log);
    watch.close();
    answer.reject(new Error("too late"));
    await watch.check();
    expect(logged).toEqual([]);
  });
});
