/** Classes of a style sheet, compared with the code that names them. */
import { sourcesBelow } from "./source-tree.ts";

// reads: src/export/, src/report/, src/text/, src/web/
/** Fewer classes mean that the style sheet was not read. */
const classesMin = 50;

/** Classes that no code of the folders names. @throws Error for a style sheet without classes. */
export function unusedClasses(style: string, folders: readonly string[]): readonly string[] {
  const code = folders
    .flatMap((folder) => sourcesBelow(folder))
    .map(({ text }) => text)
    .join("\n");
  const withoutValues = style.replace(/"[^"]*"|\d*\.\d+/g, "");
  const classes = new Set([...withoutValues.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = ""]) => name));
  if (classes.size < classesMin) throw new Error(`the style sheet has only ${classes.size} classes`);
  return [...classes].filter((name) => !new RegExp(`["\\s\`]${name}["\\s\`$]`).test(code));
}
