/** Pages that a call of `assay scan` names. */
import { parseScanUrl } from "../parse/scan-url.ts";
import { CliError, exitCodes } from "./exit.ts";
import { currentTerminal, stripControls } from "./terminal.ts";

/** URLs of one call; the server's queue is for longer lists. */
const urlsMax = 1_000;
const quotedCharsMax = 100;

/** @throws CliError for the first URL that cannot be scanned. */
export async function urlsFrom(given: readonly string[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const text of given) {
    if (text === "-") texts.push(...(await currentTerminal().stdin.text()).split("\n").map((line) => line.trim()));
    else texts.push(text.trim());
  }
  const urls = texts.filter((text) => text !== "").map(urlFrom);
  if (urls.length === 0 && !given.includes("-")) throw new CliError(exitCodes.usage, "the URL is empty");
  if (urls.length === 0) throw new CliError(exitCodes.usage, "stdin names no URL");
  if (urls.length > urlsMax) throw new CliError(exitCodes.usage, `${urls.length} URLs are too many for one call; it takes ${urlsMax}`);
  return urls;
}

function urlFrom(text: string): string {
  const parsed = parseScanUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, "")}`);
  if ("fault" in parsed) throw new CliError(exitCodes.usage, `"${quoted(text)}" cannot be scanned: it ${parsed.fault}`);
  return parsed.url;
}

function quoted(text: string): string {
  return stripControls(text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax)}...` : text);
}
