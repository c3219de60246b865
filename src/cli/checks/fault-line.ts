/** Faults of an author's files as lines of output. */
import { relative } from "node:path";
import { describeFault, type PluginFault } from "../../catalog/fault.ts";
import { stripControls } from "../terminal.ts";

/** On one line, with a path that editors and terminals link: relative if the file is below the current folder. */
export function faultLine(fault: PluginFault): string {
  const shown = relative(process.cwd(), fault.file);
  const file = shown === "" || shown.startsWith("..") ? fault.file : shown;
  return stripControls(describeFault({ ...fault, file }).replace(/^check /, ""));
}
