/**
 * Visitors of the pages: people with a real browser each, in one process of the embedded browser, watched for everything that a page
 * of ours must never do.
 */
import { type Browser, type BrowserContext, launch, type Page } from "puppeteer-core";
import { findExecutable } from "../../../src/browser/executable.ts";
import type { Locale } from "../../../src/check/check.ts";
import { browserDir } from "../../support/visits.ts";

/** Names that lead to this machine, as a name on a local network would; every other name leads nowhere. */
const resolverRules = "MAP *.assay.test 127.0.0.1, MAP assay.test 127.0.0.1, MAP nas.lan 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";
/** Limit of every wait; a browser that shares two busy cores is slow. */
const patienceMs = 60_000;

export const desktop = { width: 1_280, height: 900 };
/** By its size alone: to become a mobile browser, this one would load the page anew, and send a form twice. */
export const phone = { width: 390, height: 844 };

export interface VisitorWish {
  /** Of the appliance: the only one that pages may ask anything of. */
  readonly origin: string;
  /** Chosen before; left out, the browser asks for English. */
  readonly locale?: Locale;
  /** Value of the session's cookie. */
  readonly session?: string;
  readonly script?: false;
}

export interface Visitor {
  readonly page: Page;
  /** What a page of ours must never do, in words; empty unless one did. */
  readonly complaints: string[];
  /** Opens an own path. @throws Error when there is no answer. */
  open(path: string): Promise<OpenedPage>;
  /** Another page in the same browser, with the same cookies. */
  another(): Promise<Visitor>;
  close(): Promise<void>;
}

export interface OpenedPage {
  readonly status: number;
  /** As it was sent, before any script. */
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Visitors {
  visitor(wish: VisitorWish): Promise<Visitor>;
  close(): Promise<void>;
}

export async function openVisitors(): Promise<Visitors> {
  const executable = await findExecutable({ path: null, dir: browserDir });
  const browser = await launch({
    executablePath: executable.path,
    env: { ...process.env, ...executable.environment },
    headless: "shell",
    // Chromium has no sandbox for root; what is visited here is our own.
    args: [`--host-resolver-rules=${resolverRules}`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    // Certificates of the tests' own authority.
    acceptInsecureCerts: true,
    protocolTimeout: 3 * patienceMs,
  });
  return {
    visitor: (wish) => newVisitor(browser, wish),
    close: () => browser.close(),
  };
}

async function newVisitor(browser: Browser, wish: VisitorWish): Promise<Visitor> {
  const context = await browser.createBrowserContext();
  // A certificate that is accepted as it is does not make a context less secure: `__Host-` cookies are kept.
  const prefix = wish.origin.startsWith("https:") ? "__Host-" : "";
  const cookies = { ...(wish.locale && { locale: wish.locale }), ...(wish.session && { sid: wish.session }) };
  const { hostname } = new URL(wish.origin);
  await context.setCookie(
    ...Object.entries(cookies).map(([name, value]) => ({
      name: `${prefix}${name}`,
      value,
      domain: hostname,
      path: "/",
      secure: prefix !== "",
    })),
  );
  return visitorIn(context, wish, []);
}

async function visitorIn(context: BrowserContext, wish: VisitorWish, complaints: string[]): Promise<Visitor> {
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  await page.setViewport(desktop);
  if (wish.script === false) await page.setJavaScriptEnabled(false);
  watch(page, wish.origin, complaints);
  return {
    page,
    complaints,
    async open(path) {
      const answer = await page.goto(`${wish.origin}${path}`, { waitUntil: "load" });
      if (answer === null) throw new Error(`${path} gave no answer`);
      return { status: answer.status(), html: await answer.text(), headers: answer.headers() };
    },
    another: () => visitorIn(context, wish, complaints),
    close: () => context.close(),
  };
}

/** Notes what no page may do: ask others, fail, complain, open dialogs. What the policy stops, the browser says on the console. */
function watch(page: Page, origin: string, complaints: string[]): void {
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|about|blob):/.test(url)) complaints.push(`${page.url()} asked for ${url}`);
  });
  page.on("console", (message) => {
    // The browser also says that a page came with an error status, which some are meant to.
    const aboutThePage = message.text().startsWith("Failed to load resource") && message.location().url === page.url();
    if ((message.type() === "error" || message.type() === "warn") && !aboutThePage)
      complaints.push(`${page.url()} said: ${message.text()} (${message.location().url ?? "nowhere"})`);
  });
  page.on("pageerror", (error) => complaints.push(`${page.url()} failed: ${error instanceof Error ? error.message : String(error)}`));
  page.on("dialog", (dialog) => {
    complaints.push(`${page.url()} opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}
