/** Words of printed commands. */

/** One word of a POSIX shell (section 2.2.2): quoted only where it must be, so that most paths stay readable. */
export function shellWord(text: string): string {
  return /^[\w/.,:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
