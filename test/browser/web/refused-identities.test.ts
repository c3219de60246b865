/** An identity provider that is down at the start, comes back, and sends answers that must be refused: each in both languages. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import deDe from "../../../locales/de-de.json" with { type: "json" };
import enGb from "../../../locales/en-gb.json" with { type: "json" };
import { siteIdentity } from "../../support/certificates.ts";
import { startTestProvider, type TestProvider, testClientId, testClientSecret } from "../../support/identity-provider.ts";
import { mainOf } from "../../support/page-text.ts";
import { run } from "../../support/program.ts";
import { refusedAnswers } from "../../support/refused-answers.ts";
import type { TestServer } from "../../support/servers.ts";
import { type Appliance, startAppliance } from "./appliance.ts";
import { leaving } from "./forms.ts";
import { startTlsFront } from "./tls-front.ts";
import { openVisitors, type Visitor, type Visitors } from "./visitors.ts";

const startMsMax = 300_000;
const pollMs = 50;
const locales = { "en-gb": enGb.pages, "de-de": deDe.pages } as const;
const person = { sub: "248289761001", email: "root@assay.test", email_verified: true };
const button = 'a[href^="/sign-in/oidc?"]';

let folder: string;
let provider: TestProvider;
let front: TestServer;
let appliance: Appliance;
let visitors: Visitors;
let readers: readonly (readonly [locale: keyof typeof locales, visitor: Visitor])[];
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-identities-"));
  const secretFile = join(folder, "secret");
  writeFileSync(secretFile, testClientSecret);
  front = await startTlsFront(siteIdentity("front.assay.test"), () => appliance.origin);
  const origin = `https://front.assay.test:${front.port}`;
  provider = await startTestProvider();
  provider.stage({ down: true });
  env = {
    ASSAY_PUBLIC_URL: origin,
    ASSAY_OIDC_ISSUER: provider.issuer,
    ASSAY_OIDC_CLIENT_ID: testClientId,
    ASSAY_OIDC_CLIENT_SECRET_FILE: secretFile,
    ASSAY_OIDC_LABEL: "Hub",
  };
  visitors = await openVisitors();
  appliance = await startAppliance({
    args: ["--trusted-proxy", "127.0.0.1"],
    env,
    fill: async ({ accounts }) => void (await accounts.create({ email: person.email, now: new Date() })),
  });
  readers = await Promise.all(
    (["en-gb", "de-de"] as const).map(async (locale) => [locale, await visitors.visitor({ origin, locale })] as const),
  );
}, startMsMax);

afterAll(async () => {
  await visitors.close();
  await appliance.stop();
  await front.stop();
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

const titleOf = (locale: keyof typeof locales, kind: (typeof refusedAnswers)[number][1] | "unreachable") =>
  locales[locale].errors[`oidc-${kind}`].title.replace("{{provider}}", "Hub");

const refusalsLogged = () =>
  appliance
    .stderr()
    .split("\n")
    .filter((line) => line.includes("sign-in refused"));

/** `doctor` of the command line; only its line on the provider. */
async function examined(): Promise<readonly string[]> {
  const { stdout } = await run(["doctor", "--data", appliance.dataDir], {
    env: { ...env, ASSAY_BROWSER_PATH: "/bin/false" },
  });
  return stdout.split("\n").filter((line) => /^\w+\s+oidc\s/.test(line));
}

test("a provider that is down at the start turns the button off until it is back", async () => {
  for (const [locale, visitor] of readers) {
    const { html } = await visitor.open("/sign-in");
    expect(mainOf(html)).toContain(locales[locale].signIn.oidc.off.replaceAll("{{provider}}", "Hub"));
    expect(mainOf(html)).not.toContain("/sign-in/oidc?");
    const direct = await visitor.open("/sign-in/oidc");
    expect([direct.status, mainOf(direct.html).includes(titleOf(locale, "unreachable"))]).toEqual([503, true]);
  }
  expect(await examined()).toEqual([expect.stringMatching(/^failed .*127\.0\.0\.1.*sign-in by it is off/)]);
  provider.stage({});
  const [[, visitor] = []] = readers;
  while (!mainOf((await visitor?.open("/sign-in"))?.html ?? "").includes("/sign-in/oidc?")) await Bun.sleep(pollMs);
  expect(await examined()).toEqual([
    expect.stringMatching(/^ok .*keys: 1; it must know the redirect address https:\/\/front\.assay\.test:\d+\/sign-in\/oidc\/callback/),
  ]);
  expect(appliance.stderr().match(/identity provider (cannot be used|ready)/g)).toEqual([
    "identity provider cannot be used",
    "identity provider ready",
  ]);
});

/** The configuration document was read before. */
const staged = refusedAnswers.filter(([, , { metadata }]) => metadata === undefined);
/** All in one language and each page in both, because an address with 30 failures has to wait. */
const firstOfKind = new Set(staged.filter(([, kind], at) => staged.findIndex(([, other]) => other === kind) === at));

describe("is refused:", () => {
  test.each(staged.map((each) => [...each, firstOfKind.has(each)] as const))("%s", async (_name, kind, staging, inBoth) => {
    provider.stage({ person, ...staging });
    for (const [locale, visitor] of inBoth ? readers : readers.slice(0, 1)) {
      const { page } = visitor;
      await visitor.open("/sign-in");
      const before = refusalsLogged().length;
      await leaving(page, () => page.$eval(button, (link) => (link as HTMLElement).click()));
      expect(await page.$eval("h1", (heading) => heading.textContent)).toBe(titleOf(locale, kind));
      const names = (await page.browserContext().cookies()).map(({ name }) => name);
      expect(names.filter((name) => /sid|oidc/.test(name))).toEqual([]);
      const lines = refusalsLogged().slice(before);
      expect(lines).toEqual([expect.stringMatching(new RegExp(`because"?[=:]"oidc ${kind}"`))]);
      for (const secret of [person.email, person.sub, "eyJ", "secret"]) expect(lines.join()).not.toContain(secret);
    }
  });
});

test("a sound answer signs in", async () => {
  provider.stage({ person });
  const [, { open, page }] = readers[0] as (typeof readers)[number];
  await open("/sign-in");
  await leaving(page, () => page.$eval(button, (link) => (link as HTMLElement).click()));
  expect(new URL(page.url()).pathname).toBe("/account");
});
