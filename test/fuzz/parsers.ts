/** Every parser of `src/parse`, as the fuzzing knows it: a file that exports functions and is not listed fails the test. */
import { addressParsers } from "./address-parsers.ts";
import { fieldParsers } from "./field-parsers.ts";
import { nameParsers } from "./name-parsers.ts";
import type { FuzzedParser } from "./parser.ts";
import { recordParsers } from "./record-parsers.ts";

export const parsers: readonly FuzzedParser[] = [...addressParsers, ...fieldParsers, ...nameParsers, ...recordParsers].sort((a, b) =>
  a.file < b.file ? -1 : 1,
);
