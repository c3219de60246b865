/** How long the names of DNS may be: RFC 1035 section 2.3.4. */

/** Written out, without the dot that may end a name. */
export const dnsNameCharsMax = 253;
export const dnsLabelCharsMax = 63;

/** Whether a name, without the dot that may end it, has no empty label and is not too long. Says nothing about its letters. */
export function fitsDns(name: string): boolean {
  return name.length <= dnsNameCharsMax && name.split(".").every((label) => label !== "" && label.length <= dnsLabelCharsMax);
}
