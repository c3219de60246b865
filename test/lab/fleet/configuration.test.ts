/** The configurations of docs/fleet.md, word for word apart from addresses and paths: certificates, one server, a cluster that loses a server. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { jetstream } from "@nats-io/jetstream";
import { type ConnectionOptions, connect, type NatsConnection, nanos } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FleetIdentity, readIdentity } from "../../../src/fleet/identity.ts";
import { inboxPrefixOf, resultConsumer, resultStreamOf, resultSubject, scanStreamOf, scanSubject } from "../../../src/fleet/subjects.ts";
import { compiledBinary } from "../../support/binary.ts";
import { blocksOf } from "../../support/document-blocks.ts";
import { connectAs, consumerOf, ledStreams, makeStreams } from "../../support/fleet-places.ts";
import { type NatsServer, natsIsMissing, startNats } from "../../support/nats.ts";
import { fromSource, run } from "../../support/program.ts";
import { eventually } from "../../support/raw-head.ts";
import { closedPort } from "../../support/servers.ts";
import { until } from "./fleet.ts";

const page = "docs/fleet.md";
const command = compiledBinary === null ? fromSource : [compiledBinary];
const location = "berlin";
const testMsMax = 240_000;
/** The client can drop a delivery at a reconnection, which comes again soon. */
const clusterConsumer = { ack_wait: nanos(2_000), max_deliver: -1 };

/** Text of the only block of that language. */
function block(section: string, language: string): string {
  const [found = "", ...more] = blocksOf(page, section)
    .filter((each) => each.language === language)
    .map(({ text }) => text);
  if (more.length > 0) throw new Error(`${section} has several blocks of ${language}`);
  return found;
}

describe.skipIf(natsIsMissing())("the configurations of docs/fleet.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-configuration-"));
  const dataDir = join(folder, "data");
  const seedFile = join(folder, "berlin-1.nk");
  const shellLines = blocksOf(page, "nats-server with TLS").filter(({ language }) => language === "sh");
  let head: FleetIdentity;
  let worker: FleetIdentity;
  let ca: string;

  async function assay(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run([...args, "--data", dataDir], { command });
    if (code !== 0) throw new Error(`assay ${args.join(" ")}: ${code} ${stderr}`);
    return stdout;
  }

  /** The page's certificates, for servers of this machine. */
  async function makeCertificates(): Promise<void> {
    const script = (shellLines[0]?.text ?? "").replaceAll("nats.example.org", "localhost");
    const child = Bun.spawn(["sh", "-e", "-c", script], { cwd: folder, stdout: "ignore", stderr: "pipe" });
    const errors = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(errors);
  }

  beforeAll(async () => {
    await assay("fleet", "enrol", location, "--out", seedFile);
    // The page's line, with its redirection.
    expect(shellLines[1]?.text.split("\n")[0]).toBe("assay fleet nats-conf --accounts > /etc/nats/accounts.conf");
    writeFileSync(join(folder, "accounts.conf"), await assay("fleet", "nats-conf", "--accounts"));
    await makeCertificates();
    head = readIdentity(join(dataDir, "nats-head.nk"));
    worker = readIdentity(seedFile);
    ca = readFileSync(join(folder, "ca.pem"), "utf8");
  }, testMsMax);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const asWorker = (servers: readonly string[], options: ConnectionOptions = {}) =>
    connectAs(worker, [...servers], {
      inboxPrefix: inboxPrefixOf(worker.id),
      tls: { ca },
      ignoreClusterUpdates: true,
      maxReconnectAttempts: -1,
      ...options,
    });
  const asHead = (servers: readonly string[]) =>
    connectAs(head, [...servers], { tls: { ca }, ignoreClusterUpdates: true, maxReconnectAttempts: -1 });

  /** The text of the page with this machine's paths, beside a copy of the accounts. */
  function placed(text: string, listen: string, storeDir: string): string {
    copyFileSync(join(folder, "accounts.conf"), join(dirname(storeDir), "accounts.conf"));
    return text.replaceAll("/etc/nats/", `${folder}/`).replace("/var/lib/nats", storeDir).replace("0.0.0.0:4222", listen);
  }

  test("shows what nats-conf prints", async () => {
    const tls = ["--listen", "0.0.0.0:4222", "--tls-cert", "/etc/nats/nats.pem", "--tls-key", "/etc/nats/nats.key"];
    const nodes = [1, 2, 3].flatMap((node) => ["--cluster", `n${node}=n${node}.example.org:6222`]);
    const accounts = readFileSync(join(folder, "accounts.conf"), "utf8");
    const printed = async (...args: readonly string[]) => (await assay("fleet", "nats-conf", ...args)).replace(/^#.*\n/, "");
    const withAccounts = (text: string) => text.replace('include "accounts.conf"\n', accounts);
    expect(await printed(...tls)).toBe(withAccounts(block("nats-server with TLS", "conf")));
    const cluster = [...tls, "--tls-ca", "/etc/nats/ca.pem", ...nodes, "--server", "n1"];
    expect(await printed(...cluster)).toBe(withAccounts(block("A cluster of three servers", "conf")));
  });

  test(
    "starts one server, which head and worker use by TLS alone",
    async () => {
      const text = block("nats-server with TLS", "conf");
      await using nats = await startNats({ configuration: ({ listen, storeDir }) => placed(text, listen, storeDir) });
      const url = `tls://localhost:${nats.port}`;
      const headSide = await asHead([url]);
      await makeStreams(headSide, [location]);
      const workerSide = await asWorker([url]);
      await startAnswering(workerSide, worker.id);
      await jetstream(headSide).publish(scanSubject(location, "t1"), "job");
      expect([...(await collectResults(headSide, 1))]).toEqual(["t1"]);
      await workerSide.close();
      await headSide.close();

      await expect(connectAs(head, url, { tls: {} })).rejects.toThrow();
      await expect(connect({ servers: url, tls: { ca } })).rejects.toThrow("Authorization Violation");
    },
    testMsMax,
  );

  test(
    "bounds the connections of a worker",
    async () => {
      const text = block("nats-server with TLS", "conf");
      await using nats = await startNats({ configuration: ({ listen, storeDir }) => placed(text, listen, storeDir) });
      const opened = await Promise.allSettled(
        Array.from({ length: 8 }, () => asWorker([`tls://localhost:${nats.port}`], { timeout: 3_000 })),
      );
      const open = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(open.length).toBe(4);
      await Promise.all(open.map((connection) => connection.close()));
    },
    testMsMax,
  );

  test(
    "starts a cluster that finishes every scan while one server is lost and comes back",
    async () => {
      const text = block("A cluster of three servers", "conf");
      const names = ["n1", "n2", "n3"];
      const routePorts = await Promise.all(names.map(() => closedPort()));
      const servers: NatsServer[] = [];
      for (const [at, name] of names.entries()) {
        const configuration = ({ listen, storeDir }: { readonly listen: string; readonly storeDir: string }) => {
          const own = placed(text, listen, storeDir).replace('server_name: "n1"', `server_name: "${name}"`);
          const routed = names.reduce(
            (each, other, index) => each.replace(`${other}.example.org:6222`, `localhost:${routePorts[index]}`),
            own,
          );
          return routed.replace("0.0.0.0:6222", `127.0.0.1:${routePorts[at]}`);
        };
        servers.push(await startNats({ configuration }));
      }
      try {
        const urls = servers.map(({ port }) => `tls://localhost:${port}`);
        const headSide = await asHead(urls);
        await until(
          () =>
            makeStreams(headSide, [location], { replicas: 3, consumer: clusterConsumer }).then(
              () => true,
              () => false,
            ),
          30_000,
          () => servers[0]?.log() ?? "",
        );
        const workerSide = await asWorker(urls.toReversed());
        await startAnswering(workerSide, worker.id);
        const tokens = Array.from({ length: 60 }, (_, at) => `t${at}`);
        const results = collectResults(headSide, tokens.length);
        const streams = [scanStreamOf(location), resultStreamOf(location)];
        const [jobs] = await eventually(() => ledStreams(headSide, streams, 2), "streams with leaders", 60_000);
        const lost = servers[names.indexOf(jobs?.cluster?.leader ?? "")] as NatsServer;
        for (const [at, token] of tokens.entries()) {
          if (at === 20) await lost.stop("SIGKILL");
          if (at === 40) await lost.restart();
          await published(headSide, token);
        }
        expect([...(await results)].toSorted()).toEqual(tokens.toSorted());
        const emptied = async () => {
          const infos = await ledStreams(headSide, streams, 0);
          return infos?.[0]?.state.messages === 0 ? infos : null;
        };
        const [, left] = await eventually(emptied, "an empty stream of jobs", 60_000);
        expect(left?.config.num_replicas).toBe(3);
        await workerSide.close();
        await headSide.close();
      } finally {
        for (const server of servers) await server[Symbol.asyncDispose]();
      }
    },
    testMsMax,
  );
});

/** Publishes as the head does: again until it is stored, and a job that is there already is stored. */
async function published(head: NatsConnection, token: string): Promise<void> {
  const publish = async () => {
    try {
      await jetstream(head).publish(scanSubject(location, token), "job", { timeout: 2_000 });
      return true;
    } catch (error) {
      return (error as Error).message.includes("maximum messages per subject exceeded");
    }
  };
  await until(publish, 60_000);
}

/** A worker that answers each job with one part, until its connection is closed. */
async function startAnswering(connection: NatsConnection, id: string): Promise<void> {
  const takeOne = async () => {
    const job = await consumerOf(connection, location).next({ expires: 2_000 });
    if (job === null) return;
    const [token = ""] = job.subject.split(".").slice(-1);
    const address = { location, worker: id, token, attempt: 1, delivery: job.info.deliveryCount, part: 0 };
    const send = () =>
      jetstream(connection).publish(resultSubject(address), token, { msgID: `${token}.${address.delivery}`, timeout: 2_000 });
    await until(
      () =>
        send().then(
          () => true,
          () => false,
        ),
      60_000,
    );
    await job.ackAck();
  };
  void (async () => {
    while (!connection.isClosed()) await takeOne().catch(() => Bun.sleep(100));
  })();
  await connection.flush();
}

/** Tokens of results, until there are so many different ones; acknowledged as they come. */
async function collectResults(head: NatsConnection, count: number): Promise<ReadonlySet<string>> {
  const tokens = new Set<string>();
  const consumer = await jetstream(head).consumers.get(resultStreamOf(location), resultConsumer);
  while (tokens.size < count) {
    const message = await consumer.next({ expires: 2_000 }).catch(() => null);
    if (message === null) continue;
    tokens.add(message.string());
    message.ack();
  }
  return tokens;
}
