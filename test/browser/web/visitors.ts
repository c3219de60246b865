/** Visitors with separate browser contexts in one browser process, watched for forbidden behaviour. */
import { type Browser, type BrowserContext, launch, type Page } from "puppeteer-core";
import { findExecutable } from "../../../src/browser/executable.ts";
import type { Locale } from "../../../src/check/check.ts";
import { browserDir } from "../../support/binary.ts";
import { browserPath } from "../../support/test-browser.ts";

/** Host names that resolve to this machine, as on a LAN; all others are unresolvable. */
const resolverRules = "MAP *.assay.test 127.0.0.1, MAP assay.test 127.0.0.1, MAP nas.lan 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";
/** Limit of every wait, for browsers on two busy cores. */
const patienceMs = 60_000;

export const desktop = { width: 1_280, height: 900 };
/** Only the viewport size: mobile emulation would reload the page and submit a form twice. */
export const phone = { width: 390, height: 844 };
/** Colour scheme by language and width: each language meets both schemes, and each scheme both widths. */
export const schemes: Record<Locale, Readonly<Record<number, string>>> = {
  "en-gb": { [desktop.width]: "light", [phone.width]: "dark" },
  "de-de": { [desktop.width]: "dark", [phone.width]: "light" },
};

export interface VisitorOptions {
  /** Origin of the server: the only one that pages may request. */
  readonly origin: string;
  /** Preset language; the browser's is English. */
  readonly locale?: Locale;
  /** Session cookie value. */
  readonly session?: string;
  readonly script?: false;
}

export interface Visitor {
  readonly page: Page;
  /** Forbidden behaviour that was observed; empty if none. */
  readonly complaints: string[];
  /** Opens a path of the server. @throws Error without a response. */
  open(path: string): Promise<OpenedPage>;
  /** Another page with the same cookies. */
  another(): Promise<Visitor>;
  close(): Promise<void>;
}

export interface OpenedPage {
  readonly status: number;
  /** HTML as sent, before any script ran. */
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Visitors {
  visitor(options: VisitorOptions): Promise<Visitor>;
  close(): Promise<void>;
}

export async function openVisitors(): Promise<Visitors> {
  const executable = await findExecutable({ path: browserPath, dir: browserDir });
  const browser = await launch({
    executablePath: executable.path,
    env: { ...process.env, ...executable.environment },
    headless: "shell",
    // Chromium has no sandbox for root; only our own pages are visited.
    args: [`--host-resolver-rules=${resolverRules}`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
    // Certificates of the tests' own authority.
    acceptInsecureCerts: true,
    protocolTimeout: 3 * patienceMs,
  });
  return {
    visitor: (options) => newVisitor(browser, options),
    close: () => browser.close(),
  };
}

async function newVisitor(browser: Browser, options: VisitorOptions): Promise<Visitor> {
  const context = await browser.createBrowserContext();
  // Ignored certificate errors keep the context secure, so `__Host-` cookies work.
  const prefix = options.origin.startsWith("https:") ? "__Host-" : "";
  const cookies = { ...(options.locale && { locale: options.locale }), ...(options.session && { sid: options.session }) };
  const { hostname } = new URL(options.origin);
  await context.setCookie(
    ...Object.entries(cookies).map(([name, value]) => ({
      name: `${prefix}${name}`,
      value,
      domain: hostname,
      path: "/",
      secure: prefix !== "",
    })),
  );
  return visitorIn(context, options, []);
}

async function visitorIn(context: BrowserContext, options: VisitorOptions, complaints: string[]): Promise<Visitor> {
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  await page.setViewport(desktop);
  if (options.script === false) await page.setJavaScriptEnabled(false);
  watch(page, options.origin, complaints);
  return {
    page,
    complaints,
    async open(path) {
      const answer = await page.goto(`${options.origin}${path}`, { waitUntil: "load" });
      if (answer === null) throw new Error(`${path} gave no answer`);
      return { status: answer.status(), html: await answer.text(), headers: answer.headers() };
    },
    another: () => visitorIn(context, options, complaints),
    close: () => context.close(),
  };
}

/** Records forbidden requests, errors, console messages and dialogs. CSP violations appear on the console. */
function watch(page: Page, origin: string, complaints: string[]): void {
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|about|blob):/.test(url)) complaints.push(`${page.url()} asked for ${url}`);
  });
  page.on("console", (message) => {
    // The browser also logs error statuses, which some pages have by design.
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
