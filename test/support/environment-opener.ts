/** Child process: opens and closes an environment again and again, until it is ended. */
import { openEnvironment } from "../../src/store/environment.ts";

const [path = "", mode] = process.argv.slice(2);
process.stdout.write("ready\n");
for (;;) {
  const { close } = openEnvironment(path, { mapSize: 2 ** 26, readOnly: mode === "read" }, (environment) => environment);
  await close();
  await new Promise(setImmediate);
}
