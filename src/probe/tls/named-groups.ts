/** Named groups of key exchanges that offers are tested for, from the IANA registry "TLS Supported Groups". */

type Groups = readonly (readonly [code: number, name: string])[];

/** RFC 9325 section 4.5 forbids curves of less than 224 bits. RFC 8422 deprecates binary curves (`sect`). */
export const weakCurves: Groups = [
  [0x0001, "sect163k1"],
  [0x0002, "sect163r1"],
  [0x0003, "sect163r2"],
  [0x0004, "sect193r1"],
  [0x0005, "sect193r2"],
  [0x0006, "sect233k1"],
  [0x0007, "sect233r1"],
  [0x0008, "sect239k1"],
  [0x0009, "sect283k1"],
  [0x000a, "sect283r1"],
  [0x000b, "sect409k1"],
  [0x000c, "sect409r1"],
  [0x000d, "sect571k1"],
  [0x000e, "sect571r1"],
  [0x000f, "secp160k1"],
  [0x0010, "secp160r1"],
  [0x0011, "secp160r2"],
  [0x0012, "secp192k1"],
  [0x0013, "secp192r1"],
];

/** Groups that also resist quantum computers: draft-ietf-tls-ecdhe-mlkem. */
export const hybridGroups: Groups = [
  [0x11ec, "X25519MLKEM768"],
  [0x11eb, "SecP256r1MLKEM768"],
  [0x11ed, "SecP384r1MLKEM1024"],
];

export function groupCodes(groups: Groups): readonly number[] {
  return groups.map(([code]) => code);
}

/** Null for a group that is not in the list. */
export function groupName(groups: Groups, code: number): string | null {
  return groups.find(([known]) => known === code)?.[1] ?? null;
}
