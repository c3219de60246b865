/** `assay fleet enrol`: makes the key of a worker, or takes its public key, and notes the worker in the store. */
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { Command } from "commander";
import type { Config } from "../../app/settings.ts";
import { natsUrlText } from "../../app/worker-settings.ts";
import type { FleetIdentity } from "../../fleet/identity.ts";
import { localLocation, locationCharsMax, parseLocation } from "../../parse/location.ts";
import type { Store } from "../../store/store.ts";
import type { Worker } from "../../store/workers.ts";
import { cliActor } from "../actor.ts";
import { CliError, exitCodes } from "../exit.ts";
import { systemReason } from "../output-file.ts";
import { addSettings, natsSettings } from "../settings.ts";
import { note, print, stripControls } from "../terminal.ts";
import { withStore } from "../user.ts";

interface EnrolOptions {
  readonly name?: string;
  readonly publicKey?: string;
  readonly out?: string;
}

const examples = `
Examples:
  assay fleet enrol berlin --out berlin-1.nk      the seed goes to a file that only its owner reads
  assay fleet enrol berlin > berlin-1.nk          the same by stdout, which has the seed alone
  assay fleet enrol berlin --public-key UABC...   the seed was made on the worker's machine and stays there`;

export function enrolCommand(): Command {
  const enrol = new Command("enrol")
    .argument("<location>", "where the worker is: small letters, digits and hyphens")
    .description("Enrol a worker: print its seed, once, and what to do with it.")
    .option("--name <name>", "name of the worker, as in its host name (default: the location with a number)")
    .option("--public-key <key>", "public nkey of a pair made elsewhere; no seed is made")
    .option("--out <file>", "write the seed to a new file with mode 600 instead of stdout")
    .addHelpText("after", examples)
    .action((location: string, options: EnrolOptions, command: Command) =>
      withStore(command, async (store, config) => {
        const { workerAccountLines } = await import("../../fleet/nats-configuration.ts");
        const { worker, seed } = await enrolled(store, knownLocation(location), options);
        if (seed !== null && options.out === undefined) print(seed);
        note(`${worker.name} is enrolled for ${worker.location}, with the public key ${worker.id}`);
        if (seed !== null && options.out === undefined) note("its seed is secret and is shown only now");
        note(
          "\n1. Write nats.conf again with assay fleet nats-conf and reload nats-server (2.9: twice); or add these lines to its accounts:\n",
        );
        note(workerAccountLines(worker));
        note(`2. On the worker's machine, with the seed in a file:\n\n   ${workerCommand(config, worker, options.out)}`);
      }),
    );
  return addSettings(enrol, natsSettings);
}

/** @throws CliError */
function knownLocation(text: string): string {
  const form = `small letters, digits and inner hyphens, at most ${locationCharsMax}, as in berlin`;
  const location = parseLocation(text);
  if (location === null) throw new CliError(exitCodes.usage, `"${stripControls(text)}" is no name of a location: it has ${form}`);
  if (location === localLocation)
    throw new CliError(exitCodes.usage, `${localLocation} is the server itself and needs no worker; choose another name`);
  return location;
}

async function enrolled(store: Store, location: string, options: EnrolOptions): Promise<{ worker: Worker; seed: string | null }> {
  const { isWorkerName, makeIdentity } = await import("../../fleet/identity.ts");
  const { name, publicKey, out } = options;
  if (name !== undefined && !isWorkerName(name))
    throw new CliError(exitCodes.usage, `--name "${stripControls(name)}" has to be 1 to 64 letters, digits, dots, hyphens or underscores`);
  if (publicKey !== undefined && out !== undefined)
    throw new CliError(exitCodes.usage, "--out has nothing to write with --public-key: the seed is with whoever made the pair");
  if (publicKey !== undefined) {
    await checkPublicKey(publicKey);
    return { worker: await add(store, location, publicKey, name), seed: null };
  }
  const identity = makeIdentity();
  if (out === undefined) return { worker: await add(store, location, identity.id, name), seed: identity.seed };
  const worker = await withSeedFile(out, identity, () => add(store, location, identity.id, name));
  return { worker, seed: identity.seed };
}

/** @throws CliError */
async function checkPublicKey(key: string): Promise<void> {
  const { isPublicUserKey } = await import("../../fleet/identity.ts");
  if (isPublicUserKey(key)) return;
  // A seed is not repeated in the message.
  const said = key.startsWith("S")
    ? "--public-key looks like a seed, which is secret"
    : `--public-key "${stripControls(key)}" is malformed`;
  throw new CliError(exitCodes.usage, `${said}; a public key of a user begins with U and has 56 characters`);
}

/** @throws CliError if name or key are taken. */
async function add(store: Store, location: string, id: string, name: string | undefined): Promise<Worker> {
  for (let number = 1; ; number++) {
    const worker = await store.workers.enrol({ id, name: name ?? `${location}-${number}`, location, now: new Date(), by: cliActor() });
    if (worker === "id-taken")
      throw new CliError(
        exitCodes.usage,
        "this public key was enrolled before; each worker, also after a revocation, needs a key of its own",
      );
    if (worker !== "name-taken") return worker;
    if (name !== undefined) throw new CliError(exitCodes.usage, `there is a worker named ${name} already; see assay fleet list`);
  }
}

/** Writes the seed to a new file first, and removes it if the enrolment fails. @throws CliError */
async function withSeedFile<T>(path: string, { seed }: FleetIdentity, enrol: () => Promise<T>): Promise<T> {
  const { seedFileMode } = await import("../../fleet/identity.ts");
  try {
    const file = openSync(path, "wx", seedFileMode);
    writeSync(file, `${seed}\n`);
    closeSync(file);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "EEXIST" ? "it exists already" : systemReason(error);
    throw new CliError(exitCodes.usage, `${path} cannot be written: ${reason}`);
  }
  return enrol().catch((error: unknown) => {
    unlinkSync(path);
    throw error;
  });
}

/** Paths are those of the worker's machine: placeholders, apart from the name of the seed's file. */
function workerCommand(config: Config, { name, location }: Worker, out: string | undefined): string {
  const configured = config["nats.url"].map(natsUrlText);
  const servers = configured.length > 0 ? configured : ["tls://nats.example.org:4222"];
  const urls = servers.map((url) => `--nats ${url}`).join(" ");
  const ca = config["nats.ca_file"] === null ? "" : " --nats-ca ca.pem";
  return `assay worker ${urls}${ca} --location ${location} --nats-credentials ${out ?? `${name}.nk`}`;
}
