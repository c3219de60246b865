/** Hashes that plugin files must have, from a file in the format of sha256sum (`checks.require_sha256`). */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf } from "../base/log.ts";
import { faultOfFile, type PluginFault } from "./fault.ts";

/** Lines of 100 characters for twice the files that a folder may have. */
const pinsBytesMax = 256 * 1024;
/** `*` marks a file that was read in binary mode; `\` an escaped name, which is not supported. */
const lineForm = /^([0-9a-f]{64}) [ *](.+)$/;

/** SHA-256 in hexadecimal digits by absolute path. */
export type Pins = ReadonlyMap<string, string>;

/** Pins whose names are relative to `checksDir`. Empty lines and lines that begin with `#` are passed over. */
export function readPins(file: string, checksDir: string): { readonly pins: Pins; readonly faults: readonly PluginFault[] } {
  let text: string;
  try {
    const { mode, size } = statSync(file);
    if ((mode & 0o002) !== 0) return refused(file, "any user may write to this list of hashes; run chmod o-w");
    if (size > pinsBytesMax) return refused(file, `this list of hashes has more than ${pinsBytesMax} bytes`);
    text = readFileSync(file, "utf8");
  } catch (error) {
    return refused(file, `this list of hashes (checks.require_sha256) cannot be read: ${messageOf(error)}`);
  }
  const pins = new Map<string, string>();
  const faults: PluginFault[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, sha256, name] = lineForm.exec(line) ?? [];
    if (sha256 === undefined || name === undefined)
      faults.push({ file, line: at + 1, column: 1, reason: "is not a line of sha256sum, as in `sha256sum *.ts`" });
    else pins.set(realPath(resolve(checksDir, name)), sha256);
  }
  return { pins, faults };
}

function refused(file: string, reason: string): { readonly pins: Pins; readonly faults: readonly PluginFault[] } {
  return { pins: new Map(), faults: [faultOfFile(file, reason)] };
}

/** The path itself where there is no such file. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
