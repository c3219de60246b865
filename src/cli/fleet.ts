/**
 * `assay fleet`: enrols, lists and revokes workers of other locations, and configures their nats-server, also while the server runs.
 */

import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { isAbsolute } from "node:path";
import { Command } from "commander";
import { systemClock } from "../base/clock.ts";
import { createLog, messageOf } from "../base/log.ts";
import type { FleetIdentity } from "../fleet/identity.ts";
import type { NatsCluster, ServerCertificate } from "../fleet/nats-configuration.ts";
import { changeWorkerState } from "../fleet/worker-operations.ts";
import { type NatsUrl, natsUrlText, parseEndpoint, parseNatsUrl } from "../parse/address.ts";
import { localLocation, locationCharsMax, parseLocation } from "../parse/location.ts";
import type { Config } from "../settings/settings.ts";
import type { Store } from "../store/store.ts";
import type { Worker } from "../store/workers.ts";
import { cliActor, cliContext } from "./actor.ts";
import { CliError, exitCodes } from "./exit.ts";
import { systemReason } from "./output-file.ts";
import { addSettings, natsSettings } from "./settings.ts";
import { jsonLine, note, print, stripControls, table } from "./terminal.ts";
import { readStore, withStore } from "./user.ts";

const examples = `
Examples:
  assay fleet enrol berlin --out berlin-1.nk        make a key for a worker in berlin
  assay fleet nats-conf > nats.conf                 the configuration of nats-server, with all workers
  assay fleet list
  assay fleet revoke berlin-1

docs/fleet.md shows the whole set-up.`;

export function fleetCommand(): Command {
  const fleet = new Command("fleet").description("Enrol and list workers of other locations, and configure their nats-server.");
  fleet.addHelpText("after", examples);
  for (const command of [enrolCommand(), listWorkersCommand(), revokeCommand(), ...workerSwitches(), natsConfCommand(), releaseCommand()])
    fleet.addCommand(command);
  return fleet;
}

interface EnrolOptions {
  readonly name?: string;
  readonly publicKey?: string;
  readonly out?: string;
}

const enrolExamples = `
Examples:
  assay fleet enrol berlin --out berlin-1.nk      the seed goes to a file that only its owner reads
  assay fleet enrol berlin > berlin-1.nk          the same by stdout, which has the seed alone
  assay fleet enrol berlin --public-key UABC...   the seed was made on the worker's machine and stays there`;

function enrolCommand(): Command {
  const enrol = new Command("enrol")
    .argument("<location>", "where the worker is: small letters, digits and hyphens")
    .description("Enrol a worker: print its seed, once, and what to do with it.")
    .option("--name <name>", "name of the worker, as in its host name (default: the location with a number)")
    .option("--public-key <key>", "public nkey of a pair made elsewhere; no seed is made")
    .option("--out <file>", "write the seed to a new file with mode 600 instead of stdout")
    .addHelpText("after", enrolExamples)
    .action((location: string, options: EnrolOptions, command: Command) =>
      withStore(command, async (store, config) => {
        const { workerAccountLines } = await import("../fleet/nats-configuration.ts");
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
  const { isWorkerName, makeIdentity } = await import("../fleet/identity.ts");
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
  const { isPublicUserKey } = await import("../fleet/identity.ts");
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
  const { seedFileMode } = await import("../fleet/identity.ts");
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

/** Paths on the worker's machine: placeholders, apart from the name of the seed's file. */
function workerCommand(config: Config, { name, location }: Worker, out: string | undefined): string {
  const configured = config["nats.url"].map(natsUrlText);
  const servers = configured.length > 0 ? configured : ["tls://nats.example.org:4222"];
  const urls = servers.map((url) => `--nats ${url}`).join(" ");
  const ca = config["nats.ca_file"] === null ? "" : " --nats-ca ca.pem";
  return `assay worker ${urls}${ca} --location ${location} --nats-credentials ${out ?? `${name}.nk`}`;
}

function listWorkersCommand(): Command {
  return new Command("list")
    .description("List all workers by location and name, revoked ones too.")
    .option("--json", "as a JSON array")
    .action(({ json }: { readonly json?: boolean }, command: Command) =>
      readStore(command, (store) => {
        const workers = store?.workers.list() ?? [];
        if (json === true) print(jsonLine(workers));
        else if (workers.length === 0) note("no worker is enrolled yet: assay fleet enrol LOCATION enrols one");
        else
          print(
            table([["NAME", "LOCATION", "STATE", "VERSION", "SLOTS", "LAST SEEN", "SCANS", "LAST FAULT", "ID"], ...workers.map(rowOf)]),
          );
      }),
    );
}

function revokeCommand(): Command {
  return new Command("revoke")
    .argument("<worker>", "name or public key")
    .description("Revoke a worker for good: it gets no more scans, and its results are dropped.")
    .action((named: string, _options, command: Command) =>
      withStore(command, async (store) => {
        const before = workerOf(store, named);
        if (before.revokedAt !== null) return note(`${before.name} was revoked already, ${before.revokedAt}`);
        await changeWorkerState(cliContext(store), cliActor(), { id: before.id, state: "revoked" });
        note(`${before.name} is revoked; write nats.conf again with assay fleet nats-conf and reload nats-server, which then shuts it out`);
      }),
    );
}

function workerSwitches(): readonly Command[] {
  const switches = [
    ["drain", "drained", "Give a worker no further scans; those that it runs end as usual.", "gets no further scans"],
    ["resume", "resumed", "Give scans again to a worker that was drained.", "gets scans again"],
  ] as const;
  return switches.map(([verb, state, description, effect]) =>
    new Command(verb)
      .argument("<worker>", "name or public key")
      .description(description)
      .action((named: string, _options, command: Command) =>
        withStore(command, async (store) => {
          const { id, name } = workerOf(store, named);
          const changed = await changeWorkerState(cliContext(store), cliActor(), { id, state });
          if ("refused" in changed) throw new CliError(exitCodes.usage, `${name} is revoked; assay fleet enrol enrols another worker`);
          note(`${name} ${effect}`);
        }),
      ),
  );
}

/** @throws CliError if there is no such worker. */
function workerOf(store: Store, named: string): Worker {
  const worker = store.workers.find(named) ?? store.workers.findByName(named);
  if (worker === undefined) throw new CliError(exitCodes.usage, `no worker is enrolled as ${stripControls(named)}; see assay fleet list`);
  return worker;
}

function rowOf(worker: Worker): readonly string[] {
  const { id, name, location, version, slots, lastSeenAt, scansDone, lastFault } = worker;
  const fault = lastFault === null ? "none" : `${lastFault.at} ${lastFault.text}`;
  return [name, location, stateOf(worker), version ?? "unknown", String(slots), lastSeenAt ?? "never", String(scansDone), fault, id];
}

function stateOf({ revokedAt, drained }: Worker): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  return drained ? "drained" : "enrolled";
}

function releaseCommand(): Command {
  const release = new Command("release")
    .description(
      "Show the streams in NATS that belong to another installation, such as one whose store is lost, and delete them with --yes.",
    )
    .option("--yes", "delete them: scans and results that wait in them are lost")
    .action(({ yes }: { readonly yes?: true }, command: Command) =>
      withStore(command, async (store, config) => {
        if (config["nats.url"].length === 0)
          throw new CliError(exitCodes.usage, "nats.url is not set: it names the nats-server of the streams");
        const [{ releaseStreams }, head] = await Promise.all([import("../fleet/nats-maintenance.ts"), headOf(config.data)]);
        const left = await releaseStreams({
          servers: config["nats.url"].map(natsUrlText),
          credentialsFile: config["nats.credentials_file"] ?? head.file,
          caFile: config["nats.ca_file"],
          clock: systemClock,
          log: createLog({ level: "error", format: "text" }),
          instance: store.instance(),
          isConfirmed: yes === true,
        }).catch((error: unknown) => {
          throw new CliError(exitCodes.usage, messageOf(error));
        });
        if (left.length === 0) return note("no stream belongs to another installation");
        print(
          table([["STREAM", "MESSAGES", "BYTES"], ...left.map(({ name, messages, bytes }) => [name, String(messages), String(bytes)])]),
        );
        note(
          yes === true ? "deleted" : "nothing is deleted yet; --yes deletes these streams, with the scans and results that wait in them",
        );
      }),
    );
  return addSettings(release, natsSettings);
}

interface HeadKey {
  /** Public nkey. */
  readonly id: string;
  /** File that holds the seed. */
  readonly file: string;
}

/** Made at first use. @throws CliError if the file with the seed cannot be used. */
export async function headOf(dataDir: string): Promise<HeadKey> {
  const { headIdentity, headSeedFile, SeedFileError } = await import("../fleet/identity.ts");
  const file = headSeedFile(dataDir);
  try {
    return { id: headIdentity(dataDir).id, file };
  } catch (error) {
    if (error instanceof SeedFileError) throw new CliError(exitCodes.usage, error.message);
    throw new CliError(exitCodes.dataDir, `${file} cannot be used: ${systemReason(error)}`);
  }
}

interface NatsConfOptions {
  readonly listen: string;
  readonly store: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly cluster: readonly string[];
  readonly server?: string;
  readonly accounts?: true;
}

const natsConfExamples = `
Examples:
  assay fleet nats-conf                             on loopback, to try it out
  assay fleet nats-conf --listen 0.0.0.0:4222 --tls-cert /etc/nats/nats.pem --tls-key /etc/nats/nats.key
  assay fleet nats-conf --listen 0.0.0.0:4222 --tls-cert /etc/nats/n1.pem --tls-key /etc/nats/n1.key --tls-ca /etc/nats/ca.pem \\
    --cluster n1=n1.example.org:6222 --cluster n2=n2.example.org:6222 --cluster n3=n3.example.org:6222 --server n1`;

function natsConfCommand(): Command {
  return new Command("nats-conf")
    .description("Print a whole nats.conf for this server and all workers that are enrolled. It holds no secrets.")
    .option("--listen <address:port>", "where head and workers connect", "127.0.0.1:4222")
    .option("--store <dir>", "folder of nats-server for its streams", "/var/lib/nats")
    .option("--tls-cert <file>", "certificate (PEM) of nats-server, on its machine")
    .option("--tls-key <file>", "key of the certificate")
    .option("--tls-ca <file>", "authority of the certificates of a cluster: its servers check each other")
    .option("--cluster <name=host:port>", "a server of a cluster, all of them on each (repeatable)", append, [])
    .option("--server <name>", "which of them this configuration is for")
    .option("--accounts", "only the block that changes with each worker, for an include line in a nats.conf of your own")
    .addHelpText("after", natsConfExamples)
    .action((options: NatsConfOptions, command: Command) =>
      withStore(command, async (store, config) => {
        const tls = certificateOf(options);
        const cluster = clusterOf(options, tls);
        const server = { listen: listenOf(options, tls), storeDir: pathOf("--store", options.store), tls, cluster };
        const { natsAccounts, natsConfiguration } = await import("../fleet/nats-configuration.ts");
        const workers = store.workers.list().filter(({ revokedAt }) => revokedAt === null);
        const { id: head } = await headOf(config.data);
        const text = options.accounts === true ? natsAccounts(head, workers) : natsConfiguration({ ...server, head, workers });
        print(text.trimEnd());
      }),
    );
}

function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** @throws CliError for one file without the other. */
function certificateOf({ tlsCert, tlsKey }: NatsConfOptions): ServerCertificate | null {
  if (tlsCert === undefined && tlsKey === undefined) return null;
  if (tlsCert === undefined || tlsKey === undefined) throw usageError("--tls-cert and --tls-key belong together");
  return { certificateFile: pathOf("--tls-cert", tlsCert), keyFile: pathOf("--tls-key", tlsKey) };
}

/** @throws CliError for an address that others reach without TLS. */
function listenOf({ listen }: NatsConfOptions, tls: ServerCertificate | null): string {
  const endpoint = parseEndpoint(listen);
  if (endpoint === null || endpoint.port === 0)
    throw usageError(`--listen "${stripControls(listen)}" is not address:port, as in 127.0.0.1:4222`);
  if (tls === null && !isLoopback(listen))
    throw usageError(`--listen ${listen} is reached from other machines and needs TLS: add --tls-cert and --tls-key`);
  return listen;
}

/** @throws CliError */
function clusterOf({ cluster, server, tlsCa }: NatsConfOptions, tls: ServerCertificate | null): NatsCluster | null {
  if (cluster.length === 0) {
    if (server !== undefined || tlsCa !== undefined) throw usageError("--server and --tls-ca belong to --cluster");
    return null;
  }
  const nodes = cluster.map(nodeOf);
  if (new Set(nodes.map(({ name }) => name)).size < nodes.length) throw usageError("--cluster names a server twice");
  if (nodes.length < 3 || nodes.length % 2 === 0)
    throw usageError(`--cluster needs an odd number of servers, at least 3, to survive the loss of one; here are ${nodes.length}`);
  const own = nodes.find(({ name }) => name === server);
  if (own === undefined) throw usageError(`--server has to name one of ${nodes.map(({ name }) => name).join(", ")}`);
  const areLocal = nodes.every(({ endpoint }) => isLoopback(endpoint));
  if (!areLocal && (tls === null || tlsCa === undefined))
    throw usageError("a cluster over a network needs --tls-cert, --tls-key and --tls-ca: its servers check each other");
  const caFile = tlsCa === undefined ? null : pathOf("--tls-ca", tlsCa);
  const listen = isLoopback(own.endpoint) ? own.endpoint : `0.0.0.0:${own.url.port}`;
  return { serverName: own.name, listen, routes: nodes.map(({ endpoint }) => endpoint), caFile };
}

interface ClusterNode {
  readonly name: string;
  /** `host:port` */
  readonly endpoint: string;
  readonly url: NatsUrl;
}

/** @throws CliError */
function nodeOf(text: string): ClusterNode {
  const [, name = "", endpoint = ""] = /^([A-Za-z0-9][\w-]{0,62})=(\S+:\d+)$/.exec(text) ?? [];
  const url = parseNatsUrl(`tls://${endpoint}`);
  if (url === null) throw usageError(`--cluster "${stripControls(text)}" is not name=host:port, as in n1=n1.example.org:6222`);
  return { name, endpoint, url };
}

/** Only loopback may go without TLS. */
function isLoopback(endpoint: string): boolean {
  return parseNatsUrl(`nats://${endpoint}`) !== null;
}

/** @throws CliError for a path that means another file to nats-server, or that its configuration cannot hold. */
function pathOf(flag: string, path: string): string {
  if (!isAbsolute(path) || stripControls(path) !== path)
    throw usageError(`${flag} "${stripControls(path)}" has to be a whole path, as in /etc/nats/nats.pem`);
  return path;
}

function usageError(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
