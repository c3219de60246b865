/** A browser with a page that spins, owned by a process of its own, to be killed: takes the data directory, says the browser's id and goes on. */
import { connect } from "puppeteer-core";
import { openBrowser } from "../../../src/browser/browser.ts";

const host = openBrowser({ path: null, dir: process.argv[2] ?? "", sandbox: "auto" });
const browser = await connect({ browserWSEndpoint: await host.endpoint() });
const page = await browser.newPage();
page.goto("data:text/html,<script>for (;;) ;</script>").catch(() => {});
await browser.waitForTarget((target) => target.url().startsWith("data:"));
process.stdout.write(`${host.state()?.pid}\n`);
