/** The entry of the program, of `npm start` and of the compiled binary alike. */
import { fail, run } from "./cli/program.ts";

// Bun's fetch would obey these even where a proxy is named, and so walk around the egress guard.
for (const name of ["NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
  delete process.env[name];
  delete process.env[name.toLowerCase()];
}

// A log that nobody reads any more is no reason to stop.
process.stderr.on("error", () => {});

// What nobody caught ends the process like any other error: one sentence and a code. A supervisor starts it again; nothing is lost.
process.on("uncaughtException", (error) => process.exit(fail(error)));
process.on("unhandledRejection", (error) => process.exit(fail(error)));

process.exit(await run(process.argv.slice(2)));
