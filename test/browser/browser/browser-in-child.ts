/** Child process with a browser and a busy page, for tests that kill it: takes the data directory and prints the browser's pid. */
import { connect } from "puppeteer-core";
import { openBrowser } from "../../../src/browser/browser.ts";

const host = openBrowser({ path: null, dir: process.argv[2] ?? "", sandbox: "auto" });
const browser = await connect({ browserWSEndpoint: await host.endpoint() });
const page = await browser.newPage();
page.goto("data:text/html,<script>for (;;) ;</script>").catch(() => {});
await browser.waitForTarget((target) => target.url().startsWith("data:"));
process.stdout.write(`${host.state()?.pid}\n`);
