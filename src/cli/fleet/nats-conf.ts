/** `assay fleet nats-conf`: a whole configuration of nats-server for this head and its workers. */
import { isAbsolute } from "node:path";
import { Command } from "commander";
import type { NatsCluster, ServerCertificate } from "../../fleet/nats-configuration.ts";
import { type NatsUrl, parseEndpoint, parseNatsUrl } from "../../parse/address.ts";
import { CliError, exitCodes } from "../exit.ts";
import { print, stripControls } from "../terminal.ts";
import { withStore } from "../user.ts";
import { headOf } from "./head-of.ts";

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

const examples = `
Examples:
  assay fleet nats-conf                             on loopback, to try it out
  assay fleet nats-conf --listen 0.0.0.0:4222 --tls-cert /etc/nats/nats.pem --tls-key /etc/nats/nats.key
  assay fleet nats-conf --listen 0.0.0.0:4222 --tls-cert /etc/nats/n1.pem --tls-key /etc/nats/n1.key --tls-ca /etc/nats/ca.pem \\
    --cluster n1=n1.example.org:6222 --cluster n2=n2.example.org:6222 --cluster n3=n3.example.org:6222 --server n1`;

export function natsConfCommand(): Command {
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
    .addHelpText("after", examples)
    .action((options: NatsConfOptions, command: Command) =>
      withStore(command, async (store, config) => {
        const tls = certificateOf(options);
        const cluster = clusterOf(options, tls);
        const server = { listen: listenOf(options, tls), storeDir: pathOf("--store", options.store), tls, cluster };
        const { natsAccounts, natsConfiguration } = await import("../../fleet/nats-configuration.ts");
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
  if (tlsCert === undefined || tlsKey === undefined) throw usage("--tls-cert and --tls-key belong together");
  return { certificateFile: pathOf("--tls-cert", tlsCert), keyFile: pathOf("--tls-key", tlsKey) };
}

/** @throws CliError for an address that others reach without TLS. */
function listenOf({ listen }: NatsConfOptions, tls: ServerCertificate | null): string {
  const endpoint = parseEndpoint(listen);
  if (endpoint === null || endpoint.port === 0)
    throw usage(`--listen "${stripControls(listen)}" is not address:port, as in 127.0.0.1:4222`);
  if (tls === null && !isLoopback(listen))
    throw usage(`--listen ${listen} is reached from other machines and needs TLS: add --tls-cert and --tls-key`);
  return listen;
}

/** @throws CliError */
function clusterOf({ cluster, server, tlsCa }: NatsConfOptions, tls: ServerCertificate | null): NatsCluster | null {
  if (cluster.length === 0) {
    if (server !== undefined || tlsCa !== undefined) throw usage("--server and --tls-ca belong to --cluster");
    return null;
  }
  const nodes = cluster.map(nodeOf);
  if (new Set(nodes.map(({ name }) => name)).size < nodes.length) throw usage("--cluster names a server twice");
  if (nodes.length < 3 || nodes.length % 2 === 0)
    throw usage(`--cluster needs an odd number of servers, at least 3, to survive the loss of one; here are ${nodes.length}`);
  const own = nodes.find(({ name }) => name === server);
  if (own === undefined) throw usage(`--server has to name one of ${nodes.map(({ name }) => name).join(", ")}`);
  const areLocal = nodes.every(({ endpoint }) => isLoopback(endpoint));
  if (!areLocal && (tls === null || tlsCa === undefined))
    throw usage("a cluster over a network needs --tls-cert, --tls-key and --tls-ca: its servers check each other");
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
  if (url === null) throw usage(`--cluster "${stripControls(text)}" is not name=host:port, as in n1=n1.example.org:6222`);
  return { name, endpoint, url };
}

/** Only loopback may go without TLS. */
function isLoopback(endpoint: string): boolean {
  return parseNatsUrl(`nats://${endpoint}`) !== null;
}

/** @throws CliError for a path that means another file to nats-server, or that its configuration cannot hold. */
function pathOf(flag: string, path: string): string {
  if (!isAbsolute(path) || stripControls(path) !== path)
    throw usage(`${flag} "${stripControls(path)}" has to be a whole path, as in /etc/nats/nats.pem`);
  return path;
}

function usage(message: string): CliError {
  return new CliError(exitCodes.usage, message);
}
