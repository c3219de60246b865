/** Every address of this machine's interfaces: where an own endpoint on "any address" can be met. */
import { networkInterfaces } from "node:os";

export function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((entries) => (entries ?? []).map(({ address }) => address));
}
