/** Entry of the program, for `npm start` and for the compiled binary. */

/** Copy of `exitCodes.internal`: cli/exit.ts is not loaded yet when it is needed. */
const internalFailure = 4;

// Bun's fetch obeys these even with an explicit proxy, and would bypass the SSRF guard.
for (const name of ["NO_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]) {
  delete process.env[name];
  delete process.env[name.toLowerCase()];
}

// A closed stderr does not end the server.
process.stderr.on("error", () => {});

// A dynamic import, so that its failure can be caught. The compiled program unpacks native libraries into TMPDIR.
// If that folder is read-only or mounted noexec, Bun would exit with 1, the code for findings, and print source code.
const { fail, run } = await import("./cli/program.ts").catch((error: Error) => {
  process.stderr.write(
    `assay: it cannot be loaded: ${error.message}; TMPDIR must name a folder that can be written and may run programs\n`,
  );
  process.exit(internalFailure);
});

// Uncaught errors end the process with one sentence and an exit code. The queue is on disk, so a restart loses nothing.
process.on("uncaughtException", (error) => process.exit(fail(error)));
process.on("unhandledRejection", (error) => process.exit(fail(error)));

process.exit(await run(process.argv.slice(2)));

export {};
