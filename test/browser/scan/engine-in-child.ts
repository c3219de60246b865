/** The engine in a process of its own, to be killed: options as JSON on the command line; says `started` and goes on until it is ended. */
import { startEngine } from "./engine.ts";

await startEngine(JSON.parse(process.argv[2] ?? ""));
process.stdout.write("started\n");
