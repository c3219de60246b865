/** Preloaded by the program: the child process that checks the store waits until the writer of the named pipe closes it. */
import { readFileSync } from "node:fs";
import { storeWalkCommand } from "../../src/doctor/store-examination.ts";

if (process.argv.includes(storeWalkCommand)) readFileSync(process.env.HELD_CHECK_PIPE ?? "");
