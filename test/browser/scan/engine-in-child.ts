/** Engine in a separate process, to be killed. Takes options as JSON and prints `started`. */
import { startEngine } from "./engine.ts";

await startEngine(JSON.parse(process.argv[2] ?? ""));
process.stdout.write("started\n");
