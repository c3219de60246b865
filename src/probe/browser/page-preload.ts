/** Asks the browser's built-in HSTS preload list, and nobody else: behind a proxy that refuses, the browser still shows which scheme it chose. */
import { within } from "../../base/deadline.ts";
import { type RefusingProxy, startRefusingProxy } from "../../egress/proxy.ts";
import { failed, type Reading, read, type Subject } from "../../evidence/evidence.ts";
import type { HstsPreloadFacts } from "../../evidence/facts.ts";
import { type BrowserPage, connectBrowser, openPage } from "./browser-session.ts";

/** Every full Chromium's list covers this name through its top-level domain. Chromium leaves its list aside some weeks after it was built, and so shows that it has. */
const surelyPreloaded = "assay-asks.dev";

/** Top-level domains that are preloaded as a whole, by their registries' own rules: known without any list. */
const preloadedTopLevel = new Set(
  (
    "android app bank boo channel chrome dad day dev eat esq fly foo gle gmail google hangout ing insurance " +
    "meet meme mov new nexus page phd play prof rsvp search youtube zip"
  ).split(" "),
);

/** Names whose answer is kept: it cannot change while the browser runs. */
const answersMax = 10_000;
const answerMs = 5_000;

interface Oracle {
  readonly proxy: RefusingProxy;
  readonly page: BrowserPage;
  readonly answers: Map<string, boolean>;
  /** One page, so one question at a time. */
  turn: Promise<unknown>;
}

/** The thread's oracle; a browser that was started anew gets a new one. */
let current: { readonly endpoint: string; readonly oracle: Promise<Oracle> } | null = null;

export async function probePreload(endpoint: string, { host, registrableDomain }: Subject): Promise<Reading<HstsPreloadFacts>> {
  // The list holds names of the public DNS only.
  if (registrableDomain === null) return read({ hostPreloaded: false, registrableDomainPreloaded: false });
  if (preloadedTopLevel.has(host.slice(host.lastIndexOf(".") + 1))) return read({ hostPreloaded: true, registrableDomainPreloaded: true });
  try {
    const oracle = await oracleOf(endpoint);
    if (!(await isPreloaded(oracle, surelyPreloaded))) return failed("unsupported");
    const asked = Promise.all([isPreloaded(oracle, host), isPreloaded(oracle, registrableDomain)]);
    const [hostPreloaded, registrableDomainPreloaded] = await within(answerMs, asked, [null, null] as const);
    if (hostPreloaded === null || registrableDomainPreloaded === null) return failed("unsupported");
    return read({ hostPreloaded, registrableDomainPreloaded });
  } catch {
    await forgetOracle();
    return failed("crashed");
  }
}

function oracleOf(endpoint: string): Promise<Oracle> {
  if (current?.endpoint !== endpoint) {
    void forgetOracle();
    current = { endpoint, oracle: openOracle(endpoint) };
  }
  return current.oracle;
}

/** Its page may have broken: the next question opens another. */
async function forgetOracle(): Promise<void> {
  const old = current;
  current = null;
  const oracle = await old?.oracle.catch(() => null);
  await Promise.all([oracle?.page.close(), oracle?.proxy.stop()]);
}

async function openOracle(endpoint: string): Promise<Oracle> {
  const connection = await connectBrowser(endpoint);
  const proxy = await startRefusingProxy();
  try {
    const page = await openPage(connection, proxy.url);
    await page.session.send("Network.enable");
    return { proxy, page, answers: new Map(), turn: Promise.resolve() };
  } catch (error) {
    await proxy.stop();
    throw error;
  }
}

/** Null when the browser asked for neither scheme, for example because it knows the name by another rule. */
function isPreloaded(oracle: Oracle, host: string): Promise<boolean | null> {
  const answer = oracle.turn.then(async () => {
    const known = oracle.answers.get(host);
    if (known !== undefined) return known;
    const scheme = await schemeChosen(oracle, host);
    if (scheme !== null && oracle.answers.size < answersMax) oracle.answers.set(host, scheme === "https");
    return scheme === null ? null : scheme === "https";
  });
  oracle.turn = answer.catch(() => {});
  return answer;
}

/** Navigates to the name over http and sees what the browser makes of it before anything is asked of the network. */
async function schemeChosen({ page: { session } }: Oracle, host: string): Promise<"http" | "https" | null> {
  let upgraded = false;
  let asked = false;
  const onRequest = ({ redirectResponse }: { readonly redirectResponse?: { readonly headers: Readonly<Record<string, string>> } }) => {
    asked = true;
    upgraded ||= redirectResponse?.headers["Non-Authoritative-Reason"] === "HSTS";
  };
  session.on("Network.requestWillBeSent", onRequest);
  try {
    await session.send("Page.navigate", { url: `http://${host}/` });
  } finally {
    session.off("Network.requestWillBeSent", onRequest);
  }
  if (upgraded) return "https";
  return asked ? "http" : null;
}
