/** The entry of the program, of `npm start` and of the compiled binary alike. */

/** As in cli/exit.ts, which cannot be asked before it is loaded. */
const internalFailure = 4;

// Bun's fetch would obey these even where a proxy is named, and so walk around the egress guard.
for (const name of ["NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
  delete process.env[name];
  delete process.env[name.toLowerCase()];
}

// A log that nobody reads any more is no reason to stop.
process.stderr.on("error", () => {});

// Loaded only now: the compiled program unpacks native libraries into the folder for temporary files, and where that is read-only or
// runs no programs, Bun would end with 1, which means findings, and with a page of our own source.
const { fail, run } = await import("./cli/program.ts").catch((error: Error) => {
  process.stderr.write(
    `assay: it cannot be loaded: ${error.message}; TMPDIR must name a folder that can be written and may run programs\n`,
  );
  process.exit(internalFailure);
});

// What nobody caught ends the process like any other error: one sentence and a code. A supervisor starts it again; nothing is lost.
process.on("uncaughtException", (error) => process.exit(fail(error)));
process.on("unhandledRejection", (error) => process.exit(fail(error)));

process.exit(await run(process.argv.slice(2)));

export {};
