/** Faults of an author's files as lines of output. */
import { relative } from "node:path";
import { type PluginFault, placedReason } from "../../catalog/fault.ts";

/** On one line, with a path that editors and terminals link: relative if the file is below the current folder. */
export function faultLine(fault: PluginFault): string {
  const shown = relative(process.cwd(), fault.file);
  const file = shown === "" || shown.startsWith("..") ? fault.file : shown;
  return placedReason({ ...fault, file });
}
