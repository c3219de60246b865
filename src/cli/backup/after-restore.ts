/** Commands that put settings and plugins in force that lay outside of the data directory when the backup was made. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ownCommand } from "../../app/placement.ts";
import { checksName, configName, type Manifest, outsideName } from "../../backup/archive.ts";
import { shellWord } from "../../base/shell-word.ts";

/** Lines for the operator; none if everything lay inside. A restore itself writes nothing outside of the data directory. */
export function stepsAfterRestore(dataDir: string, { outside, files }: Manifest): readonly string[] {
  const copies = files.map(({ name }) => name);
  const configCopy = `${outsideName}/${configName}`;
  const checksCopy = `${outsideName}/${checksName}`;
  return [
    ...(outside.checks !== null && copies.some((name) => name.startsWith(`${checksCopy}/`))
      ? checksSteps(join(dataDir, checksCopy), outside.checks)
      : []),
    // Last, because it ends with the start of the server.
    ...(outside.config !== null && copies.includes(configCopy) ? configSteps(dataDir, join(dataDir, configCopy), outside.config) : []),
  ];
}

/** The file returns to its old place, since its relative paths start from its folder. Mode and owner are those of the data, so the server can read it. */
function configSteps(dataDir: string, copy: string, path: string): readonly string[] {
  const start = `  ${ownCommand()} serve --data ${shellWord(dataDir)} --config ${shellWord(path)}`;
  if (isSameFile(copy, path)) return [`the settings lay in ${path}, which still equals its copy ${copy}. They are in force by:`, start];
  return [
    `the settings lay in ${path}: their copy is ${copy}, which no command reads by itself. They are in force by:`,
    ...(existsSync(path)
      ? [`  diff ${shellWord(path)} ${shellWord(copy)}    # there is another file now, which the next command replaces`]
      : []),
    `  mkdir -p ${shellWord(dirname(path))} && cp -p ${shellWord(copy)} ${shellWord(path)}`,
    start,
  ];
}

function checksSteps(copy: string, path: string): readonly string[] {
  return [
    `the plugins lay in ${path}: their copy is ${copy}, which no command reads by itself. They are in force by:`,
    `  mkdir -p ${shellWord(path)} && cp -Rp ${shellWord(`${copy}/.`)} ${shellWord(path)}`,
  ];
}

/** The archive chose the path: a device could be read for ever. */
function isSameFile(copy: string, path: string): boolean {
  const [one, other] = [copy, path].map((each) => statSync(each, { throwIfNoEntry: false }));
  if (one === undefined || !other?.isFile() || one.size !== other.size) return false;
  try {
    return readFileSync(copy).equals(readFileSync(path));
  } catch {
    return false;
  }
}
