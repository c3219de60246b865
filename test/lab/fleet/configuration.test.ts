/** The configurations of docs/fleet.md, word for word apart from addresses and paths: certificates, one server, a cluster that loses a server. */

import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FleetIdentity, readIdentity } from "../../../src/fleet/identity.ts";
import { resultStreamOf, scanStreamOf } from "../../../src/fleet/subjects.ts";
import { blocksOf } from "../../support/document-blocks.ts";
import { connectAs, type EnrolledIdentity, ledStreams, messagesIn } from "../../support/fleet-places.ts";
import { type RigNats, rigLocation, startRig } from "../../support/fleet-rig.ts";
import { type NatsPlace, type NatsServer, natsIsMissing, startNats } from "../../support/nats.ts";
import { portWithoutListener } from "../../support/ports.ts";
import { run } from "../../support/program.ts";
import { eventually } from "../../support/raw-head.ts";
import { until } from "./fleet.ts";

const page = "docs/fleet.md";
const scanCount = 40;
const testMsMax = 240_000;
/** Election of leaders, on a busy machine. */
const electionMsMax = 60_000;
/** Ends before `testMsMax`, so that the test says which scans are left. */
const scansMsMax = 120_000;

/** Text of the only block of that language. */
function block(section: string, language: string): string {
  const [found = "", ...more] = blocksOf(page, section)
    .filter((each) => each.language === language)
    .map(({ text }) => text);
  if (more.length > 0) throw new Error(`${section} has several blocks of ${language}`);
  return found;
}

/** A name of the certificate. */
const urlOf = ({ port }: NatsServer) => `tls://localhost:${port}`;

describe.skipIf(natsIsMissing())("the configurations of docs/fleet.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-configuration-"));
  const dataDir = join(folder, "data");
  const caFile = join(folder, "ca.pem");
  const shellLines = blocksOf(page, "nats-server with TLS").filter(({ language }) => language === "sh");
  let headIdentity: FleetIdentity;
  let identities: RigNats["identities"];

  async function assay(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run([...args, "--data", dataDir]);
    if (code !== 0) throw new Error(`assay ${args.join(" ")}: ${code} ${stderr}`);
    return stdout;
  }

  async function enrolled(name: string): Promise<EnrolledIdentity> {
    const seedFile = join(folder, `${name}.nk`);
    await assay("fleet", "enrol", rigLocation, "--name", name, "--out", seedFile);
    return { ...readIdentity(seedFile), name, location: rigLocation };
  }

  /** The page's certificates, for servers of this machine. */
  async function makeCertificates(): Promise<void> {
    const script = (shellLines[0]?.text ?? "").replaceAll("nats.example.org", "localhost");
    const child = Bun.spawn(["sh", "-e", "-c", script], { cwd: folder, stdout: "ignore", stderr: "pipe" });
    const errors = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(errors);
  }

  beforeAll(async () => {
    identities = { first: await enrolled("first"), second: await enrolled("second") };
    // The page's line, with its redirection.
    expect(shellLines[1]?.text.split("\n")[0]).toBe("assay fleet nats-conf --accounts > /etc/nats/accounts.conf");
    writeFileSync(join(folder, "accounts.conf"), await assay("fleet", "nats-conf", "--accounts"));
    await makeCertificates();
    headIdentity = readIdentity(join(dataDir, "nats-head.nk"));
  }, testMsMax);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
      const nats = await startNats({ configuration: ({ listen, storeDir }) => placed(text, listen, storeDir) });
      const url = urlOf(nats);
      await using rig = await startRig({}, { servers: [nats], urls: [url], caFile, headIdentity, identities });
      const fleet = await rig.open();
      const worker = await rig.startWorker();
      await eventually(() => fleet.capacity(rigLocation) > 0, "a worker");
      const token = await rig.claimScan();
      const gathering = rig.gather(fleet, token);
      (await worker.started(1)).end();
      const end = await gathering;
      expect(end.gathered).toMatchObject({ evidence: { subject: {} } });
      await rig.storeEnd(token, end);

      await expect(connectAs(headIdentity, url, { tls: {} })).rejects.toThrow();
      await expect(connect({ servers: url, tls: { caFile } })).rejects.toThrow("Authorization Violation");
    },
    testMsMax,
  );

  test(
    "bounds the connections of a worker",
    async () => {
      const text = block("nats-server with TLS", "conf");
      await using nats = await startNats({ configuration: ({ listen, storeDir }) => placed(text, listen, storeDir) });
      const opened = await Promise.allSettled(
        Array.from({ length: 8 }, () => connectAs(identities.first, urlOf(nats), { tls: { caFile }, timeout: 3_000 })),
      );
      const open = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(open.length).toBe(4);
      await Promise.all(open.map((connection) => connection.close()));
    },
    testMsMax,
  );

  /** Servers of one cluster, as the page describes them. */
  async function startCluster(parts: AsyncDisposableStack): Promise<readonly NatsServer[]> {
    const text = block("A cluster of three servers", "conf");
    const names = ["n1", "n2", "n3"];
    const routePorts = await Promise.all(names.map(() => portWithoutListener()));
    const start = async (name: string, at: number) => {
      const configuration = ({ listen, storeDir }: NatsPlace) => {
        const own = placed(text, listen, storeDir).replace('server_name: "n1"', `server_name: "${name}"`);
        const routed = names.reduce((each, other, to) => each.replace(`${other}.example.org:6222`, `localhost:${routePorts[to]}`), own);
        return routed.replace("0.0.0.0:6222", `127.0.0.1:${routePorts[at]}`);
      };
      return parts.use(await startNats({ configuration }));
    };
    return Promise.all(names.map(start));
  }

  test(
    "starts a cluster that keeps three copies, and ends every scan once while its leader is killed and comes back",
    async () => {
      await using parts = new AsyncDisposableStack();
      const servers = await startCluster(parts);
      const nats = { ...{ servers, caFile, headIdentity, identities }, urls: servers.map(urlOf) };
      await using rig = await startRig({ times: { startWaitMs: electionMsMax } }, nats);
      const fleet = await rig.open();
      const worker = await rig.startWorker();
      await eventually(() => fleet.capacity(rigLocation) > 0, "a worker", electionMsMax);
      const ending = setInterval(() => {
        for (const scan of worker.scans) scan.end();
      }, 20);
      parts.defer(() => clearInterval(ending));
      const head = parts.adopt(await rig.connectHead(), (connection) => connection.close());
      const names = [scanStreamOf(rigLocation), resultStreamOf(rigLocation)];
      const infos = await eventually(() => ledStreams(head, names, 2), "streams with leaders", electionMsMax);
      expect(infos.map(({ config }) => config.num_replicas)).toEqual([3, 3]);
      const leader = servers[Number(infos[0]?.cluster?.leader?.slice(1)) - 1] as NatsServer;

      const open = new Set<string>();
      const ends: unknown[] = [];
      for (let count = 0; count < scanCount; count++) {
        if (count === 10) await leader.stop("SIGKILL");
        if (count === 30) await leader.restart();
        const token = await rig.claimScan();
        open.add(token);
        const gathering = rig.gather(fleet, token).then(async (end) => {
          await rig.storeEnd(token, end);
          open.delete(token);
          ends.push(typeof end.gathered === "string" ? end.gathered : "gathered");
        });
        await Promise.race([gathering, Bun.sleep(250)]);
      }
      const explain = () =>
        [
          `${open.size} of ${scanCount} scans have not ended: ${[...open].join(" ")}`,
          `head: ${fleet.state()}, ${fleet.fault()}; ${JSON.stringify(fleet.counters())}`,
          `worker: ${JSON.stringify(worker.faults())}, took ${worker.scans.map(({ token }) => token).join(" ")}`,
          ...rig.logged.slice(-100),
          ...servers.map((server) => `${urlOf(server)}\n${server.log().slice(-2_000)}`),
        ].join("\n");
      await until(() => open.size === 0, scansMsMax, explain);
      expect(ends).toEqual(Array.from({ length: scanCount }, () => "gathered"));
      expect(fleet.counters()).toMatchObject({ results: scanCount, faults: 0 });
      const isEmpty = () =>
        messagesIn(head)
          .then((counts) => counts.every((count) => count === 0))
          .catch(() => false);
      await eventually(isEmpty, "empty streams", electionMsMax);
    },
    testMsMax,
  );
});
