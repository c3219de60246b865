/** Random facts of addresses, name servers and DANE for property tests. */
import fc from "fast-check";
import { failed, read } from "../../../src/evidence/evidence.ts";
import { nameServer } from "../../support/evidence.ts";
import { mailHost } from "./sound-site.ts";

const seldom = fc.nat({ max: 19 }).map((roll) => roll === 0);
const few = seldom.map((is) => (is ? 1 : 0));
const anyTlsa = fc.record({
  usage: fc.constantFrom(1, 2, 3),
  selector: fc.constantFrom(0, 1, 9),
  matchingType: fc.constantFrom(0, 1, 2),
  data: fc.constantFrom("30031234ab", "ab"),
  dataBytes: fc.constantFrom(5, 32, 64),
});
const anyDaneHost = fc
  .record({
    zone: fc.constantFrom("signed", "unsigned", "no-address"),
    authentic: seldom.map((is) => !is),
    records: fc.array(anyTlsa, { maxLength: 2 }),
    recordsDropped: few,
  })
  .chain((facts) =>
    fc.record({
      host: fc.constantFrom(mailHost.host, "mx.other.example"),
      answer: fc.constantFrom(read({ ...facts, name: `_25._tcp.${mailHost.host}` }), failed("timeout")),
    }),
  );

export const anyHostFacts = {
  dnsIpv6: fc.record({ nameExists: fc.boolean(), addresses: fc.subarray(["::1", "2001:db8::1"]) }),
  dnsNameServers: fc.record({
    zone: fc.constantFrom("site.example", null),
    servers: fc.subarray([
      nameServer("ns1.site.example", "192.0.2.1"),
      nameServer("ns2.site.example", "192.0.2.2", "2001:db8::2"),
      { ...nameServer("ns3.site.example", "198.51.100.3"), ipv6: failed("timeout") },
    ]),
    serversDropped: few,
  }),
  mailDane: fc.record({ hosts: fc.array(anyDaneHost, { maxLength: 3 }), hostsDropped: few }),
};
