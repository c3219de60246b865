/** The example of RFC 8439, and everything that does not fit its tag. */
import { expect, test } from "vitest";
import { openChaCha20Poly1305 } from "../../src/probe/chacha20-poly1305.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");

/** RFC 8439 section 2.8.2. */
const key = hex("808182838485868788898a8b8c8d8e8f 909192939495969798999a9b9c9d9e9f");
const nonce = hex("070000004041424344454647");
const authenticated = hex("50515253c0c1c2c3c4c5c6c7");
const ciphertext = hex(`
  d31a8d34648e60db7b86afbc53ef7ec2 a4aded51296e08fea9e2b5a736ee62d6
  3dbea45e8ca9671282fafb69da92728b 1a71de0a9e060b2905d6a5b67ecd3b36
  92ddbd7f2d778b8c9803aee328091b58 fab324e4fad675945585808b4831d7bc
  3ff4def08e4b7a9de576d26586cec64b 6116`);
const tag = hex("1ae10b594f09e26a7e902ecbd0600691");

test("what was sealed is opened", () => {
  const opened = openChaCha20Poly1305(key, nonce, Buffer.concat([ciphertext, tag]), authenticated);
  expect(opened?.toString()).toBe(
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
  );
});

test("what was changed is not", () => {
  const sealed = Buffer.concat([ciphertext, tag]);
  for (const at of [0, 50, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(openChaCha20Poly1305(key, nonce, changed, authenticated)).toBeNull();
  }
  expect(openChaCha20Poly1305(key, nonce, sealed, Buffer.from("x"))).toBeNull();
  expect(openChaCha20Poly1305(key, nonce, Buffer.alloc(15), authenticated)).toBeNull();
});
