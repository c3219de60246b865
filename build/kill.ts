/** `npm run kill`: runs the suite `kill` with a number of rounds, a kind and a seed. */
import { parseArgs } from "node:util";
import { runCommand } from "./run-command.ts";

/** First word of the name of each test in test/lab/kill. */
const kinds = ["writes", "import", "backup", "restore", "compaction", "retention", "erasure", "migration"] as const;
export type KillKind = (typeof kinds)[number];

const usage = `Usage: npm run kill -- [options]

Kills the program by SIGKILL at random instants of its work, then looks for what is lost, doubled or left behind.
Prints one line for each kind.

Options:
  --rounds N         kills of each kind (default: 10)
  --kind NAME[,NAME] only these kinds: ${kinds.join(", ")}
  --seed S           the random numbers of an earlier run, whose output names it
  --help             prints this text`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    kind: { type: "string" },
    seed: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const chosen = values.kind?.split(",") ?? kinds;
const unknown = chosen.find((kind) => !kinds.some((known) => known === kind));
const isNumber = (text: string | undefined) => text === undefined || /^\d{1,10}$/.test(text);
if (values.help) console.log(usage);
else if (unknown !== undefined || !isNumber(values.rounds) || !isNumber(values.seed)) {
  console.error(
    unknown === undefined ? "npm run kill: --rounds and --seed are whole numbers" : `npm run kill: there is no kind "${unknown}"`,
  );
  process.exitCode = 2;
} else {
  const env = { KILL_ROUNDS: values.rounds, ...(values.seed === undefined ? {} : { KILL_SEED: values.seed }) };
  // The name of a test follows the name of its group, which ends with the seed.
  const command = ["bun", "build/test.ts", "kill", "--only", ` (${chosen.join("|")}): `];
  process.exitCode = (await runCommand(command, { env, show: (text) => process.stdout.write(text) })).code;
}
