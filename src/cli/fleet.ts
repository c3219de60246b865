/**
 * `assay fleet`: enrols, lists and revokes workers of other locations, and configures their nats-server, also while the server runs.
 */

import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { isAbsolute } from "node:path";
import { systemClock } from "../base/clock.ts";
import { createLog, messageOf } from "../base/log.ts";
import type { FleetIdentity } from "../fleet/identity.ts";
import type { NatsCluster, ServerCertificate } from "../fleet/nats-configuration.ts";
import { changeWorkerState } from "../fleet/worker-operations.ts";
import { natsUrlText, parseEndpoint, parseNatsUrl } from "../parse/address.ts";
import { localLocation, locationCharsMax, parseLocation } from "../parse/location.ts";
import type { Config } from "../settings/settings.ts";
import type { Store } from "../store/store.ts";
import type { Worker } from "../store/workers.ts";
import { type CommandFactory, command, commandGroup, repeated, type Values } from "./command.ts";
import { CliError, exitCodes, usageError } from "./exit.ts";
import { systemReason } from "./output-file.ts";
import { natsSettings, settingOptions } from "./settings.ts";
import { cliActor, cliContext, readStore, storeCommand } from "./store.ts";
import { note, print, printList, stripControls, table } from "./terminal.ts";

const enrolOptions = {
  "--name <name>": "name of the worker, as in its host name (default: the location with a number)",
  "--public-key <key>": "public nkey of a pair made elsewhere; no seed is made",
  "--out <file>": "write the seed to a new file with mode 600 instead of stdout",
} as const;

const enrol = storeCommand({
  name: "enrol",
  summary: "Enrol a worker: print its seed, once, and what to do with it.",
  arguments: { "<location>": "where the worker is: small letters, digits and hyphens" },
  options: { ...enrolOptions, ...settingOptions(natsSettings) },
  help: `
Examples:
  assay fleet enrol berlin --out berlin-1.nk      the seed goes to a file that only its owner reads
  assay fleet enrol berlin > berlin-1.nk          the same by stdout, which has the seed alone
  assay fleet enrol berlin --public-key UABC...   the seed was made on the worker's machine and stays there`,
  run: async ({ location, ...options }, store, config) => {
    const { workerAccountLines } = await import("../fleet/nats-configuration.ts");
    const { worker, seed } = await enrolled(store, knownLocation(location), options);
    if (seed !== null && options.out === undefined) print(seed);
    note(`${worker.name} is enrolled for ${worker.location}, with the public key ${worker.id}`);
    if (seed !== null && options.out === undefined) note("its seed is secret and is shown only now");
    note(
      "\n1. Write nats.conf again with assay fleet nats-conf and reload nats-server (2.9: twice); or add these lines to its accounts:\n",
    );
    note(workerAccountLines(worker));
    note(`2. On the worker's machine, with the seed in a file:\n\n   ${workerCommandLine(config, worker, options.out)}`);
  },
});

/** @throws CliError */
function knownLocation(text: string): string {
  const form = `small letters, digits and inner hyphens, at most ${locationCharsMax}, as in berlin`;
  const location = parseLocation(text);
  if (location === null) throw usageError(`"${stripControls(text)}" is no name of a location: it has ${form}`);
  if (location === localLocation) throw usageError(`${localLocation} is the server itself and needs no worker; choose another name`);
  return location;
}

async function enrolled(store: Store, location: string, { name, publicKey, out }: Values<typeof enrolOptions>) {
  const { isWorkerName, makeIdentity } = await import("../fleet/identity.ts");
  if (name !== undefined && !isWorkerName(name))
    throw usageError(`--name "${stripControls(name)}" has to be 1 to 64 letters, digits, dots, hyphens or underscores`);
  if (publicKey !== undefined && out !== undefined)
    throw usageError("--out has nothing to write with --public-key: the seed is with whoever made the pair");
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
  throw usageError(`${said}; a public key of a user begins with U and has 56 characters`);
}

/** @throws CliError if name or key are taken. */
async function add(store: Store, location: string, id: string, name: string | undefined): Promise<Worker> {
  for (let number = 1; ; number++) {
    const worker = await store.workers.enrol({ id, name: name ?? `${location}-${number}`, location, now: new Date(), by: cliActor() });
    if (worker === "id-taken")
      throw usageError("this public key was enrolled before; each worker, also after a revocation, needs a key of its own");
    if (worker !== "name-taken") return worker;
    if (name !== undefined) throw usageError(`there is a worker named ${name} already; see assay fleet list`);
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
    throw usageError(`${path} cannot be written: ${reason}`);
  }
  return enrol().catch((error: unknown) => {
    unlinkSync(path);
    throw error;
  });
}

/** Paths on the worker's machine: placeholders, apart from the name of the seed's file. */
function workerCommandLine(config: Config, { name, location }: Worker, out: string | undefined): string {
  const configured = config["nats.url"].map(natsUrlText);
  const servers = configured.length > 0 ? configured : ["tls://nats.example.org:4222"];
  const urls = servers.map((url) => `--nats ${url}`).join(" ");
  const ca = config["nats.ca_file"] === null ? "" : " --nats-ca ca.pem";
  return `assay worker ${urls}${ca} --location ${location} --nats-credentials ${out ?? `${name}.nk`}`;
}

const list = command({
  name: "list",
  summary: "List all workers by location and name, revoked ones too.",
  options: { "--json": "as a JSON array" },
  run: ({ json }, parsed) =>
    readStore(parsed, (store) => {
      const head = ["NAME", "LOCATION", "STATE", "VERSION", "SLOTS", "LAST SEEN", "SCANS", "LAST FAULT", "ID"];
      printList(store?.workers.list() ?? [], json, head, rowOf, "no worker is enrolled yet: assay fleet enrol LOCATION enrols one");
    }),
});

const workerArgument = { "<worker>": "name or public key" } as const;

const revoke = storeCommand({
  name: "revoke",
  summary: "Revoke a worker for good: it gets no more scans, and its results are dropped.",
  arguments: workerArgument,
  run: async ({ worker }, store) => {
    const { id, name, revokedAt } = workerOf(store, worker);
    if (revokedAt !== null) return note(`${name} was revoked already, ${revokedAt}`);
    await changeWorkerState(cliContext(store), cliActor(), { id, state: "revoked" });
    note(`${name} is revoked; write nats.conf again with assay fleet nats-conf and reload nats-server, which then shuts it out`);
  },
});

function workerSwitch(verb: string, state: "drained" | "resumed", summary: string, effect: string): CommandFactory {
  return storeCommand({
    name: verb,
    summary,
    arguments: workerArgument,
    run: async ({ worker }, store) => {
      const { id, name } = workerOf(store, worker);
      const changed = await changeWorkerState(cliContext(store), cliActor(), { id, state });
      if ("refused" in changed) throw usageError(`${name} is revoked; assay fleet enrol enrols another worker`);
      note(`${name} ${effect}`);
    },
  });
}

/** @throws CliError if there is no such worker. */
function workerOf(store: Store, named: string): Worker {
  const worker = store.workers.find(named) ?? store.workers.findByName(named);
  if (worker === undefined) throw usageError(`no worker is enrolled as ${stripControls(named)}; see assay fleet list`);
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

const release = storeCommand({
  name: "release",
  summary: "Show the streams in NATS that belong to another installation, such as one whose store is lost, and delete them with --yes.",
  options: { "--yes": "delete them: scans and results that wait in them are lost", ...settingOptions(natsSettings) },
  run: async ({ yes }, store, config) => {
    if (config["nats.url"].length === 0) throw usageError("nats.url is not set: it names the nats-server of the streams");
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
      throw usageError(messageOf(error));
    });
    if (left.length === 0) return note("no stream belongs to another installation");
    print(table([["STREAM", "MESSAGES", "BYTES"], ...left.map(({ name, messages, bytes }) => [name, String(messages), String(bytes)])]));
    note(yes === true ? "deleted" : "nothing is deleted yet; --yes deletes these streams, with the scans and results that wait in them");
  },
});

/** Public nkey of the head and the file with its seed, made at first use. @throws CliError if the file cannot be used. */
async function headOf(dataDir: string) {
  const { headIdentity, headSeedFile, SeedFileError } = await import("../fleet/identity.ts");
  const file = headSeedFile(dataDir);
  try {
    return { id: headIdentity(dataDir).id, file };
  } catch (error) {
    if (error instanceof SeedFileError) throw usageError(error.message);
    throw new CliError(exitCodes.dataDir, `${file} cannot be used: ${systemReason(error)}`);
  }
}

const natsConfOptions = {
  "--listen <address:port>": { text: "where head and workers connect", default: "127.0.0.1:4222" },
  "--store <dir>": { text: "folder of nats-server for its streams", default: "/var/lib/nats" },
  "--tls-cert <file>": "certificate (PEM) of nats-server, on its machine",
  "--tls-key <file>": "key of the certificate",
  "--tls-ca <file>": "authority of the certificates of a cluster: its servers check each other",
  "--cluster <name=host:port>": { text: "a server of a cluster, all of them on each (repeatable)", parse: repeated, default: [] },
  "--server <name>": "which of them this configuration is for",
  "--accounts": "only the block that changes with each worker, for an include line in a nats.conf of your own",
} as const;
type NatsConfOptions = Values<typeof natsConfOptions>;

const natsConf = storeCommand({
  name: "nats-conf",
  summary: "Print a whole nats.conf for this server and all workers that are enrolled. It holds no secrets.",
  options: natsConfOptions,
  help: `
Examples:
  assay fleet nats-conf                             on loopback, to try it out
  assay fleet nats-conf --listen 0.0.0.0:4222 --tls-cert /etc/nats/nats.pem --tls-key /etc/nats/nats.key
  assay fleet nats-conf --listen 0.0.0.0:4222 --tls-cert /etc/nats/n1.pem --tls-key /etc/nats/n1.key --tls-ca /etc/nats/ca.pem \\
    --cluster n1=n1.example.org:6222 --cluster n2=n2.example.org:6222 --cluster n3=n3.example.org:6222 --server n1`,
  run: async (options, store, config) => {
    const tls = certificateOf(options);
    const cluster = clusterOf(options, tls);
    const server = { listen: listenOf(options, tls), storeDir: pathOf("--store", options.store), tls, cluster };
    const { natsAccounts, natsConfiguration } = await import("../fleet/nats-configuration.ts");
    const workers = store.workers.list().filter(({ revokedAt }) => revokedAt === null);
    const { id: head } = await headOf(config.data);
    const text = options.accounts === true ? natsAccounts(head, workers) : natsConfiguration({ ...server, head, workers });
    print(text.trimEnd());
  },
});

export const fleetCommand = commandGroup({
  name: "fleet",
  summary: "Enrol and list workers of other locations, and configure their nats-server.",
  help: `
Examples:
  assay fleet enrol berlin --out berlin-1.nk        make a key for a worker in berlin
  assay fleet nats-conf > nats.conf                 the configuration of nats-server, with all workers
  assay fleet list
  assay fleet revoke berlin-1

docs/fleet.md shows the whole set-up.`,
  commands: [
    enrol,
    list,
    revoke,
    workerSwitch("drain", "drained", "Give a worker no further scans; those that it runs end as usual.", "gets no further scans"),
    workerSwitch("resume", "resumed", "Give scans again to a worker that was drained.", "gets scans again"),
    natsConf,
    release,
  ],
});

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

/** Server of a cluster; `endpoint` is `host:port`. @throws CliError */
function nodeOf(text: string) {
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
