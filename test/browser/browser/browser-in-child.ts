/** Child process with a browser and a busy page, for tests that kill it: takes the data directory and prints the browser's pid. */
import { openPage } from "../../../src/browser/browser-page.ts";
import { openProfilesDir } from "../../../src/browser/profiles.ts";
import { openBrowserSlot } from "../../../src/browser/slot.ts";

const [dir = ""] = process.argv.slice(2);
const slot = openBrowserSlot({ path: null, dir, sandbox: "auto", profilesDir: openProfilesDir(dir).path });
const browser = await slot.begin();
const { session } = await openPage(browser, "http://127.0.0.1:1");
session.send("Page.navigate", { url: "data:text/html,<script>for (;;) ;</script>" }).catch(() => {});
await Bun.sleep(500);
process.stdout.write(`${slot.state()?.pid}\n`);
